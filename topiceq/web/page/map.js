/**
 * The map: topics as dots in the colours of their regions, equations as points around them. Near is
 * related. Topics are links: the arrow keys go from one to the next, Enter opens it. What was asked
 * about lights up its topics. The closer one looks, the more names there are, and points can be read.
 */

import { get, isStatic, pause } from "./api.js";
import { Camera } from "./camera.js";
import { el, nameOf, percent, styled, svg } from "./dom.js";
import { place } from "./equations.js";
import { formula } from "./mathml.js";
import { labels, neighbour } from "./places.js";
import { loadPoints } from "./points.js";
import { address } from "./router.js";
import { Surface } from "./surface.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const ZOOMS = { "+": 1.6, "=": 1.6, "-": 1 / 1.6, _: 1 / 1.6 };
const PIN = "M0 0L-5 -13A6.5 6.5 0 1 1 5 -13Z"; // where what was asked about lies
const HOT = 8; // topics that are named when something was asked
const LARGEST = 25; // topics that are named even over the dots of others
const LEAST = 0.02; // p of a topic that lights up
const REGIONS_UNTIL = 2.4; // zoom to which regions are named
const GROWING = 0.3; // of dots, as a power of the zoom
const RESTING = 110; // milliseconds without a move before labels are placed anew
const POINTING = 90; // and before a point is read
const REACH = 9; // pixels from the pointer to a point
const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

export class TopicMap {
  /** `lead(topic)` is where a dot leads, `point(topic)` hears which one is pointed at. */
  constructor(topics, lead, point) {
    Object.assign(this, { lead, point, chosen: null, related: [], heat: null, points: null });
    this.dots = dotsOf(topics);
    this.byTopic = new Map(this.dots.map((dot) => [dot.topic, dot]));
    this.regions = regionsOf(this.dots);
    this.current = this.dots[0]?.topic; // the largest
    this.links = new Map(this.dots.map((dot) => [dot.topic, this.link(dot)]));
    this.surface = new Surface();
    this.lines = svg("g", { class: "lines" });
    this.labels = svg("g", { class: "labels", "aria-hidden": true });
    this.pin = svg("path", { class: "pin", d: PIN, "aria-hidden": true });
    this.top = svg("g", { class: "tag", "aria-hidden": true });
    this.chart = svg(
      "svg",
      {
        class: "map", role: "group", onkeydown: (event) => this.pressed(event),
        "aria-label": "Map of topics. Arrow keys move from topic to topic, Enter opens one, plus"
          + " and minus zoom.",
      },
      this.lines, [...this.links.values()], this.labels, this.pin, this.top,
    );
    this.card = el("a", { class: "found", hidden: true, onclick: () => this.read(null) });
    this.layer = el("div", { class: "layer" }, this.surface.element, this.chart, this.card);
    this.element = el("div", { class: "atlas-map" }, this.layer, this.zooms());
    this.camera = new Camera(this.element, () => this.moved());
    this.listen();
  }

