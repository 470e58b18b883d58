"""Prose as HTML: formulas drawn, marks as tags, references as links, everything else escaped."""

import re
from collections.abc import Iterator, Mapping
from html import escape

from topiceq.corpus.prose import tidy
from topiceq.tasks.annotate.marks import CODE, EMPHASIS, HEAD, LABEL, REFERENCE, STRONG
from topiceq.tasks.annotate.reading import Target
from topiceq.tasks.mathml import mathml

PARTS = re.compile(r"(\$[^$]*\$|\ue00a[^\ue00b]*\ue00b|[\ue000-\ue00b])")
PUNCTUATED = re.compile(r"(<math>(?:(?!</math>).)*</math>)([,.;:!?)”’]+)")
TAG = re.compile(r"<[^>]*>")
QUOTES = str.maketrans("`'", "‘’")  # as TeX prints them
SHORT = 4  # characters of a label that fits before its item
LONG = 24  # characters of a formula that may be wider than a narrow screen
PARAGRAPHS = re.compile(r"\n\s*\n")
TAGS = {
    EMPHASIS: ("<em>", "</em>"),
    STRONG: ("<strong>", "</strong>"),
    CODE: ("<code>", "</code>"),
    HEAD: ('<span class="head">', "</span>"),
    LABEL: ('<span class="label">', "</span>"),
}
OPENS = {pair.opens: tags for pair, tags in TAGS.items()}
CLOSES = {pair.closes: tags[1] for pair, tags in TAGS.items()}


def paragraphs(text: str, labels: Mapping[str, Target]) -> Iterator[str]:
    """The paragraphs of a piece of prose."""
    for part in map(tidy, PARAGRAPHS.split(text)):
        if part.strip():
            label = part[: part.find(LABEL.closes)] if part.startswith(LABEL.opens) else ""
            kind = "" if not label else "item" if len(label) <= SHORT else "item named"
            yield (
                f'<p class="{kind}">{typeset(part, labels)}</p>'
                if kind
                else (f"<p>{typeset(part, labels)}</p>")
            )


def typeset(text: str, labels: Mapping[str, Target]) -> str:
    """A line of prose as HTML.

    >>> typeset("if " + EMPHASIS.around("$x$") + " < 1", {})
    'if <em><math><mi>x</mi></math></em> &lt; 1'
    """
    out: list[str] = []
    still_open: list[str] = []  # tags that close what is open
    for part in PARTS.split(text):
        if part in OPENS:
            out.append(OPENS[part][0])
            still_open.append(OPENS[part][1])
        elif part in CLOSES:
            if still_open[-1:] == [CLOSES[part]]:
                out.append(still_open.pop())
        elif part[:1] == REFERENCE.opens:
            out.append(_reference(labels.get(part[1:-1])))
        elif part[:1] == "$" and len(part) > 1:
            out.append(_formula(part[1:-1]))
        else:
            out.append(escape(part.translate(QUOTES)))
    return PUNCTUATED.sub(r'<span class="together">\1\2</span>', "".join(out + still_open[::-1]))


def _formula(latex: str) -> str:
    """An inline formula; a long one may need to be scrolled on a narrow screen."""
    drawn = mathml(latex, display=False)
    return f'<span class="long">{drawn}</span>' if len(TAG.sub("", drawn)) > LONG else drawn


def _reference(target: Target | None) -> str:
    if target is None or not target.number:
        return "…"
    return f'<a href="#p{target.piece}">{escape(target.number)}</a>'
