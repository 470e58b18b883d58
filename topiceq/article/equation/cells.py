r"""The cells of a display's rows in, what they say out: equations, conditions, words left out.

Rows are cut at `\\` and cells at `&` outside of braces and environments. Cells that hold one
equation become one `Part` in normal form, those that hold two become two. Words in a column of
their own, or set apart by a wide space, are a condition, which stays with the equation, or tell
why a step is right, and are left out. Environments that only set rows below each other are
`Systems` where a row holds nothing else.
"""

from collections.abc import Iterator, Sequence, Set
from itertools import chain
from typing import NamedTuple

from topiceq.article.commands import names
from topiceq.article.equation.layout import SILENT, SPACES, is_length
from topiceq.article.equation.line import PUNCTUATION, ROW_ENDS, NotNormal
from topiceq.article.equation.mathtext import SWITCHES, TEXTS
from topiceq.article.equation.normal import whole_form
from topiceq.article.equation.sides import (
    begins_equation,
    dangles,
    group_end,
    group_start,
    has_relation,
    is_open,
)

# environments that only set rows below each other
TRANSPARENT = frozenset(
    "split aligned gathered alignedat align alignat flalign eqnarray gather multline multlined "
    "IEEEeqnarray IEEEeqnarraybox subeqnarray equation displaymath small footnotesize".split()
)
COUNTED = frozenset("alignedat alignat IEEEeqnarray IEEEeqnarraybox".split())  # have an argument
BESIDE = -1  # the column of what stands in that of another equation
WIDE = names("quad qquad hspace hskip hfill hfil enspace enskip")  # spaces that set something apart

# words that join equations, and are no part of either
JOINING = frozenset(
    "and or so hence thus then therefore where with ie also st subjectto suchthat".split()
)
# words that begin a condition; any other text in a column of its own tells why a step is right
CONDITIONS = frozenset(
    "if for when where whenever otherwise unless else as with on in at provided such subject and "
    "or over almost while until on except as".split()
)
REASONING = frozenset(
    "by since because using from due see def definition via eq eqn equation here note".split()
)
MOST_CELLS = 100  # of a row that is cut: each is read with all that stands before it


class Part(NamedTuple):
    """What one or more cells of a row say together."""

    tokens: list[str]  # normal form, with the punctuation at its end
    reason: str = ""
    indented: bool = False  # nothing stands before its first alignment mark
    set_in: bool = False  # it begins with a wide space
    conditional: bool = False


class Environment(NamedTuple):
    """Rows inside a row."""

    name: str
    tokens: list[str]
    end: int


class Systems(NamedTuple):
    """Environments of rows, and nothing else, beside each other."""

    inside: list[Environment]


Cells = list[list[str]]
Row = Systems | list[tuple[int, Part]]


def cells(tokens: Sequence[str]) -> Iterator[Cells]:
    r"""The cells of each row; one with a \left that a later row closes goes on there."""
    rows: list[Cells] = [[[]]]
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
    yield from (list(map(_grouped, row)) if len(row) > 1 else row for row in rows)


def _grouped(cell: list[str]) -> list[str]:
    r"""A cell is a group: \cal in it ends with it."""
    return cell if SWITCHES.keys().isdisjoint(cell) else ["{", *cell, "}"]


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


def laid_out(rows: Sequence[Systems | Cells], period: int) -> list[Row]:
    """Each row as parts; where one row begins an equation, another may continue it."""
    alone = [part for row in rows if not isinstance(row, Systems) for part in _parts(row, period)]
    columns = {column for column, _ in alone if column}
    return [row if isinstance(row, Systems) else [*_parts(row, period, columns)] for row in rows]


