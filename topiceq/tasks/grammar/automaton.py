r"""What may come next in an equation: a push-down automaton over the tokens of the normal form.

In goes what was written so far; out come the tokens after which it can still become an equation
that compiles and that is complete within so many tokens. The rules are in frames.py, the table made
of them in steps.py; here is the stack, and a step costs a few lookups.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topiceq.corpus.vocab import END, Vocab
from topiceq.errors import QuestionError
from topiceq.tasks.grammar.refusal import FULL_ROW, TOO_DEEP, refusal
from topiceq.tasks.grammar.roles import role
from topiceq.tasks.grammar.steps import CLOSED, Step, Steps

# The weight of the frames that may be open at once. TeX gives up beyond 255 groups, and some
# commands set their argument several times, so that the time to compile it grows with a power.
DEEPEST = 20
SHOWN = 10  # tokens before a fault that its message shows

Mask = npt.NDArray[np.bool_]


class State(NamedTuple):
    """A prefix as far as it matters for what follows: what is open in it."""

    row: int  # the innermost frame, and the position in it
    weight: int  # of all open frames
    columns: int  # how many cells a row of the innermost frame may have
    cell: int  # which of them we are in, from 0
    below: int  # fewest tokens that complete all but the innermost frame, END included
    outer: "State | None"  # what it will be once the innermost frame is closed


FINISHED = State(CLOSED, 0, 0, 0, 0, None)


class Grammar:
    """What may come next in an equation, over one token vocabulary."""

    def __init__(self, tokens: Vocab) -> None:
        self.tokens = tokens
        present = sorted({role(token) for token in tokens})
        self._role = [present.index(role(token)) for token in tokens]
        self._steps = Steps(present)
        # behind END there is no step; as the last row it is found at CLOSED
        nothing: list[Step | None] = [None] * len(present)
        self._table = [*self._steps.table, nothing]
        self._enough = max((step.need for line in self._table for step in line if step), default=0)
        self._masks: dict[tuple[int, int, bool, bool], Mask] = {}

    def start(self) -> State:
        """Before the first token."""
        return State(0, 0, 0, 0, 0, FINISHED)

    def advance(self, state: State, token: int) -> State | None:
        """The state after one more token; None if it cannot come here."""
        row, weight, columns, cell, below, outer = state
        step = self._table[row][self._role[token]]
        if step is None or step.deepens and weight >= DEEPEST:
            return None
        if step.to == CLOSED:
            return self._scripted(outer, step.scripted) if step.scripted else outer
        if step.cells:
            columns += step.cells == "column"
            cell = cell + 1 if step.cells == "cell" else 0
            if cell > 0 and cell >= columns:
                return None
        state = State(step.to, weight, columns, cell, below, outer)
        frame = step.opens
        if frame is None:
            return state
        inner = weight + frame.weight
        return State(step.start, inner, frame.columns, 0, below + step.closing, state)

    def allowed(self, state: State, room: int) -> Mask:
        """The tokens after which the equation can be complete within `room` tokens.

        These are counted with this one and END. There are none where `room` is less than
        `closing(state)`, nor behind END. The array is shared: do not write to it.
        """
        slack = min(room - state.below, self._enough)
        full = state.cell + 1 >= state.columns
        key = (state.row, slack, state.weight >= DEEPEST, full)
        mask = self._masks.get(key)
        return self._mask(*key) if mask is None else mask

    def read(self, ids: Sequence[int]) -> State:
        """The state after a prefix; QuestionError where it breaks."""
        state = self.start()
        for place, token in enumerate(ids):
            after = self.advance(state, token)
            if after is None:
                raise QuestionError(self._broken(state, ids, place))
            state = after
        return state

    def accepts(self, ids: Sequence[int]) -> bool:
        """Whether the ids, without START and END, are a whole equation."""
        state: State | None = self.start()
        for token in (*ids, END):
            if state is None or (state := self.advance(state, token)) is None:
                return False
        return True

    def closing(self, state: State) -> int:
        """Fewest tokens that complete the equation, END included."""
        return state.below + (self._steps.closing[state.row] if state is not FINISHED else 0)

    def _scripted(self, state: State | None, last: str) -> State | None:
        r"""The state behind `\boldsymbol{x^{2}}`, whose script is one of the outer frame."""
        return state and state._replace(row=self._steps.after_script(state.row, last))

    def _mask(self, row: int, slack: int, deepest: bool, full: bool) -> Mask:
        def fits(step: Step | None) -> bool:
            if step is None or step.need > slack:
                return False
            return not (step.deepens and deepest or step.cells == "cell" and full)

        mask = np.array([fits(step) for step in self._table[row]])[self._role]
        mask.flags.writeable = False
        self._masks[row, slack, deepest, full] = mask
        return mask

    def _broken(self, state: State, ids: Sequence[int], place: int) -> str:
        token = self.tokens[ids[place]]
        before = " ".join(self.tokens[number] for number in ids[max(0, place - SHOWN) : place])
        behind = f", behind '{before}'" if before else ""
        why = f"a '{token}' {self._why(state, ids[place])}"
        return f"The equation breaks at token {place + 1}{behind}: {why}."

    def _why(self, state: State, token: int) -> str:
        step = self._table[state.row][self._role[token]]
        if step is not None:
            return TOO_DEEP if step.deepens else FULL_ROW
        if state == FINISHED:
            return "comes behind the end"
        return refusal(*self._steps.places[state.row], self.tokens[token])
