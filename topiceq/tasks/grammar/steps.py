r"""The rules of frames.py as a table over the roles that a vocabulary has.

A row is a place: a frame and a position in it. For each row that can be reached the table says what
a token of each role does there, and how many tokens it then takes to close what is open. A role
that leads to what cannot be closed (\left, in a vocabulary without \right) has no step.
"""

from collections.abc import Sequence
from typing import NamedTuple

from topiceq.tasks.grammar.frames import WHOLE, Frame, Move, Position, move, start

NEVER = 1 << 20  # more tokens than any equation has
CLOSED = -1

Place = tuple[Frame, Position]


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
