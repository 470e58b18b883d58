/**
 * The Reader view: an article is dropped, and its annotated page shown in a frame that can run
 * nothing. The frame inherits the content policy of this page, which refuses inline styles, so the
 * page's own styles are taken out before it is shown, and given to the frame through the CSSOM
 * whenever it is loaded. The view stays in the page when another is shown, so that the frame is not
 * loaded again, and the article in this tab's session, so that it is there after a reload.
 */

import { annotate } from "./api.js";
import { enliven } from "./article.js"; // of every annotated page (topiceq/views/page.js)
import { el } from "./dom.js";
import { Region } from "./region.js";

const KINDS =
  ".tex,.gz,.tgz,.tar,.zip,.md,.markdown,.mdx,.qmd,.rmd,.ipynb,.rst,.html,.htm,.xhtml,.dox";
const REFUSED = "script, link, meta[http-equiv], base, iframe, frame, object, embed, form";
const TAG = /<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const [STYLE, SHEET] = ["data-kept-style", "data-kept-sheet"];
const KEPT = "topiceq-article"; // in the session of the tab
const FONT = /url\(data:font\/woff2;base64,[\w+/=]*\)/g; // in a page that is saved; here it is fetched
const OUTSIDE = ["src", "srcset", "poster", "background", "action", "formaction", "ping"];

export class ReaderView {
  title = "Reader";

  constructor() {
    const chosen = () => this.read(this.input.files[0]);
    const attributes = { type: "file", id: "article", class: "unseen", accept: KINDS };
    this.input = el("input", { ...attributes, onchange: chosen });
    this.result = new Region("", { class: "article" });
    this.element = el(
      "div",
      {
        class: "view reader",
        "data-stays": true,
        ondragover: (event) => this.over(event, true),
        ondragleave: (event) => this.over(event, false),
        ondrop: (event) => this.drop(event),
      },
      this.intro(),
      this.zone(),
      this.result.element,
    );
    const kept = recall();
    if (kept) this.result.show(this.draw(kept.name, kept.page));
  }

  intro() {
    this.heading = el("h1", { tabindex: -1 }, "Read an article with its topics");
    const lede = "Every display equation gets its topics and a glossary of its symbols. The article"
      + " stays on this server for as long as it is being read, and in this tab until you close it.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  zone() {
    const label = el("label", { for: "article" }, "Choose an article");
    const hint = "or drop it anywhere here: LaTeX as arXiv gives it, Markdown, a notebook";
    const example = () => this.readExample();
    const one = el("button", { type: "button", class: "plain", onclick: example }, "Read an example");
    return el("div", { class: "zone" }, this.input, label, el("p", {}, hint), one);
  }

  async readExample() {
    const source = await fetch("example.tex").then((answer) => answer.blob());
    return this.read(new File([source], "example.tex"));
  }

  show(route, { entered }) {
    document.body.classList.toggle("reading", this.isReading);
    if (!entered) return;
    (this.isReading ? this.element.querySelector("iframe") : this.heading).focus();
  }

  leave() {
    document.body.classList.remove("reading");
  }

  /** Whether there is an article: then it has all the room. */
  get isReading() {
    return this.element.querySelector("iframe") !== null;
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
    this.close();
    this.result.waiting = `Reading ${file.name} …`;
    const cancel = el("button", { type: "button", onclick: () => this.result.clear() }, "Cancel");
    const work = (signal) => annotate(file, signal);
    const shown = () => document.body.classList.toggle("reading", !this.element.hidden);
    const draw = (page) => {
      keep(file.name, page);
      return this.draw(file.name, page);
    };
    const asked = this.result.ask(work, draw, { shown });
    this.result.element.append(el("p", { class: "after" }, cancel));
    return asked;
  }

  /** Put the article away. */
  close() {
    this.urls?.forEach((url) => URL.revokeObjectURL(url));
    this.input.value = ""; // the same file may be chosen again
    this.result.clear();
    sessionStorage.removeItem(KEPT);
    document.body.classList.remove("reading");
  }

  draw(file, page) {
    const saved = blob(page);
    const name = `${file.replace(/\.(tar\.gz|\w{1,5})$/, "")}.html`;
    const save = el("a", { href: saved, download: name }, "Save this page");
    const another = () => {
      this.close();
      this.heading.focus();
    };
    const close = el("button", { type: "button", class: "plain", onclick: another }, "Another article");
    const frame = el("iframe", { title: `${file}, annotated`, sandbox: "allow-same-origin" });
    this.urls = [saved, open(frame, page)];
    return [el("p", { class: "read" }, el("strong", {}, file), save, close), frame];
  }
}

/** The article stays in this tab until it is closed, if there is room for it. */
function keep(name, page) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ name, page }));
  } catch {
    sessionStorage.removeItem(KEPT);
  }
}

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function blob(page) {
  return URL.createObjectURL(new Blob([page], { type: "text/html;charset=utf-8" }));
}

/** Show a page in a frame: no scripts, nothing from outside, its styles through the CSSOM. */
function open(frame, page) {
  const tree = new DOMParser().parseFromString(unstyled(page), "text/html");
  const kept = [...tree.querySelectorAll(`script[${SHEET}]`)];
  const font = `url(${new URL("stix-two-math.woff2", location.href)})`;
  const sheets = kept.map((element) => element.textContent.replace(FONT, font));
  tree.querySelectorAll(REFUSED).forEach((element) => element.remove());
  tree.querySelectorAll("*").forEach(disarm);
  const url = blob(`<!doctype html>${tree.documentElement.outerHTML}`);
  frame.addEventListener("load", () => dress(frame, sheets));
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
  enliven(inside);
}