def _parts(row: Cells, period: int, columns: Set[int] = frozenset()) -> Iterator[tuple[int, Part]]:
    """The equations that stand beside each other in a row, each with its column."""
    row = row if len(row) <= MOST_CELLS else [[*chain(*row)]]
    row = [[], *row[1:]] if _is_label(row[0], row[1:]) else row
    column, cells, conditions = 0, list[str](), list[str]()
    indented = not _printed(row[0]) and len(row) > 1
    boundary = False  # whether a column has begun since anything was printed
    said = ""  # whether words have begun that say something of the equation
    for number, cell in enumerate(row):
        boundary = number > 0 and (
            number % period == 0 or boundary and not _printed(row[number - 1])
        )
        if number and not said and (_begins_text(cell) or _trimmed(cell)[:1] == ["\\forall"]):
            said = _kind_of_words(cells, cell)
        if said == "joining" or not said and number and (
            _goes_on_beside(cells, row[number:], number in columns)
            or _parts_here(cells, row[number:], period, boundary)
        ):  # fmt: skip
            yield from _said(column, cells, conditions, indented)
            column, cells, conditions, indented = number, [], [], False
        elif number % period == 0 and not _printed(cells):
            column = number
        if said == "condition":
            conditions += cell
        elif not said:
            cells += cell
        said = "" if said == "joining" else said
    yield from _said(column, cells, conditions, indented)


def _is_label(first: list[str], others: Cells) -> bool:
    """Whether the first column only names the equation that stands in the others."""
    words = _printed(first) and not _printed(_without_text(_trimmed(first)))
    return words and not _is_condition(first) and begins_equation(_whole([*chain(*others)]))


def _goes_on_beside(before: list[str], cells: list[list[str]], known: bool) -> bool:
    """Whether an equation goes on that another row began in this column."""
    return known and not _printed(cells[0]) and _printed([*chain(*cells)]) and _printed(before)


def _kind_of_words(before: list[str], cell: list[str]) -> str:
    """What a cell that begins with words is to the equation before it; nothing if a part of it."""
    left = _whole(before)
    if not has_relation(left) or dangles(left) or is_open(left):
        return ""
    if _trimmed(cell)[0] == "\\forall":
        return "condition"
    word, words = _first_words(cell)
    if word in JOINING and len(words.split()) == 1 and not _printed(_text_group(_trimmed(cell))[1]):
        return "joining"
    if word in CONDITIONS:
        return "condition"
    return "remark" if _is_remark(cell) or not has_relation(_whole(cell)) else ""


def _parts_here(before: list[str], cells: list[list[str]], period: int, boundary: bool) -> bool:
    """Whether what stands before a mark and what stands behind it are two equations."""
    left = _whole(before)
    if not _printed(cells[0]) or not has_relation(left) or dangles(left) or is_open(left):
        return False
    apart = left[-1] in (",", ";") or _is_wide(cells[0]) or _is_wide(before[::-1])
    if not boundary and not apart:
        return False
    right = _whole([*chain(*cells)])
    return begins_equation(right) and right[0] not in ("\\forall", "\\exists")


def _whole(tokens: Sequence[str]) -> list[str]:
    try:
        return whole_form(tokens)
    except (NotNormal, RecursionError):
        return []


def _said(
    column: int, tokens: list[str], conditions: list[str], indented: bool
) -> Iterator[tuple[int, Part]]:
    r"""What some cells say: an equation, and one that only a wide space sets apart from it."""
    tokens, tail = _tail(_without_joining(tokens))
    if tail and (_is_remark(tail) or not _printed(tail)):
        tail = []
    apart = not _begins_text(tail) and _trimmed(tokens)[-1:] not in ([","], [";"])
    if apart and begins_equation(_whole(tail)):
        yield column, _part(tokens, [], conditions, indented)._replace(conditional=True)
        yield from _said(BESIDE, tail, [], False)
    else:
        yield column, _part(tokens, tail, conditions, indented)


def _part(tokens: list[str], tail: list[str], conditions: list[str], indented: bool) -> Part:
    """The normal form of what stands in some cells."""
    written = [*tokens, *tail, *conditions]
    try:
        form = whole_form(written)
    except NotNormal as why:
        return Part([], str(why), indented)
    if form and not _printed(_without_text(written)):
        return Part(form, "fragment", indented)  # a sentence, which may hold formulas
    conditional = bool(tail or conditions) and has_relation(form)
    return Part(form, "", indented, _is_wide(tokens), conditional)


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
        if dangles(left) or is_open(left) or not has_relation(left):
            continue
        if apart or begins_equation(_whole(after)):
            return tokens[:at], tokens[at:]
    return tokens, []


