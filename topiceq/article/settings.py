r"""The text of a site's settings in, definitions of macros in TeX out.

Settings (conf.py of Sphinx, _config.yml, mkdocs.yml, a script in a page) are never executed nor
loaded: they are searched for \newcommand and its relatives, and for tables of MathJax and KaTeX
such as `macros: {R: "\\mathbb{R}", norm: ["\\|#1\\|", 1]}`.
"""

import posixpath
import re
from collections.abc import Iterator

from topiceq.article.files import Files, folders_above

_MAX_MACROS = 2_000
_MAX_LENGTH = 20_000  # of one definition, or of a table of them
_COMMAND = re.compile(
    r"(\\?)\\(?:(?:re|provide)?newcommand|(?:Re|Provide|Declare)?(?:New)?DocumentCommand"
    r"|DeclareMathOperator|DeclarePairedDelimiter|def|gdef|let)\b\*?(?=\s*[\\{])"
)
_TABLE = re.compile(r"\b[Mm]acros[\"']?\s*[:=]\s*(?=\{)")
_YAML_TABLE = re.compile(r"^([ \t]*)[Mm]acros:[ \t]*\n((?:\1[ \t]++.*+\n|[ \t]*\n)+)", re.M)
_ENTRY = re.compile(
    r"""(?<![A-Za-z]) (?P<name>[A-Za-z]+) ["']? \s* : \s* (?P<list>\[\s*)? (?P<raw>[rR]?)
        (?P<body>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
        (?: \s*,\s*(?P<count>\d) (?: \s*,\s* [rR]? ["'](?P<default>[^"'\n]*)["'] )? )?""",
    re.VERBOSE,
)
_LINE = re.compile(r"^\\([A-Za-z]+)[ \t]*:[ \t]*(\{.*\})[ \t]*$", re.M)  # of mdBook
_PLAIN_ENTRY = re.compile(r"^[ \t]+(?P<name>[A-Za-z]+)\s*:\s*(?P<body>[\\{].*)$", re.M)


def beside(files: Files, root: str, name: str) -> str:
    """The text of the settings nearest above an article, "" where there are none."""
    for folder in reversed(["", *folders_above(root)]):
        text = files.read(posixpath.join(folder, name))
        if text is not None:
            return text
    return ""


def macros(text: str) -> str:
    r"""Definitions, one a line.

    >>> print(macros(r'"macros": {"R": r"\mathbb{R}", "norm": ["\\|#1\\|", 1]}'))
    \newcommand{\R}{\mathbb{R}}
    \newcommand{\norm}[1]{\|#1\|}
    """
    definitions = [*_commands(text), *_tables(text), *_lines(text)]
    return "\n".join(definitions[:_MAX_MACROS])


def _commands(text: str) -> Iterator[str]:
    r"""What stands as \newcommand{..}{..} in the text, in a string of Python or not."""
    end = 0
    for match in _COMMAND.finditer(text):
        if match.start() >= end:  # not inside the definition before
            end = _end_of_definition(text, match.end())
            definition = text[match.start() : end]
            yield _unescaped(definition) if match[1] else definition


def _end_of_definition(text: str, start: int) -> int:
    """Where the line ends in which the last group of a definition closes."""
    depth = 0
    stop = min(len(text), start + _MAX_LENGTH)
    for place in range(start, stop):
        character = text[place]
        if character in "{}" and text[place - 1] != "\\":
            depth += 1 if character == "{" else -1
        if depth < 0 or (character == "\n" and depth == 0):
            return place
    return stop


def _tables(text: str) -> Iterator[str]:
    end = 0
    while match := _TABLE.search(text, end):
        end = _end_of_table(text, match.end())
        yield from _entries(text[match.end() : end])
    for match in _YAML_TABLE.finditer(text):
        yield from _entries(match[2])
        for entry in _PLAIN_ENTRY.finditer(match[2]):
            yield _definition(entry["name"], entry["body"].rstrip(), None, None)


def _lines(text: str) -> Iterator[str]:
    r"""`\R:{\mathbb{R}}`: as many arguments as the body uses."""
    for line in _LINE.finditer(text):
        count = max(map(int, re.findall(r"#(\d)", line[2])), default=0)
        yield _definition(line[1], line[2], str(count) if count else None, None)


def _end_of_table(text: str, start: int) -> int:
    """Where the brace closes that opens at `start`; those in strings are closed there too."""
    depth = 0
    stop = min(len(text), start + _MAX_LENGTH)
    for place in range(start, stop):
        if text[place] in "{}":
            depth += 1 if text[place] == "{" else -1
            if depth == 0:
                return place
    return stop


def _entries(table: str) -> Iterator[str]:
    for entry in _ENTRY.finditer(table):
        body = entry["body"][1:-1]
        if not entry["raw"]:
            body = _unescaped(body)
        if entry["list"]:
            yield _definition(entry["name"], body, entry["count"], entry["default"])
        else:
            yield _definition(entry["name"], body, None, None)


def _definition(name: str, body: str, count: str | None, default: str | None) -> str:
    options = f"[{count}]" if count else ""
    if count and default is not None:
        options += f"[{default}]"
    return f"\\newcommand{{\\{name}}}{options}{{{body}}}"


def _unescaped(text: str) -> str:
    r"""What a string of Python, JavaScript or YAML holds: `\\` is one backslash."""
    return text.replace("\\\\", "\\").replace('\\"', '"')
