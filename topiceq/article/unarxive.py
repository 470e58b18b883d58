"""One line of unarXive (its format of 2022) in, the pieces of its article out.

Formulas, citations and figures are placeholders in the text, `{{formula:..}}`. Displays are what
unarXive sets apart: a formula that is alone in its paragraph, or on a line of its own. The line of
a display is the number of its paragraph, as the article is all on one line of the file.
"""

import re
from collections.abc import Mapping
from typing import Any

from topiceq.article.composer import Composer
from topiceq.article.jsonlines import parsed
from topiceq.article.pieces import Pieces
from topiceq.article.source import Article

_PLACEHOLDER = re.compile(r"\{\{(\w{1,20}):([\w.:/-]{1,100})\}\}")
_APART = re.compile(r"\s*\{\{formula:([\w.:/-]{1,100})\}\}\s*+([.,;:]?)\s*")


def read_unarxive(article: Article, text: str, sink: Pieces) -> None:
    """Read one line."""
    record = parsed(text)
    if title := " ".join(_text(record, "metadata", "title").split()):
        sink.entitle(title)
    entries = record.get("ref_entries")
    writer = _Writer(Composer(article, sink), entries if isinstance(entries, dict) else {})
    writer.paragraph(_text(record, "abstract", "text"), 0)
    paragraphs = record.get("body_text")
    section = ""
    for number, part in enumerate(paragraphs if isinstance(paragraphs, list) else (), 1):
        if (name := _text(part, "section")) != section:
            section = name
            with writer.composer.heading(2 + _text(part, "sec_number").count(".")):
                writer.write(section)
        writer.paragraph(_text(part, "text"), number)
    writer.composer.flush()


class _Writer:
    """Puts formulas where their placeholders stand."""

    def __init__(self, composer: Composer, entries: Mapping[str, Any]) -> None:
        self.composer = composer
        self.entries = entries

    def paragraph(self, text: str, number: int) -> None:
        for line in text.split("\n"):
            apart = _APART.fullmatch(line)
            latex = _text(self.entries, apart[1], "latex") if apart else ""
            if apart and latex:
                self.composer.display(latex + apart[2], number)
            else:
                self.write(line + "\n")
        self.composer.paragraph()

    def write(self, text: str) -> None:
        """Text in which no formula is set apart."""
        start = 0
        for match in _PLACEHOLDER.finditer(text):
            self.composer.write(text[start : match.start()])
            if match[1] == "formula":
                self.composer.formula(_text(self.entries, match[2], "latex"))
            elif match[1] == "cite":
                self.composer.cite(match[2])
            else:
                self.composer.sink.refer(match[2])
            start = match.end()
        self.composer.write(text[start:])


def _text(value: object, *keys: str) -> str:
    """The text that lies below some keys, "" where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""
