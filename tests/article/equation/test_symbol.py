"""Symbols: what can mean something, what is a letter, what may be renamed."""

import pytest

from topiceq.article.commands import KNOWN
from topiceq.article.equation.symbol import is_letter, is_name, is_renamable, is_symbol


@pytest.mark.parametrize("token", ["E", r"\sigma", "|", r"\|", r"\nabla", r"\sum", r"\bigcup", "*"])
def test_what_can_mean_something(token: str) -> None:
    assert is_symbol(token)


@pytest.mark.parametrize(
    "token",
    ["{", "_", "2", ",", "=", r"\left(", r"\right.", r"\big", r"\Bigl", r"\begin{array}", r"\frac"]
    + [r"\hat", r"\mathrm", r"\\", r"\{", r"\ldots", r"\prime", r"\overset", r"\rangle"],
)
def test_what_only_arranges(token: str) -> None:
    assert not is_symbol(token)


def test_each_kind_is_within_the_one_before() -> None:
    tokens = [*KNOWN, *map(chr, range(33, 127))]
    symbols = {token for token in tokens if is_symbol(token)}
    letters = {token for token in tokens if is_letter(token)}
    renamable = {token for token in tokens if is_renamable(token)}
    assert renamable < letters < symbols
    assert r"\nabla" in letters - renamable and r"\sum" in symbols - letters


def test_a_letter_alone_is_a_name() -> None:
    assert all(is_name([token]) == is_letter(token) for token in KNOWN)
