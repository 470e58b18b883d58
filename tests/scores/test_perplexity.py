"""Perplexity, and the bootstrap over articles."""

from math import exp, log

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import UNK
from topiceq.corpus.encoded import Encoded
from topiceq.model.held_out import Likelihood
from topiceq.scores.perplexity import difference, equation_score, phrase_score


def pairs(tokens: list[int], phrases: list[list[int]]) -> Encoded:
    count = len(phrases)
    none = csr_matrix((count, 1))
    offsets = np.linspace(0, len(tokens), count + 1).astype(np.int64)
    order = np.zeros(0, np.int32), np.zeros(count + 1, np.int64)
    articles = np.arange(count, dtype=np.int32)
    return Encoded(none, order, np.array(tokens, np.int32), offsets, csr_matrix(phrases), articles)


def likelihood(nats: list[float], size: list[float]) -> Likelihood:
    return Likelihood(-np.array(nats), np.array(size))


def test_equations_are_counted_by_token_and_by_equation() -> None:
    found = likelihood([4.0, 2.0], [3.0, 1.0])
    score = equation_score(found, pairs([UNK, 5, 6, 7], [[0], [0]]))
    assert score.perplexity == pytest.approx(exp(6 / 4))
    assert score.nats == pytest.approx(3.0)
    assert score.unk_rate == 0.25


def test_phrases_stand_beside_their_frequencies() -> None:
    split = pairs([5, 5], [[2, 0], [0, 1]])
    frequency = np.log([3 / 4, 1 / 4])
    score = phrase_score(likelihood([1.0, 1.0], [2.0, 1.0]), frequency, split)
    assert score.perplexity == pytest.approx(exp(2 / 3))
    assert score.unigram == pytest.approx(exp(-(2 * log(3 / 4) + log(1 / 4)) / 3))


def test_a_run_does_not_differ_from_itself() -> None:
    found = likelihood([4.0, 2.0, 3.0], [3.0, 1.0, 2.0])
    same = difference(found, found, np.array([0, 1, 1]))
    assert (same.gap, same.low, same.high) == (0.0, 0.0, 0.0)


def test_a_steady_gain_is_told_from_chance() -> None:
    rng = np.random.default_rng(0)
    size, articles = rng.integers(20, 60, 400).astype(float), np.repeat(np.arange(40), 10)
    hard = rng.gamma(5.0, 0.4, 40)[articles]  # articles differ far more than the runs do
    other = Likelihood(-hard * size, size)
    better = Likelihood(other.log_prob + 0.05 * size, size)
    noisy = Likelihood(other.log_prob + rng.normal(0, 0.5, 40)[articles] * size, size)
    gain, chance = difference(better, other, articles), difference(noisy, other, articles)
    assert gain.gap == pytest.approx(exp(-0.05) - 1)
    assert gain.low <= gain.gap <= gain.high < 0
    assert chance.low < 0 < chance.high


def test_the_bootstrap_is_the_same_every_time_and_covers_whole_articles() -> None:
    rng = np.random.default_rng(1)
    size, articles = np.full(200, 30.0), np.repeat(np.arange(4), 50)
    other = Likelihood(-2 * size, size)
    ours = Likelihood(other.log_prob + rng.normal(0, 1, 4)[articles] * size, size)
    by_article = difference(ours, other, articles, seed=3)
    by_pair = difference(ours, other, np.arange(200), seed=3)
    assert by_article == difference(ours, other, articles, seed=3)
    # pairs of one article move together, so drawing articles admits how little is known
    assert by_article.high - by_article.low > 2 * (by_pair.high - by_pair.low)
