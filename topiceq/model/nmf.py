"""Topics by NMF (scikit-learn): what a library call of a minute finds, and where ours start.

In goes a corpus; out come K distributions over words. Passages X (n, V), the contexts of up to
PASSAGE neighbouring pairs of one article together, as sublinear tf-idf with rows of length 1, are
factored X ~ W H; then

    beta_k = normalise(H_k / idf)        alpha = PRIOR * mean share of the topics in the passages

ours: passages, not contexts. In ten sentences a topic is often one word (`zero`, `line`, `square
root`); over the passages of a section it is what the section is about.

Dividing by idf turns weights of tf-idf back into weights of counts: without it the most frequent
words would be too rare in every topic for a likelihood of words.
"""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags_array

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.model.start import Array, GivenTopics, kept_beside

PASSAGE = 20  # pairs; NPMI on valid, K 100: contexts .126, of 10 .143, of 20 .154, of 40 .151
ITERATIONS = 150  # NPMI on valid is flat from 100 on
PRIOR = 5.0  # sum of alpha; ours: only its proportions matter to what starts from it
FLOOR = 1e-6  # of a word's probability, before normalising: no topic rules a word out


def nmf(corpus: Corpus, topics: int, *, seed: int = 0) -> GivenTopics:
    """NMF of the train split: read from beside the corpus if it is there, else found and kept."""
    return kept_beside(
        corpus,
        f"nmf/topics{topics}-seed{seed}-passage{PASSAGE}-iterations{ITERATIONS}",
        lambda: as_topics(corpus.train.encoded, topics, seed=seed),
    )


def as_topics(train: Encoded, topics: int, *, seed: int = 0) -> GivenTopics:
    """The factors as distributions over words."""
    counts = passages(train)
    idf = inverse_frequency(counts)
    w, h = factorise(tf_idf(counts, idf), topics, seed=seed)
    beta = h / idf
    beta = beta / np.maximum(beta.sum(1, keepdims=True), 1e-30) + FLOOR
    share = w * h.sum(1)
    share = share / np.maximum(share.sum(1, keepdims=True), 1e-30)
    alpha = PRIOR * np.maximum(share.mean(0), FLOOR)
    return GivenTopics(
        (beta / beta.sum(1, keepdims=True)).astype(np.float32), alpha.astype(np.float32)
    )


def passages(train: Encoded, size: int = PASSAGE) -> csr_matrix:
    """The words of up to `size` neighbouring pairs of one article, summed (n, V)."""
    articles = train.articles
    new = np.flatnonzero(np.diff(articles, prepend=-1))  # where an article begins
    first = np.repeat(new, np.diff(new, append=len(articles)))
    part = (np.arange(len(articles)) - first) // size
    begins = (np.diff(articles, prepend=-1) != 0) | (np.diff(part, prepend=0) != 0)
    number = np.cumsum(begins) - 1
    ones = np.ones(len(number), dtype=np.float32)
    together = csr_matrix((ones, (number, np.arange(len(number)))))
    return csr_matrix(together @ train.words)


def inverse_frequency(counts: csr_matrix) -> Array:
    """log((1 + n) / (1 + contexts that have the word)) + 1, of each word (V,)."""
    frequency = counts.getnnz(0)
    idf: Array = (np.log((1 + counts.shape[0]) / (1 + frequency)) + 1).astype(np.float32)
    return idf


def tf_idf(counts: csr_matrix, idf: Array) -> csr_matrix:
    """(1 + log count) idf, each context scaled to length 1; one without words stays zero."""
    texts = csr_matrix(counts, dtype=np.float32, copy=True)
    texts.data = 1 + np.log(texts.data)
    texts = csr_matrix(texts @ diags_array(idf))
    length = np.sqrt(np.asarray(texts.multiply(texts).sum(1)).ravel())
    return csr_matrix(diags_array(1 / np.maximum(length, 1e-9)) @ texts, dtype=np.float32)


def factorise(texts: csr_matrix, topics: int, *, seed: int = 0) -> tuple[Array, Array]:
    """W (n, K) and H (K, V), neither with a negative number, with W H near the texts."""
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    # ours: nndsvd needs K directions; a corpus of a handful of pairs has fewer
    init = "nndsvd" if topics <= min(texts.shape) else "random"
    model: Any = NMF(topics, init=init, max_iter=ITERATIONS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        w = model.fit_transform(texts)
    return w, model.components_
