"""How likely a decoder finds equations under each topic alone: log p(equation | theta = one-hot k).

In go equations as token ids, one after the other; out comes a table (n, K). Every equation is read
K times, a fifth of a second for 100 topics. Nothing is random.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from topiceq.cancel import stop_if_unwanted
from topiceq.model.batches import Batch, equations_alone, pad
from topiceq.model.decoders import Decoder, Writer
from topiceq.model.joint import JointModel, evaluating
from topiceq.model.ngrams import Ids, Ints

PLACES = 16_000  # equations x topics x tokens in one batch: some 300 MB at state 500

Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]


def topic_log_probs(
    model: JointModel, ids: Ids, offsets: Ints, decoder: str | None = None
) -> Doubles:
    """log p(equation | theta = one-hot k), every equation under every topic (n, K)."""
    model.require_topics()
    topics, writer, count = model.config.topics, model.writer(decoder), len(offsets) - 1
    found = np.zeros(count * topics)
    with evaluating(model) as device:
        one_hot = torch.eye(topics, device=device)
        for cells in _cut(np.diff(offsets), topics):
            stop_if_unwanted()
            rows, columns = np.divmod(cells, topics)
            batch = equations_alone(pad(ids, offsets, rows)).to(device)
            found[cells] = _log_prob(writer, batch, one_hot[torch.from_numpy(columns)])
    return found.reshape(count, topics)


def log_probs_under(
    model: JointModel, decoder: Writer, ids: Ids, offsets: Ints, theta: Floats
) -> Doubles:
    """log p(equation | theta), every equation under the same theta (K,): (n,)."""
    found = np.zeros(len(offsets) - 1)
    with evaluating(model) as device:
        under = torch.from_numpy(theta).to(device)
        for rows in _cut(np.diff(offsets), 1):
            batch = equations_alone(pad(ids, offsets, rows)).to(device)
            found[rows] = _log_prob(decoder, batch, under.expand(len(rows), -1))
    return found


def _cut(lengths: Ints, topics: int) -> Iterator[Ints]:
    """The cells of the table equations x topics, equations of like length together, in batches.

    >>> [cells.tolist() for cells in _cut(np.array([9_000, 2]), 2)]
    [[2, 3], [0], [1]]
    """
    order = np.argsort(lengths, kind="stable")
    cells = (order[:, None] * topics + np.arange(topics)).ravel()
    sizes = np.repeat(lengths[order] + 1, topics)  # ascending: the last of a batch is the longest
    start = 0
    while start < len(cells):
        window = sizes[start : start + PLACES]
        places = np.arange(1, len(window) + 1) * window
        end = start + max(1, int(np.searchsorted(places, PLACES, side="right")))
        yield cells[start:end]
        start = end


def _log_prob(decoder: Decoder, batch: Batch, theta: torch.Tensor) -> Doubles:
    found: Doubles = decoder.log_prob(batch, theta).double().cpu().numpy()
    return found
