"""Where topics lie, and which words speak for them."""

import numpy as np
import pytest

from topiceq.corpus.vocab import Vocab
from topiceq.web.topic_map import positions, regions, related, similarity, speaking_words


def test_topics_are_as_alike_as_their_words() -> None:
    found = similarity(np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]))
    assert found == pytest.approx(found.T) and np.diag(found) == pytest.approx(1)
    assert found[0, 1] > 0.9 and found[0, 2] == found[1, 2] == 0


def test_related_topics_are_the_nearest_others() -> None:
    alike = np.array([[1.0, 0.2, 0.7, 0.4], [0.2, 1, 1, 0.3], [0.7, 1, 1, 0], [0.4, 0.3, 0, 1]])
    assert related(alike, 0, count=2) == [(2, 0.7), (3, 0.4)]
    assert related(alike, 2) == [(1, 1.0), (0, 0.7), (3, 0.0)]


def test_a_map_has_related_topics_near_each_other() -> None:
    group = np.arange(20) // 5
    noise = np.random.default_rng(0).uniform(0, 0.04, (20, 20))
    alike = np.where(group[:, None] == group, 0.5, 0.05) + noise + noise.T
    np.fill_diagonal(alike, 1)
    places = positions(alike)
    assert (places >= 0).all() and (places <= 1).all()
    far = np.linalg.norm(places[:, None] - places, axis=-1)
    np.fill_diagonal(far, np.inf)
    assert (group[far.argmin(1)] == group).all()
    assert far.min() > 0.04  # each can be pointed at
    found = regions(places, np.arange(20) / 190)
    assert [len(set(found[group == k])) for k in range(4)] == [1, 1, 1, 1]
    assert set(found) <= {4, 9, 14, 19}  # called after the largest
    assert (positions(alike) == places).all()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_topics_lie_on_a_line(count: int) -> None:
    xs = [[1 / 2], [1 / 3, 2 / 3], [1 / 4, 1 / 2, 3 / 4]][count - 1]
    assert positions(np.eye(count)) == pytest.approx(np.array([[x, 0.5] for x in xs]))
    assert regions(positions(np.eye(count)), np.arange(count)).tolist() == [count - 1] * count


def test_there_are_eight_to_twelve_regions() -> None:
    places = np.random.default_rng(0).uniform(size=(100, 2))
    assert 8 <= len(set(regions(places, np.ones(100)))) <= 12


def test_words_that_come_often_speak_most() -> None:
    words = Vocab(["field", "prime", "ring"])
    theta, beta = np.array([0.5, 0.5]), np.array([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]])
    context = "A prime and a prime, a field."
    assert speaking_words(context, words, theta, beta, 0) == [("prime", 0.5), ("field", 0.75)]
    assert speaking_words(context, words, theta, beta, 0, count=1) == [("prime", 0.5)]
    skewed = np.array([0.25, 0.75])
    assert speaking_words("field ring", words, skewed, beta, 0) == [("field", 0.5), ("ring", 0.1)]
