"""Notebooks (.ipynb, formats 3 and 4): their cells of Markdown, read as one article.

In goes the JSON of a notebook; its displays have the number of their cell as a line. Code and
what it prints are no prose.
"""

import json
from collections.abc import Iterator
from typing import Any

from topiceq.article.blocks import Blocks
from topiceq.article.composer import Composer
from topiceq.article.files import Broken
from topiceq.article.markdown import dialect_of, site_macros
from topiceq.article.pieces import Pieces
from topiceq.article.source import Article

MAX_CELL = 1 << 20  # characters; a longer one is data, not text


def read_notebook(article: Article, text: str, sink: Pieces) -> None:
    """Read the cells of Markdown of a notebook, one after another."""
    cells = dict(markdown_cells(text))
    page = Composer(article, sink)
    page.define(site_macros(article))
    dialect = dialect_of("\n\n".join(cells.values()))
    dialect.doubled = dialect.julia = False  # MathJax knows neither
    blocks = Blocks(page, dialect)
    for number, source in cells.items():
        blocks.read(source, number)
    page.flush()


def markdown_cells(text: str) -> Iterator[tuple[int, str]]:
    """The numbers of the cells of Markdown among all cells, and their text."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Broken("is no notebook (its JSON is broken)") from None
    if not isinstance(notebook, dict):
        raise Broken("is no notebook (its JSON has no cells)")
    for number, cell in enumerate(_cells(notebook), 1):
        if isinstance(cell, dict) and (source := _source(cell)):
            yield number, source


def _cells(notebook: dict[str, Any]) -> list[Any]:
    """All cells; in format 3 they stand in worksheets."""
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else ())]
    lists = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    found = [cells for cells in lists if isinstance(cells, list)]
    if not found:
        raise Broken("is no notebook (its JSON has no cells)")
    return [cell for cells in found for cell in cells]


def _source(cell: dict[str, Any]) -> str:
    """The text of a cell of Markdown or of a heading, "" of others."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str) or len(source) > MAX_CELL:
        return ""
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        return "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + " " + source
    return source if cell.get("cell_type") == "markdown" else ""
