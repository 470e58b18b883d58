/**
 * A field for LaTeX and for words that shows errors where they are: a mirror of the text lies under
 * the field, with a mark at the character in question. It grows with what it holds.
 */

import { el } from "./dom.js";

export class Editor {
  constructor({ id, label, placeholder, oninput, onkeydown }) {
    this.field = el("textarea", {
      id, rows: 1, placeholder, spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      "aria-describedby": `${id}-error`,
      oninput: () => this.typed(oninput), onscroll: () => this.scroll(), onkeydown,
    });
    this.mirror = el("div", { class: "mirror", "aria-hidden": true });
    this.error = el("p", { class: "error", id: `${id}-error`, role: "alert" });
    const box = el("div", { class: "editor" }, this.mirror, this.field);
    const name = el("label", { for: id }, label);
    this.element = el("div", { class: "entry" }, name, box, this.error);
  }

  get value() {
    return this.field.value;
  }

  set value(text) {
    if (this.field.value !== text) this.field.value = text;
    this.mend();
  }

  typed(oninput) {
    this.mend();
    oninput(this.field.value);
  }

  /** Nothing is wrong (any more). */
  mend() {
    this.mirror.replaceChildren(`${this.value}\n`); // the field is as high as its mirror
    this.error.textContent = "";
    this.field.removeAttribute("aria-invalid");
  }

  /** Say what is wrong, and mark where. */
  blame({ message, position }) {
    this.field.setAttribute("aria-invalid", "true");
    const known = position !== null && position !== undefined;
    this.error.textContent = known ? `${where(this.value, position)}: ${message}` : message;
    if (known) this.mark(position);
  }

  mark(position) {
    const [before, at] = [this.value.slice(0, position), [...this.value.slice(position)][0] ?? ""];
    const after = this.value.slice(position + at.length);
    const shown = at.trim() ? at : `\u00a0${at === "\n" ? "\n" : ""}`;
    this.mirror.replaceChildren(before, el("mark", {}, shown), `${after}\n`);
    this.scroll();
  }

  scroll() {
    this.mirror.scrollTop = this.field.scrollTop;
  }
}

function where(text, position) {
  const lines = text.slice(0, position).split("\n");
  const character = `character ${lines.at(-1).length + 1}`;
  return text.includes("\n") ? `Line ${lines.length}, ${character}` : `At ${character}`;
}
