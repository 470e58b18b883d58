"""An article in, its pairs out, or for each display equation the reason why not.

The whole prose of an article is one text in which a display is one character. The sentence that
holds a display is cut in two by it; its halves are the immediate context, and the sentences around
them, across paragraphs and other displays, fill up five on each side.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from topiceq.config import CorpusConfig
from topiceq.corpus.files import Unreadable
from topiceq.corpus.latex import read
from topiceq.corpus.normal import NotNormal, normal_form, undefined
from topiceq.corpus.pair import Pair
from topiceq.corpus.pieces import Display, Heading, Piece, Prose
from topiceq.corpus.prose import DISPLAY, has_words, is_english, sentences, tidy, words
from topiceq.corpus.source import Article, sources
from topiceq.corpus.tex import join

REASONS = (
    "multiline", "too_short", "too_long", "few_sentences_before", "few_sentences_after",
    "unbalanced", "undefined", "diagram", "duplicate", "unreadable", "not_english", "macro_limit",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dropped:
    """A display, or a whole source, that gives no pair, and why."""

    reason: str
    article: str
    line: int
    equation: str


def extract(
    *paths: str | Path, field: str | Path = "folder", config: CorpusConfig | None = None
) -> Iterator[Pair]:
    """All pairs of the articles below some paths, one after another, in one process.

    For many articles use `extract_shards`, which works in parallel and can be resumed.
    """
    for source in sources(paths, field=field):
        for article in source.articles():
            for found in pairs(article, config or CorpusConfig()):
                if isinstance(found, Pair):
                    yield found


def pairs(article: Article | Unreadable, config: CorpusConfig) -> Iterator[Pair | Dropped]:
    """The pairs of one article (of a book: of all its chapters) and what was dropped."""
    if isinstance(article, Unreadable):
        yield Dropped("unreadable", article.where, 0, article.why)
        return
    for id, pieces in _by_article(read(article)):
        yield from _Reading(id, pieces).pairs(article.field, config)


def _by_article(pieces: Iterable[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    """The pieces of each article together, in the order in which the articles begin."""
    together: dict[str, list[Piece]] = {}
    for id, some in groupby(pieces, key=lambda piece: piece.article):
        together.setdefault(id, []).extend(some)
    yield from together.items()


class _Reading:
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

    def pairs(self, field: str, config: CorpusConfig) -> Iterator[Pair | Dropped]:
        """A pair for each display that has a context and a normal form."""
        if not self.displays:
            return
        english = is_english(words(self.text[:5_000]))
        self.spans = sentences(self.text)
        self.starts = [start for start, _ in self.spans]
        for number, (place, display) in enumerate(self.displays):
            try:
                if display.reason or not english:
                    raise NotNormal(display.reason or "not_english")
                yield self._pair(place, display, number, field, config)
            except NotNormal as why:
                yield Dropped(str(why), self.id, display.line, display.source)

    def _pair(
        self, place: int, display: Display, number: int, field: str, config: CorpusConfig
    ) -> Pair:
        before, after = self.context(place, config.sentences)
        if len(before) < config.sentences:
            raise NotNormal("few_sentences_before")
        if len(after) < config.sentences:
            raise NotNormal("few_sentences_after")
        tokens = normal_form(display.tokens)
        _check_length(tokens, config)
        if undefined(tokens):
            raise NotNormal("undefined")
        section = self.headings[bisect_right(self.headings, (place, "")) - 1][1]
        return Pair(
            id=f"{self.id}#{number}", article=self.id, field=field, line=display.line,
            section=section, equation=display.source, expanded=join(display.tokens).strip(),
            tokens=tokens, before=before, after=after,
            words=[word for sentence in before + after for word in self.words(sentence)],
        )  # fmt: skip

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


def _check_length(tokens: Sequence[str], config: CorpusConfig) -> None:
    if len(tokens) < config.min_tokens:
        raise NotNormal("too_short")
    if len(tokens) > config.max_tokens:
        raise NotNormal("too_long")


def ends_sentence(display: Display) -> bool:
    """Whether a display closes with a full stop."""
    for token in reversed(display.tokens):
        bare = token.strip()
        if bare and bare != "}" and not bare.startswith("\\"):
            return bare[-1] in ".?!"
    return False
