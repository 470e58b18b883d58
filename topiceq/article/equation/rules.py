r"""The rules of the grammar: what each token is, and what may come where in an equation.

The role of a token says what it opens, closes, asks for or carries. Tokens of one role are
interchangeable: wherever one of them may stand, all may. A token that is alone in its role names
it: `{`, `\\`, `\begin{cases}`. A frame is something open (a group, a \left, an environment, the
equation itself), a position is what came last in it and what that still asks for. `move` says what
a token of some role does there: it changes the position, opens a frame, closes the one on top, or
cannot come (None).
"""

from dataclasses import dataclass, replace
from string import ascii_letters, digits, punctuation
from typing import NamedTuple

from topiceq.article import commands
from topiceq.article.commands import names, which
from topiceq.article.equation.spelling import SYNONYMS

# what every vocabulary of tokens begins with
PAD, START, END, UNK = 0, 1, 2, 3
SPECIAL = ("<pad>", "<start>", "<end>", "<unk>")
NEVER = ""
FINISH = SPECIAL[END]
SYMBOL, COLUMN, BRACKET, TEXTUAL = "symbol", "column", "bracket", "textual"
LIMITS_OPERATOR, OPERATOR = "operator with limits", "operator"
ACCENT, ALPHABET, BOLD, STACK = "accent", "alphabet", "\\boldsymbol", "\\substack"
ONE, TWO, THREE, ROOT, COPIED = "one", "two", "three", "root", "copied"
OVERSET, ARROW = "overset", "arrow"
LEFT, MIDDLE, RIGHT = "\\left", "\\middle", "\\right"
BEGINS = {name: f"\\begin{{{name}}}" for name in commands.MATRICES}
ENDS = {name: f"\\end{{{name}}}" for name in commands.MATRICES}

_FENCES = names("left middle right")
_ALONE = frozenset(
    ("\\dots", "{", "}", "_", "^", "[", "]", "*", "|", "&", "\\\\", "\\hline", "\\not", "\\limits")
) | {"\\nolimits", BOLD, STACK, FINISH, *BEGINS.values(), *ENDS.values()}  # fmt: skip
_OPERATORS = commands.OPERATORS - names("bmod")  # which is set as one, but takes no \limits
_BY_TOKEN: dict[str, str] = {
    **dict.fromkeys(set(ascii_letters + digits + punctuation) - set("\\#$%'"), SYMBOL),
    **dict.fromkeys(
        commands.KNOWN - commands.ARITY.keys() - commands.SIZED - commands.OTHER, SYMBOL),
    **{size + d: BRACKET if d == "]" else SYMBOL
       for size in commands.SIZED - _FENCES for d in commands.DELIMITERS},
    **{fence + d: fence for fence in _FENCES for d in commands.DELIMITERS},
    **dict.fromkeys("lcr", COLUMN),
    **dict.fromkeys(_OPERATORS, OPERATOR),
    **dict.fromkeys(_OPERATORS & commands.LIMITED, LIMITS_OPERATOR),
    **dict.fromkeys(which("textual"), TEXTUAL),
    **dict.fromkeys(commands.ACCENTS, ONE),
    **dict.fromkeys(which("nesting"), ACCENT),
    **dict.fromkeys(names("operatorname operatorname* mathop boxed pmod pod"), ONE),
    **dict.fromkeys(which("copied"), COPIED),
    **dict.fromkeys(commands.ALPHABETS, ALPHABET),
    **dict.fromkeys(names("frac binom"), TWO),
    **dict.fromkeys(names("overset underset"), OVERSET),
    **dict.fromkeys(names("xrightarrow xleftarrow"), ARROW),
    "\\overunderset": THREE, "\\sqrt": ROOT,
    **{token: token for token in _ALONE},
}  # fmt: skip
ROLES = {token: name for token, name in _BY_TOKEN.items() if token not in SYNONYMS}


def role(token: str) -> str:
    r"""The role of a token; "" if the grammar never lets it through.

    >>> role("x"), role("\\sum"), role("\\frac"), role("\\bigl("), role("\\mymacro")
    ('symbol', 'operator with limits', 'two', 'symbol', '')
    """
    return ROLES.get(token, NEVER)


