"""Topics by NMF (scikit-learn): what a library call of a minute finds, and where ours start.

In goes a corpus; out come K distributions over words. Passages X (n, V), the contexts of up to
PASSAGE neighbouring pairs of one article together, as sublinear tf-idf with rows of length 1, are
factored X ~ W H; then

    beta_k = normalise(H_k / weights of the words)      alpha = PRIOR * mean share of the topics

ours: passages, not contexts. In ten sentences a topic is often one word (`zero`, `line`, `square
root`); over the passages of a section it is what the section is about.

ours: repositories are balanced, and words weigh more the less evenly repositories use them. Else
the largest manuals get topics of their own, and so do `formula`, `term` and `calculate`; words that
hardly any other repository has make no topic. With K = 100 on valid: NPMI .157 without, .161 with
both; its shares tell the field of a context in .275 and .329 (116,264 train pairs).

Dividing by the weights turns weights of tf-idf back into weights of counts: without it the most
frequent words would be too rare in every topic for a likelihood of words.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, diags_array

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.split import repository
from topiceq.corpus.store import Corpus, Split
from topiceq.model.start import Array, GivenTopics, kept_beside

PASSAGE = 20  # pairs; NPMI on valid, K 100: contexts .126, of 10 .143, of 20 .154, of 40 .151
ITERATIONS = 150  # NPMI on valid is flat from 100 on
PRIOR = 5.0  # sum of alpha; ours: only its proportions matter to what starts from it
FLOOR = 1e-6  # of a word's probability, before normalising: no topic rules a word out
BALANCE = 0.4  # a repository counts as its size to the power of 1 - BALANCE
FEW, MANY = 5, 50  # a word of fewer repositories makes no topic, where there are many
METHOD = f"passage{PASSAGE}-iterations{ITERATIONS}-balance{round(100 * BALANCE)}"

Ints = npt.NDArray[np.int64]


def nmf(corpus: Corpus, topics: int, *, seed: int = 0) -> GivenTopics:
    """NMF of the train split: read from beside the corpus if it is there, else found and kept."""
    return kept_beside(
        corpus,
        f"nmf/topics{topics}-seed{seed}-{METHOD}",
        lambda: as_topics(corpus.train.encoded, repositories(corpus.train), topics, seed=seed),
    )


def repositories(split: Split) -> Ints:
    """The number of each pair's repository (n,)."""
    names = zip(split.column("article").to_pylist(), split.column("field").to_pylist(), strict=True)
    return np.unique([repository(id, field or "") for id, field in names], return_inverse=True)[1]


def as_topics(train: Encoded, owners: Ints, topics: int, *, seed: int = 0) -> GivenTopics:
    """The factors as distributions over words; `owners` are the repositories of the pairs (n,)."""
    together = in_passages(train)
    counts = csr_matrix(together @ train.words)
    weights = inverse_frequency(counts) * unevenness(train.words, owners)
    balance = balanced(owners[together.indices[together.indptr[:-1]]])
    texts = diags_array(balance) @ tf_idf(counts, weights)
    w, h = factorise(csr_matrix(texts, dtype=np.float32), topics, seed=seed)
    beta = np.divide(h, weights, out=np.zeros_like(h), where=weights > 0)
    beta = beta / np.maximum(beta.sum(1, keepdims=True), 1e-30) + FLOOR
    share = w * h.sum(1) / balance[:, None]
    share = share / np.maximum(share.sum(1, keepdims=True), 1e-30)
    alpha = PRIOR * np.maximum(share.mean(0), FLOOR)
    return GivenTopics(
        (beta / beta.sum(1, keepdims=True)).astype(np.float32), alpha.astype(np.float32)
    )


def in_passages(train: Encoded, size: int = PASSAGE) -> csr_matrix:
    """Which pairs make a passage: up to `size` neighbours of one article (passages, n)."""
    articles = train.articles
    new = np.flatnonzero(np.diff(articles, prepend=-1))  # where an article begins
    first = np.repeat(new, np.diff(new, append=len(articles)))
    part = (np.arange(len(articles)) - first) // size
    begins = (np.diff(articles, prepend=-1) != 0) | (np.diff(part, prepend=0) != 0)
    number = np.cumsum(begins) - 1
    ones = np.ones(len(number), dtype=np.float32)
    return csr_matrix((ones, (number, np.arange(len(number)))))


def unevenness(words: csr_matrix, owners: Ints) -> Array:
    """How unlike the repositories (n,) are in their use of each word (V,); 1 in the middle.

    The root of KL(p(repository | word) || uniform) beside its median; 0 for words of too few.
    """
    from sklearn.preprocessing import normalize

    ones = np.ones(len(owners), dtype=np.float32)
    counts = csr_matrix((ones, (owners, np.arange(len(owners))))) @ words
    size, uses = counts.shape[0], counts.getnnz(0)
    rates = csr_matrix(normalize(normalize(counts, "l1"), "l1", axis=0))  # p(owner | word)
    rates.data *= np.log(rates.data * size)
    told = np.maximum(np.asarray(rates.sum(0)).ravel(), 0)
    usual = np.median(told[uses > 0]) if uses.any() else 0
    weights = np.sqrt(told / usual) if usual else np.ones(len(told))
    least = FEW if size >= MANY else 1
    return np.where(uses >= least, weights, 0).astype(np.float32)


def balanced(owners: Ints) -> Array:
    """By what the passages of each repository (n,) are scaled: large ones say things often."""
    size = np.bincount(owners)[owners]
    scales: Array = ((size / np.median(size)) ** (-BALANCE / 2)).astype(np.float32)
    return scales


def inverse_frequency(counts: csr_matrix) -> Array:
    """log((1 + n) / (1 + contexts that have the word)) + 1, of each word (V,)."""
    frequency = counts.getnnz(0)
    idf: Array = (np.log((1 + counts.shape[0]) / (1 + frequency)) + 1).astype(np.float32)
    return idf


def tf_idf(counts: csr_matrix, weights: Array) -> csr_matrix:
    """(1 + log count) weight, each context scaled to length 1; one without words stays zero."""
    texts = csr_matrix(counts, dtype=np.float32, copy=True)
    texts.data = 1 + np.log(texts.data)
    texts = csr_matrix(texts @ diags_array(weights))
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
