"""What everybody knows: a run is asked for the topics of equations and the meanings of symbols.

In go the questions of research/questions (those of this project, and the paper's) and runs; out
come results/known.json and paper_tables.json, and the sections on them of docs/results.md.
"""

import re
from collections.abc import Iterable, Sequence
from math import comb
from pathlib import Path
from typing import Annotated

import numpy as np
import torch

from research.entries import (
    NOT_RUN,
    Entry,
    code,
    folded,
    keep,
    largest,
    lines,
    math,
    questions,
    read,
    run_name,
)
from research.runs import Floats, context_thetas, identity, opened, row_name
from topiceq.api import TopicEq
from topiceq.corpus.store import Corpus
from topiceq.errors import QuestionError
from topiceq.model.topics import topics_of
from topiceq.scores.fields import majority_fields
from topiceq.tasks.read import read_rows

TOPICS, PHRASES = 3, 5  # answers that are looked at
PUNCTUATION = (",", ".", ";")  # of the sentence that an equation stands in

# Four of the first sixty were in the corpus, token for token. These took their place when answers
# to the first sixty had been seen, so the others are also scored without them.
REPLACEMENTS = {"Minkowski's inequality", "chi-squared statistic", "Cramer's rule",
                "addition of velocities"}  # fmt: skip

# Fields of the corpus that are the same subject under another name, or a part of it.
SAME = {
    "algebra": {"alggeom"},
    "finance": {"econ"},
    "ml": {"rl"},
    "quantum": {"quantumcomputing"},
    "relativity": {"cosmology"},
    "statistics": {"probability"},
}


def known(
    run: Path,
    corpus: Path,
    *,
    bag: Annotated[Path | None, "another run to ask for the topics of equations"] = None,
    aligned: Annotated[Path | None, "asked for symbols in place of RUN"] = None,
    alone: Annotated[Path | None, "asked for symbols too; has no topics"] = None,
    threads: int = 1,
) -> None:
    """Well-known equations and symbols: does the model know what they are about?

    The questions are research/questions/equations.jsonl and symbols.jsonl; like every rule here
    they were fixed before any answer was seen, but for the four equations in REPLACEMENTS. RUN and
    --bag are asked for the topics of 60 equations; --aligned (RUN, if it is not given) and --alone
    for the meanings of 40 symbols. Writes results/known.json, one entry for each run, with all
    answers.

    A topic has the field that most train pairs belong to whose context is mostly about it. A symbol
    is asked for under the mean theta of the train pairs of its field.
    """
    torch.set_num_threads(threads)
    loaded, entries = Corpus.load(corpus), dict[Path, Entry]()
    folders = [("equations", run), ("equations", bag), ("symbols", aligned or run)]
    for what, folder in [*folders, ("symbols", alone)]:
        if folder is None:
            continue
        model = opened(folder, loaded)
        found = {"equations": known_equations, "symbols": known_symbols}[what](model, loaded)
        entries.setdefault(folder, identity(model, folder, loaded))[what] = found
        keep("known", entries.values())
        shares = {name: value for name, value in found.items() if not isinstance(value, list)}
        print(folder, what, shares, flush=True)


def likely_topics(model: TopicEq, equations: Sequence[str]) -> list[list[tuple[int, float]]]:
    """The first topics of each equation, with their probabilities."""
    found = np.asarray(model.infer(equations=list(equations)))
    best = np.argsort(-found, axis=1, kind="stable")[:, :TOPICS].tolist()
    return [[(k, round(float(p[k]), 3)) for k in ks] for ks, p in zip(best, found, strict=True)]


def phrases_of(
    model: TopicEq, symbol: str, theta: Floats | int | None, count: int, by: str = "alignment"
) -> list[str]:
    """The first phrases for a symbol; none if the run does not know it."""
    try:
        found = model.explain(symbol, theta=theta, count=count, by=by)
    except QuestionError:
        return []
    return [phrase.phrase for phrase in found]


# -- sixty equations ----------------------------------------------------------------------------


def known_equations(model: TopicEq, corpus: Corpus) -> Entry:
    """The accuracy of a run on the equations, and all its answers."""
    of_pairs = corpus.train.column("field").to_pylist()
    fields = topic_fields(context_thetas(model, corpus.train), of_pairs)
    answers = equation_answers(model, fields)
    first_choice = [answer for answer in answers if answer["name"] not in REPLACEMENTS]
    in_corpus = verbatim(model, corpus)
    elsewhere = [answer for answer in answers if answer["name"] not in in_corpus["whole"]]
    return {
        "asked": len(answers),
        "field": accuracy(answers, fields, {}),
        "subject": accuracy(answers, fields, SAME),
        "first_choice": accuracy(first_choice, fields, {}) | {"asked": len(first_choice)},
        "not_in_corpus": accuracy(elsewhere, fields, {}) | {"asked": len(elsewhere)},
        "in_corpus": in_corpus,
        "topic_fields": fields,
        "answers": answers,
    }


