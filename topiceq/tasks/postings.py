"""Which equations have which n-grams, packed: what a search of an index reads.

It is worked out from the tokens of the index, five seconds for 200,000 equations, and then kept in
the user's cache (XDG_CACHE_HOME, or ~/.cache) and mapped into memory: about 170 bytes an equation.
n-grams that more than one in 16 equations have are bits, all others lists of rows: their lower 16
bits, one block of 65,536 equations after the other.

How alike two equations are: the cosine of their n-grams, each with the weight idf = log(equations /
those that have it). The size of a delimiter makes no difference. A search looks at every equation;
nothing is approximate.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topiceq.corpus.vocab import Vocab
from topiceq.files import replacing_folder, user_cache
from topiceq.model.ngrams import NAMELESS, WIDTH, WRITTEN, Ngrams
from topiceq.tasks.index import Ids, Index, Ints

BLOCK = 1 << 16
COMMON = 16  # one in so many equations has an n-gram that is kept as bits
READ = 8_000  # equations whose n-grams are found at once: they stay in the cache
TINY = np.float32(1e-6)
KEPT = 4  # indexes in the user's cache
HALF = np.uint64(WIDTH // 2)

SIZED = re.compile(r"\\(?:left|middle|right|[bB]igg?[lmr]?)([^a-zA-Z].*)")

Floats = npt.NDArray[np.float32]


class Reader:
    """The n-grams of equations, whose tokens are those of an index."""

    def __init__(self, tokens: Vocab) -> None:
        self.tokens = Vocab(dict.fromkeys(map(plain, tokens)))
        self.ngrams = Ngrams(self.tokens)
        self._ids = self.tokens.encode(map(plain, tokens))

    def of(self, equation: Sequence[str]) -> Ints:
        """The different n-grams of one equation."""
        ids = self.tokens.encode(map(plain, equation))
        found: Ints = self.ngrams.table(ids, np.array([0, len(ids)])).indices.astype(np.int64)
        return found

    def columns(self, ids: Ids, offsets: Ints) -> Iterator[tuple[Ints, npt.NDArray[np.uint32]]]:
        """Of many: as `Ngrams.table` has them, but equation and n-gram beside each other."""
        rows, tokens = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), self._ids[ids]
        for found, hashes in self.ngrams.written(tokens, rows, WRITTEN):
            yield found, (hashes % HALF).astype(np.uint32)
        for found, hashes in self.ngrams.nameless(tokens, rows, NAMELESS):
            yield found, (hashes % HALF + HALF).astype(np.uint32)


def plain(token: str) -> str:
    r"""A delimiter without its size.

    >>> plain(r"\left("), plain(r"\bigl\langle"), plain(r"\leftarrow")
    ('(', '\\langle', '\\leftarrow')
    """
    sized = SIZED.fullmatch(token)
    return sized[1] if sized else token


@dataclass(frozen=True)
class Postings:
    """The n-grams of n equations."""

    have: Ints  # (WIDTH,) how many equations have each n-gram
    lows: npt.NDArray[np.uint16]  # lower bits of rows, by block, n-gram, row; common ones are not
    starts: Ints  # (blocks, WIDTH + 1) of lows
    common: Ints  # the n-grams kept as bits
    bits: npt.NDArray[np.uint8]  # (common, n / 8)
    lengths: Floats  # (n,) of the vectors of idf

    @property
    def idf(self) -> Floats:
        """How much an n-gram tells (WIDTH,)."""
        n = len(self.lengths)
        found: Floats = np.log((1 + n) / (1 + self.have)).astype(np.float32)
        return found

    def cosines(self, ngrams: Ints) -> Floats:
        """How like an equation, by its different n-grams, all are (n,)."""
        idf = self.idf
        length = float(np.sqrt(np.square(idf[ngrams]).sum()))
        found = self._sums(ngrams, np.square(idf))
        found /= np.maximum(self.lengths * np.float32(length), TINY)
        return found

    def _sums(self, ngrams: Ints, weights: Floats) -> Floats:
        """For each equation the sum of the weights of those n-grams that it has (n,)."""
        n = len(self.lengths)
        found = np.zeros(len(self.starts) * BLOCK, dtype=np.float32)
        place = dict(zip(self.common.tolist(), range(len(self.common)), strict=True))
        for ngram in ngrams.tolist():
            if (row := place.get(ngram)) is not None:
                found[:n] += np.unpackbits(self.bits[row], count=n) * weights[ngram]
                continue
            for block, starts in enumerate(self.starts):
                lows = self.lows[starts[ngram] : starts[ngram + 1]]
                found[block * BLOCK : (block + 1) * BLOCK][lows] += weights[ngram]
        return found[:n]

    @classmethod
    def of(cls, index: Index) -> "Postings":
        """Work them out."""
        blocks = [_block(index, start) for start in range(0, len(index), BLOCK)]
        have = sum((np.bincount(grams, minlength=WIDTH) for grams, _ in blocks), np.zeros(WIDTH))
        is_common = have * COMMON > len(index)
        common = np.flatnonzero(is_common)
        bits = np.zeros((len(common), len(blocks) * BLOCK // 8), dtype=np.uint8)
        lows, starts = [], []
        for number, (grams, rows) in enumerate(blocks):
            here = slice(number * BLOCK // 8, (number + 1) * BLOCK // 8)
            for place, ngram in enumerate(common):
                one = np.zeros(BLOCK, dtype=np.uint8)
                one[rows[slice(*np.searchsorted(grams, [ngram, ngram + 1]))]] = 1
                bits[place, here] = np.packbits(one)
            rare = ~is_common[grams]
            lows.append(rows[rare])
            starts.append(np.bincount(grams[rare], minlength=WIDTH))
        flat = np.cumsum(np.concatenate([[0], *starts]))
        ends = np.arange(len(blocks))[:, None] * WIDTH + np.arange(WIDTH + 1)
        made = cls(have.astype(np.int64), np.concatenate(lows), flat[ends], common,
                   bits[:, : -(-len(index) // 8)], np.zeros(len(index), np.float32))  # fmt: skip
        sums = made._sums(np.flatnonzero(have), np.square(made.idf))
        return replace(made, lengths=np.sqrt(sums))


def _block(index: Index, start: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """The n-grams of a block of equations and their rows in it, by n-gram and row, each once."""
    reader, keys = Reader(index.tokens), []
    for first in range(start, min(start + BLOCK, len(index)), READ):
        last = min(first + READ, start + BLOCK, len(index))
        offsets = index.offsets[first : last + 1]
        ids = index.ids[offsets[0] : offsets[-1]]
        for rows, columns in reader.columns(ids, offsets - offsets[0]):
            keys.append(columns << np.uint32(16) | (rows + (first - start)).astype(np.uint32))
    sorted_keys = np.sort(np.concatenate(keys))
    once = sorted_keys[np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])]
    return (once >> np.uint32(16)).astype(np.uint16), (once & np.uint32(0xFFFF)).astype(np.uint16)


# -- in the user's cache -----------------------------------------------------------------------


def postings_of(index: Index) -> Postings:
    """From the cache if the index was searched before; else worked out, and kept if possible."""
    if not index.digest:
        return Postings.of(index)
    home = user_cache("similar") / index.digest[:32]
    found = _kept(home, len(index))
    if found is None:
        found = Postings.of(index)
        with suppress(OSError):
            _keep(home, found)
    return found


def _keep(home: Path, postings: Postings) -> None:
    with replacing_folder(home) as partial:
        for field in fields(postings):
            np.save(partial / f"{field.name}.npy", getattr(postings, field.name))
    others = [path for path in home.parent.iterdir() if path != home]  # whatever the clock says
    for old in sorted(others, key=lambda path: -path.stat().st_mtime)[KEPT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def _kept(home: Path, n: int) -> Postings | None:
    """None if it is not there, or not as it was kept."""
    try:
        names = [field.name for field in fields(Postings)]
        found = Postings(*(np.load(home / f"{name}.npy", mmap_mode="r") for name in names))
    except (OSError, ValueError, EOFError):
        return None
    blocks, flat = -(-n // BLOCK), found.starts.reshape(-1)
    fits = [
        found.have.shape == (WIDTH,) and found.have.dtype == np.int64,
        found.lows.ndim == 1 and found.lows.dtype == np.uint16,
        found.starts.shape == (blocks, WIDTH + 1) and found.starts.dtype == np.int64,
        found.common.ndim == 1 and found.common.dtype == np.int64,
        found.bits.shape == (len(found.common), -(-n // 8)) and found.bits.dtype == np.uint8,
        found.lengths.shape == (n,) and found.lengths.dtype == np.float32,
    ]
    sound = all(fits) and flat[-1] == len(found.lows) and bool((np.diff(flat) >= 0).all())
    return found if sound else None
