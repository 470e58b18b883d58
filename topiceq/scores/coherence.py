"""Coherence of topics: NPMI with the conventions of Lau, Newman & Baldwin 2014, and diversity.

In: the top words of each topic as ids, best first, and held-out contexts as word ids in reading
order. A window of 20 words slides over each context, partial windows at both ends included, so a
text of n words has n + 19 windows; a word counts once in a window. For words with window counts c1,
c2, together c12, out of W windows

    NPMI = log(c12 W / (c1 c2)) / -log(c12 / W),    0 where a count is 0,    1 where c12 = W.

A topic scores the mean over the pairs of its top N words, averaged over N = 5, 10, 15, 20.
Stability is the share of topics that come back in another run, by the best one-to-one match.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix

WINDOW = 20
TOPS = (5, 10, 15, 20)
TOP = 10  # words compared between runs
ENOUGH = 0.5  # of them shared: the same topic

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.integer]
Rows = tuple[Ids, npt.NDArray[np.int64]]  # flat word ids, and where each context begins


@dataclass(frozen=True)
class Coherence:
    """Scores of topics; the names carry the convention."""

    npmi_win20_top5_20: float
    npmi_doc_top5_20: float
    diversity_top25: float
    distinct_top10: float


def coherence(topics: Ids, contexts: Rows) -> Coherence:
    """All scores of topics, given as word ids (K, at least 25), best first."""
    return Coherence(
        float(topic_npmi(topics, contexts).mean()),
        float(topic_npmi(topics, contexts, window=None).mean()),
        distinct_share(topics, 25),
        distinct_share(topics, 10),
    )


def topic_npmi(topics: Ids, contexts: Rows, *, window: int | None = WINDOW) -> Floats:
    """The NPMI of each topic (K,); `window=None` takes each context as one window."""
    topics = np.asarray(topics)[:, : max(TOPS)]
    words, numbers = np.unique(topics, return_inverse=True)
    places = _Places.of(words, contexts)
    joint = places.in_contexts() if window is None else places.in_windows(window)
    total = int(len(places.lengths) if window is None else (places.lengths + window - 1).sum())
    single = np.diag(joint)
    values = npmi(single[:, None], single[None, :], joint, total)
    rows = numbers.reshape(topics.shape)
    return np.array([_mean_over_tops(values[np.ix_(row, row)]) for row in rows])


def _mean_over_tops(values: Floats) -> float:
    """The mean over unordered pairs of the top N, averaged over N."""
    tops = [n for n in TOPS if n <= len(values)] or [len(values)]
    return float(np.mean([values[:n, :n][np.triu_indices(n, 1)].mean() for n in tops]))


def npmi(c1: Floats, c2: Floats, c12: Floats, windows: int) -> Floats:
    """Normalised pointwise mutual information of counts, by Lau's conventions."""
    c1, c2, c12 = np.broadcast_arrays(c1, c2, c12)
    out = np.zeros(c12.shape)
    some = (c12 > 0) & (c12 < windows)
    p12 = c12[some] / windows
    out[some] = np.log(c12[some] * windows / (c1[some] * c2[some])) / -np.log(p12)
    out[c12 == windows] = 1.0
    return out


@dataclass(frozen=True)
class _Places:
    """Where S words occur, in reading order."""

    size: int  # S
    word: Ids  # which of them, per occurrence
    place: Ids  # in the texts one after another
    context: Ids
    lengths: Ids  # of the contexts

    @classmethod
    def of(cls, words: Ids, contexts: Rows) -> "_Places":
        flat, at = np.asarray(contexts[0]), np.asarray(contexts[1], np.int64)
        lengths = at[1:] - at[:-1]
        number_of = np.full(int(max(words.max(), flat.max(initial=0))) + 1, -1, np.int64)
        number_of[words] = np.arange(len(words))
        place = np.flatnonzero(number_of[flat] >= 0)
        context = np.repeat(np.arange(len(lengths)), lengths)[place]
        return cls(len(words), number_of[flat[place]], place, context, lengths)

    def in_contexts(self) -> Floats:
        """In how many contexts each two of the words occur (S, S), alone on the diagonal."""
        ones = np.ones(len(self.word), np.float32)
        shape = len(self.lengths), self.size
        inside = csr_matrix((ones, (self.context, self.word)), shape=shape)
        inside.sum_duplicates()
        inside.data[:] = 1
        return np.asarray((inside.T @ inside).todense(), dtype=np.float64)

    def in_windows(self, width: int) -> Floats:
        """In how many windows each two of the words occur (S, S), alone on the diagonal.

        The word at place p is in the windows p .. p + width - 1, or until it occurs again. Two
        occurrences share the windows in which both spans overlap; only neighbours can.
        """
        place = self.place + self.context * (width - 1)
        end = self._ends(place, width)
        joint = np.zeros(self.size * self.size)
        for step in range(1, width):
            near = np.flatnonzero(place[step:] - place[:-step] < width)
            if not len(near):
                break
            shared = np.minimum(end[near], end[near + step]) - place[near + step]
            pair = self.word[near] * self.size + self.word[near + step]
            joint += np.bincount(pair, np.maximum(shared, 0), minlength=len(joint))
        both = joint.reshape(self.size, self.size)
        both = both + both.T
        np.fill_diagonal(both, np.bincount(self.word, end - place, minlength=self.size))
        return both

    def _ends(self, place: Ids, width: int) -> Ids:
        """Where the span of each occurrence ends: after `width`, or where the word comes again."""
        end = place + width
        order = np.lexsort((place, self.word))
        first, second = order[:-1], order[1:]
        again = (self.word[first] == self.word[second]) & (place[second] < end[first])
        end[first[again]] = place[second[again]]
        return end


def distinct_share(topics: Ids, count: int) -> float:
    """The share of distinct words among the top `count` of all topics."""
    top = np.asarray(topics)[:, :count]
    return len(np.unique(top)) / top.size


@dataclass(frozen=True)
class Stability:
    """How alike two runs' topics are."""

    overlap: float  # mean share of top words that matched topics have in common
    matched: float  # share of topics whose match has at least half of its top words
    pairs: list[tuple[int, int]]  # topic of the one, topic of the other


def stability(one: Ids, other: Ids) -> Stability:
    """Match topics of one vocabulary, given as word ids (K, at least 10), best first."""
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
