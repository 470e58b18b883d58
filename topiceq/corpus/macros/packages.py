r"""What common packages define, in plain LaTeX: packages.tex, read by the expander itself.

`DEFAULTS` holds for an article that says nothing. `PACKAGES` has the names on which packages
disagree with each other or with LaTeX (\qty, \braket, \div): what \usepackage{physics} puts first.
"""

from collections import Counter
from collections.abc import Iterator
from importlib.resources import files

from topiceq.corpus.commands import KNOWN, STRUCTURE
from topiceq.corpus.macros.assignments import ASSIGNMENTS
from topiceq.corpus.macros.branches import BRANCHES
from topiceq.corpus.macros.conditionals import CONDITIONALS
from topiceq.corpus.macros.definitions import DEFINITIONS
from topiceq.corpus.macros.delimiters import PAIRED_DELIMITERS
from topiceq.corpus.macros.expander import Expander, MacroLimit, Primitive
from topiceq.corpus.macros.expansion import EXPANSIONS
from topiceq.corpus.macros.ifthen import IFTHEN
from topiceq.corpus.macros.loops import LOOPS
from topiceq.corpus.macros.meaning import Environment, Macro
from topiceq.corpus.tex import FILE_END, PRIMITIVE, clean, lex

PRIMITIVES: dict[str, Primitive] = {
    **EXPANSIONS, **DEFINITIONS, **PAIRED_DELIMITERS, **CONDITIONALS, **BRANCHES, **IFTHEN,
    **LOOPS, **ASSIGNMENTS,
}  # fmt: skip
REDEFINABLE = frozenset(name for name in KNOWN - STRUCTURE if name[0] == "\\")


class Definitions(Expander):
    """An expander that only listens to definitions."""

    primitives = PRIMITIVES


def read_definitions(source: str) -> tuple[dict[str, Macro], dict[str, Environment]]:
    """The macros and environments that a source defines, whatever else it holds."""
    x = Definitions([*lex(clean(source)), FILE_END])
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
    text = files("topiceq.corpus.macros").joinpath("packages.tex").read_text(encoding="utf-8")
    for section in text.split("%% ")[1:]:
        names, _, source = section.partition("\n")
        macros, environments = read_definitions(source)
        yield names.split(), {name: lasting(m) for name, m in macros.items()}, environments


_SECTIONS = list(_read_sections())
_TIMES = Counter(name for _, macros, _ in _SECTIONS for name in macros)
ENVIRONMENTS: dict[str, Environment] = {
    name: each for _, _, environments in _SECTIONS for name, each in environments.items()
}
DEFAULTS: dict[str, Macro] = {
    name: macro
    for _, macros, _ in reversed(_SECTIONS)  # where packages disagree, the first one counts
    for name, macro in macros.items()
    if name not in KNOWN
}
PACKAGES: dict[str, dict[str, Macro]] = {
    package: {name: m for name, m in macros.items() if name in KNOWN or _TIMES[name] > 1}
    for packages, macros, _ in _SECTIONS
    for package in packages
}
