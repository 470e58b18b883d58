r"""What concerns only the layout of an equation: spaces, lengths, silent commands, array columns.

Nothing here leaves a mark on the picture but spacing and size, except the rules between the columns
of an array. Lists of tokens end in an empty string where a function reads ahead in them.
"""

import re
from collections.abc import Sequence

from topiceq.article.commands import counts, which
from topiceq.article.tex import is_letters

# so small, or nothing at all, that a script behind one still belongs to what stands before it
SMALL_SPACES = which("small-space") | {" "}
# a backslash at the very end stands before the end of its line, which is a space to TeX
WORD_SPACES = which("word-space") | {"~", "\\ ", "\\\n", "\\"}
SPACES = SMALL_SPACES | WORD_SPACES | which("space", "class")
# commands that print nothing, and how many braced arguments go with them, after a star and brackets
SILENT = counts("silent")
LENGTHS = which("length")  # before a number or a length without braces
UNITS = frozenset("pt em ex mu mm cm in pc bp sp dd cc fi".split())
LENGTH = re.compile(rf"\s*+[-+]?[\d.]*\s*({'|'.join(sorted(UNITS))}|\\[a-zA-Z@]+)\s*")


def is_length(tokens: Sequence[str]) -> bool:
    r"""Whether the tokens in brackets behind \\ are a length, not part of the next row."""
    return LENGTH.fullmatch("".join(tokens)) is not None


def length_end(tokens: Sequence[str], at: int) -> int:
    r"""Where a length that starts at a place ends: `= -2.5pt plus 1fil minus 1fil`, `\jot`.

    >>> length_end([*"-2.5em plus 1fil x", ""], 0)
    16
    """
    while tokens[at] in ("=", " "):
        at += 1
    at = _one_length_end(tokens, at)
    for word in ("plus", "minus"):
        start = _blank_end(tokens, at)
        if "".join(tokens[start : start + len(word)]) == word:
            at = _one_length_end(tokens, _blank_end(tokens, start + len(word)))
    return at


def _blank_end(tokens: Sequence[str], at: int) -> int:
    while tokens[at] == " ":
        at += 1
    return at


def _one_length_end(tokens: Sequence[str], at: int) -> int:
    while (token := tokens[at]) and token in "-+.0123456789":
        at += 1
    unit = _blank_end(tokens, at)
    if is_letters(tokens[unit]):
        return unit + 1
    if "".join(tokens[unit : unit + 2]) not in UNITS:
        return at
    unit += 2
    while tokens[unit] == "l":  # fil, fill
        unit += 1
    return unit


def column_letters(tokens: Sequence[str]) -> list[str]:
    r"""The columns of an array: l, c, r and |, repetitions written out, what is between them not.

    >>> column_letters([*"@{}l*{2}{|c}p{3cm}"])
    ['l', '|', 'c', '|', 'c', 'l']
    """
    return _columns("".join(tokens).replace(" ", "")) or ["c"]


def _columns(text: str, depth: int = 0) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(text) and depth < 3:
        letter, at = text[at], at + 1
        if letter == "|":
            out.append(letter)
        elif letter.isalpha():  # a \newcolumntype may be called L or R; most others are centred
            low = letter.lower()
            out.append("l" if letter in "pmbX" else low if low in "lcr" else "c")
        if letter == "*":
            count, at = _argument(text, at)
            repeated, at = _argument(text, at)
            out += _columns(repeated, depth + 1)[:20] * (int(count) if count in _COUNTS else 1)
        while text[at : at + 1] == "{":
            at = _argument(text, at)[1]
    return out


_COUNTS = frozenset(map(str, range(31)))  # more columns than a line holds are a slip


def _argument(text: str, at: int) -> tuple[str, int]:
    """What stands in the braces at a place, or the one character, and where it ends."""
    if text[at : at + 1] != "{":
        return text[at : at + 1], at + 1
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[at + 1 : i], i + 1
    return text[at + 1 :], len(text)
