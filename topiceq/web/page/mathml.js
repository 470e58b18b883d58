/**
 * Formulas: a string of MathML from the server in, an element out. The server has cleaned it, and
 * it is not trusted all the same: it is read as XML and copied, and a formula with any element that
 * does not draw is shown as its LaTeX source instead.
 */

import { el } from "./dom.js";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = names(`math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup
  munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mpadded mphantom mstyle
  menclose merror`);
const ATTRIBUTES = names(`display displaystyle scriptlevel mathvariant stretchy fence form separator
  lspace rspace minsize maxsize symmetric largeop movablelimits accent accentunder linethickness
  width height depth voffset columnalign rowspacing columnspacing rowlines columnlines notation
  data-symbol`);
const PROPERTIES = names(`text-align justify-items padding-left padding-right border-left
  border-right border-top border-bottom width`);

function names(text) {
  return new Set(text.split(/\s+/));
}

/** The formula, or its source where it cannot be drawn. */
export function formula(markup, latex) {
  return (isDrawn(markup) && read(markup)) || el("code", { class: "source" }, latex);
}

/** Whether the server could draw it. */
export function isDrawn(markup) {
  return Boolean(markup?.startsWith("<math"));
}

/** A formula that may be too wide: it is set smaller, and scrolls if that is not enough. */
export function wideFormula(markup, latex) {
  const box = el("div", { class: "formula" }, formula(markup, latex));
  fitting.observe(box);
  return box;
}

const fitted = new WeakMap(); // box -> the width that it was fitted to
const SMALLEST = 0.7; // of its size
const fitting = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));

function fit(box) {
  if (fitted.get(box) === box.clientWidth) return; // only its height has changed, by our doing
  fitted.set(box, box.clientWidth);
  const inner = box.firstElementChild;
  inner.style.removeProperty("font-size");
  const wanted = box.clientWidth / box.scrollWidth;
  const size = Number.parseFloat(getComputedStyle(inner).fontSize);
  const smaller = size * Math.max(wanted * 0.98, SMALLEST);
  if (wanted < 1) inner.style.setProperty("font-size", `${smaller}px`);
  const overflows = box.scrollWidth > box.clientWidth + 1;
  box.classList.toggle("overflows", overflows);
  if (overflows) box.tabIndex = 0; // so that the keyboard can scroll it
  else box.removeAttribute("tabindex");
}

function read(markup) {
  // without its namespace, so that nothing in it means anything until it is copied
  const plain = markup.replace(` xmlns="${NAMESPACE}"`, "");
  const tree = new DOMParser().parseFromString(plain, "application/xml");
  return tree.querySelector("parsererror") ? null : copy(tree.documentElement);
}

function copy(element) {
  if (!ELEMENTS.has(element.localName)) return null;
  const made = document.createElementNS(NAMESPACE, element.localName);
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
    else if (name === "style") restyle(made, value);
  }
  for (const child of element.childNodes) {
    const copied = child.nodeType === Node.ELEMENT_NODE ? copy(child) : child.textContent;
    if (copied === null) return null;
    made.append(copied);
  }
  return made;
}

/** Through the CSSOM: the content policy refuses style attributes. */
function restyle(made, style) {
  for (const declaration of style.split(";")) {
    const [name, value] = declaration.split(":").map((part) => part.trim());
    if (PROPERTIES.has(name)) made.style.setProperty(name, value);
  }
}
