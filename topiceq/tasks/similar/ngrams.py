r"""What equations have in common, bit by bit: n-grams of tokens, as written and without names.

In go equations as token ids; out comes a sparse table, equations x `WIDTH` hashed n-grams, with 1
where an equation has one. As written: 1 to 3 tokens. Without names: 4 symbols, where each name (a
letter with its font or accent) gives way to how far back in the n-gram it stood last, or 0 if it is
new there (Baker's parameterised strings). So an equation and its renamed twin have the same ones,
while `x + x` and `x + y` do not.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from topiceq.corpus.commands import GREEK, names
from topiceq.corpus.vocab import Vocab
from topiceq.model.symbols import MARKS

WRITTEN, NAMELESS = (1, 2, 3), (4,)  # lengths; ours: longer ones found no better neighbours
WIDTH = 1 << 14  # half of them for each kind: twice as many ranked no better
NAMES = GREEK | names("ell hbar")
ODD = np.uint64(0x9E3779B97F4A7C15)

Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]


class Ngrams:
    """Counts n-grams in equations over one vocabulary."""

    def __init__(self, tokens: Vocab) -> None:
        self.names = _which(tokens, is_name)
        self.marks = _which(tokens, MARKS.__contains__)
        self.opens, self.closes = _which(tokens, "{".__eq__), _which(tokens, "}".__eq__)

    def table(self, ids: Ids, offsets: Ints) -> csr_matrix:
        """The n-grams of equations that stand one after the other: (n, WIDTH) of ones."""
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        half = np.uint64(WIDTH // 2)
        written = [(r, h % half) for r, h in _hashes(lambda _: ids, rows, WRITTEN)]
        nameless = [(r, h % half + half) for r, h in self._nameless(ids, rows)]
        found, columns = (np.concatenate(part) for part in zip(*written, *nameless, strict=True))
        ones = np.ones(len(found), dtype=np.float32)
        table = csr_matrix((ones, (found, columns.astype(np.int32))), (len(offsets) - 1, WIDTH))
        table.sum_duplicates()
        table.data[:] = 1  # ours: counting how often gave no better neighbours
        return table

    def _nameless(self, ids: Ids, rows: Ints) -> Iterator[tuple[Ints, Hashes]]:
        codes, rows, named = self._symbols(ids, rows)
        back = _back(codes, rows, named)
        # far from any code: what stands for a name
        return _hashes(lambda at: np.where(named, -1 - np.where(back <= at, back, 0), codes),
                       rows, NAMELESS)  # fmt: skip

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


def is_name(token: str) -> bool:
    r"""Whether another letter could stand in a token's place.

    >>> [is_name(token) for token in ("x", r"\alpha", r"\partial", "2", r"\sin")]
    [True, True, False, False, False]
    """
    return token in NAMES or len(token) == 1 and token.isalpha()


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
) -> Iterator[tuple[Ints, Hashes]]:
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
