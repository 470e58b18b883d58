/**
 * The Topics view: all topics, those that are about some words, or one of them.
 * #/topics, #/topics?q=spin, #/topics/7
 */

import { fetchJson, get, isStatic } from "./api.js";
import { el, nameOf, percent, speak } from "./dom.js";
import { exampleLinks } from "./equations.js";
import { formula, isDrawn } from "./mathml.js";
import { Region } from "./region.js";
import { address, go } from "./router.js";
import { TopicSheet } from "./topic.js";

const ASKING = 60; // milliseconds without a letter before the model is asked
const TOKENS = 6; // drawn beside the words of a topic in the list
const SILENT = /^$|^[()[\]{}|.,:;&_^]$|^\\/;

export class TopicsView {
  title = "Map";

  constructor(app) {
    this.app = app;
    this.opened = null; // the topic that is open, or was last
    this.list = new Region("Asking which topics are about it …", { class: "listing" });
    this.sheet = new TopicSheet(app);
    this.examples = new Region("");
    if (!isStatic) this.examples.ask(() => get("examples"), exampleLinks);
    this.intro = this.introduction();
    this.start = el("div", {}, this.examples.element, this.list.element);
    this.body = el("div", {}, this.start, this.sheet.element);
    const sorted = [...app.topics].sort((a, b) => b.share - a.share);
    this.entries = new Map(sorted.map((topic) => [topic.topic, this.entry(topic)]));
  }

  introduction() {
    const { topics, pairs } = this.app.model;
    this.heading = el("h1", { tabindex: -1 }, `A map of ${topics} topics`);
    const lede = `Learned from ${pairs.toLocaleString("en")} equations and the words around them.`
      + " Near means related; every point is an equation.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  /** Show what an address asks for. */
  async show({ id, params }, { moved }) {
    this.isOpen = id !== undefined;
    this.title = this.isOpen ? `Topic ${id}` : "Map";
    this.intro.hidden = this.start.hidden = this.isOpen;
    if (this.isOpen) return this.open(id, moved);
    const found = this.find((params.get("q") ?? "").trim());
    this.close(moved); // the focus goes to what stands there now
    return found;
  }

  /** Nothing is asked for any more. */
  leave() {
    this.sheet.leave();
    this.list.stop();
    this.app.map.choose(null);
  }

  /** Escape closes a topic; whether there was one. */
  escape() {
    if (this.isOpen) go(this.app.before ?? address("topics"));
    return this.isOpen;
  }

  // -- the list ----------------------------------------------------------------------------------

  entry(topic) {
    const share = el("span", { class: "share" });
    const link = el(
      "a",
      { href: address("topics", topic.topic) },
      el("span", { class: "name" }, nameOf(topic)),
      share,
      el("span", { class: "others" }, topic.words.join(", ")),
      el("span", { class: "tokens", "aria-hidden": true }, tokens(topic)),
    );
    const point = (on) => () => this.app.map.highlight(on ? topic.topic : null);
    const item = el("li", { onpointerenter: point(true), onpointerleave: point(false) }, link);
    return { topic, link, share, item };
  }

  point(topic) {
    for (const [own, { item }] of this.entries) item.classList.toggle("pointed", own === topic);
  }

  /** All topics by their size; or those that are about some words, by how much. */
  find(words) {
    this.examples.element.hidden = Boolean(words);
    if (!words) return this.all();
    this.app.map.dim();
    this.title = `${words}: topics`;
    const work = (signal) => (isStatic ? this.among(words) : ask(words, signal));
    return this.list.ask(work, (found) => this.found(found), { delay: ASKING });
  }

  /** All topics; what lights up are those of the article that is being read. */
  all() {
    const { article, map } = this.app;
    map.light(article?.heat ?? null);
    const every = [...this.entries.values()].map(({ topic }) => [topic.topic, topic.share]);
    const off = () => {
      this.app.article = null;
      this.all();
    };
    const told = article && el(
      "p", { class: "note" }, "Lit are the topics of ", el("a", { href: address("reader") }, article.name), ". ",
      el("button", { type: "button", class: "plain", onclick: off }, "Put them out"),
    );
    return this.list.clear(...(told ? [told] : []), this.drawn(every));
  }

  found(topics) {
    const about = topics.filter(({ p }) => p >= 0.005);
    this.app.map.light(new Map(about.map(({ topic, p }) => [topic, p])));
    if (!about.length) return el("p", { class: "note" }, "No topic has these words.");
    speak(`Most probable topic: ${nameOf(about[0])}`);
    return this.drawn(about.map(({ topic, p }) => [topic, p]));
  }

  /** Without a server: the topics that have a word among their first ones, as good as each other. */
  among(words) {
    const parts = words.toLowerCase().split(/\s+/);
    const has = ({ label, words: own }) =>
      parts.every((part) => [label, ...own].some((word) => word.toLowerCase().includes(part)));
    const all = this.app.topics.filter(has);
    return all.map((topic) => ({ ...topic, p: 1 / all.length }));
  }

  drawn(numbers) {
    const known = numbers.filter(([topic]) => this.entries.has(topic));
    const items = known.map(([topic, p]) => {
      const { item, share } = this.entries.get(topic);
      share.textContent = percent(p);
      return item;
    });
    return [el("ul", { class: "topics" }, items)];
  }

  // -- one topic ---------------------------------------------------------------------------------

  close(moved) {
    this.app.map.choose(null);
    this.sheet.leave();
    if (moved) (this.entries.get(this.opened)?.link ?? this.heading).focus();
  }

  async open(id, moved) {
    this.app.map.choose(Number(id));
    const known = this.entries.get(Number(id))?.topic;
    await this.sheet.show(id, known, (topic) => this.shown(topic, moved));
  }

  /** A topic has been opened: the title, the map and the focus follow. */
  shown(topic, moved) {
    this.opened = topic.topic;
    this.title = nameOf(topic);
    this.app.retitle();
    this.app.map.choose(topic.topic, topic.related.map((other) => other.topic));
    if (!moved) return;
    speak(`Topic ${nameOf(topic)}`);
    this.sheet.heading.focus();
  }
}

/** The topics that are about some words; none where the model knows no such word. */
async function ask(words, signal) {
  try {
    return await fetchJson(`api/topics?find=${encodeURIComponent(words)}`, { signal });
  } catch (error) {
    if (error.status === 400 || error.status === 404) return [];
    throw error;
  }
}

/** The characteristic tokens that say something alone; brackets, \frac and \begin{..} do not. */
function tokens({ tokens: sources, tokens_mathml: drawn }) {
  const shown = drawn.map((markup, n) => isDrawn(markup) && formula(markup, sources[n]));
  return shown.filter((math) => math && !SILENT.test(math.textContent.trim())).slice(0, TOKENS);
}
