r"""LaTeX's conditionals, which take their branches in braces, and what depends on the mode.

etoolbox's tests, \@ifnextchar and \@ifstar, \IfNoValueTF and its relatives, booleans and toggles,
\ensuremath. As in conditionals.py, what cannot be decided is false.
"""

from topiceq.corpus.macros.conditionals import Condition, is_defined
from topiceq.corpus.macros.definitions import command_name, record
from topiceq.corpus.macros.expander import Expander, Primitive, primitive
from topiceq.corpus.macros.expansion import control_sequence
from topiceq.corpus.macros.meaning import Macro
from topiceq.corpus.macros.parameters import NO_VALUE, TRUE
from topiceq.corpus.tex import join

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


# -- tests ---------------------------------------------------------------------------------------


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


def undefined_command(x: Expander) -> bool:
    return not is_defined(x, x.character() if x.peek() != "{" else command_name(x))


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
