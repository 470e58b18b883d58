"""What is it like? An equation -> the nearest equations of a corpus, with article and line.

`build_index` reads a corpus with a run; `similar` asks. Nearness is likeness.py's: token overlap,
decoder state and topics together. Equations with the same tokens are in the index once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch
from scipy.sparse import csr_matrix, vstack
from torch import Tensor

from topiceq.article.equation.rules import PAD
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus, Split
from topiceq.errors import CorpusError, QuestionError
from topiceq.model.batches import pad
from topiceq.model.held_out import thetas
from topiceq.model.joint import evaluating
from topiceq.model.run import Run
from topiceq.questions import Similar
from topiceq.tasks.index import Floats, Ids, Index, Ints, Ngrams, digest_of, learn
from topiceq.tasks.read import read_equation

READ = 200  # equations in one pass of the decoder
COLUMNS = ("expanded", "article", "line")

Watch = Callable[[int, int], None]  # how many equations are read, of how many


@dataclass(frozen=True)
class SimilarEquation:
    """An equation of the corpus, where it stands, and how like the asked one it is."""

    equation: str  # macros expanded
    article: str
    line: int
    score: float  # 1 for the same


def similar(run: Run, index: Index, question: Similar) -> list[SimilarEquation]:
    """The nearest equations, best first."""
    ids = np.array(read_equation(question.equation, run.tokens).ids, dtype=np.int32)
    offsets = np.array([0, len(ids)])
    state = _states(run, ids, offsets, torch.from_numpy(index.likeness.theta))
    scores = index.scores(Ngrams(run.tokens).table(ids, offsets), state)
    best = _best(scores, question.count)
    places = (index.equations[name].take(best).to_pylist() for name in COLUMNS)
    return [SimilarEquation(*found) for found in zip(*places, scores[best].tolist(), strict=True)]


def _best(scores: Floats, count: int) -> Ints:
    """The rows with the highest scores; of equal ones the first."""
    near = np.arange(len(scores))
    if count < len(scores):
        limit = np.partition(scores, len(scores) - count)[len(scores) - count]
        near = np.flatnonzero(scores >= limit)
    return near[np.argsort(-scores[near], kind="stable")[:count]]


def build_index(
    run: Run, corpus: Corpus, *, count: int | None = None, watch: Watch | None = None
) -> Index:
    """An index of the train split; with `count` of that many equations, spread over the topics.

    All equations teach what is like what, whatever the count.
    """
    if count is not None and count < 1:
        raise QuestionError(f"count = {count} is not possible. It must be 1 or more.")
    if not len(corpus.train):
        raise CorpusError(f"'{corpus.path}' has no equations in train to index.")
    run.model.stateful()  # Unsupported before the long work
    pairs = corpus.train.encode(run.vocabularies)
    rows = distinct(pairs)
    theta = thetas(run.model, pairs)[rows]
    grams, states = _read(run, pairs, rows, theta.mean(0), watch)
    likeness = learn(grams, states, theta)
    kept = spread(theta, count or len(rows))
    equations = _equations(corpus.train, rows[kept])
    return Index.of(likeness, digest_of(run), equations, grams[kept], states[kept])


def _equations(split: Split, rows: Ints) -> pa.Table:
    return pa.table({name: split.column(name).take(rows) for name in COLUMNS})


def distinct(pairs: Encoded) -> Ints:
    """The rows of equations that no earlier row has."""
    starts, ends = pairs.offsets[:-1], pairs.offsets[1:]
    first: dict[bytes, int] = {}
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        first.setdefault(pairs.tokens[start:end].tobytes(), row)
    return np.fromiter(first.values(), dtype=np.int64)


def spread(theta: Floats, count: int) -> Ints:
    """That many rows, as evenly over their topics as there are equations; the same every time.

    >>> spread(np.float32([[1, 0], [1, 0], [1, 0], [0, 1]]), 2).tolist()
    [2, 3]
    """
    topics = theta.argmax(1)
    order = np.random.default_rng(0).permutation(len(theta))
    order = order[np.argsort(topics[order], kind="stable")]  # topic by topic, shuffled in each
    ordered = topics[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)  # within its topic
    return np.sort(order[np.lexsort((ordered, place))[:count]])


def _read(
    run: Run, pairs: Encoded, rows: Ints, theta: Floats, watch: Watch | None
) -> tuple[csr_matrix, Floats]:
    """n-grams (n, WIDTH) and decoder states (n, H) of the equations at `rows`."""
    ngrams, mean = Ngrams(run.tokens), torch.from_numpy(theta)
    lengths = pairs.offsets[rows + 1] - pairs.offsets[rows]
    order = np.argsort(lengths, kind="stable")  # like lengths together: little padding
    tables, states = [], []
    for start in range(0, len(order), READ):
        ids, offsets = _cut(pairs, rows[order[start : start + READ]])
        tables.append(ngrams.table(ids, offsets))
        states.append(_states(run, ids, offsets, mean))
        if watch:
            watch(min(start + READ, len(order)), len(order))
    back = np.argsort(order)
    return csr_matrix(vstack(tables))[back], np.concatenate(states)[back]


def _cut(pairs: Encoded, rows: Ints) -> tuple[Ids, Ints]:
    """The equations at `rows`, one after the other."""
    each = [pairs.tokens[pairs.offsets[row] : pairs.offsets[row + 1]] for row in rows]
    return np.concatenate(each), np.cumsum([0, *map(len, each)])


def _states(run: Run, ids: Ids, offsets: Ints, theta: Tensor) -> Floats:
    """The decoder's top h_t, averaged over each equation (n, H), under one theta for all."""
    decoder = run.model.stateful()
    with evaluating(run.model) as device:
        tokens = pad(ids, offsets, np.arange(len(offsets) - 1)).to(device)
        h = decoder.states(tokens[:-1], theta.to(device).expand(tokens.shape[1], -1))
        real = (tokens[1:] != PAD)[..., None]  # (T, B, 1)
        found: Floats = ((h * real).sum(0) / real.sum(0)).cpu().numpy()
    return found
