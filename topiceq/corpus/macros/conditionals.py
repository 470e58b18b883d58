r"""TeX's conditionals: \if... \else ... \fi, \ifcase ... \or ... \fi, \newif.

A condition that cannot be decided from the source alone (a length, a page, an engine) is false. A
conditional that nobody has defined is passed over, so its first branch is read.
"""

import re
from collections.abc import Callable

from topiceq.corpus.commands import KNOWN, STRUCTURE
from topiceq.corpus.macros.definitions import record
from topiceq.corpus.macros.expander import Expander, Primitive, primitive
from topiceq.corpus.macros.expansion import control_sequence, is_alias
from topiceq.corpus.macros.meaning import Macro
from topiceq.corpus.tex import FILE_END, PRIMITIVE, Runaway, join

Condition = Callable[[Expander], bool]

# names that begin with \if but take braced branches or none, so no \fi belongs to them
NOT_FI = frozenset(
    "\\iff \\ifthenelse \\ifrac \\ift \\ifct \\ifstrequal \\ifstrempty \\ifblank \\ifnotblank "
    "\\ifbool \\iftoggle \\ifdefempty \\ifdefstring \\ifdefstrequal \\ifboolexpr \\ifundef \\ifdef "
    "\\ifcsdef \\ifcsundef \\ifdefmacro \\ifnumcomp \\ifnumequal \\ifnumless \\ifnumgreater "
    "\\ifinlist \\ifdefvoid \\ifstreq \\iftag \\iffieldundef \\ifentrytype \\iflatexml".split()
)
OF_LATEX = KNOWN | STRUCTURE | {"\\relax"}
NUMBERS = {"\\z@": 0, "\\@ne": 1, "\\tw@": 2, "\\thr@@": 3, "\\m@ne": -1}
DIGITS = re.compile(r"\d+ ?")


def is_conditional(x: Expander, token: str) -> bool:
    r"""Whether a \fi belongs to a token."""
    if token[:3] != "\\if" or token in NOT_FI:
        return False
    macro = x.macros.get(token)
    return macro is None or is_alias(x, macro)


def skip_to(x: Expander, *stops: str) -> str:
    r"""Drop tokens up to the matching \fi, or to an \else or \or where to go on; which it was."""
    depth, stack = 0, x.stack
    while stack and stack[-1] != FILE_END:
        token = stack.pop()
        if depth == 0 and (token == "\\fi" or token in stops):
            return token
        if token == "\\fi":
            depth -= 1
        elif is_conditional(x, token):
            depth += 1
    return ""


def conditional(condition: Condition) -> Primitive:
    """A TeX conditional from its condition."""

    def act(x: Expander) -> None:
        if not holds(x, condition):
            skip_to(x, "\\else")

    return primitive(act)


def holds(x: Expander, condition: Condition) -> bool:
    try:
        return condition(x)
    except Runaway:
        return False


def unless(x: Expander) -> None:
    condition = CONDITIONS.get(x.character())
    if condition is not None and holds(x, condition):
        skip_to(x, "\\else")


def case(x: Expander) -> None:
    r"""\ifcase 2 a\or b\or c\else d\fi."""
    for _ in range(integer(x)):
        if skip_to(x, "\\or", "\\else") != "\\or":
            return


def otherwise(x: Expander) -> None:
    r"""An \else or \or that is reached ends the branch that held."""
    skip_to(x)


def is_defined(x: Expander, name: str) -> bool:
    """Whether LaTeX or the article defines a name; what packages might define does not count."""
    if name in x.macros and not x.is_default(name):
        return True
    return name in x.primitives or name.lstrip(PRIMITIVE) in OF_LATEX


def same_meaning(x: Expander) -> bool:
    r"""\ifx: two macros alike, or the same token, or both undefined."""
    a, b = x.character(), x.character()
    return a == b or _meaning(x, a) == _meaning(x, b)


def _meaning(x: Expander, token: str) -> Macro | None:
    known = token[0] != "\\" or token in x.macros or is_defined(x, token)
    return x.meaning(token) if known else None


def same_character(x: Expander) -> bool:
    r"""\if: equal characters, or two commands."""
    a, b = _expanded_character(x), _expanded_character(x)
    return a == b or (len(a) > 1 and len(b) > 1)


def _expanded_character(x: Expander) -> str:
    x.stack.append(x.following())
    return x.character()


def integer(x: Expander) -> int:
    """A number in decimal digits; Runaway if it is anything else."""
    x.stack.append(x.following())
    sign = 1
    while x.peek()[:1] in ("-", "+"):
        sign = -sign if x.character() == "-" else sign
    token = x.following() if x.peek() else ""
    found = DIGITS.match(token.lstrip())
    if found is None:
        if token not in NUMBERS:
            raise Runaway
        return sign * NUMBERS[token]
    rest = token.lstrip()[found.end() :]
    x.stack += [rest] if rest else []
    return sign * int(found[0])


def compare_numbers(x: Expander) -> bool:
    a, relation, b = integer(x), _expanded_character(x), integer(x)
    return {"<": a < b, "=": a == b, ">": a > b}.get(relation, False)


def name_defined(x: Expander) -> bool:
    return is_defined(x, control_sequence(join(x.expanded(x.delimited(("\\endcsname",))))))


def new_if(x: Expander) -> None:
    r"""\newif\iffoo: \iffoo is false until \footrue."""
    name = x.character()
    record(x, name, Macro((), ("\\iffalse",)))
    for value in ("true", "false"):
        record(x, "\\" + name[3:] + value, Macro((), ("\\let", name, "\\if" + value)))


CONDITIONS: dict[str, Condition] = {
    "\\iftrue": lambda x: True,
    **dict.fromkeys(
        ["\\iffalse", "\\ifdim", "\\ifvmode", "\\ifinner", "\\ifeof", "\\ifcat", "\\if@twoside",
         "\\if@twocolumn", "\\if@mainmatter", "\\if@openright", "\\if@filesw", "\\if@tempswa",
         "\\if@titlepage", "\\if@restonecol", "\\if@nobreak", "\\if@noskipsec", "\\if@inlabel",
         "\\ifin@", "\\ifpdf", "\\ifpdftex", "\\ifxetex", "\\ifluatex", "\\ifPDFTeX", "\\ifXeTeX",
         "\\ifLuaTeX", "\\iftutex", "\\ifvoid", "\\ifhbox", "\\ifvbox", "\\ifplastex"],
        lambda x: False),
    "\\ifhmode": lambda x: not x.math,
    "\\ifmmode": lambda x: x.math,
    "\\ifx": same_meaning,
    "\\if": same_character,
    "\\ifnum": compare_numbers,
    "\\ifodd": lambda x: integer(x) % 2 == 1,
    "\\ifdefined": lambda x: is_defined(x, x.character()),
    "\\ifcsname": name_defined,
}  # fmt: skip
CONDITIONALS: dict[str, Primitive] = {
    **{name: conditional(condition) for name, condition in CONDITIONS.items()},
    "\\ifcase": primitive(case),
    "\\unless": primitive(unless),
    "\\else": primitive(otherwise),
    "\\or": primitive(otherwise),
    "\\fi": lambda x: None,
    "\\newif": primitive(new_if),
}
