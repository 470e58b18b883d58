/**
 * The explorer: finds out which model is served, and shows the view that the address names, beside
 * the map, under the one field that asks. A view has an `intro` and a `body`, a `heading`, a
 * `title`, `show(route, { moved, entered })` and `leave()`; it is made when it is first needed, and
 * kept. The focus follows a person who goes somewhere.
 */

import { get, isStatic } from "./api.js";
import { Asking } from "./asking.js";
import { ContextView } from "./context.js";
import { el } from "./dom.js";
import { EquationView } from "./equation.js";
import { TopicMap } from "./map.js";
import { ReaderView } from "./reader.js";
import { Region } from "./region.js";
import { address, follow, go, parse, settle } from "./router.js";
import { TopicsView } from "./topics.js";
import { needsServer } from "./writing.js";

const VIEWS = {
  topics: TopicsView,
  equation: EquationView,
  context: ContextView,
  reader: ReaderView,
};
const ASKED = { topics: ["q", "words"], equation: ["e", "equation"], context: ["c", "context"] };
const main = document.getElementById("main");

class App {
  constructor(model, topics) {
    Object.assign(this, { model, topics, views: {}, view: null });
    this.moved = false; // whether a person has gone somewhere since the page was loaded
    this.asking = new Asking({
      show: (to) => this.ask(to), go, read: (file) => this.reader.read(file),
      fetches: model.can.fetch,
    });
    const point = (topic) => this.view?.point?.(topic);
    this.map = new TopicMap(topics, (topic) => address("topics", topic), point);
    this.panel = el("div", { class: "panel" }, this.asking.element);
    const chart = el("div", { class: "chart" }, this.map.element);
    this.atlas = el("div", { class: "atlas", hidden: true }, chart, this.panel);
    if (isStatic) this.asking.foot.hidden = true;
    main.replaceChildren(this.atlas);
    this.listen();
  }

  listen() {
    addEventListener("dragover", (event) => this.over(event, true));
    addEventListener("dragleave", (event) => this.over(event, false));
    addEventListener("drop", (event) => this.drop(event));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.view?.escape?.()) event.preventDefault();
    });
    if (!this.model.can.similar) return; // there are no equations to draw
    const later = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 300));
    addEventListener("load", () => later(() => this.map.fill()));
    if (document.readyState === "complete") later(() => this.map.fill());
  }

  // -- views -------------------------------------------------------------------------------------

  /** What has been typed: the address follows, and the answer. */
  ask(to) {
    settle(to);
    this.show(parse(to));
  }

  async show(route) {
    const view = (this.views[route.view] ??= this.make(route.view));
    const isTyped = document.activeElement === this.asking.editor.field;
    const [moved, entered] = [this.moved && !isTyped, this.moved && !isTyped && view !== this.view];
    if (view !== this.view) this.enter(view, route.view);
    this.take(route);
    if (route.id === undefined) this.before = location.hash; // where a topic was opened from
    this.moved = true;
    const shown = view.show(route, { moved, entered });
    this.retitle();
    await shown;
  }

  /** Bring the field in line with the address: it holds what is asked about. */
  take({ view, id, params }) {
    const [name, kind] = ASKED[view] ?? [];
    if (name && id === undefined) this.asking.take(params.get(name) ?? "", kind);
  }

  make(name) {
    const View = VIEWS[name];
    if (!View) return new Notice("There is nothing here", nowhere());
    if (isStatic && name !== "topics") return new Notice("This needs a model", needsServer());
    return new View(this);
  }

  enter(view, name) {
    this.view?.leave();
    this.view = view;
    const isReader = view instanceof ReaderView;
    this.atlas.hidden = isReader;
    if (this.views.reader instanceof ReaderView) this.views.reader.body.hidden = !isReader;
    if (isReader) this.place(view.body);
    else this.fit(view);
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (this.moved) scrollTo(0, 0);
  }

  /** A view that has the page for itself; it is never moved: a frame would be loaded again. */
  place(element) {
    if (!element.isConnected) main.append(element);
  }

  /** A view above and below the field, which stays where it is, with its focus. */
  fit({ intro, body }) {
    for (const child of [...this.panel.children]) {
      if (child !== this.asking.element) child.remove();
    }
    this.panel.prepend(intro);
    this.panel.append(body);
  }

  /** The title of the page, from what is shown. */
  retitle() {
    document.title = `${this.view.title} · TopicEq`;
  }

  // -- articles ----------------------------------------------------------------------------------

  get reader() {
    return (this.views.reader ??= this.make("reader"));
  }

  over(event, inside) {
    if (isStatic || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // otherwise the browser opens the file by itself
    document.body.classList.toggle("over", inside);
  }

  drop(event) {
    if (isStatic) return;
    this.over(event, false);
    const [file] = event.dataTransfer.files;
    if (file) this.reader.read(file);
  }
}

/** A view that only says something. */
class Notice {
  constructor(title, text) {
    this.title = title;
    this.heading = el("h1", { tabindex: -1 }, title);
    this.intro = el("div", { class: "intro" }, this.heading, text);
    this.body = el("div");
  }

  show(route, { entered }) {
    if (entered) this.heading.focus();
  }

  leave() {}
}

function nowhere() {
  const topics = el("a", { href: "#/topics" }, "See the map");
  return el("p", {}, "This address leads nowhere. ", topics, ".");
}

/** Which model answers, at the foot of the page. */
function colophon({ name, version, topics, pairs, decoders }) {
  const counts = [`${topics} topics`, `${pairs.toLocaleString("en")} pairs`];
  const told = [`TopicEq ${version}`, `model ${name}`, ...counts, decoders.join(" + ")].join(" · ");
  const docs = isStatic ? [] : [" · ", el("a", { href: "docs" }, "HTTP API")];
  document.getElementById("colophon").replaceChildren(told, ...docs);
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address is the state
  main.focus();
});

if (location.hash === "#main") settle(address("topics")); // pressed before this was loaded
const start = new Region("Loading the map …", { class: "starting" });
main.replaceChildren(start.element);
start.ask(() => Promise.all([get("model"), get("topics")]), ([model, topics]) => {
  colophon(model);
  queueMicrotask(() => {
    const app = new App(model, topics);
    follow((route) => app.show(route));
  });
  return [];
});
