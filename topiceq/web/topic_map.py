"""Where topics lie: which are related, a map of them, and which words speak for a topic.

Two topics are as near as their words are alike: the Jensen-Shannon divergence of their rows of
beta, 0 for the same words and 1 for no word in common.
"""

import warnings

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from sklearn.manifold import TSNE

from topiceq.corpus.vocab import Vocab
from topiceq.tasks.read import context_words

Floats = npt.NDArray[np.floating]


def similarity(beta: Floats) -> npt.NDArray[np.float64]:
    """1 minus the Jensen-Shannon divergence in bits of each two topics (K, K).

    >>> similarity(np.array([[1.0, 0.0], [0.0, 1.0]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    beta = np.asarray(beta, np.float64)
    own = xlogy(beta, beta).sum(1)  # minus the entropies
    alike = np.ones((len(beta), len(beta)))
    for k, row in enumerate(beta):
        middle = (row + beta) / 2
        both = xlogy(middle, middle).sum(1)
        alike[k] = 1 - ((own[k] + own) / 2 - both) / np.log(2)
    return alike.clip(0, 1)


def positions(alike: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A map: each topic at x, y from 0 to 1 (K, 2), related ones near each other."""
    count = len(alike)
    if count < 4:
        return np.stack([np.linspace(0, 1, count), np.full(count, 0.5)], axis=1)
    far = np.sqrt(1 - alike)
    np.fill_diagonal(far, 0)
    perplexity = min(8.0, (count - 1) / 3)
    layout = TSNE(metric="precomputed", init="random", perplexity=perplexity, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sklearn, on its own defaults
        places = layout.fit_transform(far)
    low, high = places.min(0), places.max(0)
    scaled: npt.NDArray[np.float64] = (places - low) / np.maximum(high - low, 1e-9)
    return scaled


def related(alike: npt.NDArray[np.float64], topic: int, count: int = 6) -> list[tuple[int, float]]:
    """The topics nearest to one, with how alike they are."""
    order = [int(k) for k in np.argsort(-alike[topic], kind="stable") if k != topic]
    return [(k, round(float(alike[topic, k]), 4)) for k in order[:count]]


def speaking_words(
    context: str, words: Vocab, theta: Floats, beta: Floats, topic: int, count: int = 8
) -> list[tuple[str, float]]:
    """The words of a context that speak for a topic, with p(topic | word, theta).

    Ordered by how much they bring in all: a word twice in the context counts twice.
    """
    ids, counts = np.unique(words.encode(context_words(context)), return_counts=True)
    weights = theta[:, None] * beta[:, ids]  # (K, words)
    p = weights[topic] / np.maximum(weights.sum(0), 1e-30)
    order = np.argsort(-p * counts, kind="stable")[:count]
    return [(words[int(ids[i])], round(float(p[i]), 4)) for i in order]
