"""Names of topics."""

import numpy as np
from planted import PHRASES, random_pairs
from scipy.sparse import csr_matrix

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.model.labels import fit, labels
from topiceq.model.run import Run


def pairs_with(phrases: list[list[int]]) -> Encoded:
    pairs = random_pairs([4] * len(phrases))
    object.__setattr__(pairs, "phrases", csr_matrix(np.float32(phrases)))
    return pairs


THETA = np.float32([[1, 0], [1, 0], [0, 1]])
WORDS = [["heat", "boundary"], ["prime", "integers"]]


def test_a_topic_is_named_by_what_it_has_more_of() -> None:
    phrases = Vocab(["solution", "boundary condition", "prime number"])
    pairs = pairs_with([[1, 2, 0], [1, 1, 0], [1, 0, 2]])
    assert labels(THETA, pairs, phrases, WORDS) == ["boundary condition", "prime number"]


def test_no_two_topics_have_the_same_name() -> None:
    phrases = Vocab(["boundary condition"])
    found = labels(THETA, pairs_with([[1], [1], [1]]), phrases, WORDS)
    assert len(set(found)) == 2


def test_without_phrases_words_must_do() -> None:
    found = labels(THETA, pairs_with([[], [], []]), Vocab([]), WORDS)
    assert found == ["heat boundary", "prime integers"]


def test_names_are_made_of_top_words() -> None:
    assert fit("prime number", WORDS[1]) > fit("boundary condition", WORDS[1])


def test_planted_topics_get_planted_names(run: Run, corpus: Corpus) -> None:
    names = [topic.label for topic in run.topics]
    assert len(set(names)) == len(names)
    assert set(names) <= {phrase for pair in PHRASES for phrase in pair}