@dataclass(frozen=True)
class Frame:
    """Something open: the role that closes it, and what it lets in."""

    kind: str
    closer: str = "}"
    filled: bool = False  # must not be empty
    rows: bool = False
    columns: int = 0  # how many cells a row may have; an array declares its own
    weight: int = 1  # what it adds to the depth, see grammar.DEEPEST
    bold: bool = False  # inside \boldsymbol
    accented: bool = False  # inside an accent


class Position(NamedTuple):
    """Where in a frame: what came last, and the arguments that must follow before all else."""

    last: str
    due: tuple[Frame, ...] = ()
    optional: bool = False  # a bracket may come before them


class Move(NamedTuple):
    """What a token does: where its frame then is (None: closed), and what it opens on top."""

    to: Position | None
    opens: Frame | None = None
    deepens: bool = False  # sooner or later something will be open here that was not
    cells: str = ""  # what it does to the count of cells: "column", "cell" or "row"
    scripted: str = ""  # what came last in the outer frame too: the script of \boldsymbol{x^{2}}


# what came last
NOTHING, ROW, RULE, CELL = "start", "row", "rule", "cell"  # nothing yet, \\, \hline, &
NUCLEUS, DOTS, LOWERED, RAISED = "nucleus", "dots", "lowered", "raised"
LIMITED, UNLIMITED, LIMITS, NEGATION = "limited", "unlimited", "limits", "negation"
UNDECLARED, DECLARING, DECLARED = "undeclared", "declaring", "declared"  # columns of an array

WHOLE = Frame("equation", FINISH, filled=True)
GROUP = Frame("group")
FILLED = Frame("group", filled=True)
DOUBLED = Frame("group", weight=2)  # TeX sets what is in it twice,
FOURFOLD = Frame("group", weight=4)  # or in all four sizes of mathematics
ACCENTED = Frame("accent", accented=True)
BOLDENED = Frame("bold", filled=True, weight=4, bold=True)
STACKED = Frame("stack", filled=True, rows=True)
BRACKETED = Frame("bracket", "]", filled=True)
FENCE = Frame("fence", RIGHT)
COLUMNS = {"cases": 2, "smallmatrix": 1000, "array": 0}  # the others: MaxMatrixCols of amsmath
TABLES = {
    BEGINS[name]: Frame(name, end, rows=True, columns=COLUMNS.get(name, 10), weight=3)
    for name, end in ENDS.items()
}

SYMBOLS = {
    **dict.fromkeys((SYMBOL, COLUMN, TEXTUAL, BRACKET, *"[]*|"), NUCLEUS),
    "\\dots": DOTS,
    LIMITS_OPERATOR: LIMITED,
    OPERATOR: UNLIMITED,
}
ARGUMENTS = {
    ALPHABET: (FILLED,), BOLD: (BOLDENED,), ACCENT: (ACCENTED,), ONE: (GROUP,),
    COPIED: (FOURFOLD,), ROOT: (GROUP,), ARROW: (DOUBLED,), STACK: (STACKED,),
    TWO: (GROUP, GROUP), OVERSET: (GROUP, DOUBLED),
    THREE: (GROUP, GROUP, DOUBLED),
}  # fmt: skip
OPTIONAL = frozenset((ROOT, ARROW))
CARRIERS = frozenset((NUCLEUS, DOTS, LIMITED, UNLIMITED))
MARKS = {"\\limits": UNLIMITED, "\\nolimits": LIMITED}  # only where they change something
# \boldsymbol takes apart what is in it, so that is kept simple
IN_BOLD = frozenset((SYMBOL, COLUMN, *"[]*|{}_^"))
DIRECTLY_IN_BOLD = IN_BOLD | {ALPHABET, ACCENT}
# TeX ends a bracket at the next "]" that is in no braces, even if that is part of \right]
NOT_IN_BRACKET = frozenset((BRACKET, LEFT, *TABLES))


def start(frame: Frame) -> Position:
    """Where a frame begins."""
    return Position(UNDECLARED if frame.kind == "array" else NOTHING)


def move(frame: Frame, at: Position, role: str) -> Move | None:
    """What a token of some role does in a frame; None if it cannot come."""
    if not _let_in(frame, role):
        return None
    if at.due:
        return _argument(frame, at, role)
    if at.last in (UNDECLARED, DECLARING, DECLARED):
        return _declaration(at, role)
    if at.last == NEGATION:
        return _negated(frame, role)
    if role == frame.closer:
        return _close(frame, at)
    if role == "_" or role == "^":
        return _script(frame, at, role)
    return None if at.last == LIMITS else _item(frame, at, role)


