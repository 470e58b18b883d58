r"""An article read for people: title, headings, theorems, lists, emphasis, numbers.

In goes an article; out comes a `Reading`: its pieces as `corpus.latex` gives them, but with marks
(marks.py) in the prose and the author's macros expanded in inline math as well. Equations,
sections, theorems and items are numbered as they come, so that references can be followed; where
LaTeX would count otherwise, the numbers are those of this reading.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from topiceq.corpus.latex import Reader
from topiceq.corpus.latex.actions import ACTIONS, plain
from topiceq.corpus.macros import Expander, MacroLimit, Primitive, Scope, primitive
from topiceq.corpus.macros.meaning import Macro
from topiceq.corpus.macros.packages import PRIMITIVES
from topiceq.corpus.pieces import Display, Piece
from topiceq.corpus.source import Article
from topiceq.corpus.tex import PRIMITIVE, join, lex
from topiceq.corpus.textmode import HEADINGS, REFERENCES
from topiceq.tasks.annotate.marks import CODE, EMPHASIS, HEAD, LABEL, REFERENCE, STRONG, Pair

STYLES: dict[str, Pair] = {
    **dict.fromkeys(r"\emph \textit \textsl \em \it \sl \itshape \slshape".split(), EMPHASIS),
    **dict.fromkeys(r"\textbf \bf \bfseries".split(), STRONG),
    **dict.fromkeys(r"\texttt \tt \ttfamily".split(), CODE),
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
    reader = MarkedReader(article)
    reader.read()
    title = reader.title or article.id.rpartition("/")[2].replace("_", " ")
    return Reading(article.id, title, reader.pieces, reader.numbers, reader.labels)


class MarkedReader(Reader):
    """A reader that keeps what articles are set with."""

    def __init__(self, article: Article) -> None:
        super().__init__(article)
        self.title = ""
        self.numbers: dict[int, str] = {}
        self.labels: dict[str, Target] = {}
        self.heads = dict(HEADS)
        self.unnumbered = set(UNNUMBERED)
        self.counts: Counter[str] = Counter()
        self.levels: list[int] = []  # numbers of the headings around, part and chapter first
        self.lists: list[tuple[str, int]] = []  # open lists with the number of their last item
        self.open_styles: list[tuple[int, Pair]] = []  # how many groups were open, and the mark
        self.anchor = Target("", 0)
        # commands that the corpus reads in its own way are led to the primitives below
        self.macros |= {name: Macro((), (_own(name),)) for name in MARKED if name in ACTIONS}

    def number(self, number: str, *, piece: int | None = None) -> None:
        """What labels from here on name."""
        place = len(self.pieces) if piece is None else piece
        self.anchor = Target(number, place)

    def plainly(self, tokens: list[str]) -> str:
        """Short text, also in the preamble."""
        was, self.preamble = self.preamble, False
        text = " ".join(plain(self, tokens).split())
        self.preamble = was
        return text

    # -- formulas ------------------------------------------------------------------------------

    def inline(self, closer: str) -> str:
        """An inline formula with macros expanded; as written if that takes too long."""
        text = super().inline(closer)
        if "\\" not in text:
            return text
        self.math = True
        try:
            return " ".join(join(self.expanded(lex(text))).split())
        except (MacroLimit, RecursionError):
            return text
        finally:
            self.math = False

    def display(self, environment: str) -> None:
        """A display and its number."""
        numbered = environment not in SINGLE and not environment.endswith("*")
        if numbered and not self.preamble:
            self.flush()
            self.counts["equation"] += 1
            self.number(str(self.counts["equation"]))
        super().display(environment)
        if numbered and self.pieces and isinstance(self.pieces[-1], Display):
            self.numbers[len(self.pieces) - 1] = str(self.counts["equation"])

    # -- groups and environments ---------------------------------------------------------------

    def mark(self, pair: Pair) -> None:
        """Open a mark that closes with the group around it."""
        self.text.append(pair.opens)
        self.open_styles.append((len(self.scopes), pair))

    def close_scope(self, kind: str) -> Scope | None:
        """End a group, and the marks that were opened in it."""
        scope = super().close_scope(kind)
        while self.open_styles and self.open_styles[-1][0] > len(self.scopes):
            self.text.append(self.open_styles.pop()[1].closes)
        return scope

    def open_environment(self, name: str) -> None:
        head = self.heads.get(name.rstrip("*"))
        if name in LISTS:
            self.lists.append((name, 0))
        note = self.optional() if head and self.peek() == "[" else None
        super().open_environment(name)
        if head and not self.preamble:
            self.text.append(HEAD.around(self.head(name, head, note)) + " ")

    def head(self, name: str, head: str, note: list[str] | None) -> str:
        """`Theorem 3 (Pythagoras).`"""
        said = self.plainly(note) if note else ""
        if name == "proof" and said:
            return f"{said}."
        if name not in self.unnumbered and not name.endswith("*"):
            self.counts[head] += 1
            self.number(str(self.counts[head]))
            head = f"{head} {self.counts[head]}"
        return f"{head} ({said})." if said else f"{head}."

    def end_environment(self, token: str) -> None:
        if self.lists and self.stack[-2:-1] == [self.lists[-1][0]]:
            self.lists.pop()
        super().end_environment(token)


# -- what commands do ----------------------------------------------------------------------------


def _style(r: MarkedReader, token: str) -> None:
    r"""\emph{..} and {\em ..}: until the group closes."""
    with_group = token.startswith(("\\text", "\\emph"))
    if r.preamble or with_group and r.peek() != "{":
        return
    if with_group:
        r.stack.pop()
        r.open_scope("{")
    else:
        r.skip_space()  # TeX drops it behind a control word
    if r.scopes:
        r.mark(STYLES[token])


def _title(r: MarkedReader, token: str) -> None:
    r.optional()
    r.title = r.plainly(r.argument())


def _heading(r: MarkedReader, token: str) -> None:
    level, starred = HEADINGS[token], r.peek()[:1] == "*"
    r.flush()
    place = len(r.pieces)
    if not starred and level <= 4 and not r.preamble:
        r.levels += [0] * (level + 1 - len(r.levels))
        r.levels[level:] = [r.levels[level] + 1]
        shown = r.levels[1:] if r.levels[1:2] != [0] else r.levels[2:]
        r.numbers[place] = ".".join(map(str, shown)) if level else str(r.levels[0])
        r.number(r.numbers[place], piece=place)
    ACTIONS[token](r, token)
    if len(r.pieces) == place:
        r.numbers.pop(place, None)


def _item(r: MarkedReader, token: str) -> None:
    given = r.optional()
    name, count = r.lists[-1] if r.lists else ("itemize", 0)
    label = BULLET
    if given is not None:
        label = r.plainly(given)
    elif LISTS[name]:
        r.lists[-1] = (name, count + 1)
        label = f"{count + 1}."
        r.number(str(count + 1))
    r.text.append("\n\n" + LABEL.around(label) + " ")


def _label(r: MarkedReader, token: str) -> None:
    r.labels.setdefault(r.name(), r.anchor)


def _reference(r: MarkedReader, token: str) -> None:
    r.options()
    keys = r.name().split(",")
    shown = ", ".join(REFERENCE.around(key.strip()) for key in keys)
    r.text.append(f"({shown})" if token == "\\eqref" else shown)


def _theorem(r: MarkedReader, token: str) -> None:
    r"""\newtheorem{name}[..]{Head}[..]"""
    starred = r.take("*")
    name = r.name()
    r.optional()
    head = r.plainly(r.argument())
    r.optional()
    if head:
        r.heads[name] = head
    if starred:
        r.unnumbered.add(name)


Mark = Callable[[MarkedReader, str], None]
POINTS = frozenset(name for name in REFERENCES if name.lower().endswith("ref"))
MARKED: dict[str, Mark] = {
    **dict.fromkeys(STYLES, _style),
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(POINTS, _reference),
    "\\title": _title, "\\item": _item, "\\label": _label, "\\newtheorem": _theorem,
}  # fmt: skip


def _own(name: str) -> str:
    return f"\\marked@{name[1:]}"


def _primitive(name: str) -> Primitive:
    def act(x: Expander) -> None:
        if x.math and name != "\\label":
            x.stack.append(PRIMITIVE + name)  # in a formula it is what it always was
        else:
            MARKED[name](cast(MarkedReader, x), name)

    return primitive(act)


MarkedReader.primitives = {
    **PRIMITIVES,
    **{_own(name) if name in ACTIONS else name: _primitive(name) for name in MARKED},
}
