r"""A display in, its equations out: rows cut apart, and the rows of one equation put together.

    a &= b \\ c &= d          ->  a = b     c = d
    a &= b \\ &= c \\ & + d   ->  a = b = c + d         (the left side stands in the first row)
    a &= b & c &= d           ->  a = b     c = d       (two equations beside each other)

Only what aligns is cut; matrices, cases, \substack and braces stay as they are. A chain that is
longer than `longest` goes on in another equation: with its left side while all that went before
is equal to it, else with what stood last. What a step is justified with is left out; a condition
stays with its equation. An equation that lacks a side is told as a `fragment`.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from topiceq.article.commands import ARITY, ARROW, BINARY, FONTS, RELATION, SIZED, names
from topiceq.article.equation.layout import SILENT, SPACES, is_length
from topiceq.article.equation.line import ROW_ENDS, NotNormal
from topiceq.article.equation.mathtext import TEXTS
from topiceq.article.equation.normal import characters, normal_form, whole_form
from topiceq.article.equation.spelling import CLOSERS, OPENERS, PUNCTUATION, nucleus_end

# environments that only set rows below each other
TRANSPARENT = frozenset(
    "split aligned gathered alignedat align alignat flalign eqnarray gather multline multlined "
    "IEEEeqnarray IEEEeqnarraybox subeqnarray equation displaymath small footnotesize".split()
)
COUNTED = frozenset("alignedat alignat IEEEeqnarray IEEEeqnarraybox".split())  # have an argument
ONE_EQUATION = frozenset("multline multlined narrowmultline dmath".split())
TRIPLES = frozenset("eqnarray subeqnarray IEEEeqnarray IEEEeqnarraybox".split())  # a & = & b

VERTICAL = names("uparrow downarrow updownarrow Uparrow Downarrow Updownarrow")
SIDEWAYS = ARROW - VERTICAL - names("nearrow searrow swarrow nwarrow")
RELATIONS = RELATION | SIDEWAYS | {"=", "<", ">"}
# beside an equation they say that there is one; these do not
WEAK = names("mid parallel perp shortmid not therefore because smile frown bowtie")
EQUALITIES = frozenset(("=", "\\equiv"))
# what leads from one equation to the next; Leftrightarrow and its like have one spelling
STEPS = names(
    "Rightarrow Longrightarrow Leftarrow Longleftarrow Leftrightarrow Longleftrightarrow "
    "rightarrow longrightarrow rightsquigarrow therefore because"
)
SIGNS = frozenset(("-", "\\pm", "\\mp"))  # they may also begin an equation
OPERATIONS = BINARY | SIGNS | {"+", "*", "/"}
_BRACKETS = {"(": ")", "[": "]", "\\{": "\\}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
_BIG = ("", *(size for size in SIZED if size not in ("\\left", "\\right", "\\middle")))
OPENING = OPENERS | {size + bracket for size in _BIG for bracket in _BRACKETS}
CLOSING = CLOSERS | {size + bracket for size in _BIG for bracket in _BRACKETS.values()}
END_MARKS = names("checkmark blacksquare square") | PUNCTUATION  # of a proof
WIDE = names("quad qquad hspace hskip hfill hfil enspace enskip")  # spaces that set something apart
NOT_AN_EQUATION = VERTICAL | STEPS | PUNCTUATION | names("vdots ddots cdots ldots dots")

# words that join equations, and are no part of either
JOINING = frozenset("and or so hence thus then therefore where with ie also st".split())
# words that begin a condition; any other text in a column of its own tells why a step is right
CONDITIONS = frozenset(
    "if for when where whenever otherwise unless else as with on in at provided such subject and "
    "or over almost while until on except as".split()
)
REASONING = frozenset(
    "by since because using from due see def definition via eq eqn equation here note".split()
)


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
    if "&" not in written and ROW_ENDS.isdisjoint(written):
        return [_normal(written)]
    try:
        found = _chains(written, environment)
        return [equation for each in found for equation in each.equations(longest)]
    except RecursionError:
        return [RowEquation([], "unbalanced")]


def _normal(tokens: Sequence[str]) -> RowEquation:
    try:
        form = normal_form(tokens)
    except (NotNormal, RecursionError) as why:
        return RowEquation([], str(why) if isinstance(why, NotNormal) else "unbalanced")
    return RowEquation(form, "fragment" if _is_fragment(form) else "")


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
        return head[: next(_relations(head), len(head))]

    @property
    def head(self) -> list[str]:
        """The first member, without a relation whose left side is in an earlier display."""
        first = self.members[0]
        return first[_relation_end(first, 0) :] if len(self.members) > 1 else first

    def add(self, tokens: list[str], *, may_begin: bool) -> None:
        """Go on with a row, which begins another member if it has the relation for it."""
        last, tokens = self.members[-1], _without_last_steps(tokens)
        if last and last[-1] in RELATIONS and may_begin:  # a = \\ = b, or a = \\ b
            relation = last.pop()
            tokens = tokens if _relation_end(tokens, 0) else [relation, *tokens]
        elif last[-1:] == tokens[:1] and _begins(tokens, OPERATIONS):
            last.pop()
        if may_begin and _relation_end(tokens, 0):
            _drop_punctuation(last)
            self.members.append(tokens)
            return
        if _begins(tokens, OPERATIONS):
            _drop_punctuation(last)
        self.members[-1] = _mended(last, tokens)

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
            if longest is not None and len(piece) + len(member) > longest:
                yield piece
                equal = all(before[at] in EQUALITIES for at in _relations(before))
                piece = list(self.left) if equal else _last_side(before)
            piece += member
            before += member
        _drop_punctuation(piece)
        yield piece


def _chains(tokens: list[str], environment: str) -> list[_Chain]:
    """The equations of rows and columns."""
    name = environment.rstrip("*")
    rows = _laid_out([*_rows(tokens)], 3 if name in TRIPLES else 2)
    chains: list[_Chain] = []
    columns: dict[int, _Chain] = {}
    for number, row in enumerate(rows):
        if isinstance(row, _Systems):
            chains += _joined(columns.get(0), row)
            columns = {0: chains[-1]} if chains else {}
            continue
        for column, part in row:
            before = columns.get(column) or columns.get(0)
            if not part.reason and NOT_AN_EQUATION.issuperset(part.tokens):
                continue
            if before and (name in ONE_EQUATION or _goes_on(before, part, rows[number + 1 :])):
                _continue(before, part, chains, columns, column)
            else:
                columns[column] = _new(part)
                chains.append(columns[column])
    return chains


def _joined(before: _Chain | None, systems: "_Systems") -> list[_Chain]:
    """The equations of environments that a row consists of; the first may go on with another."""
    inside = [chain for system in systems.inside for chain in _chains(system.tokens, system.name)]
    if before and inside and not before.closed and _relation_end(inside[0].members[0], 0):
        for member in inside.pop(0).members:
            before.add(member, may_begin=True)
    return inside


def _new(part: "_Part") -> _Chain:
    return _Chain([[*_without_steps(part.tokens)]], part.reason, part.indented, part.conditional)


def _continue(
    chain: _Chain, part: "_Part", chains: list[_Chain], columns: dict[int, _Chain], column: int
) -> None:
    """Put a row to its equation; behind a condition, to the left side of it."""
    member = _relation_end(part.tokens, 0) > 0
    if chain.closed and member:
        again = _Chain([[*chain.left]], chain.reason or part.reason, chain.indented)
        columns[column] = again
        chains.append(again)
        chain = again
    chain.add(part.tokens, may_begin=not _is_open(chain.members[-1]))
    chain.reason = chain.reason or part.reason
    chain.closed = chain.closed or part.conditional


def _goes_on(chain: _Chain, part: "_Part", later: "Sequence[_Row]") -> bool:
    """Whether a row continues an equation."""
    tokens, before = part.tokens, chain.tokens
    if not before or not tokens:
        return bool(tokens) and (_relation_end(tokens, 0) > 0 or tokens[0] in OPERATIONS)
    if _is_open(before) and _closes(before, [*tokens, *_following(later)]):
        return True
    whole = _has_relation(tokens)
    if tokens[0] in STEPS and _has_relation(tokens[1:]) and _has_relation(before):
        return False
    if _relation_end(tokens, 0) or tokens[0] in PUNCTUATION or _dangles(before):
        return True
    aligned = part.set_in or part.indented and not chain.indented
    if tokens[0] in OPERATIONS:
        return aligned or not (tokens[0] in SIGNS and whole)  # -u'' = f
    return aligned and not whole and _has_relation(before)


def _following(rows: "Sequence[_Row]") -> Iterator[str]:
    """The tokens of later rows, up to one that is an environment."""
    for row in rows:
        if isinstance(row, _Systems):
            return
        for _, part in row:
            yield from part.tokens


# -- rows and columns --------------------------------------------------------------------------


class _Part(NamedTuple):
    """What one or more cells of a row say together."""

    tokens: list[str]  # normal form, with the punctuation at its end
    reason: str = ""
    indented: bool = False  # nothing stands before its first alignment mark
    set_in: bool = False  # it begins with a wide space
    conditional: bool = False


class _Environment(NamedTuple):
    """Rows inside a row."""

    name: str
    tokens: list[str]
    end: int


class _Systems(NamedTuple):
    """Environments of rows, and nothing else, beside each other."""

    inside: list[_Environment]


_Row = _Systems | list[tuple[int, _Part]]


def _rows(tokens: Sequence[str]) -> Iterator[list[list[str]]]:
    r"""The cells of each row; one with a \left that a later row closes goes on there."""
    rows: list[list[list[str]]] = [[[]]]
    depth = lefts = 0
    at = 0
    while at < len(tokens):
        token = tokens[at]
        depth += (token in ("{", "\\begin")) - (token in ("}", "\\end"))
        lefts += (token == "\\left") - (token == "\\right")
        if token in ROW_ENDS and not depth:
            at = _behind_row_end(tokens, at + 1)
            if not lefts:
                rows.append([[]])
            continue
        if token == "&" and not depth and not lefts:
            rows[-1].append([])
        elif token != "&" or depth:
            rows[-1][-1].append(token)
        at += 1
    yield from rows


def _behind_row_end(tokens: Sequence[str], at: int) -> int:
    r"""Behind what belongs to \\: a star, a length in brackets."""
    start = _blank_end(tokens, at)
    if tokens[start : start + 1] == ["*"]:
        at = start + 1
        start = _blank_end(tokens, at)
    if tokens[start : start + 1] == ["["] and "]" in tokens[start:]:
        end = start + list(tokens[start:]).index("]")
        if is_length(tokens[start + 1 : end]):
            return end + 1
    return at


def _blank_end(tokens: Sequence[str], at: int) -> int:
    while tokens[at : at + 1] == [" "]:
        at += 1
    return at


def _laid_out(rows: "list[list[list[str]]]", period: int) -> "list[_Row]":
    """Each row as parts; where one row begins an equation, another may continue it."""
    found = [_systems(row) or [*_parts(row, period)] for row in rows]
    columns = {c for row in found if isinstance(row, list) for c, _ in row if c}
    if not columns:
        return found
    return [row if isinstance(row, _Systems) else [*_parts(cells, period, columns)]
            for row, cells in zip(found, rows, strict=True)]  # fmt: skip


def _parts(
    row: list[list[str]], period: int, columns: Set[int] = frozenset()
) -> Iterator[tuple[int, _Part]]:
    """The equations that stand beside each other in a row, each with its column."""
    column, cells, conditions = 0, list[str](), list[str]()
    indented = not _printed(row[0]) and len(row) > 1
    boundary = False  # whether a column has begun since anything was printed
    said = ""  # whether words have begun that say something of the equation
    for number, cell in enumerate(row):
        boundary = number > 0 and (
            number % period == 0 or boundary and not _printed(row[number - 1])
        )
        if number and not said and _begins_text(cell):
            said = _kind_of_words(cells, cell)
        if said == "joining" or not said and number and (
            _goes_on_beside(cells, row[number:], number in columns)
            or _parts_here(cells, row[number:], period, boundary)
        ):  # fmt: skip
            yield column, _part(cells, conditions, indented)
            column, cells, conditions, indented = number, [], [], False
        elif number % period == 0 and not _printed(cells):
            column = number
        if said == "condition":
            conditions += cell
        elif not said:
            cells += cell
        said = "" if said == "joining" else said
    yield column, _part(cells, conditions, indented)


def _goes_on_beside(before: list[str], cells: list[list[str]], known: bool) -> bool:
    """Whether an equation goes on that another row began in this column."""
    return known and not _printed(cells[0]) and _printed([*chain(*cells)]) and _printed(before)


def _kind_of_words(before: list[str], cell: list[str]) -> str:
    """What a cell that begins with words is to the equation before it; nothing if a part of it."""
    left = _whole(before)
    if not _has_relation(left) or _dangles(left) or _is_open(left):
        return ""
    word, words = _first_words(cell)
    if word in JOINING and len(words.split()) == 1 and not _printed(_text_group(_trimmed(cell))[1]):
        return "joining"
    if word in CONDITIONS:
        return "condition"
    return "remark" if _is_remark(cell) or not _has_relation(_whole(cell)) else ""


def _parts_here(before: list[str], cells: list[list[str]], period: int, boundary: bool) -> bool:
    """Whether what stands before a mark and what stands behind it are two equations."""
    left = _whole(before)
    if not _printed(cells[0]) or not _has_relation(left) or _dangles(left) or _is_open(left):
        return False
    apart = left[-1] in (",", ";") or _is_wide(cells[0]) or _is_wide(before[::-1])
    if not boundary and not apart:
        return False
    right = _whole([token for cell in cells[:period] for token in cell])
    return _begins_equation(right) and right[0] not in ("\\forall", "\\exists")


def _begins_equation(tokens: Sequence[str]) -> bool:
    """Whether the tokens can be an equation of their own."""
    if not tokens or _relation_end(tokens, 0) or tokens[0] in OPERATIONS or tokens[0] in "([,":
        return False
    return _has_relation(tokens)


def _whole(tokens: Sequence[str]) -> list[str]:
    try:
        return whole_form(tokens)
    except (NotNormal, RecursionError):
        return []


def _part(tokens: list[str], conditions: list[str], indented: bool) -> _Part:
    """The normal form of what stands in some cells."""
    tokens, tail = _tail(_without_joining(tokens))
    if tail and (_is_remark(tail) or not _printed(tail)):
        tail = []
    dissolved, several = _dissolved([*tokens, *tail, *conditions])
    set_in = _is_wide(tokens)
    try:
        form = whole_form(dissolved)
    except NotNormal as why:
        return _Part([], str(why), indented)
    conditional = bool(tail or conditions) and _has_relation(form)
    return _Part(form, "multiline" if several else "", indented, set_in, conditional)


def _is_wide(tokens: Sequence[str]) -> bool:
    """Whether the tokens begin with a wide space."""
    return next((token in WIDE for token in tokens if token not in SPACES - WIDE), False)


def _tail(tokens: list[str]) -> tuple[list[str], list[str]]:
    r"""What is set apart at the end of a row: `, \quad x > 0`, `\qquad \text{by (3)}`."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += (token in ("{", "\\begin", "\\left")) - (token in ("}", "\\end", "\\right"))
        if token not in WIDE or depth or not _printed(tokens[:at]):
            continue
        before, after = _trimmed(tokens[:at]), _trimmed(tokens[at:])
        apart = before[-1:] in ([","], [";"]) or _begins_text(after) or _is_number(after)
        left = _whole(before)
        if _dangles(left) or _is_open(left) or not _has_relation(left):
            continue
        if apart or _begins_equation(_whole(after)):
            return tokens[:at], tokens[at:]
    return tokens, []


