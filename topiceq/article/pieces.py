"""What an article is made of, in reading order: prose, headings and display equations.

A reader of any format writes them to a sink: `Pieces` as a corpus wants them, or a page (page.py),
which also listens to what is only for people.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topiceq.article.actions import Action
    from topiceq.article.latex import Reader

APART = "\n\f\n\n"  # between items, or below a heading: no sentence goes on behind it
REFERENCE = "…"  # stands for a number or a citation that is read as part of the sentence


@dataclass(frozen=True, slots=True)
class Prose:
    """Text between displays; inline math stands between dollar signs, paragraphs apart."""

    article: str
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part, chapter or section."""

    article: str
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Display:
    """One display equation."""

    article: str
    file: str  # of the article's files, the one that it stands in
    line: int  # of that file; of a notebook, the number of the cell
    environment: str
    source: str  # as written
    tokens: tuple[str, ...]  # macros expanded
    reason: str = ""  # why it cannot be used: unbalanced, macro_limit, diagram


Piece = Prose | Heading | Display


class Pieces:
    """What a corpus keeps of an article; a page (page.py) listens to the rest too."""

    actions: "Mapping[str, Action]" = {}  # what commands of LaTeX do beside, or instead of, ACTIONS

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.text: list[str] = []  # prose since the last piece

    def open_heading(self, level: int, starred: bool) -> None:
        """A heading is about to be read."""

    def open_display(self, environment: str) -> None:
        """A display is about to be read."""

    def open_environment(self, reader: "Reader", name: str) -> None:
        """An environment of prose begins."""

    def close_environment(self, name: str) -> None:
        """An environment ends."""

    def close_groups(self, depth: int) -> None:
        """Only so many groups are open now."""

    def aside(self, reader: "Reader", name: str, tokens: "Callable[[], list[str]]") -> None:
        """An environment that holds no prose is passed over."""

    def label(self, key: str) -> None:
        """What was opened last has a label."""

    def entitle(self, text: str) -> None:
        """The article has a title."""

    def head(self, text: str) -> None:
        """`Theorem 3 (Pythagoras).`: what stands before a block of prose and is not part of it."""

    def item(self, number: int | None = None) -> None:
        """An item of a list begins, a paragraph of its own; one that counts has a number."""
        self.text.append(APART)

    def refer(self, key: str) -> None:
        """A reference that is read as part of the sentence."""
        self.text.append(REFERENCE)

    def cite(self, keys: str, is_read: bool) -> None:
        """A citation; one that is read is part of the sentence."""
        if is_read:
            self.text.append(REFERENCE)

    def credit(self, authors: str) -> None:
        """The article has authors."""

    def open_style(self, style: str) -> None:
        """Text in a style begins: emphasis, strong or code."""

    def close_style(self, style: str) -> None:
        """Text in a style ends."""
