"""One planted corpus for all tests of the model, and a short training on it."""

from pathlib import Path

import pytest
from planted import planted_config, planted_corpus

from topiceq.corpus.store import Corpus
from topiceq.model.run import Run
from topiceq.model.train import Training


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("planted"))


@pytest.fixture(scope="session")
def trained(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with te-lstm and alignment, well trained."""
    folder = tmp_path_factory.mktemp("runs") / "te"
    config = planted_config(
        'model.decoders=["te-lstm", "alignment-mixture"]', "train.epochs=10", "train.topic_epochs=4"
    )
    for _ in Training(corpus, config, folder=folder).steps():
        pass
    return folder


@pytest.fixture(scope="session")
def run(trained: Path) -> Run:
    return Run.load(trained)
