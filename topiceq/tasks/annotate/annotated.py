"""An annotated article: its pieces, and a note for each display.

`Annotated.html` is one page (page.py), and `Annotated.json` the same for tools.
"""

from dataclasses import dataclass
from pathlib import Path

from topiceq.corpus.pieces import Heading, Piece, Prose
from topiceq.errors import CorpusError
from topiceq.tasks.annotate.marks import without
from topiceq.tasks.annotate.page import page
from topiceq.tasks.annotate.reading import Reading
from topiceq.tasks.answers import Shape
from topiceq.tasks.explain import Explained
from topiceq.tasks.question import Floats


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
