"""What symbols mean, asked of held-out articles: what their text says, and what the lexicon adds.

In go the questions of research/questions/meanings.jsonl (symbols of test articles with the meanings
that a reader wrote down before any answer was seen), a run with a lexicon, and the sources; out
comes results/meanings.json with every answer, and a section of docs/results.md.
"""

import time
from collections.abc import Container, Iterator, Sequence
from itertools import product
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
from research.known import (
    EXPLAINED,
    SYMBOLS,
    described,
    field_thetas,
    mean,
    phrases_of,
    symbol_answers,
    topic_of,
)
from research.runs import identity, opened
from topiceq.api import TopicEq
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import parse
from topiceq.article.equation.rows import rows
from topiceq.article.equation.symbol import Occurrence, Symbol, head, occurrences
from topiceq.article.pieces import Display
from topiceq.article.prose import Text
from topiceq.article.scope import Definitions
from topiceq.article.scope import Entry as Found
from topiceq.article.source import Article, sources
from topiceq.corpus.definition import defined_in
from topiceq.corpus.extract import texts
from topiceq.corpus.merging import core_words, merged_words
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError
from topiceq.model.held_out import context_thetas
from topiceq.model.lexicon import SILENT, SURE, is_general, letters
from topiceq.model.run import Run
from topiceq.tasks.explain import meanings_of

AMONG = 5  # answers that are looked at
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0)  # of probabilities
RESAMPLED = 1_000


def meanings(
    run: Path,
    corpus: Path,
    sources: Annotated[Path, "that the corpus was extracted from"],
    *,
    threads: int = 1,
) -> None:
    """Symbols of test articles: what their text says of them, and what the lexicon adds.

    Each is asked where it stands: the text first (the finder, with its scope), and the lexicon as
    if the text said nothing. Right is what says the same as one of the meanings that the reader
    wrote down, or the same with more or less; answers that the words do not tell are judged in
    research/questions/judged.jsonl. Also the forty symbols of `known`, with topics and without,
    and the paper's symbols under three topics, beside the alignment's. Writes
    results/meanings.json.
    """
    torch.set_num_threads(threads)
    loaded = Corpus.load(corpus)
    model = opened(run, loaded)
    judged: Judged = {
        (j["article"], j["symbol"], j["phrase"]): bool(j["right"]) for j in questions("judged")
    }
    known = set(loaded.train.column("article").to_pylist())
    answers = list(gold_answers(model.run, sources, judged, known))
    by_words = gold_scores(list(gold_answers(model.run, sources, {}, known)))
    entry = identity(model, run, loaded) | gold_scores(answers) | {
        "trained_on": sorted(known & {question["article"] for question in questions("meanings")}),
        "by_words": {name: by_words[name] for name in ("finder", "silent", "shown")},
        "forty": forty(model, loaded),
        "table": table(model),
        "milliseconds": milliseconds(model),
        "answers": answers,
    }  # fmt: skip
    keep("meanings", [entry])
    for name in ("finder", "silent", "as_if_silent", "sure", "shown", "not_known"):
        print(name, entry[name])
    for name, one in entry["forty"].items():
        print(name, one["top1"], one["top5"])


# -- the gold set -----------------------------------------------------------------------------


Judged = dict[tuple[str, str, str], bool]  # article, symbol, phrase -> whether it is right


def gold_answers(
    run: Run, folder: Path, judged: Judged, known: Container[str] = ()
) -> Iterator[Entry]:
    """Every question of articles not known from training, with what text and lexicon answer."""
    asked = [question for question in questions("meanings") if question["article"] not in known]
    for article in dict.fromkeys(question["article"] for question in asked):
        text = find_text(folder, article)
        definitions = Definitions(defined_in(text))
        for question in asked:
            if question["article"] == article:
                yield answer(run, text, definitions, question, judged)


def find_text(folder: Path, name: str) -> Text:
    """The text of an article of the corpus, or of a chapter, in the folder of its sources."""
    home = folder.joinpath(*name.split("/")[:2])
    own = "/".join(name.split("/")[2:])
    for source in sources([str(home)], field="none"):
        for article in source.articles():
            if isinstance(article, Article) and own.startswith(article.id):
                for text in texts(article):
                    if isinstance(text, Text) and text.id == own:
                        return text
    raise CorpusError(f"'{name}' is not in '{folder}'. Give the sources of the questions.")


