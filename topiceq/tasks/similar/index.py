"""The index that `similar` searches: a folder `similar/` in the run, made from one corpus.

    index.json                 version, digest of the weights that it belongs to
    equations.parquet          equation (macros expanded), article, line
    postings.npy starts.npy    the equations that have each n-gram, one n-gram after the other
    scales.npy                 1 / length of each equation's n-gram vector
    vectors.npy steps.npy      state and topics of each equation: int8 values times a step
    theta.npy idf.npy ..       what the corpus has taught about likeness (likeness.py)

A search looks at every equation, nothing is approximate but the 8 bits. Arrays are mapped into
memory, the folder appears whole or not at all, and it is refused with other weights.
"""

import hashlib
import json
import os
import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csc_matrix, csr_matrix

from topiceq.errors import RunError, Unsupported
from topiceq.model.run import Run
from topiceq.tasks.similar.likeness import OVERLAP, Floats, Likeness

FOLDER, VERSION = "similar", 1
BLOCK = 512  # vectors made float32 at once: they stay in the cache
LEARNED = tuple(field.name for field in fields(Likeness))
ARRAYS = ("postings", "starts", "scales", "vectors", "steps")

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]


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
        partial = home.with_name(f".{FOLDER}.{os.getpid()}")
        try:
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            self._write(partial)
            shutil.rmtree(home, ignore_errors=True)
            partial.rename(home)
        except OSError as error:
            raise RunError(f"The index '{home}' cannot be written: {error}.") from error
        finally:
            shutil.rmtree(partial, ignore_errors=True)

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
