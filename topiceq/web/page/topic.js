/** One topic: its words, symbols, typical and written equations, and its relatives. */

import { get, isStatic } from "./api.js";
import { wordBars } from "./bars.js";
import { el, nameOf, percent, section } from "./dom.js";
import { equationList, source } from "./equations.js";
import { Region } from "./region.js";
import { address } from "./router.js";
import { symbolTable } from "./symbols.js";
import { Writing } from "./writing.js";

const FEW = 5; // typical equations before "show all"

export class TopicSheet {
  constructor(app) {
    this.app = app;
    this.region = new Region("Opening the topic …");
    const back = el("a", { class: "back", href: address("topics") }, "Whole map");
    this.element = el("article", { class: "sheet" }, back, this.region.element);
    this.element.hidden = true;
  }

  /** Show a topic, at once what is known of it; `shown` is called once all of it stands there. */
  show(id, known, shown) {
    this.leave();
    this.element.hidden = false;
    this.region.clear(...(known ? [this.head(known)] : []));
    const asked = () => get(`topics/${encodeURIComponent(id)}`);
    return this.region.ask(asked, (topic) => this.draw(topic), { shown });
  }

  /** Hide, and stop writing. */
  leave() {
    this.element.hidden = true;
    this.region.stop();
    this.writing?.region.stop();
  }

  draw(topic) {
    this.writing = new Writing(this.app, "Written by the model");
    if (isStatic) this.writing.given(topic.generated);
    else this.writing.start({ theta: topic.topic });
    const symbols = "Symbols and what they mean here";
    return [
      this.head(topic),
      section("Words", wordBars(topic.weights)),
      section("Typical equations of the corpus", ...typical(topic.equations)),
      ...(topic.symbols.length ? [section(symbols, symbolTable(topic.symbols))] : []),
      this.writing.element,
      section("Related topics", relatives(topic.related)),
    ];
  }

  head(topic) {
    this.heading = el("h1", { tabindex: -1 }, nameOf(topic));
    const eyebrow = `Topic ${topic.topic}, ${percent(topic.share)} of the corpus`;
    return el("header", {}, el("p", { class: "eyebrow" }, eyebrow), this.heading);
  }
}

function typical(equations) {
  if (!equations.length) {
    return [el("p", { class: "note" }, "This run keeps no equations of its corpus.")];
  }
  const list = equationList(equations, source);
  const rest = [...list.children].slice(FEW);
  if (!rest.length) return [list];
  const hide = (hidden) => rest.forEach((item) => (item.hidden = hidden));
  hide(true);
  const all = el("button", { type: "button" }, `Show all ${equations.length}`);
  all.addEventListener("click", () => {
    hide(false);
    all.remove();
  });
  return [list, el("p", { class: "after" }, all)];
}

function relatives(related) {
  const link = (one) => el("a", { href: address("topics", one.topic) }, nameOf(one));
  return el("ul", { class: "relatives" }, related.map((one) => el("li", {}, link(one))));
}
