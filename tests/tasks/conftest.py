"""One planted run for all tests of the tasks: it knows four topics."""

from pathlib import Path

import pytest
import torch
from planted import TOPICS, WORDS, planted_config, planted_corpus

from topiceq.corpus.store import Corpus
from topiceq.model.run import Run
from topiceq.model.train import Training
from topiceq.tasks.infer import infer


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Two threads only wait for each other where products are small."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="session")
def trained(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with te-lstm, bag and alignment, well trained."""
    folder = tmp_path_factory.mktemp("runs") / "te"
    decoders = 'model.decoders=["te-lstm", "bag", "alignment-mixture"]'
    config = planted_config(decoders, "train.epochs=10", "train.topic_epochs=4")
    for _ in Training(corpus, config, folder=folder).steps():
        pass
    return folder


@pytest.fixture(scope="session")
def run(trained: Path) -> Run:
    return Run.load(trained)


@pytest.fixture(scope="session")
def learned(run: Run) -> list[int]:
    """Which learned topic each planted topic is."""
    found = [int(infer(run, context=" ".join(WORDS[t])).argmax()) for t in range(TOPICS)]
    assert sorted(found) == list(range(TOPICS))
    return found
