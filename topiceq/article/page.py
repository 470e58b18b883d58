"""An article read for people: title, headings, theorems, lists, emphasis, numbers.

In goes an article; out comes a `Reading`: its pieces as a corpus has them, but with marks in the
prose. Equations, sections, theorems and items are numbered as they come, so that references can be
followed; where LaTeX would count otherwise, the numbers are those of this reading.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from topiceq.article.actions import Action, options
from topiceq.article.commands import REFERENCES, which
from topiceq.article.formats import read_into
from topiceq.article.latex import Reader
from topiceq.article.pieces import Piece, Pieces
from topiceq.article.source import Article

# Marks in prose are characters of Unicode's private area, which no text uses. Prose that is
# analysed must look as in a corpus, so `without` takes them out again.


class Mark(NamedTuple):
    """What opens a mark, and what closes it."""

    opens: str
    closes: str

    def around(self, text: str) -> str:
        """The text between the marks."""
        return self.opens + text + self.closes


EMPHASIS, STRONG, CODE = (
    Mark("\ue000", "\ue001"),
    Mark("\ue002", "\ue003"),
    Mark("\ue004", "\ue005"),
)
HEAD = Mark("\ue006", "\ue007")  # the head of a theorem, a proof, an abstract
LABEL = Mark("\ue008", "\ue009")  # what stands before an item of a list
REFERENCE = Mark("\ue00a", "\ue00b")  # around the key of what is referred to
MARKS = (EMPHASIS, STRONG, CODE, HEAD, LABEL, REFERENCE)

_ANY = re.compile("[\ue000-\ue00b]")
_ASIDE = re.compile("[\ue006\ue008][^\ue006-\ue009]*[\ue007\ue009]")  # heads and labels
_REFERENCE = re.compile("\ue00a[^\ue00b]*\ue00b")


def without(text: str) -> str:
    """The text as a corpus has it: no heads, no labels, an ellipsis for what is referred to.

    >>> without(HEAD.around("Lemma 1.") + " By " + REFERENCE.around("eq:a") + " it is "
    ...         + EMPHASIS.around("flat"))
    ' By … it is flat'
    """
    return _ANY.sub("", _REFERENCE.sub("…", _ASIDE.sub("", text)))


STYLED = {"emphasis": EMPHASIS, "strong": STRONG, "code": CODE}
STYLES: dict[str, Mark] = {  # the same by commands
    command: mark for style, mark in STYLED.items() for command in which(style)
}
# heads of the environments that most articles name so; \newtheorem adds the author's own
HEADS = {
    "abstract": "Abstract", "proof": "Proof", "theorem": "Theorem", "thm": "Theorem",
    "lemma": "Lemma", "lem": "Lemma", "proposition": "Proposition", "prop": "Proposition",
    "corollary": "Corollary", "cor": "Corollary", "definition": "Definition",
    "defn": "Definition", "remark": "Remark", "example": "Example", "conjecture": "Conjecture",
    "claim": "Claim", "exercise": "Exercise", "problem": "Problem",
}  # fmt: skip
UNNUMBERED = frozenset(("abstract", "proof"))
LISTS = {"itemize": False, "description": False, "enumerate": True}  # whether it counts its items
SINGLE = frozenset(("$$", "\\[", "displaymath"))  # displays without a number, beside starred ones
BULLET = "•"
POINTS = frozenset(name for name in REFERENCES if name.lower().endswith("ref"))


@dataclass(frozen=True)
class Target:
    """What a label names: its number, and where it is (the number of a piece)."""

    number: str
    piece: int


@dataclass(frozen=True)
class Reading:
    """One article, read for people."""

    id: str
    title: str
    pieces: list[Piece]
    numbers: dict[int, str]  # of headings and displays, by the place of the piece
    labels: dict[str, Target]


def read(article: Article) -> Reading:
    """Read an article; without a title of its own it has none."""
    marked = MarkedPieces()
    read_into(marked, article)
    title = marked.title or article.id.rpartition("/")[2].replace("_", " ")
    return Reading(article.id, title, marked.pieces, marked.numbers, marked.labels)


class MarkedPieces(Pieces):
    """What a reader writes to where people read it: pieces with what articles are set with."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.numbers: dict[int, str] = {}
        self.labels: dict[str, Target] = {}
        self.heads = dict(HEADS)
        self.unnumbered = set(UNNUMBERED)
        self.counts: Counter[str] = Counter()
        self.levels: list[int] = []  # numbers of the headings around, part and chapter first
        self.lists: list[tuple[str, int]] = []  # open lists with the number of their last item
        self.open_styles: list[tuple[int, Mark]] = []  # how many groups were open, and the mark
        self.anchor = Target("", 0)  # what labels from here on name
        self.actions: dict[str, Action] = {
            **dict.fromkeys(STYLES, self.style),
            **dict.fromkeys(POINTS, self.read_reference),
            "\\title": self.read_title, "\\item": self.read_item, "\\newtheorem": self.theorem,
            "\\label": lambda r, token: self.label(r.x.name()),
        }  # fmt: skip

    def count(self, kind: str) -> str:
        """The number of the next equation, or theorem; labels from here on name it."""
        self.counts[kind] += 1
        number = str(self.counts[kind])
        self.anchor = Target(number, len(self.pieces))
        return number

    def plainly(self, r: Reader, tokens: list[str]) -> str:
        """Short text, also in the preamble; the marks that it opens end with it."""
        was, r.preamble = r.preamble, False
        outer, self.open_styles = self.open_styles, []
        text = r.plain(tokens) + "".join(pair.closes for _, pair in reversed(self.open_styles))
        r.preamble, self.open_styles = was, outer
        return text

    # -- what the reader tells -----------------------------------------------------------------

    def open_heading(self, level: int, starred: bool) -> None:
        if starred or level > 4:
            return
        self.levels += [0] * (level + 1 - len(self.levels))
        self.levels[level:] = [self.levels[level] + 1]
        shown = self.levels[1:] if self.levels[1:2] != [0] else self.levels[2:]
        number = ".".join(map(str, shown)) if level else str(self.levels[0])
        self.numbers[len(self.pieces)] = number
        self.anchor = Target(number, len(self.pieces))

    def open_display(self, environment: str) -> None:
        if environment not in SINGLE and not environment.endswith("*"):
            self.numbers[len(self.pieces)] = self.count("equation")

    def open_environment(self, reader: Reader, name: str) -> None:
        """`Theorem 3 (Pythagoras).`"""
        if name in LISTS:
            self.lists.append((name, 0))
        head = self.heads.get(name.rstrip("*"))
        if not head:
            return
        note = reader.x.optional() if reader.x.peek() == "[" else None
        if reader.preamble:
            return
        said = self.plainly(reader, note) if note else ""
        if name == "proof" and said:
            head, said = said, ""
        elif name not in self.unnumbered and not name.endswith("*"):
            head = f"{head} {self.count(head)}"
        self.head(f"{head} ({said})." if said else f"{head}.")

    def close_environment(self, name: str) -> None:
        if self.lists and self.lists[-1][0] == name:
            self.lists.pop()

    def close_groups(self, depth: int) -> None:
        """End the marks that were opened in groups that are closed."""
        while self.open_styles and self.open_styles[-1][0] > depth:
            self.text.append(self.open_styles.pop()[1].closes)

    def label(self, key: str) -> None:
        self.labels.setdefault(key, self.anchor)

    def entitle(self, text: str) -> None:
        self.title = text

    def head(self, text: str) -> None:
        self.text.append(HEAD.around(text) + " ")

    def item(self, number: int | None = None) -> None:
        if number is not None:
            self.anchor = Target(str(number), len(self.pieces))
        self.open_item(BULLET if number is None else f"{number}.")

    def open_item(self, label: str) -> None:
        self.text.append("\n\n" + LABEL.around(label) + " ")

    def refer(self, key: str) -> None:
        self.text.append(REFERENCE.around(key))

    def open_style(self, style: str) -> None:
        self.text.append(STYLED[style].opens)

    def close_style(self, style: str) -> None:
        self.text.append(STYLED[style].closes)

    # -- what commands do ----------------------------------------------------------------------

    def style(self, r: Reader, token: str) -> None:
        r"""\emph{..} and {\em ..}: a mark until the group closes."""
        with_group = token.startswith(("\\text", "\\emph"))
        if r.preamble or with_group and r.x.peek() != "{":
            return
        if with_group:
            r.x.stack.pop()
            r.x.open_scope("{")
        else:
            r.x.skip_space()  # TeX drops it behind a control word
        if r.x.scopes:
            self.text.append(STYLES[token].opens)
            self.open_styles.append((len(r.x.scopes), STYLES[token]))

    def read_title(self, r: Reader, token: str) -> None:
        r.x.optional()
        self.title = self.plainly(r, r.x.argument())

    def read_item(self, r: Reader, token: str) -> None:
        given = r.x.optional()
        name, count = self.lists[-1] if self.lists else ("itemize", 0)
        if given is not None:
            self.open_item(self.plainly(r, given))
        elif LISTS[name]:
            self.lists[-1] = (name, count + 1)
            self.item(count + 1)
        else:
            self.item()

    def read_reference(self, r: Reader, token: str) -> None:
        options(r.x)
        keys = r.x.name().split(",")
        shown = ", ".join(REFERENCE.around(key.strip()) for key in keys)
        self.text.append(f"({shown})" if token == "\\eqref" else shown)

    def theorem(self, r: Reader, token: str) -> None:
        r"""\newtheorem{name}[..]{Head}[..]"""
        starred = r.x.take("*")
        name = r.x.name()
        r.x.optional()
        head = self.plainly(r, r.x.argument())
        r.x.optional()
        if head:
            self.heads[name] = head
        if starred:
            self.unnumbered.add(name)
