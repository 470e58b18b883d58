"""Any article in; its prose, headings and displays out, whatever it is written in.

The suffix of the main file tells the format, and a reader of the format writes pieces to a sink.
What comes behind knows no format.
"""

import re
from collections.abc import Callable

from topiceq.article.archive import (
    HTML_SUFFIXES,
    LATEX_SUFFIXES,
    LINES_SUFFIX,
    MARKDOWN_SUFFIXES,
)
from topiceq.article.doxygen import read_doxygen
from topiceq.article.latex import read_latex
from topiceq.article.markdown import read_markdown
from topiceq.article.notebook import read_notebook
from topiceq.article.pieces import Piece, Pieces
from topiceq.article.source import Article
from topiceq.article.unarxive import read_unarxive

_PARAGRAPHS = re.compile(r"<(?:body|p)[\s>]", re.I)

Read = Callable[[Article, str, Pieces], None]  # the article, the text of its main file, the sink


def _read_html(article: Article, text: str, sink: Pieces) -> None:
    from topiceq.article.html import read_html  # lxml, which few questions need

    read_html(article, text, sink)


def _read_restructured(article: Article, text: str, sink: Pieces) -> None:
    from topiceq.article.restructured import read_restructured  # docutils, which takes its time

    read_restructured(article, text, sink)


READERS: dict[str, Read] = {
    **dict.fromkeys(LATEX_SUFFIXES, read_latex),
    **dict.fromkeys(MARKDOWN_SUFFIXES, read_markdown),
    ".ipynb": read_notebook,
    ".dox": read_doxygen,
    **dict.fromkeys(HTML_SUFFIXES, _read_html),
    LINES_SUFFIX: read_unarxive,
    ".rst": _read_restructured,
}


def read(article: Article) -> list[Piece]:
    """All pieces of an article (of a book: of all its chapters), in reading order."""
    sink = Pieces()
    read_into(sink, article)
    return sink.pieces


def read_into(sink: Pieces, article: Article) -> None:
    """Read an article for those who want more than its pieces."""
    text = article.files.read(article.root)
    if text is not None:
        suffix = "." + article.root.lower().rpartition(".")[2]
        if suffix in HTML_SUFFIXES and is_markdeep(text):
            suffix = ".md"
        READERS.get(suffix, read_latex)(article, text, sink)


def is_markdeep(text: str) -> bool:
    """Whether a page is Markdown, which a script in it lays out in the browser."""
    return "markdeep" in text.lower() and not _PARAGRAPHS.search(text)
