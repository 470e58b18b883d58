r"""The index that `similar` searches: a folder `similar/` in the run, made from one corpus.

    index.json                 version, digest of the weights that it belongs to
    equations.parquet          equation (macros expanded), article, line
    postings.npy starts.npy    the equations that have each n-gram, one n-gram after the other
    scales.npy                 1 / length of each equation's n-gram vector
    vectors.npy steps.npy      state and topics of each equation: int8 values times a step
    theta.npy idf.npy ..       what the corpus has taught about likeness

A search looks at every equation, nothing is approximate but the 8 bits. Arrays are mapped into
memory, the folder appears whole or not at all, and it is refused with other weights.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csc_matrix, csr_matrix, diags, hstack
from scipy.sparse.linalg import norm

from topiceq.article.equation.symbol import MARKS, is_renamable
from topiceq.corpus.vocab import Vocab
from topiceq.errors import RunError, Unsupported
from topiceq.files import replacing_folder
from topiceq.model.run import Run

# -- n-grams -----------------------------------------------------------------------------------
# As written: 1 to 3 tokens. Without names: 4 symbols, where each name (a letter with its font or
# accent) gives way to how far back in the n-gram it stood last, or 0 if it is new there (Baker's
# parameterised strings). So an equation and its renamed twin have the same ones, while `x + x` and
# `x + y` do not.

WRITTEN, NAMELESS = (1, 2, 3), (4,)  # lengths; ours: longer ones found no better neighbours
WIDTH = 1 << 14  # half of them for each kind: twice as many ranked no better
ODD = np.uint64(0x9E3779B97F4A7C15)

Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]


class Ngrams:
    """Counts n-grams in equations over one vocabulary."""

    def __init__(self, tokens: Vocab) -> None:
        self.names = _which(tokens, is_renamable)
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


# -- likeness ----------------------------------------------------------------------------------
# How alike two equations are: 0.65 token overlap + 0.15 decoder state + 0.2 topics, all cosines.
#     token overlap   n-grams weighted by idf = log(equations / those that have it)
#     decoder state   the mean of h_t over the equation under one theta for all, whitened
#     topics          the theta of its context, as far as the first two tell (ridge regression)
# ours, all of it. Corpus and question are read in the same way, from the equation alone, so an
# equation is 1 like itself. The topics are learned from the contexts of the corpus, one product
# for an equation; the decoder's own p(k | equation) takes K passes over each and ranked no
# better.


OVERLAP, STATE, TOPICS = 0.65, 0.15, 0.2  # how much each counts; measured
DIMENSIONS = 128  # of the whitened state
RIDGE = 2.0
TINY = 1e-6

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Likeness:
    """What a corpus has taught about likeness."""

    theta: Floats  # (K,) under which decoder states are read
    idf: Floats  # (WIDTH,)
    centre: Floats  # (H,) the mean state
    white: Floats  # (H, D) from states to whitened ones
    topics: Floats  # (WIDTH + D, K) from n-grams and whitened states to topics

    def overlap(self, ngrams: csr_matrix) -> csr_matrix:
        """n-grams (n, WIDTH) as unit vectors."""
        weighted = csr_matrix(ngrams @ diags(self.idf))
        return csr_matrix(diags(1 / (norm(weighted, axis=1) + TINY)) @ weighted)

    def whitened(self, states: Floats) -> Floats:
        """Decoder states (n, H) as unit vectors in which every direction counts alike."""
        return unit(np.dot(states - self.centre, self.white))  # (n, D)

    def vectors(self, ngrams: csr_matrix, states: Floats) -> Floats:
        """State and topics of equations as one vector each, whose product is their likeness."""
        white = self.whitened(states)
        topics: Floats = _beside(self.overlap(ngrams), white) @ self.topics
        both = [STATE**0.5 * white, TOPICS**0.5 * unit(topics)]
        return np.hstack(both).astype(np.float32)  # (n, D + K)


def learn(ngrams: csr_matrix, states: Floats, thetas: Floats) -> Likeness:
    """From the equations of a corpus, read under their mean theta, and theta of their contexts."""
    have = np.bincount(ngrams.indices, minlength=WIDTH)
    idf = np.log((1 + len(states)) / (1 + have)).astype(np.float32)
    centre = states.mean(0)
    white = _whitening(states - centre)
    known = Likeness(thetas.mean(0), idf, centre, white, np.zeros((0, 0), np.float32))
    read = _beside(known.overlap(ngrams), known.whitened(states))
    return Likeness(known.theta, idf, centre, white, _regression(read, thetas))


def _whitening(states: Floats) -> Floats:
    """The directions of most variance, scaled so that all of them vary alike."""
    variances, directions = np.linalg.eigh(states.T @ states / len(states))
    best = np.argsort(-variances)[:DIMENSIONS]
    kept = variances[best].clip(TINY * max(float(variances.max()), TINY))
    scaled = directions[:, best] / np.sqrt(kept)
    return _rounded(scaled / np.abs(scaled).max())  # only directions matter: unit() follows


def _regression(read: csr_matrix, thetas: Floats) -> Floats:
    from sklearn.linear_model import ridge_regression  # takes a second, and only learning needs it

    roots = np.sqrt(thetas)  # theta as unit vectors: a cosine is then the overlap of two mixtures
    found = ridge_regression(
        read, roots - roots.mean(0), RIDGE, solver="sparse_cg", tol=1e-3, max_iter=100
    )
    return _rounded(found.T)


def _rounded(weights: npt.NDArray[np.floating]) -> Floats:
    """To half precision: as an index keeps them."""
    return weights.astype(np.float16).astype(np.float32)


def _beside(overlap: csr_matrix, white: Floats) -> csr_matrix:
    return csr_matrix(hstack([overlap, csr_matrix(white / 2)]))  # ours: the state counts less


def unit(vectors: Floats) -> Floats:
    """Vectors of length 1; a vector of zeros stays one.

    >>> unit(np.float32([[3, 4], [0, 0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


# -- the index ---------------------------------------------------------------------------------


FOLDER, VERSION = "similar", 1
BLOCK = 512  # vectors made float32 at once: they stay in the cache
LEARNED = tuple(field.name for field in fields(Likeness))
ARRAYS = ("postings", "starts", "scales", "vectors", "steps")

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Index:
    """n equations of a corpus, ready to be searched."""

    likeness: Likeness
    digest: str  # of the weights
    equations: pa.Table  # equation, article, line
    postings: Array  # the rows of each n-gram's equations, ascending
    starts: Ints  # (WIDTH + 1,) of postings
    scales: Floats  # (n,)
    vectors: npt.NDArray[np.int8]  # (n, D + K)
    steps: Floats  # (n,)

    def __len__(self) -> int:
        return len(self.scales)

    @classmethod
    def of(
        cls, likeness: Likeness, digest: str, equations: pa.Table, grams: csr_matrix, states: Floats
    ) -> "Index":
        """From n-grams (n, WIDTH) and decoder states (n, H) of the equations."""
        columns = csc_matrix(grams)
        columns.sort_indices()
        vectors = likeness.vectors(grams, states)
        steps = np.abs(vectors).max(1) / 127 + np.float32(1e-12)
        lengths = np.sqrt(grams @ np.square(likeness.idf))
        return cls(
            likeness=likeness,
            digest=digest,
            equations=equations,
            postings=columns.indices.astype(np.min_scalar_type(len(states))),
            starts=columns.indptr.astype(np.int64),
            scales=(1 / np.maximum(lengths, 1e-6)).astype(np.float32),
            vectors=np.rint(vectors / steps[:, None]).astype(np.int8),
            steps=steps,
        )

    def scores(self, grams: csr_matrix, states: Floats) -> Floats:
        """How like each equation is to one other, given as a row of n-grams and a state."""
        vector = self.likeness.vectors(grams, states)[0]
        return OVERLAP * self._overlap(self.likeness.overlap(grams)) + self._products(vector)

    def _overlap(self, asked: csr_matrix) -> Floats:
        found = np.zeros(len(self), dtype=np.float32)
        for ngram, weight in zip(asked.indices, asked.data, strict=True):
            have = self.postings[self.starts[ngram] : self.starts[ngram + 1]]
            found[have] += weight * self.likeness.idf[ngram]
        return found * self.scales

    def _products(self, vector: Floats) -> Floats:
        found = np.empty(len(self), dtype=np.float32)
        block = np.empty((BLOCK, len(vector)), dtype=np.float32)
        for start in range(0, len(self), BLOCK):
            part = block[: min(BLOCK, len(self) - start)]
            part[:] = self.vectors[start : start + BLOCK]
            np.dot(part, vector, out=found[start : start + BLOCK])
        return found * self.steps

    # -- on disk -------------------------------------------------------------------------------

    def save(self, folder: str | Path) -> None:
        """Write the index into the folder of its run."""
        home = Path(folder) / FOLDER
        try:
            with replacing_folder(home) as partial:
                self._write(partial)
        except OSError as error:
            raise RunError(f"The index '{home}' cannot be written: {error}.") from error

    def _write(self, folder: Path) -> None:
        for name in ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        for name in LEARNED:
            kept = getattr(self.likeness, name)
            np.save(folder / f"{name}.npy", kept.astype(np.float16) if kept.ndim > 1 else kept)
        pq.write_table(self.equations, folder / "equations.parquet", compression="zstd")
        facts = {"version": VERSION, "digest": self.digest, "equations": len(self)}
        (folder / "index.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def load_index(folder: Path, run: Run) -> Index:
    """The index of a run; Unsupported without one, RunError if it is not that of these weights."""
    home, again = Path(folder) / FOLDER, f"topiceq index {folder} CORPUS"
    if not home.is_dir():
        raise Unsupported(f"The run '{folder}' has no index of equations. Make one: {again}")
    try:
        facts = json.loads((home / "index.json").read_text(encoding="utf-8"))
        if facts["version"] != VERSION:
            raise ValueError(f"its format is {facts['version']}, this is for {VERSION}")
        index = _read(home, facts["digest"])
        _check(index)
    except (OSError, ValueError, KeyError, EOFError, pa.ArrowException) as error:
        reason = f"The index '{home}' is damaged ({error})"
        raise RunError(f"{reason}. Make it again: {again}") from error
    if index.digest != digest_of(run):
        raise RunError(f"The index '{home}' belongs to other weights. Make it again: {again}")
    return index


def _read(home: Path, digest: str) -> Index:
    learned = {name: np.load(home / f"{name}.npy").astype(np.float32) for name in LEARNED}
    arrays = {name: np.load(home / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
    equations = pq.read_table(home / "equations.parquet", memory_map=True)
    return Index(likeness=Likeness(**learned), digest=digest, equations=equations, **arrays)


def _check(index: Index) -> None:
    """Parts of different indexes do not get past here."""
    sizes = {len(index), index.equations.num_rows, len(index.vectors), len(index.steps)}
    if len(sizes) > 1 or index.starts[-1] != len(index.postings):
        raise ValueError("its parts do not belong together")


def digest_of(run: Run) -> str:
    """What tells a run's weights and tokens from all others, in half precision or not."""
    digest = hashlib.sha256(run.tokens.digest.encode())
    for name, weight in sorted(run.model.state_dict().items()):
        kept = weight.half() if weight.is_floating_point() else weight
        digest.update(name.encode() + kept.cpu().numpy().tobytes())
    return digest.hexdigest()