def answer(
    run: Run, text: Text, definitions: Definitions, question: Entry, judged: Judged
) -> Entry:
    """What the text says of a symbol, and what the lexicon says as if it said nothing."""
    symbol, found, at = place_of(text, question)
    entry = entry_of(definitions, found, symbol, at)
    said = entry.definition.phrase if entry.definition else ""
    words = words_around(text, at, run.config.corpus.sentences)
    theta = context_thetas(run.model, run.words, [words])[0]
    assert run.lexicon is not None
    asked = run.lexicon.under(theta, words, letters(found))
    silent = entry_of(Definitions([]), found, symbol, at)
    guesses = meanings_of(silent, asked, AMONG, 0.0)

    def right(phrase: str) -> bool:
        key = question["article"], question["symbol"], phrase
        return judged.get(key, says(phrase, question["meanings"]))

    return {
        "article": question["article"],
        "symbol": question["symbol"],
        "meanings": question["meanings"],
        "where": question["where"],
        "said": question["said"],
        "text": said,
        "is_index": silent.is_index,
        "text_right": bool(said) and right(said),
        "others": [[one.phrase, one.p or 0, right(one.phrase), one.source] for one in guesses],
    }


def place_of(text: Text, question: Entry) -> tuple[Symbol, list[Occurrence], int]:
    """The symbol, the symbols of its formula, and the number of its sentence."""
    symbol = head(parse(question["symbol"]))[0] or Symbol(tuple(parse(question["symbol"])))
    if question["where"] == "display":
        number = question["pair"].rpartition("#")[2].partition(".")[0]
        at, display = text.displays[int(number)]
        return symbol, in_display(display), text.own(at)
    near = [at for at, d in text.displays if d.file.endswith(Path(question["file"]).name)]
    lined = sorted(
        (abs(d.line - int(question["line"])), at) for at, d in text.displays if at in near
    )
    middle = text.own(lined[0][1]) if lined else 0
    holding = []
    for number in range(len(text.spans)):
        found = in_sentence(text.sentence(number))
        if any(one.symbol == symbol for one in found):
            holding.append((abs(number - middle), number, found))
    if not holding:
        return symbol, [Occurrence(symbol)], middle
    _, number, found = min(holding, key=lambda one: one[:2])
    return symbol, found, number


def in_display(display: Display) -> list[Occurrence]:
    return [one for row in rows(display.tokens, display.environment) for one in occurrences(row)]


def in_sentence(sentence: str) -> list[Occurrence]:
    found: list[Occurrence] = []
    for latex in sentence.split("$")[1::2]:
        try:
            found += occurrences(parse(latex))
        except (NotNormal, RecursionError):
            continue
    return found


def entry_of(
    definitions: Definitions, found: Sequence[Occurrence], symbol: Symbol, at: int
) -> Found:
    """The entry of a symbol in the glossary of its formula."""
    entries = definitions.glossary(found, at)
    exact = [entry for entry in entries if symbol in entry.forms]
    alike = [entry for entry in entries if entry.forms[0].base == symbol.base]
    if exact or alike:
        return (exact or alike)[0]
    return definitions.entry(symbol, at, frozenset())


def words_around(text: Text, at: int, count: int) -> list[str]:
    span = range(max(0, at - count), min(len(text.spans), at + count + 1))
    return [word for number in span for word in text.words(text.sentence(number))]


def says(phrase: str, meant: Sequence[str]) -> bool:
    """Whether a phrase says what was meant, or the same with more or with less.

    >>> says("masses of the frogs", ["mass"]), says("mass", ["frog mass"]), says("map", ["mass"])
    (True, True, False)
    """
    own = {merged_words(phrase), core_words(phrase)}
    for one in meant:
        wanted = {merged_words(one), core_words(one)}
        if {"".join(words) for words in own} & {"".join(words) for words in wanted}:
            return True
        if any(is_general(*pair) for pair in [*product(own, wanted), *product(wanted, own)]):
            return True
    return False


# -- scores -----------------------------------------------------------------------------------


