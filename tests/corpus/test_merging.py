"""Phrases that say the same have one key."""

import pytest

from topiceq.corpus.merging import merged, merged_words, plain_phrase


@pytest.mark.parametrize(
    "same",
    [
        ["mass", "masses", "the mass", "The Mass", "corresponding mass"],
        ["mass of the particle", "the particle's mass", "particle mass", "masses of particles"],
        ["wave function", "wave-function", "wavefunction", "wave functions"],
        ["neighbour", "neighbor", "neighbours"],
        ["regularisation parameter", "regularization parameter"],
        ["labelled graph", "labeled graphs"],
        ["centre of mass", "center of mass"],
        ["Schrödinger operator", "Schrodinger operator"],
        ["number of points", "number of points of order $k$", "number of points in $A$"],
    ],
)
def test_one_key(same: list[str]) -> None:
    assert len({merged(phrase) for phrase in same}) == 1


def test_other_keys() -> None:
    others = ["mass", "particle mass", "mass matrix", "matrix", "number of particles", "particle"]
    assert len({merged(phrase) for phrase in others}) == len(others)


@pytest.mark.parametrize(
    ("phrase", "plain"),
    [
        ("$n$-dimensional space", "space"),
        ("your integrand function", "integrand function"),
        ("velocity of particle $i$", "velocity of particle"),
        ("matrix of size $n$", "matrix"),
        ("<b>mass</b> of \\textbf{it}", "mass of textbf it"),
        ("$x$", ""),
        ("", ""),
        ("the", ""),
    ],
)
def test_what_says_something_without_formulas(phrase: str, plain: str) -> None:
    assert plain_phrase(phrase) == plain


def test_the_noun_comes_last() -> None:
    assert merged_words("force on the particle")[-1] == "force"
    assert merged_words("") == ()
