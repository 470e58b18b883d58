"""What is one nucleus, and what carries scripts."""

import pytest

from topiceq.article.equation.line import carrier, guarded, is_nucleus, with_dots, without_base

NUCLEI = [
    "x", r"\alpha", r"\frac { a } { b }", r"\sqrt [ n ] { x }", r"\sqrt [ { ] } ] { x }",
    r"\left( x ^ { 2 } \right)", r"\left( \left( x \right) \right)", r"\mathbf { x _ { 1 } }",
    r"\begin{array} { c c } a & b \end{array}", r"\not \subset", r"\not { a b }", "{ a b }",
    r"\unknown", r"\unknown { a } { b }", r"\operatorname* { a }", r"\big(",
]  # fmt: skip
NOT_NUCLEI = [
    "x y", "x _ { 1 }", r"\alpha { a b } ^ { 2 }", r"\frac { a } { b } c", r"\sum \limits",
    r"\left( x \right) y", r"\left( x \right) \left( y \right)", r"\mathbf { x } ^ { 2 }",
    r"\begin{matrix} a \end{matrix} b", "{ a } { b }",
]  # fmt: skip


@pytest.mark.parametrize("tokens", NUCLEI)
def test_one_nucleus_carries_scripts_as_it_is(tokens: str) -> None:
    assert is_nucleus(tokens.split())
    assert carrier(tokens.split(), grouped=False) == tokens.split()


@pytest.mark.parametrize("tokens", NOT_NUCLEI)
def test_more_than_one_needs_braces(tokens: str) -> None:
    assert not is_nucleus(tokens.split())
    assert carrier(tokens.split(), grouped=False) == ["{", *tokens.split(), "}"]


def test_a_grouped_operator_keeps_its_braces() -> None:
    assert carrier(["\\sum"], grouped=True) == ["{", "\\sum", "}"]
    assert carrier(["\\sum"], grouped=False) == ["\\sum"]
    assert carrier([], grouped=True) == ["{", "}"]


def test_a_row_does_not_begin_with_what_belongs_to_its_mark() -> None:
    assert guarded(["\\\\", "[", "x"]) == ["\\\\", "\\lbrack", "x"]
    assert guarded(["\\\\", "*"]) == ["\\\\", "\\ast"]
    assert guarded(["[", "x"]) == ["[", "x"]


def test_three_full_stops_are_dots() -> None:
    assert with_dots([*"a....b.."]) == ["a", "\\ldots", ".", "b", ".", "."]
    assert with_dots([*"......"]) == ["\\ldots", "\\ldots"]


def test_primes_need_no_empty_base() -> None:
    prime = ["{", "}", "^", "{", "\\prime", "\\prime", "}", "a"]
    assert without_base(prime) == ["\\prime", "\\prime", "a"]
    mixed = ["{", "}", "^", "{", "\\prime", "a", "}"]
    assert without_base(mixed) == mixed
    assert without_base(["a"]) == ["a"]