def _let_in(frame: Frame, role: str) -> bool:
    """Whether a frame takes tokens of a role at all, wherever in it."""
    if frame.kind == "bracket" and role in NOT_IN_BRACKET:
        return False
    if frame.accented and role == TEXTUAL:
        return False
    allowed = DIRECTLY_IN_BOLD if frame.kind == "bold" else IN_BOLD
    return role != NEVER and (not frame.bold or role in allowed)


def _within(outer: Frame, inner: Frame) -> Frame:
    """A frame inside another, with what it inherits."""
    bold, accented = outer.bold or inner.bold, outer.accented or inner.accented
    return replace(inner, bold=bold, accented=accented)


# -- what must follow ------------------------------------------------------------------------------


def _argument(frame: Frame, at: Position, role: str) -> Move | None:
    if role == "{":
        return Move(at._replace(due=at.due[1:], optional=False), at.due[0])
    if role == "[" and at.optional:
        return Move(Position(at.last, (_within(frame, FOURFOLD),)), _within(frame, BRACKETED))
    return None


def _declaration(at: Position, role: str) -> Move | None:
    """The columns of an array: { l | c r }."""
    if at.last == UNDECLARED:
        return Move(Position(DECLARING)) if role == "{" else None
    if role == COLUMN:
        return Move(Position(DECLARED), cells="column")
    if role == "|":
        return Move(at)
    return Move(Position(NOTHING)) if role == "}" and at.last == DECLARED else None


def _negated(frame: Frame, role: str) -> Move | None:
    if role in SYMBOLS and role != frame.closer:
        return Move(Position(SYMBOLS[role]))
    group = _within(frame, GROUP)
    return Move(Position(NUCLEUS), group, deepens=True) if role == "{" else None


# -- what may follow -------------------------------------------------------------------------------


def _close(frame: Frame, at: Position) -> Move | None:
    if at.last in (ROW, LIMITS) or frame.filled and at.last == NOTHING:
        return None
    scripted = at.last if frame.kind == "bold" and at.last in (LOWERED, RAISED) else ""
    return Move(None, scripted=scripted)


def _script(frame: Frame, at: Position, role: str) -> Move | None:
    """The lower script comes before the upper one."""
    carried = at.last in CARRIERS or at.last == LIMITS or at.last == LOWERED and role == "^"
    position = Position(LOWERED if role == "_" else RAISED, (_within(frame, FILLED),))
    return Move(position, deepens=at.last != LIMITS) if carried else None


def _item(frame: Frame, at: Position, role: str) -> Move | None:
    """A nucleus, or a mark between rows and cells."""
    if role in SYMBOLS:
        # behind \\ they would belong to it
        return None if at.last == ROW and role in ("[", "*") else Move(Position(SYMBOLS[role]))
    if role in ARGUMENTS:
        return _command(frame, at, role)
    if opened := _opened(role):
        return Move(Position(NUCLEUS), _within(frame, opened), deepens=True)
    if MARKS.get(role) == at.last:
        return Move(Position(LIMITS), deepens=True)
    if role == MIDDLE and frame.kind == "fence":
        return Move(Position(NUCLEUS))
    return Move(Position(NEGATION)) if role == "\\not" else _row_mark(frame, at, role)


def _command(frame: Frame, at: Position, role: str) -> Move | None:
    """A command with arguments."""
    nested = frame.accented and (frame.kind != "accent" or at.last != NOTHING)
    # amsmath stumbles over accents deep inside accents; its \dots takes a bold group apart
    if role == ACCENT and nested or role == BOLD and at.last == DOTS:
        return None
    due = tuple(_within(frame, argument) for argument in ARGUMENTS[role])
    optional = role in OPTIONAL and frame.kind != "bracket"
    return Move(Position(NUCLEUS, due, optional), deepens=True)


def _opened(role: str) -> Frame | None:
    return {"{": GROUP, LEFT: FENCE}.get(role) or TABLES.get(role)


def _row_mark(frame: Frame, at: Position, role: str) -> Move | None:
    table = frame.closer in ENDS.values()
    if role == "&" and table:
        return Move(Position(CELL), cells="cell")
    if role == "\\\\" and frame.rows and at.last not in (NOTHING, ROW):
        return Move(Position(ROW), cells="row")
    if role == "\\hline" and table and at.last in (NOTHING, ROW, RULE):
        return Move(Position(RULE))
    return None
