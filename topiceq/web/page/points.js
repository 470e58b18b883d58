/**
 * Equations as points: 32 bits each from the server (x and y of 14 bits, the region of 4), kept in
 * the order of the cells of a grid, so that what is not seen costs nothing, and drawn pixel by pixel.
 */

import { bytes } from "./api.js";

const LEVELS = (1 << 14) - 1;
const CELLS = 128; // of the grid, each way
const OF_LEVELS = 7; // bits of x and y within a cell

/** The points of the index; rejects where the run has none. */
export async function loadPoints() {
  return new Points(new Uint32Array(await bytes("map")));
}

class Points {
  constructor(packed) {
    this.numbers = this.sort(packed); // of the equations, in the order of the points
    const pick = (Kind, read) => Kind.from(this.numbers, (number) => read(packed[number]));
    this.xs = pick(Float32Array, (point) => (point >>> 18) / LEVELS);
    this.ys = pick(Float32Array, (point) => ((point >>> 4) & LEVELS) / LEVELS);
    this.regions = pick(Uint8Array, (point) => point & 15);
  }

  /** The points in the order of their cells, and where each cell begins. */
  sort(packed) {
    const column = (point) => point >>> (18 + OF_LEVELS);
    const row = (point) => ((point >>> 4) & LEVELS) >>> OF_LEVELS;
    const cells = Uint16Array.from(packed, (point) => column(point) + CELLS * row(point));
    this.starts = new Uint32Array(CELLS * CELLS + 1);
    for (const own of cells) this.starts[own + 1]++;
    for (let n = 1; n < this.starts.length; n++) this.starts[n] += this.starts[n - 1];
    const next = this.starts.slice();
    const order = new Uint32Array(packed.length);
    for (let n = 0; n < packed.length; n++) order[next[cells[n]]++] = n;
    return order;
  }

  /** The points in a part of the map, row of cells by row: [from, to) of each. */
  *within(left, right, top, bottom) {
    const [first, last] = [cell(left), cell(right)];
    for (let row = CELLS * cell(top); row <= CELLS * cell(bottom); row += CELLS) {
      yield [this.starts[row + first], this.starts[row + last + 1]];
    }
  }

  /** The point nearest to (x, y) within a reach (as shares of the map), or null. */
  near(x, y, reachX, reachY) {
    let [best, least] = [null, 1];
    for (const [from, to] of this.within(x - reachX, x + reachX, y - reachY, y + reachY)) {
      for (let n = from; n < to; n++) {
        const away = Math.hypot((this.xs[n] - x) / reachX, (this.ys[n] - y) / reachY);
        if (away < least) [best, least] = [n, away];
      }
    }
    return best;
  }

  /**
   * Draw upon an image, as one number a pixel. `view` tells where x and y go (x * sx + tx), `look`
   * the colours of the regions, how large a point is in pixels, and how much of it covers.
   */
  draw({ pixels, width, height }, { sx, tx, sy, ty }, { colours, size, cover }) {
    const { offsets, covers } = stamp(size, width, cover);
    const margin = Math.ceil(size / 2) + 1;
    const [right, bottom] = [width - margin, height - margin];
    const { xs, ys, regions } = this;
    for (const [from, to] of this.within(-tx / sx, (width - tx) / sx, -ty / sy, (height - ty) / sy)) {
      for (let n = from; n < to; n++) {
        const x = (xs[n] * sx + tx) | 0;
        const y = (ys[n] * sy + ty) | 0;
        if (x < margin || y < margin || x >= right || y >= bottom) continue;
        const [red, green, blue] = colours[regions[n]];
        const at = y * width + x;
        for (let k = 0; k < offsets.length; k++) {
          const place = at + offsets[k];
          const pixel = pixels[place];
          const [r, g, b] = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
          pixels[place] = (255 << 24) | ((b + (((blue - b) * covers[k]) >> 8)) << 16)
            | ((g + (((green - g) * covers[k]) >> 8)) << 8) | (r + (((red - r) * covers[k]) >> 8));
        }
      }
    }
  }
}

function cell(value) {
  return Math.min(Math.max(Math.floor((value * LEVELS) / (1 << OF_LEVELS)), 0), CELLS - 1);
}

/** A round point: where its pixels are, and how much of each it covers, of 256. */
function stamp(size, width, cover) {
  const radius = size / 2;
  const reach = Math.ceil(radius - 0.5);
  const [offsets, covers] = [[], []];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const share = Math.min(Math.max(radius + 0.5 - Math.hypot(dx, dy), 0), 1) * cover;
      if (share <= 0.02) continue;
      offsets.push(dy * width + dx);
      covers.push(Math.round(256 * share));
    }
  }
  return { offsets: Int32Array.from(offsets), covers: Int32Array.from(covers) };
}
