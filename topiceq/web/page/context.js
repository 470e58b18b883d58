/**
 * The Context view: a paragraph in; its topics, the words that speak for the chosen one, and
 * equations written for it. #/context?c=text&topic=7
 */

import { ask } from "./api.js";
import { check, topicChoices } from "./bars.js";
import { el, nameOf, section, speak, styled } from "./dom.js";
import { heatOf } from "./equation.js";
import { Region } from "./region.js";
import { address, go } from "./router.js";
import { Writing } from "./writing.js";

const ASKING = 200; // milliseconds without a letter before the model is asked
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
  title = "Words";

  constructor(app) {
    this.app = app;
    this.topics = new Region("Reading …");
    this.passage = el("p", { class: "passage" });
    this.writing = new Writing(app, "Equations written for it");
    this.results = el(
      "div",
      { class: "results" },
      section("Words that speak for it", this.passage),
      section("Topics", this.topics.element),
      this.writing.element,
    );
    this.heading = el("h1", { tabindex: -1 }, "What is this paragraph about?");
    const lede = "The model reads the words alone, and writes equations that would suit them.";
    this.intro = el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
    this.examples = examples();
    this.body = el("div", { class: "answer" }, this.examples, this.results);
  }

  /** Show what an address asks for. */
  show({ params }, { entered }) {
    const [context, topic] = [params.get("c") ?? "", params.get("topic")];
    this.chosen = topic;
    if (entered) this.heading.focus();
    if (this.answer && this.answer.asked === context) return this.choose();
    const isFirst = this.context === undefined || entered;
    this.context = context;
    return this.read(isFirst ? 0 : ASKING);
  }

  leave() {
    this.topics.stop();
    this.writing.region.stop();
    this.answer = null; // what is lit stays so
  }

  read(delay) {
    const { context } = this;
    this.answer = null;
    this.topics.stop();
    this.writing.region.stop();
    this.results.hidden = !context.trim();
    this.examples.hidden = !this.results.hidden;
    this.title = context.trim() ? `${context.trim().split(/\s+/).slice(0, 8).join(" ")}: words` : "Words";
    if (this.results.hidden) return this.app.map.light(null);
    this.app.map.dim();
    this.writing.region.fade();
    const work = (signal) => ask("infer", { context, top: 6 }, signal);
    const shown = (answer) => this.inferred(context, answer);
    return this.topics.ask(work, (answer) => this.choices(answer), { delay, shown });
  }

  choices({ topics }) {
    return topicChoices(topics, "Show the words that speak for", (topic) => {
      go(address("context", null, { c: this.context, topic }));
    });
  }

  inferred(context, { topics, speaks, all, place, known }) {
    this.answer = { asked: context, speaks };
    this.app.map.light(known === false ? null : heatOf(all), known === false ? null : place);
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
  const items = Object.entries(EXAMPLES).map(item);
  return el("ul", { class: "examples", "aria-label": "Examples" }, items);
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
