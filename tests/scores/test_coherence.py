"""Coherence equals a literal transcription of its definition."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.scores.coherence import coherence, distinct_share, npmi, topic_npmi


def slow_npmi(topic: list[int], texts: list[list[int]], width: int) -> float:
    """Window by window, pair by pair, as the definition reads."""
    windows = [set(text[max(0, s - width + 1) : s + 1]) for text in texts
               for s in range(len(text) + width - 1)]  # fmt: skip
    means = []
    for n in (5, 10, 15, 20):
        if n > len(topic):
            continue
        scores = []
        for a, b in combinations(topic[:n], 2):
            c1 = sum(a in w for w in windows)
            c2 = sum(b in w for w in windows)
            c12 = sum(a in w and b in w for w in windows)
            total = len(windows)
            if c12 == 0:
                scores.append(0.0)
            elif c12 == total:
                scores.append(1.0)
            else:
                scores.append(math.log(c12 * total / (c1 * c2)) / -math.log(c12 / total))
        means.append(sum(scores) / len(scores))
    return sum(means) / len(means)


def rows(texts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    flat = np.array([word for text in texts for word in text], dtype=np.int32)
    return flat, np.concatenate([[0], np.cumsum([len(t) for t in texts])]).astype(np.int64)


@given(st.lists(st.lists(st.integers(0, 30), max_size=60), min_size=1, max_size=6),
       st.integers(2, 20))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_windows_equal_the_slow_way(texts: list[list[int]], width: int) -> None:
    topic = list(range(20))
    fast = topic_npmi(np.array([topic]), rows(texts), window=width)
    assert fast[0] == pytest.approx(slow_npmi(topic, texts, width), abs=1e-6)


@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=60), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_documents_equal_the_slow_way(texts: list[list[int]]) -> None:
    topic = list(range(20))
    fast = topic_npmi(np.array([topic]), rows(texts), window=None)
    sets = [sorted(set(text)) for text in texts]
    # each document as one window: a transcription over sets
    total = len(sets)
    means = []
    for n in (5, 10, 15, 20):
        scores = []
        for a, b in combinations(topic[:n], 2):
            c1, c2 = sum(a in s for s in sets), sum(b in s for s in sets)
            c12 = sum(a in s and b in s for s in sets)
            scores.append(
                0.0 if c12 == 0 else 1.0 if c12 == total
                else math.log(c12 * total / (c1 * c2)) / -math.log(c12 / total)
            )  # fmt: skip
        means.append(sum(scores) / len(scores))
    assert fast[0] == pytest.approx(sum(means) / 4, abs=1e-6)


def test_words_that_go_together_beat_words_that_do_not() -> None:
    texts = [[0, 1, 2, 3, 4] * 3, [5, 6, 7, 8, 9] * 3] * 10
    good, bad = topic_npmi(np.array([[0, 1, 2, 3, 4], [0, 5, 1, 6, 2]]), rows(texts))
    assert good > 0.5 > bad


def test_no_count_no_information() -> None:
    one = np.array([1.0])
    assert npmi(one * 0, one, one * 0, 10)[0] == 0
    assert npmi(one * 10, one * 10, one * 10, 10)[0] == 1


def test_distinct_words() -> None:
    topics = np.array([[0, 1, 2, 3], [0, 1, 4, 5]])
    assert distinct_share(topics, 2) == 0.5
    assert distinct_share(topics, 4) == 0.75


def test_all_scores_at_once() -> None:
    rng = np.random.default_rng(0)
    texts = [list(rng.integers(0, 40, 30)) for _ in range(20)]
    found = coherence(np.arange(50).reshape(2, 25), rows(texts))
    assert -1 <= found.npmi_win20_top5_20 <= 1
    assert found.diversity_top25 == found.distinct_top10 == 1.0
