r"""What chooses between branches: \if... \else \fi, \ifthenelse, \@ifnextchar, xparse's tests.

A condition that cannot be decided from the source alone (a length, a page, an engine) is false.
"""

import re
from collections.abc import Callable

from topiceq.corpus.commands import KNOWN
from topiceq.corpus.definitions import quietly
from topiceq.corpus.macros import NO_VALUE, TRUE, Expander, Primitive
from topiceq.corpus.tex import PRIMITIVE, Runaway, join

# names that begin with \if and take braced branches, so no \fi belongs to them
NOT_FI = {
    "\\iff", "\\ifthenelse", "\\ifstrequal", "\\ifstrempty", "\\ifblank", "\\ifbool", "\\iftoggle",
    "\\ifdefempty", "\\ifdefstring", "\\ifdefstrequal", "\\ifboolexpr", "\\ifundef", "\\ifdef",
    "\\ifcsdef", "\\ifcsundef", "\\ifdefmacro", "\\ifnumcomp", "\\ifnumequal", "\\ifinlist",
    "\\ifdefvoid", "\\ifstreq", "\\ifnotblank", "\\ifrac", "\\ift", "\\ifct",
}  # fmt: skip
COMPARISON = re.compile(r"\s*(-?\d+)\s*([<=>])\s*(-?\d+)\s?")


def is_conditional(token: str) -> bool:
    return token.startswith("\\if") and token not in NOT_FI


def skip_branch(x: Expander, *, to_else: bool) -> None:
    r"""Drop tokens up to the matching \fi, or \else if that is where to go on."""
    depth, stack = 0, x.stack
    while stack:
        token = stack.pop()
        if token == "\x00":
            stack.append(token)
            return
        if is_conditional(token):
            depth += 1
        elif token == "\\fi":
            if depth == 0:
                return
            depth -= 1
        elif token == "\\else" and depth == 0 and to_else:
            return


def choose(x: Expander, holds: bool) -> None:
    """Go on in the branch of a condition."""
    if not holds:
        skip_branch(x, to_else=True)


def test(condition: Callable[[Expander], bool]) -> Primitive:
    """A TeX conditional from its condition."""

    def act(x: Expander) -> None:
        try:
            holds = condition(x)
        except Runaway:
            holds = False
        choose(x, holds)

    return act


def branches(condition: Callable[[Expander], bool]) -> Primitive:
    """A LaTeX conditional `{...}{yes}{no}` from its condition."""

    def act(x: Expander) -> None:
        holds = condition(x)
        yes, no = x.argument(), x.argument()
        x.push(yes if holds else no)

    return quietly(act)


def branch(condition: Callable[[Expander], bool]) -> Primitive:
    """A LaTeX conditional with one branch."""

    def act(x: Expander) -> None:
        holds = condition(x)
        body = x.argument()
        if holds:
            x.push(body)

    return quietly(act)


def is_defined(x: Expander, name: str) -> bool:
    return name in x.macros or name.lstrip(PRIMITIVE) in KNOWN or name in x.primitives


def same_meaning(x: Expander) -> bool:
    r"""\ifx: two macros alike, or the same token, or both undefined."""
    a, b = x.character(), x.character()
    if a in x.macros or b in x.macros:
        return x.macros.get(a) == x.macros.get(b)
    if "\\" in (a[0], b[0]) and a != b:
        return not is_defined(x, a) and not is_defined(x, b)
    return a == b


def same_character(x: Expander) -> bool:
    return _expanded_character(x) == _expanded_character(x)


def _expanded_character(x: Expander) -> str:
    x.stack.append(x.next())
    return x.character()


def same_number(x: Expander) -> bool:
    x.stack.append(x.next())
    found = COMPARISON.match(x.stack[-1])
    if not found:
        return False
    x.stack.append(x.stack.pop()[found.end() :] or " ")
    a, b = int(found[1]), int(found[3])
    return {"<": a < b, "=": a == b, ">": a > b}[found[2]]


def named_defined(x: Expander) -> bool:
    name = join(x.delimited(("\\endcsname",))).strip()
    return is_defined(x, "\\" + name)


