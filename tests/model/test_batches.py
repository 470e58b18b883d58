"""Batches: what is in them, how little of it is padding, and in which order they come."""

import numpy as np
import pytest
import torch
from planted import random_pairs as encoded
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import END, PAD, START
from topiceq.errors import ConfigError
from topiceq.model.batches import Batches, collate, other_articles, plan, shuffled, sparse


def test_sparse_counts_hold_the_nonzero_entries() -> None:
    dense = np.array([[0, 2, 0], [0, 0, 0], [1, 0, 3]], dtype=np.float32)
    counts = sparse(csr_matrix(dense))
    assert counts.ids.tolist() == [1, 0, 2] and counts.rows.tolist() == [0, 2, 2]
    assert counts.offsets.tolist() == [0, 1, 1] and len(counts) == 3
    assert counts.total().tolist() == [2, 0, 4]


def test_a_batch_holds_its_pairs() -> None:
    pairs = encoded([3, 1, 5])
    rows = np.array([2, 0])
    batch = collate(pairs, rows)
    assert batch.tokens.T.tolist() == [
        [START, *pairs.tokens[4:9], END],
        [START, *pairs.tokens[:3], END, PAD, PAD],
    ]
    assert torch.equal(batch.inputs[1:], batch.targets[:-1])
    assert batch.words.total().tolist() == pairs.words[rows].sum(1).ravel().tolist()[0]
    assert batch.items(joint=True) == 6 + 4 and batch.items(joint=False) == batch.words.counts.sum()
    assert batch.other is None and len(batch) == 2


def test_another_context_stands_in() -> None:
    pairs = encoded([3, 1, 5])
    batch = collate(pairs, np.array([0]), np.array([2]))
    assert batch.other is not None
    assert batch.other.total().tolist() == [pairs.words[2].sum()]


def test_every_pair_comes_once_an_epoch() -> None:
    pairs = encoded(list(range(1, 104)))
    batches = Batches(pairs, batch=10)
    assert len(batches) == 11
    seen = [len(batch) for batch, _ in batches.epoch(0)]
    assert sum(seen) == 103 and set(seen) == {9, 10}
    total = sum(batch.items(joint=True) for batch, _ in batches.epoch(3))
    assert total == len(pairs.tokens) + 103


def test_no_batch_is_a_single_pair() -> None:
    for pairs in range(2, 40):
        sizes = [len(batch) for batch, _ in Batches(encoded([2] * pairs), batch=2).epoch(0)]
        assert min(sizes) >= 2 and sum(sizes) == pairs


def test_little_is_padding() -> None:
    lengths = np.random.default_rng(0).integers(20, 151, 60_000)
    for rows in (plan(lengths, 200, np.random.default_rng(epoch)) for epoch in range(2)):
        padded = sum(len(one) * (lengths[one].max() + 1) for one in rows)
        assert 1 - (lengths + 1).sum() / padded < 0.05


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    lengths = np.random.default_rng(0).integers(1, 50, 1_000)

    def order(seed: int, epoch: int) -> list[list[int]]:
        return [rows.tolist() for rows in plan(lengths, 30, np.random.default_rng([seed, epoch]))]

    assert order(0, 0) == order(0, 0)
    assert order(0, 0) != order(0, 1) and order(0, 0) != order(1, 0)


def test_an_epoch_can_begin_in_the_middle() -> None:
    batches = Batches(encoded([2] * 50), batch=8)
    whole = [batch.tokens.tolist() for batch, _ in batches.epoch(4)]
    assert [batch.tokens.tolist() for batch, _ in batches.epoch(4, first=3)] == whole[3:]


def test_processes_share_every_batch() -> None:
    pairs = encoded(list(range(1, 42)))
    alone = [batch for batch, share in Batches(pairs, batch=9).epoch(1) if share == 1]
    teams = [Batches(pairs, batch=9, rank=rank, ranks=2).epoch(1) for rank in range(2)]
    for whole, *parts in zip(alone, *teams, strict=True):
        assert sum(share for _, share in parts) == pytest.approx(1)
        assert sum(len(batch) for batch, _ in parts) == len(whole)
        assert sum(b.items(joint=True) for b, _ in parts) == whole.items(joint=True)


def test_in_order_gives_each_pair_with_its_row() -> None:
    pairs = encoded([5, 1, 3, 2])
    found = {
        row: batch.items(joint=True)
        for batch, rows in Batches(pairs, batch=1).in_order()
        for row in rows.tolist()
    }
    assert list(found) == [1, 3, 2, 0]
    assert found == {0: 6, 1: 2, 2: 4, 3: 3}


def test_others_are_of_other_articles() -> None:
    articles = np.repeat(np.arange(5), [1, 90, 3, 4, 2]).astype(np.int32)
    others = other_articles(articles, seed=0)
    assert (articles[others] != articles).all()
    assert np.array_equal(others, other_articles(articles, seed=0))


def test_one_article_has_no_others() -> None:
    with pytest.raises(ConfigError) as error:
        other_articles(np.zeros(4, np.int32), seed=0)
    assert (
        str(error.value) == "research.theta_from = 'other' needs two articles or more in a split."
    )


def test_shuffling_keeps_each_equation_s_tokens() -> None:
    pairs = encoded([4, 9, 30, 1])
    mixed = shuffled(pairs, seed=0)
    parts = zip(*(np.split(p.tokens, p.offsets[1:-1]) for p in (pairs, mixed)), strict=True)
    assert all(sorted(one) == sorted(other) for one, other in parts)
    assert not np.array_equal(mixed.tokens, pairs.tokens)
    assert np.array_equal(mixed.tokens, shuffled(pairs, seed=0).tokens)
