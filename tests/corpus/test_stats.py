"""Statistics: numbers that JSON can hold, and tables that a person can read."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from topiceq.corpus.pair import Pair
from topiceq.corpus.split import SPLITS
from topiceq.corpus.stats import render
from topiceq.corpus.store import Corpus

PairsFactory = Callable[..., list[Pair]]


@pytest.fixture
def corpus(pairs: PairsFactory, phrase_file: Path) -> Corpus:
    made = pairs(200, articles=50)
    return Corpus.build([*made, made[0]], phrases=phrase_file)


def printed(corpus: Corpus) -> str:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(render(corpus.stats()))
    return capture.get()


def test_pairs_articles_and_fields_add_up(corpus: Corpus) -> None:
    stats = corpus.stats()
    assert stats["pairs"] == {name: len(corpus.split(name)) for name in SPLITS}
    assert sum(stats["pairs"].values()) == 200 and stats["duplicates"] == 1
    assert sum(stats["articles"].values()) == 50
    assert list(stats["fields"]) == ["field0", "field1", "field2", "field3"]  # 52, 52, 48, 48
    for name in SPLITS:
        assert sum(field[name] for field in stats["fields"].values()) == stats["pairs"][name]


def test_lengths(corpus: Corpus) -> None:
    lengths = [len(p.tokens) for name in SPLITS for p in corpus.split(name).pairs()]
    stats = corpus.stats()
    tokens = stats["lengths"]["tokens"]
    assert tokens["mean"] == round(float(np.mean(lengths)), 2)
    assert (tokens["0%"], tokens["50%"], tokens["100%"]) == (
        min(lengths),
        float(np.median(lengths)),
        max(lengths),
    )
    assert stats["lengths"]["words"] == {"mean": 40.0} | {
        f"{q}%": 40.0 for q in (0, 5, 25, 50, 75, 95, 100)
    }
    assert 20 < stats["lengths"]["known_words"]["mean"] < 30  # without let, the, we, obtain


def test_the_histogram_holds_every_pair(corpus: Corpus) -> None:
    bars = corpus.stats()["histogram"]
    assert sum(bar["pairs"] for bar in bars) == 200
    assert bars[0] == {"from": 30, "to": 39, "pairs": bars[0]["pairs"]}
    assert all(one["to"] + 1 == two["from"] for one, two in zip(bars, bars[1:], strict=False))


def test_vocabularies_and_what_is_frequent(corpus: Corpus) -> None:
    stats = corpus.stats()
    assert stats["vocabularies"] == {"words": 41, "tokens": 21, "phrases": 4}
    assert stats["unk_rate"]["train"] == 0.0
    frequent = stats["frequent"]
    assert frequent["words"][0]["item"] == "space"
    assert {entry["item"] for entry in frequent["tokens"][:3]} == {"^", "{", "}"}
    counted = sum(p.tokens.count("^") for p in corpus.train.pairs())
    assert {"item": "^", "count": counted} in frequent["tokens"]
    assert len(frequent["words"]) == 20 and len(frequent["phrases"]) == 4


def test_it_is_json(corpus: Corpus) -> None:
    stats = corpus.stats()
    assert json.loads(json.dumps(stats)) == stats


def test_tables_and_bars(corpus: Corpus) -> None:
    text = printed(corpus)
    for part in (
        "1 duplicates left out, 0 near ones",
        "field3",
        "tokens of an equation",
        "30-39",
        "█" * 50,
    ):
        assert part in text
    assert "41 words" in text and "electric field" in text and "0.00%" in text


def test_items_are_not_read_as_markup(pairs: PairsFactory, phrase_file: Path) -> None:
    made = [replace(p, tokens=["[b]"] * 30, field="[red]") for p in pairs()]
    text = printed(Corpus.build(made, phrases=phrase_file))
    assert "[b]" in text and "[red]" in text


def test_a_corpus_for_evaluation_only(pairs: PairsFactory, phrase_file: Path) -> None:
    corpus = Corpus.build(pairs(), split=(0, 0, 100), phrases=phrase_file)
    stats = corpus.stats()
    assert stats["unk_rate"] == dict.fromkeys(SPLITS)
    assert stats["frequent"] == {"words": [], "tokens": [], "phrases": []}
    assert stats["lengths"]["known_words"] is None
    assert "0 words" in printed(corpus)


def test_articles_without_field(pairs: PairsFactory, phrase_file: Path) -> None:
    made = [replace(p, field="") for p in pairs()]
    assert "(no field)" in printed(Corpus.build(made, phrases=phrase_file))


def test_articles_that_are_worth_less_than_they_are(pairs: PairsFactory, phrase_file: Path) -> None:
    made = pairs(200, articles=50)
    corpus = Corpus.build(made, split=(100, 0, 0), phrases=phrase_file)
    assert corpus.stats()["effective_articles"] == {"train": 50.0, "valid": 0.0, "test": 0.0}
    large = [replace(p, article="large") if n < 150 else p for n, p in enumerate(made)]
    corpus = Corpus.build(large, split=(100, 0, 0), phrases=phrase_file)
    shares = 150**2 + sum(n**2 for n in [2, *[4] * 12])
    assert corpus.stats()["articles"]["train"] == 14
    assert corpus.stats()["effective_articles"]["train"] == round(200**2 / shares, 1)
    text = printed(corpus)
    assert "effective articles" in text and "100.0%" in text


def test_formats_are_the_suffixes_of_files(pairs: PairsFactory, phrase_file: Path) -> None:
    made = [
        replace(p, file="notes/a.IPYNB" if n % 3 == 0 else "readme" if n == 1 else p.file)
        for n, p in enumerate(pairs())
    ]
    corpus = Corpus.build(made, phrases=phrase_file)
    formats = corpus.stats()["formats"]
    assert {suffix: sum(own.values()) for suffix, own in formats.items()} == {
        ".tex": 79, ".ipynb": 40, "": 1,
    }  # fmt: skip
    assert list(formats) == [".tex", ".ipynb", ""]
    assert "Pairs by format" in printed(corpus) and "(none)" in printed(corpus)


def test_articles_are_counted_as_in_the_facts(pairs: PairsFactory, phrase_file: Path) -> None:
    """An article whose pairs are all duplicates is none."""
    made = pairs(40, articles=8)
    copies = [replace(p, id=f"copy{n}", article="copy") for n, p in enumerate(made[:5])]
    corpus = Corpus.build([*made, *copies], phrases=phrase_file)
    assert corpus.counts["duplicate"] == 5 and corpus.counts["articles"] == 8
    assert sum(corpus.stats()["articles"].values()) == 8
