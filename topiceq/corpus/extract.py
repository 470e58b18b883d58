"""An article in, its pairs out, or for each display equation the reason why not.

The whole prose of an article is one text in which a display is one character. The sentence that
holds a display is cut in two by it; its halves are the immediate context, and the sentences around
them, across paragraphs and other displays, fill up five on each side.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, to_latex, undefined
from topiceq.article.equation.rows import RowEquation, equations
from topiceq.article.files import Broken, Unreadable
from topiceq.article.formats import read
from topiceq.article.pieces import Display, Piece
from topiceq.article.prose import Text, is_english
from topiceq.article.source import Article, sources
from topiceq.article.tex import join
from topiceq.article.unread import why_silent
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition, symbol_definitions
from topiceq.corpus.pair import Pair

REASONS = (
    "multiline", "fragment", "too_short", "too_long", "few_sentences_before", "few_sentences_after",
    "unbalanced", "undefined", "diagram", "duplicate", "unreadable", "not_english", "macro_limit",
    "amstex", "no_document", "print",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dropped:
    """A display, or a whole source, that gives no pair, and why."""

    reason: str
    article: str
    file: str
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


def contents(
    article: Article | Unreadable, config: CorpusConfig
) -> Iterator[Pair | Dropped | SymbolDefinition]:
    """All that a corpus wants of one article: pairs, what was dropped, what its symbols mean."""
    for text in texts(article):
        if isinstance(text, Dropped):
            yield text
            continue
        assert isinstance(article, Article)
        yield from _pairs(text, article.field, config)
        if is_english(text.beginning):
            yield from symbol_definitions(text, article.field, config.sentences)


def pairs(article: Article | Unreadable, config: CorpusConfig) -> Iterator[Pair | Dropped]:
    """The pairs of one article (of a book: of all its chapters) and what was dropped."""
    for text in texts(article):
        if isinstance(text, Dropped):
            yield text
        else:
            assert isinstance(article, Article)
            yield from _pairs(text, article.field, config)


def texts(article: Article | Unreadable) -> Iterator[Text | Dropped]:
    """The text of an article, or of each chapter of a book; or why there is none."""
    if isinstance(article, Unreadable):
        yield Dropped("unreadable", article.where, "", 0, article.why)
        return
    try:
        pieces = read(article)
    except Broken as broken:
        yield Dropped("unreadable", article.id, article.root, 0, str(broken))
        return
    if not pieces and (reason := why_silent(article)):
        yield Dropped(reason, article.id, article.root, 0, "")
    for id, own in _by_article(pieces):
        yield Text(id, own)


def _by_article(pieces: Iterable[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    """The pieces of each article together, in the order in which the articles begin."""
    together: dict[str, list[Piece]] = {}
    for id, some in groupby(pieces, key=lambda piece: piece.article):
        together.setdefault(id, []).extend(some)
    yield from together.items()


def _pairs(text: Text, field: str, config: CorpusConfig) -> Iterator[Pair | Dropped]:
    """A pair for each equation that has a context and a normal form."""
    if not text.displays:
        return
    english = is_english(text.beginning)
    for number, (place, display) in enumerate(text.displays):
        try:
            if display.reason or not english:
                raise NotNormal(display.reason or "not_english")
            yield from _of_display(text, place, display, number, field, config)
        except NotNormal as why:
            yield Dropped(str(why), text.id, display.file, display.line, display.source)


def _of_display(
    text: Text, place: int, display: Display, number: int, field: str, config: CorpusConfig
) -> Iterator[Pair | Dropped]:
    """A pair for each equation of a display, or why there is none; all have the same context."""
    before, after = text.context(place, config.sentences)
    if len(before) < config.sentences:
        raise NotNormal("few_sentences_before")
    if len(after) < config.sentences:
        raise NotNormal("few_sentences_after")
    rows, is_cut = _equations(display, config)
    around = [word for sentence in before + after for word in text.words(sentence)]
    for row, (tokens, reason) in enumerate(rows):
        latex = to_latex(tokens) if is_cut else join(display.tokens).strip()
        if why := reason or _unfit(tokens, config):
            written = latex if is_cut and tokens else display.source
            yield Dropped(why, text.id, display.file, display.line, written)
            continue
        yield Pair(
            id=f"{text.id}#{number}.{row}" if len(rows) > 1 else f"{text.id}#{number}",
            article=text.id, file=display.file, line=display.line, field=field,
            section=text.section(place), equation=display.source, expanded=latex,
            tokens=tokens, before=before, after=after, words=around,
        )  # fmt: skip


def _equations(display: Display, config: CorpusConfig) -> tuple[list[RowEquation], bool]:
    """The equations of a display, and whether it had to be cut or joined for them."""
    if config.rows == "paper":
        return [RowEquation(normal_form(display.tokens))], False
    rows = equations(display.tokens, display.environment, config.max_tokens)
    try:
        whole = normal_form(display.tokens)
        if len(rows) < 2:
            return [RowEquation(whole)], False
    except NotNormal as why:
        if str(why) != "multiline" or not rows:
            raise
    return rows, True


def _unfit(tokens: Sequence[str], config: CorpusConfig) -> str:
    """Why an equation in normal form is not kept; nothing if it is."""
    if len(tokens) < config.min_tokens:
        return "too_short"
    if len(tokens) > config.max_tokens:
        return "too_long"
    return "undefined" if undefined(tokens) else ""
