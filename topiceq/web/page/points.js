/**
 * Equations as points: 32 bits each from the server (x and y of 14 bits, the region of 4), drawn
 * pixel by pixel into a buffer, which is fast enough for all of them in every frame.
 */

import { bytes } from "./api.js";

const LEVELS = (1 << 14) - 1;
const CELLS = 128; // of the grid in which the nearest point is looked for, each way

/** The points of the index; rejects where the run has none. */
export async function loadPoints() {
  return new Points(new Uint32Array(await bytes("map")));
}

class Points {
  constructor(packed) {
    this.count = packed.length;
    this.xs = Float32Array.from(packed, (point) => (point >>> 18) / LEVELS);
    this.ys = Float32Array.from(packed, (point) => ((point >>> 4) & LEVELS) / LEVELS);
    this.regions = Uint8Array.from(packed, (point) => point & 15);
    this.sort();
  }

  /** The points in the order of their cells, and where each cell begins. */
  sort() {
    const cells = Uint16Array.from(this.xs, (x, n) => cell(x) + CELLS * cell(this.ys[n]));
    this.starts = new Uint32Array(CELLS * CELLS + 1);
    for (const own of cells) this.starts[own + 1]++;
    for (let n = 1; n < this.starts.length; n++) this.starts[n] += this.starts[n - 1];
    const next = this.starts.slice();
    this.order = new Uint32Array(this.count);
    for (let n = 0; n < this.count; n++) this.order[next[cells[n]]++] = n;
  }

  /** The point nearest to (x, y) within a reach (as shares of the map), or null. */
  near(x, y, reachX, reachY) {
    let [best, least] = [null, 1];
    for (let row = cell(y - reachY); row <= cell(y + reachY); row++) {
      const [from, to] = [cell(x - reachX), cell(x + reachX)].map((column) => column + CELLS * row);
      for (let n = this.starts[from]; n < this.starts[to + 1]; n++) {
        const point = this.order[n];
        const away = Math.hypot((this.xs[point] - x) / reachX, (this.ys[point] - y) / reachY);
        if (away < least) [best, least] = [point, away];
      }
    }
    return best;
  }

  /**
   * Draw into an image on a background. `view` tells where x and y go (x * sx + tx), `look` the
   * colours of the regions, how large a point is in pixels, and how much of it covers.
   */
  draw(image, background, { sx, tx, sy, ty }, { colours, size, cover }) {
    const { data, width, height } = image;
    new Uint32Array(data.buffer).fill(background);
    const brush = stamp(size, width, cover);
    const margin = Math.ceil(size / 2) + 1;
    const [right, bottom] = [width - margin, height - margin];
    const { xs, ys, regions, count } = this;
    for (let n = 0; n < count; n++) {
      const x = (xs[n] * sx + tx) | 0;
      const y = (ys[n] * sy + ty) | 0;
      if (x < margin || y < margin || x >= right || y >= bottom) continue;
      const colour = colours[regions[n]];
      const at = 4 * (y * width + x);
      for (let k = 0; k < brush.length; k += 2) {
        const pixel = at + brush[k];
        const share = brush[k + 1];
        data[pixel] += (colour[0] - data[pixel]) * share;
        data[pixel + 1] += (colour[1] - data[pixel + 1]) * share;
        data[pixel + 2] += (colour[2] - data[pixel + 2]) * share;
      }
    }
  }
}

function cell(value) {
  return Math.min(Math.max(Math.floor(value * CELLS), 0), CELLS - 1);
}

/** A round point: offsets of its pixels, each with how much of it is covered. */
function stamp(size, width, cover) {
  const radius = size / 2;
  const reach = Math.ceil(radius - 0.5);
  const brush = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const share = Math.min(Math.max(radius + 0.5 - Math.hypot(dx, dy), 0), 1) * cover;
      if (share > 0.02) brush.push(4 * (dy * width + dx), share);
    }
  }
  return Float64Array.from(brush);
}
