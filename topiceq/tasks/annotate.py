"""An article in, the same article out with what a run knows about its equations beside them.

Each display equation gets its topics (from the sentences around it, and from all its rows that have
a normal form) and a glossary of its symbols: what the article says of them, else what the run's
lexicon is sure enough of. Formulas inside sentences have a glossary too, of what is said elsewhere.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import parse
from topiceq.article.equation.rows import rows
from topiceq.article.equation.rules import UNK
from topiceq.article.equation.symbol import Occurrence, Symbol, occurrences
from topiceq.article.files import Broken
from topiceq.article.marks import without
from topiceq.article.page import Reading, read
from topiceq.article.pieces import Display, Piece, Prose
from topiceq.article.prose import Text
from topiceq.article.scope import Definitions, Entry
from topiceq.article.source import KINDS, one_article
from topiceq.article.tex import join
from topiceq.article.typed import MAX_TOKENS
from topiceq.article.unread import WHY, why_silent
from topiceq.corpus.definition import defined_in
from topiceq.corpus.merging import merged
from topiceq.errors import CorpusError
from topiceq.model.held_out import context_thetas
from topiceq.model.lexicon import SURE, Asked, letters
from topiceq.model.run import Run
from topiceq.model.topics import Topic
from topiceq.questions import Annotate
from topiceq.tasks.explain import Explained, meanings_of
from topiceq.tasks.infer import TopicShare, best_topics, equation_topics, reads_equations
from topiceq.tasks.read import Equation, Floats

COLUMNS = 48  # of the picture of topics over the article's length
WINDOW = 10  # sentences that a column is about, at least
OF_ARTICLE = 6  # topics of the whole article
SHOWN = 3  # topics of a display
WORDS = 8  # of a topic
LEAST = 0.05  # p of a topic that is worth a bar
FORMULA = re.compile(
    r"\$[^$]*\$(?P<named>[-\s]*(?:values?|tests?|scores?)\b)?"
)  # the p value is no p
NAMED = frozenset("p t F z Z T".split())
GUESSES = 2  # meanings from the lexicon for each symbol


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
class InlineNote:
    """What is said elsewhere of the symbols of a formula inside a sentence."""

    latex: str  # of the formula
    symbols: list[Explained]  # those of which something is said
    forms: list[tuple[str, ...]]  # of each symbol, as it stands in the formula


@dataclass(frozen=True)
class Annotated:
    """An article with notes beside its displays."""

    reading: Reading
    notes: dict[int, Note]  # by the place of the display among the pieces
    glossary: list[Explained]  # every symbol that is explained, once with each of its meanings
    inline: dict[int, list[InlineNote]]  # by the place of the prose; its heads and labels have none
    sentences: dict[int, tuple[int, int]]  # by its number, in which piece a sentence begins, where
    topics: list[TopicShare]  # of the whole article, the best first
    timeline: Floats  # (columns, K): theta over the article's length
    explains: bool  # whether the run has a lexicon

    @property
    def title(self) -> str:
        return without(self.reading.title)


class ArticleText(Text):
    """The sentences of an article around its displays, as a corpus would have them."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.offsets: list[int] = []  # of the pieces
        super().__init__(reading.id, [_plain(piece) for piece in reading.pieces])
        self.definitions = Definitions(defined_in(self))

    def _part(self, piece: Piece, place: int) -> str:
        self.offsets.append(place)
        return super()._part(piece, place)

    def begins(self, sentence: int) -> tuple[int, int]:
        """In which piece a sentence begins, and where in its text."""
        start = self.spans[sentence][0]
        piece = bisect_right(self.offsets, start) - 1
        return piece, start - self.offsets[piece]

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


def annotate(run: Run, reading: Reading) -> Annotated:
    """Annotate an article that was read; without a lexicon, only it explains its symbols."""
    run.model.require_topics()
    text = ArticleText(reading)
    windows = text.windows()
    timeline = context_thetas(run.model, run.words, windows)
    notes = dict(_notes(run, text))
    inline = dict(_Inline(run, text, windows, timeline).notes())
    symbols = [note.symbols for note in notes.values()]
    symbols += [note.symbols for some in inline.values() for note in some]
    glossary = _glossary(text.definitions, [one for some in symbols for one in some])
    said = {phrase.place for one in glossary for phrase in one.phrases}
    return Annotated(
        reading=reading,
        notes=notes,
        glossary=glossary,
        inline=inline,
        sentences={place: text.begins(place) for place in said if place is not None},
        topics=best_topics(timeline.mean(0), _short(run), OF_ARTICLE),
        timeline=timeline,
        explains=run.lexicon is not None,
    )


def read_article(question: Annotate) -> Reading:
    """Read the article that is to be annotated."""
    article = one_article(question.article, question.cache)
    try:
        reading = read(article)
    except Broken as broken:
        raise CorpusError(
            f"'{question.article}' {broken}. Give one article; {KINDS} are read."
        ) from None
    if not reading.pieces:
        why = WHY.get(why_silent(article), "")
        raise CorpusError(
            f"'{question.article}' has no text{why and ': ' + why}. Give one article; {KINDS} are "
            "read."
        )
    return reading


