/**
 * What of the map is seen: a point in the middle and a zoom. Wheel, drag, two fingers and double
 * click move it; `changed` hears of every move. Without a zoom the page scrolls as usual.
 */

const CLOSEST = 28;
const STILL = 4; // pixels that a click may move

export class Camera {
  constructor(element, changed) {
    Object.assign(this, { element, changed, x: 0.5, y: 0.5, zoom: 1 });
    this.fingers = new Map();
    this.dragged = 0; // pixels since the pointer went down
    element.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    element.addEventListener("dblclick", (event) => this.zoomAt(event, 2));
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.moved(event));
    for (const kind of ["pointerup", "pointercancel"]) {
      element.addEventListener(kind, (event) => this.up(event));
    }
    // what was dragged is not clicked
    element.addEventListener("click", (event) => this.isDragged && event.preventDefault(), true);
  }

  get isDragged() {
    return this.dragged > STILL;
  }

  /** Where a place (0 to 1) is on a surface of this size: x * sx + tx. */
  view(width, height) {
    const [sx, sy] = [width * this.zoom, height * this.zoom];
    return { sx, tx: width / 2 - this.x * sx, sy, ty: height / 2 - this.y * sy };
  }

  /** The place under a pointer. */
  under({ clientX, clientY }) {
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const { sx, tx, sy, ty } = this.view(width, height);
    return { x: (clientX - left - tx) / sx, y: (clientY - top - ty) / sy, sx, sy };
  }

  /** Zoom by a factor; what is under the pointer stays there. */
  zoomAt(pointer, factor) {
    const { x, y } = this.under(pointer);
    const zoom = Math.min(Math.max(this.zoom * factor, 1), CLOSEST);
    const kept = this.zoom / zoom;
    this.go(x + (this.x - x) * kept, y + (this.y - y) * kept, zoom);
  }

  /** Zoom around the middle. */
  zoomBy(factor) {
    this.go(this.x, this.y, Math.min(Math.max(this.zoom * factor, 1), CLOSEST));
  }

  /** Show a place in the middle, as far as there is map around it. */
  go(x, y, zoom = this.zoom) {
    const edge = 0.5 / zoom;
    const inside = (value) => Math.min(Math.max(value, edge), 1 - edge);
    Object.assign(this, { x: inside(x), y: inside(y), zoom });
    this.element.classList.toggle("zoomed", zoom > 1);
    this.changed();
  }

  turned(event) {
    const factor = Math.exp(-event.deltaY * (event.deltaMode ? 0.06 : 0.0022));
    if (factor < 1 && this.zoom === 1) return; // the page scrolls
    event.preventDefault();
    this.zoomAt(event, factor);
  }

  down(event) {
    if (event.button || event.target.closest("button")) return;
    if (!this.fingers.size) this.dragged = 0;
    this.fingers.set(event.pointerId, event);
  }

  moved(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    this.dragged += Math.hypot(dx, dy);
    const [other] = [...this.fingers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (other) this.pinch(before, event, other);
    else if (this.isDragged && this.zoom > 1) this.drag(event, dx, dy);
    this.fingers.set(event.pointerId, event);
  }

  drag(event, dx, dy) {
    if (!this.element.hasPointerCapture(event.pointerId)) {
      this.element.setPointerCapture(event.pointerId);
    }
    const { sx, sy } = this.under(event);
    this.go(this.x - dx / sx, this.y - dy / sy);
  }

  pinch(before, after, other) {
    const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const middle = {
      clientX: (after.clientX + other.clientX) / 2, clientY: (after.clientY + other.clientY) / 2,
    };
    this.zoomAt(middle, apart(after) / Math.max(apart(before), 1));
  }

  up({ pointerId }) {
    this.fingers.delete(pointerId);
  }
}
