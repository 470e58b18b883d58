"""A decoder at work on B equations at once: the tokens so far, and what may come next.

In goes a decoder that writes, with a theta for each equation; `log_p` is what the model gives to
every next token, `allowed` what the grammar lets through. Whoever searches, `beam_search` or
`sample`, chooses a token for each equation and calls `write`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from topiceq.article.equation.grammar import Grammar
from topiceq.article.equation.grammar import State as Place
from topiceq.article.equation.rules import END, PAD, START, UNK
from topiceq.cancel import stop_if_unwanted
from topiceq.model.decoders import State, Writer
from topiceq.questions import Generate
from topiceq.tasks.read import Floats


@dataclass(frozen=True)
class Written:
    """An equation that a decoder has written."""

    ids: tuple[int, ...]  # without END
    logprob: float  # of the ids, and of END if it is finished
    theta: Floats  # (K,); (0,) if there is none
    finished: bool


class Hypotheses:
    """The equations that are being written, one a row."""

    def __init__(
        self,
        decoder: Writer,
        theta: Tensor | None,  # (B, K)
        rows: int,
        grammar: Grammar | None,
        device: torch.device,
    ) -> None:
        self.decoder, self.grammar = decoder, grammar
        self.theta = None if theta is None else theta.to(device)
        self.ids: list[list[int]] = [[] for _ in range(rows)]
        self.scores = torch.zeros(rows, dtype=torch.float64, device=device)  # log p so far
        self.places: list[Place] = [grammar.start()] * rows if grammar else []
        self.state: State | None = None
        self.log_p = torch.empty(0)  # of every next token (B, tokens)
        self._read(torch.full((rows,), START, device=device))

    def __len__(self) -> int:
        return len(self.ids)

    def allowed(self, room: int) -> Tensor:
        """Which tokens may come next, with room for so many, this one and END among them.

        PAD and START are no tokens, and UNK cannot be printed: they are never allowed.
        """
        if self.grammar is None:
            mask = torch.ones_like(self.log_p, dtype=torch.bool)
        else:
            masks = np.stack([self.grammar.allowed(place, room) for place in self.places])
            mask = torch.from_numpy(masks).to(self.log_p.device)
        mask[:, [PAD, START, UNK]] = False
        return mask  # (B, tokens)

    def finish(self, row: int, *, end: bool) -> Written:
        """What was written in a row, with END behind it or broken off."""
        score = self.scores[row] + (self.log_p[row, END] if end else 0)
        theta = np.zeros(0, np.float32) if self.theta is None else self.theta[row].cpu().numpy()
        return Written(tuple(self.ids[row]), float(score), theta, end)

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with these rows only; a row may be there more than once."""
        at = torch.tensor(rows, device=self.scores.device)
        self.ids = [[*self.ids[row]] for row in rows]
        self.places = [self.places[row] for row in rows] if self.grammar else []
        self.scores, self.log_p = self.scores[at], self.log_p[at]
        self.theta = None if self.theta is None else self.theta[at]
        self.state = self.state and tuple(part[at] for part in self.state)

    def write(self, tokens: list[int]) -> None:
        """One token further in each row; END is no token to go on from."""
        at = torch.tensor(tokens, device=self.scores.device)
        self.scores += self.log_p.gather(1, at[:, None])[:, 0]
        for row, token in enumerate(tokens):
            self.ids[row].append(token)
        if self.grammar:
            self.places = list(map(self._advance, self.places, tokens))
        self._read(at)

    def _advance(self, place: Place, token: int) -> Place:
        assert self.grammar
        after = self.grammar.advance(place, token)
        assert after is not None  # only what is allowed is written
        return after

    def _read(self, tokens: Tensor) -> None:
        stop_if_unwanted()
        logits, self.state = self.decoder.step(tokens, self.state, self.theta)
        self.log_p = logits.log_softmax(-1)


# -- beam search -------------------------------------------------------------------------------


