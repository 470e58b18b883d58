/**
 * The Equation view: what is typed is drawn, with what its symbols mean written at them under its
 * topics or a chosen one; its topics, which light up on the map, and equations like it.
 * #/equation?e=LaTeX&topic=7
 */

import { ask, get } from "./api.js";
import { check, topicChoices } from "./bars.js";
import { el, nameOf, section, speak } from "./dom.js";
import { equationList, exampleLinks, place } from "./equations.js";
import { Labelled } from "./labelled.js";
import { Region } from "./region.js";
import { address, go } from "./router.js";
import { symbolTable } from "./symbols.js";

const ASKING = 50; // milliseconds without a letter before the model is asked, unless it is the first for as long
const SEARCHING = 250; // .. and before its corpus is searched
const BLAMING = 700; // .. and before it is said what is wrong: it may be half typed

export class EquationView {
  constructor(app) {
    this.app = app;
    this.examples = new Region("");
    this.labelled = new Labelled();
    this.plate = new Region("Drawing …", { class: "plate" });
    this.topics = new Region("Comparing with all topics …");
    this.symbols = new Region("Looking up its symbols …");
    this.similar = new Region("Searching the corpus …");
    const all = el("details", { class: "more" }, el("summary", {}, "All that its symbols may mean"), this.symbols.element);
    this.results = el(
      "div",
      { class: "results" },
      all,
      section("Topics", this.topics.element),
      section("Equations like it", this.similar.element),
    );
    this.intro = this.introduction();
    this.body = el("div", { class: "answer" }, this.plate.element, this.examples.element, this.results);
    this.examples.ask(() => get("examples"), exampleLinks);
  }

  introduction() {
    this.heading = el("h1", { tabindex: -1 }, "What is this equation about?");
    return el("div", { class: "intro" }, this.heading);
  }

  get title() {
    return this.equation?.trim() ? `${short(this.equation)}: equation` : "Equation";
  }

  /** Show what an address asks for. */
  show({ params }, { entered }) {
    const [equation, topic] = [params.get("e") ?? "", params.get("topic")];
    this.chosen = topic;
    if (entered) this.heading.focus();
    if (this.answer && this.answer.asked === equation) return this.choose();
    const [now, before] = [performance.now(), this.asked ?? -ASKING];
    Object.assign(this, { equation, asked: now });
    return this.draw(entered || now - before >= ASKING ? 0 : ASKING);
  }

  leave() {
    clearTimeout(this.blaming);
    for (const region of [this.plate, this.topics, this.symbols, this.similar]) region.stop();
    this.answer = null; // what is lit stays so
  }

  draw(delay) {
    const { equation } = this;
    this.answer = null;
    clearTimeout(this.blaming);
    const isEmpty = !equation.trim();
    this.results.hidden = isEmpty;
    this.examples.element.hidden = this.plate.element.hidden = !isEmpty;
    this.plate.element.hidden = isEmpty;
    if (isEmpty) return this.app.map.light(null);
    this.app.map.dim();
    this.similar.fade();
    const { explain, similar } = this.app.model.can;
    const verb = explain ? "explain" : "render";
    const question = explain ? { equation, count: 4 } : { equation };
    this.ask(this.plate, verb, question, (drawn) => this.drawn(drawn), { delay });
    const shown = (answer) => this.inferred(equation, answer);
    const infer = this.ask(this.topics, "infer", { equation, top: 6 }, (answer) => this.choices(answer), { delay, shown });
    if (!explain) this.symbols.clear(cannot("say what symbols mean"));
    if (!similar) return this.similar.clear(cannot("search its corpus"));
    const list = (found) => equationList(found, place);
    const wait = delay && SEARCHING;
    this.ask(this.similar, "similar", { equation, count: 8 }, list, { delay: wait });
    return infer;
  }

  /** Ask for a region; while the LaTeX is wrong, the answers before stay, faded. */
  ask(region, verb, question, draw, options) {
    const work = (signal) => ask(verb, question, signal).catch((error) => this.blame(error, region));
    const shown = (answer) => answer && options.shown?.(answer);
    const drawn = (answer) => (answer ? draw(answer) : [...region.element.children]);
    return region.ask(work, drawn, { ...options, shown });
  }

  /** An equation that cannot be read is an error of the field; all else is one of the region. */
  blame(error, region) {
    if (error.status !== 400) throw error;
    this.body.classList.add("stale");
    if (region !== this.plate) return null;
    const say = () => this.app.asking.editor.blame(error);
    this.blaming = setTimeout(say, BLAMING);
    return null;
  }

  /** The equation with its symbols, and the table of all their meanings. */
  drawn(answer) {
    this.body.classList.remove("stale");
    if (answer.symbols) this.symbols.clear(symbolTable(answer.symbols));
    return [this.labelled.draw(answer)];
  }

  choices({ topics, known }) {
    const choose = (topic) => {
      go(address("equation", null, { e: this.equation, topic }));
    };
    const doubt = known === false
      && el("p", { class: "note" }, "It tells nothing about its topics: these are those of the whole corpus.");
    return [doubt, topicChoices(topics, "Read its symbols under", choose)].filter(Boolean);
  }

  inferred(equation, { topics, all, place: pin, known }) {
    this.answer = { asked: equation, read: null };
    this.app.map.light(known === false ? null : heatOf(all), known === false ? null : pin);
    this.app.retitle();
    speak(`Most probable topic: ${nameOf(topics[0])}`);
    this.choose();
  }

  /** Read the symbols under the topic of the address; without one, under its own topics. */
  choose() {
    const { asked: equation, read } = this.answer;
    const theta = check(this.topics.element, this.chosen);
    const wanted = this.chosen === null ? null : theta;
    if (!this.app.model.can.explain || wanted === read) return;
    this.answer.read = wanted;
    const question = { equation, count: 4, ...(wanted === null ? {} : { theta }) };
    this.ask(this.plate, "explain", question, (drawn) => this.drawn(drawn), {});
  }
}

/** theta as the map takes it. */
export function heatOf(all) {
  return new Map(all.map((p, topic) => [topic, p]));
}

function short(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function cannot(what) {
  return el("p", { class: "note" }, `This run cannot ${what}.`);
}
