"""What is in a corpus: one plain dict that JSON can hold, and tables of it for a terminal.

In goes a `Corpus`; out come pairs and articles per split, pairs per field and format, lengths of
equations and contexts, sizes of vocabularies, the rate of unknown tokens, and what is most frequent
in train.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topiceq.corpus.split import SPLITS, effective

if TYPE_CHECKING:
    from topiceq.corpus.store import Corpus, Split
    from topiceq.corpus.vocab import Vocab

QUANTILES = (0, 5, 25, 50, 75, 95, 100)  # percent
BIN = 10  # tokens in one bar of the histogram
FREQUENT = 20  # items of each vocabulary
BAR = 50  # characters of the longest bar

Stats = dict[str, Any]


def corpus_stats(corpus: "Corpus") -> Stats:
    """All numbers. Without vocabularies the rates are None and the lists empty."""
    splits = [corpus.split(name) for name in SPLITS]
    tokens, words = _lengths(splits, "tokens"), _lengths(splits, "words")
    known = _known_words(splits) if corpus.tokens else None
    return {
        "pairs": {split.name: len(split) for split in splits},
        "articles": {split.name: len(_articles(split)) for split in splits},
        "effective_articles": {s.name: round(effective(_articles(s)), 1) for s in splits},
        "duplicates": corpus.counts["duplicate"],
        "near_duplicates": corpus.counts.get("near_duplicate", 0),
        "definitions": corpus.counts.get("definitions", 0),
        "fields": _by_split(splits, "field", str),
        "formats": _by_split(splits, "file", _suffix),
        "lengths": {
            "tokens": _summary(tokens),
            "words": _summary(words),
            "known_words": None if known is None else _summary(known),
        },
        "histogram": _histogram(tokens),
        "vocabularies": {name: len(v) for name, v in corpus.vocabularies._asdict().items()},
        "unk_rate": {split.name: _unk_rate(split) for split in splits},
        "frequent": _frequent(corpus),
    }


def _articles(split: "Split") -> npt.NDArray[np.int64]:
    """The pairs of each article."""
    counts = split.column("article").value_counts()
    return np.array(counts.field("counts").to_numpy(), np.int64)


def _by_split(
    splits: "Sequence[Split]", column: str, label: Callable[[str], str]
) -> dict[str, dict[str, int]]:
    """Label -> pairs of each split, the largest first."""
    counts = {s.name: Counter(map(label, s.column(column).to_pylist())) for s in splits}
    total = sum(counts.values(), Counter())
    ordered = sorted(total, key=lambda each: (-total[each], each))
    return {each: {name: counts[name][each] for name in counts} for each in ordered}


def _suffix(file: str) -> str:
    """What a file is written in, by its name: .tex, .ipynb; empty if that says nothing."""
    return PurePosixPath(file).suffix.lower()


def _lengths(splits: "Sequence[Split]", column: str) -> npt.NDArray[np.int64]:
    lengths = [pc.list_value_length(split.column(column)).to_numpy() for split in splits]
    return np.concatenate(lengths).astype(np.int64)


def _known_words(splits: "Sequence[Split]") -> npt.NDArray[np.int64]:
    """Words of each context that the vocabulary holds: what the topic model sees."""
    return np.concatenate([np.diff(split.encoded.order[1]) for split in splits])


def _summary(lengths: npt.NDArray[np.int64]) -> dict[str, float]:
    quantiles = np.percentile(lengths, QUANTILES)
    named = {f"{q}%": float(value) for q, value in zip(QUANTILES, quantiles, strict=True)}
    return {"mean": round(float(lengths.mean()), 2)} | named


def _histogram(lengths: npt.NDArray[np.int64]) -> list[dict[str, int]]:
    """Equations by number of tokens, in bars of `BIN` from the shortest to the longest."""
    counts = np.bincount(lengths // BIN)
    first = int(lengths.min()) // BIN
    return [
        {"from": BIN * bar, "to": BIN * bar + BIN - 1, "pairs": int(counts[bar])}
        for bar in range(first, len(counts))
    ]


def _unk_rate(split: "Split") -> float | None:
    if not split.corpus.tokens or not len(split):
        return None
    return round(split.encoded.unk_rate, 6)


def _frequent(corpus: "Corpus") -> dict[str, list[dict[str, Any]]]:
    if not corpus.tokens:
        return {"words": [], "tokens": [], "phrases": []}
    train = corpus.train.encoded
    return {
        "words": _top(corpus.words, np.asarray(train.words.sum(axis=0)).ravel()),
        "tokens": _top(corpus.tokens, np.bincount(train.tokens, minlength=len(corpus.tokens))),
        "phrases": _top(corpus.phrases, np.asarray(train.phrases.sum(axis=0)).ravel()),
    }


def _top(vocab: "Vocab", counts: npt.NDArray[Any]) -> list[dict[str, Any]]:
    best = np.argsort(-counts, kind="stable")[:FREQUENT]
    return [{"item": vocab[int(i)], "count": int(counts[i])} for i in best if counts[i]]


def render(stats: Stats) -> RenderableType:
    """The numbers as tables and a histogram, to be printed by a rich console."""
    return Group(
        _pairs_table(stats),
        _formats_table(stats["formats"]),
        _lengths_table(stats["lengths"]),
        _histogram_table(stats["histogram"]),
        _frequent_table(stats),
    )


def _pairs_table(stats: Stats) -> Table:
    left_out = (
        f"{stats['duplicates']:,} duplicates left out, {stats['near_duplicates']:,} near ones"
    )
    table = _table(f"Pairs ({left_out})", "", *SPLITS, "all")
    for field, counts in stats["fields"].items():
        table.add_row(Text(field or "(no field)"), *_cells(counts))
    table.add_section()
    table.add_row("pairs", *_cells(stats["pairs"]))
    total = max(sum(stats["pairs"].values()), 1)
    table.add_row("of all", *(f"{stats['pairs'][name] / total:.1%}" for name in SPLITS), "")
    table.add_row("articles", *_cells(stats["articles"]))
    worth = stats["effective_articles"]
    table.add_row("effective articles", *(f"{worth[name]:,.0f}" for name in SPLITS), "")
    rates = [stats["unk_rate"][name] for name in SPLITS]
    table.add_row("unknown tokens", *("-" if rate is None else f"{rate:.2%}" for rate in rates), "")
    return table


def _formats_table(formats: dict[str, dict[str, int]]) -> Table:
    table = _table("Pairs by format", "", *SPLITS, "all")
    for suffix, counts in formats.items():
        table.add_row(Text(suffix or "(none)"), *_cells(counts))
    return table


def _cells(counts: dict[str, int]) -> list[str]:
    return [f"{counts[name]:,}" for name in SPLITS] + [f"{sum(counts.values()):,}"]


def _lengths_table(lengths: dict[str, dict[str, float] | None]) -> Table:
    table = _table("Lengths", "", "mean", *(f"{q}%" for q in QUANTILES))
    labels = ("tokens of an equation", "words of a context", "of which in the vocabulary")
    for label, summary in zip(labels, lengths.values(), strict=True):
        if summary is not None:
            table.add_row(label, *(f"{n:,.4g}" for n in summary.values()))
    return table


def _histogram_table(bars: list[dict[str, int]]) -> Table:
    table = _table("Equations by tokens", "tokens", "pairs")
    table.add_column("", justify="left")
    longest = max(bar["pairs"] for bar in bars)
    for bar in bars:
        length = round(BAR * bar["pairs"] / longest)
        table.add_row(f"{bar['from']}-{bar['to']}", f"{bar['pairs']:,}", "█" * length)
    return table


def _frequent_table(stats: Stats) -> Table:
    """The columns side by side, each item with its count in train."""
    sizes = stats["vocabularies"]
    table = _table("Most frequent in train", *(f"{sizes[name]:,} {name}" for name in sizes))
    columns = [[_line(entry) for entry in stats["frequent"][name]] for name in sizes]
    for row in range(max(map(len, columns))):
        table.add_row(*(column[row] if row < len(column) else "" for column in columns))
    return table


def _line(entry: dict[str, Any]) -> Text:
    # Text, not str: rich reads strings as markup, and [b] may be a token
    return Text(f"{entry['item']} {entry['count']:,}")


def _table(title: str, first: str, *numbers: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for name in numbers:
        table.add_column(name, justify="right")
    return table