def _without_joining(tokens: list[str]) -> list[str]:
    r"""The tokens without \text{and} at their ends."""
    tokens = _trimmed(tokens)
    if _begins_text(tokens) and _first_words(tokens)[0] in JOINING:
        words, rest = _text_group(tokens)
        if len(words.split()) == 1 and _has_relation(_whole(rest)):
            tokens = rest
    while tokens[-1:] == ["}"]:
        start = _group_start(tokens)
        words = "".join(tokens[start + 1 : -1])
        if start < 1 or tokens[start - 1] not in TEXTS or _letters(words) not in JOINING:
            break
        tokens = _trimmed(tokens[: start - 1])
    return tokens


# -- words beside equations --------------------------------------------------------------------


def _begins_text(tokens: Sequence[str]) -> bool:
    trimmed = _trimmed(tokens)
    return bool(trimmed) and trimmed[0] in TEXTS


def _is_condition(tokens: Sequence[str]) -> bool:
    return _first_words(tokens)[0] in CONDITIONS


def _is_remark(tokens: Sequence[str]) -> bool:
    """Whether words only tell why a step is right, or are a number for the equation."""
    words, rest = _text_group(_trimmed(tokens)) if _begins_text(tokens) else ("", [])
    if not words:
        return _is_number(_trimmed(tokens))
    first = _letters(words.split()[0]) if words.split() else ""
    if first in JOINING | CONDITIONS and not _printed(rest):
        return first in JOINING
    return words.strip()[:1] in ("(", "[") or first in REASONING


