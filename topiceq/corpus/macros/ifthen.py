r"""\ifthenelse{test}{yes}{no}: \equal, \boolean, comparisons, with \AND, \OR, \NOT and \( \)."""

import re
from dataclasses import dataclass, field

from topiceq.corpus.macros.branches import (
    choose,
    compared,
    is_boolean,
    is_empty,
    same_text,
    undefined_command,
)
from topiceq.corpus.macros.conditionals import Condition, integer
from topiceq.corpus.macros.expander import Expander, Primitive, primitive
from topiceq.corpus.tex import Runaway, join

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
