/**
 * Labels on the map: in go what is to be named, the first the most wanted; out come boxes that
 * never cover one another, nor leave the map, nor hide a dot if that can be helped.
 */

const LEADING = 1.16; // of the lines of a label
const CLEAR = 2; // pixels between a label and the dot of another topic
const SIXTEENTHS = [0, 8, 4, 12, 2, 14, 6, 10, 1, 15, 7, 9, 3, 13, 5, 11]; // of a turn; right first
const ANGLES = SIXTEENTHS.map((n) => (n * Math.PI) / 8);
const AROUND = [0, -1, 1, -2, 2, -3, 3]; // lines that the name of a region may move up and down

/**
 * Boxes { own, lines, size, x, top, bottom } for `wanted`: { label, size, look, x, y, r }; without an r
 * the label lies at the place itself. What `must` be named may hide dots; what is `taken` is no
 * room for labels.
 */
export function labels(wanted, { dots, taken }, width, height, measure) {
  const placed = [...taken];
  for (const own of wanted) {
    const boxes = candidates(own, measure).filter((box) => isInside(box, width, height));
    const free = boxes.filter((box) => !placed.some((other) => overlap(box, other)));
    const best = free.find((box) => !dots.some((dot) => dot !== own.dot && covers(box, dot)));
    const box = best ?? (own.must && free[0]);
    if (box) placed.push(box);
  }
  return placed.slice(taken.length);
}

function candidates(own, measure) {
  const boxes = ways(own.label).map((lines) => sized(lines, own, measure));
  if (own.r !== undefined) return boxes.flatMap((box) => around(own, box));
  const shifts = AROUND.map((n) => n * own.size * 0.8);
  return boxes.flatMap((box) => shifts.map((dy) => at(own, box, own.x, own.y + dy)));
}

function sized(lines, { size, look }, measure) {
  const width = Math.max(...lines.map((line) => measure(line, size, look)));
  return { lines, size, width, height: LEADING * size * lines.length };
}

function at(own, { lines, size, width, height }, x, y) {
  const [left, top] = [x - width / 2, y - height / 2];
  return { own, lines, size, x, left, right: left + width, top, bottom: top + height };
}

/** A label on one line, and on two that are about as long as one another. */
function ways(label) {
  const words = label.split(" ");
  const halves = (n) => [words.slice(0, n), words.slice(n)].map((part) => part.join(" "));
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  const splits = words.slice(1).map((_, n) => halves(n + 1));
  return [[label], ...splits.sort((a, b) => longest(a) - longest(b)).slice(0, 1)];
}

/** All around the dot, touching it. */
function around(own, label) {
  const clamp = (value) => Math.max(-1, Math.min(1, 1.5 * value));
  return ANGLES.map((angle) => {
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const x = own.x + dx * (own.r + 4) + (label.width / 2) * clamp(dx);
    const y = own.y + dy * (own.r + 2) + (label.height / 2) * clamp(dy);
    return at(own, label, x, y);
  });
}

function isInside({ left, right, top, bottom }, width, height) {
  return left >= 3 && right <= width - 3 && top >= 3 && bottom <= height - 3;
}

function overlap(a, b) {
  return a.left < b.right + 5 && b.left < a.right + 5 && a.top < b.bottom && b.top < a.bottom;
}

function covers(box, { x, y, r }) {
  const dx = Math.max(box.left - x, 0, x - box.right);
  const dy = Math.max(box.top - y, 0, y - box.bottom);
  return Math.hypot(dx, dy) < r + CLEAR;
}

/** The nearest dot in a direction (dx, dy), for the arrow keys. */
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
