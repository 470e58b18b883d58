"""Pages of reStructuredText, docutils' and Sphinx's."""

import sys

import pytest
from docutils.parsers.rst import directives, roles, states

from topiceq.article.equation.normal import normal_form
from topiceq.article.files import Broken, MemoryFiles
from topiceq.article.formats import read
from topiceq.article.page import read as read_for_people
from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.source import Article


def page(text: str, **others: str) -> Article:
    files = {"docs/page.rst": text, **others}
    contents = {name: each.encode() for name, each in files.items()}
    return Article("page", "", "docs/page.rst", MemoryFiles(contents))


def pieces(text: str, **others: str) -> list[Piece]:
    return read(page(text, **others))


def prose(text: str, **others: str) -> str:
    return " ".join(
        " ".join(p.text for p in pieces(text, **others) if isinstance(p, Prose)).split()
    )


def displays(text: str, **others: str) -> list[Display]:
    return [piece for piece in pieces(text, **others) if isinstance(piece, Display)]


def tokens(text: str, **others: str) -> list[str]:
    return [" ".join(normal_form(each.tokens)) for each in displays(text, **others)]


def test_sections_paragraphs_and_displays_come_in_reading_order() -> None:
    text = "Heat\n====\n\nIt is\n\n.. math:: a = b.\n\nPart\n----\n\nHere :math:`x_1` flows.\n"
    assert [(type(piece).__name__, getattr(piece, "text", "a = b.")) for piece in pieces(text)] == [
        ("Heading", "Heat"), ("Prose", "It is\n"), ("Display", "a = b."), ("Heading", "Part"),
        ("Prose", "Here $x_1$ flows.\n\n"),
    ]  # fmt: skip
    assert [p.level for p in pieces(text) if isinstance(p, Heading)] == [1, 2]
    assert read_for_people(page(text)).title == "Heat"


@pytest.mark.parametrize(
    "directive",
    [
        ".. math:: a = b",
        ".. math:: a = b\n   :label: eq:x",
        ".. math::\n\n   a = b",
        ".. math::\n   :label: eq:x\n\n   a = b",
        ".. math::\n   :nowrap:\n\n   \\begin{equation}\n   a = b\n   \\end{equation}",
        ".. math::\n\n   a = b\n   :label: eq:x",
        ".. math::\n   a = b",
        "* item\n\n  .. math::\n\n     a = b",
        ".. math:: a\n   = b",
    ],
)
def test_a_display_however_its_directive_is_written(directive: str) -> None:
    assert tokens(directive + "\n\nText.\n") == ["a = b"]
    assert "label" not in prose(directive)


def test_a_label_names_the_display_for_people() -> None:
    reading = read_for_people(page(".. math::\n   :label: heat\n\n   a = b\n\nSee :eq:`heat`.\n"))
    assert reading.labels["heat"].number == "1"
    assert prose("See :eq:`heat`.") == "See (…)."


def test_equations_apart_in_one_directive_are_displays_with_their_lines() -> None:
    matrix = "   \\begin{matrix} 1 \\\\\n\n   2 \\end{matrix}\n"
    text = f"One.\n\n.. math::\n\n   a = b\n\n   c = d\n\n{matrix}"
    assert [each.line for each in displays(text)] == [5, 7, 9]
    assert tokens(text)[:2] == ["a = b", "c = d"]
    assert displays(text)[2].reason == ""


def test_a_row_that_begins_with_an_ampersand_belongs_to_the_equation_before() -> None:
    (display,) = displays(".. math::\n\n   a &= b\n\n   &= c\n")
    assert display.source == "a &= b \\\\\n&= c"


def test_a_sentence_goes_on_around_a_display() -> None:
    (before, _, after) = pieces("We have\n\n.. math:: a = b\n\nwhere\n  :math:`a` is a mass.\n")
    assert isinstance(before, Prose) and before.text == "We have\n"
    assert isinstance(after, Prose) and after.text == " where $a$ is a mass.\n\n"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (":ref:`that part <target>`", "that part"),
        (":ref:`target`", "…"),
        (":numref:`Fig. %s <target>`", "Fig. …"),
        (":numref:`target`", "…"),
        (":doc:`/a/b`", "…"),
        (":doc:`the page </a/b>`", "the page"),
        (":term:`entropy`", "entropy"),
        (":term:`entropies <entropy>`", "entropies"),
        ("by :cite:`a2001`", "by …"),
        ("flat :cite:p:`a2001`", "flat "),
        ("by [A2001]_", "by …"),
        (":func:`~a.b.c`", "c"),
        (":class:`.Cell`", "Cell"),
        (":unknown-role:`text`", "text"),
        (":abbr:`LIFO (last-in)`", "LIFO"),
        ("H\\ :sub:`2`\\ O", "H2O"),
        ("`a link <https://a.b>`_", "a link"),
        ("*emphasis* and **strong** and ``code``", "emphasis and strong and code"),
        ("`default`", "default"),
        ("costs $5", "costs ＄5"),
        ("a footnote [1]_", "a footnote "),
    ],
)
def test_roles_show_what_sphinx_shows(written: str, shown: str) -> None:
    assert prose(f"It is {written}.") == f"It is {shown}."


