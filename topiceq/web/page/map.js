/**
 * The map of topics: near is related, large is frequent. Every circle is a link; the keyboard moves
 * between them with the arrow keys, and Enter opens one. Labels that found no room appear when
 * their circle is pointed at.
 */

import { percent, svg } from "./dom.js";
import { circles, labels, neighbour } from "./places.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const GRID = 80; // pixels between the crosses of the graticule
const pen = document.createElement("canvas").getContext("2d");

export class TopicMap {
  /** `address(topic)` is where a circle leads, `point(topic)` hears which one is pointed at. */
  constructor(topics, address, point) {
    Object.assign(this, { topics, address, point, chosen: null, related: [], matching: null });
    const largest = topics.reduce((a, b) => (b.share > a.share ? b : a), topics[0]);
    this.current = largest?.topic;
    this.element = svg("svg", {
      class: "map",
      role: "group",
      "aria-label": "Map of topics. Arrow keys move from topic to topic, Enter opens one.",
      onkeydown: (event) => this.move(event),
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Show one topic as open, with lines to its relatives; null for none. */
  choose(topic, related = []) {
    Object.assign(this, { chosen: topic, related });
    if (topic !== null) this.current = topic;
    this.mark();
  }

  /** Only these topics (a set) are in question; null for all. */
  match(topics) {
    this.matching = topics;
    this.mark();
  }

  /** Point at a topic from elsewhere; null for none. */
  highlight(topic) {
    this.tag(topic);
  }

  draw() {
    const { width, height } = this.element.getBoundingClientRect();
    if (width < 50 || height < 50) return; // not shown
    const { focused } = this;
    this.size = [width, height];
    this.circles = circles(this.topics, width, height);
    this.byTopic = new Map(this.circles.map((one) => [one.topic, one]));
    this.links = new Map(this.circles.map((one) => [one.topic, this.link(one)]));
    this.lines = svg("g", { class: "lines" });
    this.top = svg("g", { class: "tag", "aria-hidden": true });
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.circles.sort((a, b) => b.share - a.share);
    this.labels = svg("g", { class: "labels", "aria-hidden": true });
    this.element.replaceChildren(
      graticule(width, height),
      this.lines,
      ...this.circles.map(({ topic }) => this.links.get(topic)),
      this.labels,
      this.top,
    );
    this.mark();
    this.links.get(focused)?.focus({ preventScroll: true }); // the circles are new ones
  }

  /** The topic whose circle has the focus; null for none. */
  get focused() {
    const link = document.activeElement;
    return this.element.contains(link) ? Number(link.dataset.topic) : null;
  }

  link(one) {
    const show = () => this.pointAt(one.topic);
    const hide = () => this.pointAt(null);
    return svg(
      "a",
      {
        href: this.address(one.topic), "data-topic": one.topic, tabindex: -1,
        "aria-label": `${one.label}, ${percent(one.share)} of the corpus`,
        onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide,
      },
      svg("circle", { class: "reach", cx: one.x, cy: one.y, r: Math.max(one.r, 9) }),
      svg("circle", { class: "dot", cx: one.x, cy: one.y, r: one.r }),
    );
  }

  pointAt(topic) {
    this.tag(topic);
    this.point(topic);
  }

  /** Bring classes, lines and the tab stop in line with what is chosen and searched for. */
  mark() {
    if (!this.circles) return;
    for (const [topic, link] of this.links) {
      link.classList.toggle("chosen", topic === this.chosen);
      link.classList.toggle("related", this.related.includes(topic));
      link.classList.toggle("dimmed", this.isDimmed(topic));
      link.setAttribute("tabindex", topic === this.current ? 0 : -1);
      if (topic === this.chosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    this.name();
    this.lines.replaceChildren(...this.ties());
    this.tag(this.focused);
  }

  /** Labels for what is in question: the open topic and its relatives first, then by size. */
  name() {
    const rank = ({ topic }) => (topic === this.chosen ? 0 : this.related.includes(topic) ? 1 : 2);
    const asked = this.circles.filter(({ topic }) => !this.isDimmed(topic));
    const wanted = [...asked].sort((a, b) => rank(a) - rank(b) || b.share - a.share);
    const obstacles = this.matching ? asked : this.circles; // what is dimmed may be written over
    const placed = labels(wanted, obstacles, ...this.size, measure(this.element));
    this.named = new Set(placed.map(({ topic }) => topic));
    this.labels.replaceChildren(...placed.map((label) => text(label, label.topic === this.chosen)));
  }

  isDimmed(topic) {
    return this.matching !== null && !this.matching.has(topic) && topic !== this.chosen;
  }

  ties() {
    const from = this.byTopic.get(this.chosen);
    const to = from ? this.related.map((topic) => this.byTopic.get(topic)).filter(Boolean) : [];
    return to.map((one) => svg("line", { x1: from.x, y1: from.y, x2: one.x, y2: one.y }));
  }

  /** A plate for the topic that is pointed at, or else for the open one if it has no label. */
  tag(topic) {
    if (!this.circles) return;
    const one = this.byTopic.get(topic ?? (this.named.has(this.chosen) ? null : this.chosen));
    for (const [number, link] of this.links) link.classList.toggle("pointed", number === topic);
    this.top.replaceChildren(...(one ? plate(one, this.size, measure(this.element)) : []));
  }

  move(event) {
    const direction = ARROWS[event.key];
    const from = this.byTopic?.get(Number(event.target.dataset?.topic));
    if (!direction || !from) return;
    event.preventDefault();
    const next = neighbour(this.circles, from, direction);
    if (!next) return;
    this.links.get(from.topic).setAttribute("tabindex", -1);
    this.current = next.topic;
    this.links.get(next.topic).setAttribute("tabindex", 0);
    this.links.get(next.topic).focus();
  }
}

function measure(element) {
  const family = getComputedStyle(element).fontFamily;
  return (words, size) => {
    pen.font = `${size}px ${family}`;
    return pen.measureText(words).width;
  };
}

function text({ lines, x, top, bottom, size, upon }, chosen) {
  const leading = (bottom - top) / lines.length;
  const baseline = (n) => top + leading * (n + 0.5) + 0.33 * size;
  const spans = lines.map((line, n) => svg("tspan", { x, y: baseline(n) }, line));
  const look = `${upon ? "upon" : ""} ${chosen ? "chosen" : ""}`;
  return svg("text", { class: look, "font-size": size, "text-anchor": "middle" }, spans);
}

/** A name on a plate, beside its circle and inside the map. */
function plate({ label, share, x, y, r }, [width, height], measured) {
  const words = `${label}  ·  ${percent(share)}`;
  const wide = measured(words, 14) + 18;
  const left = Math.min(Math.max(x - wide / 2, 3), width - wide - 3);
  const top = y + r + 34 < height ? y + r + 5 : y - r - 31;
  const middle = { x: left + wide / 2, y: top + 17.5, "text-anchor": "middle" };
  return [
    svg("rect", { x: left, y: top, width: wide, height: 26, rx: 3 }),
    svg("text", { ...middle, "font-size": 14 }, words),
  ];
}

/** Small crosses, as on a chart: they give the eye distances to compare. */
function graticule(width, height) {
  const marks = [];
  const [x0, y0] = [(width % GRID) / 2, (height % GRID) / 2];
  for (let x = x0; x <= width; x += GRID) {
    for (let y = y0; y <= height; y += GRID) marks.push(`M${x - 3} ${y}h6M${x} ${y - 3}v6`);
  }
  return svg("path", { class: "graticule", d: marks.join("") });
}
