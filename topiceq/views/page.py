"""An annotated article as one HTML page: nothing in it comes from elsewhere.

Prose, headings and formulas in the order of the article; beside each display its topics as bars and
a glossary of its symbols; on top the topics over the article's length. page.html says how it looks;
here is what it shows.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from topiceq.article.bibliography import Reference
from topiceq.article.marks import (
    CITATION,
    CODE,
    EMPHASIS,
    FLOAT,
    HEAD,
    LABEL,
    PARTED,
    REFERENCE,
    STRONG,
    without,
)
from topiceq.article.page import Reading, Target
from topiceq.article.pieces import Display, Heading, Prose
from topiceq.article.prose import tidy
from topiceq.article.tex import join
from topiceq.errors import CorpusError
from topiceq.files import write_text
from topiceq.tasks.annotate import Annotated, Note
from topiceq.tasks.explain import Phrase
from topiceq.views.mathml import in_rows, mathml, source
from topiceq.views.shapes import Shape, annotated_shape
from topiceq.views.templates import SHARED, beside, render

BEGINNING = 8_000  # characters of prose that are shown first


class Page(Annotated):
    """An annotated article for people and for tools."""

    def html(self) -> str:
        """One page that needs nothing else."""
        # the topics of the article have colours, others are grey
        colours = {share.topic: f"var(--t{n})" for n, share in enumerate(self.topics)}
        script = beside("page.js") + "\nenliven(document);\n"
        return render(
            "page.html", **vars(self), title=self.title, colours=colours, script=script,
            digest=b64encode(sha256(script.encode()).digest()).decode(),
            width=WIDTH, height=HEIGHT, ticks=TICKS, font=font(),
            bands=list(bands(self, colours)), columns=list(columns(self)), marks=list(marks(self)),
            entries=dict(glossaries(self)), formula=formula, paragraphs=paragraphs,
            terms=terms(self), marked=partial(marked, self, terms(self)),
            said_at=partial(said_at, self),
            typeset=partial(
                typeset, labels=self.reading.labels, references=self.reading.references
            ),
        )  # fmt: skip

    def save(self, out: str | Path) -> None:
        """Write the page."""
        write(out, self.html())

    def json(self) -> Shape:
        """Everything as plain values; prose with inline math between dollar signs."""
        return annotated_shape(self)


def beginning(reading: Reading) -> str:
    """A page of how an article begins, before anything is known of it."""
    sizes = accumulate(len(p.text) if isinstance(p, Prose) else 0 for p in reading.pieces)
    pieces = reading.pieces[: 1 + sum(size <= BEGINNING for size in sizes)]
    notes = {
        place: Note(
            reading.numbers.get(place, ""), piece.line, piece.source,
            "" if piece.reason else join(piece.tokens), piece.environment, [], [], [],
        )
        for place, piece in enumerate(pieces) if isinstance(piece, Display)
    }  # fmt: skip
    page = Page(
        reading=replace(reading, pieces=pieces, references={}), notes=notes, glossary=[],
        inline={}, sentences={}, topics=[], timeline=np.ones((1, 1), np.float32), explains=True,
    )  # fmt: skip
    return page.html()


def write(out: str | Path, text: str) -> None:
    """Write a file that somebody asked for."""
    try:
        write_text(Path(out), text)
    except OSError as error:
        raise CorpusError(f"Cannot write '{out}': {error.strerror}.") from None


# -- prose: formulas drawn, marks as tags, references as links ---------------------------------

PARTS = re.compile(r"(\$[^$]*\$|\ue00a[^\ue00b]*\ue00b|\ue00c[^\ue00d]*\ue00d|[\ue000-\ue00b])")
FLOATS = re.compile(f"{FLOAT.opens}(\\d+){FLOAT.closes}")
NONE: Mapping[str, Reference] = MappingProxyType({})
PUNCTUATED = re.compile(r"(<math>(?:(?!</?math>).)*</math>)([,.;:!?)”’]+)")
TAG = re.compile(r"<[^<>]*>")
SIGNS = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’"}  # as TeX prints them
WRITTEN = re.compile("|".join(SIGNS))
SHORT = 4  # characters of a label that fits before its item
DOLLAR = "＄"  # one of the text: a plain one opens a formula
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
    """The paragraphs of a piece of prose, each with its class; floats stand behind theirs."""
    for whole in PARAGRAPHS.split(text):
        part = tidy(FLOATS.sub(" ", whole))
        if part.strip():
            label = part[: part.find(LABEL.closes)] if part.startswith(LABEL.opens) else ""
            yield "" if not label else "item" if len(label) <= SHORT else "item named", part
        yield from (("float", number) for number in FLOATS.findall(whole))


def typeset(
    text: str,
    labels: Mapping[str, Target],
    references: Mapping[str, Reference] = NONE,
    symbols: Iterator[Mapping[str, int]] | None = None,
) -> Markup:
    """A line of prose as HTML; `symbols` are those of each formula that something is known of.

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
            out.append(pointer(part[1:-1], labels, references))
        elif part[:1] == CITATION.opens:
            out.append(citation(part[1:-1], references))
        elif part[:1] == "$" and len(part) > 1:
            known: Mapping[str, int] = {}
            is_aside = any(TAGS[aside][1] in still_open for aside in (HEAD, LABEL))
            drawn = inline(
                part[1:-1], known if symbols is None or is_aside else next(symbols, known)
            )
            is_long = len(TAG.sub("", str(drawn))) > LONG  # may need to be scrolled
            out.append(Markup('<span class="long">{}</span>').format(drawn) if is_long else drawn)
        else:
            is_code = TAGS[CODE][1] in still_open
            part = part.replace(DOLLAR, "$")
            out.append(part if is_code else WRITTEN.sub(lambda sign: SIGNS[sign[0]], part))
    joined = str(Markup("").join(out + still_open[::-1]))  # `sub` would escape its own tags
    return Markup(PUNCTUATED.sub(r'<span class="together">\1\2</span>', joined))


