r"""A display in, its equations out: rows cut apart, and the rows of one equation put together.

    a &= b \\ c &= d          ->  a = b     c = d
    a &= b \\ &= c \\ & + d   ->  a = b = c + d         (the left side stands in the first row)
    a &= b & c &= d           ->  a = b     c = d       (two equations beside each other)

Only what aligns is cut; matrices, cases, \substack and braces stay as they are. A chain that is
longer than `longest` goes on in another equation: with its left side while all that went before
is equal to it, else with what stood last. What a step is justified with is left out; a condition
stays with its equation. An equation that lacks a side is told as a `fragment`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from topiceq.article.equation.cells import (
    WIDE,
    Cells,
    Part,
    Row,
    Systems,
    cells,
    inner_environment,
    laid_out,
    systems,
)
from topiceq.article.equation.line import PUNCTUATION, ROW_ENDS, NotNormal
from topiceq.article.equation.normal import characters, normal_form
from topiceq.article.equation.sides import (
    EQUALITIES,
    NOT_AN_EQUATION,
    OPERATIONS,
    RELATIONS,
    SIGNS,
    STEPS,
    begins,
    closes,
    comparisons,
    dangles,
    drop_punctuation,
    has_relation,
    is_fragment,
    is_open,
    last_side,
    mended,
    relation_end,
    without_last_steps,
    without_steps,
)

MARKS = ROW_ENDS | {"&"}
ONE_EQUATION = frozenset("multline multlined narrowmultline dmath".split())
TRIPLES = frozenset("eqnarray subeqnarray IEEEeqnarray IEEEeqnarraybox".split())  # a & = & b


class RowEquation(NamedTuple):
    """One equation of a display, in normal form, and why it cannot be used, if so."""

    tokens: list[str]
    reason: str = ""  # fragment, multiline, unbalanced, diagram


def equations(
    tokens: Sequence[str], environment: str = "", longest: int | None = None
) -> list[RowEquation]:
    r"""The equations of a display, in the order in which they begin.

    >>> [" ".join(e.tokens) for e in equations(["a", "&", "= b", "\\\\", "c", "&", "= d"])]
    ['a = b', 'c = d']
    """
    written = characters(tokens)
    if MARKS.isdisjoint(written) and WIDE.isdisjoint(written):
        return [_normal(written)]
    try:
        first, *others = cells(written)
        is_plain = not others and len(first) == 1 and WIDE.isdisjoint(first[0])
        if is_plain and systems(first) is None:
            whole = _normal(written)
            if whole.reason != "multiline":
                return [whole]
        found = _chains(written, environment)
        return [equation for each in found for equation in each.equations(longest)]
    except RecursionError:
        return [RowEquation([], "unbalanced")]


def rows(tokens: Sequence[str], environment: str = "") -> list[list[str]]:
    """What a display says, in normal form, whole equations or not."""
    return [row.tokens for row in equations(tokens, environment) if row.tokens]


def _normal(tokens: Sequence[str]) -> RowEquation:
    try:
        form = normal_form(tokens)
    except (NotNormal, RecursionError) as why:
        return RowEquation([], str(why) if isinstance(why, NotNormal) else "unbalanced")
    return RowEquation(form, "fragment" if is_fragment(form) else "")


# -- equations being put together --------------------------------------------------------------


@dataclass
class _Chain:
    """An equation, row by row; each further member begins with a relation."""

    members: list[list[str]] = field(default_factory=list)
    reason: str = ""
    indented: bool = False  # it began behind an alignment mark
    closed: bool = False  # it has a condition: what follows is another equation

    @property
    def tokens(self) -> list[str]:
        return [token for member in self.members for token in member]

    @property
    def left(self) -> list[str]:
        """What stands before the first relation."""
        head = self.head
        return head[: next(iter(comparisons(head)), len(head))]

    @property
    def head(self) -> list[str]:
        """The first member, without a relation whose left side is in an earlier display."""
        first = self.members[0]
        return first[relation_end(first, 0) :] if len(self.members) > 1 else first

    def add(self, tokens: list[str], *, may_begin: bool) -> None:
        """Go on with a row, which begins another member if it has the relation for it."""
        last, tokens = self.members[-1], without_last_steps(tokens)
        if last and last[-1] in RELATIONS and may_begin:  # a = \\ = b, or a = \\ b
            relation = last.pop()
            tokens = tokens if relation_end(tokens, 0) else [relation, *tokens]
        elif last[-1:] == tokens[:1] and begins(tokens, OPERATIONS):
            last.pop()
        if may_begin and relation_end(tokens, 0):
            drop_punctuation(last)
            self.members.append(tokens)
            return
        if begins(tokens, OPERATIONS):
            drop_punctuation(last)
        self.members[-1] = mended(last, tokens)

    def equations(self, longest: int | None) -> Iterator[RowEquation]:
        """The chain as one equation, or as several where it would be too long."""
        if self.reason:
            yield RowEquation(self.tokens, self.reason)
            return
        for tokens in self._fitting(longest):
            equation = _normal(tokens)
            if equation.tokens or equation.reason:
                yield equation

    def _fitting(self, longest: int | None) -> Iterator[list[str]]:
        """Equal things may stand for each other: so the left side, else what stood last."""
        piece, before = list(self.head), list(self.head)
        for member in self.members[1:]:
            too_long = longest is not None and len(piece) + len(member) > longest
            if too_long and has_relation(piece):  # a left side alone is no equation
                yield piece
                equal = all(before[at] in EQUALITIES for at in comparisons(before))
                piece = list(self.left) if equal else last_side(before)
            piece += member
            before += member
        drop_punctuation(piece)
        yield piece


def is_subject_to(tokens: Sequence[str]) -> bool:
    """Whether a row is only the "s.t." of a problem of optimisation."""
    return "".join(tokens).rstrip(".") == "s.t"


def _chains(tokens: list[str], environment: str) -> list[_Chain]:
    """The equations of rows and columns."""
    name = environment.rstrip("*")
    rows = _laid_out(tokens, 3 if name in TRIPLES else 2)
    chains: list[_Chain] = []
    columns: dict[int, _Chain] = {}
    for number, row in enumerate(rows):
        if isinstance(row, Systems):
            chains += _joined(columns.get(0), row)
            columns = {0: chains[-1]} if chains else {}
            continue
        for column, part in row:
            before = columns.get(column) or columns.get(0)
            is_nothing = NOT_AN_EQUATION.issuperset(part.tokens) or is_subject_to(part.tokens)
            if not part.reason and is_nothing:
                continue
            if part.reason == "fragment":  # words between the rows of an equation
                chains.append(_new(part))
                continue
            if before and (name in ONE_EQUATION or _goes_on(before, part, rows[number + 1 :])):
                _continue(before, part, chains, columns, column)
            else:
                columns[column] = _new(part)
                chains.append(columns[column])
    return chains


def _laid_out(tokens: list[str], period: int) -> list[Row]:
    """The rows as parts, with environments inside them as one line; none may hold several."""
    whole: list[Systems | Cells] = []
    several: set[int] = set()
    for number, row in enumerate(cells(tokens)):
        lines = [_dissolved(cell) for cell in row]
        whole.append(systems(row) or [line for line, _ in lines])
        several |= {number} if any(many for _, many in lines) else set()
    return [
        row if isinstance(row, Systems) or number not in several
        else [(column, part._replace(reason=part.reason or "multiline")) for column, part in row]
        for number, row in enumerate(laid_out(whole, period))
    ]  # fmt: skip


def _joined(before: _Chain | None, row: Systems) -> list[_Chain]:
    """The equations of environments that a row consists of; the first may go on with another."""
    inside = [chain for each in row.inside for chain in _chains(each.tokens, each.name)]
    if before and inside and not before.closed and relation_end(inside[0].members[0], 0):
        for member in inside.pop(0).members:
            before.add(member, may_begin=True)
    return inside


def _new(part: Part) -> _Chain:
    return _Chain([[*without_steps(part.tokens)]], part.reason, part.indented, part.conditional)


def _continue(
    chain: _Chain, part: Part, chains: list[_Chain], columns: dict[int, _Chain], column: int
) -> None:
    """Put a row to its equation; behind a condition, to the left side of it."""
    member = relation_end(part.tokens, 0) > 0
    if chain.closed and member:
        again = _Chain([[*chain.left]], chain.reason or part.reason, chain.indented)
        columns[column] = again
        chains.append(again)
        chain = again
    chain.add(part.tokens, may_begin=not is_open(chain.members[-1]))
    chain.reason = chain.reason or part.reason
    chain.closed = chain.closed or part.conditional


def _goes_on(chain: _Chain, part: Part, later: Sequence[Row]) -> bool:
    """Whether a row continues an equation."""
    tokens, before = part.tokens, chain.tokens
    if not before or not tokens:
        return bool(tokens) and (relation_end(tokens, 0) > 0 or tokens[0] in OPERATIONS)
    if is_open(before) and closes(before, [*tokens, *_following(later)]):
        return True
    whole = has_relation(tokens)
    if tokens[0] in STEPS and has_relation(tokens[1:]) and has_relation(before):
        return False
    if relation_end(tokens, 0) or tokens[0] in PUNCTUATION or dangles(before):
        return True
    aligned = part.set_in or part.indented and not chain.indented
    if tokens[0] in OPERATIONS:
        return aligned or not (tokens[0] in SIGNS and whole)  # -u'' = f
    return aligned and not whole and has_relation(before)


def _following(rows: Sequence[Row]) -> Iterator[str]:
    """The tokens of later rows, up to one that is an environment."""
    for row in rows:
        if isinstance(row, Systems):
            return
        for _, part in row:
            yield from part.tokens


def _dissolved(tokens: list[str]) -> tuple[list[str], bool]:
    """The tokens with each environment of rows as one line, and whether one held several."""
    out: list[str] = []
    at, several = 0, False
    while at < len(tokens):
        inside = inner_environment(tokens, at)
        if inside is None:
            out.append(tokens[at])
            at += 1
            continue
        found = _chains(inside.tokens, inside.name)
        several = several or len(found) > 1
        out += [token for each in found for token in each.tokens]
        at = inside.end
    return out, several
