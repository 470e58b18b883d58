/**
 * An equation with what its symbols mean written at them: above and below, a line from each name to
 * its symbol. What is sure stands in ink, what is likely in grey, and the rest is left blank, and
 * said. A name opens what it rests on.
 */

import { el, styled, svg } from "./dom.js";
import { formula } from "./mathml.js";
import { meaning, sureness } from "./symbols.js";

const LEVEL = 25; // pixels from one row of names to the next
const FIRST = 15; // and from the formula to the first
const APART = 14; // pixels between two names

export class Labelled {
  constructor() {
    this.stage = el("div", { class: "stage" });
    this.scroll = el("div", { class: "labelled" }, this.stage);
    this.why = el("div", { class: "why", hidden: true });
    this.blank = el("p", { class: "blank" });
    this.element = el("div", {}, this.scroll, this.why, this.blank);
    new ResizeObserver(() => this.place()).observe(this.scroll);
    document.fonts.ready.then(() => this.place());
  }

  /** Show an equation, with its symbols where these are known. */
  draw({ mathml, equation, symbols = [] }) {
    this.math = formula(mathml, equation);
    this.names = symbols.map((symbol, number) => this.name(symbol, number)).filter(Boolean);
    this.lines = svg("svg", { class: "leaders", "aria-hidden": true });
    const shown = el("div", { class: "formula" }, this.math);
    this.stage.replaceChildren(this.lines, shown, ...this.names.map(({ button }) => button));
    this.why.hidden = true;
    this.blank.replaceChildren(...silent(symbols));
    this.place();
    return this.element;
  }

  /** The name of a symbol, if its meaning is likely enough, and it is found in the formula. */
  name({ phrases }, number) {
    const [best] = phrases;
    const sure = best && best.source !== "index" && sureness(best); // that it counts is seen
    const [at] = this.math.querySelectorAll?.(`[data-symbol="${number}"]`) ?? [];
    if (!sure || !at) return null;
    const told = { type: "button", class: `tells ${sure}`, "aria-expanded": "false" };
    const button = el("button", { ...told, onclick: () => this.tell(number, best) }, best.phrase);
    const lit = (on) => () => this.lightUp(number, on);
    for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, lit(true));
    for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, lit(false));
    return { number, at, button, sure };
  }

  lightUp(number, on) {
    for (const part of this.math.querySelectorAll(`[data-symbol="${number}"]`)) {
      part.classList.toggle("lit", on);
    }
  }

  /** What a meaning rests on, below the equation; once more puts it away. */
  tell(number, phrase) {
    const isNew = this.why.hidden || this.told !== number;
    this.told = number;
    this.why.hidden = !isNew;
    for (const { number: own, button } of this.names) {
      button.setAttribute("aria-expanded", String(isNew && own === number));
    }
    if (isNew) this.why.replaceChildren(meaning(phrase, { open: true }));
  }

  /** Names in rows above and below, none over another, nor over the line of another. */
  place() {
    if (!this.math || !this.scroll.clientWidth) return;
    styled(this.stage, { "padding-top": "0px", "padding-bottom": "0px" });
    const stage = this.stage.getBoundingClientRect();
    const items = this.names.map((name) => measured(name, stage)).sort((a, b) => a.x - b.x);
    const rows = { below: [], above: [] };
    items.forEach((item, n) => settle(item, items, rows, n % 2 ? ["above", "below"] : ["below", "above"]));
    const room = (side) => (rows[side].length ? FIRST + rows[side].length * LEVEL : 6);
    const [top, bottom] = [room("above"), room("below")];
    styled(this.stage, { "padding-top": `${top}px`, "padding-bottom": `${bottom}px` });
    const height = stage.height + top + bottom;
    this.lines.setAttribute("viewBox", `0 0 ${stage.width} ${height}`);
    styled(this.lines, { width: `${stage.width}px`, height: `${height}px` });
    this.lines.replaceChildren(...items.map((item) => lead(item, top, stage.height)));
  }
}

function measured(name, stage) {
  const box = name.at.getBoundingClientRect();
  const wide = name.button.offsetWidth;
  const x = (box.left + box.right) / 2 - stage.left;
  const inside = (left) => Math.min(Math.max(left, 0), Math.max(stage.width - wide, 0));
  const lefts = [x - wide / 2, x - 9, x + 9 - wide].map(inside); // below it, beside its line
  const [top, bottom] = [box.top - stage.top, box.bottom - stage.top];
  return { ...name, x, lefts, wide, top, bottom };
}

/**
 * Put a name in the row and to the side of its symbol where it is nearest to the formula and in the
 * way of fewest others.
 */
function settle(item, items, rows, sides) {
  const ways = sides.flatMap((side) => item.lefts.map((left) => ({ side, left, right: left + item.wide })));
  const costs = ways.map((way) => {
    const later = items.filter((other) => other !== item && !other.side && crosses(other, way));
    return 3 * level({ ...item, ...way }, rows[way.side]) + 2 * later.length;
  });
  const best = costs.indexOf(Math.min(...costs));
  const free = level({ ...item, ...ways[best] }, rows[ways[best].side]);
  Object.assign(item, ways[best], { level: Math.min(free, rows[ways[best].side].length) });
  const own = rows[item.side];
  while (own.length <= item.level) own.push([]);
  own[item.level].push(item);
}

/** The first row of a side where a name is in nobody's way; infinite where its line finds none. */
function level(item, rows) {
  for (let n = 0; n < rows.length; n++) {
    const isFull = rows[n].some((other) => item.left < other.right + APART && other.left < item.right + APART);
    const isCrossed = rows.slice(n + 1).flat().some((other) => crosses(other, item));
    if (!isFull && !isCrossed) return n;
    if (rows[n].some((other) => crosses(item, other))) return Infinity;
  }
  return rows.length;
}

/** Whether the line of one name goes through another. */
function crosses({ x }, { left, right }) {
  return x > left - 4 && x < right + 4;
}

/** Put a name where it belongs, and draw its line. */
function lead({ button, side, level, left, x, top, bottom, sure }, above, height) {
  const isBelow = side === "below";
  const at = isBelow ? above + height + FIRST + level * LEVEL - 6 : above - FIRST - (level + 1) * LEVEL + 6;
  styled(button, { left: `${left}px`, top: `${at}px` });
  const [from, to] = isBelow ? [above + bottom + 2, at + 1] : [above + top - 2, at + LEVEL - 2];
  return svg("line", { class: sure, x1: x, x2: x, y1: from, y2: to });
}

/** What is not said, and that it is not known. */
function silent(symbols) {
  const unknown = symbols.filter(({ phrases: [best] }) => !best || !sureness(best));
  if (!unknown.length) return [];
  const drawn = unknown.flatMap(({ symbol, mathml }, n) => [n ? ", " : "", formula(mathml, symbol)]);
  return ["Not known here: ", ...drawn, "."];
}
