"""Well-known equations and symbols: does the model know what they are about?

    python benchmarks/known.py RUN CORPUS [--bag RUN] [--aligned RUN] [--alone RUN]

The questions are tests/data/equations.jsonl and symbols.jsonl; like every rule here they were fixed
before any answer was seen, but for the four equations in REPLACEMENTS. RUN and --bag are asked for
the topics of 60 equations; --aligned (RUN, if it is not given) and --alone, which has no topics,
for the meanings of 40 symbols. Writes results/known.json, one entry for each run, with all answers.

A topic has the field that most train pairs belong to whose context is mostly about it. A symbol is
asked for under the mean theta of the train pairs of its field.
"""

import json
import re
from collections.abc import Iterable, Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from asked import Entry, Floats, arguments, context_thetas, identity, opened, use_threads
from trained import RESULTS, keep

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.errors import QuestionError
from topiceq.scores.fields import majority_fields
from topiceq.tasks.question import read_equation

DATA = Path(__file__).parents[1] / "tests" / "data"
TOPICS, PHRASES = 3, 5  # answers that are looked at
PUNCTUATION = (",", ".", ";")  # of the sentence that an equation stands in

# Four of the first sixty were in the corpus, token for token. These took their place when answers
# to the first sixty had been seen, so the others are also scored without them.
REPLACEMENTS = {
    "Minkowski's inequality",
    "chi-squared statistic",
    "Cramer's rule",
    "addition of velocities",
}

# Fields of the corpus that are the same subject under another name, or a part of it.
SUBJECTS = {
    "algebra": {"alggeom"},
    "finance": {"econ"},
    "ml": {"rl"},
    "quantum": {"quantumcomputing"},
    "relativity": {"cosmology"},
    "statistics": {"probability"},
}