def _is_number(tokens: Sequence[str]) -> bool:
    r"""Whether tokens are `(3)` or `(4.2a)`, which the author wrote by hand."""
    text = "".join(token for token in tokens if token not in SPACES)
    inner = text[1:-1].replace(".", "")
    return text[:1] + text[-1:] == "()" and 0 < len(inner) < 6 and inner[:1].isdigit()


def _first_words(tokens: Sequence[str]) -> tuple[str, str]:
    """The first word of a text in letters, and the whole of it."""
    words, _ = _text_group(_trimmed(tokens))
    return (_letters(words.split()[0]) if words.split() else ""), words


def _text_group(tokens: Sequence[str]) -> tuple[str, list[str]]:
    r"""The words in \text{..} at the beginning, and what follows."""
    start = _blank_end(tokens, 1)
    if tokens[start : start + 1] != ["{"]:
        return "", list(tokens)
    end = _group_end(tokens, start)
    return "".join(tokens[start + 1 : end - 1]).replace("~", " "), list(tokens[end:])


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word)).lower()


def _trimmed(tokens: Sequence[str]) -> list[str]:
    """Without spaces at the ends."""
    start, end = 0, len(tokens)
    while start < end and tokens[start] in SPACES:
        start += 1
    while start < end and tokens[end - 1] in SPACES:
        end -= 1
    return list(tokens[start:end])