  listen() {
    this.element.addEventListener("pointermove", (event) => this.hovered(event));
    this.element.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType === "mouse") this.read(null); // a finger leaves before it has clicked
    });
    this.element.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.resize()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  zooms() {
    const button = (name, text, factor) =>
      el("button", { type: "button", "aria-label": name, onclick: () => this.zoom(factor) }, text);
    return el(
      "div", { class: "zooms" },
      button("Zoom in", "+", 1.8), button("Zoom out", "−", 1 / 1.8), button("Whole map", "⤢", 0),
    );
  }

  zoom(factor) {
    if (factor) this.camera.zoomBy(factor);
    else this.camera.go(0.5, 0.5, 1);
  }

  // -- what is shown -----------------------------------------------------------------------------

  /** Show one topic as open, with lines to its relatives; null for none. */
  choose(topic, related = []) {
    Object.assign(this, { chosen: topic, related });
    if (topic !== null) this.current = topic;
    const dot = this.byTopic.get(topic);
    if (dot && this.size && !this.isSeen(dot)) this.camera.go(dot.x, dot.y);
    this.mark();
  }

  /** Light up topics (a Map from topic to p), and the place of what was asked; null for none. */
  light(heat, pin = null) {
    Object.assign(this, { heat, pinned: pin });
    this.element.classList.remove("old");
    this.mark();
  }

  /** What is lit is the answer before; another one is on its way. */
  dim() {
    this.element.classList.add("old");
  }

  /** Point at a topic from elsewhere; null for none. */
  highlight(topic) {
    this.tag(topic);
  }

  /** Draw the equations, too, once there is time. */
  async fill() {
    this.points = await loadPoints().catch(() => null); // a run without an index has none
    this.element.classList.toggle("filled", this.points !== null);
    this.changed();
  }

  isSeen(dot) {
    const [{ x, y }, [width, height]] = [this.at(dot), this.size];
    return x > 0 && x < width && y > 0 && y < height;
  }

  // -- drawing -----------------------------------------------------------------------------------

  resize() {
    const { width, height } = this.element.getBoundingClientRect();
    if (width < 50 || height < 50) return; // not shown
    this.size = [width, height];
    this.surface.resize(width, height);
    this.chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.family = getComputedStyle(this.chart).fontFamily;
    this.recolour();
    this.mark();
  }

  /** The colours of the style sheet as numbers, for the pixels. */
  recolour() {
    const style = getComputedStyle(this.element);
    const [light, chroma] = ["--dot-light", "--dot-chroma"].map((name) => style.getPropertyValue(name));
    this.paper = rgb(style.getPropertyValue("--paper"));
    this.colours = this.regions.map(({ hue }) => rgb(`oklch(${light} ${chroma} ${hue})`));
    this.glowing = rgb(style.getPropertyValue("--hot"));
    this.changed();
  }

  /** Draw anew in the next frame, with names. */
  changed() {
    this.drawn = this.named = null;
    this.moved();
  }

  /** Follow the camera in the next frame; when it rests, place the labels anew. */
  moved() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.size) this.follow();
    });
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.size && this.rest(), RESTING);
  }

  /** What is only dragged is moved as it is, until the edge of the picture is reached. */
  follow() {
    const [view, [marginX, marginY]] = [this.camera.view(...this.size), this.surface.margin];
    const [x, y] = this.drawn ? [view.tx - this.drawn.tx, view.ty - this.drawn.ty] : [];
    const isThere = this.drawn?.sx === view.sx && Math.abs(x) <= marginX && Math.abs(y) <= marginY;
    if (isThere) styled(this.layer, { transform: `translate(${x}px, ${y}px)` });
    else this.draw();
  }

  rest() {
    const { sx, tx, ty } = this.camera.view(...this.size);
    const isHere = (view) => view?.sx === sx && view.tx === tx && view.ty === ty;
    if (!isHere(this.drawn)) this.draw();
    if (!isHere(this.named?.view)) this.name();
  }

  draw() {
    this.drawn = this.camera.view(...this.size);
    styled(this.layer, { transform: "none" });
    const { points, paper, colours, glowing, heat } = this;
    const lights = heat && this.dots.map(({ x, y, topic }) => ({ x, y, p: this.warmth(topic) }));
    this.surface.paint(this.camera, { points, paper, colours, glowing, lights });
    const grown = this.camera.zoom ** GROWING;
    for (const dot of this.dots) {
      const [{ x, y }, link] = [this.at(dot), this.links.get(dot.topic)];
      link.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      link.lastChild.setAttribute("r", (dot.r * grown).toFixed(1));
    }
    if (this.named) this.carry();
    else this.name();
    this.tie();
    this.stick();
    this.lay();
  }

  /** Where something on the map is on the screen. */
  at({ x, y }) {
    const { sx, tx, sy, ty } = this.camera.view(...this.size);
    return { x: x * sx + tx, y: y * sy + ty };
  }

  tie() {
    const from = this.byTopic.get(this.chosen);
    const to = from ? this.related.map((topic) => this.byTopic.get(topic)).filter(Boolean) : [];
    const ends = to.map((dot) => [this.at(from), this.at(dot)]);
    const line = ([a, b]) => svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
    this.lines.replaceChildren(...ends.map(line));
  }

  stick() {
    this.pin.toggleAttribute("hidden", !this.pinned);
    if (!this.pinned) return;
    const { x, y } = this.at({ x: this.pinned[0], y: this.pinned[1] });
    this.pin.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  // -- topics ------------------------------------------------------------------------------------

  link(dot) {
    const show = () => this.pointAt(dot.topic);
    const hide = () => this.pointAt(null);
    const link = svg(
      "a",
      {
        href: this.lead(dot.topic), "data-topic": dot.topic, tabindex: -1,
        "aria-label": `${dot.label}, ${percent(dot.share)} of the corpus`,
        onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide,
      },
      svg("circle", { class: "reach", r: 12 }),
      svg("circle", { class: "dot", r: dot.r }),
    );
    return styled(link, { "--hue": dot.hue });
  }

  pointAt(topic) {
    this.tag(topic);
    this.point(topic);
  }

  /** Bring classes and the tab stop in line with what is chosen and lit. */
  mark() {
    for (const [topic, link] of this.links) {
      link.classList.toggle("chosen", topic === this.chosen);
      link.classList.toggle("related", this.related.includes(topic));
      link.classList.toggle("hot", this.warmth(topic) >= LEAST);
      link.classList.toggle("dimmed", this.heat !== null && this.warmth(topic) < LEAST);
      link.setAttribute("tabindex", topic === this.current ? 0 : -1);
      if (topic === this.chosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!this.size) return;
    this.changed();
    this.tag(this.focused);
  }

  /** How probable a topic is for what was asked. */
  warmth(topic) {
    return this.heat?.get(topic) ?? 0;
  }

  /** The topic whose dot has the focus; null for none. */
  get focused() {
    const link = document.activeElement;
    return this.chart.contains(link) ? Number(link.dataset.topic) : null;
  }

  /** Names: of what is open or lit, then of regions, then of the largest topics first. */
  name() {
    const [width, height] = this.size;
    const grown = this.camera.zoom ** GROWING;
    const dots = this.dots.map((dot) => ({ ...this.at(dot), r: dot.r * grown, dot }));
    const called = this.called(dots);
    const wanted = [...called, ...this.regional(called), ...this.others(dots, called)];
    const placed = labels(wanted, { dots, taken: this.taken() }, width, height, measured(this.family));
    const names = placed.map((box) => this.text(box));
    this.named = { names, view: this.camera.view(width, height) };
    this.labels.replaceChildren(...names.map(({ node }) => node));
  }

  /** Names go where their topics go. */
  carry() {
    for (const { node, own, dx, dy } of this.named.names) {
      const { x, y } = this.at(own.anchor);
      node.setAttribute("transform", `translate(${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)})`);
    }
  }

  /** Where buttons are, and the pin: no room for labels. */
  taken() {
    const [width, height] = this.size;
    const box = (left, right, top, bottom) => ({ left, right, top, bottom });
    const zooms = box(width - 46, width, height - 122, height);
    if (!this.pinned) return [zooms];
    const { x, y } = this.at({ x: this.pinned[0], y: this.pinned[1] });
    return [zooms, box(x - 8, x + 8, y - 22, y)];
  }

  /** What is open and its relatives, or what is lit. */
  called(dots) {
    const rank = ({ dot: { topic } }) =>
      topic === this.chosen ? 2 : this.related.includes(topic) ? 1 + this.warmth(topic) : this.warmth(topic);
    const hot = dots.filter((one) => rank(one) >= LEAST).sort((a, b) => rank(b) - rank(a));
    return hot.slice(0, HOT).map((one) => ({ ...this.wanted(one, "called"), must: true }));
  }

  /** Regions, but for those whose own topic has its name already. */
  regional(called) {
    if (this.camera.zoom > REGIONS_UNTIL) return [];
    const named = new Set(called.map(({ dot }) => dot.topic));
    const size = Math.min(Math.max(this.size[0] / 36, 12.5), 18);
    const free = this.regions.filter(({ topic }) => !named.has(topic));
    return free.map(({ label, x, y, hue }) => {
      const anchor = { x, y };
      return { label, size, ...this.at(anchor), anchor, hue, look: "region", must: true };
    });
  }

  /** All others, unless something is lit that they would hide. */
  others(dots, called) {
    if (this.heat && this.camera.zoom < REGIONS_UNTIL) return [];
    const leaders = this.camera.zoom > REGIONS_UNTIL ? [] : this.regions.map(({ topic }) => topic);
    const named = new Set([...leaders, ...called.map(({ dot }) => dot.topic)]);
    const rest = dots.filter(({ dot }) => !named.has(dot.topic));
    const largest = new Set(this.dots.slice(0, LARGEST));
    return rest.map((one) => ({ ...this.wanted(one, ""), must: largest.has(one.dot) }));
  }

  wanted(one, look) {
    const { label, topic } = one.dot;
    const p = this.warmth(topic);
    const name = this.heat && p >= LEAST ? `${label} ${percent(p)}` : label;
    const called = look === "called";
    return { ...one, label: name, size: called ? 14 : 12, anchor: one.dot, look, isChosen: topic === this.chosen };
  }

  text({ own, lines, size, x, top, bottom }) {
    const leading = (bottom - top) / lines.length;
    const baseline = (n) => leading * (n + 0.5) + 0.33 * size;
    const spans = lines.map((line, n) => svg("tspan", { x: 0, y: baseline(n) }, line));
    const look = `${own.look} ${own.isChosen ? "chosen" : ""}`;
    const node = svg("text", { class: look, "font-size": size, "text-anchor": "middle" }, spans);
    node.setAttribute("transform", `translate(${x.toFixed(1)} ${top.toFixed(1)})`);
    if (own.hue !== undefined) styled(node, { "--hue": own.hue });
    return { node, own, dx: x - own.x, dy: top - own.y };
  }

  /** A plate with the name of the topic that is pointed at. */
  tag(topic) {
    for (const [number, link] of this.links) link.classList.toggle("pointed", number === topic);
    const dot = this.byTopic.get(topic);
    if (!this.size) return;
    const shown = dot ? plate(dot, this.at(dot), this.size, measured(this.family)) : [];
    this.top.replaceChildren(...shown);
  }

  pressed(event) {
    if (ZOOMS[event.key] || event.key === "0") {
      event.preventDefault();
      this.zoom(ZOOMS[event.key] ?? 0);
    } else if (ARROWS[event.key]) this.move(event);
  }

  move(event) {
    const from = this.byTopic.get(Number(event.target.dataset?.topic));
    if (!from) return;
    event.preventDefault();
    const next = neighbour(this.dots, from, ARROWS[event.key].map((way) => way * 1000));
    if (!next) return;
    this.links.get(from.topic).setAttribute("tabindex", -1);
    this.current = next.topic;
    if (!this.isSeen(next)) this.camera.go(next.x, next.y);
    this.links.get(next.topic).setAttribute("tabindex", 0);
    this.links.get(next.topic).focus({ preventScroll: true });
  }

  // -- equations ---------------------------------------------------------------------------------

  hovered(event) {
    if (event.pointerType !== "mouse" || event.buttons) return;
    const isElsewhere = event.target.closest("a, button");
    this.read(isElsewhere ? null : this.pointUnder(event));
  }

  /** The equation at a pointer; null if there is none so near. */
  pointUnder(event) {
    if (!this.points || isStatic) return null;
    const { x, y, sx, sy } = this.camera.under(event);
    return this.points.near(x, y, REACH / sx, REACH / sy);
  }

  clicked(event) {
    if (this.camera.isDragged || event.target.closest("a, button")) return;
    const point = this.pointUnder(event);
    this.card.classList.toggle("held", event.pointerType !== "mouse"); // a finger reaches for it
    const isOpen = point !== null && point === this.shown && !this.card.hidden;
    if (isOpen && this.card.href) location.hash = this.card.hash;
    else this.read(point, 0);
  }

  /** Show what stands at a point, beside it; null for nothing. */
  async read(point, delay = POINTING) {
    if (point === this.shown) return;
    this.shown = point;
    this.reading?.abort();
    if (point === null) {
      this.card.hidden = true;
      return;
    }
    const { signal } = (this.reading = new AbortController());
    const number = this.points.numbers[point];
    const found = await pause(delay, signal).then(() => get(`equations/${number}`)).catch(() => null);
    if (found && !signal.aborted) this.tell(found);
  }

  tell({ equation, mathml, ...source }) {
    const told = place(source).map((part) => part.textContent ?? part); // a link inside a link
    const math = el("div", { class: "formula" }, formula(mathml, equation));
    this.card.replaceChildren(math, el("small", {}, told.join("")));
    this.card.href = address("equation", null, { e: equation });
    this.card.hidden = false;
    this.lay();
  }

  /** Lay the card beside its point. */
  lay() {
    if (this.card.hidden) return;
    const { x, y } = this.at({ x: this.points.xs[this.shown], y: this.points.ys[this.shown] });
    const [[width, height], { offsetWidth, offsetHeight }] = [this.size, this.card];
    const left = Math.min(Math.max(x - offsetWidth / 2, 4), width - offsetWidth - 4);
    const below = y + 14 + offsetHeight < height || y < offsetHeight + 14;
    const top = below ? y + 14 : y - offsetHeight - 14;
    styled(this.card, { left: `${left}px`, top: `${top}px` });
  }
}

/** Topics as dots, the largest first; their area is their share. */
function dotsOf(topics) {
  const most = Math.max(...topics.map(({ share }) => share), 1e-9);
  const leaders = [...new Set(topics.map(({ region }) => region))].sort((a, b) => a - b);
  const hues = huesOf(leaders, topics);
  const dots = topics.map((topic) => ({
    topic: topic.topic, label: nameOf(topic), share: topic.share, x: topic.x, y: topic.y,
    region: topic.region, hue: hues.get(topic.region), r: 2.2 + 4 * Math.sqrt(topic.share / most),
  }));
  return dots.sort((a, b) => b.share - a.share);
}

/** Colours of regions: around the map in large steps, so that neighbours differ. */
function huesOf(leaders, topics) {
  const angle = (leader) => {
    const { x, y } = middle(topics.filter(({ region }) => region === leader));
    return Math.atan2(y - 0.5, x - 0.5);
  };
  const step = 360 / leaders.length;
  const stride = leaders.length % 5 ? 5 : 3;
  const around = [...leaders].sort((a, b) => angle(a) - angle(b));
  return new Map(around.map((leader, n) => [leader, Math.round(20 + ((n * stride) % leaders.length) * step)]));
}

/** Regions in the order of their numbers, which points have. */
function regionsOf(dots) {
  const leaders = [...new Set(dots.map(({ region }) => region))].sort((a, b) => a - b);
  return leaders.map((topic) => {
    const own = dots.filter(({ region }) => region === topic);
    const { label, hue } = own.find((dot) => dot.topic === topic) ?? own[0];
    return { topic, label, hue, share: own.reduce((sum, { share }) => sum + share, 0), ...middle(own) };
  });
}

function middle(dots) {
  const mean = (name) => dots.reduce((sum, dot) => sum + dot[name], 0) / dots.length;
  return { x: mean("x"), y: mean("y") };
}

function rgb(css) {
  pen.fillStyle = css.trim();
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

/** How wide words are. */
function measured(family) {
  return (words, size, look = "") => {
    pen.font = `${look === "called" ? 600 : 400} ${size}px ${family}`;
    return pen.measureText(words).width;
  };
}

/** A name on a plate, beside its dot and inside the map. */
function plate({ label, share, r }, { x, y }, [width, height], widthOf) {
  const words = `${label}  ·  ${percent(share)}`;
  const wide = widthOf(words, 14) + 18;
  const left = Math.min(Math.max(x - wide / 2, 3), width - wide - 3);
  const top = y + r + 34 < height ? y + r + 6 : y - r - 32;
  const middle = { x: left + wide / 2, y: top + 17.5, "text-anchor": "middle" };
  return [
    svg("rect", { x: left, y: top, width: wide, height: 26, rx: 3 }),
    svg("text", { ...middle, "font-size": 14 }, words),
  ];
}
