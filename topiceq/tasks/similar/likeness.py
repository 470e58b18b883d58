"""How alike two equations are: 0.65 token overlap + 0.15 decoder state + 0.2 topics, all cosines.

    token overlap   n-grams weighted by idf = log(equations / those that have it)
    decoder state   the mean of h_t over the equation under one theta for all, whitened
    topics          the theta of its context, as far as the first two tell (ridge regression)

ours, all of it. Corpus and question are read in the same way, from the equation alone, so an
equation is 1 like itself. The topics are learned from the contexts of the corpus, one product for
an equation; the decoder's own p(k | equation) takes K passes over each and ranked no better.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, diags, hstack
from scipy.sparse.linalg import norm

from topiceq.tasks.similar.ngrams import WIDTH

OVERLAP, STATE, TOPICS = 0.65, 0.15, 0.2  # how much each counts; measured
DIMENSIONS = 128  # of the whitened state
RIDGE = 2.0
TINY = 1e-6

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Likeness:
    """What a corpus has taught about likeness."""

    theta: Floats  # (K,) under which decoder states are read
    idf: Floats  # (WIDTH,)
    centre: Floats  # (H,) the mean state
    white: Floats  # (H, D) from states to whitened ones
    topics: Floats  # (WIDTH + D, K) from n-grams and whitened states to topics

    def overlap(self, ngrams: csr_matrix) -> csr_matrix:
        """n-grams (n, WIDTH) as unit vectors."""
        weighted = csr_matrix(ngrams @ diags(self.idf))
        return csr_matrix(diags(1 / (norm(weighted, axis=1) + TINY)) @ weighted)

    def whitened(self, states: Floats) -> Floats:
        """Decoder states (n, H) as unit vectors in which every direction counts alike."""
        return unit(np.dot(states - self.centre, self.white))  # (n, D)

    def vectors(self, ngrams: csr_matrix, states: Floats) -> Floats:
        """State and topics of equations as one vector each, whose product is their likeness."""
        white = self.whitened(states)
        topics: Floats = _beside(self.overlap(ngrams), white) @ self.topics
        both = [STATE**0.5 * white, TOPICS**0.5 * unit(topics)]
        return np.hstack(both).astype(np.float32)  # (n, D + K)


def learn(ngrams: csr_matrix, states: Floats, thetas: Floats) -> Likeness:
    """From the equations of a corpus, read under their mean theta, and theta of their contexts."""
    have = np.bincount(ngrams.indices, minlength=WIDTH)
    idf = np.log((1 + len(states)) / (1 + have)).astype(np.float32)
    centre = states.mean(0)
    white = _whitening(states - centre)
    known = Likeness(thetas.mean(0), idf, centre, white, np.zeros((0, 0), np.float32))
    read = _beside(known.overlap(ngrams), known.whitened(states))
    return Likeness(known.theta, idf, centre, white, _regression(read, thetas))


def _whitening(states: Floats) -> Floats:
    """The directions of most variance, scaled so that all of them vary alike."""
    variances, directions = np.linalg.eigh(states.T @ states / len(states))
    best = np.argsort(-variances)[:DIMENSIONS]
    kept = variances[best].clip(TINY * max(float(variances.max()), TINY))
    scaled = directions[:, best] / np.sqrt(kept)
    return _rounded(scaled / np.abs(scaled).max())  # only directions matter: unit() follows


def _regression(read: csr_matrix, thetas: Floats) -> Floats:
    from sklearn.linear_model import ridge_regression  # takes a second, and only learning needs it

    roots = np.sqrt(thetas)  # theta as unit vectors: a cosine is then the overlap of two mixtures
    found = ridge_regression(
        read, roots - roots.mean(0), RIDGE, solver="sparse_cg", tol=1e-3, max_iter=100
    )
    return _rounded(found.T)


def _rounded(weights: npt.NDArray[np.floating]) -> Floats:
    """To half precision: as an index keeps them."""
    return weights.astype(np.float16).astype(np.float32)


def _beside(overlap: csr_matrix, white: Floats) -> csr_matrix:
    return csr_matrix(hstack([overlap, csr_matrix(white / 2)]))  # ours: the state counts less


def unit(vectors: Floats) -> Floats:
    """Vectors of length 1; a vector of zeros stays one.

    >>> unit(np.float32([[3, 4], [0, 0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
