/**
 * The Mix view: topics with sliders; the equations that the model writes for the mixture, and the
 * way from one topic to another as a film strip.
 * #/mix?t=7:50,9:50&prefix=L+=&temperature=0.8&seed=1&steps=5
 */

import { ask, get } from "./api.js";
import { el, nameOf, percent, section, styled } from "./dom.js";
import { Editor } from "./editor.js";
import { equationList } from "./equations.js";
import { wideFormula } from "./mathml.js";
import { Region } from "./region.js";
import { address, go, settle } from "./router.js";
import { TEMPERATURE, TOP_P, written } from "./writing.js";

const SETTLING = 200; // milliseconds without a move before the model is asked
const COUNT = 4;
const STEPS = 5;

export class MixView {
  title = "Mix";

  constructor(app) {
    this.app = app;
    this.mixer = new Region("Loading the topics …", { class: "mixer" });
    this.equations = new Region("Writing equations …");
    this.film = new Region("Writing the way from one to the other …");
    this.prefix = new Editor({
      id: "prefix", label: "They begin with", rows: 1, placeholder: "L =",
      oninput: () => this.moved(),
    });
    this.element = el("div", { class: "view" }, this.intro(), this.columns());
  }

  intro() {
    this.heading = el("h1", { tabindex: -1 }, "Mix topics, read equations");
    const lede = "A mixture of topics is a place between them. The model writes from there; move a"
      + " slider and it moves on.";
    return el("div", { class: "intro" }, this.heading, el("p", { class: "lede" }, lede));
  }

  columns() {
    const again = el("button", { type: "button", onclick: () => this.again() }, "Draw again");
    const controls = [this.mixer.element, this.prefix.element, this.heat()];
    const strip = "Always the most probable equation, step by step from one topic to the other.";
    return el(
      "div",
      { class: "results mix" },
      section("Mixture", ...controls, el("p", { class: "after" }, again)),
      section("Equations", this.equations.element),
      section("The way between", el("p", { class: "aside" }, strip), this.film.element),
    );
  }

  heat() {
    this.temperature = el("input", {
      type: "range", id: "temperature", min: 0.1, max: 1.5, step: 0.05,
      oninput: () => this.moved(),
    });
    this.degrees = el("output", { for: "temperature" });
    const label = el("label", { for: "temperature" }, "Temperature");
    return el("p", { class: "slider" }, label, this.degrees, this.temperature);
  }

  /** Show what an address asks for. */
  show({ params }, { entered }) {
    if (entered) this.heading.focus();
    if (!this.app.model.can.generate) return this.cannot();
    this.state = read(params);
    this.prefix.value = this.state.prefix;
    this.temperature.value = this.state.temperature;
    const shown = () => this.shown();
    return this.mixer.ask(() => get("topics"), (topics) => this.draw(topics), { shown });
  }

  draw(topics) {
    this.topics = topics;
    this.state.parts = known(this.state.parts, topics);
    return [...this.sliders(), this.adding()];
  }

  shown() {
    this.refresh(0);
    this.refocus();
  }

  /** The controls were made anew: back to the one that the person has used. */
  refocus() {
    if (this.used) this.mixer.element.querySelector(this.used)?.focus();
    this.used = null;
  }

  leave() {
    this.equations.stop();
    this.film.stop();
    this.filmed = null;
  }

  cannot() {
    const regions = [this.mixer, this.equations, this.film];
    for (const region of regions) region.clear(note("This run cannot write equations."));
  }

  // -- controls ----------------------------------------------------------------------------------

  sliders() {
    this.shares = new Map();
    this.bar = el("div", { class: "mixture", "aria-hidden": true });
    return [this.bar, ...this.state.parts.map((part) => this.slider(part))];
  }

  slider(part) {
    const id = `weight${part.topic}`;
    const share = el("output", { for: id });
    this.shares.set(part.topic, share);
    const range = el("input", {
      type: "range", id, min: 0, max: 100, value: part.weight,
      oninput: () => {
        part.weight = Number(range.value);
        this.moved();
      },
    });
    const name = el("label", { for: id }, this.label(part.topic));
    const several = this.state.parts.length > 1;
    return el("p", { class: "slider" }, name, share, range, several && this.remover(part));
  }

  remover(part) {
    const attributes = { type: "button", class: "plain", onclick: () => this.remove(part) };
    const told = { "aria-label": `Remove ${this.label(part.topic)}` };
    return el("button", { ...attributes, ...told }, "Remove");
  }

  adding() {
    const taken = new Set(this.state.parts.map(({ topic }) => topic));
    const free = this.topics.filter(({ topic }) => !taken.has(topic));
    free.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
    const options = free.map((one) => el("option", { value: one.topic }, nameOf(one)));
    const select = el("select", { id: "another" }, options);
    const add = () => this.add(Number(select.value));
    const button = el("button", { type: "button", onclick: add }, "Add");
    const label = el("label", { for: "another" }, "Another topic");
    return el("p", { class: "adding" }, label, select, button);
  }

  label(number) {
    return nameOf(this.topics.find(({ topic }) => topic === number));
  }