def then_else(x: Expander) -> bool:
    r"""\ifthenelse: \equal and \boolean are decided, anything else is false."""
    condition = [t for t in x.argument() if not t.isspace()]
    inner = Expander(condition[1:])
    if condition[:1] == ["\\equal"]:
        return _text(x, inner.argument()) == _text(x, inner.argument())
    if condition[:1] == ["\\boolean"]:
        return x.macros.get("\\if" + inner.name()) == x.meaning("\\iftrue")
    if condition[:1] == ["\\NOT"]:
        x.push(["{", *condition[1:], "}"])
        return not then_else(x)
    return False


def _text(x: Expander, tokens: list[str]) -> str:
    return join(x.expanded(tokens)).strip()


def next_is(x: Expander) -> bool:
    r"""\@ifnextchar X: looks ahead past its own two branches."""
    wanted = x.character()
    yes, no = x.argument(), x.argument()
    holds = x.peek().startswith(wanted)
    x.push(["{", *yes, "}", "{", *no, "}"])
    return holds


def star_follows(x: Expander) -> bool:
    yes, no = x.argument(), x.argument()
    holds = x.take("*")
    x.push(["{", *yes, "}", "{", *no, "}"])
    return holds


def has_value(x: Expander) -> bool:
    return x.argument() != [NO_VALUE]


def negated(condition: Callable[[Expander], bool]) -> Callable[[Expander], bool]:
    return lambda x: not condition(x)


def is_true(x: Expander) -> bool:
    return x.argument() == [TRUE]


def is_empty(x: Expander) -> bool:
    return not _text(x, x.argument())


def same_text(x: Expander) -> bool:
    return _text(x, x.argument()) == _text(x, x.argument())


def undefined_name(x: Expander) -> bool:
    return not is_defined(x, "\\" + x.name())


def otherwise(x: Expander) -> None:
    r"""An \else that is reached ends the branch that held."""
    skip_branch(x, to_else=False)


def ensure_math(x: Expander) -> None:
    r"""\ensuremath: nothing in math, an inline formula in prose."""
    argument = x.argument()
    x.push(argument if x.math else ["$", *argument, "$"])


def math_choice(x: Expander) -> None:
    display = x.argument()
    for _ in range(3):
        x.argument()
    x.push(display)


CONDITIONALS: dict[str, Primitive] = {
    "\\iftrue": test(lambda x: True),
    **dict.fromkeys(
        ["\\iffalse", "\\ifdim", "\\ifodd", "\\ifcase", "\\ifvmode", "\\ifinner", "\\ifeof",
         "\\ifcat", "\\if@twoside", "\\if@twocolumn", "\\ifpdf", "\\ifxetex", "\\ifluatex",
         "\\ifvoid", "\\ifhbox", "\\ifvbox"], test(lambda x: False)),
    "\\ifhmode": test(lambda x: not x.math),
    "\\ifmmode": test(lambda x: x.math),
    "\\ifx": test(same_meaning),
    "\\if": test(same_character),
    "\\ifnum": test(same_number),
    "\\ifdefined": test(lambda x: is_defined(x, x.character())),
    "\\ifcsname": test(named_defined),
    "\\else": otherwise,
    "\\or": otherwise,
    "\\fi": lambda x: None,
    "\\ifthenelse": branches(then_else),
    "\\@ifnextchar": branches(next_is),
    "\\@ifstar": branches(star_follows),
    "\\@ifundefined": branches(undefined_name),
    "\\ifundef": branches(lambda x: not is_defined(x, x.character())),
    "\\ifdef": branches(lambda x: is_defined(x, x.character())),
    "\\IfNoValueTF": branches(negated(has_value)),
    "\\IfValueTF": branches(has_value),
    "\\IfNoValueT": branch(negated(has_value)),
    "\\IfNoValueF": branch(has_value),
    "\\IfValueT": branch(has_value),
    "\\IfValueF": branch(negated(has_value)),
    "\\IfBooleanTF": branches(is_true),
    "\\IfBooleanT": branch(is_true),
    "\\IfBooleanF": branch(negated(is_true)),
    "\\ifblank": branches(is_empty),
    "\\ifstrempty": branches(is_empty),
    "\\ifnotblank": branches(negated(is_empty)),
    "\\ifstrequal": branches(same_text),
    "\\ensuremath": quietly(ensure_math),
    "\\mathchoice": quietly(math_choice),
}  # fmt: skip
