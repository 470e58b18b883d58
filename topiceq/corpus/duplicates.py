"""Which pairs say the same, and which articles are copies of one another.

In go files of pairs; out comes for each pair the first one that says the same. Two pairs are
duplicates with the same tokens and the same immediate context, near duplicates with the same tokens
and most words of the context: lecture notes in two formats, a book and its reprint.
"""

import hashlib
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components

from topiceq.corpus.pair import read_batches

MOST = 0.5  # words that two contexts share, of all that they have: more makes a near duplicate
COMPARED = 50  # different contexts of one equation that a further one is compared with

_BLOCK = 1_000  # articles compared with all others at a time, to bound memory
_EDGES = 1_000_000  # pairs of related articles that wait to be joined

Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


class Register:
    """The articles in the order in which they first occur, each with its field."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.fields: list[str] = []

    def enter(self, batch: pa.RecordBatch) -> npt.NDArray[np.int32]:
        """The number of each row's article, from the columns article and field."""
        articles = batch["article"].dictionary_encode()
        codes = articles.indices.to_numpy()
        names = articles.dictionary.to_pylist()
        first = np.unique(codes, return_index=True)[1]
        fields = batch["field"].take(pa.array(first)).to_pylist()
        own = [self._enter(*article) for article in zip(names, fields, strict=True)]
        return np.asarray(np.array(own, np.int32)[codes])

    def _enter(self, id: str, field: str) -> int:
        if id not in self.numbers:
            self.numbers[id] = len(self.numbers)
            self.fields.append(field)
        return self.numbers[id]


@dataclass(frozen=True)
class Census:
    """What duplicates and splits depend on, noted while the pairs pass by: 20 bytes of each."""

    contents: Keys  # of tokens and immediate context
    equations: Keys  # of the tokens alone
    articles: npt.NDArray[np.int32]  # the number of each pair's article in the register


def take_census(files: Sequence[Path], register: Register) -> Census:
    """One pass over the columns that are needed."""
    contents, equations, articles = array("Q"), array("Q"), array("i")
    for batch in batches_of_files(files, ["article", "field", "tokens", "before", "after"]):
        own, with_context = content_keys(batch)
        equations.extend(own)
        contents.extend(with_context)
        articles.frombytes(register.enter(batch).tobytes())
    return Census(
        np.array(contents, np.uint64), np.array(equations, np.uint64), np.array(articles, np.int32)
    )


def content_keys(batch: pa.RecordBatch) -> tuple[list[int], list[int]]:
    """Of each pair a key of its tokens, and one of its tokens and immediate context.

    64 bits of SHA-256: two different pairs of ten million get the same key with a probability of
    3 in a million.
    """
    tokens = pc.binary_join(batch["tokens"], "\1").to_pylist()
    before, after = _edge(batch["before"], last=True), _edge(batch["after"], last=False)
    own = [hashlib.sha256(each.encode()) for each in tokens]
    equations = [_bits(digest.digest()) for digest in own]
    for digest, one, other in zip(own, before, after, strict=True):
        digest.update(f"\0{one}\0{other}".encode())
    return equations, [_bits(digest.digest()) for digest in own]


def _bits(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big")


def _edge(lists: pa.ListArray, *, last: bool) -> list[str | None]:
    """The first or last item of each list, None of an empty one."""
    offsets = lists.offsets.to_numpy()
    full = offsets[1:] > offsets[:-1]
    places = pa.array(offsets[1:] - 1 if last else offsets[:-1], mask=~full)
    items: list[str | None] = lists.values.take(places).to_pylist()
    return items


def batches_of_files(files: Sequence[Path], columns: list[str]) -> Iterator[pa.RecordBatch]:
    for file in files:
        yield from read_batches(file, columns)


# -- ------------------------------------------------------------------------------------------
# Which pair says the same as which.


@dataclass(frozen=True)
class Firsts:
    """Of each pair the first with the same content, and the first that says nearly the same."""

    exact: Integers
    near: Integers

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self.near == np.arange(len(self.near)))

    @property
    def duplicates(self) -> int:
        """Pairs left out because an earlier one is the same."""
        return int((self.exact != np.arange(len(self.exact))).sum())

    @property
    def near_duplicates(self) -> int:
        """Pairs left out because an earlier one is nearly the same."""
        return int((~self.kept).sum()) - self.duplicates


