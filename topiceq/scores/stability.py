"""Stability: which topics of one run come back in another.

In go the top words of two runs' topics as ids (of the same vocabulary); out comes the best
one-to-one match (Hungarian method) and the share of topics that found their like.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

TOP = 10  # words compared
ENOUGH = 0.5  # of them shared: the same topic

Ids = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Stability:
    """How alike two runs' topics are."""

    overlap: float  # mean share of top words that matched topics have in common
    matched: float  # share of topics whose match has at least half of its top words
    pairs: list[tuple[int, int]]  # topic of the one, topic of the other


def stability(one: Ids, other: Ids) -> Stability:
    """Match topics, given as word ids (K, at least 10), best first."""
    shared = overlap(one[:, :TOP], other[:, :TOP])
    rows, columns = linear_sum_assignment(-shared)
    found = shared[rows, columns]
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return Stability(float(found.mean()), float(np.mean(found >= ENOUGH)), pairs)


def overlap(one: Ids, other: Ids) -> npt.NDArray[np.float64]:
    """The share of words that each two topics have in common.

    >>> overlap(np.array([[1, 2]]), np.array([[2, 1], [2, 3]])).tolist()
    [[1.0, 0.5]]
    """
    size = int(max(one.max(), other.max())) + 1
    held: list[npt.NDArray[np.float64]] = [np.zeros((len(x), size)) for x in (one, other)]
    for table, topics in zip(held, (one, other), strict=True):
        np.put_along_axis(table, topics.astype(np.int64), 1.0, axis=1)
    shared: npt.NDArray[np.float64] = held[0] @ held[1].T / one.shape[1]
    return shared
