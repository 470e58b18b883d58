"""The text of one article, and the sentences around its displays.

In go the pieces of an article; out come, for the place of each display, the sentences before and
after it, the section that it stands in, and the words of a sentence.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from topiceq.corpus.pieces import Display, Heading, Piece, Prose
from topiceq.corpus.prose import DISPLAY, has_words, sentences, tidy, words


class Text:
    """The text of one article, with the places of its displays and headings."""

    def __init__(self, id: str, pieces: Sequence[Piece]) -> None:
        self.id = id
        self.displays: list[tuple[int, Display]] = []
        self.headings: list[tuple[int, str]] = [(-1, "")]
        self._words: dict[str, list[str]] = {}
        self._tidy: dict[int, str] = {}
        parts: list[str] = []
        length = 0
        for piece in pieces:
            part = self._part(piece, length)
            parts.append(part)
            length += len(part)
        self.text = "".join(parts)

    def _part(self, piece: Piece, place: int) -> str:
        if isinstance(piece, Prose):
            return piece.text.replace(DISPLAY, " ")
        if isinstance(piece, Heading):
            self.headings.append((place, piece.text))
            return "\n\n"
        self.displays.append((place, piece))
        return DISPLAY + ("." if ends_sentence(piece) else "")

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each sentence begins and ends."""
        return sentences(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each sentence begins."""
        return [start for start, _ in self.spans]

    def section(self, place: int) -> str:
        """The last heading before a place."""
        return self.headings[bisect_right(self.headings, (place, "")) - 1][1]

    def context(self, place: int, count: int) -> tuple[list[str], list[str]]:
        """The sentences before and after a display, the halves of its own among them."""
        own = bisect_right(self.starts, place) - 1
        start, end = self.spans[own]
        left, right = self.text[start:place], self.text[place + 1 : end].lstrip(".")
        before = self._some(left, range(own - 1, -1, -1), count)
        after = self._some(right, range(own + 1, len(self.spans)), count)
        return before[::-1], after

    def words(self, sentence: str) -> list[str]:
        """The words of a sentence, which neighbouring displays share."""
        known = self._words.get(sentence)
        if known is None:
            known = self._words[sentence] = words(sentence)
        return known

    def _some(self, half: str, others: range, count: int) -> list[str]:
        """The half of the sentence that a display cuts, if it has words, and its neighbours."""
        found = [tidy(half)] if has_words(half) else []
        for i in others:
            if len(found) == count:
                break
            if sentence := self.sentence(i):
                found.append(sentence)
        return found

    def sentence(self, number: int) -> str:
        """A sentence as a reader would see it; empty if it has no words of its own."""
        known = self._tidy.get(number)
        if known is None:
            start, end = self.spans[number]
            text = self.text[start:end]
            known = self._tidy[number] = tidy(text) if has_words(text) else ""
        return known


def ends_sentence(display: Display) -> bool:
    """Whether a display closes with a full stop."""
    for token in reversed(display.tokens):
        bare = token.strip()
        if bare and bare != "}" and not bare.startswith("\\"):
            return bare[-1] in ".?!"
    return False
