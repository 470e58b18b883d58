r"""LaTeX that is not a whole equation: what is still open in it, and where it went wrong.

In go tokens of LaTeX source; out comes what would close everything that they open, or a sentence
that says which token cannot stand where it does.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from topiceq.article.equation.rows import equations
from topiceq.article.tex import join, lex, units

PAIRS = {"{": "}", "\\left": "\\right", "\\bgroup": "\\egroup", "\\begingroup": "\\endgroup",
         "\\[": "\\]", "\\(": "\\)"}  # fmt: skip
CLOSERS = frozenset(PAIRS.values())
NO_FORM = ("unbalanced", "diagram")  # why a row is none
LOOK_AHEAD = 40  # tokens in a row that do not parse before we say where the first one is
SHOWN = 40  # characters of the equation in a message


class Misplaced(Exception):
    """A token that closes nothing."""

    def __init__(self, tokens: Sequence[str], place: int, token: str) -> None:
        super().__init__(f"'{token}' closes nothing{_behind(tokens[:place])}")
        self.place = place


def openers(tokens: Sequence[str]) -> list[str]:
    r"""What is still open at the end: `{`, `\left`, `\begin{array}`, `$`, the outermost first.

    >>> openers(["\\left", "(", "{", "x", "}"])
    ['\\left']
    """
    opened: list[str] = []
    for place, token in _brackets(tokens):
        if token in PAIRS or token.startswith("\\begin{"):
            opened.append(token)
        elif opened and token == closer(opened[-1]):
            opened.pop()
        elif token in ("$", "$$"):
            opened.append(token)
        else:
            raise Misplaced(tokens, place, token)
    return opened


def closer(opener: str) -> str:
    r"""What closes it.

    >>> closer("{"), closer("\\begin{array}"), closer("$")
    ('}', '\\end{array}', '$')
    """
    return PAIRS.get(opener) or opener.replace("\\begin", "\\end")


def complete(opener: str) -> str:
    r"""What closes it, with all that it needs.

    >>> complete("\\left")
    '\\right.'
    """
    end = closer(opener)
    return end + "." if end == "\\right" else end


def _brackets(tokens: Sequence[str]) -> Iterator[tuple[int, str]]:
    r"""The tokens that open or close something, with their places; \begin{name} is one."""
    place = 0
    while place < len(tokens):
        token, start = tokens[place], place
        if token in ("\\begin", "\\end") and "}" in tokens[place:]:
            place += tokens[place:].index("}")
            token += "".join(tokens[start + 1 : place + 1]).replace(" ", "")
        if token in PAIRS or token in CLOSERS or token in ("$", "$$") or place > start:
            yield start, token
        place += 1


class Fault(NamedTuple):
    """Why tokens are no equation, as the rest of a sentence, and what stands before the fault."""

    why: str
    before: str

    def position(self, text: str) -> int | None:
        r"""Where that is in the text as it was typed; None if macros have changed it.

        >>> fault(["x", "^", "{", "2", "}", "}"]).position("x ^{2} }")
        6
        """
        letters = map(re.escape, "".join(self.before.split()))
        found = re.search(r"\s*".join(letters), text)
        return found.end() if found else None


def fault(tokens: Sequence[str]) -> Fault:
    r"""What is wrong with tokens that are no equation.

    >>> fault(["x", "^", "{", "2", "}", "}"])
    Fault(why="'}' closes nothing, behind 'x^{2}'", before='x^{2}')
    """
    tokens = units(tokens)
    try:
        opened = openers(tokens)
    except Misplaced as misplaced:
        return Fault(str(misplaced), join(tokens[: misplaced.place]).strip())
    if opened:
        return Fault(f"'{opened[-1]}' is not closed{_behind(tokens)}", join(tokens).strip())
    if _parses([*tokens, *"{}{}"]):  # the arguments of \frac
        return Fault(f"something is missing{_behind(tokens)}", join(tokens).strip())
    place = _first_wrong(tokens)
    behind = _behind(tokens[:place]) or " at the beginning"
    return Fault(f"'{tokens[place]}' cannot stand{behind}", join(tokens[:place]).strip())


def _first_wrong(tokens: Sequence[str]) -> int:
    """Where the longest beginning ends that parses once all that it opens is closed."""
    best = 0
    for size in range(1, len(tokens) + 1):
        if _parses(tokens[:size]):
            best = size
        elif size - best > LOOK_AHEAD:
            break
    return min(best, len(tokens) - 1)


def _parses(tokens: Sequence[str]) -> bool:
    try:
        ends = "".join(complete(opener) for opener in reversed(openers(tokens)))
        return not any(row.reason in NO_FORM for row in equations([*tokens, *units(lex(ends))]))
    except Misplaced:
        return False


def _behind(tokens: Sequence[str]) -> str:
    text = join(tokens).strip()
    shown = text if len(text) <= SHOWN else "…" + text[-SHOWN:]
    return f", behind '{shown}'" if shown else ""
