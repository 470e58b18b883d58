"""Which symbols an inline formula introduces."""

import pytest

from topiceq.article.introduced import MOST, introduced


@pytest.mark.parametrize(
    ("latex", "symbols"),
    [
        ("x", ["x"]), ("x, y", ["x", "y"]), (r"\hat x_1^2", [r"\hat { x } _ { 1 } ^ { 2 }"]),
        ("f(x)", ["f"]), ("f(x) = y", ["f"]), ("x(1)", []), ("a b", []), ("2", []), ("", []),
        (r"x_1, \ldots, x_n", ["x _ { 1 }", "x _ { n }"]), (r"\frac{a", []),
        (r"\mathrm{Re}", [r"\mathrm { R e }"]), ("(x_n)", ["x _ { n }"]),
        (r"\{x_i\}_{i=1}^n", ["x _ { i }"]), (r"\left(a, b\right)", ["a", "b"]), ("((x))", []),
        ("(a)(b)", []), ("(1)", []), ("(x", []),
    ],
)  # fmt: skip
def test_the_symbols_that_a_formula_introduces(latex: str, symbols: list[str]) -> None:
    assert [symbol.latex for symbol in introduced(latex).symbols] == symbols


def test_a_family_is_marked() -> None:
    assert introduced("(x_n)").is_family and not introduced("f(x)").is_family


def test_too_many_symbols_are_none() -> None:
    assert len(introduced(",".join(["x"] * MOST)).symbols) == MOST
    assert introduced(",".join(["x"] * (MOST + 1))).symbols == ()
