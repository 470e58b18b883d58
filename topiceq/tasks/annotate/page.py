"""An annotated article as one HTML page: nothing in it comes from elsewhere.

Prose, headings and formulas in the order of the article; beside each display its notes (notes.py);
on top the topics over the article's length (course.py). All text is escaped, formulas come from
`mathml`, and a content security policy lets only our own script run.
"""

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from topiceq.corpus.pieces import Display, Heading
from topiceq.tasks.annotate.course import course_svg
from topiceq.tasks.annotate.notes import Notes
from topiceq.tasks.annotate.typeset import paragraphs, typeset

if TYPE_CHECKING:
    from topiceq.tasks.annotate.annotated import Annotated

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="TopicEq">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
<div id="card" role="status" hidden></div>
<script>{script}</script>
</body>
</html>
"""


def page(annotated: "Annotated") -> str:
    """The page."""
    style, script = _beside("page.css"), _beside("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return PAGE.format(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        title=escape(annotated.title),
        style=style,
        body="\n".join(_lines(annotated)),
        script=script,
    )


@cache
def _beside(name: str) -> str:
    return files("topiceq.tasks.annotate").joinpath(name).read_text(encoding="utf-8")


def _lines(annotated: "Annotated") -> Iterator[str]:
    """Header, pieces, footer."""
    reading = annotated.reading
    notes = Notes(annotated)
    title = typeset(reading.title, reading.labels)
    yield f"<header><h1>{title}</h1>{_summary(annotated, notes)}</header>"
    for place, piece in enumerate(reading.pieces):
        if isinstance(piece, Heading):
            yield _heading(annotated, place, piece)
        elif isinstance(piece, Display):
            yield notes.figure(place, annotated.notes[place])
        else:
            yield from paragraphs(piece.text, reading.labels)
    yield f"<footer>{_footer(annotated)}</footer>"


def _heading(annotated: "Annotated", place: int, heading: Heading) -> str:
    level = min(max(heading.level, 2), 6)
    number = escape(annotated.reading.numbers.get(place, ""))
    count = f'<span class="count">{number}</span>' if number else ""
    text = typeset(heading.text, annotated.reading.labels)
    return f'<h{level} id="p{place}">{count}{text}</h{level}>'


def _summary(annotated: "Annotated", notes: Notes) -> str:
    topics = "".join(map(notes.legend, annotated.topics))
    return (
        '<section class="summary" aria-label="Topics of the article">'
        "<p>What it is about, from beginning to end; the ticks are its displays.</p>"
        f"{course_svg(annotated, notes.colours)}<ul>{topics}</ul></section>"
    )


def _footer(annotated: "Annotated") -> str:
    said = '<span class="said">Blue</span> symbols are explained by the article itself'
    if not annotated.explains:
        return f"{said}. The run has no alignment decoder, so it guesses no others. By TopicEq."
    guessed = '<span class="guessed">ochre</span> ones by a guess of the model'
    return f"{said}, {guessed}. Equations are numbered as they come. By TopicEq."
