r"""Equations from a topic, a mixture, a context, or along the way between two topics.

In go a run and a theta; out come equations with their log-probability under the model, without
regard to temperature, top-p or the grammar. With the grammar (the default) every equation is well
formed; without it, only tokens that cannot be printed (UNK, PAD, START) are kept out.

    interpolation    theta_t = (1 - t) theta_1 + t theta_2,    t = 0, .., 1

ours: the n-th equation of a call depends on the seed and on n alone, so asking for five gives the
three that asking for three gives, and the points of an interpolation share their luck.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topiceq.corpus.normal import to_latex
from topiceq.corpus.vocab import END, Vocab
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.decoders import Writer
from topiceq.model.held_out import evaluating
from topiceq.model.run import Run
from topiceq.tasks.generate.beam import beam_search
from topiceq.tasks.generate.pen import Pen, Written
from topiceq.tasks.generate.prefix import read_prefix
from topiceq.tasks.grammar import Grammar
from topiceq.tasks.infer import context_theta
from topiceq.tasks.question import Equation, Floats, Theta, read_theta, topical_decoder

ROWS = 512  # equations in one batch
NOTHING = Equation((), ())


@dataclass(frozen=True)
class Generated:
    """An equation that the model has written."""

    equation: str
    tokens: tuple[str, ...]
    logprob: float  # of the whole equation with its END, prefix included, under the model alone
    theta: Floats = field(compare=False, repr=False)  # (K,); (0,) if the run has no topics
    finished: bool  # whether it came to an end within max_tokens


@dataclass(frozen=True)
class Manner:
    """How to write: `greedy` takes the likeliest token, `beams` searches, otherwise by lot."""

    temperature: float = 1.0
    top_p: float = 1.0
    greedy: bool = False
    beams: int = 0
    max_tokens: int = 150  # of the equation with its prefix
    seed: int = 0
    constrained: bool = True

    def __post_init__(self) -> None:
        _check("temperature", self.temperature, self.temperature > 0, "above 0")
        _check("top_p", self.top_p, 0 < self.top_p <= 1, "above 0 and at most 1")
        _check("beams", self.beams, self.beams >= 0, "0 (no search) or more")
        _check("max_tokens", self.max_tokens, self.max_tokens > 0, "1 or more")
        _check("seed", self.seed, self.seed >= 0, "0 or more")
        if self.greedy and self.beams:
            raise QuestionError("greedy and beams exclude each other. Give one of them.")


def _check(name: str, value: float, right: bool, allowed: str) -> None:
    if not isfinite(value) or not right:
        raise QuestionError(f"{name} = {value} is not possible. It must be {allowed}.")


def generate(
    run: Run,
    theta: Theta | None = None,
    *,
    context: str | None = None,
    to: Theta | None = None,
    steps: int = 5,
    prefix: str = "",
    count: int = 1,
    manner: Manner | None = None,
) -> list[Generated]:
    """`count` equations from theta or from a context; with `to`, from each of `steps` points."""
    manner = manner or Manner()
    _check("count", count, count >= 1, "1 or more")
    _check("steps", steps, steps >= 2, "2 or more")
    if count > 1 and (manner.greedy or manner.beams):
        way = "greedy writes one equation" if manner.greedy else "beams says how many to return"
        raise QuestionError(f"count = {count} is not possible: {way}. Leave out one of the two.")
    begin = read_prefix(prefix, _grammar(run.tokens))
    points = _points(run, theta, context, to, steps)
    streams = list(range(count)) * (1 if points is None else len(points))
    thetas = None if points is None else points.repeat(count, axis=0)
    return write(run, thetas, manner, prefix=begin, streams=streams)


def _points(
    run: Run, theta: Theta | None, context: str | None, to: Theta | None, steps: int
) -> Floats | None:
    """theta of every point (n, K); None if the run has no topics."""
    if run.model.theta is None and theta is None and context is None and to is None:
        return None
    if theta is not None and context is not None:
        raise QuestionError("Give theta or a context, not both.")
    if context is not None:
        first = context_theta(run, context)
    elif theta is not None:
        first = read_theta(theta, run)
    else:
        raise QuestionError("There is nothing to write about. Give a topic, a theta or a context.")
    if to is None:
        return first[None]
    last, t = read_theta(to, run), np.linspace(0, 1, steps, dtype=np.float32)[:, None]
    return (1 - t) * first + t * last


def write(
    run: Run,
    thetas: Floats | None,
    manner: Manner,
    *,
    streams: Sequence[int],
    prefix: Equation = NOTHING,
) -> list[Generated]:
    """An equation (or `beams` of them) for each theta (n, K) and its stream of luck."""
    decoder, grammar = _decoder(run), _grammar(run.tokens) if manner.constrained else None
    _check_prefix(prefix, grammar, manner.max_tokens)
    written: list[Written] = []
    size = 1 if manner.beams else ROWS
    with evaluating(run.model) as device:
        for start in range(0, len(streams), size):
            luck = streams[start : start + size]
            theta = None if thetas is None else torch.from_numpy(thetas[start : start + size])
            pen = Pen(decoder, theta, len(luck), grammar, device)
            written += _write(pen, prefix, manner, luck)
    return [_generated(one, run.tokens) for one in written]


def _decoder(run: Run) -> Writer:
    """The decoder that writes from topics, or one that does without."""
    if run.model.theta is not None:
        return topical_decoder(run)
    for _, decoder in run.model.named_decoders():
        if isinstance(decoder, Writer):
            return decoder
    raise Unsupported(
        "This run has no decoder that writes equations. "
        "Train one with model.decoders = ['te-lstm']."
    )


@lru_cache(maxsize=4)
def _grammar(tokens: Vocab) -> Grammar:
    return Grammar(tokens)


def _check_prefix(prefix: Equation, grammar: Grammar | None, max_tokens: int) -> None:
    room = max_tokens - len(prefix.ids) + 1
    fits = room > 1
    if grammar and fits:
        fits = bool(grammar.allowed(grammar.read(prefix.ids), room).any())
    if not fits:
        raise QuestionError(
            f"The prefix '{prefix.latex}' cannot be completed within {max_tokens} tokens. "
            "Raise max_tokens."
        )


def _generated(written: Written, vocab: Vocab) -> Generated:
    tokens = tuple(vocab[i] for i in written.ids)
    theta = written.theta
    return Generated(to_latex(tokens), tokens, written.logprob, theta, written.finished)


def _write(pen: Pen, prefix: Equation, manner: Manner, streams: Sequence[int]) -> list[Written]:
    for token in prefix.ids:
        pen.write([token] * len(pen))
    if manner.beams:
        return beam_search(pen, manner.beams, manner.max_tokens)
    return _sample(pen, manner, _luck(manner, streams))


def _luck(manner: Manner, streams: Sequence[int]) -> npt.NDArray[np.float32]:
    """Numbers from 0 to 1, one for each place of each equation; those of a stream are its own."""
    if manner.greedy:
        return np.zeros((len(streams), manner.max_tokens + 1), np.float32)
    draws = (np.random.default_rng([manner.seed, stream]) for stream in streams)
    return np.stack([draw.random(manner.max_tokens + 1, np.float32) for draw in draws])


def _sample(pen: Pen, manner: Manner, luck: npt.NDArray[np.float32]) -> list[Written]:
    """Write until every equation has its END; those that have are put aside."""
    done: dict[int, Written] = {}
    going = np.arange(len(pen))  # which equations the rows of the pen are
    for place in range(len(pen.ids[0]), manner.max_tokens + 1):
        allowed = pen.allowed(manner.max_tokens - place + 1)
        tokens = _choose(pen.log_p, allowed, manner, luck[going, place])
        last = place == manner.max_tokens  # no room for another token
        ends = (tokens == END) | last
        for row in np.flatnonzero(ends).tolist():
            done[int(going[row])] = pen.finish(row, end=bool(tokens[row] == END))
        if ends.all():
            break
        if ends.any():
            pen.keep(np.flatnonzero(~ends).tolist())
            going, tokens = going[~ends], tokens[~ends]
        pen.write(tokens.tolist())
    return [done[number] for number in sorted(done)]


def _choose(
    log_p: Tensor, allowed: Tensor, manner: Manner, luck: npt.NDArray[np.float32]
) -> npt.NDArray[np.int64]:
    """The next token of each equation."""
    scores = log_p.masked_fill(~allowed, -torch.inf)
    if manner.greedy:
        chosen = scores.argmax(-1)
    else:
        p = (scores / manner.temperature).softmax(-1)
        heights = _nucleus(p, manner.top_p).double().cumsum(-1)
        # the first token whose step reaches above the mark; luck < 1, so there is one
        marks = torch.from_numpy(luck).to(p.device)[:, None] * heights[:, -1:]
        chosen = torch.searchsorted(heights, marks, right=True)[:, 0]
    found: npt.NDArray[np.int64] = chosen.cpu().numpy()
    return found


def _nucleus(p: Tensor, top_p: float) -> Tensor:
    """The fewest tokens that have a probability of `top_p` together; the others get none.

    >>> _nucleus(torch.tensor([[0.2, 0.5, 0.3]]), 0.6).tolist() == [[0, 0.5, torch.tensor(0.3)]]
    True
    """
    if top_p == 1:
        return p
    ordered, order = p.sort(-1, descending=True)
    kept = ordered.cumsum(-1) - ordered < top_p
    return torch.zeros_like(p).scatter(-1, order, ordered * kept)
