"""Beam search: the equations that a decoder finds most probable, or nearly so.

In goes a pen with one row, behind the prefix; out come the best `beams` equations that the search
has seen, most probable first. The score is the log-probability itself, END counted. ours: it is not
divided by the length, so short equations are preferred as much as the model prefers them.
"""

import torch

from topiceq.corpus.vocab import END
from topiceq.tasks.generate.pen import Pen, Written


def beam_search(pen: Pen, beams: int, max_tokens: int) -> list[Written]:
    """The best equations; unfinished ones only where too few came to an end."""
    done: list[Written] = []
    while len(pen):
        room = max_tokens - len(pen.ids[0]) + 1
        rows, tokens = _best(pen, 2 * beams, room)  # twice: at most half of them are END
        done += [pen.finish(row, end=True) for row, token in zip(rows, tokens, strict=True)
                 if token == END]  # fmt: skip
        going = [(r, t) for r, t in zip(rows, tokens, strict=True) if t != END][:beams]
        if room == 1:  # no room for another token
            done += [pen.finish(row, end=False) for row in range(len(pen)) if going]
            break
        if not going or _settled(done, pen, going[0], beams):
            break
        pen.keep([row for row, _ in going])
        pen.write([token for _, token in going])
    return sorted(done, key=lambda one: (not one.finished, -one.logprob))[:beams]


def _best(pen: Pen, count: int, room: int) -> tuple[list[int], list[int]]:
    """The best ways to go on: in which row, with which token."""
    scores = pen.scores[:, None] + pen.log_p.masked_fill(~pen.allowed(room), -torch.inf)
    best, at = scores.flatten().topk(min(count, scores.numel()))
    at = at[best.isfinite()]
    return (at // scores.shape[1]).tolist(), (at % scores.shape[1]).tolist()


def _settled(done: list[Written], pen: Pen, best: tuple[int, int], beams: int) -> bool:
    """Whether nothing that is still open can become one of the best: scores only fall."""
    finished = sorted((one.logprob for one in done), reverse=True)
    row, token = best
    return len(finished) >= beams and finished[beams - 1] >= float(
        pen.scores[row] + pen.log_p[row, token]
    )
