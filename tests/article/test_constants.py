"""Constants: by themselves, and in the company that they keep."""

import pytest

from topiceq.article.constants import company, constant, spelled
from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences


def constants(latex: str) -> dict[str, str]:
    found = list(occurrences(parse(latex)))
    beside = company(found)
    return {spelled(one.symbol): name for one in found
            if not one.in_script and (name := constant(one.symbol, beside))}  # fmt: skip


@pytest.mark.parametrize(
    ("latex", "names"),
    [
        ("E = m c^2", {"c": "speed of light"}),
        (r"E = h \nu", {"h": "Planck constant"}),
        (r"\frac{G M m}{r^2}", {"G": "gravitational constant"}),
        (r"S = k_{\mathrm{B}} \ln W", {"k_B": "Boltzmann constant"}),
        (r"i \hbar \psi",
         {"i": "imaginary unit", r"\hbar": "reduced Planck constant"}),
        ("e^{x}", {"e^": "base of the natural logarithm"}),
        ("p V = n R T", {"R": "gas constant"}),
        (r"A = \pi r^2", {r"\pi": "ratio of a circle's circumference to its diameter"}),
        ("a + b = c", {}),
        ("G = (V, F)", {}),
        (r"\sum_i x_i", {}),
        (r"\pi_k + h(x) + k", {}),
    ],
)  # fmt: skip
def test_constants_by_their_company(latex: str, names: dict[str, str]) -> None:
    assert constants(latex) == names


def test_fonts_of_an_index_do_not_matter() -> None:
    assert spelled(Symbol(("k",), (r"\mathrm", "{", "B", "}"))) == "k_B"


def test_number_sets_have_names_of_their_own() -> None:
    assert constant(Symbol((r"\mathbb", "{", "R", "}")), ()) == "real numbers"
    assert constant(Symbol((r"\mathbb", "{", "R", "}"), (), ("n",)), ()) == ""
    assert constant(Symbol((r"\nabla",)), ()) == "gradient operator"
