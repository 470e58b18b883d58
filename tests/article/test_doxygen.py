"""Pages of Doxygen, read to pieces."""

import pytest

from topiceq.article.doxygen import as_markdown
from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.source import Article


def pieces(text: str) -> list[Piece]:
    return read(Article("page", "", "page.dox", MemoryFiles({"page.dox": text.encode()})))


def prose(text: str) -> str:
    parts = [p.text if isinstance(p, Prose) else " … " for p in pieces(text)]
    return " ".join("".join(parts).split())


@pytest.mark.parametrize("mark", ["@", "\\"])
@pytest.mark.parametrize(
    ("opens", "closes", "environment"),
    [
        ("f[", "f]", "displaymath"),
        ("f{align*}{", "f}", "align*"),
        ("f{equation}", "f}", "equation"),
    ],
)
def test_displays(mark: str, opens: str, closes: str, environment: str) -> None:
    (before, display, after) = pieces(
        f"With {mark}f$ m {mark}f$ we have\n{mark}{opens}\n x = y\n{mark}{closes}\nwhere it is."
    )
    assert isinstance(display, Display) and isinstance(before, Prose) and isinstance(after, Prose)
    assert (display.environment, display.line) == (environment, 2)
    assert [token for token in display.tokens if token.strip()] == ["x = y"]
    assert (before.text, after.text) == ("With $m$ we have\n", " \nwhere it is.\n\n")


def test_a_page_in_comments() -> None:
    text = """/*
 * A licence.
 */
/*! @page mass On mass
 *
 *  @tableofcontents
 *  @section part A part
 *
 *  Text with @p code, @em word and @ref other "its name"; see @ref eq.
 *  @code{.cpp}
 *  int x;
 *  @endcode
 *  @note Mind $x$, as \\cite smith says.
 *  - an item
 */
namespace x { int y; }
/// A line.
"""
    assert prose(text) == (
        "… Text with code, word and its name; see …. Mind $x$, as … says. an item A line."
    )
    (heading,) = (p for p in pieces(text) if isinstance(p, Heading))
    assert (heading.level, heading.text) == (2, "A part")


def test_pages_without_comments_are_read_whole() -> None:
    text = "<h1>Title</h1>\n\n<h3>Part</h3>\nIt is $x$.\n@image html a.png\n@dealiiVideo{3}\nEnd.\n"
    assert pieces(text) == [Heading("page", "Part", 3), Prose("page", "It is $x$.\n\nEnd.\n\n")]


def test_commands_of_latex_in_formulas_stay() -> None:
    text = r"$\ref \c \code x$ and @f$\a \p@f$ \c x"
    assert as_markdown(text) == r"$\ref \c \code x$ and $\a \p$ `x`"


@pytest.mark.parametrize(
    "text",
    ["@code " * 20_000, "@f[ " * 20_000, "@f{ " * 20_000, "\\f$" * 20_001, "/** " * 20_000, "@",
     "/**", "@ref", "@section", "@f", "*/", "$" * 10_001, "@{" * 10_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_no_input_is_too_hard(text: str) -> None:
    assert all(p.text for p in pieces(text) if isinstance(p, Prose))


def test_items_and_footnotes_of_doxygen() -> None:
    text = "/** with\n * \\li One is so.\n * \\li Two.\\footnote{The \\f$x_{1}\\f$ is.} End.\n */"
    found = "".join(p.text for p in pieces(text) if isinstance(p, Prose))
    assert [part.strip() for part in found.split("\f")] == ["with", "One is so.", "Two. End."]


def test_a_footnote_leaves_its_line_ends() -> None:
    assert as_markdown("/** One.\\footnote{a\n * b} \\li c */").count("\n") == 1
