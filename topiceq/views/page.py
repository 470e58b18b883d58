"""An annotated article as one HTML page: nothing in it comes from elsewhere.

Prose, headings and formulas in the order of the article; beside each display its topics as bars and
a glossary of its symbols; on top the topics over the article's length. page.html says how it looks;
here is what it shows.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from topiceq.article.page import CODE, EMPHASIS, HEAD, LABEL, REFERENCE, STRONG, Target
from topiceq.article.pieces import Display, Prose
from topiceq.article.prose import tidy
from topiceq.errors import CorpusError
from topiceq.files import write_text
from topiceq.tasks.annotate import Annotated, Note
from topiceq.tasks.explain import Explained, Phrase
from topiceq.views.mathml import in_rows, mathml, source
from topiceq.views.shapes import Shape, annotated_shape
from topiceq.views.templates import beside, render


class Page(Annotated):
    """An annotated article for people and for tools."""

    def html(self) -> str:
        """One page that needs nothing else."""
        # the topics of the article have colours, others are grey
        colours = {share.topic: f"var(--t{n})" for n, share in enumerate(self.topics)}
        script = beside("page.js")
        return render(
            "page.html", **vars(self), title=self.title, colours=colours, script=script,
            digest=b64encode(sha256(script.encode()).digest()).decode(),
            width=WIDTH, height=HEIGHT, ticks=TICKS,
            bands=list(bands(self, colours)), marks=list(marks(self)),
            entries=dict(glossaries(self)), formula=formula, paragraphs=paragraphs,
            typeset=partial(typeset, labels=self.reading.labels),
        )  # fmt: skip

    def save(self, out: str | Path) -> None:
        """Write the page."""
        try:
            write_text(Path(out), self.html())
        except OSError as error:
            raise CorpusError(f"Cannot write '{out}': {error.strerror}.") from None

    def json(self) -> Shape:
        """Everything as plain values; prose with inline math between dollar signs."""
        return annotated_shape(self)


# -- prose: formulas drawn, marks as tags, references as links ---------------------------------

PARTS = re.compile(r"(\$[^$]*\$|\ue00a[^\ue00b]*\ue00b|[\ue000-\ue00b])")
PUNCTUATED = re.compile(r"(<math>(?:(?!</math>).)*</math>)([,.;:!?)”’]+)")
TAG = re.compile(r"<[^>]*>")
QUOTES = str.maketrans("`'", "‘’")  # as TeX prints them
SHORT = 4  # characters of a label that fits before its item
LONG = 24  # characters of a formula that may be wider than a narrow screen
PARAGRAPHS = re.compile(r"\n\s*\n")
TAGS = {
    EMPHASIS: (Markup("<em>"), Markup("</em>")),
    STRONG: (Markup("<strong>"), Markup("</strong>")),
    CODE: (Markup("<code>"), Markup("</code>")),
    HEAD: (Markup('<span class="head">'), Markup("</span>")),
    LABEL: (Markup('<span class="label">'), Markup("</span>")),
}
OPENS = {pair.opens: tags for pair, tags in TAGS.items()}
CLOSES = {pair.closes: tags[1] for pair, tags in TAGS.items()}


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a piece of prose, each with its class."""
    for part in map(tidy, PARAGRAPHS.split(text)):
        if part.strip():
            label = part[: part.find(LABEL.closes)] if part.startswith(LABEL.opens) else ""
            yield "" if not label else "item" if len(label) <= SHORT else "item named", part


def typeset(text: str, labels: Mapping[str, Target]) -> Markup:
    """A line of prose as HTML.

    >>> print(typeset("if " + EMPHASIS.around("$x$") + " < 1", {}))
    if <em><math><mi>x</mi></math></em> &lt; 1
    """
    out: list[str] = []  # text is escaped where it is joined
    still_open: list[str] = []  # tags that close what is open
    for part in PARTS.split(text):
        if part in OPENS:
            out.append(OPENS[part][0])
            still_open.append(OPENS[part][1])
        elif part in CLOSES:
            if still_open[-1:] == [CLOSES[part]]:
                out.append(still_open.pop())
        elif part[:1] == REFERENCE.opens:
            target = labels.get(part[1:-1])
            link = Markup('<a href="#p{0.piece}">{0.number}</a>')
            out.append(link.format(target) if target and target.number else "…")
        elif part[:1] == "$" and len(part) > 1:
            drawn = mathml(part[1:-1], display=False)
            is_long = len(TAG.sub("", str(drawn))) > LONG  # may need to be scrolled
            out.append(Markup('<span class="long">{}</span>').format(drawn) if is_long else drawn)
        else:
            out.append(part.translate(QUOTES))
    joined = str(Markup("").join(out + still_open[::-1]))  # `sub` would escape its own tags
    return Markup(PUNCTUATED.sub(r'<span class="together">\1\2</span>', joined))