  add(topic) {
    this.used = `#weight${topic}`;
    this.change([...this.state.parts, { topic, weight: 50 }]);
  }

  remove(part) {
    this.used = "#another";
    this.change(this.state.parts.filter((other) => other !== part));
  }

  change(parts) {
    go(this.address({ parts }));
  }

  again() {
    this.state.seed += 1;
    this.moved();
  }

  /** A control has moved: the address follows, then the answers. */
  moved() {
    this.state.prefix = this.prefix.value;
    this.state.temperature = Number(this.temperature.value);
    settle(this.address());
    if (this.topics) this.refresh(SETTLING);
  }

  address(changes = {}) {
    const { parts, prefix, temperature, seed, steps } = { ...this.state, ...changes };
    const t = parts.map(({ topic, weight }) => `${topic}:${weight}`).join(",");
    return address("mix", null, {
      t, prefix, temperature: temperature === TEMPERATURE ? "" : temperature, seed: seed || "",
      steps: steps === STEPS ? "" : steps,
    });
  }

  // -- answers -----------------------------------------------------------------------------------

  refresh(delay) {
    const theta = normalised(this.state.parts);
    this.degrees.textContent = this.state.temperature.toFixed(2);
    for (const [topic, output] of this.shares) output.textContent = percent(theta[topic] ?? 0);
    const piece = ({ topic }) => styled(el("span"), { "--p": theta[topic] ?? 0 });
    this.bar.replaceChildren(...this.state.parts.map(piece));
    this.prefix.mend();
    this.write(theta, delay);
    this.unroll(delay);
  }

  write(theta, delay) {
    const { prefix, temperature, seed } = this.state;
    const silent = !Object.keys(theta).length;
    if (silent) return this.equations.clear(note("Move a slider: all are at zero."));
    const question = { theta, prefix, temperature, top_p: TOP_P, seed, count: COUNT };
    return this.ask(this.equations, question, (found) => equationList(found, written), delay);
  }

  unroll(delay) {
    const { parts, prefix, steps } = this.state;
    if (parts.length < 2) {
      this.filmed = null;
      return this.film.clear(note("Add a second topic to see the way between two."));
    }
    const [topic, to] = [parts[0].topic, parts.at(-1).topic];
    const question = { theta: topic, to, steps, prefix, greedy: true };
    const key = JSON.stringify(question);
    if (key === this.filmed) return undefined;
    this.filmed = key;
    return this.ask(this.film, question, (found) => this.strip(found, [topic, to]), delay);
  }

  ask(region, question, draw, delay) {
    const work = (signal) => ask("generate", question, signal).catch((error) => this.blame(error));
    const shown = (found) => (found ? draw(found) : note("Mend how they begin first."));
    return region.ask(work, shown, { delay });
  }

  /** A prefix that cannot be read is an error of its field. */
  blame(error) {
    if (error.status !== 400 || error.position === null) throw error;
    this.filmed = null;
    this.prefix.blame(error);
    return null;
  }

  strip(found, ends) {
    const frames = found.map((one, n) => frame(one, n / (found.length - 1)));
    const [from, to] = ends.map((topic) => el("p", { class: "end" }, this.label(topic)));
    return el("div", { class: "film" }, from, el("ol", {}, frames), to);
  }
}

function note(text) {
  return el("p", { class: "note" }, text);
}

function frame({ equation, mathml }, t) {
  const gauge = el("span", { class: "gauge", "aria-hidden": true });
  const share = el("small", {}, `${Math.round(100 * (1 - t))} : ${Math.round(100 * t)}`);
  const edge = el("span", { class: "edge" }, gauge, share);
  return styled(el("li", {}, edge, wideFormula(mathml, equation)), { "--p": t });
}

/** What an address says. */
function read(params) {
  const given = (params.get("t") ?? "").split(",").filter(Boolean).map((one) => one.split(":"));
  return {
    parts: unique(given.map(([topic, weight]) => part(Number(topic), weight))),
    prefix: params.get("prefix") ?? "",
    temperature: bounded(params.get("temperature"), 0.1, 1.5, TEMPERATURE),
    seed: bounded(params.get("seed"), 0, 1e9, 0),
    steps: bounded(params.get("steps"), 2, 12, STEPS),
  };
}

/** The parts whose topics this run has; without any, its two largest topics in equal parts. */
function known(parts, topics) {
  const heard = parts.filter((one) => topics.some(({ topic }) => topic === one.topic));
  const largest = [...topics].sort((a, b) => b.share - a.share).slice(0, 2);
  return heard.length ? heard : largest.map(({ topic }) => part(topic, 50));
}

function part(topic, weight) {
  return { topic, weight: bounded(weight, 0, 100, 50) };
}

function bounded(value, low, high, otherwise) {
  const number = value === null || value === undefined || value === "" ? NaN : Number(value);
  return Number.isFinite(number) ? Math.min(Math.max(number, low), high) : otherwise;
}

function unique(parts) {
  return [...new Map(parts.map((part) => [part.topic, part])).values()];
}

function normalised(parts) {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  const heard = parts.filter(({ weight }) => weight > 0);
  return Object.fromEntries(heard.map(({ topic, weight }) => [topic, weight / total]));
}