def _printed(tokens: Sequence[str]) -> bool:
    """Whether any of the tokens leaves a mark."""
    return any(token not in SPACES and token not in "{}" for token in _without_silent(tokens))


def _without_silent(tokens: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        if tokens[at] in SILENT:
            start = _blank_end(tokens, at + 1)
            at = _group_end(tokens, start) if tokens[start : start + 1] == ["{"] else at + 1
        else:
            yield tokens[at]
            at += 1


# -- environments inside a display -------------------------------------------------------------


def _systems(row: list[list[str]]) -> _Systems | None:
    r"""The environments of rows that a row consists of; None if it holds anything else.

    A brace that \left opens before one, or \right closes behind it, makes a system of equations.
    """
    tokens = [t for t in _without_silent([*chain(*row)]) if t not in SPACES]
    inside: list[_Environment] = []
    at = 0
    while at < len(tokens):
        braced = tokens[at] == "\\left" and tokens[at + 1 : at + 2] in (["\\{"], ["."])
        environment = _environment(tokens, at + 2 * braced)
        if environment is not None:
            inside.append(environment)
            at = environment.end + 2 * braced
            if braced and not _is_system(tokens, environment.end, at):
                return None
        elif inside and tokens[at] in PUNCTUATION:
            at += 1
        elif inside and _begins_text(tokens[at:]) and _first_words(tokens[at:])[0] in JOINING:
            at = _group_end(tokens, at + 1)
        else:
            return None
    return _Systems(inside) if inside else None


def _is_system(tokens: Sequence[str], start: int, end: int) -> bool:
    r"""Whether what stands there closes a brace that \left opened."""
    return tokens[start:end] in (["\\right", "."], ["\\right", "\\}"])


def _environment(tokens: Sequence[str], at: int) -> _Environment | None:
    """The environment of rows that begins at a place."""
    if tokens[at : at + 1] != ["\\begin"]:
        return None
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] == "\\begin") - (tokens[end] == "\\end")
        if depth == 0:
            break
    else:
        return None
    start = _group_end(tokens, at + 1)
    name = "".join(tokens[at + 2 : start - 1]).strip().rstrip("*")
    if name not in TRANSPARENT:
        return None
    if tokens[start : start + 1] == ["["] and tokens[start + 2 : start + 3] == ["]"]:
        start += 3  # [t]
    if name in COUNTED and tokens[start : start + 1] == ["{"]:
        start = _group_end(tokens, start)
    return _Environment(name, list(tokens[start:end]), _group_end(tokens, end + 1))


