r"""An article in, the same article out with what a run knows about its equations beside them.

Each display equation gets its topics (from the sentences around it, and from the equation itself if
it has a normal form) and a glossary of its symbols: what the article says of them, else what the
alignment decoder expects under those topics. `Annotated.html` is one page (page.py), and
`Annotated.json` the same for tools.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from topiceq.corpus.extract import _Reading
from topiceq.corpus.files import Unreadable
from topiceq.corpus.normal import NotNormal, normal_form
from topiceq.corpus.pieces import Display, Heading, Piece, Prose
from topiceq.corpus.prose import sentences, tidy
from topiceq.corpus.source import Article, sources
from topiceq.corpus.tex import join
from topiceq.corpus.vocab import UNK
from topiceq.errors import CorpusError, Unsupported
from topiceq.model.batches import sparse
from topiceq.model.held_out import evaluating
from topiceq.model.run import Run
from topiceq.model.topics import Topic, topics_of
from topiceq.tasks.answers import Shape, best_topics
from topiceq.tasks.evidence import Definition, definitions, led_in
from topiceq.tasks.explain import Explained, Meanings, Phrase, reads_equations
from topiceq.tasks.infer import posterior
from topiceq.tasks.lexicon import Entry, Lexicon
from topiceq.tasks.marks import without
from topiceq.tasks.mathml import in_rows
from topiceq.tasks.page import page
from topiceq.tasks.question import MAX_TOKENS, Equation, Floats
from topiceq.tasks.reading import Reading, read
from topiceq.tasks.rows import rows
from topiceq.tasks.symbols import occurrences

OF_ARTICLE = 6  # topics of the whole article
SHOWN = 3  # topics of a display
WORDS = 8  # of a topic
LEAST = 0.05  # p of a topic that is worth a bar
PHRASES = 3  # meanings from the model for each symbol
COLUMNS = 48  # of the picture of topics over the article's length
WINDOW = 10  # sentences that a column is about, at least


@dataclass(frozen=True)
class Note:
    """What stands beside a display."""

    number: str  # empty where the article gives none
    line: int
    equation: str  # as written
    latex: str  # macros expanded, as one formula; empty if it is none
    topics: list[Shape]  # topic, label, words, p: the best first
    symbols: list[Explained]
    forms: list[tuple[str, ...]]  # of each symbol, as it stands in the formula

    def json(self) -> Shape:
        """As plain values."""
        return {"number": self.number, "line": self.line, "equation": self.equation,
                "topics": self.topics,
                "symbols": [symbol.json() for symbol in self.symbols]}  # fmt: skip


@dataclass(frozen=True)
class Annotated:
    """An article with notes beside its displays."""

    reading: Reading
    notes: dict[int, Note]  # by the place of the display among the pieces
    topics: list[Shape]  # of the whole article, the best first
    course: Floats  # (columns, K): theta over the article's length
    explains: bool  # whether the run has an alignment decoder

    @property
    def title(self) -> str:
        return without(self.reading.title)

    def html(self) -> str:
        """One page that needs nothing else."""
        return page(self)

    def save(self, out: str | Path) -> None:
        """Write the page."""
        try:
            Path(out).write_text(self.html(), encoding="utf-8")
        except OSError as error:
            raise CorpusError(f"Cannot write '{out}': {error.strerror}.") from None

    def json(self) -> Shape:
        """Everything as plain values; prose with inline math between dollar signs."""
        pieces = [self._piece(place, piece) for place, piece in enumerate(self.reading.pieces)]
        return {"article": self.reading.id, "title": self.title, "topics": self.topics,
                "course": self.course.round(4).tolist(), "pieces": pieces}  # fmt: skip

    def _piece(self, place: int, piece: Piece) -> Shape:
        if isinstance(piece, Heading):
            return {"heading": without(piece.text), "level": piece.level}
        if isinstance(piece, Prose):
            return {"prose": without(piece.text).strip()}
        return {"display": self.notes[place].json()}


def annotate(run: Run, paper: str | Path) -> Annotated:
    """Annotate one article: a .tex file, a folder or an archive with one main file."""
    topics_of(run.model)  # Unsupported if there are none
    reading = read(one_article(paper))
    if not reading.pieces:
        raise CorpusError(f"'{paper}' has no text. Give an article in LaTeX.")
    text, meanings = Text(reading), _meanings(run)
    course = text.course(run)
    return Annotated(
        reading=reading,
        notes=dict(_notes(run, text, meanings)),
        topics=best_topics(course.mean(0), _short(run), OF_ARTICLE),
        course=course,
        explains=meanings is not None,
    )


def one_article(paper: str | Path) -> Article:
    """The only article of a source."""
    found = [article for source in sources([paper], field="none") for article in source.articles()]
    readable = [article for article in found if isinstance(article, Article)]
    if len(readable) == 1:
        return readable[0]
    if readable:
        some = ", ".join(article.id for article in readable[:3])
        raise CorpusError(
            f"'{paper}' holds {len(readable)} articles ({some}, ...). Give the .tex file of one."
        )
    why = next((each.why for each in found if isinstance(each, Unreadable)), "holds no article")
    raise CorpusError(f"'{paper}' {why}. Give an article in LaTeX.")


class Text(_Reading):
    """The sentences of an article around its displays, as a corpus would have them."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        super().__init__(reading.id, [_plain(piece) for piece in reading.pieces])
        self.spans = sentences(self.text)
        self.starts = [start for start, _ in self.spans]
        said = definitions([self.sentence(i) for i in range(len(self.spans))])
        self.lexicon = Lexicon([*said, *self._led_in()])

    def _led_in(self) -> Iterator[Definition]:
        """What the words before the displays say of what they begin with."""
        for at, display in self.displays:
            own = self.own(at)
            before = tidy(self.text[self.spans[own][0] : at])
            first = next(rows(display.tokens), None) if before else None
            if first and (found := led_in(before, tuple(first), own)):
                yield found

    def own(self, place: int) -> int:
        """The number of the sentence that a display stands in."""
        return bisect_right(self.starts, place) - 1

    def contexts(self, count: int) -> list[list[str]]:
        """The words around each display; near the ends of the article, those that there are."""
        around = [self.context(place, count) for place, _ in self.displays]
        return [[w for sentence in before + after for w in self.words(sentence)]
                for before, after in around]  # fmt: skip

    def course(self, run: Run) -> Floats:
        """theta along the article (columns, K)."""
        count = len(self.spans)
        columns = max(1, min(COLUMNS, count // 3))
        middles = [(2 * column + 1) * count // (2 * columns) for column in range(columns)]
        half = max(WINDOW, count // columns) // 2 + 1
        windows = [range(max(0, m - half), min(count, m + half)) for m in middles]
        return thetas(run, [[w for i in some for w in self.words(self.sentence(i))]
                            for some in windows])  # fmt: skip


def _plain(piece: Piece) -> Piece:
    return Prose(piece.article, without(piece.text)) if isinstance(piece, Prose) else piece


def thetas(run: Run, contexts: Sequence[Sequence[str]]) -> Floats:
    """theta of many contexts (n, K); of one without any known word, as if it had no words."""
    ids = [run.words.encode(words) for words in contexts]
    counts = [np.bincount(some, minlength=len(run.words)) for some in ids]
    with evaluating(run.model) as device:
        theta = run.model.encode(sparse(csr_matrix(np.array(counts, dtype=np.float32))).to(device))
    assert theta is not None
    found: Floats = theta.cpu().numpy()
    return found


def _display_thetas(run: Run, text: "Text") -> Floats:
    """theta of each display (n, K): of its context, and of the equation where it can be read."""
    if not text.displays:
        return np.zeros((0, run.config.model.topics), dtype=np.float32)
    theta = thetas(run, text.contexts(run.config.corpus.sentences))
    equations = {n: e for n, (_, display) in enumerate(text.displays) if (e := _read(run, display))}
    if equations and reads_equations(run):
        numbers = list(equations)
        theta[numbers] = posterior(run, list(equations.values()), theta[numbers])
    return theta


def _read(run: Run, display: Display) -> Equation | None:
    """The equation of a display; None if it is not one line of LaTeX that the run can read."""
    try:
        tokens = [] if display.reason else normal_form(display.tokens)
    except NotNormal:
        return None
    ids = run.tokens.encode(tokens).tolist()
    if len(ids) > MAX_TOKENS or all(i == UNK for i in ids):
        return None
    return Equation(tuple(tokens), tuple(ids))


def _meanings(run: Run) -> Meanings | None:
    """What explains symbols; without an alignment decoder only the text does."""
    try:
        return Meanings(run)
    except Unsupported:
        return None


def _notes(run: Run, text: Text, meanings: Meanings | None) -> Iterator[tuple[int, Note]]:
    places = [i for i, piece in enumerate(text.reading.pieces) if isinstance(piece, Display)]
    theta, topics = _display_thetas(run, text), _short(run)
    for place, (at, display), mixture in zip(places, text.displays, theta, strict=True):
        found = [one for row in rows(display.tokens) for one in occurrences(row)]
        entries = text.lexicon.glossary(found, text.own(at))
        yield (
            place,
            Note(
                number=text.reading.numbers.get(place, ""),
                line=display.line,
                equation=display.source,
                latex="" if display.reason else in_rows(join(display.tokens), display.environment),
                topics=[t for t in best_topics(mixture, topics, SHOWN) if t["p"] >= LEAST],
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
