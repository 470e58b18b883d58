r"""Markdown in, of any dialect: CommonMark, MyST, Quarto, R Markdown, kramdown, mkdocs, Julia's.

All dialects are read at once (blocks.py, inlines.py); what only the whole of a text can tell of its
dialect is found here, and the macros that the settings of its site define.
"""

import re

from topiceq.article import settings
from topiceq.article.blocks import Blocks
from topiceq.article.composer import Composer
from topiceq.article.inlines import Dialect, beside
from topiceq.article.pieces import Pieces
from topiceq.article.source import Article

_REFERENCE = re.compile(r"^ {0,3}\[([^\[\]\n^]{1,200})\]:", re.M)


def read_markdown(article: Article, text: str, sink: Pieces) -> None:
    """Read one file."""
    page = Composer(article, sink)
    page.define(site_macros(article))
    Blocks(page, dialect_of(text)).read(text)
    page.flush()


def site_macros(article: Article) -> str:
    """What the settings beside and above an article define."""
    texts = map(article.files.read, article.files.settings(article.root))
    return "\n".join(settings.macros(text) for text in texts if text)


def dialect_of(text: str) -> Dialect:
    """What the whole of a text tells of the dialect that it is written in."""
    julia = "```math" in text and "$$" not in text or "```@" in text or "](@ref" in text
    references = frozenset(name.lower() for name in _REFERENCE.findall(text))
    return Dialect(is_doubled(text), julia, references)


def is_doubled(text: str) -> bool:
    """Whether `$$x$$` is inline, as in kramdown: who writes so has no use for single dollars."""
    doubled = single = 0
    for paragraph in text.split("\n\n"):
        at = paragraph.find("$")
        while at >= 0:
            size = 2 if paragraph.startswith("$$", at) else 1
            end = paragraph.find("$" * size, at + size)
            if end < 0:
                break
            if size == 1:
                single += 1
            else:
                doubled += all(beside(paragraph, at, end + 2))
            at = paragraph.find("$", end + size)
    return doubled > max(single, 1)