# -- timeline: the topics over the article's length, one band a topic, a tick a display ---------

WIDTH, HEIGHT, TICKS = 640, 72, 10


def bands(annotated: Annotated, colours: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Colours and paths, stacked from below, the most frequent topic first."""
    share = annotated.timeline / annotated.timeline.sum(1, keepdims=True)  # (columns, K)
    lower = np.zeros(len(share))
    for topic, colour in colours.items():
        upper = lower + share[:, topic]
        yield colour, _band(lower, upper)
        lower = upper


def _band(lower: np.ndarray, upper: np.ndarray) -> str:
    """A band in steps: what a column shows is the mean of its window, nothing between is known."""
    step = WIDTH / len(lower)
    there = [f"{n * step:.1f},{HEIGHT * (1 - y):.1f} {(n + 1) * step:.1f},{HEIGHT * (1 - y):.1f}"
             for n, y in enumerate(upper)]  # fmt: skip
    back = [f"{(n + 1) * step:.1f},{HEIGHT * (1 - y):.1f} {n * step:.1f},{HEIGHT * (1 - y):.1f}"
            for n, y in reversed(list(enumerate(lower)))]  # fmt: skip
    return "M" + " ".join(there + back) + "Z"


def marks(annotated: Annotated) -> Iterator[tuple[int, str]]:
    """The displays and sections among the pieces, each with its x: how much text is before it."""
    pieces = annotated.reading.pieces
    total = max(1, sum(len(piece.text) for piece in pieces if isinstance(piece, Prose)))
    before = 0
    for place, piece in enumerate(pieces):
        if isinstance(piece, Prose):
            before += len(piece.text)
        elif isinstance(piece, Display) or piece.level <= 2:
            yield place, f"{WIDTH * before / total:.1f}"


# -- notes: a display with its symbols marked, and what they mean ------------------------------

LEAST = 0.03  # p of a meaning from the model that is worth showing
GUESSES = 2  # meanings from the model that are shown


class Entry(NamedTuple):
    """A symbol in the glossary of a display."""

    number: int  # that the symbol also carries in the formula, where the page's script finds it
    symbol: str
    phrases: list[Phrase]


def formula(note: Note) -> Markup:
    """A display, each of its explained symbols with the number of its entry."""
    if not note.latex.strip():
        return Markup("<pre>{}</pre>").format(source(note.equation))
    shown = {number: shown_phrases(symbol) for number, symbol in enumerate(note.symbols)}
    symbols = {latex: n for n, forms in enumerate(note.forms) for latex in forms if shown[n]}
    drawn = mathml(in_rows(note.latex, note.environment), display=True, symbols=symbols)
    for number in sorted(set(symbols.values())):
        kind = "said" if shown[number][0].source == "text" else "guessed"
        mark = f'data-symbol="{number}"'
        drawn = drawn.replace(mark, Markup(f'{mark} class="{kind}"'))
        drawn = drawn.replace(mark, Markup(f'{mark} tabindex="0"'), 1)  # once for the keyboard
    return drawn


def glossaries(annotated: Annotated) -> Iterator[tuple[int, tuple[list[Entry], list[Entry]]]]:
    """By the place of a display, the entries that are new there and those that are as before."""
    known: dict[str, set[str]] = {}  # symbols with the meanings that they had last
    for place, note in annotated.notes.items():
        fresh: list[Entry] = []
        as_before: list[Entry] = []
        for number, explained in enumerate(note.symbols):
            if phrases := shown_phrases(explained):
                meanings = {phrase.phrase for phrase in phrases}
                is_known = not meanings.isdisjoint(known.get(explained.symbol, ()))
                entry = Entry(number, explained.symbol, phrases)
                (as_before if is_known else fresh).append(entry)
                known[explained.symbol] = meanings
        yield place, (fresh, as_before)


def shown_phrases(explained: Explained) -> list[Phrase]:
    """What the page says of a symbol: the text's word, or the model's best guesses."""
    if explained.phrases and explained.phrases[0].source == "text":
        return explained.phrases[:1]
    return [p for p in explained.phrases[:GUESSES] if p.p is not None and p.p >= LEAST]
