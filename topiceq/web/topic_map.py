"""Where topics lie: which are related, a map of them, its regions, which words speak for one.

Two topics are as near as their words are alike: the correlation of the logarithms of their rows of
beta, 1 for the same words and 0 for words that have nothing to do with one another.
"""

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.cluster import AgglomerativeClustering
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score

from topiceq.corpus.vocab import Vocab
from topiceq.tasks.read import context_words

FLOOR = 1e-5  # of p(word | topic): below, words are all as good as never said
APART = 0.058  # between two topics on the map, so that each can be pointed at
EDGE = 0.06  # of the map that is left free
ROUNDS = 200
REGIONS = range(8, 13)
TOPICS = 6  # of a region, at least, on average

Floats = npt.NDArray[np.floating]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def similarity(beta: Floats) -> Doubles:
    """How alike the words of each two topics are (K, K), from 0 to 1.

    >>> similarity(np.array([[0.9, 0.1], [0.1, 0.9]])).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    alike: Doubles = np.atleast_2d(np.corrcoef(np.log(np.asarray(beta, np.float64) + FLOOR)))
    return alike.clip(0, 1)


def positions(alike: Doubles) -> Doubles:
    """A map: each topic at x, y from 0 to 1 (K, 2), related ones near each other."""
    count = len(alike)
    if count < 4:
        return np.stack([np.linspace(0, 1, count + 2)[1:-1], np.full(count, 0.5)], axis=1)
    far = np.sqrt(1 - alike)
    np.fill_diagonal(far, 0)
    perplexity = min(8.0, (count - 1) / 3)
    layout = TSNE(metric="precomputed", init="random", perplexity=perplexity, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sklearn, on its own defaults
        places = layout.fit_transform(far).astype(np.float64)
    return _apart(EDGE + (1 - 2 * EDGE) * _spread(places))


def _spread(places: Doubles) -> Doubles:
    """Half the value, half its rank: so that a few that lie far off do not squeeze all others."""
    low, high = places.min(0), places.max(0)
    ranks = places.argsort(0).argsort(0) / (len(places) - 1)
    found: Doubles = ((places - low) / np.maximum(high - low, 1e-9) + ranks) / 2
    return found


def _apart(places: Doubles) -> Doubles:
    """The same places, those pushed from one another that would be too near."""
    least = min(APART, 0.5 / np.sqrt(len(places)))
    for _ in range(ROUNDS):
        between = places[:, None] - places
        distance = np.linalg.norm(between, axis=-1) + np.eye(len(places))
        missing = (least - distance).clip(min=0)
        if missing.max() < 1e-4:
            break
        push = between * (missing / np.maximum(distance, 1e-9))[..., None] / 4
        places = (places + push.sum(1)).clip(EDGE, 1 - EDGE)
    return places


def regions(places: Doubles, shares: Floats) -> Ints:
    """Of each topic the largest one of its region (K,): 8 to 12 regions that lie together."""
    count = len(places)
    numbers = [n for n in REGIONS if n * TOPICS <= count] or [max(1, count // TOPICS)]
    cut = [AgglomerativeClustering(n).fit_predict(places) if n > 1 else np.zeros(count, np.int64)
           for n in numbers]  # fmt: skip
    if len(cut) > 1:
        cut.sort(key=lambda own: -float(silhouette_score(places, own)))
    own = cut[0]
    first = {region: int(np.where(own == region, shares, -1).argmax()) for region in set(own)}
    return np.array([first[region] for region in own], np.int64)


def related(alike: Doubles, topic: int, count: int = 6) -> list[tuple[int, float]]:
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
