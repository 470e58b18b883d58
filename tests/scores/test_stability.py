"""Topics of two runs matched."""

import numpy as np
import pytest

from topiceq.scores.coherence import stability

TOPICS = np.arange(40).reshape(4, 10)


def test_the_same_topics_in_another_order_all_match() -> None:
    order = np.array([2, 0, 3, 1])
    found = stability(TOPICS, TOPICS[order][:, ::-1])
    assert found.overlap == 1.0 and found.matched == 1.0
    assert found.pairs == [(0, 1), (1, 3), (2, 0), (3, 2)]


def test_half_of_the_words_is_enough() -> None:
    other = TOPICS.copy()
    other[0, :5] += 100  # half is left
    other[1, :6] += 200  # less than half
    found = stability(TOPICS, other)
    assert found.matched == 0.75
    assert found.overlap == pytest.approx((0.5 + 0.4 + 1 + 1) / 4)


def test_a_topic_is_matched_once() -> None:
    twice = np.stack([TOPICS[0], TOPICS[0]])
    found = stability(twice, TOPICS[:2])
    assert found.matched == 0.5 and {pair[1] for pair in found.pairs} == {0, 1}
