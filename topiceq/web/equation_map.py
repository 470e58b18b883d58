"""Where equations lie: every equation of an index as a point among the topics that it is about.

An equation lies where its topics r(theta | equation) draw it, and a little beside, so that each can
be seen; always at the same place. What takes seconds, its topics, is computed once for an index and
a run, and kept in the user's cache.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topiceq.cancel import stop_if_unwanted
from topiceq.errors import Unsupported
from topiceq.files import replacing, user_cache
from topiceq.model.run import Run
from topiceq.tasks.index import Index

POWER = 2.0  # of theta: the largest topics draw most
BESIDE = 0.021  # standard deviation of how far beside, as a share of the map
LEVELS = 1 << 14  # of x and of y
PART = 20_000  # equations that are read at once

Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating]
Ints = npt.NDArray[np.int64]
Points = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Chart:
    """The map that equations are drawn on: where topics lie, and their regions."""

    places: Doubles  # (K, 2)
    regions: Ints  # (K,): of each the topic that its region is called after

    @property
    def leaders(self) -> list[int]:
        """The topics that regions are called after, in their order: a region is its number here."""
        return sorted(set(self.regions.tolist()))

    def place(self, theta: Floats) -> Doubles:
        """Where topics (.., K) draw something: (.., 2)."""
        weights = np.asarray(theta, np.float64) ** POWER
        found: Doubles = weights @ self.places / weights.sum(-1, keepdims=True)
        return found

    def points(self, theta: Floats) -> Points:
        """Equations with topics (n, K) as x, y (14 bits each) and region (4 bits): (n,)."""
        beside = np.random.default_rng(0).normal(0, BESIDE, (len(theta), 2))
        levels = ((self.place(theta) + beside).clip(0, 1) * (LEVELS - 1)).astype(np.uint32)
        members = np.stack([self.regions == leader for leader in self.leaders], axis=1)
        region = (theta @ members).argmax(1).astype(np.uint32)
        found: Points = levels[:, 0] << 18 | levels[:, 1] << 4 | region
        return found


def equation_points(run: Run, index: Index, chart: Chart) -> Points:
    """The points of an index, in its order; Unsupported if the run cannot read equations."""
    if run.equation_encoder is None:
        raise Unsupported("This run has no equation encoder. Teach it one: topiceq encoder")
    kept = user_cache("maps") / f"{_digest(run, index, chart)}.npy"
    with suppress(OSError, ValueError):
        points: Points = np.load(kept, allow_pickle=False)
        if points.shape == (len(index),) and points.dtype == np.uint32:
            return points
    points = chart.points(_topics(run, index))
    with suppress(OSError):  # a cache that cannot be written costs only time
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write(kept, points)
    return points


def _write(path: Path, points: Points) -> None:
    with replacing(path) as partial, partial.open("wb") as file:
        np.save(file, points, allow_pickle=False)


def _topics(run: Run, index: Index) -> npt.NDArray[np.float32]:
    """r of every equation of an index (n, K)."""
    encoder = run.equation_encoder
    assert encoder is not None
    ids = run.tokens.encode(index.tokens)[index.ids]
    found = []
    for start in range(0, len(index), PART):
        stop_if_unwanted()
        ends = index.offsets[start : start + PART + 1]
        part = encoder.embed(ids[ends[0] : ends[-1]], ends - ends[0])
        found.append(np.exp(encoder.evident(part)[0]))
    return np.concatenate(found)


def _digest(run: Run, index: Index, chart: Chart) -> str:
    """Tells this map of this index from any other."""
    encoder, tokens = run.equation_encoder, "\0".join(index.tokens)
    assert encoder is not None
    parts = (encoder.vectors, encoder.weights, encoder.bias, chart.places, chart.regions)
    whole = hashlib.sha256(f"{POWER} {BESIDE} {LEVELS} {tokens}".encode())
    for array in (*parts, index.ids, index.offsets):
        whole.update(array.tobytes())
    return whole.hexdigest()[:32]
