r"""Brackets that a reader wants closed: ( ) [ ] \{ \} \langle \rangle | |, of any size, and kets.

TeX minds an open \left, a reader minds an open ( as well. Each frame of the grammar (a group, the
inside of a \left, a cell) has a stack of the brackets that are open in it, innermost last; a frame
may be left once nothing is due there. An interval may mix ( and [. A bar opens and closes itself,
but within brackets it is a mark, as in p(x | y), and right before a lower script one by which
something is evaluated, as in f |_{x=0}. A \rangle closes a bar as well (a ket), and a bar ends what
a \langle began (a bra) if no \rangle does.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Stack = tuple[str, ...]
Change = npt.NDArray[np.int8]  # of the tokens that are due, by each token

DEEPEST = 10  # brackets open at once in one frame
ROUND, ANGLE = "round", "angle"
BAR, FRESH, BRA = "bar", "fresh bar", "bra"  # a fresh one: nothing is behind it yet
NEVER = 127  # in a Change: the token cannot come
# what brackets are in some place; an option, as in \sqrt[3], ends at the first ]
PAIRED, MARKS, OPTION, NO, IGNORED = "paired", "bars are marks", "only ]", "none", "ignored"

_OPENING = {"(": ROUND, "[": ROUND, "\\lbrack": ROUND, "\\{": "brace", "\\langle": ANGLE,
            "\\lfloor": "floor", "\\lceil": "ceiling", "\\lvert": "modulus",
            "\\lVert": "norm"}  # fmt: skip
_CLOSING = {")": ROUND, "]": ROUND, "\\rbrack": ROUND, "\\}": "brace", "\\rangle": ANGLE,
            "\\rfloor": "floor", "\\rceil": "ceiling", "\\rvert": "modulus",
            "\\rVert": "norm"}  # fmt: skip
_BARS = {"|": BAR, "\\|": "double " + BAR}
_SIZED = re.compile(r"(\\(?:big|Big|bigg|Bigg))([lr]?)([^a-zA-Z].*)")


def _kinds(token: str) -> tuple[str, str, str]:
    r"""What the token opens, what it closes, and what it does both to; each may be nothing.

    >>> _kinds("("), _kinds("\\bigr]"), _kinds("|")
    (('round', '', ''), ('', '\\biground', ''), ('', '', 'bar'))
    """
    match = _SIZED.fullmatch(token)
    size, side, mark = match.groups() if match else ("", "", token)
    either = size + (_OPENING.get(mark) or _CLOSING.get(mark) or _BARS.get(mark, ""))
    if either == size or match and not side and mark in _BARS:
        return "", "", ""  # \big| says where something is evaluated
    if side:
        return (either, "", "") if side == "l" else ("", either, "")
    if mark in _BARS:
        return "", "", either
    return (either, "", "") if mark in _OPENING else ("", either, "")


class Brackets:
    """What brackets ask of what is written, over one token vocabulary."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tuple(tokens)
        self._kinds = [_kinds(token) for token in self._tokens]
        # a sized ] closes as well, but not everywhere: see rules.BRACKET
        self._closable = {
            closes for token, (_, closes, _) in zip(self._tokens, self._kinds, strict=True)
            if token == "]" or not token.endswith("]")
        }  # fmt: skip
        self._changes: dict[tuple[Stack, str], Change] = {}

    def after(self, stack: Stack, token: int, way: str) -> Stack | None:
        """What is open after one more token; None if it cannot come."""
        opens, closes, toggles = kinds = self._kinds[token]
        if way == IGNORED:
            return stack
        if way in (OPTION, NO) and any(kinds):
            return stack if way == OPTION and self._tokens[token] == "]" else None
        top = stack[-1] if stack else ""
        if top.startswith(FRESH):
            kind = top.removeprefix(FRESH)
            if self._tokens[token] == "_":
                return stack[:-1]
            if closes or toggles == kind:
                return None  # nothing is in it
            stack = (*stack[:-1], kind)
        if opens:
            possible = opens in self._closable and len(stack) < DEEPEST
            return (*stack, opens) if possible else None
        if closes:
            return _closed(stack, closes)
        return _toggled(stack, toggles, way == MARKS) if toggles else stack

    def change(self, stack: Stack, way: str) -> Change:
        """How many tokens more are due after each token; NEVER where it cannot come."""
        found = self._changes.get((stack, way))
        if found is None:
            ways = (self.after(stack, token, way) for token in range(len(self._tokens)))
            found = np.array([NEVER if x is None else due(x) - due(stack) for x in ways], np.int8)
            found.flags.writeable = False
            self._changes[stack, way] = found
        return found


def due(stack: Stack) -> int:
    r"""How many tokens it takes to close what must be closed.

    A bra may stay, but where it stands in an angle the first \rangle is its own.

    >>> due(()), due((BRA,)), due((ROUND, BRA)), due((ANGLE, BRA)), due((FRESH + BAR,))
    (0, 0, 1, 2, 2)
    """
    tokens, around = 0, ""
    for kind in stack:
        if kind == BRA:
            tokens += around == ANGLE
        else:
            tokens, around = tokens + 1 + kind.startswith(FRESH), kind
    return tokens


def _closed(stack: Stack, kind: str) -> Stack | None:
    if kind == ANGLE and stack and stack[-1] in (BAR, BRA):
        return stack[:-1]
    stack = _without_bras(stack)
    return stack[:-1] if stack and stack[-1] == kind else None


def _toggled(stack: Stack, kind: str, marks: bool) -> Stack:
    """After a bar."""
    if kind == BAR and stack and stack[-1] == ANGLE:
        return (*stack[:-1], BRA)
    outer = _without_bras(stack)
    if outer and outer[-1] == kind:
        return outer[:-1]
    known = bool(stack) and stack[-1] not in _BARS.values()  # what it is a mark in
    return stack if marks or known else (*stack, FRESH + kind)


def _without_bras(stack: Stack) -> Stack:
    while stack and stack[-1] == BRA:
        stack = stack[:-1]
    return stack