def beam_search(hypotheses: Hypotheses, beams: int, max_tokens: int) -> list[Written]:
    """The best equations from one row; unfinished ones only where too few came to an end.

    The score is the log-probability itself, END counted. ours: it is not divided by the length, so
    short equations are preferred as much as the model prefers them.
    """
    done: list[Written] = []
    while len(hypotheses):
        room = max_tokens - len(hypotheses.ids[0]) + 1
        rows, tokens = _best(hypotheses, 2 * beams, room)  # twice: at most half of them are END
        done += [hypotheses.finish(row, end=True) for row, token in zip(rows, tokens, strict=True)
                 if token == END]  # fmt: skip
        going = [(r, t) for r, t in zip(rows, tokens, strict=True) if t != END][:beams]
        if room == 1:  # no room for another token
            done += [hypotheses.finish(row, end=False) for row in range(len(hypotheses)) if going]
            break
        if not going or _settled(done, hypotheses, going[0], beams):
            break
        hypotheses.keep([row for row, _ in going])
        hypotheses.write([token for _, token in going])
    return sorted(done, key=lambda one: (not one.finished, -one.logprob))[:beams]


def _best(hypotheses: Hypotheses, count: int, room: int) -> tuple[list[int], list[int]]:
    """The best ways to go on: in which row, with which token."""
    scores = hypotheses.scores[:, None] + hypotheses.log_p.masked_fill(
        ~hypotheses.allowed(room), -torch.inf
    )
    best, at = scores.flatten().topk(min(count, scores.numel()))
    at = at[best.isfinite()]
    return (at // scores.shape[1]).tolist(), (at % scores.shape[1]).tolist()


def _settled(
    done: list[Written], hypotheses: Hypotheses, best: tuple[int, int], beams: int
) -> bool:
    """Whether nothing that is still open can become one of the best: scores only fall."""
    finished = sorted((one.logprob for one in done), reverse=True)
    row, token = best
    return len(finished) >= beams and finished[beams - 1] >= float(
        hypotheses.scores[row] + hypotheses.log_p[row, token]
    )


# -- by lot, or the likeliest token each time --------------------------------------------------


def _luck(question: Generate, streams: Sequence[int]) -> npt.NDArray[np.float32]:
    """Numbers from 0 to 1, one for each place of each equation; those of a stream are its own."""
    if question.is_greedy:
        return np.zeros((len(streams), question.max_tokens + 1), np.float32)
    draws = (np.random.default_rng([question.seed, stream]) for stream in streams)
    return np.stack([draw.random(question.max_tokens + 1, np.float32) for draw in draws])


def sample(hypotheses: Hypotheses, question: Generate, streams: Sequence[int]) -> list[Written]:
    """Write until every equation has its END; those that have are put aside."""
    luck = _luck(question, streams)
    done: dict[int, Written] = {}
    going = np.arange(len(hypotheses))  # which equations the rows of the hypotheses are
    for place in range(len(hypotheses.ids[0]), question.max_tokens + 1):
        allowed = hypotheses.allowed(question.max_tokens - place + 1)
        tokens = _choose(hypotheses.log_p, allowed, question, luck[going, place])
        last = place == question.max_tokens  # no room for another token
        ends = (tokens == END) | last
        for row in np.flatnonzero(ends).tolist():
            done[int(going[row])] = hypotheses.finish(row, end=bool(tokens[row] == END))
        if ends.all():
            break
        if ends.any():
            hypotheses.keep(np.flatnonzero(~ends).tolist())
            going, tokens = going[~ends], tokens[~ends]
        hypotheses.write(tokens.tolist())
    return [done[number] for number in sorted(done)]


def _choose(
    log_p: Tensor, allowed: Tensor, question: Generate, luck: npt.NDArray[np.float32]
) -> npt.NDArray[np.int64]:
    """The next token of each equation."""
    scores = log_p.masked_fill(~allowed, -torch.inf)
    if question.is_greedy:
        chosen = scores.argmax(-1)
    else:
        p = (scores / question.temperature).softmax(-1)
        heights = _nucleus(p, question.top_p).double().cumsum(-1)
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
