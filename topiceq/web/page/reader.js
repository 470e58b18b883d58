/**
 * The Reader view: an article is dropped, and its annotated page shown in a frame that can run
 * nothing. The frame inherits the content policy of this page, which refuses inline styles, so the
 * page's own styles are taken out before it is shown, and given to the frame through the CSSOM
 * whenever it is loaded. The view stays in the page when another is shown, so that the frame is not
 * loaded again, and the article in this tab's session, so that it is there after a reload.
 */

import { annotate, annotateArticle } from "./api.js";
import { enliven } from "./article.js"; // of every annotated page (topiceq/views/page.js)
import { el } from "./dom.js";
import { Region } from "./region.js";
import { address, go } from "./router.js";

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

  constructor(app) {
    this.app = app;
    const chosen = () => this.read(this.input.files[0]);
    const attributes = { type: "file", id: "article", class: "unseen", accept: KINDS };
    this.input = el("input", { ...attributes, onchange: chosen });
    this.result = new Region("", { class: "article" });
    const parts = [this.introduction(), this.zone(), this.result.element];
    this.body = el("div", { class: "view reader" }, parts);
    const kept = recall();
    if (kept) this.result.show(this.draw(kept.name, kept.page));
  }

  introduction() {
    this.heading = el("h1", { tabindex: -1 }, "Read an article with its topics");
    const lede = "Every display equation gets its topics and a glossary of its symbols. The article"
      + " stays on this server for as long as it is being read, and in this tab until you close it.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  zone() {
    const label = el("label", { for: "article" }, "Choose an article");
    const hint = "or drop it anywhere: LaTeX as arXiv gives it, Markdown, a notebook, a page of HTML";
    const example = () => this.readExample();
    const one = el("button", { type: "button", class: "plain", onclick: example }, "Read an example");
    return el("div", { class: "zone" }, this.input, label, el("p", {}, hint), one);
  }

  async readExample() {
    const source = await fetch("example.tex").then((answer) => answer.blob());
    return this.read(new File([source], "example.tex"));
  }

  /** Show what is open, or the article of arXiv that the address asks for. */
  show({ params }, { entered }) {
    this.isShown = true;
    const article = params.get("article");
    if (article && article !== this.fetched) this.fetch(article);
    this.dress();
    if (entered) (this.body.querySelector("iframe") ?? this.heading).focus();
  }

  leave() {
    this.isShown = false;
    this.dress();
  }

  /** An article has all the room. */
  dress() {
    const frame = this.body.querySelector("iframe");
    document.body.classList.toggle("reading", this.isShown && frame !== null);
    this.title = this.file ? `${this.file}: reader` : "Reader";
    if (this.isShown) this.app.retitle();
  }

  /** Read a file that was chosen or dropped. */
  read(file) {
    if (!file) return undefined;
    this.fetched = null;
    go(address("reader"));
    return this.open(file.name, (signal, begun) => annotate(file, signal, begun));
  }

  /** Read an article of arXiv. */
  fetch(article) {
    this.fetched = article;
    return this.open(`arXiv:${article}`, (signal, begun) => annotateArticle(article, signal, begun));
  }

  open(name, work) {
    this.close();
    this.result.waiting = `Reading ${name} …`;
    const cancel = el("button", { type: "button", onclick: () => this.close() }, "Cancel");
    const since = el("progress", { "aria-label": `Reading ${name}` });
    const seconds = el("span", { class: "since" });
    const progress = [since, " ", seconds, " ", cancel];
    const draw = (page) => {
      keep(name, page);
      return this.draw(name, page);
    };
    const begin = (page) => this.begin(name, page, progress);
    const asked = this.result.ask((signal) => work(signal, begin), draw, { shown: () => this.dress() });
    this.result.element.append(el("p", { class: "after" }, progress));
    this.count(seconds);
    return asked.then(() => this.dress()); // also if it could not be read
  }

  /** The first words of an article, while its topics and symbols are still looked for. */
  begin(name, page, progress) {
    const frame = el("iframe", { title: name, sandbox: "allow-same-origin" });
    this.urls = [open(frame, page).url];
    this.result.element.replaceChildren(el("p", { class: "read after" }, el("strong", {}, name), progress), frame);
    this.file = name;
    this.dress();
  }

  /** How long it has been read, as long as it is. */
  count(seconds) {
    const began = Date.now();
    const tick = () => {
      if (!seconds.isConnected) return clearInterval(ticking);
      seconds.textContent = `${Math.round((Date.now() - began) / 1000)} s`;
    };
    const ticking = setInterval(tick, 1000);
  }

  /** Put the article away. */
  close() {
    this.urls?.forEach((url) => URL.revokeObjectURL(url));
    this.input.value = ""; // the same file may be chosen again
    this.result.clear();
    this.file = this.app.article = null;
    sessionStorage.removeItem(KEPT);
    this.dress();
  }

  draw(file, page) {
    const saved = blob(page);
    const name = `${file.replace(/\.(tar\.gz|\w{1,5})$/, "").replace(/[:/]/g, "-")}.html`;
    const save = el("a", { href: saved, download: name }, "Save this page");
    const another = () => {
      this.close();
      if (this.fetched) go(address("reader"));
      this.fetched = null;
      this.heading.focus();
    };
    const close = el("button", { type: "button", class: "plain", onclick: another }, "Another article");
    const map = el("a", { href: address("topics") }, "On the map");
    const frame = el("iframe", { title: `${file}, annotated`, sandbox: "allow-same-origin" });
    const read = this.body.querySelector("iframe")?.contentWindow.scrollY ?? 0; // of the first words
    this.urls?.forEach((url) => URL.revokeObjectURL(url));
    const { url, topics } = open(frame, page);
    frame.addEventListener("load", () => frame.contentWindow.scrollTo(0, read), { once: true });
    this.urls = [saved, url];
    this.file = file;
    this.app.article = topics.size ? { name: file, heat: topics } : null;
    return [el("p", { class: "read" }, el("strong", {}, file), map, save, close), frame];
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
  const topics = topicsOf(tree);
  const kept = [...tree.querySelectorAll(`script[${SHEET}]`)];
  const font = `url(${new URL("stix-two-math.woff2", location.href)})`;
  const sheets = kept.map((element) => element.textContent.replace(FONT, font));
  tree.querySelectorAll(REFUSED).forEach((element) => element.remove());
  tree.querySelectorAll("*").forEach(disarm);
  const url = blob(`<!doctype html>${tree.documentElement.outerHTML}`);
  frame.addEventListener("load", () => dress(frame, sheets));
  frame.src = url;
  return { url, topics };
}

/** The topics that an annotated page is about, with their probabilities. */
function topicsOf(tree) {
  const told = tree.querySelector("main")?.dataset.topics?.split(" ") ?? [];
  return new Map(told.map((one) => one.split(":").map(Number)).filter((pair) => pair.every(Number.isFinite)));
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
