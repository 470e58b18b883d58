r"""What common packages define, in plain LaTeX: packages.tex, read by the expander itself.

`latex_expander` gives an expander that knows all of them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from topiceq.article.commands import KNOWN, STRUCTURE
from topiceq.article.macros.conditions import BRANCHES, CONDITIONALS, IFTHEN
from topiceq.article.macros.definitions import ASSIGNMENTS, DEFINITIONS, PAIRED_DELIMITERS
from topiceq.article.macros.expander import Environment, Expander, Macro, MacroLimit, Primitive
from topiceq.article.macros.expansion import EXPANSIONS, LOOPS
from topiceq.article.macros.glossary import GLOSSARY
from topiceq.article.tex import FILE_END, PRIMITIVE, clean, lex

PRIMITIVES: dict[str, Primitive] = {
    **EXPANSIONS, **DEFINITIONS, **PAIRED_DELIMITERS, **CONDITIONALS, **BRANCHES, **IFTHEN,
    **LOOPS, **ASSIGNMENTS, **GLOSSARY,
}  # fmt: skip
ONLY = "only:"  # before packages whose names count only where they are loaded
GUESSED = frozenset("conventions physics braket nicefrac".split())
REDEFINABLE = frozenset(name for name in KNOWN - STRUCTURE if name[0] == "\\")


class Packages(NamedTuple):
    """What an article may use that defines nothing itself."""

    macros: dict[str, Macro]
    environments: dict[str, Environment]
    # on which packages disagree with each other, with LaTeX (\qty, \braket, \div) or with the
    # habits of authors, by package
    disputed: dict[str, dict[str, Macro]]
    # what authors use without defining it, and what their repository may know better
    guesses: frozenset[str]


def read_definitions(source: str) -> tuple[dict[str, Macro], dict[str, Environment]]:
    """The macros and environments that a source defines, whatever else it holds."""
    x = Expander([*lex(clean(source)), FILE_END], primitives=PRIMITIVES)
    while x.stack:
        try:
            x.next()
        except MacroLimit:
            continue  # the macro and what it left are gone; go on behind it
    return x.macros, x.environments


def lasting(macro: Macro) -> Macro:
    r"""The same macro, where commands of LaTeX keep their meaning whatever an author redefines.

    Otherwise \renewcommand\mathbb{\mathbbm} would go round in a circle.
    """
    body = tuple(f"{PRIMITIVE}{item}" if item in REDEFINABLE else item for item in macro.body)
    return Macro(macro.params, body, macro.prefix)


def _read_sections() -> Iterator[tuple[list[str], dict[str, Macro], dict[str, Environment]]]:
    """The sections of packages.tex: names of packages, then macros and environments."""
    text = files("topiceq.article.macros").joinpath("packages.tex").read_text(encoding="utf-8")
    for section in text.split("%% ")[1:]:
        names, _, source = section.partition("\n")
        macros, environments = read_definitions(source)
        yield names.split(), {name: lasting(m) for name, m in macros.items()}, environments


@cache
def packages() -> Packages:
    """What packages.tex says, read when it is first needed."""
    sections = list(_read_sections())
    times = Counter(name for _, macros, _ in sections for name in macros)
    return Packages(
        {
            name: macro
            for names, macros, _ in reversed(sections)  # where they disagree, the first one counts
            for name, macro in macros.items()
            if name not in KNOWN and ONLY not in names
        },
        {name: each for _, _, some in sections for name, each in some.items()},
        {
            package: {
                name: m
                for name, m in macros.items()
                if name in KNOWN or times[name] > 1 or ONLY in names
            }
            for names, macros, _ in sections
            for package in names
        },
        frozenset(
            name
            for names, macros, _ in sections
            if not GUESSED.isdisjoint(names)
            for name in macros
        ),
    )


def latex_expander(tokens: Sequence[str] = ()) -> Expander:
    """An expander that knows LaTeX and its common packages."""
    known = packages()
    x = Expander(tokens, known.macros, known.environments, PRIMITIVES)
    x.guesses = known.guesses
    return x