def questions(name: str) -> list[dict[str, str]]:
    """The lines of a file of questions."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# -- equations ----------------------------------------------------------------------------------


def topic_fields(theta: Floats, fields: Sequence[str]) -> list[str]:
    """The field of each topic, "" for one that no context is mostly about."""
    known = [pair for pair, field in enumerate(fields) if field]
    found = majority_fields(theta[known].argmax(1), [fields[pair] for pair in known])
    return [found.get(topic, "") for topic in range(theta.shape[1])]


def equation_answers(model: TopicEq, fields: Sequence[str]) -> list[Entry]:
    """The most likely topics of every equation, with their fields."""
    asked, topics = questions("equations"), model.topics()
    found = np.asarray(model.infer(equations=[one["equation"] for one in asked]))
    answers = []
    for question, p in zip(asked, found, strict=True):
        best = np.argsort(-p, kind="stable")[:TOPICS].tolist()
        told = [
            {"topic": k, "label": topics[k].label, "field": fields[k], "p": round(float(p[k]), 3)}
            for k in best
        ]
        answers.append({**question, "topics": told})
    return answers


def accuracy(answers: list[Entry], fields: Sequence[str], subjects: dict[str, set[str]]) -> Entry:
    """How often the field is that of the first topic, and of one of the first three."""
    right = [{one["field"]} | subjects.get(one["field"], set()) for one in answers]
    hits = [[topic["field"] in allowed for topic in one["topics"]]
            for one, allowed in zip(answers, right, strict=True)]  # fmt: skip
    fitting = [sum(field in allowed for field in fields) for allowed in right]
    return {
        "top1": mean(hit[0] for hit in hits),
        "top3": mean(any(hit) for hit in hits),
        "chance_top1": mean(by_chance(count, len(fields), 1) for count in fitting),
        "chance_top3": mean(by_chance(count, len(fields), TOPICS) for count in fitting),
        "has_a_topic": sum(count > 0 for count in fitting),
    }


def by_chance(fitting: int, topics: int, drawn: int) -> float:
    """The probability that one of the drawn topics fits.

    >>> by_chance(1, 4, 1), by_chance(0, 4, 3), by_chance(2, 4, 3)
    (0.25, 0.0, 1.0)
    """
    return 1 - comb(topics - fitting, drawn) / comb(topics, drawn)


def mean(values: Iterable[float]) -> float:
    """Rounded, as results are kept."""
    return round(float(np.mean([float(value) for value in values])), 4)


def verbatim(model: TopicEq, corpus: Corpus) -> dict[str, list[str]]:
    """Which equations are in the corpus: as a whole equation, or as a part of one."""
    texts = [spaced(tokens) for split in (corpus.train, corpus.valid, corpus.test)
             for tokens in split.column("tokens").to_pylist()]  # fmt: skip
    whole, everything = set(texts), "\n".join(texts)
    asked = {one["name"]: spaced(read_equation(one["equation"], model.run.tokens).tokens)
             for one in questions("equations")}  # fmt: skip
    return {
        "whole": [name for name, text in asked.items() if text in whole],
        "part": [name for name, text in asked.items() if text in everything],
    }


def spaced(tokens: Sequence[str]) -> str:
    """Tokens as text in which only whole tokens can be found.

    >>> spaced(["x", "=", "1", "."])
    ' x = 1 '
    """
    end = len(tokens)
    while end and tokens[end - 1] in PUNCTUATION:
        end -= 1
    return f" {' '.join(tokens[:end])} "


def known_equations(model: TopicEq, corpus: Corpus) -> Entry:
    """The accuracy of a run on the equations, and all its answers."""
    of_pairs = corpus.train.column("field").to_pylist()
    fields = topic_fields(context_thetas(model, corpus.train), of_pairs)
    answers = equation_answers(model, fields)
    first_choice = [one for one in answers if one["name"] not in REPLACEMENTS]
    return {
        "asked": len(answers),
        "field": accuracy(answers, fields, {}),
        "subject": accuracy(answers, fields, SUBJECTS),
        "first_choice": accuracy(first_choice, fields, {}) | {"asked": len(first_choice)},
        "in_corpus": verbatim(model, corpus),
        "topic_fields": fields,
        "answers": answers,
    }


# -- symbols ------------------------------------------------------------------------------------


def field_thetas(model: TopicEq, corpus: Corpus) -> dict[str, Floats]:
    """The mean theta of the train pairs of each field."""
    theta = context_thetas(model, corpus.train)
    fields = np.array(corpus.train.column("field").to_pylist(), dtype=object)
    return {field: theta[fields == field].mean(0) for field in sorted(set(fields)) if field}


def symbol_answers(model: TopicEq, theta: dict[str, Floats], *, paper_order: bool) -> list[Entry]:
    """The meanings of every symbol; those of a run without topics know no field."""
    answers = []
    for question in questions("symbols"):
        under = theta.get(question["field"])
        told = meanings(model, question["symbol"], under, paper_order)
        place = next((n for n, p in enumerate(told, 1) if means(p, question["meaning"])), None)
        exact = any(words(phrase) == words(question["meaning"]) for phrase in told)
        answers.append({**question, "phrases": told, "place": place, "exact": exact})
    return answers


def meanings(model: TopicEq, symbol: str, theta: Floats | None, paper_order: bool) -> list[str]:
    """The first phrases for a symbol; none if the run does not know it."""
    try:
        found = model.explain(symbol, theta=theta, count=PHRASES, paper_order=paper_order)
    except QuestionError:
        return []
    return [phrase.phrase for phrase in found]


def words(phrase: str) -> list[str]:
    """The words of a phrase in small letters and in the singular.

    >>> words("Christoffel symbols"), words("mass")
    (['christoffel', 'symbol'], ['mass'])
    """
    found = re.findall(r"\w+", phrase.lower())
    return [re.sub(r"(?<=..[^s])s$", "", word) for word in found]


def means(phrase: str, meaning: str) -> bool:
    """Whether the words of the meaning stand in the phrase, one after the other.

    >>> means("energy levels", "energy"), means("loss", "loss function")
    (True, False)
    """
    inner, outer = words(meaning), words(phrase)
    return any(outer[i : i + len(inner)] == inner for i in range(len(outer)))


def known_symbols(model: TopicEq, corpus: Corpus) -> Entry:
    """The share of symbols whose meaning is among the first phrases, and all answers."""
    theta = {} if model.run.model.theta is None else field_thetas(model, corpus)
    answers = symbol_answers(model, theta, paper_order=False)
    by_p = symbol_answers(model, theta, paper_order=True)
    sayable = [any(means(p, one["meaning"]) for p in model.run.phrases) for one in answers]
    return {
        "asked": len(answers),
        "top5": mean(one["place"] is not None for one in answers),
        "top1": mean(one["place"] == 1 for one in answers),
        "exact": mean(one["exact"] for one in answers),
        "top5_paper_order": mean(one["place"] is not None for one in by_p),
        "among_the_phrases": sum(sayable),
        "answers": answers,
    }


# -- the command --------------------------------------------------------------------------------


def main() -> None:
    """Ask every run what it can answer; print the shares."""
    parser = arguments(__doc__)
    for name in ("bag", "aligned", "alone"):
        parser.add_argument(f"--{name}", type=Path)
    told = parser.parse_args()
    use_threads(told.threads)
    corpus, entries = Corpus.load(told.corpus), dict[Path, Entry]()
    for folder in filter(None, (told.run, told.bag)):
        _ask(entries, folder, corpus, "equations")
    for folder in filter(None, (told.aligned or told.run, told.alone)):
        _ask(entries, folder, corpus, "symbols")


def _ask(entries: dict[Path, Entry], folder: Path, corpus: Corpus, what: str) -> None:
    """Put a run's answers into its entry, and keep it."""
    model = opened(folder, corpus)
    found = {"equations": known_equations, "symbols": known_symbols}[what](model, corpus)
    entries.setdefault(folder, identity(model, folder, corpus))[what] = found
    keep(RESULTS / "known.json", entries.values())
    print(folder, what, _without_answers(found), flush=True)


def _without_answers(found: Entry) -> dict[str, Any]:
    return {name: value for name, value in found.items() if not isinstance(value, list)}


if __name__ == "__main__":
    main()
