/** Symbols and what they mean. */

import { el, percent, styled } from "./dom.js";
import { formula } from "./mathml.js";

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

function meaning({ phrase, p, source, articles = [] }) {
  const told = p === undefined || source === "text" ? `from the ${source}` : percent(p);
  const note = source === "constant" || source === "index" ? source : told;
  const why = articles.map(({ article, sentence }) => `${article}: ${sentence}`).join("\n");
  return styled(el("span", { title: why }, phrase, " ", el("small", {}, note)), { "--p": p ?? 0 });
}
