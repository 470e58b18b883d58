"""Held-out pairs through a model: theta and log-probabilities, pair by pair.

In go a model and a split as `Encoded` arrays; out come numpy arrays in the order of the split.
Nothing is random: theta is g(the posterior mean), dropout is off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, nan

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import Unsupported
from topiceq.model.batches import Batches, sparse
from topiceq.model.joint import JointModel, evaluating
from topiceq.model.processes import Team

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Likelihood:
    """What one decoder (or the topics) gives to each pair of a split."""

    log_prob: Array  # (n,) nats
    size: Array  # (n,) how many tokens, words or phrases it is about

    @property
    def perplexity(self) -> float:
        """exp(-log p an item); not a number where there are no items."""
        return perplexity(self.log_prob.sum(), self.size.sum())


def perplexity(log_prob: float, items: float) -> float:
    """exp(-log p / items), as large as a number can be where that is too large for one.

    >>> round(perplexity(-6.0, 3.0), 3), perplexity(0.0, 0.0)
    (7.389, nan)
    """
    return exp(min(700.0, -log_prob / items)) if items else nan


def log_probs(
    model: JointModel, pairs: Encoded, *, batch: int = 200, seed: int = 0, decoders: bool = True
) -> dict[str, Likelihood]:
    """The likelihood of every pair: `words`, and, unless they are left out, of each decoder."""
    batches = Batches(pairs, batch=batch, seed=seed, others=model.research.theta_from == "other")
    found: dict[str, tuple[Array, Array]] = {}
    with evaluating(model) as device:
        for one, rows in batches.in_order():
            for name, values in model.log_probs(one.to(device), decoders=decoders).items():
                columns = found.setdefault(name, (np.zeros(len(pairs)), np.zeros(len(pairs))))
                for column, value in zip(columns, values, strict=True):
                    column[rows] = value.double().cpu().numpy()
    return {name: Likelihood(*columns) for name, columns in found.items()}


def perplexities(
    model: JointModel, batches: Batches, team: Team, *, decoders: bool = True
) -> dict[str, float]:
    """Perplexity by name, and `loss`: nats a pair of what the decoders (or the topics) write."""
    sums: dict[str, Tensor] = {}
    with evaluating(model) as device:
        for one, _ in batches.in_order():
            for name, values in model.log_probs(one.to(device), decoders=decoders).items():
                both = torch.stack([value.double().sum() for value in values])  # log p, size
                sums[name] = sums.get(name, 0) + both
    sums = {name: team.sum(both) for name, both in sums.items()}
    told = [name for name in sums if name != "words"] or ["words"]
    loss = -sum(float(sums[name][0]) for name in told) / len(batches.pairs)
    pairs = {name: (float(both[0]), float(both[1])) for name, both in sums.items()}
    found = {name: perplexity(*both) for name, both in pairs.items() if both[1]}
    return {"loss": loss, **found}


def thetas(model: JointModel, pairs: Encoded, *, batch: int = 500) -> npt.NDArray[np.float32]:
    """theta of every pair's own context."""
    if model.theta is None:
        raise Unsupported("This model has no theta: it was trained with model.theta = 'none'.")
    found = np.zeros((len(pairs), model.config.topics), dtype=np.float32)
    with evaluating(model) as device:
        for one, rows in Batches(pairs, batch=batch).in_order():
            theta = model.encode(one.words.to(device))
            assert theta is not None
            found[rows] = theta.cpu().numpy()
    return found


def context_thetas(
    model: JointModel, vocabulary: Vocab, contexts: Sequence[Sequence[str]]
) -> npt.NDArray[np.float32]:
    """theta of many contexts (n, K); of one without any known word, as if it had no words."""
    ids = [vocabulary.encode(words) for words in contexts]
    ends = np.cumsum([0, *map(len, ids)])
    ones = np.ones(ends[-1], dtype=np.float32)
    counts = csr_matrix((ones, np.concatenate(ids), ends), shape=(len(ids), len(vocabulary)))
    counts.sum_duplicates()
    with evaluating(model) as device:
        theta = model.encode(sparse(counts).to(device))
    assert theta is not None
    found: npt.NDArray[np.float32] = theta.cpu().numpy()
    return found


def halves(pairs: Encoded) -> tuple[csr_matrix, csr_matrix]:
    """The words of each context in turn: the first, third, .. and the second, fourth, .."""
    ids, at = pairs.order
    rows = np.repeat(np.arange(len(pairs)), np.diff(at))
    second = (np.arange(len(ids)) - at[rows]) % 2 == 1
    first, last = (
        csr_matrix((np.ones(half.sum(), np.float32), (rows[half], ids[half])), pairs.words.shape)
        for half in (~second, second)
    )
    return first, last
