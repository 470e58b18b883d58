/**
 * The picture under the map: equations as points, and the light on what was asked about. It is
 * somewhat larger than what is seen of it, so that a map that is dragged need only be moved.
 */

import { el, styled } from "./dom.js";

const MARGIN = 0.25; // of the width and the height, on each side
const DENSEST = 2; // pixels of the picture to one of the page
const LEAST = 0.02; // p of a topic that gives light

export class Surface {
  constructor() {
    this.element = el("canvas", { "aria-hidden": true });
  }

  resize(width, height) {
    const dense = Math.min(devicePixelRatio || 1, DENSEST);
    const [x, y] = [width, height].map((size) => Math.round(size * MARGIN));
    Object.assign(this, { size: [width, height], dense, margin: [x, y] });
    const { element } = this;
    [element.width, element.height] = [width + 2 * x, height + 2 * y].map((size) => Math.round(size * dense));
    const [wide, high] = [element.width, element.height].map((size) => `${size / dense}px`);
    styled(element, { left: `${-x}px`, top: `${-y}px`, width: wide, height: high });
    this.pen = element.getContext("2d", { alpha: false });
    this.image = this.pen.createImageData(element.width, element.height);
    const pixels = new Uint32Array(this.image.data.buffer); // a number for each
    this.surface = { pixels, width: element.width, height: element.height };
  }

  /** Draw what a camera sees, and around it: `points` on `paper` in `colours`, and `lights`. */
  paint(camera, { points, paper: [r, g, b], colours, glowing, lights }) {
    const view = this.view(camera);
    this.surface.pixels.fill((255 << 24) | (b << 16) | (g << 8) | r);
    points?.draw(this.surface, view, { colours, ...this.look(camera.zoom, lights) });
    this.pen.putImageData(this.image, 0, 0);
    this.glow(view, camera.zoom, lights, glowing);
  }

  /** Where places are on the picture, which begins before what is seen. */
  view(camera) {
    const { dense, margin: [x, y] } = this;
    const { sx, tx, sy, ty } = camera.view(...this.size);
    return { sx: sx * dense, tx: (tx + x) * dense, sy: sy * dense, ty: (ty + y) * dense };
  }

  /** How a point is drawn: larger and firmer the closer one looks. */
  look(zoom, lights) {
    const near = Math.log2(zoom);
    const size = this.dense * Math.max(1, 0.7 + 0.75 * near);
    return { size, cover: Math.min(0.3 + 0.16 * near, 0.85) * (lights ? 0.55 : 1) };
  }

  /** Light around topics: { x, y, p } each. */
  glow({ sx, tx, sy, ty }, zoom, lights, [r, g, b]) {
    const most = Math.max(...(lights ?? []).map(({ p }) => p));
    for (const { x: placeX, y: placeY, p } of lights ?? []) {
      if (p < LEAST) continue;
      const [x, y] = [placeX * sx + tx, placeY * sy + ty];
      const radius = this.dense * (22 + 62 * Math.sqrt(p / most)) * zoom ** 0.5;
      const light = this.pen.createRadialGradient(x, y, 0, x, y, radius);
      const strong = Math.min(0.12 + 0.6 * Math.sqrt(p), 0.75);
      light.addColorStop(0, `rgb(${r} ${g} ${b} / ${strong})`);
      light.addColorStop(0.4, `rgb(${r} ${g} ${b} / ${strong * 0.35})`);
      light.addColorStop(1, `rgb(${r} ${g} ${b} / 0)`);
      this.pen.fillStyle = light;
      this.pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
  }
}
