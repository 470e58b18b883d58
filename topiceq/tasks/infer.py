r"""What is it about? A context, an equation or both -> probabilities of the K topics.

    context    q: theta = g(the posterior mean), what the encoder reads from the words
    equation   r: what the equation encoder reads from the n-grams of all its rows
    both       q^a r^b p^(1-a-b), normalised: a product of experts, where p is the prior

ours: the paper asks its decoder for the topic of an equation (likelihood.py; `by = "likelihood"`).
The weights a and b are those that tell most of words that neither has read, on valid. What carries
no evidence, such as a lone number or prose in another language, is not `known`: its answer is the
prior, the mean theta of the corpus. Nothing is random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_matrix, vstack

from topiceq.errors import QuestionError, Unsupported
from topiceq.model.batches import sparse
from topiceq.model.equation_encoder import gathered
from topiceq.model.joint import evaluating
from topiceq.model.likelihood import Doubles
from topiceq.model.run import Run
from topiceq.model.topics import Topic
from topiceq.questions import Infer
from topiceq.tasks.likelihood import TINY, flat, posterior, row_likelihoods, together
from topiceq.tasks.read import Equation, Floats, read_context, read_rows, read_words

LEAST = 0.1  # nats that the words of a context tell of its topics, else nothing is known


@dataclass(frozen=True)
class TopicShare:
    """A topic of a mixture, with its probability."""

    topic: int
    p: float
    label: str  # empty, as are the words, while the training is not over
    words: list[str]


def best_topics(theta: Floats, topics: Sequence[Topic], top: int) -> list[TopicShare]:
    """The most probable topics, best first; as people have named, merged and hidden them."""
    theta = merged(theta, topics)
    hidden = {topic.id for topic in topics if not topic.is_shown}
    order = [k for k in (-theta).argsort(kind="stable").tolist() if k not in hidden][:top]
    names = {topic.id: (topic.label, topic.words) for topic in topics}
    return [TopicShare(k, round(float(theta[k]), 4), *names.get(k, ("", []))) for k in order]


def merged(theta: Floats, topics: Sequence[Topic]) -> Floats:
    """theta with the weight of merged topics at those that they were merged into."""
    found = theta.copy()
    for topic in topics:
        if topic.into is not None:
            found[topic.into] += theta[topic.id]
            found[topic.id] = 0
    return found


@dataclass(frozen=True)
class RowTopics:
    """One row of an equation that has several."""

    equation: str
    theta: Floats  # (K,)


@dataclass(frozen=True)
class Inference:
    """Topics as a whole, and row by row."""

    theta: Floats  # (K,); of many equations (n, K), of those that cannot be read NaN
    known: list[bool]  # of each, whether it tells anything; where not, theta is the prior
    rows: list[list[RowTopics]]  # of each equation; none where it has one row
    errors: list[QuestionError | None] = field(default_factory=list)  # of each of many equations


def infer(run: Run, question: Infer) -> Inference:
    """The topics of a context, an equation or both; of many equations those of each."""
    question.check()
    run.model.require_topics()
    context = None if question.context is None else context_topics(run, question.context)
    if question.equations is not None:
        return _of_many(run, question, context)
    if question.equation is not None:
        rows = read_rows(question.equation, run.tokens)
        whole = _of_rows(run, [rows], question, context)
        return Inference(whole.theta[0], whole.known, whole.rows)
    assert context is not None  # what is asked about, if it is no equation
    return context


def _of_many(run: Run, question: Infer, context: Inference | None) -> Inference:
    """Each by itself: one that cannot be read has its error, and the others their topics."""
    rows: list[list[Equation]] = []
    errors: list[QuestionError | None] = []
    for text in question.equations or ():
        try:
            rows.append(read_rows(text, run.tokens))
            errors.append(None)
        except QuestionError as error:
            errors.append(error)
    found = _of_rows(run, rows, question, context)
    whole = np.full((len(errors), run.config.model.topics), np.nan, dtype=np.float32)
    whole[[error is None for error in errors]] = found.theta
    known, each = iter(found.known), iter(found.rows)
    return Inference(
        whole,
        [error is None and next(known) for error in errors],
        [next(each) if error is None else [] for error in errors],
        errors,
    )


def _of_rows(
    run: Run, equations: Sequence[Sequence[Equation]], question: Infer, context: Inference | None
) -> Inference:
    """Topics of equations given as rows, each with the same context, if there is one."""
    theta = None if context is None else context.theta
    found = equation_topics(run, equations, theta, by=question.by, decoder=question.decoder)
    if context is not None:
        found = replace(found, known=[is_known or context.known[0] for is_known in found.known])
    return found


def equation_topics(
    run: Run,
    equations: Sequence[Sequence[Equation]],
    theta: Floats | None = None,
    *,
    by: str | None = None,
    decoder: str | None = None,
) -> Inference:
    """Topics of equations given as rows; with theta of their contexts, (K,) or (n, K), of both."""
    if expert(run, by, decoder) == "likelihood":
        log_p = row_likelihoods(run, equations, decoder)
        whole, known = posterior(together(run, log_p), theta), [True] * len(equations)
        thetas = [theta] * len(log_p) if theta is None or theta.ndim == 1 else list(theta)
        each = [posterior(*both) for both in zip(log_p, thetas, strict=True)]
    else:
        likely = row_likelihoods(run, equations, decoder) if by == "both" else []
        whole, known, each = _by_encoder(run, equations, theta, likely)
    return Inference(whole, known, [_told(*both) for both in zip(equations, each, strict=True)])


def expert(run: Run, by: str | None, decoder: str | None = None) -> str:
    """What reads equations: the encoder if there is one, unless the decoder is asked for."""
    if by == "likelihood" or by is None and decoder is not None:
        return "likelihood"
    if run.equation_encoder is not None:
        return "encoder"
    if by in ("encoder", "both") or not run.model.writers():
        raise Unsupported(
            "This run has no equation encoder. Teach it one: topiceq encoder RUN CORPUS"
        )
    return "likelihood"


def reads_equations(run: Run) -> bool:
    """Whether the run can tell topics of equations."""
    return run.model.has_topics and bool(run.equation_encoder or run.model.writers())


def _by_encoder(
    run: Run,
    equations: Sequence[Sequence[Equation]],
    theta: Floats | None,
    log_p: Sequence[Doubles],
) -> tuple[Floats, list[bool], list[Floats]]:
    """Topics of equations, whether they tell any, and the topics of each of their rows.

    log_p is the likelihood of their rows, if that is to be heard too.
    """
    encoder, sizes = run.equation_encoder, np.array([len(rows) for rows in equations], np.int64)
    assert encoder is not None
    bags = encoder.table.bags(*flat([row for rows in equations for row in rows]))
    log_r, known = encoder.evident(encoder.of_bags(gathered(bags, sizes)))
    log_rows = log_r if (sizes == 1).all() else encoder.evident(encoder.of_bags(bags))[0]
    if log_p:
        lengths = [np.array([len(row.ids) for row in rows], np.int64) for rows in equations]
        whole = together(run, log_p), np.array([own.sum() for own in lengths])
        log_r = encoder.beside(log_r, *whole)
        log_rows = encoder.beside(log_rows, np.concatenate(log_p), np.concatenate(lengths))
    if theta is not None:
        log_q = np.log(np.broadcast_to(theta, log_r.shape).clip(TINY))
        log_r, log_rows = (
            encoder.both(log_q, log_r),
            encoder.both(np.repeat(log_q, sizes, axis=0), log_rows),
        )
    ends, r_of_rows = np.cumsum([0, *sizes]).tolist(), np.exp(log_rows)
    each = [r_of_rows[start:end] for start, end in pairwise(ends)]
    return np.exp(log_r), known.tolist(), each


def _told(rows: Sequence[Equation], thetas: Floats) -> list[RowTopics]:
    """What each row is about, where there are several."""
    if len(rows) < 2:
        return []
    return [RowTopics(row.latex, theta) for row, theta in zip(rows, thetas, strict=True)]


# -- contexts ----------------------------------------------------------------------------------


def contexts_topics(run: Run, contexts: Sequence[str]) -> Inference:
    """The topics of contexts; the prior where one is empty or in another language."""
    run.model.require_topics()
    empty = csr_matrix((1, len(run.words)), dtype=np.float32)
    read = [read_words(text, run.words) if text.strip() else (empty, False) for text in contexts]
    if not read:
        return Inference(np.zeros((0, len(run.shares)), np.float32), [], [])
    theta = theta_of(run, csr_matrix(vstack([counts for counts, _ in read])))
    evidence = (theta * np.log(theta.clip(TINY) / run.shares.clip(TINY))).sum(1)
    is_known = (evidence >= LEAST) & np.array([is_familiar for _, is_familiar in read])
    return Inference(np.where(is_known[:, None], theta, run.shares), is_known.tolist(), [])


def context_topics(run: Run, context: str) -> Inference:
    """The topics of one context."""
    if not context.strip():
        read_words(context, run.words)  # says what is wrong
    found = contexts_topics(run, [context])
    return replace(found, theta=found.theta[0])


def context_theta(run: Run, context: str) -> Floats:
    """theta of a context (K,), whatever it tells."""
    run.model.require_topics()
    found: Floats = theta_of(run, read_context(context, run.words))[0]
    return found


def theta_of(run: Run, counts: csr_matrix) -> Floats:
    """theta of the words of contexts (n, K)."""
    with evaluating(run.model) as device:
        theta = run.model.encode(sparse(counts).to(device))
    assert theta is not None
    found: Floats = theta.cpu().numpy()
    return found
