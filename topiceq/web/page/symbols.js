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

function meaning({ phrase, p, source }) {
  const told = source === "model" ? percent(p) : `${percent(p)}, from the ${source}`;
  return styled(el("span", {}, phrase, " ", el("small", {}, told)), { "--p": p });
}
