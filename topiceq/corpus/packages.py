r"""What common packages define, in plain LaTeX: packages.tex, read by the expander itself.

`DEFAULTS` holds for an article that says nothing; \usepackage{physics} puts that package's own
meanings first, because packages disagree (\qty, \braket, \unit).
"""

from importlib.resources import files

from topiceq.corpus.commands import KNOWN
from topiceq.corpus.conditionals import CONDITIONALS
from topiceq.corpus.definitions import DEFINITIONS
from topiceq.corpus.macros import Environment, Expander, Macro, Primitive
from topiceq.corpus.tex import FILE_END, clean, lex

PRIMITIVES: dict[str, Primitive] = {**DEFINITIONS, **CONDITIONALS}


class Definitions(Expander):
    """An expander that only listens to definitions."""

    primitives = PRIMITIVES


def read_definitions(source: str) -> tuple[dict[str, Macro], dict[str, Environment]]:
    """The macros and environments that a source defines."""
    x = Definitions([*lex(clean(source)), FILE_END])
    while x.next() != FILE_END:
        pass
    return x.macros, x.environments


def _read_packages() -> tuple[dict[str, dict[str, Macro]], dict[str, Environment]]:
    text = files("topiceq.corpus").joinpath("packages.tex").read_text(encoding="utf-8")
    packages, environments = {}, {}
    for section in text.split("%% ")[1:]:
        name, _, source = section.partition("\n")
        packages[name.strip()], found = read_definitions(source)
        environments.update(found)
    return packages, environments


PACKAGES, ENVIRONMENTS = _read_packages()
PACKAGES["dsfont"] = PACKAGES["bbm"]
DEFAULTS: dict[str, Macro] = {
    name: macro
    for package in reversed(PACKAGES.values())  # where packages disagree, the first one counts
    for name, macro in package.items()
    if name not in KNOWN
}