def inline(latex: str, symbols: Mapping[str, int]) -> Markup:
    """A formula of a sentence; the script shows what is known of its symbols."""
    drawn = mathml(latex, display=False, symbols=symbols)
    return Markup(str(drawn).replace("data-symbol=", 'class="told" data-symbol='))


@cache
def font() -> str:
    """The mathematics font, to stand in a page."""
    return b64encode(SHARED["stix-two-math.woff2"].read_bytes()).decode()


def pointer(key: str, labels: Mapping[str, Target], references: Mapping[str, Reference]) -> str:
    r"""A reference to a place in the article, or to a work: `@key` of Markdown can be either."""
    key, _, style = key.partition(PARTED)
    target = labels.get(key)
    if not target or not target.number:
        return citation(PARTED.join(["", "citet", "", "", key]), references, "…")
    name = f"{target.kind} " if style and target.kind else ""
    name = name if style[:1].isupper() or style == "autoref" else name.lower()
    number = f"({target.number})" if name.lower() == "equation " else target.number
    return Markup('{}<a href="#{}">{}</a>').format(name, target.place, number)


def citation(marked: str, references: Mapping[str, Reference], unknown: str = "") -> str:
    """`[Author 2019, p. 3]`, `Author [2019]`, `[1]`: each key leads to its reference."""
    _, style, before, behind, keys = marked.split(PARTED)
    works = [references[key] for key in keys.split(",") if key in references]
    if not works:
        lost = Markup('<span class="lost" title="The source has no such reference">[{}]</span>')
        return unknown or lost.format(keys.replace(",", ", "))
    style = style.lower()
    if "author" in style and all(work.names for work in works):
        return Markup(", ").join(_work(work, work.names) for work in works)
    if "year" in style and all(work.year for work in works):
        return Markup(", ").join(_work(work, work.year) for work in works)
    if style in ("citet", "textcite", "citealt") and all(work.names for work in works):
        note = f", {behind}" if behind else ""
        return Markup(", ").join(
            Markup("{} {}").format(work.names, _work(work, f"[{work.year or work.number}{note}]"))
            for work in works
        )
    shown = Markup("; ").join(
        _work(work, f"{work.names} {work.year}".strip() or str(work.number)) for work in works
    )
    words = [Markup("{} ").format(before)] * bool(before) + [shown]
    return Markup("[{}{}]").format(Markup("").join(words), f", {behind}" if behind else "")


def _work(work: Reference, text: str) -> Markup:
    return Markup('<a class="work" href="#r{}">{}</a>').format(work.number, text)


# -- timeline: the topics over the article's length, one band a topic, a tick a display ---------

WIDTH, HEIGHT, TICKS = 640, 32, 6


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


class Column(NamedTuple):
    """A piece of the timeline that can be clicked."""

    x: str
    width: str
    target: str  # the id of what the article is at there
    topics: list[str]  # that have the largest shares there


