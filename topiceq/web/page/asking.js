/**
 * The one field to start with: an equation, a sentence, a few words, the id of an article on arXiv,
 * or a file. What it is, is seen from what is typed, and said; where that is wrong, it can be read
 * as the other.
 */

import { el } from "./dom.js";
import { Editor } from "./editor.js";
import { address } from "./router.js";

const ARXIV = new RegExp(
  "^(?:arxiv:\\s*|https?://(?:\\w+\\.)?arxiv\\.org/(?:abs|pdf|html)/)?"
    + "(\\d{4}\\.\\d{4,5}(?:v\\d+)?|[a-z-]+(?:\\.[a-z]{2})?/\\d{7}(?:v\\d+)?)(?:\\.pdf)?$", "i",
);
const SIGN = /[\\^_=<>≤≥≈≠≡∝∼∂∇∑∏∫√∞±×·+{}$]|\d\s*[-*/]/u;
const SILENT = /\$[^$]*\$|\\begin\{.*\\end\{\w+\*?\}|\\[a-z]+(?:\s*\{[^{}]*\})*|<[^<>]*>/gis; // of prose
const WORD = /\p{L}[\p{L}\p{M}’'-]*/gu;
const KEYS = ["\\", "^", "_", "{}", "=", "\\frac{}{}", "\\sum", "\\int", "\\partial"];
const FEW = 3; // words that are sought; more are a sentence
const KINDS = {
  equation: { view: "equation", name: "e", told: "an equation" },
  context: { view: "context", name: "c", told: "a sentence" },
  words: { view: "topics", name: "q", told: "words" },
};
const OTHER = { equation: "context", context: "equation", words: "equation" };

/** What a text is: "nothing", "article", "equation", "context" (prose) or "words". */
export function kindOf(text) {
  const typed = text.trim();
  if (!typed) return "nothing";
  if (ARXIV.test(typed)) return "article";
  const words = (typed.replace(SILENT, " ").match(WORD) ?? []).filter(({ length }) => length > 2);
  if (SIGN.test(typed)) return words.length > FEW + 1 && !typed.startsWith("<") ? "context" : "equation";
  if (!words.length) return "equation";
  return words.length > FEW ? "context" : "words";
}

/** The id of an article in a text that is one. */
export function idOf(text) {
  return ARXIV.exec(text.trim())?.[1];
}

export class Asking {
  /**
   * `show(address)` is told where an answer stands, `read(file)` is given an article; articles of
   * arXiv are offered where the server `fetches` them.
   */
  constructor({ show, go, read, fetches }) {
    Object.assign(this, { show, go, read, kind: "nothing", wanted: null });
    const article = fetches ? "an arXiv id, " : "";
    this.editor = new Editor({
      id: "asked", label: `Paste an equation, a sentence, ${article}or drop a file`,
      placeholder: "E = m c^2", oninput: () => this.typed(),
      onkeydown: (event) => this.pressed(event),
    });
    this.keys = el("div", { class: "keys", role: "group", "aria-label": "Signs" }, KEYS.map((sign) => this.key(sign)));
    this.told = el("p", { class: "told" });
    const chosen = () => this.read(this.input.files[0]);
    this.input = el("input", { type: "file", id: "file", class: "unseen", onchange: chosen });
    const file = el("label", { for: "file", class: "file" }, "Choose a file");
    this.foot = el("div", { class: "foot" }, this.told, this.input, file);
    this.element = el("div", { class: "asking" }, this.editor.element, this.keys, this.foot);
  }

  /** A sign that keyboards of phones hide: it is typed where the caret is, which comes to stand inside. */
  key(sign) {
    const type = () => {
      const { field } = this.editor;
      const end = field.selectionStart + (sign.includes("{") ? sign.indexOf("{") + 1 : sign.length);
      field.setRangeText(sign, field.selectionStart, field.selectionEnd);
      field.setSelectionRange(end, end);
      field.dispatchEvent(new Event("input"));
    };
    const stay = (event) => event.preventDefault(); // the field keeps the focus, and the keyboard
    return el("button", { type: "button", tabindex: -1, onpointerdown: stay, onclick: type }, sign);
  }

  get value() {
    return this.editor.value;
  }

  /** Bring the field in line with an address. */
  take(text, kind) {
    if (this.value !== text) {
      this.editor.value = text;
      this.wanted = null;
    }
    if (kind !== kindOf(text) && text.trim()) this.wanted = kind; // the address says so
    this.tell(text.trim() ? kind : "nothing");
  }

  typed() {
    const found = kindOf(this.value);
    if (found === "nothing") this.wanted = null;
    const kind = found === "article" ? found : (this.wanted ?? found);
    this.tell(kind);
    if (kind in KINDS) this.show(this.address(kind));
    if (kind === "nothing") this.show(address("topics"));
  }

  address(kind) {
    const { view, name } = KINDS[kind];
    return address(view, null, { [name]: this.value });
  }

  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    if (kindOf(this.value) !== "article") return; // an equation may have several lines
    event.preventDefault();
    this.fetch();
  }

  fetch() {
    this.go(address("reader", null, { article: idOf(this.value) }));
  }

  /** Say what the field holds, with a way to have it read as something else. */
  tell(kind) {
    this.kind = kind;
    if (kind === "nothing") this.told.replaceChildren();
    else if (kind === "article") this.told.replaceChildren("An article. ", this.button("Read it", () => this.fetch()));
    else {
      const other = OTHER[kind];
      const change = () => {
        this.wanted = other;
        this.go(this.address(other));
        this.editor.field.focus();
      };
      const way = this.button(`read it as ${KINDS[other].told}`, change);
      this.told.replaceChildren(`Read as ${KINDS[kind].told}; `, way);
    }
  }

  button(text, onclick) {
    return el("button", { type: "button", class: "plain", onclick }, text);
  }
}
