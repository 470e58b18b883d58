/**
 * The Context view: a paragraph in; its topics, the words that speak for the chosen one, and
 * equations written for it. #/context?c=text&topic=7
 */

import { ask } from "./api.js";
import { check, topicChoices } from "./bars.js";
import { el, nameOf, section, speak, styled } from "./dom.js";
import { Region } from "./region.js";
import { address, go, settle } from "./router.js";
import { Writing } from "./writing.js";

const ASKING = 500; // milliseconds without a letter before the model is asked
const WORD = /[\p{L}][\p{L}\p{M}’'-]*/gu;
const EXAMPLES = {
  "A fluid": `We consider the flow of a viscous fluid between two plates. The velocity vanishes on
    the boundary, and the pressure gradient drives the motion. For small Reynolds numbers the
    viscosity dominates, and the velocity field is found from the pressure and the boundary
    conditions alone.`,
  "A random walk": `Let the steps be independent random variables with finite variance. By the
    central limit theorem the distribution of the scaled sum converges to a normal distribution. We
    bound the probability that the walk leaves an interval before a given time, using the
    conditional expectation of a martingale.`,
  "A quantum state": `The qubit is prepared in a superposition of two basis states and then
    interacts with a measurement device. The Hamiltonian couples the spin to the electromagnetic
    field, and the probability of each outcome of the measurement follows from the state after the
    gate.`,
};

export class ContextView {
  title = "Context";

  constructor(app) {
    this.app = app;
    this.field = el("textarea", {
      id: "context", rows: 6, oninput: () => this.typed(),
      placeholder: "Paste a paragraph of an article: plain text or LaTeX.",
    });
    this.topics = new Region("Reading …");
    this.passage = el("p", { class: "passage" });
    this.writing = new Writing(app, "Equations written for it");
    this.results = el(
      "div",
      { class: "results" },
      section("Topics", this.topics.element),
      section("Words that speak for it", this.passage),
      this.writing.element,
    );
    this.element = el("div", { class: "view" }, this.intro(), this.desk(), this.results);
  }

  intro() {
    this.heading = el("h1", { tabindex: -1 }, "What is this paragraph about?");
    const lede = "The model reads the words alone, and writes equations that would suit them.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  desk() {
    const label = el("label", { for: "context" }, "A paragraph");
    const heading = el("h2", { class: "minor" }, "Examples");
    const left = el("div", {}, label, this.field, heading, examples());
    return el("div", { class: "desk single" }, left);
  }

  /** Show what an address asks for. */
  show({ params }, { entered }) {
    const [context, topic] = [params.get("c") ?? "", params.get("topic")];
    this.chosen = topic;
    if (entered) this.heading.focus();
    if (this.answer && this.answer.asked === context) return this.choose();
    if (this.field.value !== context) this.field.value = context;
    return this.read(0);
  }

  leave() {
    this.topics.stop();
    this.writing.region.stop();
  }

  typed() {
    this.chosen = null;
    settle(address("context", null, { c: this.field.value }));
    this.read(ASKING);
  }

  read(delay) {
    const context = this.field.value;
    this.answer = null;
    this.leave();
    this.results.hidden = !context.trim();
    if (this.results.hidden) return undefined;
    const work = (signal) => ask("infer", { context, top: 6 }, signal);
    const shown = (answer) => this.inferred(context, answer);
    return this.topics.ask(work, (answer) => this.choices(answer), { delay, shown });
  }

  choices({ topics }) {
    return topicChoices(topics, "Show the words that speak for", (topic) => {
      go(address("context", null, { c: this.field.value, topic }));
    });
  }

  inferred(context, { topics, speaks }) {
    this.answer = { asked: context, speaks };
    speak(`Most probable topic: ${nameOf(topics[0])}`);
    this.choose();
    this.writing.start({ context });
  }

  /** Mark the words for the topic of the address, or else for the most probable one. */
  choose() {
    const { asked, speaks = {} } = this.answer;
    const topic = check(this.topics.element, this.chosen);
    this.passage.replaceChildren(...marked(asked, speaks[topic] ?? []));
  }
}

function examples() {
  const item = ([name, text]) => {
    const c = text.replace(/\s+/g, " ");
    return el("li", {}, el("a", { href: address("context", null, { c }) }, name));
  };
  return el("ul", { class: "examples" }, Object.entries(EXAMPLES).map(item));
}

/** A text, with these words marked as strongly as they speak. */
function marked(text, words) {
  const strength = new Map(words.map(({ word, p }) => [word, p]));
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(WORD)) {
    const p = strength.get(found[0].toLowerCase());
    if (p === undefined) continue;
    nodes.push(text.slice(end, found.index), styled(el("mark", {}, found[0]), { "--p": p }));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
}
