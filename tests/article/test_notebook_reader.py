"""Notebooks, read to pieces."""

import json
from typing import Any

import pytest

from topiceq.article import notebook
from topiceq.article.files import Broken, MemoryFiles
from topiceq.article.formats import read
from topiceq.article.page import read as read_page
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.source import Article
from topiceq.config import CorpusConfig
from topiceq.corpus.extract import Dropped, pairs


def article(text: str) -> Article:
    return Article("book", "", "book.ipynb", MemoryFiles({"book.ipynb": text.encode()}))


def cell(source: Any, kind: str = "markdown", **others: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {}, **others}


def pieces(*cells: Any) -> list[Piece]:
    return read(article(json.dumps({"nbformat": 4, "cells": cells})))


def test_cells_of_markdown_are_one_article_and_their_number_is_the_line() -> None:
    found = pieces(
        cell(["# Title\n", "Text with $x$:\n", "$$x = y$$"]),
        cell("z = 1  # $$no$$", "code", outputs=[{"text": "$$no$$"}]),
        cell("where it is.\n\n## Next\n\n\\begin{equation}\na = b\n\\end{equation}"),
        cell("$$raw$$", "raw"),
    )
    assert found == [
        Prose("book", "Text with $x$:\n"),
        Display("book", "book.ipynb", 1, "displaymath", "x = y", ("x = y", " ")),
        Prose("book", "\nwhere it is.\n\n"),
        Heading("book", "Next", 2),
        Display("book", "book.ipynb", 3, "equation", "\\begin{equation}\na = b\n\\end{equation}",
                (" ", "a = b", " ")),
    ]  # fmt: skip


def test_macros_reach_across_cells() -> None:
    *_, display = pieces(cell("$\\newcommand{\\R}{\\mathbb{R}}$"), cell("$$x \\in \\R$$"))
    assert isinstance(display, Display) and "\\mathbb" in display.tokens


def test_an_open_fence_ends_with_its_cell() -> None:
    found = pieces(cell("```python\ncode"), cell("Text."))
    assert found == [Prose("book", "Text.\n\n")]


def test_format_3_has_worksheets_and_headings() -> None:
    cells = [cell("Title", "heading", level=1), cell("Part", "heading", level=2), cell("Text.")]
    text = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert read(article(text)) == [Heading("book", "Part", 2), Prose("book", "Text.\n\n")]
    assert read_page(article(text)).title == "Title"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is no notebook (its JSON is broken)"),
        ("", "is no notebook (its JSON is broken)"),
        ("[" * 200_000, "is no notebook (its JSON is broken)"),
        ('{"cells": ' + "9" * 10_000 + "}", "is no notebook (its JSON is broken)"),
        ("[1]", "is no notebook (its JSON has no cells)"),
        ('{"cells": 3}', "is no notebook (its JSON has no cells)"),
        ('{"worksheets": [4, {"cells": null}]}', "is no notebook (its JSON has no cells)"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_notebook_is_unreadable(text: str, why: str) -> None:
    with pytest.raises(Broken, match=why.replace("(", r"\(").replace(")", r"\)")):
        read(article(text))
    (dropped,) = pairs(article(text), CorpusConfig())
    assert dropped == Dropped("unreadable", "book", "book.ipynb", 0, why)


def test_cells_of_wrong_types_are_passed_over() -> None:
    found = pieces(
        None, 3, [], {}, cell(None), cell(7), cell([1, "Text ", None]), cell({"a": 1}),
        {"cell_type": ["markdown"], "source": "no"}, cell("T", "heading", level="x"),
        cell("\0end."),
    )  # fmt: skip
    assert found == [Prose("book", "Text\n\nend.\n\n")]


def test_a_cell_that_is_too_long_is_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MAX_CELL", 100)
    assert pieces(cell("word " * 30), cell("Text.")) == [Prose("book", "Text.\n\n")]