def test_the_default_role_is_math_where_the_page_or_its_site_says_so() -> None:
    assert prose("A `x` here.\n") == "A x here."
    assert prose(".. default-role:: math\n\nA `x` here.\n") == "A $x$ here."
    site = {"docs/conf.py": "default_role = 'math'\n"}
    assert prose("A `x` here.\n", **site) == "A $x$ here."
    assert prose("A `x` here.\n") == "A x here."  # nothing is left behind


def test_the_default_role_is_math_where_tex_is_written_so() -> None:
    assert prose("A `\\alpha` and `x` in `\\beta`.\n") == r"A $\alpha$ and $x$ in $\beta$."
    assert prose("A `C:\\data` and `x`, :func:`\\foo`.\n") == "A C:data and x, foo."


def test_roles_that_the_page_declares_from_others() -> None:
    assert prose(".. role:: m(math)\n\nA :m:`x` here.\n") == "A $x$ here."
    assert (
        prose(".. role:: raw-html(raw)\n   :format: html\n\nA :raw-html:`<b>` here.\n") == "A here."
    )


def test_prose_in_directives_and_what_is_none() -> None:
    shown = ["note", "warning", "tip", "seealso", "container"]
    for name in shown:
        assert prose(f".. {name}::\n\n   Inner text.\n") == "Inner text.", name
    for name in ("admonition", "topic", "dropdown", "prf:theorem", "proof:lemma", "py:function"):
        assert prose(f".. {name}:: Title here\n   :option: x\n\n   Inner text.\n") == "Inner text."
    for name in ("code-block", "plot", "toctree", "list-table", "csv-table", "automodule", "figure",
                 "parsed-literal", "raw", "include", "versionadded", "nobody-knows"):  # fmt: skip
        assert prose(f".. {name}:: a.b\n\n   Inner text.\n\nOuter text.\n") == "Outer text.", name
    assert prose(".. note:: On the same line.\n") == "On the same line."


@pytest.mark.parametrize(
    ("expression", "is_shown"),
    [("html", True), ("latex", False), ("not latex", True), ("not html", False),
     ("latex or html", True), ("html and not draft", True), ("texinfo", False)],
)  # fmt: skip
def test_only_what_is_for_html(expression: str, is_shown: bool) -> None:
    assert tokens(f".. only:: {expression}\n\n   .. math:: a = b\n") == ["a = b"] * is_shown


def test_theorems_and_lists_for_people() -> None:
    text = ".. theorem:: Pythagoras\n\n   A fact.\n\n1. One.\n2. Two.\n\n* Three.\n"
    (piece,) = read_for_people(page(text)).pieces
    assert isinstance(piece, Prose)
    assert "Pythagoras." in piece.text and "2." in piece.text and "•" in piece.text
    assert prose(text) == "A fact. One. Two. Three."


def test_tables_comments_footnotes_and_code_are_no_prose() -> None:
    text = (
        "Text.\n\n+---+---+\n| b | c |\n+---+---+\n\n=== ===\nd   e\n=== ===\nf   g\n=== ===\n\n"
        ".. a comment\n\n.. [1] A note.\n\nCode::\n\n   h = 1\n\n>>> i\n\n:field: j\n"
    )
    assert prose(text) == "Text. Code:"


def test_substitutions_of_the_page_and_of_its_site() -> None:
    text = (
        ".. |x| replace:: the *thing*\n.. |c| unicode:: 0xA9\n\nIt is |x| |c| |unknown| |Name|.\n"
    )
    assert prose(text) == "It is the thing © Name."
    site = {"docs/conf.py": 'rst_prolog = r"""\n.. |site| replace:: :math:`y`\n"""\n'}
    assert prose("It is |site|.\n", **site) == "It is $y$."


def test_substitutions_in_a_circle_end() -> None:
    text = ".. |a| replace:: A |b|\n.. |b| replace:: B |a|\n\n|a| and |b|.\n"
    assert prose(text).replace(" ", "") == "ABandBA."


