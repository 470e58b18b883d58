/** Symbols and what they mean: how sure that is, and what it rests on. */

import { ask } from "./api.js";
import { el, percent, styled } from "./dom.js";
import { formula } from "./mathml.js";

const SURE = 0.5; // p of a meaning that is more likely right than not
const LIKELY = 0.2; // and of one that is worth a mention
const FORMULA = /\$([^$]+)\$/;

/** "sure", "likely" or nothing: what the text says and what holds everywhere is sure. */
export function sureness({ p, source }) {
  if (source !== "lexicon" && source !== "alignment") return "sure";
  return p >= SURE ? "sure" : p >= LIKELY ? "likely" : "";
}

/** A table of symbols: each with its meanings, the most probable first. */
export function symbolTable(symbols) {
  if (!symbols.length) return el("p", { class: "note" }, "No symbol here has a known meaning.");
  return el("dl", { class: "symbols" }, symbols.map(entry));
}

function entry({ symbol, mathml, phrases }) {
  const meanings = phrases.map((phrase) => el("dd", {}, meaning(phrase)));
  const unknown = el("dd", { class: "unknown" }, "not known");
  return el("div", {}, el("dt", {}, formula(mathml, symbol)), meanings.length ? meanings : unknown);
}

/** A meaning; what it rests on is opened with it. */
export function meaning(phrase, { open = false } = {}) {
  const { p, source, sentence, articles = [] } = phrase;
  const told = p === undefined || source === "text" ? `from the ${source}` : percent(p);
  const note = source === "constant" || source === "index" ? source : told;
  const name = [phrase.phrase, " ", el("small", {}, note)];
  const sources = [...(sentence ? [{ sentence }] : []), ...articles];
  if (!sources.length) return el("span", { class: sureness(phrase) }, name);
  const list = el("ul", { class: "sources" });
  const show = () => list.childElementCount || list.append(...sources.map(quote));
  const details = el(
    "details",
    { class: sureness(phrase), ontoggle: show, open },
    el("summary", {}, name), list,
  );
  if (open) show();
  return details;
}

/** A sentence of an article, and which one; its formulas are drawn when somebody looks. */
function quote({ article, sentence, link }) {
  const parts = sentence.split(FORMULA).map((part, n) => (n % 2 ? inline(part) : part));
  const where = link ? el("a", { href: link, rel: "noreferrer" }, article) : el("cite", {}, article);
  return el("li", {}, el("q", {}, parts), article && [" ", where]);
}

function inline(latex) {
  const source = el("code", {}, latex);
  const draw = ({ mathml }) => source.replaceWith(formula(mathml.replace(' display="block"', ""), latex));
  ask("render", { equation: latex }).then(draw, () => {}); // else its source stays
  return styled(source, {});
}
