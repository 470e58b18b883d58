r"""LaTeX's conditionals, which take their branches in braces, and what depends on the mode.

\ifthenelse, etoolbox's tests, \@ifnextchar and \@ifstar, \IfNoValueTF and its relatives, booleans,
toggles, \ensuremath. As in conditionals.py, what cannot be decided is false.
"""

import re
from dataclasses import dataclass, field

from topiceq.corpus.conditionals import Condition, integer, is_defined
from topiceq.corpus.definitions import command_name, record
from topiceq.corpus.macros import Expander, Primitive, primitive
from topiceq.corpus.meaning import Macro
from topiceq.corpus.parameters import NO_VALUE, TRUE
from topiceq.corpus.tex import Runaway, join

BRACES = {"\\bgroup": "{", "\\egroup": "}"}
COMPARISON = re.compile(r"\s*(-?\d+)\s*([<=>])\s*(-?\d+)\s*")


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


# -- \ifthenelse ---------------------------------------------------------------------------------


def if_then_else(x: Expander) -> None:
    test = x.argument()
    with x.aside(test):
        holds = evaluate(x)
    choose(x, holds)


def evaluate(x: Expander) -> bool:
    r"""A whole test: \equal, \boolean, ... with \AND, \OR, \NOT and \( \), from left to right."""
    open_tests = [Test()]
    while x.peek():
        word = x.stack[-1].lower()
        if word in WORDS:
            x.stack.pop()
            open_tests[-1].words.append(word)
        elif word == "\\(":
            x.stack.pop()
            open_tests.append(Test())
        elif word == "\\)" and len(open_tests) > 1:
            x.stack.pop()
            inner = open_tests.pop()
            open_tests[-1].add(bool(inner.value))
        else:
            open_tests[-1].add(single_test(x))
    return bool(open_tests[0].value)


WORDS = ("\\and", "\\or", "\\not")


@dataclass(slots=True)
class Test:
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


def compared(a: int, relation: str, b: int) -> bool:
    return {"<": a < b, "=": a == b, ">": a > b}.get(relation, False)


def same_text(x: Expander) -> bool:
    return text(x) == text(x)


def text(x: Expander) -> str:
    """An argument as text, macros expanded."""
    return join(x.expanded(x.argument())).strip()


def is_empty(x: Expander) -> bool:
    return not text(x)


def is_boolean(x: Expander) -> bool:
    macro = x.macros.get("\\if" + x.name())
    return macro is not None and macro.body == ("\\iftrue",)


def is_odd(x: Expander) -> bool:
    with x.aside(x.argument()):
        return integer(x) % 2 == 1


def undefined_command(x: Expander) -> bool:
    return not is_defined(x, x.character() if x.peek() != "{" else command_name(x))


_TESTS: dict[str, Condition] = {
    "\\equal": same_text,
    "\\boolean": is_boolean,
    "\\isempty": is_empty,
    "\\isodd": is_odd,
    "\\isundefined": undefined_command,
}


# -- other tests ---------------------------------------------------------------------------------


def next_is(x: Expander) -> None:
    r"""\@ifnextchar X looks ahead past its own two branches."""
    wanted, yes, other = x.character(), x.argument(), x.argument()
    wanted = BRACES.get(wanted, wanted)
    following = x.peek()
    holds = following == wanted or (wanted != "\\" and following[:1] == wanted)
    x.write(yes if holds else other)


def star_follows(x: Expander) -> None:
    yes, other = x.argument(), x.argument()
    x.write(yes if x.take("*") else other)


def test_optional(x: Expander) -> None:
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
    return not is_defined(x, "\\" + text(x))


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


# -- modes ---------------------------------------------------------------------------------------


def ensure_math(x: Expander) -> None:
    r"""\ensuremath: nothing in math, an inline formula in prose."""
    argument = x.argument()
    x.write(argument if x.math else ["$", *argument, "$"])


def math_choice(x: Expander) -> None:
    r"""\mathchoice takes four styles; a display shows the first."""
    display, *_ = (x.argument() for _ in range(4))
    x.write(display)


BRANCHES: dict[str, Primitive] = {
    "\\ifthenelse": primitive(if_then_else),
    **dict.fromkeys(["\\@ifnextchar", "\\kernel@ifnextchar", "\\new@ifnextchar"],
                    primitive(next_is)),
    "\\@ifstar": primitive(star_follows),
    "\\@testopt": primitive(test_optional),
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
    "\\ifstrequal": branches(same_text),
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
}  # fmt: skip
