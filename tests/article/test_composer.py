"""Pieces composed by readers of other formats than LaTeX."""

from topiceq.article.composer import Composer
from topiceq.article.equation.normal import normal_form
from topiceq.article.files import MemoryFiles
from topiceq.article.marks import without
from topiceq.article.page import MarkedPieces
from topiceq.article.pieces import Display, Heading, Pieces, Prose
from topiceq.article.source import Article


def composer(sink: Pieces | None = None) -> Composer:
    return Composer(Article("notes", "", "notes.md", MemoryFiles({})), sink or Pieces())


def test_prose_headings_and_displays_come_in_reading_order() -> None:
    page = composer()
    with page.heading(2):
        page.write("Energy of ")
        page.formula("x")
    page.write("It costs $5, and ")
    page.formula(r"\frac{1}{2}")
    page.display("E = m c^2", 7)
    page.flush()
    assert page.sink.pieces == [
        Heading("notes", "Energy of $x$", 2),
        Prose("notes", r"It costs ＄5, and $\frac{1}{2}$"),
        Display("notes", "notes.md", 7, "displaymath", "E = m c^2", ("E = m c", "^", "2", " ")),
    ]


def test_macros_of_the_page_work_in_formulas_and_displays() -> None:
    page = composer()
    page.define(r"\newcommand{\R}{\mathbb{R}}")
    page.formula(r"\newcommand{\E}{\mathbb{E}}")  # prints nothing
    page.display(r"\newcommand{\half}{\frac12}", 1)  # nor does this
    page.formula(r"x \in \R")
    page.display(r"\E x = \half", 2)
    prose, display = page.sink.pieces
    assert isinstance(prose, Prose) and prose.text == r"$x \in \mathbb{R}$"
    assert isinstance(display, Display)
    assert " ".join(normal_form(display.tokens)) == (r"\mathbb { E } x = \frac { 1 } { 2 }")


def test_a_wrapped_environment_is_what_the_display_is() -> None:
    page = composer()
    page.display("\n\\begin{alignat}{2}\na &= b \\label{eq:a}\n\\end{alignat}.\n", 3)
    (display,) = page.sink.pieces
    assert isinstance(display, Display)
    assert (display.environment, display.line, display.reason) == ("alignat", 3, "")
    assert normal_form(display.tokens) == ["a", "=", "b"]


def test_what_cannot_be_used_has_a_reason() -> None:
    page = composer()
    page.display(r"\def\a{\a\a}\a", 1)
    page.display(r"x \begin{array} y", 2)
    page.display("x + y", 3)
    assert [p.reason for p in page.sink.pieces if isinstance(p, Display)] == [
        "macro_limit", "unbalanced", "",
    ]  # fmt: skip


def test_labels_styles_items_and_references_are_for_people_only() -> None:
    def compose(page: Composer) -> None:
        page.sink.entitle("Notes")
        page.display("x = 1", 1, label="eq:x")
        page.sink.head("Theorem.")
        with page.styled("emphasis"):
            page.write("By ")
        page.sink.refer("eq:x")
        page.sink.item(1)
        page.write("First.")
        page.flush()

    marked, plain = MarkedPieces(), Pieces()
    compose(composer(marked))
    compose(composer(plain))
    shown, kept = marked.pieces[1], plain.pieces[1]
    assert isinstance(shown, Prose) and isinstance(kept, Prose)
    assert without(shown.text).split() == kept.text.split() == ["By", "…", "First."]
    assert marked.labels["eq:x"].number == "1" and marked.title == "Notes"
