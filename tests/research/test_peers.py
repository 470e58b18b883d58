"""Peers: the same contexts for all, what fails is said, the table."""

import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import TOPICS, WORDS, planted_corpus

from research import entries, peers
from topiceq.corpus.store import Corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("peers"), 200, articles=40)


def test_some_contexts_are_whole_ones_and_always_the_same(corpus: Corpus) -> None:
    every, some, again = (peers.contexts_of(corpus, count) for count in (0, 50, 50))
    assert len(every.pairs) == len(corpus.train) and len(some.owners) == len(some.texts()) == 50
    assert some.texts() == again.texts() and set(some.texts()) < set(every.texts())
    for text, counts in zip(some.texts(), some.pairs.words, strict=True):
        assert len(text.split()) == counts.sum()


@pytest.mark.parametrize("name", ["tomotopy LDA", "scikit-learn NMF", "ours: the NMF start"])
def test_planted_topics_are_found(corpus: Corpus, name: str) -> None:
    given = peers.contexts_of(corpus, 0)
    found = peers.found_by(peers.METHODS[name], given, TOPICS, 0)
    best = [{corpus.words[word] for word in topic[:8]} for topic in found["words"]]
    assert sorted(min(map(sorted, WORDS), key=lambda own: len(words - set(own)))[0]
                  for words in best) == sorted(own[0] for own in WORDS)  # fmt: skip
    assert found["contexts"] == len(corpus.train) and found["megabytes"] > 1


def test_what_a_method_raises_is_its_result(corpus: Corpus) -> None:
    def fails(given: peers.Contexts, topics: int, seed: int) -> peers.Floats:
        raise ValueError(f"no {topics} topics")

    method = peers.Method(fails, "numpy")
    found = peers.found_by(method, peers.contexts_of(corpus, 0), 7, 0)
    assert found == {"failed": "ValueError: no 7 topics"}


def test_entries_and_their_table(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A method in a process of its own; one that fails stands in the table with its reason."""
    assert peers.peers_shown() == "Not run yet."
    monkeypatch.setattr(sys, "argv", ["research", "peers"])
    peers.peers(corpus.path, topics=TOPICS, contexts=60, only=("scikit",))
    peers.told(corpus, "BERTopic", TOPICS, 0, {"failed": "over 20 minutes of a processor"})
    found: dict[str, Any] = {entry["row"]: entry for entry in entries.read("peers")}
    entry = found["scikit-learn NMF, 60 contexts"]
    assert entry["contexts"] == 60 and entry["found"] == TOPICS and entry["cpu_seconds"] >= 0
    shown = peers.peers_shown().splitlines()
    assert shown[2].startswith("| scikit-learn NMF | 60 | 1 | ")
    assert shown[3] == "| BERTopic |  | 1 | over 20 minutes of a processor |  |  |  |"


def test_a_process_that_took_too_long_says_so() -> None:
    assert peers.why_ended(-signal.SIGXCPU) == "over 20 minutes of a processor"


def test_the_best_words_come_first() -> None:
    assert peers.top(np.array([[0.1, 0.7, 0.2]])).tolist() == [[1, 2, 0]]
