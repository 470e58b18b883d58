r"""The commands of LaTeX and AMS, each with what it is: the table commands.txt, read once.

`which` gives the commands (or environments) that have an attribute, `values` what stands with it
there. Who needs a set of commands makes it of these, here if several modules need it. A command of
prose that is not in the table and is no macro is passed over, and its braced arguments are read as
text.
"""

import re
import unicodedata
from pathlib import Path

_ITEM = re.compile(r"(.[^=]*)=?(.*)")  # a name may be =
_CODE = re.compile(r"U\+([0-9A-F]{4})")
_OF_EACH = ("same", "prints", "over")  # attributes whose values stand with each command


Table = dict[str, dict[str, str]]  # attribute -> command -> value


def _read(text: str) -> tuple[Table, Table]:
    """The table of commands, with their backslash, and that of environments."""
    commands: Table = {}
    environments: Table = {}
    table, attributes = commands, [""]
    for line in text.splitlines():
        if line[:1] == " ":
            for item in line.split():
                _enter(item, attributes, table, "\\" if table is commands else "")
        elif line and line[0] != "#":
            first, *others = attributes = line.split()
            table = environments if first == "environment" else commands
            attributes = others if first == "environment" else attributes
    return commands, environments


def _enter(item: str, attributes: list[str], table: Table, start: str) -> None:
    """One command, with the values of its own: `dag=\\dagger=†`."""
    name, own = _ITEM.findall(item)[0]
    each = iter(own.split("="))
    for attribute, _, value in (word.partition("=") for word in attributes):
        if attribute in _OF_EACH:
            value = _CODE.sub(lambda code: chr(int(code[1], 16)), next(each)).replace("␣", " ")
        table.setdefault(attribute, {})[start + name] = value


_COMMANDS, _ENVIRONMENTS = _read(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"))


def which(*attributes: str) -> frozenset[str]:
    r"""The commands with any of these attributes.

    >>> sorted(which("bold", "textual"))
    ['\\L', '\\boldsymbol', '\\l', '\\mathsterling', '\\pounds']
    """
    return frozenset(name for attribute in attributes for name in _COMMANDS[attribute])


def values(attribute: str) -> dict[str, str]:
    r"""The commands with an attribute, and what stands with it.

    >>> values("same")["\\le"], values("text")["\\textbf"]
    ('\\leq', '\\mathbf')
    """
    return dict(_COMMANDS[attribute])


def counts(attribute: str) -> dict[str, int]:
    """As `values`, for attributes that are numbers."""
    return {name: int(value) for name, value in _COMMANDS[attribute].items()}


def environments(*attributes: str) -> frozenset[str]:
    """The environments with any of these attributes."""
    return frozenset(name for attribute in attributes for name in _ENVIRONMENTS[attribute])


def names(text: str) -> frozenset[str]:
    r"""`"alpha beta"` -> {`\alpha`, `\beta`}."""
    return frozenset("\\" + name for name in text.split())


NAMES = frozenset(name for table in _COMMANDS.values() for name in table)  # of all commands

# -- equations ---------------------------------------------------------------------------------

GREEK, ARROW = which("greek"), which("arrow")
LARGE = which("large")
OPERATORS = which("large", "named")
LIMITED = which("limits")  # their scripts stand above and below in a display anyway
DELIMITERS = which("delimiter") | frozenset("()[]|/.")
SIZED = which("sized")
ACCENTS, ALPHABETS = which("accent"), which("alphabet")
FONTS = which("alphabet", "bold")
ARITY = dict.fromkeys(ACCENTS | FONTS, 1) | counts("takes")
OPTIONAL = which("optional")  # may carry [..] before their argument
CLASSES = which("class")  # only spacing
OTHER = which("class", "other")
HYPHEN = "\\text{-}"  # one token, as \begin{array} is: a minus is longer, and has space around it
KNOWN = (
    which("greek", "letter", "large", "binary", "relation", "arrow", "named")
    | DELIMITERS | SIZED | OTHER | frozenset(ARITY) | {HYPHEN}
)  # fmt: skip

# -- environments ------------------------------------------------------------------------------

MATRICES = environments("matrix")  # rows and columns that stand inside one line
DISPLAYS = environments("display")
STYLES = environments("style")
COUNTED = environments("counted")  # take a number of columns
DIAGRAMS = environments("diagram")
SKIPPED = environments("diagram", "skipped")

STRUCTURE = (
    which("structure")
    | {"\\begin{" + name for name in DISPLAYS | SKIPPED | MATRICES}
    | {"\\begin{document", "\\begin{split", "\\begin{aligned", "\\begin{gathered"}
)

# -- prose -------------------------------------------------------------------------------------

CHARACTERS = {"~": " ", "\\ ": " ", "\\\n": " ", "&": " "} | values("prints")
TEXT_ACCENTS = values("over")
HEADINGS = counts("heading")
PARAGRAPHS = which("paragraph")
REFERENCES = which("reference")
CITATIONS = which("citation")
DROPPED = counts("dropped")  # how many arguments to drop, after a star and any number of brackets


def accented(mark: str, letter: str) -> str:
    r"""A letter with its accent: `\"o` is ö."""
    return unicodedata.normalize("NFC", letter[:1] + mark) + letter[1:] if letter else ""
