"""n-grams of equations, as numbers: what the equation encoder and the index of `similar` read.

In go equations as token ids, one after the other; out come hashes, which mean the same in every
process. As written: the tokens. Without names: symbols, where each name (a letter with its font or
accent) gives way to how far back in the n-gram it stood last, or 0 if it is new there (Baker's
parameterised strings). So an equation and its renamed twin have the same ones, while `x + x` and
`x + y` do not.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from topiceq.article.equation.symbol import MARKS, is_renamable
from topiceq.corpus.vocab import Vocab

WRITTEN, NAMELESS = (1, 2, 3), (4,)  # lengths; ours: longer ones found no better neighbours
WIDTH = 1 << 16  # half of them for each kind
ODD = np.uint64(0x9E3779B97F4A7C15)

Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]
Grams = tuple[Ints, Hashes]  # of n-grams: their equations, their hashes


class Ngrams:
    """Finds n-grams in equations over one vocabulary."""

    def __init__(self, tokens: Vocab) -> None:
        self.names = _which(tokens, is_renamable)
        self.marks = _which(tokens, MARKS.__contains__)
        self.opens, self.closes = _which(tokens, "{".__eq__), _which(tokens, "}".__eq__)

    def table(self, ids: Ids, offsets: Ints) -> csr_matrix:
        """The n-grams of equations that stand one after the other: (n, WIDTH) of ones."""
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        half = np.uint64(WIDTH // 2)
        written = [(r, h % half) for r, h in self.written(ids, rows, WRITTEN)]
        nameless = [(r, h % half + half) for r, h in self.nameless(ids, rows, NAMELESS)]
        found, columns = (np.concatenate(part) for part in zip(*written, *nameless, strict=True))
        ones = np.ones(len(found), dtype=np.float32)
        table = csr_matrix((ones, (found, columns.astype(np.int32))), (len(offsets) - 1, WIDTH))
        table.sum_duplicates()
        table.data[:] = 1  # ours: counting how often gave no better neighbours
        return table

    def written(self, ids: Ids, rows: Ints, sizes: tuple[int, ...]) -> Iterator[Grams]:
        """Of each size the n-grams of tokens; `rows` are the equations that the tokens are of."""
        return _hashes(lambda _: ids, rows, sizes)

    def nameless(self, ids: Ids, rows: Ints, sizes: tuple[int, ...]) -> Iterator[Grams]:
        """Of each size the n-grams of symbols without names."""
        codes, rows, named = self._symbols(ids, rows)
        back = _back(codes, rows, named)
        # far from any code: what stands for a name
        return _hashes(lambda at: np.where(named, -1 - np.where(back <= at, back, 0), codes),
                       rows, sizes)  # fmt: skip

    def _symbols(self, ids: Ids, rows: Ints) -> tuple[Ints, Ints, Bools]:
        r"""Codes with `\hat { H }` as one, their equations, and which of them are names."""
        at = np.flatnonzero(
            self.marks[ids[:-3]] & self.opens[ids[1:-2]] & self.names[ids[2:-1]]
            & self.closes[ids[3:]] & (rows[:-3] == rows[3:])
        )  # fmt: skip
        codes, named = ids.astype(np.int64), self.names[ids]
        codes[at] += len(self.names) * (1 + codes[at + 2])
        named[at] = True
        kept = np.ones(len(ids), dtype=np.bool_)
        kept[at[:, None] + np.arange(1, 4)] = False
        return codes[kept], rows[kept], named[kept]


def _which(tokens: Vocab, test: Callable[[str], bool]) -> Bools:
    return np.array([test(token) for token in tokens], dtype=np.bool_)


def _back(codes: Ints, rows: Ints, named: Bools) -> Ints:
    """How many symbols back each name stood last in its equation; 0 if it is new.

    >>> _back(np.array([7, 5, 7, 7]), np.array([0, 0, 0, 1]), np.ones(4, bool)).tolist()
    [0, 0, 2, 0]
    """
    at = np.flatnonzero(named)
    order = at[np.lexsort((at, codes[at], rows[at]))]
    last, this = order[:-1], order[1:]
    same = (rows[last] == rows[this]) & (codes[last] == codes[this])
    back = np.zeros(len(codes), dtype=np.int64)
    back[this[same]] = (this - last)[same]
    return back


def _hashes(
    codes: Callable[[int], Ids | Ints], rows: Ints, sizes: tuple[int, ...]
) -> Iterator[Grams]:
    """Of each size, the equation and the hash of every n-gram; codes may depend on the place."""
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for at in range(max(sizes)):
        first = rows[: max(0, len(rows) - at)]
        hashes = _mixed(hashes[: len(first)] * ODD + codes(at)[at:].astype(np.uint64))
        if at + 1 in sizes:
            whole = first == rows[at:]
            yield first[whole], hashes[whole]


def _mixed(hashes: Hashes) -> Hashes:
    """Every bit of the input in every bit of the output (the finaliser of MurmurHash)."""
    for _ in range(2):
        hashes = (hashes ^ (hashes >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    return hashes ^ (hashes >> np.uint64(33))
