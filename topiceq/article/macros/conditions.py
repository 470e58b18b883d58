r"""Conditionals: \if .. \else .. \fi of TeX, LaTeX's own with braced branches, \ifthenelse.

A condition that cannot be decided from the source alone (a length, a page, an engine) is false. A
conditional that nobody has defined is passed over, so its first branch is read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

from topiceq.article.commands import KNOWN, STRUCTURE, which
from topiceq.article.macros.definitions import command_name, record
from topiceq.article.macros.expander import Expander, Macro, Primitive, primitive
from topiceq.article.macros.expansion import control_sequence, is_alias
from topiceq.article.macros.tokens import NO_VALUE, TRUE
from topiceq.article.tex import FILE_END, PRIMITIVE, Runaway, join

Condition = Callable[[Expander], bool]

# names that begin with \if but take braced branches or none, so no \fi belongs to them
NOT_FI = which("braced-if")
OF_LATEX = KNOWN | STRUCTURE | {"\\relax"}
NUMBERS = {"\\z@": 0, "\\@ne": 1, "\\tw@": 2, "\\thr@@": 3, "\\m@ne": -1}
DIGITS = re.compile(r"\d+ ?")
WHOLE = re.compile(r"[-+]?\d+")


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


# -- branches in braces: etoolbox, \@ifnextchar, \IfNoValueTF, toggles, modes ---------------------


BRACES = {"\\bgroup": "{", "\\egroup": "}"}


def branches(condition: Condition) -> Primitive:
    """A conditional `{...}{yes}{no}` from its condition."""

    def act(x: Expander) -> None:
        holds = condition(x)
        choose(x, holds)

    return primitive(act)


def choose(x: Expander, holds: bool) -> None:
    yes, no = x.argument(), x.argument()
    x.write(yes if holds else no)


def branch(condition: Condition) -> Primitive:
    """A conditional with one branch."""

    def act(x: Expander) -> None:
        holds = condition(x)
        body = x.argument()
        if holds:
            x.write(body)

    return primitive(act)


def no(condition: Condition) -> Condition:
    return lambda x: not condition(x)


def compared(a: int, relation: str, b: int) -> bool:
    return {"<": a < b, "=": a == b, ">": a > b}.get(relation, False)


def same_text(x: Expander) -> bool:
    return text(x) == text(x)


def text(x: Expander) -> str:
    """An argument as text, macros expanded."""
    return join(x.expanded(x.argument())).strip()


def is_empty(x: Expander) -> bool:
    return not text(x)


def compared_texts(compare: Callable[[str, str], bool]) -> Condition:
    r"""\IfSubStr{text}{part} and its relatives of xstring."""

    def condition(x: Expander) -> bool:
        x.take("*")
        x.optional()
        return compare(text(x), text(x))

    return condition


def text_case(x: Expander) -> None:
    r"""\IfStrEqCase{text}{{one}{yes}{other}{yes}}[no]."""
    x.take("*")
    given, cases, otherwise = text(x), x.argument(), x.optional() or []
    with x.aside(cases):
        while x.peek():
            wanted, chosen = text(x), x.argument()
            if wanted == given:
                otherwise = chosen
                break
    x.write(otherwise)


def is_boolean(x: Expander) -> bool:
    macro = x.macros.get("\\if" + x.name())
    return macro is not None and macro.body == ("\\iftrue",)


def undefined_command(x: Expander) -> bool:
    return not is_defined(x, x.character() if x.peek() != "{" else command_name(x))


def next_is(x: Expander) -> None:
    r"""\@ifnextchar X looks ahead past its own two branches."""
    wanted, yes, other = next(iter(x.argument()), ""), x.argument(), x.argument()
    wanted = BRACES.get(wanted, wanted)
    following = x.peek()
    holds = following == wanted or (wanted != "\\" and following[:1] == wanted)
    x.write(yes if holds else other)


def star_follows(x: Expander) -> None:
    yes, other = x.argument(), x.argument()
    x.write(yes if x.take("*") else other)


def optional_or_default(x: Expander) -> None:
    r"""\@testopt\command{default}: the command with its bracket, or with the default in one."""
    command, default = x.argument(), x.argument()
    x.write(command if x.peek() == "[" else [*command, "[", *default, "]"])


def has_value(x: Expander) -> bool:
    return x.argument() != [NO_VALUE]


def is_true(x: Expander) -> bool:
    return x.argument() == [TRUE]


def macro_is_empty(x: Expander) -> bool:
    return not join(x.expanded([command_name(x)])).strip()


def macro_is(x: Expander) -> bool:
    return join(x.expanded([command_name(x)])).strip() == text(x)


def undefined_name(x: Expander) -> bool:
    return not is_defined(x, control_sequence(text(x)))


def number_compared(relation: str = "") -> Condition:
    def condition(x: Expander) -> bool:
        a = text(x)
        sign = relation or text(x)
        return compared(int(a), sign, int(text(x)))

    return condition


def set_boolean(value: str = "", *, family: str = "if") -> Primitive:
    r"""\setboolean{name}{true}, \booltrue{name}, \toggletrue{name}."""

    def act(x: Expander) -> None:
        name = f"\\{family}{x.name()}"
        chosen = value or x.name().lower()
        if chosen in ("true", "false"):
            record(x, name, Macro((), ("\\if" + chosen,)))

    return primitive(act)


def is_toggled(x: Expander) -> bool:
    macro = x.macros.get("\\toggle " + x.name())
    return macro is not None and macro.body == ("\\iftrue",)


def ensure_math(x: Expander) -> None:
    r"""\ensuremath: nothing in math, an inline formula in prose."""
    argument = x.argument()
    x.write(argument if x.math else ["$", *argument, "$"])


def math_choice(x: Expander) -> None:
    r"""\mathchoice takes four styles; a display shows the first."""
    display, *_ = (x.argument() for _ in range(4))
    x.write(display)


def align_rows(x: Expander) -> None:
    r"""\ialign{\hfil##\cr over\cr under\cr}: the first of two rows stands above the other."""
    content = x.argument()
    ends = [at for at, token in enumerate(content) if token in ("\\cr", "\\crcr")]
    rows = [content[start + 1 : end] for start, end in zip(ends, ends[1:], strict=False)]
    formulas = [[token for token in row if token != "$"] for row in rows]
    if len(formulas) == 2:
        over, under = formulas
        if "\\reflectbox" in over:  # an arrow to the left is drawn so
            formulas = [["\\overleftarrow", "{", *under, "}"]]
        else:
            formulas = [["\\overset", "{", *over, "}", "{", *under, "}"]]
    marks = ["$"] if "$" in content else []
    x.write([*marks, *chain(*formulas), *marks])


BRANCHES: dict[str, Primitive] = {
    **dict.fromkeys(["\\@ifnextchar", "\\kernel@ifnextchar", "\\new@ifnextchar"],
                    primitive(next_is)),
    "\\@ifstar": primitive(star_follows),
    "\\@testopt": primitive(optional_or_default),
    **dict.fromkeys(["\\@ifundefined", "\\ifcsundef"], branches(undefined_name)),
    "\\ifcsdef": branches(no(undefined_name)),
    "\\ifundef": branches(undefined_command),
    "\\ifdef": branches(no(undefined_command)),
    "\\IfNoValueTF": branches(no(has_value)),
    "\\IfNoValueT": branch(no(has_value)),
    "\\IfNoValueF": branch(has_value),
    "\\IfValueTF": branches(has_value),
    "\\IfValueT": branch(has_value),
    "\\IfValueF": branch(no(has_value)),
    "\\IfBooleanTF": branches(is_true),
    "\\IfBooleanT": branch(is_true),
    "\\IfBooleanF": branch(no(is_true)),
    **dict.fromkeys(["\\ifblank", "\\ifstrempty", "\\IfBlankTF"], branches(is_empty)),
    "\\ifnotblank": branches(no(is_empty)),
    **dict.fromkeys(["\\ifstrequal", "\\IfEq"], branches(same_text)),
    "\\IfStrEq": branches(compared_texts(lambda a, b: a == b)),
    "\\IfSubStr": branches(compared_texts(lambda a, b: b in a)),
    "\\IfBeginWith": branches(compared_texts(lambda a, b: a.startswith(b))),
    "\\IfEndWith": branches(compared_texts(lambda a, b: a.endswith(b))),
    "\\IfInteger": branches(lambda x: WHOLE.fullmatch(text(x)) is not None),
    **dict.fromkeys(["\\IfStrEqCase", "\\IfEqCase"], primitive(text_case)),
    **dict.fromkeys(["\\ifdefempty", "\\ifdefvoid"], branches(macro_is_empty)),
    "\\ifdefstring": branches(macro_is),
    "\\ifnumcomp": branches(number_compared()),
    "\\ifnumequal": branches(number_compared("=")),
    "\\ifnumless": branches(number_compared("<")),
    "\\ifnumgreater": branches(number_compared(">")),
    "\\ifbool": branches(is_boolean),
    "\\iftoggle": branches(is_toggled),
    **dict.fromkeys(["\\newboolean", "\\newbool", "\\boolfalse"], set_boolean("false")),
    "\\booltrue": set_boolean("true"),
    **dict.fromkeys(["\\setboolean", "\\setbool"], set_boolean()),
    **dict.fromkeys(["\\newtoggle", "\\togglefalse"], set_boolean("false", family="toggle ")),
    "\\toggletrue": set_boolean("true", family="toggle "),
    "\\settoggle": set_boolean(family="toggle "),
    "\\ensuremath": primitive(ensure_math),
    "\\mathchoice": primitive(math_choice),
    "\\ialign": primitive(align_rows),
}  # fmt: skip


# -- \ifthenelse{test}{yes}{no} -------------------------------------------------------------------


WORDS = ("\\and", "\\or", "\\not")
COMPARISON = re.compile(r"\s*(-?\d+)\s*([<=>])\s*(-?\d+)\s*")


def if_then_else(x: Expander) -> None:
    test = x.argument()
    with x.aside(test):
        holds = evaluate(x)
    choose(x, holds)


def evaluate(x: Expander) -> bool:
    r"""A whole test: \equal, \boolean, ... with \AND, \OR, \NOT and \( \), from left to right."""
    open_tests = [Pending()]
    while x.peek():
        word = x.stack[-1].lower()
        if word in WORDS:
            x.stack.pop()
            open_tests[-1].words.append(word)
        elif word == "\\(":
            x.stack.pop()
            open_tests.append(Pending())
        elif word == "\\)" and len(open_tests) > 1:
            x.stack.pop()
            inner = open_tests.pop()
            open_tests[-1].add(bool(inner.value))
        else:
            open_tests[-1].add(single_test(x))
    return bool(open_tests[0].value)


@dataclass(slots=True)
class Pending:
    """A test between brackets, as far as it has been read."""

    value: bool | None = None
    words: list[str] = field(default_factory=list)  # between the value and what comes next

    def add(self, value: bool) -> None:
        value ^= self.words.count("\\not") % 2 == 1
        if self.value is not None:
            value = self.value or value if "\\or" in self.words else self.value and value
        self.value, self.words = value, []


def single_test(x: Expander) -> bool:
    test = _TESTS.get(x.stack[-1])
    try:
        if test is not None:
            x.stack.pop()
            return test(x)
        found = COMPARISON.match(join(x.expanded(_up_to_word(x))))
    except Runaway:
        found = None
        x.stack.clear()
    return found is not None and compared(int(found[1]), found[2], int(found[3]))


def _up_to_word(x: Expander) -> list[str]:
    taken = [x.stack.pop()]
    while x.stack and x.stack[-1].lower() not in (*WORDS, "\\)"):
        taken.append(x.stack.pop())
    return taken


def is_odd(x: Expander) -> bool:
    with x.aside(x.argument()):
        return integer(x) % 2 == 1


_TESTS: dict[str, Condition] = {
    "\\equal": same_text,
    "\\boolean": is_boolean,
    "\\isempty": is_empty,
    "\\isodd": is_odd,
    "\\isundefined": undefined_command,
}

IFTHEN: dict[str, Primitive] = {"\\ifthenelse": primitive(if_then_else)}
