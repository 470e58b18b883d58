"""Macros that the settings of a site define."""

import pytest

from topiceq.article.files import MemoryFiles
from topiceq.article.settings import beside, macros


@pytest.mark.parametrize(
    "text",
    [
        'macros: {R: "\\\\mathbb{R}"}',
        "'macros': {\n  'R': r'\\mathbb{R}',\n}",
        'MathJax.Hub.Config({TeX: {Macros: {R: "\\\\mathbb{R}"}}});',
        'mathjax_config:\n  TeX:\n    Macros:\n      R: "\\\\mathbb{R}"\nother: 1\n',
        "    macros:\n      R: \\mathbb{R}\n",
    ],
)
def test_tables_of_macros_however_they_are_written(text: str) -> None:
    assert macros(text) == "\\newcommand{\\R}{\\mathbb{R}}"


def test_arguments_and_defaults() -> None:
    text = 'macros: {norm: ["\\\\|#1\\\\|", 1], p: ["#1^{#2}", 2, "x"]}'
    assert macros(text).split("\n") == [
        "\\newcommand{\\norm}[1]{\\|#1\\|}", "\\newcommand{\\p}[2][x]{#1^{#2}}",
    ]  # fmt: skip


def test_definitions_over_several_lines() -> None:
    text = (
        "preamble = r'''\n\\newcommand{\\a}{\n  b\n}\n\\DeclareMathOperator{\\c}{d}\n'''\nx = 1\n"
    )
    assert macros(text).split("\n\\Declare")[0] == "\\newcommand{\\a}{\n  b\n}"
    assert "x = 1" not in macros(text)


def test_the_nearest_settings_count() -> None:
    files = MemoryFiles({"conf.py": b"top", "a/conf.py": b"near", "b/page.rst": b""})
    assert beside(files, "a/b/page.rst", "conf.py") == "near"
    assert beside(files, "b/page.rst", "conf.py") == "top"
    assert beside(files, "b/page.rst", "mkdocs.yml") == ""


@pytest.mark.parametrize(
    "text", ["macros: {" * 20_000, "\\newcommand{" * 20_000, "macros:\n" * 9_000]
)
def test_settings_without_end_are_given_up(text: str) -> None:
    assert len(macros(text)) <= len(text)
