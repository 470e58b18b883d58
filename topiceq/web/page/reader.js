/**
 * The Reader view: an article is dropped, and its annotated page shown in a frame that can run
 * nothing. The frame inherits the content policy of this page, which refuses inline styles, so the
 * page's own styles are taken out before it is shown, and given to the frame through the CSSOM.
 */

import { annotate } from "./api.js";
import { cards } from "./cards.js";
import { el } from "./dom.js";
import { Region } from "./region.js";

const KINDS =
  ".tex,.gz,.tgz,.tar,.zip,.md,.markdown,.mdx,.qmd,.rmd,.ipynb,.rst,.html,.htm,.xhtml,.dox";
const REFUSED = "script, link, meta[http-equiv], base, iframe, frame, object, embed, form";
const TAG = /<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const [STYLE, SHEET] = ["data-kept-style", "data-kept-sheet"];
const OUTSIDE = ["src", "srcset", "poster", "background", "action", "formaction", "ping"];

export class ReaderView {
  title = "Reader";

  constructor() {
    const chosen = () => this.read(this.input.files[0]);
    const attributes = { type: "file", id: "article", class: "unseen", accept: KINDS };
    this.input = el("input", { ...attributes, onchange: chosen });
    this.result = new Region("");
    this.element = el(
      "div",
      {
        class: "view reader",
        ondragover: (event) => this.over(event, true),
        ondragleave: (event) => this.over(event, false),
        ondrop: (event) => this.drop(event),
      },
      this.intro(),
      this.zone(),
      this.result.element,
    );
  }

  intro() {
    this.heading = el("h1", { tabindex: -1 }, "Read an article with its topics");
    const lede = "Every display equation gets its topics and a glossary of its symbols. The article"
      + " stays on this server for as long as it is being read, and no longer.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  zone() {
    const label = el("label", { for: "article" }, "Choose an article");
    const hint = "or drop it anywhere here: LaTeX as arXiv gives it, Markdown, a notebook";
    return el("div", { class: "zone" }, this.input, label, el("p", {}, hint));
  }

  show(route, { entered }) {
    if (entered) this.heading.focus();
  }

  leave() {
    this.result.stop();
  }

  over(event, inside) {
    event.preventDefault(); // otherwise the browser opens the file by itself
    this.element.classList.toggle("over", inside);
  }

  drop(event) {
    this.over(event, false);
    const [file] = event.dataTransfer.files;
    if (file) this.read(file);
  }

  read(file) {
    if (!file) return undefined;
    this.result.clear();
    this.result.waiting = `Reading ${file.name} …`;
    const cancel = el("button", { type: "button", onclick: () => this.result.clear() }, "Cancel");
    const work = (signal) => annotate(file, signal);
    const asked = this.result.ask(work, (page) => this.draw(file, page));
    this.result.element.append(el("p", { class: "after" }, cancel));
    return asked;
  }

  draw(file, page) {
    this.urls?.forEach((url) => URL.revokeObjectURL(url)); // the article before
    const saved = blob(page);
    const name = `${file.name.replace(/\.(tex|tar\.gz|tgz|gz|tar|zip)$/, "")}.html`;
    const save = el("a", { href: saved, download: name }, "Save this page");
    const frame = el("iframe", { title: `${file.name}, annotated`, sandbox: "allow-same-origin" });
    this.urls = [saved, open(frame, page)];
    const caption = el("p", { class: "read" }, el("strong", {}, file.name), " ", save);
    return [caption, frame];
  }
}

function blob(page) {
  return URL.createObjectURL(new Blob([page], { type: "text/html;charset=utf-8" }));
}

/** Show a page in a frame: no scripts, nothing from outside, its styles through the CSSOM. */
function open(frame, page) {
  const tree = new DOMParser().parseFromString(unstyled(page), "text/html");
  const kept = [...tree.querySelectorAll(`script[${SHEET}]`)];
  const sheets = kept.map((element) => element.textContent);
  tree.querySelectorAll(REFUSED).forEach((element) => element.remove());
  tree.querySelectorAll("*").forEach(disarm);
  const url = blob(`<!doctype html>${tree.documentElement.outerHTML}`);
  frame.addEventListener("load", () => dress(frame, sheets), { once: true });
  frame.src = url;
  return url;
}

/** Styles and listeners under names without a meaning: parsing them would ask the policy. */
function unstyled(page) {
  return page.replace(TAG, (tag) =>
    tag
      .replace(/^<style\b/i, `<script type="text/plain" ${SHEET}`)
      .replace(/^<\/style\b/i, "</script")
      .replace(/\sstyle\s*=/gi, ` ${STYLE}=`)
      .replace(/\son[a-z]+\s*=/gi, " data-dropped="),
  );
}

/** Take from an element what would fetch something, or lead away. */
function disarm(element) {
  for (const { name, value } of [...element.attributes]) {
    const leads = /(^|:)href$/.test(name) && !value.startsWith("#");
    const fetches = OUTSIDE.includes(name) && !value.startsWith("data:image/");
    if (leads || fetches) element.removeAttribute(name);
  }
}

function dress(frame, sheets) {
  const { contentDocument: inside, contentWindow: { CSSStyleSheet } } = frame;
  inside.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  for (const element of inside.querySelectorAll(`[${STYLE}]`)) {
    element.style.cssText = element.getAttribute(STYLE);
  }
  cards(inside);
}
