"""Lengths and the columns of arrays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.commands import CLASSES, KNOWN
from topiceq.article.equation.layout import (
    LENGTHS,
    SILENT,
    SPACES,
    column_letters,
    is_length,
    length_end,
)
from topiceq.article.tex import lex


def characters(text: str) -> list[str]:
    """Source as single characters and commands, with the end of a list."""
    return [t for token in lex(text) for t in ([token] if token[0] == "\\" else token)] + [""]


@pytest.mark.parametrize(
    ("length", "rest"),
    [
        ("1em", "x"),
        ("-2.5 pt", "x"),
        ("= 3mu", "x"),
        ("1em plus 1fil minus 2pt", "x"),
        ("1em plus1fill", "y"),
        (r"\jot", " x"),
        (r"2\arraycolsep", " x"),
        (r"-\p@", "+x"),
        ("0", " 1"),
        ("", "x"),
        ("", "expert"[2:]),
        ("5", "y+1"),
    ],
)
def test_a_length_ends_where_it_ends(length: str, rest: str) -> None:
    tokens = characters(length + rest)
    assert "".join(tokens[length_end(tokens, 0) :]) == rest


@pytest.mark.parametrize("text", ["2pt", "-1.5ex", r"\jot", r"2\baselineskip", " 1 em "])
def test_a_length_in_brackets(text: str) -> None:
    assert is_length(characters(text))


@pytest.mark.parametrize("text", ["x", "2", "1,2", r"\alpha+1", "", "a pt"])
def test_no_length_in_brackets(text: str) -> None:
    assert not is_length(characters(text))


@pytest.mark.parametrize(
    ("columns", "letters"),
    [
        ("lcr", "lcr"),
        ("l | c || r", "l|c||r"),
        ("@{}l@{\\quad}c!{:}r", "lcr"),
        (">{\\bf}c<{x}r", "cr"),
        ("*{3}{c}", "ccc"),
        ("*3c", "ccc"),
        ("r*{2}{@{}c|l}", "rc|lc|l"),
        ("*{2}{*{2}{c}r}", "ccrccr"),
        ("p{3cm}m{1cm}X", "lll"),
        ("*{99999999}{c}", "c"),
        ("", "c"),
        ("{", "c"),
    ],
)
def test_the_columns_of_an_array(columns: str, letters: str) -> None:
    assert column_letters(list(columns)) == list(letters)


@given(st.text("lcr|*{}@p2 ", max_size=60))
def test_any_columns_are_letters(text: str) -> None:
    columns = column_letters(list(text))
    assert columns and set(columns) <= set("lcr|")


def test_what_prints_nothing_is_no_symbol() -> None:
    assert KNOWN.isdisjoint(SILENT) and KNOWN.isdisjoint(LENGTHS)
    assert KNOWN & SPACES == CLASSES
