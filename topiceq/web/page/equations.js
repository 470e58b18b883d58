/** Equations in a list: drawn, with where they come from and what can be done with them. */

import { isStatic } from "./api.js";
import { el } from "./dom.js";
import { wideFormula } from "./mathml.js";
import { address } from "./router.js";

/** A list of them; `note(one)` says something about each, as nodes or text. */
export function equationList(equations, note = () => []) {
  const items = equations.map((one) => equationItem(one, note(one)));
  return el("ol", { class: "equations" }, items);
}

/** One of them. */
export function equationItem({ equation, mathml }, note) {
  const caption = el("p", { class: "caption" }, el("span", {}, note), actions(equation));
  return el("li", {}, wideFormula(mathml, equation), caption);
}

/** Where in the corpus an equation stands. */
export function source({ article, line, link }) {
  return [link ? el("a", { href: link, rel: "noreferrer" }, article) : el("cite", {}, article), `, line ${line}`];
}

/** Where an equation that was found stands, with the licence and the address of its source. */
export function place({ title, section, field, file, line, licence, link, places }) {
  const at = link ? el("a", { href: link, rel: "noreferrer" }, file) : el("cite", {}, file);
  const about = [title, section, field, licence].filter(Boolean).join(", ");
  const more = places > 1 ? `, in ${places} places` : "";
  const part = file.endsWith(".ipynb") ? "cell" : "line";
  return [about && `${about}: `, at, `, ${part} ${line}${more}`];
}

/** Equations to begin with. */
export function exampleLinks(examples) {
  const link = ({ name, equation }) =>
    el("li", {}, el("a", { href: address("equation", null, { e: equation }) }, name));
  return [el("ul", { class: "examples", "aria-label": "Examples" }, examples.map(link))];
}

function actions(equation) {
  const ask = el("a", { href: address("equation", null, { e: equation }) }, "Ask about it");
  return el("span", { class: "actions" }, !isStatic && ask, copyButton(equation));
}

function copyButton(equation) {
  if (!navigator.clipboard) return null; // only where the page is served safely
  const button = el("button", { type: "button", class: "plain" }, "Copy LaTeX");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(equation).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not allowed"),
    );
    setTimeout(() => (button.textContent = "Copy LaTeX"), 2000);
  });
  return button;
}
