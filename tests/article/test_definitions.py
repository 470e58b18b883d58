"""What an article says about its own symbols: what is found, and what must not be."""

import pytest

from topiceq.article.definitions import definitions, introduced, led_in
from topiceq.article.nouns import backwards, forwards, is_noun, singular


def found(sentence: str) -> dict[str, str]:
    return {d.symbol.latex: d.phrase for d in definitions([sentence])}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("where $m$ is the mass", {"m": "mass"}),
        ("Here $E$ denotes the energy of the photon.", {"E": "energy of the photon"}),
        ("Let $X$ be a Banach space.", {"X": "Banach space"}),
        ("Let $v$ denote the velocity.", {"v": "velocity"}),
        ("where $\\rho$ stands for the density.", {r"\rho": "density"}),
        ("We denote by $T$ the temperature.", {"T": "temperature"}),
        ("We denote the temperature of the gas by $T$.", {"T": "temperature of the gas"}),
        ("The step size is denoted by $h$.", {"h": "step size"}),
        ("By $K$ we denote the curvature.", {"K": "curvature"}),
        ("with $\\eta$ being the viscosity", {r"\eta": "viscosity"}),
        ("the force on it, with $q$ the charge", {"q": "charge"}),
        (
            "Since $\\lambda$ is the largest eigenvalue, it is real.",
            {r"\lambda": "largest eigenvalue"},
        ),
        ("where $\\hat H$ is the Hamiltonian", {r"\hat { H }": "Hamiltonian"}),
        ("where $T_{\\mu\\nu}$ is the energy tensor", {r"T _ { \mu \nu }": "energy tensor"}),
        ("where $v_i$ is the velocity of particle $i$", {"v _ { i }": "velocity of particle $i$"}),
        ("where $f(x)$ is the probability density", {"f": "probability density"}),
        ("where $\\beta = 1/kT$ is the inverse temperature", {r"\beta": "inverse temperature"}),
        ("where $n \\geq 1$ is the dimension", {"n": "dimension"}),
        ("where $F$ is the force acting on the body", {"F": "force"}),
        ("where $d$ is the distance between $x$ and $y$", {"d": "distance"}),
        ("Here $G$ is Newton's constant.", {"G": "Newton's constant"}),
        (
            "If the angular velocity is $\\Omega$ and the moment of inertia is $I$, this is",
            {r"\Omega": "angular velocity", "I": "moment of inertia"},
        ),
    ],
)
def test_what_is_said_outright(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("where $m$ and $v$ are the mass and the velocity, respectively",
         {"m": "mass", "v": "velocity"}),
        ("where $a$, $b$ and $c$ denote the length, the width and the height.",
         {"a": "length", "b": "width", "c": "height"}),
        ("where $x$ and $y$ are vectors", {"x": "vector", "y": "vector"}),
        ("where $m$ is the mass and $v$ is the velocity", {"m": "mass", "v": "velocity"}),
        ("Let $a, b$ be real numbers.", {"a": "real number", "b": "real number"}),
        ("the coordinates $x_1, \\ldots, x_n$ are",
         {"x _ { 1 }": "coordinate", "x _ { n }": "coordinate"}),
    ],
)  # fmt: skip
def test_several_symbols_at_once(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("We look at the density $\\rho$ of the gas.", {r"\rho": "density"}),
        ("A particle of mass $m$ moves with velocity $v$.", {"m": "mass", "v": "velocity"}),
        ("Consider a smooth function $f \\in C^1$.", {"f": "smooth function"}),
        ("The same matrix $A$ is used.", {"A": "matrix"}),
        ("an $n$-dimensional manifold $M$", {"M": "$n$-dimensional manifold"}),
        ("for any two paths $y, z$", {"y": "path", "z": "path"}),
    ],
)
def test_appositions(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


def test_a_map_between_sets() -> None:
    assert found("Take $f: X \\to Y$ as before.") == {"f": "map from $X$ to $Y$"}


@pytest.mark.parametrize(
    "sentence",
    [
        "The vertices of $K$ are the elements of a set.",  # about K's vertices
        "This shows that $f$ is a contradiction.",
        "the number $n$",
        "the case $n$ of equation $x$",
        "the line $y = x$ and the plane $z = 0$",
        "the image $L(U)$ of the group",
        "It follows that $x = 1$ is the solution.",  # a value of x
        "the density of the fluid $\\rho$",  # fluid or density?
        "the $n$-th element",
        "the root of a matrix, $A$, is the matrix that we want",
        "if $n$ is odd, $x$ is not the mean",
        "for each inclusion $V \\subset U$",
        "where $a + b$ is the sum",
        "which the authors call $g$",
        "with $r = 64$, the full attack requires more",
        "acting on the subspace $D(A)$",
        "no formulas at all",
        "$",
    ],
)
def test_what_is_no_definition(sentence: str) -> None:
    assert found(sentence) == {}


def test_each_says_where_it_stands() -> None:
    text = ["Nothing here.", "where $m$ is the mass of a particle $p$"]
    one, other = definitions(text)
    assert (one.sentence, one.place, one.strength) == (text[1], 1, 2)
    assert (other.symbol.latex, other.phrase, other.strength) == ("p", "particle", 1)


@pytest.mark.parametrize(
    ("before", "tokens", "phrase"),
    [
        ("The energy of the photon is", r"E = h \nu", "energy of the photon"),
        (
            "we introduce the annihilation operator",
            r"\hat { a } = x + i p",
            "annihilation operator",
        ),
        ("It follows that the total current is given by", "I = a + b", "total current"),
        (
            "bound by a spring of frequency $\\omega$, has the Hamiltonian",
            "H = p + x",
            "Hamiltonian",
        ),
        (
            "The Bayes risk of a prior $\\xi$ is",
            r"R ( \xi ) = 1 - x",
            r"Bayes risk of a prior $\xi$",
        ),
    ],
)
def test_what_leads_to_a_display_names_what_it_begins_with(
    before: str, tokens: str, phrase: str
) -> None:
    one = led_in(before, tuple(tokens.split()), 7)
    assert one is not None
    assert (one.phrase, one.place, one.sentence) == (phrase, 7, before + " …")


@pytest.mark.parametrize(
    ("before", "tokens"),
    [
        ("by the chain rule", "f = g h"),
        ("The product rule is", "D = x y"),
        ("The energy is", "E > 0"),
        ("The energy is", "E + V = 1"),
        ("The solution is", "x = 1"),
        ("We obtain", "E = m"),
        ("", "E = m"),
    ],
)
def test_what_names_nothing(before: str, tokens: str) -> None:
    assert led_in(before, tuple(tokens.split()), 0) is None


@pytest.mark.parametrize(
    ("latex", "symbols"),
    [
        ("x", ["x"]), ("x, y", ["x", "y"]), (r"\hat x_1^2", [r"\hat { x } _ { 1 } ^ { 2 }"]),
        ("f(x)", ["f"]), ("f(x) = y", ["f"]), ("x(1)", []), ("a b", []), ("2", []), ("", []),
        (r"x_1, \ldots, x_n", ["x _ { 1 }", "x _ { n }"]), (r"\frac{a", []),
        (r"\mathrm{Re}", [r"\mathrm { R e }"]),
    ],
)  # fmt: skip
def test_the_symbols_that_a_formula_introduces(latex: str, symbols: list[str]) -> None:
    assert [symbol.latex for symbol in introduced(latex).symbols] == symbols


def test_names_are_read_in_both_directions() -> None:
    assert (
        forwards("the mean free path of the gas, which is", 0)
        == "mean free path of the gas".split()
    )
    assert forwards("the smallest such", 0) == []
    assert backwards("along the mean free path ", 25) == ["mean", "free", "path"]
    assert backwards("we find that path ", 18) == ["path"]
    assert backwards("it is quickly ", 14) == []


def test_nouns_in_singular_and_plural() -> None:
    assert is_noun("matrices") and is_noun("eigenvalue") and not is_noun("quickly")
    assert singular("complex matrices of rank".split()) == "complex matrix of rank".split()