def columns(annotated: Annotated) -> Iterator[Column]:
    """The columns of the timeline, each with the paragraph in its middle."""
    anchors = list(_anchors(annotated))
    labels = {share.topic: share.label or f"topic {share.topic}" for share in annotated.topics}
    count = len(annotated.timeline)
    at = 0
    for number, theta in enumerate(annotated.timeline):
        middle = (number + 0.5) / count
        while at + 1 < len(anchors) and anchors[at + 1][0] <= middle:
            at += 1
        best = [labels[k] for k in np.argsort(-theta)[:2].tolist() if k in labels]
        target = anchors[at][1] if anchors else ""
        yield Column(f"{number * WIDTH / count:.1f}", f"{WIDTH / count:.1f}", target, best)


def _anchors(annotated: Annotated) -> Iterator[tuple[float, str]]:
    """Paragraphs, displays and headings with how much text is before them, and their ids."""
    pieces = annotated.reading.pieces
    total = max(1, sum(len(piece.text) for piece in pieces if isinstance(piece, Prose)))
    before = 0
    for place, piece in enumerate(pieces):
        if not isinstance(piece, Prose):
            yield before / total, f"p{place}"
            continue
        for number, (kind, text) in enumerate(paragraphs(piece.text)):
            if kind != "float":
                yield before / total, f"p{place}-{number}" if number else f"p{place}"
                before += len(text)


def marks(annotated: Annotated) -> Iterator[tuple[int, str]]:
    """The displays and sections among the pieces, each with its x: how much text is before it."""
    for part, anchor in _anchors(annotated):
        place = int(anchor[1:].partition("-")[0])
        piece = annotated.reading.pieces[place]
        if isinstance(piece, Display) or (isinstance(piece, Heading) and piece.level <= 2):
            yield place, f"{WIDTH * part:.1f}"


# -- notes: a display with its symbols marked, and what they mean ------------------------------


class Entry(NamedTuple):
    """A symbol in the glossary of a display, or in that of all sentences."""

    number: int  # that the symbol also carries in the formula, where the page's script finds it
    symbol: str
    phrases: list[Phrase]


def formula(note: Note) -> Markup:
    """A display, each of its explained symbols with the number of its entry."""
    if not note.latex.strip():
        return Markup("<pre>{}</pre>").format(source(note.equation))
    known = [symbol.phrases for symbol in note.symbols]
    symbols = {latex: n for n, forms in enumerate(note.forms) for latex in forms if known[n]}
    drawn = mathml(in_rows(note.latex, note.environment), display=True, symbols=symbols)
    for number in sorted(set(symbols.values())):
        kind = "guessed" if known[number][0].source == "lexicon" else "said"
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
            if phrases := explained.phrases:
                meanings = {phrase.phrase for phrase in phrases}
                is_known = not meanings.isdisjoint(known.get(explained.symbol, ()))
                entry = Entry(number, explained.symbol, phrases)
                (as_before if is_known else fresh).append(entry)
                known[explained.symbol] = meanings
        yield place, (fresh, as_before)


# -- notes inside sentences: entries at the end of the page ------------------------------------

Terms = dict[tuple[str, str], Entry]


def terms(annotated: Annotated) -> Terms:
    """The symbols of formulas inside sentences, once with each of their meanings."""
    found: Terms = {}
    for notes in annotated.inline.values():
        for explained in (one for note in notes for one in note.symbols):
            key = explained.symbol, explained.phrases[0].phrase
            found.setdefault(key, Entry(len(found), explained.symbol, explained.phrases))
    return found


def marked(annotated: Annotated, entries: Terms, place: int) -> Iterator[Mapping[str, int]]:
    """The symbols of each formula of a piece of prose, with the numbers of their entries."""
    for note in annotated.inline.get(place, ()):
        each = zip(note.symbols, note.forms, strict=True)
        yield {form: entries[one.symbol, one.phrases[0].phrase].number
               for one, forms in each for form in forms}  # fmt: skip


def said_at(annotated: Annotated, phrase: Phrase) -> str:
    """The id of the paragraph or display where the article says so; empty if it does not."""
    if phrase.place is None or phrase.place not in annotated.sentences:
        return ""
    place, offset = annotated.sentences[phrase.place]
    piece = annotated.reading.pieces[place]
    if not isinstance(piece, Prose):
        return f"p{place}"
    shown = paragraph_at(piece.text, offset)
    return f"p{place}" + f"-{shown}" * (shown > 0)


def paragraph_at(text: str, offset: int) -> int:
    r"""Which of the paragraphs of a piece has what stands at a place of its plain text.

    >>> paragraph_at("One. Two.\n\nThree.", 12), paragraph_at("One. Two.", 5)
    (1, 0)
    """
    shown, reached = 0, 0
    for whole in re.split(f"({PARAGRAPHS.pattern})", text):
        reached += len(without(whole))
        if reached > offset:
            break
        shown += sum(1 for _ in paragraphs(whole))
    return shown
