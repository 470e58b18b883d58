r"""A sentence of prose as tokens, in which every formula is one.

In goes a sentence with inline math between dollar signs; out come its words, its formulas in groups
("$x$, $y$ and $z$"), and names and phrases that begin or end at a token. Formulas are characters
of Unicode's private area, which prose does not use.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from topiceq.article.equation.symbol import Symbol
from topiceq.article.introduced import Formula, introduced
from topiceq.article.nouns import TOKEN, forwards, is_formula
from topiceq.article.wording import ADVERBS, BE, OPENERS, SUBJECT_ARTICLES, Phrases

FIRST = 0xE100  # formulas are characters from here on
PADDING = 16
MANY = 2000  # formulas of a sentence that are looked at
FAR = 15  # tokens from the beginning of a name to its end
_MATH = re.compile(r"\$([^$]*)\$")
_MARKS = re.compile(f"[{chr(FIRST)}-\uf8ff]")  # in a text they are icons of a font


class Group(NamedTuple):
    """Formulas one after the other: $x$, $y$ and $z$."""

    start: int
    end: int
    places: list[int]


class Sentence:
    """A sentence as tokens."""

    def __init__(self, sentence: str) -> None:
        self.latex: list[str] = []
        masked = _MATH.sub(self._mask, _MARKS.sub(" ", sentence))
        self.tokens = _without_adverbs(TOKEN.findall(masked))
        self.formulas = [at for at, token in enumerate(self.tokens) if is_formula(token)]
        # nothing behind the end, and so before the beginning too
        self.low = [*(token.lower() for token in self.tokens), *[""] * PADDING]

    def _mask(self, match: re.Match[str]) -> str:
        if len(self.latex) >= MANY:
            return "…"
        self.latex.append(match[1])
        return chr(FIRST + len(self.latex) - 1)

    def groups(self) -> Iterator[Group]:
        """The formulas of the sentence, those in a list together."""
        places: list[int] = []
        for at in self.formulas:
            if len(self.low[at]) > 1:  # $n$-dimensional
                continue
            if places and at - 1 != places[-1] + (self.joint(places[-1] + 1) or -1):
                yield Group(places[0], places[-1] + 1, places)
                places = []
            places.append(at)
        if places:
            yield Group(places[0], places[-1] + 1, places)

    def joint(self, at: int) -> int:
        """How many tokens join two formulas here: 1 of "and", 2 of ", and"."""
        if self.low[at] == "," and self.low[at + 1] == "and":
            return 2
        return 1 if self.low[at] in (",", "and", "or") else 0

    def latex_of(self, token: str) -> str:
        """The LaTeX that a token stands for."""
        return self.latex[ord(token[0]) - FIRST]

    def formula(self, at: int) -> Formula:
        """The formula at a token."""
        return introduced(self.latex_of(self.tokens[at]))

    def symbols(self, places: Iterable[int]) -> list[Symbol]:
        return [s for at in places for s in self.formula(at).symbols]

    def restored(self, words: Sequence[str]) -> str:
        """A phrase with its formulas back in place."""
        return " ".join(f"${self.latex_of(w)}${w[1:]}" if is_formula(w) else w for w in words)

    def match(self, phrases: Phrases, at: int) -> int:
        """How many tokens from here on are one of the phrases."""
        for phrase in phrases.get(self.low[at], ()):
            if tuple(self.low[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def left_of(self, phrases: Phrases, end: int) -> int:
        """Where the phrase that ends at a token begins; the token itself without one."""
        for length in (4, 3, 2, 1):
            if end >= length and self.match(phrases, end - length) == length:
                return end - length
        return end

    def subject(self, end: int) -> list[str]:
        """The name that a clause begins with and that ends at a token."""
        words: list[str] = []
        for at in range(end - 1, max(-1, end - FAR), -1):
            if self.low[at] in SUBJECT_ARTICLES:
                name = forwards(self.tokens, at)
                if name.words and name.is_whole and name.end == end:
                    before = self.low[at - 1]
                    opens = at == 0 or before in OPENERS or is_formula(before or " ")
                    words = name.words if opens else []
        return words

    def cell(self, start: int, end: int, *, any_head: bool = False) -> list[str]:
        """The name that takes all the tokens between two places."""
        name = forwards(self.tokens[start:end], 0, any_head=any_head)
        return name.words if name.end == end - start else []


def _without_adverbs(tokens: list[str]) -> list[str]:
    """Tokens without what stands between a verb and the rest of it: "is usually denoted by"."""
    return [
        token
        for before, token in zip(["", *tokens], tokens, strict=False)
        if token not in ADVERBS or before.lower() not in BE and not is_formula(before or " ")
    ]