def topic_fields(theta: Floats, fields: Sequence[str]) -> list[str]:
    """The field of each topic, "" for one that no context is mostly about."""
    labelled = [pair for pair, field in enumerate(fields) if field]
    found = majority_fields(theta[labelled].argmax(1), [fields[pair] for pair in labelled])
    return [found.get(topic, "") for topic in range(theta.shape[1])]


def equation_answers(model: TopicEq, fields: Sequence[str]) -> list[Entry]:
    """The most likely topics of every equation, with their fields."""
    asked, topics = questions("equations"), model.topics()
    found = likely_topics(model, [question["equation"] for question in asked])
    return [
        {**question, "topics": [
            {"topic": k, "label": topics[k].label, "field": fields[k], "p": p} for k, p in best
        ]}
        for question, best in zip(asked, found, strict=True)
    ]  # fmt: skip


def accuracy(answers: list[Entry], fields: Sequence[str], same: dict[str, set[str]]) -> Entry:
    """How often the field is that of the first topic, and of one of the first three."""
    right = [{answer["field"]} | same.get(answer["field"], set()) for answer in answers]
    hits = [[topic["field"] in allowed for topic in answer["topics"]]
            for answer, allowed in zip(answers, right, strict=True)]  # fmt: skip
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
    asked = {question["name"]: spaced(read_rows(question["equation"], model.run.tokens)[0].tokens)
             for question in questions("equations")}  # fmt: skip
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


# -- forty symbols ------------------------------------------------------------------------------


def known_symbols(model: TopicEq, corpus: Corpus) -> Entry:
    """The share of symbols whose meaning is among the first phrases, and all answers."""
    theta = {} if model.run.model.theta is None else field_thetas(model, corpus)
    answers = symbol_answers(model, theta, by="alignment")
    sayable = [any(means(p, answer["meaning"]) for p in model.run.phrases) for answer in answers]
    return {
        "asked": len(answers),
        "top5": mean(answer["place"] is not None for answer in answers),
        "top1": mean(answer["place"] == 1 for answer in answers),
        "exact": mean(answer["exact"] for answer in answers),
        "among_the_phrases": sum(sayable),
        "answers": answers,
    }


def field_thetas(model: TopicEq, corpus: Corpus) -> dict[str, Floats]:
    """The mean theta of the train pairs of each field."""
    theta = context_thetas(model, corpus.train)
    fields = np.array(corpus.train.column("field").to_pylist(), dtype=object)
    return {field: theta[fields == field].mean(0) for field in sorted(set(fields)) if field}


def symbol_answers(model: TopicEq, theta: dict[str, Floats], *, by: str) -> list[Entry]:
    """The meanings of every symbol; those of a run without topics know no field."""
    answers = []
    for question in questions("symbols"):
        under, meaning = theta.get(question["field"]), question["meaning"]
        phrases = phrases_of(model, question["symbol"], under, PHRASES, by)
        place = next((n for n, phrase in enumerate(phrases, 1) if means(phrase, meaning)), None)
        exact = any(words(phrase) == words(meaning) for phrase in phrases)
        answers.append({**question, "phrases": phrases, "place": place, "exact": exact})
    return answers


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


# -- the paper's tables -------------------------------------------------------------------------

SUBJECTS = {
    "astrophysics": "star stars stellar galaxy galaxies luminosity",
    "graph theory": "graph graphs vertex vertices edge edges",
    "optimisation": "optimal optimization convex objective constraints minimize",
    "statistics": "variance estimator sample likelihood regression data",
    "mechanics": "force mass acceleration momentum velocity energy",
    "probability": "random probability distribution variable expected variance",
}
INTERPOLATIONS = [("G", "astrophysics", "graph theory"), ("L =", "optimisation", "statistics")]
SYMBOLS = ["E", "M", "p", "T", "V", r"\sigma", "|"]
EXPLAINED = ["mechanics", "probability", "graph theory"]
STEPS, MEANINGS, WORDS = 5, 3, 7


