"""The text of an article that is annotated: what surrounds its displays, what it says of symbols.

In goes a `Reading`; out come the words around each display and along the whole article, and a
`Lexicon` of what the article itself says about its symbols.
"""

from bisect import bisect_right
from collections.abc import Iterator

from topiceq.corpus.pieces import Piece, Prose
from topiceq.corpus.prose import tidy
from topiceq.corpus.text import Text
from topiceq.tasks.annotate.marks import without
from topiceq.tasks.annotate.reading import Reading
from topiceq.tasks.annotate.rows import rows
from topiceq.tasks.explain.evidence import Definition, definitions, led_in
from topiceq.tasks.explain.lexicon import Lexicon

COLUMNS = 48  # of the picture of topics over the article's length
WINDOW = 10  # sentences that a column is about, at least


class ArticleText(Text):
    """The sentences of an article around its displays, as a corpus would have them."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        super().__init__(reading.id, [_plain(piece) for piece in reading.pieces])
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
