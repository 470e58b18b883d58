"""Perplexity on held-out pairs, and whether two runs differ by more than chance.

In go the log-probabilities of each pair (`Likelihood`, from model/held_out.py); out come numbers.
Equations count their END, and UNK as a token like any other, so its rate stands beside them. Two
runs are compared by a bootstrap over articles: the pairs of one article are not independent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocabularies
from topiceq.model.held_out import Likelihood, perplexity

DRAWS = 2_000  # of the bootstrap

Floats = npt.NDArray[np.floating]
Ids = npt.NDArray[np.integer]


@dataclass(frozen=True)
class EquationScore:
    """How well a decoder predicts equations."""

    perplexity: float  # a token
    nats: float  # an equation
    unk_rate: float  # share of tokens that the run's vocabulary does not know


@dataclass(frozen=True)
class PhraseScore:
    """How well phrases are predicted from symbols, beside their frequencies alone."""

    perplexity: float  # a phrase
    unigram: float  # of the model that knows nothing but the frequencies in train


@dataclass(frozen=True)
class Difference:
    """Of one run's score from another's; of perplexities as a share: -0.08 is 8 % lower."""

    gap: float
    low: float  # 95 % interval
    high: float


def equation_score(found: Likelihood, pairs: Encoded) -> EquationScore:
    """From the likelihood of the equations of a split."""
    nats = float(-found.log_prob.mean()) if len(found.log_prob) else float("nan")
    return EquationScore(found.perplexity, nats, pairs.unk_rate)


def phrase_score(found: Likelihood, log_frequency: Floats, pairs: Encoded) -> PhraseScore:
    """From the likelihood of a split's phrases, and how frequent each is in train (M,)."""
    counts = np.asarray(pairs.phrases.sum(0)).ravel()
    unigram = perplexity(float(counts @ log_frequency), float(counts.sum()))
    return PhraseScore(found.perplexity, unigram)


def by_article(found: Likelihood, articles: Ids) -> npt.NDArray[np.float64]:
    """log p and size, added up over each article's pairs (2, articles)."""
    return np.stack([np.bincount(articles, x) for x in (found.log_prob, found.size)])


def difference(
    ours: Likelihood, other: Likelihood, articles: Ids, *, draws: int = DRAWS, seed: int = 0
) -> Difference:
    """How far the first perplexity is from the second on the same pairs, with its interval.

    Articles are drawn with replacement, both runs on the same ones: what is hard for both
    cancels out.
    """
    sums = np.stack([by_article(x, articles) for x in (ours, other)])  # (2, 2, articles)
    rng = np.random.default_rng(seed)
    count = sums.shape[-1]
    weights = rng.multinomial(count, np.full(count, 1 / count), size=draws)  # (draws, articles)
    low, high = np.quantile(_relative(sums @ weights.T), [0.025, 0.975])
    return Difference(float(_relative(sums.sum(-1))), float(low), float(high))


def _relative(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """From [[log p, size] of ours, of the other], each (..), to the relative difference (..)."""
    nats = -sums[:, 0] / np.maximum(sums[:, 1], 1)
    relative: npt.NDArray[np.float64] = np.exp(nats[0] - nats[1]) - 1
    return relative


def unigram_perplexity(corpus: Corpus, known: Vocabularies) -> float:
    """Of the words of the valid split, by how often each occurs in train: what counting gives.

    `known` are the vocabularies of the run that it is compared with: more words are harder to tell.
    """
    train, valid = (split.encode(known).words for split in (corpus.train, corpus.valid))
    counts = np.asarray(train.sum(0), dtype=np.float64).ravel() + 1
    held_out = np.asarray(valid.sum(0), dtype=np.float64).ravel()
    return perplexity(float(held_out @ np.log(counts / counts.sum())), float(held_out.sum()))