def _dissolved(tokens: list[str]) -> tuple[list[str], bool]:
    """The tokens with each environment of rows as one line, and whether one held several."""
    out: list[str] = []
    at, several = 0, False
    while at < len(tokens):
        inside = _environment(tokens, at)
        if inside is None:
            out.append(tokens[at])
            at += 1
            continue
        found = _chains(inside.tokens, inside.name)
        several = several or len(found) > 1
        out += [token for each in found for token in each.tokens]
        at = inside.end
    return out, several


def _group_end(tokens: Sequence[str], at: int) -> int:
    """Behind the group that begins at a place."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] == "{") - (tokens[end] == "}")
        if depth == 0:
            return end + 1
    return len(tokens)


def _group_start(tokens: Sequence[str]) -> int:
    """Where the group begins that the tokens end in."""
    depth = 0
    for start in range(len(tokens) - 1, -1, -1):
        depth += (tokens[start] == "}") - (tokens[start] == "{")
        if depth == 0:
            return start
    return 0


# -- tokens in normal form ---------------------------------------------------------------------


def _relation_end(tokens: Sequence[str], at: int) -> int:
    """Behind the relation at a place, with its scripts; 0 if there is none."""
    end = _bare_relation_end(tokens, at)
    while end and end + 1 < len(tokens) and tokens[end] in ("_", "^"):
        end = _group_end(tokens, end + 1)
    return end


def _bare_relation_end(tokens: Sequence[str], at: int) -> int:
    r"""Behind a relation such as `:=` or \overset{!}{=}."""
    if tokens[at : at + 2] == [":", "="]:
        return at + 2
    if at >= len(tokens):
        return 0
    token = tokens[at]
    if token in RELATIONS:
        return nucleus_end(tokens, at) if token == "\\not" else at + 1
    if token in ("\\xrightarrow", "\\xleftarrow"):
        return nucleus_end(tokens, at)
    if token in ARITY:
        end = nucleus_end(tokens, at)
        group = tokens[_group_start(tokens[:end]) + 1 : end - 1]
        return end if len(group) == 1 and group[0] in RELATIONS - WEAK else 0
    return 0


def _relations(tokens: Sequence[str]) -> Iterator[int]:
    """Where relations stand outside of all brackets."""
    depth = 0
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if not depth and token not in WEAK and (end := _relation_end(tokens, at)):
            yield at
            at = end
            continue
        depth = max(0, depth + (token in OPENING) - (token in CLOSING))
        at += 1


def _has_relation(tokens: Sequence[str]) -> bool:
    return any(True for _ in _relations(tokens))


def _last_side(tokens: list[str]) -> list[str]:
    """What stands behind the last relation."""
    places = list(_relations(tokens))
    return tokens[_relation_end(tokens, places[-1]) :] if places else list(tokens)


def _begins(tokens: Sequence[str], kind: Iterable[str]) -> bool:
    return bool(tokens) and tokens[0] in kind


def _dangles(tokens: Sequence[str]) -> bool:
    """Whether the last token wants something behind it."""
    return bool(tokens) and (tokens[-1] in OPERATIONS or tokens[-1] in RELATIONS)


def _is_fragment(tokens: Sequence[str]) -> bool:
    """Whether a side is missing: at the beginning, at the end, or of a bracket."""
    if not tokens:
        return False
    begins = _relation_end(tokens, 0) > 0 or _begins(tokens, OPERATIONS - SIGNS)
    return begins or _dangles(tokens) or _is_words(tokens)


def _is_words(tokens: Sequence[str]) -> bool:
    """Whether there are only words."""
    at = 0
    while at < len(tokens) and (tokens[at] in FONTS or tokens[at] in PUNCTUATION):
        at = nucleus_end(tokens, at)
    return at == len(tokens)


def _is_open(tokens: Sequence[str]) -> bool:
    """Whether a bracket is open at the end."""
    return _depth(tokens, 0) > 0


def _depth(tokens: Iterable[str], depth: int) -> int:
    for token in tokens:
        depth = max(0, depth + (token in OPENING) - (token in CLOSING))
    return depth


def _closes(before: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether a row closes a bracket that is open before it."""
    depth = _depth(before, 0)
    lowest = depth
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        lowest = min(lowest, depth)
    return lowest < _depth(before, 0)


def _drop_punctuation(tokens: list[str]) -> None:
    while tokens and tokens[-1] in END_MARKS:
        tokens.pop()


def _mended(before: list[str], tokens: list[str]) -> list[str]:
    r"""Two rows as one; `\right.` at the end of the first and `\left.` in the second are one."""
    if before[-1:] == ["\\right."] and "\\left." in tokens:
        place = tokens.index("\\left.")
        if _depth(tokens[:place], 0) == 0:
            return [*before[:-1], *tokens[:place], *tokens[place + 1 :]]
    return [*before, *tokens]


def _without_steps(tokens: list[str]) -> list[str]:
    r"""An equation without the arrow that leads to it, or from it to the next."""
    start = 0
    while start < len(tokens) and tokens[start] in STEPS | PUNCTUATION:
        start += 1
    rest = _without_last_steps(tokens[start:])
    return rest if _has_relation(rest) else tokens


def _without_last_steps(tokens: list[str]) -> list[str]:
    end = len(tokens)
    while end and tokens[end - 1] in STEPS:
        end -= 1
    return tokens[:end]
