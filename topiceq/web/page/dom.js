/**
 * Elements by name. Text goes in as text nodes, never as HTML, and styles through the CSSOM, so
 * that nothing a user types, or an article says, can become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: attributes (those that begin with "on" are listeners), then children. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value == null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child != null && child !== false));
  return element;
}

/** Set custom properties that the style sheets use, such as the length of a bar. */
export function styled(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

/** A section with a heading that names it. */
export function section(title, ...children) {
  const id = `s${++section.count}`;
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), ...children);
}
section.count = 0;

/** A probability for people: two digits are enough to compare. */
export function percent(p) {
  const value = 100 * p;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value.toFixed(value < 10 ? 1 : 0)} %`;
}

/** What a topic is called; while it is being trained it has no label yet. */
export function nameOf({ topic, label }) {
  return label || `topic ${topic}`;
}

/** Say something to screen readers without moving the focus. */
export function speak(text) {
  document.getElementById("spoken").textContent = text;
}
