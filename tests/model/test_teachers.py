"""Equations as teachers: of the same planted topic if they are near, of another article always."""

import numpy as np
import pytest
from planted import planted_corpus

from topiceq.corpus.store import Corpus
from topiceq.model.teachers import SHARE, TEACHERS, at_random, nearest, taught


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("teachers"), 200, articles=40)


def test_near_equations_have_words_of_the_same_topic(corpus: Corpus) -> None:
    pairs = corpus.train.encoded
    share = {}
    drawn = {"near": nearest(pairs, corpus.tokens), "random": at_random(pairs, 0)}
    for name, teachers in drawn.items():
        assert teachers.shape == (len(pairs), TEACHERS)
        assert (pairs.articles[teachers] != pairs.articles[:, None]).all()
        own, theirs = pairs.words, taught(pairs, teachers) - (1 - SHARE) * pairs.words
        share[name] = theirs.multiply(own > 0).sum() / theirs.sum()
    assert share["near"] > 1.5 * share["random"]


def test_own_words_and_the_teachers_add_up(corpus: Corpus) -> None:
    pairs = corpus.train.encoded
    mixed = taught(pairs, np.zeros((len(pairs), TEACHERS), dtype=np.int64))
    first = pairs.words[0].sum()
    expected = (1 - SHARE) * np.asarray(pairs.words.sum(1)).ravel() + SHARE * first
    np.testing.assert_allclose(np.asarray(mixed.sum(1)).ravel(), expected, rtol=1e-5)
