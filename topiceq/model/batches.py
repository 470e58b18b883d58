"""Batches: pairs of like length, as tensors.

In goes a split as `Encoded` arrays; out come `Batch`es, in an order that depends on the seed and
the epoch alone. Counts stay sparse (`Counts`): no B x V array is ever made from them. Equations are
time-major, `START y_1 .. y_T END` and PAD below.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from topiceq.article.equation.rules import END, PAD, START
from topiceq.corpus.encoded import Encoded
from topiceq.errors import ConfigError

Ints = npt.NDArray[np.int64]

POOL = 50  # batches sorted by length together: long enough for little padding, short enough to mix


@dataclass(frozen=True)
class Counts:
    """Sparse counts of B pairs: the nonzero entries in the order of the pairs."""

    ids: Tensor  # (N,) column of each entry
    counts: Tensor  # (N,)
    rows: Tensor  # (N,) pair of each entry
    offsets: Tensor  # (B,) first entry of each pair

    def __len__(self) -> int:
        return len(self.offsets)

    def total(self) -> Tensor:
        """How many items each pair has."""
        return self.sum(self.counts)  # (B,)

    def sum(self, values: Tensor) -> Tensor:
        """One value an entry, added up over each pair's entries."""
        return values.new_zeros(len(self)).index_add(0, self.rows, values)  # (B,)

    def to(self, device: torch.device) -> "Counts":
        """The same on another device."""
        return Counts(*(t.to(device) for t in (self.ids, self.counts, self.rows, self.offsets)))


@dataclass(frozen=True)
class Batch:
    """B pairs, ready for the model."""

    words: Counts  # of the contexts
    tokens: Tensor  # (T + 1, B): START, the equation, END, then PAD
    phrases: Counts  # of the immediate contexts
    other: Counts | None = None  # words of another article's context: a control
    taught: Counts | None = None  # what theta must write in place of the words: an experiment

    def __len__(self) -> int:
        return self.tokens.shape[1]

    @property
    def inputs(self) -> Tensor:
        """What a decoder has read before each of the targets."""
        return self.tokens[:-1]  # (T, B)

    @property
    def targets(self) -> Tensor:
        """What a decoder writes."""
        return self.tokens[1:]  # (T, B)

    def items(self, *, joint: bool) -> float:
        """Tokens of the equations, END included; words where the equations are left out."""
        return float((self.targets != PAD).sum() if joint else self.words.counts.sum())

    def to(self, device: torch.device) -> "Batch":
        """The same on another device."""
        return Batch(
            self.words.to(device),
            self.tokens.to(device),
            self.phrases.to(device),
            self.other and self.other.to(device),
            self.taught and self.taught.to(device),
        )


def sparse(counts: csr_matrix) -> Counts:
    """The nonzero entries of a sparse matrix as tensors.

    >>> sparse(csr_matrix([[0, 2], [3, 0]])).total().tolist()
    [2.0, 3.0]
    """
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    return Counts(
        ids=torch.from_numpy(counts.indices.astype(np.int64)),
        counts=torch.from_numpy(counts.data.astype(np.float32)),
        rows=torch.from_numpy(rows),
        offsets=torch.from_numpy(counts.indptr[:-1].astype(np.int64)),
    )


def collate(
    pairs: Encoded, rows: Ints, others: Ints | None = None, taught: csr_matrix | None = None
) -> Batch:
    """The pairs at `rows` as one batch; `others` are the rows whose contexts stand in."""
    return Batch(
        words=sparse(pairs.words[rows]),
        tokens=pad(pairs.tokens, pairs.offsets, rows),
        phrases=sparse(pairs.phrases[rows]),
        other=None if others is None else sparse(pairs.words[others]),
        taught=None if taught is None else sparse(taught[rows]),
    )


