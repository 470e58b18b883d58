/**
 * Where things are on the map: topics in, circles and labels out. The area of a
 * circle is the topic's share; circles that would cover one another are pushed apart a little;
 * labels are placed greedily, those of the larger topics first, and never over another one.
 */

import { nameOf } from "./dom.js";

const LARGEST = 0.048; // radius of the largest topic, in parts of the map's smaller side
const SMALLEST = 3; // pixels, so that it can be hit
const GAP = 5; // pixels between circles
const LEADING = 1.16; // of the lines of a label
const SMALL = 11.5; // pixels: the smallest label
const ROUNDS = 80;
const CLEAR = 1.5; // pixels between a label and the circle of another topic
const SIXTEENTHS = [4, 12, 0, 8, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15]; // of a turn; below first
const ANGLES = SIXTEENTHS.map((n) => (n * Math.PI) / 8);

/** Circles { topic, label, share, x, y, r } inside width x height, with a margin. */
export function circles(topics, width, height) {
  const largest = LARGEST * Math.min(width, height) * Math.sqrt(100 / Math.max(topics.length, 60));
  const most = Math.max(...topics.map(({ share }) => share), 1e-9);
  const margin = largest + 8;
  const [xs, ys] = [spread(topics.map(({ x }) => x)), spread(topics.map(({ y }) => y))];
  const all = topics.map(({ topic, label, share }, n) => ({
    topic,
    label: nameOf({ topic, label }),
    share,
    x: margin + xs[n] * (width - 2 * margin),
    y: margin + ys[n] * (height - 2 * margin),
    r: Math.max(largest * Math.sqrt(share / most), SMALLEST),
  }));
  for (let round = 0; round < ROUNDS; round++) if (!pushApart(all)) break;
  all.forEach((one) => keepInside(one, width, height));
  return all;
}

/** Half the value, half its rank: so that a few that lie far off do not squeeze all others. */
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const last = Math.max(values.length - 1, 1);
  return values.map((value) => (value + sorted.indexOf(value) / last) / 2);
}

/** Move each pair of circles that overlap away from one another; whether there was any. */
function pushApart(all) {
  let moved = false;
  for (let i = 0; i < all.length; i++) {
    for (let j = 0; j < i; j++) moved = part(all[i], all[j], i - j) || moved;
  }
  return moved;
}

function part(one, other, angle) {
  const [dx, dy] = [other.x - one.x, other.y - one.y];
  const distance = Math.hypot(dx, dy);
  const missing = one.r + other.r + GAP - distance;
  if (missing <= 0.01) return false;
  const turn = distance > 0.01 ? Math.atan2(dy, dx) : angle; // those at the same place part too
  const [ux, uy] = [Math.cos(turn), Math.sin(turn)];
  const share = other.r ** 2 / (one.r ** 2 + other.r ** 2); // the smaller one gives way
  one.x -= ux * missing * share;
  one.y -= uy * missing * share;
  other.x += ux * missing * (1 - share);
  other.y += uy * missing * (1 - share);
  return true;
}

function keepInside(one, width, height) {
  one.x = Math.min(Math.max(one.x, one.r + 4), width - one.r - 4);
  one.y = Math.min(Math.max(one.y, one.r + 4), height - one.r - 4);
}

/**
 * Labels { topic, lines, size, x, top, bottom, upon } that cover neither one another nor a circle
 * nor the edge; for the `wanted` circles, the first ones first.
 */
export function labels(wanted, all, width, height, measure) {
  const placed = [];
  for (const one of wanted) {
    const box = candidates(one, all, measure).find((candidate) =>
      isFree(candidate, one, placed, all, width, height),
    );
    if (box) placed.push(box);
  }
  return placed;
}

/** Boxes for a label, the best first: within its circle, around it on one line or two, upon it. */
function candidates(one, all, measure) {
  const box = (lines, size) => sized(lines, size, measure);
  const upon = box(one.label.split(" "), SMALL);
  const inner = { ...at(one, upon, [one.x, one.y]), clear: 0, upon: true };
  const fits = (part) => Math.hypot(upon.width / 2, upon.height / 4) < part * one.r;
  const size = labelSize(one, all);
  return [
    ...(fits(0.95) ? [inner] : []),
    ...ways(one.label).map((lines) => box(lines, size)).flatMap((label) => around(one, label)),
    ...(fits(1.35) ? [inner] : []),
  ];
}

function sized(lines, size, measure) {
  const width = Math.max(...lines.map((line) => measure(line, size)));
  return { lines, size, width, height: LEADING * size * lines.length };
}

function at({ topic }, { lines, size, width, height }, [x, y]) {
  const [left, top] = [x - width / 2, y - height / 2];
  const box = { left, right: left + width, top, bottom: top + height };
  return { topic, lines, size, x, ...box, clear: CLEAR };
}

function labelSize(one, all) {
  const largest = Math.max(...all.map(({ r }) => r));
  return SMALL + 4 * (one.r / largest) ** 1.5;
}

/** A label on one line, and on two that are about as long as one another. */
function ways(label) {
  const words = label.split(" ");
  const halves = (n) => [words.slice(0, n), words.slice(n)].map((part) => part.join(" "));
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  const splits = words.slice(1).map((_, n) => halves(n + 1));
  return [[label], ...splits.sort((a, b) => longest(a) - longest(b)).slice(0, 1)];
}

/** All around the circle, touching it. */
function around(one, label) {
  const clamp = (value) => Math.max(-1, Math.min(1, 1.5 * value));
  return ANGLES.map((angle) => {
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const x = one.x + dx * (one.r + 3) + (label.width / 2) * clamp(dx);
    const y = one.y + dy * (one.r + 1) + (label.height / 2) * clamp(dy);
    return at(one, label, [x, y]);
  });
}

function isFree(box, own, placed, all, width, height) {
  if (box.left < 3 || box.right > width - 3 || box.top < 3 || box.bottom > height - 3) return false;
  if (placed.some((other) => overlap(box, other))) return false;
  return !all.some((circle) => circle !== own && covers(box, circle));
}

function overlap(a, b) {
  return a.left < b.right + 4 && b.left < a.right + 4 && a.top < b.bottom && b.top < a.bottom;
}

function covers(box, { x, y, r }) {
  const dx = Math.max(box.left - x, 0, x - box.right);
  const dy = Math.max(box.top - y, 0, y - box.bottom);
  return Math.hypot(dx, dy) < r + box.clear;
}

/** The nearest circle in a direction (dx, dy), for the arrow keys. */
export function neighbour(all, from, [dx, dy]) {
  let best = null;
  for (const one of all) {
    const [ax, ay] = [one.x - from.x, one.y - from.y];
    const along = ax * dx + ay * dy;
    const cost = along + 2.5 * Math.abs(ax * dy - ay * dx);
    if (along > 0.5 && (best === null || cost < best.cost)) best = { one, cost };
  }
  return best?.one ?? null;
}
