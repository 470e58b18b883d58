/**
 * The Equation view: LaTeX in; drawn as you type, with its topics, what its symbols mean under the
 * chosen one, and equations like it. #/equation?e=LaTeX&topic=7
 */

import { ask, get } from "./api.js";
import { check, topicChoices } from "./bars.js";
import { el, nameOf, section, speak } from "./dom.js";
import { Editor } from "./editor.js";
import { equationList, place } from "./equations.js";
import { wideFormula } from "./mathml.js";
import { Region } from "./region.js";
import { address, go, settle } from "./router.js";
import { symbolTable } from "./symbols.js";

const DRAWING = 150; // milliseconds without a letter before the equation is drawn
const ASKING = 350; // .. and then before the model is asked

export class EquationView {
  title = "Equation";

  constructor(app) {
    this.app = app;
    this.editor = new Editor({
      id: "equation", label: "An equation in LaTeX", rows: 5, oninput: () => this.typed(),
      placeholder: "i \\hbar \\frac{\\partial}{\\partial t} \\Psi = \\hat{H} \\Psi",
    });
    this.examples = new Region("");
    this.plate = new Region("Drawing …", { class: "plate" });
    this.topics = new Region("Comparing with all topics …");
    this.symbols = new Region("Looking up its symbols …");
    this.similar = new Region("Searching the corpus …");
    this.results = el(
      "div",
      { class: "results" },
      section("Topics", this.topics.element),
      section("Symbols", this.symbols.element),
      section("Similar equations", this.similar.element),
    );
    this.element = el("div", { class: "view" }, this.intro(), this.desk(), this.results);
    this.examples.ask(() => get("examples"), exampleLinks);
  }

  intro() {
    this.heading = el("h1", { tabindex: -1 }, "What is this equation about?");
    const lede = "Type or paste LaTeX. The model compares it with every topic, and reads its"
      + " symbols under the one you choose.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  desk() {
    const left = el("div", {}, this.editor.element, this.examples.element);
    return el("div", { class: "desk" }, left, this.plate.element);
  }

  /** Show what an address asks for. */
  show({ params }, { entered }) {
    const [equation, topic] = [params.get("e") ?? "", params.get("topic")];
    this.chosen = topic;
    if (entered) this.heading.focus();
    if (this.answer && this.answer.asked === equation) return this.choose();
    this.editor.value = equation;
    return this.draw(0);
  }

  leave() {
    for (const region of [this.plate, this.topics, this.symbols, this.similar]) region.stop();
  }

  typed() {
    this.chosen = null;
    settle(address("equation", null, { e: this.editor.value }));
    this.draw(DRAWING);
  }

  draw(delay) {
    const equation = this.editor.value;
    this.answer = null;
    this.leave();
    this.results.hidden = !equation.trim();
    if (this.results.hidden) return this.plate.clear(nothing());
    const rendered = (signal) => ask("render", { equation }, signal);
    const work = (signal) => rendered(signal).catch((error) => this.blame(error));
    return this.plate.ask(work, (drawn) => this.drawn(drawn), {
      delay,
      shown: (drawn) => drawn && this.study(equation, delay ? ASKING : 0),
    });
  }

  /** The equation; while its LaTeX is wrong, the one before. */
  drawn(drawn) {
    this.element.classList.toggle("stale", drawn === null);
    if (drawn) return wideFormula(drawn.mathml, drawn.equation);
    return this.plate.element.querySelector(".formula") ?? nothing();
  }

  /** An equation that cannot be read is an error of the field; all else is one of the plate. */
  blame(error) {
    if (error.status !== 400) throw error;
    this.editor.blame(error);
    return null;
  }

  study(equation, delay) {
    const { explain, similar } = this.app.model.can;
    const shown = (answer) => this.inferred(equation, answer);
    const choices = (answer) => this.choices(answer);
    this.ask(this.topics, "infer", { equation, top: 6 }, choices, { delay, shown });
    if (!explain) this.symbols.clear(cannot("say what symbols mean"));
    if (!similar) return this.similar.clear(cannot("search its corpus"));
    const list = (found) => equationList(found, place);
    return this.ask(this.similar, "similar", { equation, count: 8 }, list, { delay });
  }

  ask(region, verb, question, draw, options) {
    return region.ask((signal) => ask(verb, question, signal), draw, options);
  }

  choices({ topics }) {
    return topicChoices(topics, "Read its symbols under", (topic) => {
      go(address("equation", null, { e: this.editor.value, topic }));
    });
  }

  inferred(equation, { topics }) {
    this.answer = { asked: equation };
    speak(`Most probable topic: ${nameOf(topics[0])}`);
    this.choose();
  }

  /** Read the symbols under the topic of the address, or else under the most probable one. */
  choose() {
    const { asked: equation } = this.answer;
    const theta = check(this.topics.element, this.chosen);
    if (!this.app.model.can.explain) return;
    this.ask(this.symbols, "explain", { equation, theta, count: 4 }, symbolTable);
  }
}

function exampleLinks(examples) {
  const link = ({ name, equation }) =>
    el("li", {}, el("a", { href: address("equation", null, { e: equation }) }, name));
  const heading = el("h2", { class: "minor" }, "Examples");
  return [heading, el("ul", { class: "examples" }, examples.map(link))];
}

function nothing() {
  return el("p", { class: "empty" }, "It is drawn here.");
}

function cannot(what) {
  return el("p", { class: "note" }, `This run cannot ${what}.`);
}
