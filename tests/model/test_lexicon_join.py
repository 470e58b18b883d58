"""A lexicon with what a small corpus of one's own adds to it."""

from pathlib import Path

import numpy as np
from planted import PHRASES, TOPICS
from test_lexicon import MEANINGS, symbol, table, theta

from topiceq.model.lexicon import Lexicon, load_lexicon
from topiceq.model.lexicon_build import count_definitions
from topiceq.model.lexicon_evidence import DefinitionTable
from topiceq.model.lexicon_join import joined


def definitions(said: list[tuple[str, str, str]], topics: int = 2) -> DefinitionTable:
    """Who says of which symbol that it is what."""
    articles, symbols, phrases = (list(each) for each in zip(*said, strict=True))
    sentences = [f"${s}$ is the {p}" for s, p in zip(symbols, phrases, strict=True)]
    size = len(said)
    return DefinitionTable([symbol(s) for s in symbols], phrases, articles, [""] * size, sentences,
                           [0.94] * size, [*range(size)], [["frogs"]] * size,
                           np.full((size, topics), 1 / topics, dtype=np.float32))  # fmt: skip


OWN = definitions(
    [("mine1", "m", "number of frogs"), ("mine2", "m", "number of frogs"), ("mine1", "q", "mass"),
     ("mine2", "z", "tadpole count")], topics=3
)  # fmt: skip


def parts() -> tuple[Lexicon, Lexicon]:
    base = count_definitions(table(40, 0), "base")
    return base, count_definitions(OWN, "own", known={"mass"})


def test_both_are_known_and_old_ones_keep_their_places(tmp_path: Path) -> None:
    base, own = parts()
    both = joined(base, own, 3)
    assert both.phrases[: len(base)] == base.phrases and "number of frogs" in both.phrases
    assert "tadpole count" not in both.phrases  # one article says so, and nobody else
    both.save(tmp_path)
    kept = load_lexicon(tmp_path, 3)
    assert kept is not None and kept.facts["definitions"] == 160 + 4
    for lexicon in (both, kept):
        asked = lexicon.under(None)
        found = {m.phrase: m for m in asked.meanings(symbol("m"), 9, 0)}
        assert {"mass", "slope", "number of frogs"} == found.keys()
        assert found["number of frogs"].sources[0].sentence == "$m$ is the number of frogs"
        assert asked.meanings(symbol("q"), 1, 0)[0].phrase == "mass"  # one's own letter for it
        assert asked.meanings(symbol("q"), 1, 0)[0].sources[0].article == "mine1"


def test_articles_are_added_up() -> None:
    base, own = parts()
    both = joined(base, own, 3)
    mass = both.phrases.index("mass")
    assert both.tables.uses[mass] == base.tables.uses[mass] + 1
    at = both.symbols["m **"]
    assert both.tables.defining[at] == base.tables.defining[base.symbols["m **"]] + 2
    assert both.tables.counts.sum() == base.tables.counts.sum() + own.tables.counts.sum()
    assert both.tables.affinity.shape == (len(both), 3)
    assert (both.tables.affinity[: len(base), 2] == 0).all()


def test_a_lexicon_with_itself_says_the_same() -> None:
    base = count_definitions(table(60, 0), "base")
    both, asked = joined(base, base, 2), base.under(theta(0), ["force"])
    for letter in MEANINGS:
        one = [m.phrase for m in asked.meanings(symbol(letter), 5, 0)]
        again = both.under(theta(0), ["force"]).meanings(symbol(letter), 5, 0)
        assert [m.phrase for m in again] == one
        assert again[0].sources == asked.meanings(symbol(letter), 1, 0)[0].sources


def test_without_anything_new_it_is_the_base(tmp_path: Path) -> None:
    base = count_definitions(table(40, 0), "base")
    alone = joined(base, None, 2)
    assert alone.names == base.names and alone.facts == base.facts


def test_a_lexicon_without_phrases_can_be_kept(tmp_path: Path) -> None:
    """Two articles that say something different of their symbols."""
    said = [("a", "m", PHRASES[0][0]), ("b", "q", PHRASES[1][1])]
    empty = count_definitions(definitions(said, TOPICS), "few")
    empty.save(tmp_path)
    kept = load_lexicon(tmp_path, TOPICS)
    assert kept is not None and len(kept) == 0
    assert kept.under(None).meanings(symbol("m"), 3) == []
    assert len(joined(count_definitions(table(40, 0), "b"), kept, TOPICS)) == 8
