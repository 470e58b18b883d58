r"""Why a token cannot come where it does, in words.

In go the frame on top, the position in it, and a token that has no move there; out comes the rest
of a sentence that begins with the token: a '}' .. closes nothing.
"""

from topiceq.tasks.grammar import frames, roles
from topiceq.tasks.grammar.frames import Frame, Position

TOO_DEEP = "nests too deep"
FULL_ROW = "begins more columns than there are"
ENDLESS = "cannot be closed with the tokens of this vocabulary"

_DUE = {
    frames.UNDECLARED: "comes where the columns of an array must come",
    frames.DECLARING: "is no column of an array: these are l, c, r and |",
    frames.DECLARED: "is no column of an array: these are l, c, r and |",
    frames.LIMITS: "comes where a script must come",
    frames.NEGATION: "cannot be negated",
}
_MISPLACED = {
    "&": "is outside of an environment",
    "\\\\": "is outside of an environment, or ends an empty row",
    "\\hline": "is not at the beginning of a row",
    "\\limits": "does not follow an operator that it would change",
    "\\nolimits": "does not follow an operator that it would change",
    "[": "would belong to the '\\\\' before it",
    "*": "would belong to the '\\\\' before it",
    roles.MIDDLE: "is not directly inside a '\\left'",
    roles.ACCENT: "is inside another accent, and not the first thing there",
    roles.BOLD: "follows '\\dots', which would take it apart",
}
_CLOSERS = frozenset(("}", roles.RIGHT, roles.FINISH, *roles.ENDS.values()))


def refusal(frame: Frame, at: Position, token: str) -> str:
    r"""Why a token cannot come.

    >>> refusal(frames.WHOLE, frames.start(frames.WHOLE), "}")
    'closes nothing'
    """
    role = roles.role(token)
    if role == roles.NEVER:
        return "is in no equation that is sure to compile"
    if at.due:
        return "comes where a '{' must come"
    if at.last in _DUE:
        return _DUE[at.last]
    if frames.move(frame, at, role):
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
    if at.last in (frames.LOWERED, frames.RAISED):
        return "comes behind a script of its kind, or behind the upper one"
    return "stands on nothing"