def paper_tables(
    run: Path,
    corpus: Path,
    *,
    bag: Path,
    alone: Annotated[Path, "explains symbols without topics"],
    aligned: Annotated[Path | None, "explains symbols in place of RUN"] = None,
    topic: Annotated[tuple[str, ...], "SUBJECT=TOPIC, such as 'graph theory=7'"] = (),
    threads: int = 1,
) -> None:
    """The paper's tables of answers: topics of equations, interpolations, meanings of symbols.

    RUN and --bag are asked for the topics of the equations of the paper's inference table; RUN
    writes greedily along the paper's two interpolations; --aligned (RUN, if it is not given) tells
    what the paper's symbols mean under three topics, beside --alone, which has no topics. A
    subject's topic is the one that gives most probability to the subject's words (SUBJECTS), unless
    --topic names another. Writes results/paper_tables.json, one entry for each run; whether an
    answer is right is for a reader to say, in research/questions/verdicts.jsonl.
    """
    torch.set_num_threads(threads)
    loaded = Corpus.load(corpus)
    models = (opened(folder, loaded) for folder in (run, bag, aligned or run, alone))
    model, of_bag, with_topics, without = models
    chosen = {name: int(number) for name, number in (pair.split("=") for pair in topic)}
    entry = identity(model, run, loaded) | {
        "inference": [inference(model), inference(of_bag)],
        "interpolations": interpolations(model, chosen),
        "symbols": symbols(with_topics, without, chosen),
    }
    keep("paper_tables", [entry])
    for table in entry["inference"]:
        print(table["row"], "renamed Taylor has the same topic:", table["same_taylor"])


def topic_of(model: TopicEq, subject: str, chosen: dict[str, int]) -> int:
    """The topic of a subject: the one that was chosen, or the one with most of its words."""
    if subject in chosen:
        return chosen[subject]
    vocabulary = set(model.run.words)
    own = [word for word in SUBJECTS[subject].split() if word in vocabulary]
    return int(topics_of(model.run.model)[:, model.run.words.encode(own)].sum(1).argmax())


def described(model: TopicEq, topic: int) -> Entry:
    """A topic as the tables show it."""
    shown = model.topics(words=WORDS)[topic]
    return {"topic": topic, "label": shown.label, "words": shown.words}


def inference(model: TopicEq) -> Entry:
    """The most likely topics of the paper's equations."""
    asked = questions("paper")
    found = likely_topics(model, [question["equation"] for question in asked])
    rows: list[Entry] = [
        {**question, "topics": [described(model, k) | {"p": p} for k, p in best]}
        for question, best in zip(asked, found, strict=True)
    ]
    taylor = {row["topics"][0]["topic"] for row in rows if row["name"].startswith("Taylor")}
    return {"row": row_name(model), "equations": rows, "same_taylor": len(taylor) == 1}


def interpolations(model: TopicEq, chosen: dict[str, int]) -> list[Entry]:
    """What is written between two subjects, point by point."""
    found = []
    for prefix, *subjects in INTERPOLATIONS:
        first, last = (topic_of(model, subject, chosen) for subject in subjects)
        written = model.generate(first, to=last, steps=STEPS, prefix=prefix)
        points = [{"t": i / (STEPS - 1), "equation": e.equation} for i, e in enumerate(written)]
        ends = [{"subject": subject} | described(model, topic)
                for subject, topic in zip(subjects, (first, last), strict=True)]  # fmt: skip
        found.append({"prefix": prefix, "ends": ends, "points": points})
    return found


def symbols(aligned: TopicEq, alone: TopicEq, chosen: dict[str, int]) -> Entry:
    """What the paper's symbols mean under three topics, and without any."""
    topics = {subject: topic_of(aligned, subject, chosen) for subject in EXPLAINED}
    rows = [
        {
            "symbol": symbol,
            "alone": phrases_of(alone, symbol, None, MEANINGS),
            "topics": [phrases_of(aligned, symbol, topic, MEANINGS) for topic in topics.values()],
        }
        for symbol in SYMBOLS
    ]
    heads = [{"subject": s} | described(aligned, topic) for s, topic in topics.items()]
    return {"aligned": row_name(aligned), "alone": row_name(alone), "topics": heads, "rows": rows}


# -- on the page --------------------------------------------------------------------------------

READ = 7  # words that a verdict is about


def with_answers(what: str) -> list[Entry]:
    """The runs that were asked for equations, or for symbols."""
    return sorted((e for e in read("known") if what in e), key=lambda e: e["topics"])


def known_equations_shown() -> str:
    """How many fields each run finds, and what it says where it is wrong."""
    entries = with_answers("equations")
    if not entries:
        return NOT_RUN
    heads = ["run", "first topic", "one of three", "same subject, first", "one of three",
             "by chance", "with a topic of their field"]  # fmt: skip
    asked = entries[-1]["equations"]
    found, others = asked["in_corpus"]["whole"], asked["not_in_corpus"]
    in_corpus = (
        f"In the corpus, token for token: {', '.join(found) or 'none of them'}. On the other "
        f"{others['asked']}, first topic and one of three: {others['top1']:.0%} and "
        f"{others['top3']:.0%}."
    )
    notes = f"{_first_choice(entries)} {in_corpus}"
    table = lines(heads, map(_equation_row, entries))
    return "\n\n".join([table, notes, _all_equations(largest(entries))])


