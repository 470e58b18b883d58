"""Duplicates and splits: which pair is kept, and whether it is for train, valid or test.

In goes a stream of pairs; out come train.parquet, valid.parquet and test.parquet, and the counts.
Of duplicates the first is kept. Articles are split whole, by a hash of the seed and their id, so
that adding articles moves none of the others. Copies of an article (a preprint and its revision,
a chapter and its book) go to the same split: else test would leak into train.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components

from topiceq.corpus.pair import Pair, read_batches, write_batches, write_pairs
from topiceq.errors import CorpusError

SPLITS = ("train", "valid", "test")
DUPLICATE = -1

_BLOCK = 1_000  # articles compared with all others at a time, to bound memory

Integers = npt.NDArray[np.int64]


def write_splits(
    pairs: Iterable[Pair], folder: Path, *, split: tuple[int, int, int], seed: int
) -> dict[str, int]:
    """Write the three files into the folder; return the pairs of each, articles and duplicates.

    The pairs are read once and never held: they wait in a file until all articles are known.
    """
    spool = folder / "spool.parquet"
    seen = _Seen()
    if not write_pairs(spool, seen.watch(pairs)):
        raise CorpusError("There are no pairs to build a corpus from. See why: topiceq extract.")
    splits = seen.assign(split, seed)
    counts = {
        name: write_batches(folder / f"{name}.parquet", _chosen(spool, splits == number))
        for number, name in enumerate(SPLITS)
    }
    spool.unlink()
    return counts | {"articles": len(seen.numbers), "duplicate": int((splits == DUPLICATE).sum())}


class _Seen:
    """What the splits depend on, noted while the pairs pass by: 12 bytes of each."""

    def __init__(self) -> None:
        self.keys = array("Q")
        self.articles = array("i")
        self.numbers: dict[str, int] = {}

    def watch(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            self.keys.append(content_key(pair))
            self.articles.append(self.numbers.setdefault(pair.article, len(self.numbers)))
            yield pair

    def assign(self, split: tuple[int, int, int], seed: int) -> npt.NDArray[np.int8]:
        keys = np.frombuffer(self.keys, dtype=np.uint64)
        articles = np.frombuffer(self.articles, dtype=np.int32)
        return assign(keys, articles, list(self.numbers), split=split, seed=seed)


def _chosen(spool: Path, chosen: npt.NDArray[np.bool_]) -> Iterator[pa.RecordBatch]:
    start = 0
    for batch in read_batches(spool):
        end = start + batch.num_rows
        yield batch.filter(pa.array(chosen[start:end]))
        start = end


def content_key(pair: Pair) -> int:
    """64 bits of SHA-256 over what makes two pairs duplicates: tokens and immediate context.

    Two different pairs of ten million get the same key with a probability of 3 in a million.
    """
    parts = "\0".join(["\1".join(pair.tokens), *pair.immediate])
    return int.from_bytes(hashlib.sha256(parts.encode("utf-8")).digest()[:8], "big")


def assign(
    keys: npt.NDArray[np.uint64],
    articles: npt.NDArray[np.int32],
    ids: Sequence[str],
    *,
    split: tuple[int, int, int],
    seed: int,
) -> npt.NDArray[np.int8]:
    """For each pair the number of its split, or DUPLICATE.

    `articles` numbers each pair's article; `ids` are the ids of the articles. Of pairs with the
    same key the first is kept.
    """
    _, first, content = np.unique(keys, return_index=True, return_inverse=True)
    names = _first_names(related(content, articles, len(ids)), ids)
    of_article = np.array([split_of(name, split, seed) for name in names], dtype=np.int8)
    splits = np.full(len(keys), DUPLICATE, dtype=np.int8)
    splits[first] = of_article[articles[first]]
    return splits


def split_of(article: str, split: tuple[int, int, int], seed: int | str) -> int:
    """The number of the article's split: 0 train, 1 valid, 2 test."""
    digest = hashlib.sha256(f"{seed}:{article}".encode()).digest()
    percent = int.from_bytes(digest[:8], "big") * 100 >> 64  # 0 to 99
    return int(np.searchsorted(np.cumsum(split), percent, side="right"))


def related(content: Integers, articles: npt.NDArray[np.int32], count: int) -> Integers:
    """A group number for each article; articles that share most of their pairs share a group.

    They do when at least half of the smaller one's different pairs are also in the other; and
    what is related to the same article is related.
    """
    groups = np.arange(count)
    holds = _articles_by_content(content, articles, count)
    for ones, others in _close(holds):
        # one chain from every article to its group so far, and the new edges
        edges = np.concatenate([ones, np.arange(count)]), np.concatenate([others, groups])
        graph = coo_matrix((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(count, count))
        labels = connected_components(graph, directed=False)[1]
        groups = np.unique(labels, return_index=True)[1][labels]
    return groups


def _articles_by_content(
    content: Integers, articles: npt.NDArray[np.int32], count: int
) -> csr_matrix:
    """1 where an article holds a content at least once."""
    shape = (count, int(content.max(initial=-1)) + 1)
    ones = np.ones(len(content), dtype=np.int32)
    holds = coo_matrix((ones, (articles, content)), shape=shape).tocsr()
    holds.data[:] = 1
    return holds


def _close(holds: csr_matrix) -> Iterator[tuple[Integers, Integers]]:
    """The pairs of articles that share most, block by block."""
    sizes = np.asarray(holds.sum(axis=1)).ravel()
    shared_only = holds[:, np.asarray(holds.sum(axis=0)).ravel() > 1]
    others = shared_only.T.tocsr()
    for start in range(0, holds.shape[0], _BLOCK):
        common = (shared_only[start : start + _BLOCK] @ others).tocoo()
        ones = common.row.astype(np.int64) + start
        twos = common.col.astype(np.int64)
        near = 2 * common.data >= np.minimum(sizes[ones], sizes[twos])
        near &= ones < twos
        if near.any():
            yield ones[near], twos[near]


def _first_names(groups: Integers, ids: Sequence[str]) -> Iterable[str]:
    """For each article the alphabetically first id of its group: the one that is hashed."""
    first: dict[int, str] = {}
    for group, name in zip(groups.tolist(), ids, strict=True):
        first[group] = min(name, first.get(group, name))
    return (first[group] for group in groups.tolist())
