/**
 * The explorer: finds out which model is served, and shows the view that the address names. A view
 * has an `element`, a `heading`, a `title`, `show(route, { moved, entered })` and `leave()`; it
 * is made when it is first needed, and kept. The focus follows a person who goes somewhere.
 */

import { get, isStatic } from "./api.js";
import { ContextView } from "./context.js";
import { el } from "./dom.js";
import { EquationView } from "./equation.js";
import { MixView } from "./mix.js";
import { ReaderView } from "./reader.js";
import { Region } from "./region.js";
import { address, follow, parse, settle } from "./router.js";
import { TopicsView } from "./topics.js";
import { needsServer } from "./writing.js";

const VIEWS = {
  topics: TopicsView,
  equation: EquationView,
  context: ContextView,
  mix: MixView,
  reader: ReaderView,
};
const main = document.getElementById("main");

class App {
  constructor(model) {
    this.model = model;
    this.views = {};
    this.view = null;
    this.moved = false; // whether a person has gone somewhere since the page was loaded
  }

  async show(route) {
    const view = (this.views[route.view] ??= this.make(route.view));
    const [moved, entered] = [this.moved, this.moved && view !== this.view];
    if (view !== this.view) this.enter(view, route.view);
    this.moved = true;
    const shown = view.show(route, { moved, entered });
    this.retitle();
    await shown;
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
    for (const child of [...main.children]) {
      if ("stays" in child.dataset) child.hidden = true; // a frame that is moved is loaded again
      else child.remove();
    }
    view.element.hidden = false;
    if (!view.element.isConnected) main.append(view.element);
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (this.moved) scrollTo(0, 0);
  }

  /** The title of the page, from what is shown. */
  retitle() {
    document.title = `${this.view.title} · TopicEq`;
  }
}

/** A view that only says something. */
class Notice {
  constructor(title, text) {
    this.title = title;
    this.heading = el("h1", { tabindex: -1 }, title);
    this.element = el("div", { class: "view" }, el("div", { class: "intro" }, this.heading, text));
  }

  show(route, { entered }) {
    if (entered) this.heading.focus();
  }

  leave() {}
}

function nowhere() {
  const topics = el("a", { href: "#/topics" }, "See the topics");
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
const start = new Region("Loading the model …", { class: "starting" });
main.replaceChildren(start.element);
if (parse(location.hash).view === "topics") get("topics").catch(() => {}); // needed at once
start.ask(() => get("model"), (model) => {
  colophon(model);
  const app = new App(model);
  queueMicrotask(() => follow((route) => app.show(route)));
  return [];
});