def _equation_row(entry: Entry) -> list[str]:
    found = entry["equations"]
    field, subject = found["field"], found["subject"]
    shares = [field["top1"], field["top3"], subject["top1"], subject["top3"]]
    chance = f"{field['chance_top1']:.0%}, {field['chance_top3']:.0%}"
    topics = f"{field['has_a_topic']} of {found['asked']}"
    return [run_name(entry), *(f"{share:.0%}" for share in shares), chance, topics]


def _first_choice(entries: list[Entry]) -> str:
    """The same shares without the equations that were chosen late."""
    first = [(entry, entry["equations"]["first_choice"]) for entry in entries]
    shares = [f"{run_name(e)}: {found['top1']:.0%} and {found['top3']:.0%}" for e, found in first]
    return (
        "Four of the first sixty were in the corpus and were replaced by others of the same "
        "fields, when answers to the first sixty had already been seen. On the "
        f"{first[0][1]['asked']} that stayed, first topic and one of three: {'; '.join(shares)}."
    )


def _all_equations(entry: Entry | None) -> str:
    if entry is None:
        return ""
    rows = [
        [answer["field"], answer["name"], _right(answer), "; ".join(
            f"{t['label']} ({t['field'] or 'none'}, {t['p']:.2f})" for t in answer["topics"]
        )]
        for answer in entry["equations"]["answers"]
    ]  # fmt: skip
    heads = ["field", "equation", "right", "topics (field of the topic, probability)"]
    return folded(f"All answers of {run_name(entry)}", lines(heads, rows))


def _right(answer: Entry) -> str:
    places = [n for n, t in enumerate(answer["topics"], 1) if t["field"] == answer["field"]]
    return {1: "first", None: "no"}.get(places[0] if places else None, "in three")


def known_symbols_shown() -> str:
    """How many meanings each run finds, and all that it says."""
    entries = with_answers("symbols")
    if not entries:
        return NOT_RUN
    heads = ["run", "among five phrases", "first", "among five, the phrase itself",
             "among its 2,000 phrases"]  # fmt: skip
    return f"{lines(heads, map(_symbol_row, entries))}\n\n{_all_symbols(largest(entries))}"


def _symbol_row(entry: Entry) -> list[str]:
    found = entry["symbols"]
    shares = [found[name] for name in ("top5", "top1", "exact")]
    sayable = f"{found['among_the_phrases']} of {found['asked']}"
    return [run_name(entry), *(f"{share:.0%}" for share in shares), sayable]


def _all_symbols(entry: Entry | None) -> str:
    if entry is None:
        return ""
    rows = [
        [math(answer["symbol"]), answer["field"], answer["meaning"], str(answer["place"] or "no"),
         ", ".join(answer["phrases"]) or "does not know the symbol"]
        for answer in entry["symbols"]["answers"]
    ]  # fmt: skip
    heads = ["symbol", "field", "meaning", "place", "phrases"]
    return folded(f"All answers of {run_name(entry)}", lines(heads, rows))


def paper_equations_shown() -> str:
    """The paper's inference table, for the equation decoder and for the bag of tokens."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    tables = entry["inference"]
    # what a reader has said of topics for equations: right, vague or wrong
    verdicts = {(v["equation"], v["words"]): v["verdict"] for v in questions("verdicts")}
    rows = [
        [answers[0]["name"], math(answers[0]["equation"]), *(_topic(a, verdicts) for a in answers)]
        for answers in zip(*(table["equations"] for table in tables), strict=True)
    ]
    heads = ["", "equation", *(table["row"] for table in tables)]
    same = [f"{t['row']} {'does' if t['same_taylor'] else 'does not'}" for t in tables]
    taylor = f"Gives both forms of Taylor's series the same topic: {', '.join(same)}."
    return "\n\n".join([f"Run: {run_name(entry)}.", lines(heads, rows), taylor])


def _topic(answer: Entry, verdicts: dict[tuple[str, str], str]) -> str:
    """The first topic of an equation, its first words, and the verdict on them."""
    best = answer["topics"][0]
    first = " ".join(best["words"][:READ])
    return f"{first} ({best['p']:.2f}): **{verdicts.get((answer['name'], first), 'not read yet')}**"


def paper_symbols_shown() -> str:
    """The paper's symbols under three topics, beside a run without topics."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    table = entry["symbols"]
    heads = ["symbol", "without topics"]
    heads += [f"{t['subject']}: {' '.join(t['words'][:4])}" for t in table["topics"]]
    rows = [
        [code(row["symbol"]), *(", ".join(phrases) for phrases in (row["alone"], *row["topics"]))]
        for row in table["rows"]
    ]
    names = f"Runs: {table['aligned']} and {table['alone']}, K = {entry['topics']}."
    return f"{names}\n\n{lines(heads, rows)}"