def _read(run: Run, display: Display) -> list[Equation]:
    """The equations of a display that the run can read."""
    forms = [] if display.reason else rows(display.tokens, display.environment)
    ids = [run.tokens.encode(tokens).tolist() for tokens in forms]
    return [
        Equation(tuple(tokens), tuple(known))
        for tokens, known in zip(forms, ids, strict=True)
        if len(known) <= MAX_TOKENS and any(i != UNK for i in known)
    ]


def _notes(run: Run, text: ArticleText) -> Iterator[tuple[int, Note]]:
    places = [i for i, piece in enumerate(text.reading.pieces) if isinstance(piece, Display)]
    around = text.contexts(run.config.corpus.sentences)
    if not around:
        return
    theta, topics = context_thetas(run.model, run.words, around), _short(run)
    shown = theta  # symbols are asked under the context's: what the equation adds is no help
    if reads_equations(run):
        shown = equation_topics(run, [_read(run, each) for _, each in text.displays], theta).theta
    each = zip(places, text.displays, around, theta, shown, strict=True)
    for place, (at, display), words, mixture, whole in each:
        found = [
            one for row in rows(display.tokens, display.environment) for one in occurrences(row)
        ]
        entries = [e for e in text.definitions.glossary(found, text.own(at)) if not e.is_index]
        asked = run.lexicon.under(mixture, words, letters(found)) if run.lexicon else None
        yield (
            place,
            Note(
                number=text.reading.numbers.get(place, ""),
                line=display.line,
                equation=display.source,
                latex="" if display.reason else join(display.tokens),
                environment=display.environment,
                topics=[t for t in best_topics(whole, topics, SHOWN) if t.p >= LEAST],
                symbols=[_explained(entry, asked) for entry in entries],
                forms=[tuple(form.latex for form in entry.forms) for entry in entries],
            ),
        )


def _glossary(definitions: Definitions, noted: Sequence[Explained]) -> list[Explained]:
    """What the text says, in its order, then the symbols of which others say something."""
    said = sorted((d for some in definitions.known.values() for d in some), key=lambda d: d.place)
    own = [Explained(d.symbol.latex, meanings_of(Entry((d.symbol,), d), None, 1)) for d in said]
    others = [one for one in noted if one.phrases and one.phrases[0].source != "text"]
    defined = {one.symbol for one in own}
    once: dict[tuple[str, str], Explained] = {}
    for one in [*own, *(one for one in others if one.symbol not in defined)]:
        once.setdefault((one.symbol, merged(one.phrases[0].phrase)), one)
    return list(once.values())


class _Inline:
    """Formulas inside sentences: their symbols, under the topics of that part of the article."""

    def __init__(
        self, run: Run, text: ArticleText, windows: list[list[str]], timeline: Floats
    ) -> None:
        self.text, self.columns = text, len(windows)
        lexicon = run.lexicon
        asked = [lexicon.under(theta, words) if lexicon else None
                 for theta, words in zip(timeline, windows, strict=True)]  # fmt: skip
        self.asked: list[Asked | None] = asked
        self.known: dict[tuple[int, Symbol], Explained] = {}
        self.occurrences: dict[str, list[Occurrence]] = {}

    def notes(self) -> Iterator[tuple[int, list[InlineNote]]]:
        """The notes of each piece of prose that has formulas."""
        for place, piece in enumerate(self.text.reading.pieces):
            if isinstance(piece, Prose) and "$" in piece.text:
                yield place, list(self._of(piece, self.text.offsets[place]))

    def _of(self, piece: Prose, offset: int) -> Iterator[InlineNote]:
        for match in FORMULA.finditer(without(piece.text)):
            latex = match[0][1 : match[0].index("$", 1)]
            if match["named"] and latex in NAMED:
                yield InlineNote(latex, [], [])
            else:
                yield self._note(latex, self.text.own(offset + match.start()))

    def _note(self, latex: str, sentence: int) -> InlineNote:
        entries = [entry for entry in self.text.definitions.glossary(self._found(latex), sentence)
                   if not entry.is_index]  # fmt: skip
        explained = [self._explained(entry, sentence) for entry in entries]
        # what the sentence itself says needs no note
        kept = [n for n, one in enumerate(explained)
                if one.phrases and one.phrases[0].place != sentence]  # fmt: skip
        forms = [tuple(form.latex for form in entries[n].forms) for n in kept]
        return InlineNote(latex, [explained[n] for n in kept], forms)

    def _found(self, latex: str) -> list[Occurrence]:
        if latex not in self.occurrences:
            try:
                self.occurrences[latex] = list(occurrences(parse(latex)))
            except (NotNormal, RecursionError):
                self.occurrences[latex] = []
        return self.occurrences[latex]

    def _explained(self, entry: Entry, sentence: int) -> Explained:
        column = min(self.columns - 1, sentence * self.columns // len(self.text.spans))
        if entry.definition or entry.constant:
            return _explained(entry, None)
        key = column, entry.forms[0]
        if key not in self.known:
            self.known[key] = _explained(entry, self.asked[column])
        return self.known[key]


def _short(run: Run) -> list[Topic]:
    return [topic.short(WORDS, 0, 0) for topic in run.topics]


def _explained(entry: Entry, asked: Asked | None) -> Explained:
    """What the text says, else what is sure enough."""
    return Explained(entry.forms[0].latex, meanings_of(entry, asked, GUESSES, SURE))
