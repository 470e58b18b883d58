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
    for part in ("1 duplicates left out", "field3", "tokens of an equation", "30-39", "█" * 50):
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