@pytest.mark.parametrize(
    "settings",
    [
        "mathjax3_config = {'tex': {'macros': {'R': r'\\mathbb{R}', 'norm': [r'\\|#1\\|', 1]}}}",
        'mathjax_config = {"TeX": {"Macros": {"R": "\\\\mathbb{R}", "norm": ["\\\\|#1\\\\|", 1]}}}',
        'latex_elements = {"preamble": r"""\n\\newcommand{\\R}{\\mathbb{R}}\n'
        '\\newcommand{\\norm}[1]{\\|#1\\|}\n"""}',
        "imgmath_latex_preamble = '\\\\newcommand{\\\\R}{\\\\mathbb{R}}"
        "\\\\newcommand{\\\\norm}[1]{\\\\|#1\\\\|}'",
    ],
)
def test_macros_of_conf_are_read_as_text(settings: str) -> None:
    conf = f"import sys; sys.exit('executed')\n{settings}\n"
    found = tokens(".. math:: \\norm{x} \\in \\R\n", **{"docs/conf.py": conf})
    assert found == [r"\| x \| \in \mathbb { R }"]


def test_macros_of_the_page_and_of_a_file_beside_it() -> None:
    text = ":math:`\\newcommand{\\E}{\\mathbb{E}}`\n\n.. math:: \\E x\n"
    assert tokens(text) == [r"\mathbb { E } x"]
    beside = {"docs/math-definitions.tex": "\\newcommand{\\E}{\\mathbb{E}}\n"}
    assert tokens(".. math:: \\E x\n", **beside) == [r"\mathbb { E } x"]


# -- hostile pages ---------------------------------------------------------------------------------


def test_nothing_is_opened_or_executed(capfd: pytest.CaptureFixture[str]) -> None:
    text = (
        ".. include:: /etc/hostname\n\n.. include:: ../../secret.rst\n\n.. raw:: html\n"
        "   :file: /etc/hostname\n\n.. csv-table::\n   :file: /etc/hostname\n\n"
        ".. literalinclude:: /etc/hostname\n\n.. exec::\n\n   print('executed')\n\n"
        ".. jupyter-execute::\n\n   print('executed')\n\n.. |d| date::\n\nText |d|.\n"
    )
    assert prose(text, **{"secret.rst": "Secret."}) == "Text ."
    assert capfd.readouterr() == ("", "")


def test_docutils_is_left_as_it_was() -> None:
    before = dict(directives._directives), dict(roles._roles), len(states.RSTState.nested_sm_cache)
    prose(".. default-role:: math\n\n.. note::\n\n   * A `x`.\n\n.. foo::\n\n   :bar:`x`\n")
    after = dict(directives._directives), dict(roles._roles), len(states.RSTState.nested_sm_cache)
    assert after == before


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(" " * depth + "Text." for depth in range(1000)),
        "- " * 1000 + "Text.",
        "\n".join("   " * depth + ".. note::\n" for depth in range(1000)),
        "\n".join("  " * depth + "* a\n" for depth in range(1000)),
        "*a " * 50_000,
        ":math:`a " * 20_000,
        "|a " * 20_000,
        "+" + "-+" * 20_000 + "\n",
        ("+---" * 200 + "+\n" + "| a " * 200 + "|\n") * 200 + "+---" * 200 + "+\n",
        "=== " * 2_000 + "\n" + "a   " * 2_000 + "\n" + "=== " * 2_000 + "\n",
        ".. |a| replace:: |a|\n\n|a|",
        "=\n=\n=\n-\n-\n~" * 200,
        ".. " * 10_000,
        "\x01\x02\ufffe `` ` * ** | ",
        "x" * 1_000_000,
    ],
)
def test_hostile_pages_are_read_to_their_end(text: str) -> None:
    pieces(text)
    assert prose("Still here.\n") == "Still here."


def test_deep_pages_are_read_as_far_as_they_make_sense() -> None:
    text = "\n\n".join("  " * depth + f"Level {depth}." for depth in range(100))
    assert prose(text).startswith("Level 0. Level 1. Level 2.") and "Level 60." not in prose(text)
    assert sys.getrecursionlimit() < 5_000


def test_a_page_of_nothing_but_headings_is_refused() -> None:
    with pytest.raises(Broken, match="has more than 20,000 headings"):
        pieces("A\n=\n" * 20_001)


def test_numbers_of_references_are_citations() -> None:
    text = "It is known \\ :ref:`12 <smith99>`. By :ref:`3 <lee>` see :ref:`the proof <p>`."
    assert prose(text) == "It is known . By … see the proof."
