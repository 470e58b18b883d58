"""An article in, the same article out with what a run knows about its equations beside them.

Each display equation gets its topics (from the sentences around it, and from all its rows that have
a normal form) and a glossary of its symbols: what the article says of them, else what the
alignment decoder expects under those topics.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from topiceq.article.arxiv import Library, refers
from topiceq.article.equation.rows import rows
from topiceq.article.equation.rules import UNK
from topiceq.article.equation.symbol import occurrences
from topiceq.article.files import Broken, Unreadable
from topiceq.article.page import Reading, read, without
from topiceq.article.pieces import Display, Piece, Prose
from topiceq.article.prose import Text
from topiceq.article.scope import Entry, Lexicon
from topiceq.article.source import KINDS, Article, sources
from topiceq.article.tex import join
from topiceq.corpus.definition import defined_in
from topiceq.errors import CorpusError
from topiceq.model.batches import sparse
from topiceq.model.joint import evaluating
from topiceq.model.run import Run
from topiceq.model.topics import Topic
from topiceq.questions import Annotate
from topiceq.tasks.explain import Explained, Meanings, Phrase, reads_equations
from topiceq.tasks.infer import (
    TopicShare,
    best_topics,
    posterior,
    row_likelihoods,
    together,
)
from topiceq.tasks.read import MAX_TOKENS, Equation, Floats

COLUMNS = 48  # of the picture of topics over the article's length
WINDOW = 10  # sentences that a column is about, at least
OF_ARTICLE = 6  # topics of the whole article
SHOWN = 3  # topics of a display
WORDS = 8  # of a topic
LEAST = 0.05  # p of a topic that is worth a bar
_ABOUT = re.compile(  # files that are about others
    r"(?:^|/)(?:readme|changelog|changes|history|news|contributing|license|licence|authors|todo"
    r"|code[-_]of[-_]conduct|security|install)[^/]*\.(?:md|markdown|rst)$",
    re.IGNORECASE,
)
PHRASES = 3  # meanings from the model for each symbol


@dataclass(frozen=True)
class Note:
    """What stands beside a display."""

    number: str  # empty where the article gives none
    line: int
    equation: str  # as written
    latex: str  # macros expanded; empty if it is no formula
    environment: str
    topics: list[TopicShare]  # the best first
    symbols: list[Explained]
    forms: list[tuple[str, ...]]  # of each symbol, as it stands in the formula


@dataclass(frozen=True)
class Annotated:
    """An article with notes beside its displays."""

    reading: Reading
    notes: dict[int, Note]  # by the place of the display among the pieces
    topics: list[TopicShare]  # of the whole article, the best first
    timeline: Floats  # (columns, K): theta over the article's length
    explains: bool  # whether the run has an alignment decoder

    @property
    def title(self) -> str:
        return without(self.reading.title)


class ArticleText(Text):
    """The sentences of an article around its displays, as a corpus would have them."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        super().__init__(reading.id, [_plain(piece) for piece in reading.pieces])
        self.lexicon = Lexicon(defined_in(self))

    def contexts(self, count: int) -> list[list[str]]:
        """The words around each display; near the ends of the article, those that there are."""
        around = [self.context(place, count) for place, _ in self.displays]
        return [[w for sentence in before + after for w in self.words(sentence)]
                for before, after in around]  # fmt: skip

    def windows(self) -> list[list[str]]:
        """The words along the article, in columns that overlap."""
        count = len(self.spans)
        columns = max(1, min(COLUMNS, count // 3))
        middles = [(2 * column + 1) * count // (2 * columns) for column in range(columns)]
        half = max(WINDOW, count // columns) // 2 + 1
        spans = [range(max(0, m - half), min(count, m + half)) for m in middles]
        return [[w for i in span for w in self.words(self.sentence(i))] for span in spans]


def _plain(piece: Piece) -> Piece:
    return Prose(piece.article, without(piece.text)) if isinstance(piece, Prose) else piece


def annotate(run: Run, question: Annotate, meanings: Meanings | None) -> Annotated:
    """Annotate one article; without meanings, only the text explains its symbols."""
    run.model.require_topics()
    reading = _read_article(question)
    if not reading.pieces:
        raise CorpusError(f"'{question.article}' has no text. Give one article; {KINDS} are read.")
    text = ArticleText(reading)
    timeline = thetas(run, text.windows())
    return Annotated(
        reading=reading,
        notes=dict(_notes(run, text, meanings)),
        topics=best_topics(timeline.mean(0), _short(run), OF_ARTICLE),
        timeline=timeline,
        explains=meanings is not None,
    )


def _read_article(question: Annotate) -> Reading:
    try:
        return read(one_article(question.article, question.cache))
    except Broken as broken:
        raise CorpusError(
            f"'{question.article}' {broken}. Give one article; {KINDS} are read."
        ) from None


def one_article(path: str, cache: str | None = None) -> Article:
    """The only article of a source, a README beside it aside; arXiv's are kept in `cache`."""
    library = Library(cache)
    given = sources([path], field="none", library=library)
    found = [article for source in given for article in source.articles()]
    readable = [article for article in found if isinstance(article, Article)]
    readable = [each for each in readable if not _ABOUT.search(each.root)] or readable
    if len(readable) == 1:
        return readable[0]
    if readable:
        some = ", ".join(article.id for article in readable[:3])
        unpacked = f"Unpack it (it is in {library.folder}) and give" if refers(path) else "Give"
        raise CorpusError(
            f"'{path}' holds {len(readable)} articles ({some}, ...). {unpacked} the file of one."
        )
    why = next((each.why for each in found if isinstance(each, Unreadable)), "holds no article")
    hint = "" if refers(path) else f" Give one article; {KINDS} are read."
    raise CorpusError(f"'{path}' {why}.{hint}")


def thetas(run: Run, contexts: Sequence[Sequence[str]]) -> Floats:
    """theta of many contexts (n, K); of one without any known word, as if it had no words."""
    ids = [run.words.encode(words) for words in contexts]
    counts = [np.bincount(some, minlength=len(run.words)) for some in ids]
    with evaluating(run.model) as device:
        theta = run.model.encode(sparse(csr_matrix(np.array(counts, dtype=np.float32))).to(device))
    assert theta is not None
    found: Floats = theta.cpu().numpy()
    return found


def _display_thetas(run: Run, text: ArticleText) -> Floats:
    """theta of each display (n, K): of its context, and of the equation where it can be read."""
    if not text.displays:
        return np.zeros((0, run.config.model.topics), dtype=np.float32)
    theta = thetas(run, text.contexts(run.config.corpus.sentences))
    if reads_equations(run):
        displays = [_read(run, display) for _, display in text.displays]
        theta = posterior(together(run, row_likelihoods(run, displays)), theta)
    return theta


def _read(run: Run, display: Display) -> list[Equation]:
    """The equations of a display that the run can read."""
    forms = [] if display.reason else rows(display.tokens, display.environment)
    ids = [run.tokens.encode(tokens).tolist() for tokens in forms]
    return [
        Equation(tuple(tokens), tuple(known))
        for tokens, known in zip(forms, ids, strict=True)
        if len(known) <= MAX_TOKENS and any(i != UNK for i in known)
    ]


def _notes(run: Run, text: ArticleText, meanings: Meanings | None) -> Iterator[tuple[int, Note]]:
    places = [i for i, piece in enumerate(text.reading.pieces) if isinstance(piece, Display)]
    theta, topics = _display_thetas(run, text), _short(run)
    for place, (at, display), mixture in zip(places, text.displays, theta, strict=True):
        found = [
            one for row in rows(display.tokens, display.environment) for one in occurrences(row)
        ]
        entries = text.lexicon.glossary(found, text.own(at))
        yield (
            place,
            Note(
                number=text.reading.numbers.get(place, ""),
                line=display.line,
                equation=display.source,
                latex="" if display.reason else join(display.tokens),
                environment=display.environment,
                topics=[t for t in best_topics(mixture, topics, SHOWN) if t.p >= LEAST],
                symbols=_explained(entries, mixture, meanings),
                forms=[tuple(form.latex for form in entry.forms) for entry in entries],
            ),
        )


def _short(run: Run) -> list[Topic]:
    return [topic.short(WORDS, 0, 0) for topic in run.topics]


def _explained(
    entries: Sequence[Entry], theta: Floats, meanings: Meanings | None
) -> list[Explained]:
    """What the text says comes before what the model expects."""
    symbols = [entry.forms[0] for entry in entries]
    if meanings is None:
        expected = [Explained(symbol.latex, []) for symbol in symbols]
    else:
        expected = meanings.under(theta).of(symbols, PHRASES)
    return [
        Explained(one.symbol, _said(entry) + one.phrases)
        for entry, one in zip(entries, expected, strict=True)
    ]


def _said(entry: Entry) -> list[Phrase]:
    said = entry.definition
    return [Phrase(said.phrase, None, "text", sentence=said.sentence)] if said else []
