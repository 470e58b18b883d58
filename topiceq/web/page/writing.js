/** Equations that the model writes on demand: a few at first, more with every push of a button. */

import { ask } from "./api.js";
import { el, section } from "./dom.js";
import { equationItem, equationList } from "./equations.js";
import { Region } from "./region.js";

export const TEMPERATURE = 0.8; // a little calmer than the model itself: more of it reads well
export const TOP_P = 0.9; // and without what it holds for least likely

/** What is said about a written equation: only if it is not whole. */
export function written({ finished }) {
  return finished === false ? "cut off at the limit of length" : "";
}

/** A section that writes equations for `question`, three at first. */
export class Writing {
  constructor(app, title) {
    this.app = app;
    this.region = new Region("Writing equations …");
    this.button = el("button", { type: "button", onclick: () => this.more() }, "Write three more");
    this.element = section(title, this.region.element, el("p", { class: "after" }, this.button));
    this.button.hidden = true;
  }

  /** Begin anew. */
  start(question) {
    this.question = question;
    this.seed = 0;
    this.button.hidden = true;
    if (!this.app.model.can.generate) return this.cannot();
    const work = (signal) => this.write(signal);
    return this.region.ask(work, (found) => this.first(found));
  }

  /** Equations that were written beforehand. */
  given(equations) {
    this.region.clear(equations?.length ? equationList(equations, written) : needsServer());
  }

  cannot() {
    this.region.clear(el("p", { class: "note" }, "This run cannot write equations."));
  }

  write(signal) {
    const how = { count: 3, temperature: TEMPERATURE, top_p: TOP_P, seed: this.seed };
    return ask("generate", { ...this.question, ...how }, signal);
  }

  first(found) {
    this.button.hidden = false;
    return (this.list = equationList(found, written));
  }

  async more() {
    this.seed += 1;
    const list = this.list;
    await this.region.ask((signal) => this.write(signal), (found) => {
      list.append(...found.map((one) => equationItem(one, written(one))));
      return list;
    });
  }
}

/** Said wherever a model must be asked, and there is none. */
export function needsServer() {
  const told = "This copy of the explorer is a folder of files, with no model behind it. Run ";
  return el("p", { class: "note" }, told, el("code", {}, "topiceq serve"), " to ask one.");
}