def _without_joining(tokens: list[str]) -> list[str]:
    r"""The tokens without \text{and} at their ends."""
    tokens = _trimmed(tokens)
    if _begins_text(tokens):
        words, rest = _text_group(tokens)
        if _only_leads(words, _is_wide(rest)) and has_relation(_whole(rest)):
            tokens = rest
    while tokens[-1:] == ["}"]:
        start = group_start(tokens)
        words = "".join(tokens[start + 1 : -1])
        if start < 1 or tokens[start - 1] not in TEXTS or _letters(words) not in JOINING:
            break
        tokens = _trimmed(tokens[: start - 1])
    return tokens


def _only_leads(words: str, apart: bool) -> bool:
    """Whether words before an equation are no part of it: `and`, `Step 1:`, a label set apart."""
    text = words.strip()
    return (
        _letters(text) in JOINING
        or text.endswith(":")
        or apart
        and text[:1] + text[-1:] in ("()", "[]")
    )


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
    end = group_end(tokens, start)
    return "".join(tokens[start + 1 : end - 1]).replace("~", " "), list(tokens[end:])


def _without_text(tokens: list[str]) -> list[str]:
    r"""What stands outside of \text{..}."""
    at = next((i for i, token in enumerate(tokens) if token in TEXTS), len(tokens))
    if at == len(tokens):
        return tokens
    rest = _text_group(tokens[at:])[1]
    return tokens[:at] + (_without_text(rest) if len(rest) < len(tokens) - at else rest)


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
    at = _printed_from(tokens, 0)
    while at < len(tokens) and tokens[at] in "{}":
        at = _printed_from(tokens, at + 1)
    return at < len(tokens)


# -- environments inside a display -------------------------------------------------------------


def systems(row: Cells) -> Systems | None:
    r"""The environments of rows that a row consists of; None if it holds anything else.

    A brace that \left opens before one, or \right closes behind it, makes a system of equations.
    """
    tokens = [*chain(*row)]
    inside: list[Environment] = []
    at = _printed_from(tokens, 0)
    while at < len(tokens):
        braced = tokens[at] == "\\left" and tokens[at + 1 : at + 2] in (["\\{"], ["."])
        environment = inner_environment(tokens, _printed_from(tokens, at + 2 * braced))
        if environment is not None:
            inside.append(environment)
            at = environment.end
            if braced:
                close = _printed_from(tokens, at)
                at = close + 2
                if tokens[close:at] not in (["\\right", "."], ["\\right", "\\}"]):
                    return None
        elif inside and tokens[at] in PUNCTUATION:
            at += 1
        elif inside and _begins_text(tokens[at:]) and _first_words(tokens[at:])[0] in JOINING:
            at = group_end(tokens, at + 1)
        else:
            return None
        at = _printed_from(tokens, at)
    return Systems(inside) if inside else None


def _printed_from(tokens: Sequence[str], at: int) -> int:
    """Behind spaces and what prints nothing."""
    while at < len(tokens) and (tokens[at] in SPACES or tokens[at] in SILENT):
        silent, at = tokens[at] in SILENT, at + 1
        start = _blank_end(tokens, at)
        if silent and tokens[start : start + 1] == ["{"]:
            at = group_end(tokens, start)
    return at


def inner_environment(tokens: Sequence[str], at: int) -> Environment | None:
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
    start = group_end(tokens, at + 1)
    name = "".join(tokens[at + 2 : start - 1]).strip().rstrip("*")
    if name not in TRANSPARENT:
        return None
    if tokens[start : start + 1] == ["["] and tokens[start + 2 : start + 3] == ["]"]:
        start += 3  # [t]
    if name in COUNTED and tokens[start : start + 1] == ["{"]:
        start = group_end(tokens, start)
    return Environment(name, list(tokens[start:end]), group_end(tokens, end + 1))