def first_of_each(keys: Keys) -> Integers:
    """For each key the place where it first stands."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first[inverse]


def firsts(census: Census, files: Sequence[Path]) -> Firsts:
    """Find duplicates by their keys, near ones among those that share an equation.

    A pair is compared with those before it that were kept, so what comes later changes nothing.
    """
    exact = first_of_each(census.contents)
    near = exact.copy()
    rows = np.flatnonzero(exact == np.arange(len(exact)))
    rows = rows[np.argsort(census.equations[rows], kind="stable")]
    groups = _runs(census.equations[rows])
    shared = np.sort(np.concatenate([rows[a:b] for a, b in groups])) if groups else rows[:0]
    words = _Words(files, shared)
    for start, end in groups:
        for row, first in words.leaders(rows[start:end]):
            near[row] = first
    return Firsts(exact, near[near])


def _runs(keys: Keys) -> list[tuple[int, int]]:
    """Where the same key stands several times, beginnings and ends."""
    ends = np.flatnonzero(np.concatenate([keys[1:] != keys[:-1], [True]])[: len(keys)]) + 1
    starts = np.concatenate([[0], ends[:-1]])
    several = ends - starts > 1
    return list(zip(starts[several].tolist(), ends[several].tolist(), strict=True))


class _Words:
    """The different words of some pairs' contexts, four bytes a word."""

    def __init__(self, files: Sequence[Path], rows: Integers) -> None:
        self.rows = rows
        parts, lengths = [np.zeros(0, np.uint32)], [np.zeros(1, np.int64)]
        start = 0
        for batch in batches_of_files(files, ["words"]) if len(rows) else ():
            end = start + batch.num_rows
            own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start
            words, counts = _distinct(batch["words"].take(pa.array(own)))
            parts.append(words)
            lengths.append(counts)
            start = end
        self.words, self.at = np.concatenate(parts), np.cumsum(np.concatenate(lengths))

    def of(self, row: int) -> set[int]:
        number = int(np.searchsorted(self.rows, row))
        return set(self.words[self.at[number] : self.at[number + 1]].tolist())

    def leaders(self, rows: Integers) -> Iterator[tuple[int, int]]:
        """Each near duplicate of a group with the pair that is kept in its place."""
        kept: list[tuple[int, set[int]]] = []
        for row in rows.tolist():
            own = self.of(row)
            first = next((r for r, words in kept if _share_most(own, words)), None)
            if first is not None:
                yield row, first
            elif len(kept) < COMPARED:
                kept.append((row, own))


def _share_most(some: set[int], others: set[int]) -> bool:
    return len(some & others) > MOST * len(some | others)


def _distinct(lists: pa.ListArray) -> tuple[npt.NDArray[np.uint32], Integers]:
    """Hashes of the different words of each list, and how many they are."""
    encoded = lists.flatten().dictionary_encode()
    hashes = np.array([zlib.crc32(w.encode()) for w in encoded.dictionary.to_pylist()], np.uint64)
    rows = np.repeat(np.arange(len(lists), dtype=np.uint64), pc.list_value_length(lists).to_numpy())
    both = np.unique(rows << np.uint64(32) | hashes[encoded.indices.to_numpy()])
    counts = np.bincount((both >> np.uint64(32)).astype(np.int64), minlength=len(lists))
    return both.astype(np.uint32), counts


# -- ------------------------------------------------------------------------------------------
# Which articles are copies: a preprint and its revision, a chapter and its book.


def related(content: Integers, articles: npt.NDArray[np.int32], count: int) -> Integers:
    """A group number for each article; articles that share most of their pairs share a group.

    They do when at least half of the smaller one's different pairs are also in the other; and
    what is related to the same article is related.
    """
    groups = np.arange(count)
    waiting: list[tuple[Integers, Integers]] = []
    for edges in _close(content, articles, count):
        waiting.append(edges)
        if sum(len(ones) for ones, _ in waiting) > _EDGES:
            groups, waiting = _joined(groups, waiting), []
    return _joined(groups, waiting)


def _joined(groups: Integers, edges: Sequence[tuple[Integers, Integers]]) -> Integers:
    """The groups after some articles were found to be related: the number of the first of each."""
    count = len(groups)
    # one chain from every article to its group so far, and the new edges
    ones = np.concatenate([np.arange(count), *(one for one, _ in edges)])
    others = np.concatenate([groups, *(other for _, other in edges)])
    graph = coo_matrix((np.ones(len(ones), dtype=np.int8), (ones, others)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    return np.asarray(np.unique(labels, return_index=True)[1][labels])


def _close(
    content: Integers, articles: npt.NDArray[np.int32], count: int
) -> Iterator[tuple[Integers, Integers]]:
    """The pairs of articles that share most, block by block."""
    holds, sizes = _shared_contents(content, articles, count)
    others = holds.T.tocsr()
    for start in range(0, count, _BLOCK):
        common = (holds[start : start + _BLOCK] @ others).tocoo()
        ones = common.row.astype(np.int64) + start
        twos = common.col.astype(np.int64)
        near = 2 * common.data >= np.minimum(sizes[ones], sizes[twos])
        near &= ones < twos
        if near.any():
            yield ones[near], twos[near]


def _shared_contents(
    content: Integers, articles: npt.NDArray[np.int32], count: int
) -> tuple[csr_matrix, npt.NDArray[Any]]:
    """1 where an article holds a content that occurs again; and the contents of each article."""
    again = np.bincount(content, minlength=1)[content] > 1
    alone = np.bincount(articles[~again], minlength=count)
    _, columns = np.unique(content[again], return_inverse=True)
    shape = (count, int(columns.max(initial=-1)) + 1)
    ones = np.ones(len(columns), dtype=np.int32)
    holds = coo_matrix((ones, (articles[again], columns)), shape=shape).tocsr()
    holds.data[:] = 1
    return holds, alone + np.asarray(holds.sum(axis=1)).ravel()
