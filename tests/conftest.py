"""Planted pairs: topics with private words, a private grammar of equations and private phrases."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from topiceq.corpus.pair import Pair

PHRASES = ("electric field", "stopping time", "spectral sequence", "elliptic curve")
SYMBOLS = ("E", "F", "G", "H")
COMMANDS = (r"\alpha", r"\beta", r"\gamma", r"\delta")
FILLERS = ("let", "the", "we", "obtain", "space")

PairsFactory = Callable[..., list[Pair]]


def planted_pair(number: int, article: str, topic: int, draw: random.Random) -> Pair:
    """A pair whose words, tokens and phrase all tell its topic."""
    words = [f"word{topic}{letter}" for letter in draw.choices("abcdefghij", k=20)]
    words = [word for own in words for word in (draw.choice(FILLERS), own)]
    sentences = [" ".join(words[at : at + 4]).capitalize() + "." for at in range(0, 40, 4)]
    sentences[4] = f"The {PHRASES[topic]} $x_{number}$ of {draw.choice(words)} number {number} is"
    sentences[5] = f"where it is one of the {PHRASES[topic]}s."
    tokens = [SYMBOLS[topic], "="]
    for _ in range(draw.randint(5, 12)):
        tokens += [COMMANDS[topic], "^", "{", draw.choice("123"), "}", "+"]
    tokens[-1] = "x"
    return Pair(
        id=f"{article}#{number}",
        article=article,
        field=f"field{topic}",
        line=10 * number + 1,
        section="Planted",
        equation=" ".join(tokens),
        expanded=" ".join(tokens),
        tokens=tokens,
        before=sentences[:5],
        after=sentences[5:],
        words=words,
    )


@pytest.fixture
def pairs() -> PairsFactory:
    """`pairs(count=120, articles=24, topics=4, seed=0)`: one topic an article, in turn."""

    def make(count: int = 120, articles: int = 24, topics: int = 4, seed: int = 0) -> list[Pair]:
        draw = random.Random(seed)
        owners = sorted(number % articles for number in range(count))
        return [
            planted_pair(number, f"article{owner:03}", owner % topics, draw)
            for number, owner in enumerate(owners)
        ]

    return make


@pytest.fixture(scope="session")
def planted_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with te-lstm, bag and alignment, well trained on four planted topics."""
    from planted import planted_config, planted_corpus

    from topiceq.model.train import Training

    folder = tmp_path_factory.mktemp("planted")
    decoders = 'model.decoders=["te-lstm", "bag", "alignment-mixture"]'
    config = planted_config(decoders, "train.epochs=10", "train.topic_epochs=4")
    for _ in Training(planted_corpus(folder / "corpus"), config, folder=folder / "run").steps():
        pass
    return folder / "run"


@pytest.fixture
def phrase_file(tmp_path: Path) -> Path:
    """A file with the planted phrases, to be used in place of the concepts."""
    path = tmp_path / "phrases.txt"
    path.write_text("\n".join(PHRASES) + "\n", encoding="utf-8")
    return path
