"""What an article is made of, in reading order: prose, headings and display equations."""

from dataclasses import dataclass


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
    line: int
    environment: str
    source: str  # as written
    tokens: tuple[str, ...]  # macros expanded
    reason: str = ""  # why it cannot be used: unbalanced, macro_limit, diagram


Piece = Prose | Heading | Display
