/**
 * The Topics view: the map, and beside it the list with its search, or one topic.
 * #/topics, #/topics?q=spin, #/topics/7
 */

import { get } from "./api.js";
import { el, nameOf, percent, speak } from "./dom.js";
import { TopicMap } from "./map.js";
import { formula, isDrawn } from "./mathml.js";
import { Region } from "./region.js";
import { address, settle } from "./router.js";
import { TopicSheet } from "./topic.js";

const TOKENS = 6; // drawn beside the words of a topic in the list
const SILENT = /^$|^[()[\]{}|.,:;&_^]$|^\\/;

export class TopicsView {
  title = "Topics";

  constructor(app) {
    this.app = app;
    this.opened = null; // the topic that is open, or was last
    this.search = el("input", {
      type: "search", id: "search", placeholder: "spin, matrix, \\psi …", autocomplete: "off",
      spellcheck: "false", oninput: () => this.typed(),
    });
    this.count = el("output", { for: "search" });
    this.list = new Region("Loading the topics …", { class: "listing" });
    this.chart = el("div", { class: "chart" });
    this.sheet = new TopicSheet(app);
    const parts = [this.intro(), this.chart, this.list.element, this.sheet.element];
    this.element = el("div", { class: "atlas" }, parts);
  }

  intro() {
    const { topics, pairs } = this.app.model;
    this.heading = el("h1", { tabindex: -1 }, `A map of ${topics} topics`);
    const lede = `Learned from ${pairs.toLocaleString("en")} equations and the words around them.`
      + " Near means related; the larger a circle, the more of the corpus it holds.";
    const label = el("label", { for: "search" }, "Find a word or a symbol");
    const field = el("p", { class: "search" }, label, this.search, this.count);
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede), field);
  }

  /** Show what an address asks for. */
  async show(route, { moved }) {
    this.isOpen = route.id !== undefined;
    this.title = this.isOpen ? `Topic ${route.id}` : "Topics";
    this.search.value = route.params.get("q") ?? "";
    this.element.classList.toggle("open", this.isOpen);
    if (!this.map) await this.list.ask(() => get("topics"), (topics) => this.draw(topics));
    this.find();
    if (this.isOpen) await this.open(route.id, moved);
    else this.close(moved);
  }

  /** Nothing is asked for any more. */
  leave() {
    this.sheet.leave();
  }

  draw(topics) {
    this.entries = [...topics].sort((a, b) => b.share - a.share).map((topic) => this.entry(topic));
    const lead = (topic) => address("topics", topic);
    this.map = new TopicMap(topics, lead, (topic) => this.point(topic));
    this.chart.replaceChildren(this.map.element);
    this.none = el("p", { class: "note" }, "No topic has this among its first words and symbols.");
    this.none.hidden = true;
    return [el("ul", { class: "topics" }, this.entries.map(({ item }) => item)), this.none];
  }

  entry(topic) {
    const link = el(
      "a",
      { href: address("topics", topic.topic) },
      el("span", { class: "name" }, nameOf(topic)),
      el("span", { class: "share" }, percent(topic.share)),
      el("span", { class: "others" }, topic.words.join(", ")),
      el("span", { class: "tokens", "aria-hidden": true }, tokens(topic)),
    );
    const point = (on) => () => this.map.highlight(on ? topic.topic : null);
    const item = el("li", { onpointerenter: point(true), onpointerleave: point(false) }, link);
    return { topic, link, item, symbols: symbols(topic, link) };
  }

  point(topic) {
    for (const { item, topic: own } of this.entries) {
      item.classList.toggle("pointed", own.topic === topic);
    }
  }

  typed() {
    settle(address("topics", null, { q: this.search.value }));
    this.find();
  }

  /** Leave in the list and on the map what the search finds. */
  find() {
    if (!this.map) return;
    const wanted = this.search.value.trim();
    const parts = wanted.split(/\s+/);
    const found = this.entries.filter((entry) => parts.every((part) => has(entry, part)));
    const numbers = new Set(found.map(({ topic }) => topic.topic));
    for (const { item, topic } of this.entries) item.hidden = !numbers.has(topic.topic);
    this.none.hidden = found.length > 0;
    this.count.textContent = wanted ? `${found.length} of ${this.entries.length}` : "";
    this.map.match(wanted && !this.isOpen ? numbers : null);
  }

  close(moved) {
    this.map?.choose(null);
    this.sheet.leave();
    if (!moved) return;
    const last = this.entries?.find(({ topic }) => topic.topic === this.opened);
    (last?.link ?? this.heading).focus();
  }

  async open(id, moved) {
    this.map?.choose(Number(id));
    await this.sheet.show(id, (topic) => this.shown(topic, moved));
  }

  /** A topic has been opened: the title, the map and the focus follow. */
  shown(topic, moved) {
    this.opened = topic.topic;
    this.title = nameOf(topic);
    this.app.retitle();
    this.map?.choose(topic.topic, topic.related.map((other) => other.topic));
    if (!moved) return;
    speak(`Topic ${nameOf(topic)}`);
    this.sheet.heading.focus();
  }
}

/** The characteristic tokens that say something alone; brackets, \frac and \begin{..} do not. */
function tokens({ tokens: sources, tokens_mathml: drawn }) {
  const shown = drawn.map((markup, n) => isDrawn(markup) && formula(markup, sources[n]));
  return shown.filter((math) => math && !SILENT.test(math.textContent.trim())).slice(0, TOKENS);
}

/** The tokens of a topic, as they are typed and as they look. */
function symbols({ tokens: sources }, link) {
  const letters = [...link.querySelectorAll("math")].map((math) => math.textContent);
  return new Set([...sources, ...letters]);
}

/** Whether a topic has what is sought: a symbol (a character or a command), or part of a word. */
function has({ topic, symbols: own }, sought) {
  if (own.has(sought) || sought === "") return true;
  if (sought.length === 1 || sought.startsWith("\\")) return false;
  const words = [topic.label, ...topic.words];
  return words.some((word) => word.toLowerCase().includes(sought.toLowerCase()));
}
