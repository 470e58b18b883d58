r"""What may come next in an equation: a push-down automaton over the tokens of the normal form.

In goes what was written so far; out come the tokens after which it can still become an equation
that compiles and that is complete within so many tokens. `Steps` is a table of rules.py over the
roles that a vocabulary has. A row of it is a place: a frame and a position in it; it says what a
token of each role does there, and how many tokens it then takes to close what is open. A role that
leads to what cannot be closed (\left, in a vocabulary without \right) has no step. What is written
with `paired` has its brackets paired too, see brackets.py: TeX does not ask for that, and authors
now and then do otherwise.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topiceq.article.equation import brackets, rules
from topiceq.article.equation.rules import END, WHOLE, Frame, Move, Position, move, role, start
from topiceq.errors import QuestionError

NEVER = 1 << 20  # more tokens than any equation has
CLOSED = -1
# The weight of the frames that may be open at once. TeX gives up beyond 255 groups, and some
# commands set their argument several times, so that the time to compile it grows with a power.
DEEPEST = 20
SHOWN = 10  # tokens before a fault that its message shows

Place = tuple[Frame, Position]
Mask = npt.NDArray[np.bool_]


class Step(NamedTuple):
    """A move between rows."""

    to: int  # the row in the same frame, or CLOSED
    closing: int  # fewest tokens from there that close that frame
    opens: Frame | None
    start: int  # the row where that one begins, or CLOSED
    need: int  # fewest tokens, this one included, that close both frames
    deepens: bool
    cells: str
    scripted: str


class Steps:
    """What tokens do: `table[row][role]`. Row 0 is where an equation begins."""

    def __init__(self, roles: Sequence[str]) -> None:
        self.places: list[Place] = [(WHOLE, start(WHOLE))]
        self.table: list[list[Step | None]] = []
        self._rows = {self.places[0]: 0}
        for place in self.places:  # which grows
            self.table.append([self._step(place[0], move(*place, role)) for role in roles])
        self.closing = [NEVER] * len(self.places)
        while self._closes_sooner():
            pass
        self.table = [[self._counted(step) for step in line] for line in self.table]

    def after_script(self, row: int, last: str) -> int:
        """The row in the same frame where a script of the kind `last` came last."""
        return self._rows[self.places[row][0], Position(last)]

    def _step(self, frame: Frame, made: Move | None) -> Step | None:
        if made is None:
            return None
        to = CLOSED if made.to is None else self._row(frame, made.to)
        begin = CLOSED if made.opens is None else self._row(made.opens, start(made.opens))
        return Step(to, NEVER, made.opens, begin, NEVER, made.deepens, made.cells, made.scripted)

    def _row(self, frame: Frame, at: Position) -> int:
        place = (frame, at)
        if place not in self._rows:
            self._rows[place] = len(self.places)
            self.places.append(place)
        return self._rows[place]

    def _closes_sooner(self) -> bool:
        """One round of relaxation; whether any row is nearer to its end than it was known to be.

        A step that deepens does not count: where nesting is deepest there must be a way out too.
        """
        found = [
            min((self._need(step) for step in line if step and not step.deepens), default=NEVER)
            for line in self.table
        ]
        before, self.closing = self.closing, found
        return found != before

    def _need(self, step: Step) -> int:
        rows = (row for row in (step.to, step.start) if row != CLOSED)
        return min(NEVER, 1 + sum(self.closing[row] for row in rows))

    def _counted(self, step: Step | None) -> Step | None:
        """The step with what it needs; None if that cannot be had."""
        if step is None or (need := self._need(step)) == NEVER:
            return None
        return step._replace(need=need, closing=0 if step.to == CLOSED else self.closing[step.to])


# -- why a token cannot come, in words: the rest of a sentence that begins with it -----------------


TOO_DEEP = "nests too deep"
FULL_ROW = "begins more columns than there are"
UNPAIRED = "leaves a bracket open, or closes none"
ENDLESS = "cannot be closed with the tokens of this vocabulary"

_DUE = {
    rules.UNDECLARED: "comes where the columns of an array must come",
    rules.DECLARING: "is no column of an array: these are l, c, r and |",
    rules.DECLARED: "is no column of an array: these are l, c, r and |",
    rules.LIMITS: "comes where a script must come",
    rules.NEGATION: "cannot be negated",
}
_MISPLACED = {
    "&": "is outside of an environment",
    "\\\\": "is outside of an environment, or ends an empty row",
    "\\hline": "is not at the beginning of a row",
    "\\limits": "does not follow an operator that it would change",
    "\\nolimits": "does not follow an operator that it would change",
    "[": "would belong to the '\\\\' before it",
    "*": "would belong to the '\\\\' before it",
    rules.MIDDLE: "is not directly inside a '\\left'",
    rules.ACCENT: "is inside another accent, and not the first thing there",
    rules.BOLD: "follows '\\dots', which would take it apart",
}
_CLOSERS = frozenset(("}", rules.RIGHT, rules.FINISH, *rules.ENDS.values()))
_LEAVING = _CLOSERS | {"&", "\\\\"}  # tokens behind which no bracket of a frame can close


def refusal(frame: Frame, at: Position, token: str) -> str:
    r"""Why a token cannot come.

    >>> refusal(rules.WHOLE, rules.start(rules.WHOLE), "}")
    'closes nothing'
    """
    role = rules.role(token)
    if role == rules.NEVER:
        return "is in no equation that is sure to compile"
    if at.due:
        return "comes where a '{' must come"
    if at.last in _DUE:
        return _DUE[at.last]
    if rules.move(frame, at, role):
        return ENDLESS
    return _misplaced(frame, at, role)


def _misplaced(frame: Frame, at: Position, role: str) -> str:
    if role == frame.closer:
        return "ends what is empty, or an empty row"
    if role in _CLOSERS:
        return f"closes nothing{_first(frame)}"
    if role == "_" or role == "^":
        return _script(at)
    if frame.bold:
        return "is inside '\\boldsymbol', which could not set it"
    return _MISPLACED.get(role, "cannot come between '[' and ']', nor in an accent")


def _first(frame: Frame) -> str:
    if frame.kind == "equation":
        return ""
    return f": a '{frame.closer}' must come first"


def _script(at: Position) -> str:
    if at.last in (rules.LOWERED, rules.RAISED):
        return "comes behind a script of its kind, or behind the upper one"
    return "stands on nothing"


# -- the stack: what is open ---------------------------------------------------------------------


class State(NamedTuple):
    """A prefix as far as it matters for what follows: what is open in it."""

    row: int  # the innermost frame, and the position in it
    weight: int  # of all open frames
    columns: int  # how many cells a row of the innermost frame may have
    cell: int  # which of them we are in, from 0
    below: int  # fewest tokens that complete all but the innermost frame, END included
    outer: "State | None"  # what it will be once the innermost frame is closed
    open: brackets.Stack = ()  # brackets in the innermost frame; none are asked for if not paired


FINISHED = State(CLOSED, 0, 0, 0, 0, None)


def _brackets_at(frame: Frame, at: Position) -> str:
    """What brackets are there."""
    if at.due or at.last in (rules.UNDECLARED, rules.DECLARING, rules.DECLARED):
        return brackets.IGNORED
    if at.last == rules.NEGATION:
        return brackets.NO
    if frame.kind == "bracket":
        return brackets.OPTION
    return brackets.MARKS if frame.kind == "fence" else brackets.PAIRED


class Grammar:
    """What may come next in an equation, over one token vocabulary."""

    def __init__(self, tokens: Iterable[str], *, paired: bool = False) -> None:
        self.tokens = tuple(tokens)
        self._brackets = brackets.Brackets(self.tokens) if paired else None
        self._leaves = np.array([role(token) in _LEAVING for token in self.tokens])
        present = sorted({role(token) for token in self.tokens})
        self._role = np.array([present.index(role(token)) for token in self.tokens])
        self._steps = Steps(present)
        # behind END there is no step; as the last row it is found at CLOSED
        nothing: list[Step | None] = [None] * len(present)
        self._table = [*self._steps.table, nothing]
        # the same, of every row and role, as arrays
        self._needs = np.array([[s.need if s else NEVER for s in line] for line in self._table])
        self._deepens = np.array([[bool(s and s.deepens) for s in line] for line in self._table])
        self._cells = np.array([[bool(s and s.cells == "cell") for s in r] for r in self._table])
        self._enough = int(self._needs[self._needs < NEVER].max(initial=0))
        self._ways = [_brackets_at(*place) for place in self._steps.places]
        self._masks: dict[tuple[int, int, bool, bool, brackets.Stack], Mask] = {}

    def start(self) -> State:
        """Before the first token."""
        return State(0, 0, 0, 0, 0, FINISHED)

    def advance(self, state: State, token: int) -> State | None:
        """The state after one more token; None if it cannot come here."""
        row, weight, columns, cell, below, outer, opened = state
        step = self._table[row][self._role[token]]
        if step is None or step.deepens and weight >= DEEPEST:
            return None
        if brackets.due(opened) and self._leaves[token]:
            return None
        if step.to == CLOSED:
            return self._scripted(outer, step.scripted) if step.scripted else outer
        if self._brackets:
            after = self._brackets.after(opened, token, self._ways[row])
            if after is None:
                return None
            opened = after
        if step.cells:
            columns += step.cells == "column"
            cell = cell + 1 if step.cells == "cell" else 0
            if cell > 0 and cell >= columns:
                return None
        state = State(step.to, weight, columns, cell, below, outer, opened)
        frame = step.opens
        if frame is None:
            return state
        inner, below = weight + frame.weight, below + step.closing + brackets.due(opened)
        return State(step.start, inner, frame.columns, 0, below, state)

    def allowed(self, state: State, room: int) -> Mask:
        """The tokens after which the equation can be complete within `room` tokens.

        These are counted with this one and END. There are none where `room` is less than
        `closing(state)`, nor behind END. The array is shared: do not write to it.
        """
        slack = min(room - state.below - brackets.due(state.open), self._enough + 2)
        full = state.cell + 1 >= state.columns
        key = (state.row, slack, state.weight >= DEEPEST, full, state.open)
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
        if state is FINISHED:
            return state.below
        return state.below + brackets.due(state.open) + self._steps.closing[state.row]

    def _scripted(self, state: State | None, last: str) -> State | None:
        r"""The state behind `\boldsymbol{x^{2}}`, whose script is one of the outer frame."""
        return state and state._replace(row=self._steps.after_script(state.row, last))

    def _mask(
        self, row: int, slack: int, deepest: bool, full: bool, opened: brackets.Stack
    ) -> Mask:
        needs = self._needs[row][self._role]
        if self._brackets:
            needs = needs + self._brackets.change(opened, self._ways[row])
        mask: Mask = needs <= slack
        if brackets.due(opened):
            mask &= ~self._leaves
        if deepest:
            mask &= ~self._deepens[row][self._role]
        if full:
            mask &= ~self._cells[row][self._role]
        mask.flags.writeable = False
        self._masks[row, slack, deepest, full, opened] = mask
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
            if step.deepens and state.weight >= DEEPEST:
                return TOO_DEEP
            return FULL_ROW if step.cells == "cell" and not brackets.due(state.open) else UNPAIRED
        if state == FINISHED:
            return "comes behind the end"
        return refusal(*self._steps.places[state.row], self.tokens[token])