def pad(tokens: npt.NDArray[np.int32], offsets: Ints, rows: Ints) -> Tensor:
    """Equations of unequal length as one rectangle (T + 1, B), START and END added.

    >>> pad(np.array([7, 8, 9], np.int32), np.array([0, 1, 3]), np.array([0, 1])).T.tolist()
    [[1, 7, 2, 0], [1, 8, 9, 2]]
    """
    lengths = offsets[rows + 1] - offsets[rows]
    table = np.full((lengths.max(initial=0) + 2, len(rows)), PAD, dtype=np.int64)
    table[0] = START
    column = np.repeat(np.arange(len(rows)), lengths)
    place = np.arange(len(column)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    table[place + 1, column] = tokens[np.repeat(offsets[rows], lengths) + place]
    table[lengths + 1, np.arange(len(rows))] = END
    return torch.from_numpy(table)


def equations_alone(tokens: Tensor) -> Batch:
    """Equations as `pad` gives them, as a batch without contexts or phrases."""
    nothing = sparse(csr_matrix((tokens.shape[1], 1), dtype=np.float32))
    return Batch(words=nothing, tokens=tokens, phrases=nothing)


def batch_count(pairs: int, batch: int) -> int:
    """How many batches pairs are cut into: none is larger than `batch`, unless one would be a
    single pair, which batch-norm cannot take.

    >>> batch_count(401, 200), batch_count(3, 2)
    (3, 1)
    """
    return max(1, min(-(-pairs // batch), pairs // 2))


def plan(lengths: Ints, batch: int, rng: np.random.Generator) -> list[Ints]:
    """Cut all pairs into batches of like length and nearly equal size, in random order."""
    count = batch_count(len(lengths), batch)
    chunks = np.array_split(rng.permutation(len(lengths)), count)
    pools = [chunks[first : first + POOL] for first in range(0, count, POOL)]
    batches = [rows for pool in pools for rows in _by_length(pool, lengths)]
    return [batches[i] for i in rng.permutation(count)]


def _by_length(chunks: list[Ints], lengths: Ints) -> list[Ints]:
    pool = np.concatenate(chunks)
    return np.array_split(pool[np.argsort(lengths[pool], kind="stable")], len(chunks))


class Batches:
    """The batches of one split, epoch by epoch; of each batch, this process's share."""

    def __init__(
        self,
        pairs: Encoded,
        *,
        batch: int,
        seed: int = 0,
        others: bool = False,
        taught: csr_matrix | None = None,
        rank: int = 0,
        ranks: int = 1,
    ) -> None:
        self.pairs, self.batch, self.seed, self.rank, self.ranks = pairs, batch, seed, rank, ranks
        self.others = other_articles(pairs.articles, seed) if others else None
        self.taught = taught

    def __len__(self) -> int:
        return batch_count(len(self.pairs), self.batch)

    def epoch(self, epoch: int, first: int = 0) -> Iterator[tuple[Batch, float]]:
        """From batch number `first` on: this process's share, and what part of the batch it is."""
        rng = np.random.default_rng([self.seed, epoch])
        for rows in plan(np.diff(self.pairs.offsets), self.batch, rng)[first:]:
            share = rows[self.rank :: self.ranks]
            yield self._collate(share), len(share) / len(rows)

    def in_order(self) -> Iterator[tuple[Batch, Ints]]:
        """Every pair of this process's share once, shortest equations first, with its row."""
        order = np.argsort(np.diff(self.pairs.offsets), kind="stable")[self.rank :: self.ranks]
        for first in range(0, len(order), self.batch):
            rows = order[first : first + self.batch]
            yield self._collate(rows), rows

    def _collate(self, rows: Ints) -> Batch:
        others = None if self.others is None else self.others[rows]
        return collate(self.pairs, rows, others, self.taught)


def other_articles(articles: npt.NDArray[np.int32], seed: int) -> Ints:
    """For each pair a random pair of another article.

    >>> articles = np.array([0, 0, 0, 1, 1, 2], np.int32)
    >>> bool((articles[other_articles(articles, 0)] != articles).all())
    True
    """
    if len(np.unique(articles)) < 2:
        raise ConfigError("research.theta_from = 'other' needs two articles or more in a split.")
    rng = np.random.default_rng(seed)
    others = rng.integers(len(articles), size=len(articles))
    while (same := articles[others] == articles).any():
        others[same] = rng.integers(len(articles), size=int(same.sum()))
    return others


def shuffled(pairs: Encoded, seed: int) -> Encoded:
    """The same pairs with the tokens of each equation in random order: a row of the paper."""
    pair = np.repeat(np.arange(len(pairs)), np.diff(pairs.offsets))
    keys = np.random.default_rng(seed).random(len(pair))
    return replace(pairs, tokens=pairs.tokens[np.lexsort((keys, pair))])
