/** Probabilities as bars: of words, and of topics to choose from. */

import { el, nameOf, percent, styled } from "./dom.js";

/** Words by how probable they are, each on a rule as long as that. */
export function wordBars(words) {
  const weights = [...words].sort((a, b) => b.p - a.p);
  const most = Math.max(...weights.map(({ p }) => p));
  return el(
    "ol",
    { class: "words" },
    weights.map(({ word, p }) => {
      const item = el("li", {}, el("span", {}, word), " ", el("small", {}, percent(p)));
      return styled(item, { "--p": p / most });
    }),
  );
}

/** Topics as bars, to choose one; `choose` is called with its number. */
export function topicChoices(topics, legend, choose) {
  const most = Math.max(...topics.map(({ p }) => p));
  const rows = topics.map((topic) => choice(topic, topic.p / most));
  const change = (event) => choose(Number(event.target.value));
  return el("fieldset", { class: "choices", onchange: change }, el("legend", {}, legend), rows);
}

/** Choose the topic that an address asks for, or the first if it is not among them. */
export function check(choices, asked) {
  const radios = [...choices.querySelectorAll("input")];
  const radio = radios.find(({ value }) => value === asked) ?? radios[0];
  radio.checked = true;
  return Number(radio.value);
}

function choice({ topic, label, p, words }, length) {
  const radio = el("input", { type: "radio", name: "topic", value: topic });
  const others = words.filter((word) => !label.split(" ").includes(word));
  return styled(
    el(
      "label",
      { class: "choice" },
      radio,
      el("span", { class: "name" }, nameOf({ topic, label })),
      el("span", { class: "p" }, percent(p)),
      el("span", { class: "track", "aria-hidden": true }),
      el("small", {}, others.slice(0, 5).join(", ")),
    ),
    { "--p": length },
  );
}
