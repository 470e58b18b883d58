"""A decoder at work on B equations at once: the tokens so far, and what may come next.

In goes a decoder that writes, with a theta for each equation; `log_p` is what the model gives to
every next token, `allowed` what the grammar lets through. Whoever holds the pen (writing.py,
beam.py) chooses a token for each equation and calls `write`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from topiceq.corpus.vocab import END, PAD, START, UNK
from topiceq.model.decoders import State, Writer
from topiceq.tasks.grammar import Grammar
from topiceq.tasks.grammar import State as Place
from topiceq.tasks.pause import pause
from topiceq.tasks.question import Floats


@dataclass(frozen=True)
class Written:
    """An equation that a decoder has written."""

    ids: tuple[int, ...]  # without END
    logprob: float  # of the ids, and of END if it is finished
    theta: Floats  # (K,); (0,) if there is none
    finished: bool


class Pen:
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
        self.state = self.state and [(h[at], c[at]) for h, c in self.state]

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
        pause()
        logits, self.state = self.decoder.step(tokens, self.state, self.theta)
        self.log_p = logits.log_softmax(-1)