def share(answers: Sequence[Entry], hit: Sequence[bool]) -> list[float]:
    """A share, its 95 % interval over articles drawn anew, and of how many."""
    if not answers:
        return [0.0, 0.0, 0.0, 0]
    names = list(dict.fromkeys(answer["article"] for answer in answers))
    sums = {name: np.zeros(2) for name in names}
    for one, is_hit in zip(answers, hit, strict=True):
        sums[one["article"]] += (is_hit, 1)
    table, draw = np.array([sums[name] for name in names]), np.random.default_rng(0)
    drawn = table[draw.integers(0, len(names), (RESAMPLED, len(names)))].sum(1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    return [round(float(x), 3) for x in (np.mean(hit), low, high)] + [len(answers)]


def gold_scores(answers: Sequence[Entry]) -> Entry:
    """Of the finder, of the lexicon where the text is silent, and of both together."""
    told = [a for a in answers if a["text"]]
    said = [a for a in answers if a["said"] == "text"]
    silent = [a for a in answers if a["said"] != "text"]
    precision = share(told, [a["text_right"] for a in told])
    recall = share(said, [a["text_right"] for a in said])
    p, r = precision[0], recall[0]
    sure = [a for a in answers if not a["text"] and is_told(a, SURE) and not a["is_index"]]
    mute = [a for a in silent if not is_told(a, SILENT)]
    return {
        "finder": {"precision": precision, "recall": recall, "f1": round(2 * p * r / (p + r), 3)},
        "silent": lexicon_scores(silent),
        "as_if_silent": lexicon_scores(answers),
        "sure": share(sure, [a["others"][0][2] for a in sure]),
        "shown": share(
            [*told, *sure], [*(a["text_right"] for a in told), *(a["others"][0][2] for a in sure)]
        ),
        "not_known": round(len(mute) / max(1, len(silent)), 3),
        "calibration": calibration(answers),
    }


def is_told(answer: Entry, least: float) -> bool:
    """Whether an answer from elsewhere is sure enough; constants and indices always are."""
    return any(source != "lexicon" or p >= least for _, p, _, source in answer["others"][:1])


def lexicon_scores(asked: Sequence[Entry]) -> Entry:
    """How often the first answer is right, and one of five."""
    first = [bool(a["others"]) and a["others"][0][2] for a in asked]
    five = [any(one[2] for one in a["others"]) for a in asked]
    return {"top1": share(asked, first), "top5": share(asked, five)}


def calibration(answers: Sequence[Entry]) -> list[list[float]]:
    """Of first answers in bins of p: how many, the mean p, and how many are right."""
    pairs = [one[1:3] for a in answers for one in a["others"][:1] if one[3] == "lexicon"]
    found = []
    for low, high in zip(BINS, BINS[1:], strict=False):
        here = [(p, is_right) for p, is_right in pairs if low <= p < high]
        if here:
            p, is_right = np.mean([[float(x) for x in one] for one in here], axis=0).tolist()
            found.append([low, high, len(here), round(p, 3), round(is_right, 3)])
    return found


# -- forty symbols, the paper's table, speed ---------------------------------------------------


def forty(model: TopicEq, corpus: Corpus) -> Entry:
    """The forty symbols under the mean theta of their fields, and without topics."""
    theta = field_thetas(model, corpus)
    ways = {"topics": (theta, "lexicon"), "without": ({}, "lexicon")}
    if model.run.model.aligners():
        ways["alignment"] = (theta, "alignment")
    return {name: forty_scores(symbol_answers(model, under, by=by))
            for name, (under, by) in ways.items()}  # fmt: skip


def forty_scores(answers: list[Entry]) -> Entry:
    """How often the meaning comes first, and among five."""
    return {
        "top1": mean(answer["place"] == 1 for answer in answers),
        "top5": mean(answer["place"] is not None for answer in answers),
        "answers": answers,
    }


def table(model: TopicEq) -> Entry:
    """What the paper's symbols mean under three topics: by the lexicon, and by the alignment."""
    topics = {subject: topic_of(model, subject, {}) for subject in EXPLAINED}
    ways = ["lexicon", *["alignment"] * bool(model.run.model.aligners())]
    rows = [
        {"symbol": symbol} | {by: [phrases_of(model, symbol, t, 3, by) for t in topics.values()]
                              for by in ways}
        for symbol in SYMBOLS
    ]  # fmt: skip
    heads = [{"subject": subject} | described(model, t) for subject, t in topics.items()]
    return {"topics": heads, "rows": rows}


TEN = r"S = a x + b y + c z + d w + \alpha t"  # ten symbols on the right
TEXT = "The price of a European call option depends on the price of the stock and its volatility."


def milliseconds(model: TopicEq, times: int = 20) -> float:
    """CPU time of one explain of eleven symbols with a context, the median of many."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        model.explain(equation=TEN, context=TEXT)
        spent.append(1000 * (time.process_time() - began))
    return round(float(np.median(spent)), 2)


# -- on the page ------------------------------------------------------------------------------


def meanings_shown() -> str:
    """What was found of the questions, the forty symbols, and the paper's table."""
    found = largest(read("meanings"))
    if found is None:
        return NOT_RUN
    name = f"Run: {run_name(found)}. One explain of ten symbols takes {found['milliseconds']} ms."
    return "\n\n".join([name, gold_shown(found), forty_shown(found), table_shown(found)])


def percent(measured: Sequence[float]) -> str:
    value, low, high, count = measured
    return f"{value:.0%} ({low:.0%} to {high:.0%}) of {count:.0f}"


def gold_shown(found: Entry) -> str:
    finder = found["finder"]
    rows = [
        ["what the text says: right of what is found", percent(finder["precision"])],
        ["what the text says: found of what is said", percent(finder["recall"])],
        ["the text is silent: first answer", percent(found["silent"]["top1"])],
        ["the text is silent: among five", percent(found["silent"]["top5"])],
        ["all, as if every text were silent: first", percent(found["as_if_silent"]["top1"])],
        ["all, as if every text were silent: among five", percent(found["as_if_silent"]["top5"])],
        ["shown without being asked, not from the text", percent(found["sure"])],
        ["shown without being asked, all", percent(found["shown"])],
    ]
    words = found["by_words"]
    alone = (
        f"By words alone: right of what is found {percent(words['finder']['precision'])}, found of "
        f"what is said {percent(words['finder']['recall'])}; where the text is silent first "
        f"{percent(words['silent']['top1'])}, among five {percent(words['silent']['top5'])}."
    )
    bins = [[f"{low:.1f} to {high:.1f}", f"{count}", f"{p:.2f}", f"{is_right:.2f}"]
            for low, high, count, p, is_right in found["calibration"]]  # fmt: skip
    return "\n\n".join(
        [
            lines(["", "right"], rows),
            alone,
            f"Of symbols of which the text is silent {found['not_known']:.0%} are not known.",
            lines(["p of the first answer", "answers", "mean p", "right"], bins),
        ]
    )


def forty_shown(found: Entry) -> str:
    names = {"topics": "the lexicon, under the topics of the field",
             "without": "the lexicon, without topics",
             "alignment": "the paper's alignment, under the topics of the field"}  # fmt: skip
    rows = [[names[name], f"{one['top1']:.0%}", f"{one['top5']:.0%}"]
            for name, one in found["forty"].items()]  # fmt: skip
    answers = [
        [math(a["symbol"]), a["field"], a["meaning"], str(a["place"] or "no"),
         ", ".join(a["phrases"])]
        for a in found["forty"]["topics"]["answers"]
    ]  # fmt: skip
    heads = ["symbol", "field", "meaning", "place", "phrases"]
    table = lines(["forty symbols", "first", "among five"], rows)
    return f"{table}\n\n{folded('All answers of the lexicon', lines(heads, answers))}"


def table_shown(found: Entry) -> str:
    topics, rows = found["table"]["topics"], found["table"]["rows"]
    heads = ["symbol", *(f"{t['subject']}: {' '.join(t['words'][:3])}" for t in topics)]
    shown = []
    for row in rows:
        cells = []
        for number in range(len(topics)):
            ways = [", ".join(row[by][number]) or "not known" for by in row if by != "symbol"]
            cells.append("<br>".join([ways[0], *(f"*{way}*" for way in ways[1:])]))
        shown.append([code(row["symbol"]), *cells])
    return f"{lines(heads, shown)}\n\nThe lexicon's, and below it in italics the alignment's."
