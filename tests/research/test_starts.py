"""Trials of topics: what each changes, on planted topics, with made-up word vectors."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from planted import TOPICS, planted_corpus

from research import entries, starts
from topiceq.config import Config
from topiceq.corpus.store import Corpus
from topiceq.model.decoders import Sizes
from topiceq.model.nmf import as_topics, repositories


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("starts"), 200, articles=40)


@pytest.fixture(autouse=True)
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words as many letters as they share are as near; so are contexts."""

    def counted(texts: list[str]) -> np.ndarray:
        found = np.array([[text.count(chr(97 + n)) for n in range(26)] for text in texts], float)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    monkeypatch.setattr(starts, "embedded", counted)


def test_passages_and_contexts_alike_teach_as_many_words(corpus: Corpus) -> None:
    own = corpus.train.encoded.words
    for found in (starts.with_passages(corpus), starts.with_alike(corpus)):
        assert found.shape == own.shape and found.nnz > own.nnz
        assert found.sum() == pytest.approx(own.sum(), rel=0.1)


def test_contexts_alike_are_of_other_articles(corpus: Corpus) -> None:
    train = corpus.train.encoded
    near = starts.alike(np.eye(len(train)) + 0.1, train)
    assert (train.articles[near] != train.articles[:, None]).all()


def placed(corpus: Corpus, pull: float = 0.0) -> starts.Placed:
    """Topics as places, started from NMF."""
    config = Config().override([f"model.topics={TOPICS}"])
    sizes = Sizes(*map(len, corpus.vocabularies))
    found = starts.Placed(config, sizes, starts.word_vectors(corpus.words), pull)
    train = corpus.train.encoded
    found.start(train, as_topics(train, repositories(corpus.train), TOPICS))
    return found


def test_topics_as_places_are_distributions_near_their_words(corpus: Corpus) -> None:
    beta = placed(corpus).beta().detach()
    torch.testing.assert_close(beta.sum(1), torch.ones(TOPICS))
    by_frequency = placed(corpus).beta_logits.softmax(-1)
    assert (beta - by_frequency).abs().max() > 0.01


def test_transport_is_cheapest_where_every_topic_has_words_of_its_own() -> None:
    words = torch.eye(4)
    apart = torch.cdist(torch.eye(4)[:2] + torch.eye(4)[2:], words).square()
    together = torch.cdist(torch.eye(4)[:1] + torch.eye(4)[[2, 2]], words).square()
    assert starts.transport(apart) < starts.transport(together)


def test_the_encoder_begins_with_the_vectors_at_its_own_scale(corpus: Corpus) -> None:
    config, sizes = Config(), Sizes(*map(len, corpus.vocabularies))
    weight = starts.reading(corpus, config, sizes).encoder.first.weight.data
    vectors = starts.word_vectors(corpus.words)
    assert torch.corrcoef(torch.stack([weight[:, 3], vectors[:, 3]]))[0, 1] > 0.99
    assert weight[:, :26].std() == pytest.approx(0.1, rel=0.1)


def test_every_trial_is_run_and_shown(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert starts.starts_shown() == "Not run yet."
    monkeypatch.setattr(starts, "PRESET", "debug")
    monkeypatch.setattr(sys, "argv", ["research", "starts"])
    starts.starts(corpus.path, topics=TOPICS, epochs=2)
    starts.starts(corpus.path, topics=TOPICS, epochs=2, seeds=(0, 1), only=("in the encoder",))
    found = entries.read("starts")
    assert len(found) == len(starts.TRIALS) + 1
    assert found[-1]["seed"] == 1 and len(found[-1]["matched"]) == 1
    rows = starts.starts_shown().splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in starts.TRIALS]
    assert [row.split(" | ")[1] for row in rows] == ["1", "1", "1", "1", "1", "2", "1", "1"]
