"""An article read for people: title, headings, theorems, lists, emphasis, numbers.

In goes an article; out comes a `Reading`: its pieces as a corpus has them, but with marks in the
prose. Equations, sections, theorems and items are numbered as they come, so that references can be
followed; where LaTeX would count otherwise, the numbers are those of this reading.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from topiceq.article import authors, bibliography, floats
from topiceq.article.actions import Action, ahead, is_read, options
from topiceq.article.bibliography import Work
from topiceq.article.commands import CITATIONS, REFERENCES, which
from topiceq.article.formats import read_into
from topiceq.article.latex import Reader
from topiceq.article.marks import (
    CITATION,
    CODE,
    EMPHASIS,
    FLOAT,
    HEAD,
    LABEL,
    PARTED,
    READ,
    REFERENCE,
    STRONG,
    Mark,
    without,
)
from topiceq.article.pieces import Piece, Pieces
from topiceq.article.source import Article
from topiceq.article.tex import join, lex

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
CITES = CITATIONS | frozenset(name for name in REFERENCES if "cite" in name.lower())
KEYS = re.compile(
    r"(?<![^;])[^;]*?-?@\{?([\w:.#$%&+?~/-]*\w)\}?,?\s*([^;]*)"
)  # of pandoc: see @key, p. 3; @key
SECTIONS = ("Part", "Chapter", "Section", "Section", "Section", "Section", "Section")


@dataclass(frozen=True)
class Target:
    """What a label names: its number, the id of its place in the page, and what it is."""

    number: str
    place: str
    kind: str = ""


@dataclass(frozen=True)
class Float:
    """A figure, table or algorithm, with marks in its caption and its cells."""

    kind: str
    number: str
    caption: str
    picture: str = ""  # the name of its file
    rows: list[list[tuple[str, int]]] = field(default_factory=list)  # cells, and their columns


@dataclass(frozen=True)
class Reading:
    """One article, read for people."""

    id: str
    title: str
    pieces: list[Piece]
    numbers: dict[int, str]  # of headings and displays, by the place of the piece
    labels: dict[str, Target]
    authors: list[str] = field(default_factory=list)
    floats: list[Float] = field(default_factory=list)
    references: dict[str, bibliography.Reference] = field(default_factory=dict)


def read(article: Article) -> Reading:
    """Read an article; without a title of its own it has none."""
    marked = MarkedPieces()
    read_into(marked, article)
    title = marked.title or article.id.rpartition("/")[2].replace("_", " ")
    return Reading(
        article.id, title, marked.pieces, marked.numbers, marked.labels, marked.authors,
        marked.floats, bibliography.references(marked.works_cited(article)),
    )  # fmt: skip


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
        self.anchor = Target("", "p0")  # what labels from here on name
        self.authors: list[str] = []
        self.floats: list[Float] = []
        self.works: dict[str, Work] = {}  # that the article lists itself
        self.cited: dict[str, None] = {}  # keys, in the order in which they are cited
        self.referred: dict[str, None] = {}  # keys of anything, as `@key` of Markdown
        self.is_plain = False  # whether short text is read, which has no floats
        self.actions: dict[str, Action] = {
            **dict.fromkeys(STYLES, self.style),
            **dict.fromkeys(POINTS, self.read_reference),
            **dict.fromkeys(CITES, self.read_citation),
            **dict.fromkeys(("\\author", "\\authors", "\\icmlauthor"), self.read_authors),
            **dict.fromkeys(("\\title", "\\icmltitle"), self.read_title),
            "\\collaboration": self.read_collaboration, "\\abstract": self.read_abstract,
            "\\item": self.read_item, "\\newtheorem": self.theorem,
            "\\label": lambda r, token: self.label(r.x.name()),
        }  # fmt: skip

    def count(self, kind: str) -> str:
        """The number of the next equation, or theorem; labels from here on name it."""
        self.counts[kind] += 1
        number = str(self.counts[kind])
        self.anchor = Target(number, f"p{len(self.pieces)}", kind.capitalize())
        return number

    def plainly(self, r: Reader, tokens: list[str]) -> str:
        """Short text, also in the preamble; the marks that it opens end with it."""
        was, r.preamble = r.preamble, False
        was_plain, self.is_plain = self.is_plain, True
        outer, self.open_styles = self.open_styles, []
        text = r.plain(tokens) + "".join(pair.closes for _, pair in reversed(self.open_styles))
        r.preamble, self.open_styles, self.is_plain = was, outer, was_plain
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
        self.anchor = Target(number, f"p{len(self.pieces)}", SECTIONS[level])

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
            self.anchor = Target(str(number), f"p{len(self.pieces)}", "Item")
        self.open_item(BULLET if number is None else f"{number}.")

    def open_item(self, label: str) -> None:
        self.text.append("\n\n" + LABEL.around(label) + " ")

    def refer(self, key: str) -> None:
        self.referred[key] = None
        self.text.append(REFERENCE.around(key))

    def aside(self, reader: Reader, name: str, tokens: Callable[[], list[str]]) -> None:
        """Floats and bibliographies, which are no prose."""
        if name == "thebibliography":
            for work in bibliography.of_items(join(tokens())):
                self.works.setdefault(work.key, work)
        elif not self.is_plain and (parts := floats.parts(name, tokens())):
            self.add_float(reader, parts)

    def add_float(self, r: Reader, parts: floats.Parts) -> None:
        """A figure or table stands behind the paragraph that it stands in."""
        number = ""
        if parts.caption and parts.kind != "Drawing":
            self.counts[parts.kind] += 1
            number = str(self.counts[parts.kind])
        rows = [[(self.plainly(r, cell.tokens), cell.columns) for cell in row]
                for row in parts.rows]  # fmt: skip
        caption = self.plainly(r, parts.caption)
        for key in parts.labels:
            self.labels.setdefault(key, Target(number, f"f{len(self.floats)}", parts.kind))
        self.text.append(FLOAT.around(str(len(self.floats))))
        self.floats.append(Float(parts.kind, number, caption, parts.picture, rows))

    def cite(self, keys: str, is_read: bool) -> None:
        """As Markdown and others cite: `@key, p. 3; @other`, or `key,other`."""
        found = KEYS.findall(keys) if "@" in keys else [(key, "") for key in keys.split(",")]
        noted = "; ".join(note.strip() for _, note in found if note.strip())
        self.add_citation("cite", [key.strip() for key, _ in found], "", noted, is_read)

    def add_citation(
        self, style: str, keys: list[str], before: str, behind: str, is_read: bool
    ) -> None:
        self.cited |= dict.fromkeys(keys)
        parts = [READ if is_read else "", style, before, behind, ",".join(keys)]
        self.text.append(CITATION.around(PARTED.join(parts)))

    def credit(self, authors: str) -> None:
        self.authors.append(authors)

    def works_cited(self, article: Article) -> list[Work]:
        """In the order in which they are cited; of those that nothing is known of, the keys."""
        keys = self.cited | {key: None for key in self.referred if key not in self.labels}
        works = self.works
        if not works.keys() >= keys.keys():
            works = bibliography.beside(article.files, article.root) | works
        return [works[key] for key in keys if key in works]

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
        name = r.x.name()  # \\ref names one place, \\cref may name several
        keys = [name] if token in ("\\ref", "\\eqref") else name.split(",")
        style = PARTED + token[1:] if token[1:].lower() in ("autoref", "cref", "vref") else ""
        shown = ", ".join(REFERENCE.around(key.strip() + style) for key in keys)
        self.text.append(f"({shown})" if token == "\\eqref" else shown)

    def read_citation(self, r: Reader, token: str) -> None:
        before = without("".join(r.sink.text[-3:]))
        r.x.take("*")
        notes = []
        while ahead(r.x) == "[" and (note := r.x.optional()) is not None:
            notes.append(self.plainly(r, note))
        keys = [key.strip() for key in r.x.name().split(",")] if ahead(r.x) == "{" else []
        if not any(keys) or r.preamble:
            return
        textual = token in REFERENCES or "cite" not in token
        pre, post = (notes[0], notes[1]) if len(notes) > 1 else ("", "".join(notes))
        self.add_citation(token[1:], [key for key in keys if key], pre, post,
                          textual or is_read(r, before))  # fmt: skip

    def read_authors(self, r: Reader, token: str) -> None:
        r"""\author{One \and Two}, once or several times."""
        r.x.take("*")
        r.x.optional()
        for part in authors.parts(join(r.x.argument())):
            self.authors += authors.names(without(self.plainly(r, lex(part))))
        if token == "\\icmlauthor":
            r.x.argument()  # the keys of addresses

    def read_collaboration(self, r: Reader, token: str) -> None:
        r"""\collaboration{The Group}; with a number of authors before it in AASTeX."""
        r.x.optional()
        name = self.plainly(r, r.x.argument())
        if name.isdecimal() and ahead(r.x) == "{":
            name = self.plainly(r, r.x.argument())
        self.authors.append(name.strip("()"))

    def read_abstract(self, r: Reader, token: str) -> None:
        r"""\abstract{..}; several arguments are its parts."""
        r.x.optional()
        parts: list[str] = []
        while ahead(r.x) == "{":
            parts += [*r.x.argument(), " "]
        if parts and not r.preamble:
            self.text.append("\n\n")
            self.head(f"{HEADS['abstract']}.")
            r.x.push([*parts, "\n\n"])

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
