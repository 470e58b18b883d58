r"""What is it about? A context, an equation or both -> probabilities of the K topics.

    context    theta = g(the posterior mean): what the encoder reads from the words
    equation   p(k | eq) = p(eq | theta = one-hot k) / sum over j of p(eq | theta = one-hot j)
    both       p(k | eq, C) = theta_k p(eq | one-hot k) / sum over j of theta_j p(eq | one-hot j)

Of several rows p(eq | theta) is the product over them: each is written by itself, all are about one
topic. The most probable topic of an equation is the paper's answer. ours: all K values, normalised,
which is Bayes' rule for an equation of one topic when no topic is likelier than another beforehand.
With a context they are not equally likely: its theta says how much of the text is about each topic,
so it takes the place of the uniform prior. Nothing is random.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from scipy.special import log_softmax

from topiceq.cancel import stop_if_unwanted
from topiceq.errors import QuestionError
from topiceq.model.batches import Batch, equations_alone, pad, sparse
from topiceq.model.decoders import Decoder
from topiceq.model.joint import evaluating
from topiceq.model.run import Run
from topiceq.model.topics import Topic
from topiceq.questions import Infer
from topiceq.tasks.read import Equation, Floats, read_context, read_rows

PLACES = 16_000  # equations x topics x tokens in one batch: some 300 MB at state 500
TINY = 1e-30  # a topic that the encoder rules out may come back with a very clear equation

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TopicShare:
    """A topic of a mixture, with its probability."""

    topic: int
    p: float
    label: str  # empty, as are the words, while the training is not over
    words: list[str]


def best_topics(theta: Floats, topics: Sequence[Topic], top: int) -> list[TopicShare]:
    """The most probable topics, best first."""
    order = (-theta).argsort(kind="stable")[:top].tolist()
    names = {topic.id: (topic.label, topic.words) for topic in topics}
    return [TopicShare(k, round(float(theta[k]), 4), *names.get(k, ("", []))) for k in order]


@dataclass(frozen=True)
class RowTopics:
    """One row of an equation that has several."""

    equation: str
    theta: Floats  # (K,)


@dataclass(frozen=True)
class Inference:
    """Topics as a whole, and row by row."""

    theta: Floats  # (K,); of many equations (n, K)
    rows: list[list[RowTopics]]  # of each equation; none where it has one row


def infer(run: Run, question: Infer) -> Inference:
    """The topics of a context, an equation or both; of many equations those of each."""
    if question.equation is not None and question.equations is not None:
        raise QuestionError("Give one equation or a list of equations, not both.")
    theta = None if question.context is None else context_theta(run, question.context)
    if question.equations is not None:
        return _of_rows(run, read_equations(run, question.equations), theta, question.decoder)
    if question.equation is not None:
        rows = read_rows(question.equation, run.tokens)
        whole = _of_rows(run, [rows], theta, question.decoder)
        return Inference(whole.theta[0], whole.rows)
    if theta is None:
        raise QuestionError("There is nothing to infer from. Give a context, an equation or both.")
    return Inference(theta, [])


def _of_rows(
    run: Run, equations: Sequence[Sequence[Equation]], theta: Floats | None, decoder: str | None
) -> Inference:
    log_p = row_likelihoods(run, equations, decoder)
    each = [
        [RowTopics(row.latex, p) for row, p in zip(rows, posterior(log, theta), strict=True)]
        for rows, log in zip(equations, log_p, strict=True)
    ]
    return Inference(
        posterior(together(run, log_p), theta), [r if len(r) > 1 else [] for r in each]
    )


def read_equations(run: Run, equations: Sequence[str]) -> list[list[Equation]]:
    """Many equations, each with its rows; if one cannot be read, the message says which."""
    found = []
    for number, text in enumerate(equations, 1):
        try:
            found.append(read_rows(text, run.tokens))
        except QuestionError as error:
            message = f"Equation {number} of {len(equations)}: {error}"
            raise QuestionError(message, error.position) from None
    return found


def context_theta(run: Run, context: str) -> Floats:
    """theta of a context (K,)."""
    run.model.require_topics()
    words = sparse(read_context(context, run.words))
    with evaluating(run.model) as device:
        theta = run.model.encode(words.to(device))
    assert theta is not None
    found: Floats = theta[0].cpu().numpy()
    return found


def posterior(log_p: Doubles, theta: Floats | None = None) -> Floats:
    """p(k | equation) (n, K), with theta as the prior, (K,) or (n, K), not a uniform one."""
    if theta is not None:
        log_p = log_p + np.log(theta.clip(TINY))
    found: Floats = np.exp(log_softmax(log_p, axis=1)).astype(np.float32)
    return found


def together(run: Run, log_p: Sequence[Doubles]) -> Doubles:
    """The log-likelihoods of equations (n, K) from those of their rows."""
    whole = np.zeros((len(log_p), run.config.model.topics))
    for place, rows in enumerate(log_p):
        whole[place] = rows.sum(0)
    return whole


def row_likelihoods(
    run: Run, equations: Sequence[Sequence[Equation]], decoder: str | None = None
) -> list[Doubles]:
    """log p(row | theta = one-hot k) of the rows of each equation (rows, K)."""
    log_p = log_likelihoods(run, [row for rows in equations for row in rows], decoder)
    ends = np.cumsum([len(rows) for rows in equations], dtype=np.int64).tolist()
    return [log_p[start:end] for start, end in pairwise([0, *ends])]


def log_likelihoods(run: Run, equations: Sequence[Equation], decoder: str | None = None) -> Doubles:
    """log p(equation | theta = one-hot k), every equation under every topic (n, K)."""
    run.model.require_topics()
    topics, writer = run.config.model.topics, run.model.writer(decoder)
    tokens, offsets = _flat(equations)
    found = np.zeros(len(equations) * topics)
    with evaluating(run.model) as device:
        one_hot = torch.eye(topics, device=device)
        for cells in _cut(np.diff(offsets), topics):
            stop_if_unwanted()
            rows, columns = np.divmod(cells, topics)
            batch = equations_alone(pad(tokens, offsets, rows)).to(device)
            found[cells] = _log_prob(writer, batch, one_hot[torch.from_numpy(columns)])
    return found.reshape(len(equations), topics)


def _flat(equations: Sequence[Equation]) -> tuple[npt.NDArray[np.int32], Ints]:
    lengths = [len(equation.ids) for equation in equations]
    ids = [i for equation in equations for i in equation.ids]
    return np.array(ids, dtype=np.int32), np.cumsum([0, *lengths], dtype=np.int64)


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
