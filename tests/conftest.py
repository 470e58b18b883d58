"""One planted run for all tests, planted pairs that tell their topic in many ways, a cluster."""

import logging
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arxiv_server import Server, serving
from hypothesis import settings
from planted import planted_config, planted_corpus

from topiceq.corpus.pair import Pair
from topiceq.corpus.store import Corpus

if TYPE_CHECKING:
    from topiceq.model.run import Run

settings.register_profile("topiceq", deadline=None)  # how long a machine takes proves nothing
settings.load_profile("topiceq")

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
        file=f"{article}.tex",
        line=10 * number + 1,
        field=f"field{topic}",
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
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Four planted topics, for everything that needs a run."""
    return planted_corpus(tmp_path_factory.mktemp("planted"))


def train(corpus: Corpus, folder: Path, *overrides: str) -> Path:
    from topiceq.model.train import Training  # torch, which the tests of the corpus do not need

    config = planted_config(*overrides, "train.epochs=10", "train.topic_epochs=4")
    for _ in Training(corpus, config, folder=folder).steps():
        pass
    return folder


@pytest.fixture(scope="session")
def trained(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with the default's decoders and bag, well trained on planted topics."""
    decoders = 'model.decoders=["te-lstm", "bag", "alignment"]'
    return train(corpus, tmp_path_factory.mktemp("runs") / "te", decoders, "model.residual=true")


@pytest.fixture(scope="session")
def run(trained: Path) -> "Run":
    from topiceq.model.run import Run

    return Run.load(trained)


@pytest.fixture(scope="session")
def mixture(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> "Run":
    """A run that knows what a symbol means alone; the default's alignment needs its equation.

    All planted equations have the same letters, and the default's gives them a share of the credit.
    """
    from topiceq.model.run import Run

    folder = tmp_path_factory.mktemp("runs") / "mixture"
    return Run.load(train(corpus, folder, "model.decoders=alignment-mixture"))


@pytest.fixture(scope="module")
def dask() -> Iterator[str]:
    """The address of a Dask cluster of two workers, each a process of its own."""
    from distributed import LocalCluster  # which most tests do not need

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
    ) as cluster:  # fmt: skip
        # a worker that is killed as soon as it has come takes its nanny with it
        replacing = cluster.adapt(minimum=2, maximum=2, interval="100ms")
        yield cluster.scheduler_address
        replacing.stop()  # else one may come while the others leave, and stay


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that is asked in place of arXiv."""
    with serving() as running:
        monkeypatch.setenv("TOPICEQ_ARXIV", running.address)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield running


@pytest.fixture
def phrase_file(tmp_path: Path) -> Path:
    """A file with the planted phrases, to be used in place of the concepts."""
    path = tmp_path / "phrases.txt"
    path.write_text("\n".join(PHRASES) + "\n", encoding="utf-8")
    return path
