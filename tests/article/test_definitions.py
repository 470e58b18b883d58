"""What an article says about its own symbols: what is found, and what must not be."""

import pytest

from topiceq.article.definitions import APPOSED, BARE, LED_IN, MAP, SAID, definitions, led_in


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
        (
            "where $v_i$ is the velocity of particle $i$",
            {"v _ { i }": "velocity of particle $i$", "i": "particle"},
        ),
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
        ("an $n$-dimensional manifold $M$", {"M": "$n$-dimensional manifold", "n": "dimension"}),
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
        "the $n$-th element",
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
    assert (one.sentence, one.place, one.strength) == (text[1], 1, SAID)
    assert (other.symbol.latex, other.phrase, other.strength) == ("p", "particle", APPOSED)


def test_the_strongest_of_a_sentence_is_kept() -> None:
    (one,) = definitions(["At time $t$, where $t$ is the age of the star, it shines."])
    assert (one.phrase, one.strength) == ("age of the star", SAID)
    assert BARE < APPOSED < SAID and max(MAP, LED_IN) < BARE  # a real definition beats a lead-in


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
    ("sentence", "wanted"),
    [
        ("Look at time $t$ only.", {"t": "time"}),
        ("Take graph $G$ and node $v$.", {"G": "graph", "v": "node"}),
        ("Consider graph $G$.", {"G": "graph"}),
        ("for all vertices $v$", {"v": "vertex"}),
        ("in mean free path $l$", {"l": "mean free path"}),
        ("using Young's modulus $E$", {"E": "Young's modulus"}),
        ("We want to estimate $\\beta$.", {}),  # a verb
        ("with constant $\\beta$", {}),  # how it is
        ("Set $x = 0$, and the function $f$ maps $x$.", {"f": "function"}),
        ("the complete graph covers $Y$", {}),
        ("a small $\\epsilon$", {}),
        ("the equivalent $\\sigma$", {}),
    ],
)
def test_bare_nouns(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The graphs $G$ and $H$ are isomorphic.", {"G": "graph", "H": "graph"}),
        ("a mass $m$, velocity $v$ and charge $q$", {"m": "mass", "v": "velocity", "q": "charge"}),
        ("the model matrices, $Z$ and $X$, are", {"Z": "model matrix", "X": "model matrix"}),
        ("the points $x$ and $f(x)$", {"x": "point"}),
        ("the bounds $(L, U)$", {"L": "bound", "U": "bound"}),
        ("the point $(x, y)$", {}),
        ("the sequence $(x_n)$", {"x _ { n }": "sequence"}),
        ("the surfaces $\\{S_i\\}_{i \\in I}$", {"S _ { i }": "surface"}),
        ("the pointed spaces $(X, x)$ and $(Y, y)$", {}),
        ("the coefficients $a_k$", {"a _ { k }": "coefficient"}),
    ],
)
def test_series_and_families(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("the pressure ($p$) of the gas", {"p": "pressure"}),
        ("Pressure ($p$, in Pa) falls.", {"p": "pressure"}),
        ("the mass, $m$, of the body", {"m": "mass"}),
        ("$n$ (the number of points)", {"n": "number of points"}),
        ("a multiple of $n$, the dimension of the space.", {"n": "dimension of the space"}),
        ("the root of a matrix, $A$, is the matrix that we want", {"A": "matrix"}),
        ("the tensor, $R_{ij}$, the scalar, $R$, and",
         {"R _ { i j }": "tensor", "R": "scalar"}),
        ("alpha ($\\alpha$)", {}),
        ("For all $x$, the function, which", {}),
        ("inside the box, $x$, it is", {}),
        ("in units ($c = 1$)", {}),
        ("$x = y$ (Pearson pattern)", {}),
    ],
)  # fmt: skip
def test_commas_and_brackets(sentence: str, wanted: dict[str, str]) -> None:
    got = {symbol: phrase.lower() for symbol, phrase in found(sentence).items()}
    assert got == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("denoting the distribution by $q$", {"q": "distribution"}),
        ("We write $n$ for the number of points.", {"n": "number of points"}),
        ("We use $x$ for vectors written in local coordinates.", {"x": "vector"}),
        ("We refer to $V$ as the value function.", {"V": "value function"}),
        ("the reward, denoted $r$,", {"r": "reward"}),
        ("a point, say $x$, of it", {"x": "point"}),
        ("Let the set of vertices be denoted by $V$.", {"V": "set of vertices"}),
        ("The mass of the star will be denoted by $M$.", {"M": "mass of the star"}),
        ("To denote the mass we write $M$.", {}),
        ("It is denoted by $S$.", {}),
    ],
)
def test_what_is_denoted(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("If $Z$ is a standard normal variable, then", {"Z": "standard normal variable"}),
        ("such that $f$ is a convex function", {"f": "convex function"}),
        ("where $w$ represents the week", {"w": "week"}),
        ("where $p$ is pressure and $T$ is temperature", {"p": "pressure", "T": "temperature"}),
        ("on particle $i$, $r_{ij}$ is the distance", {"i": "particle", "r _ { i j }": "distance"}),
        ("where $m$ is the mass, $v$ the velocity and $q$ the charge",
         {"m": "mass", "v": "velocity", "q": "charge"}),
        ("where $k$ and $Z$ are the wavenumber and (absolute) wave impedance",
         {"k": "wavenumber", "Z": "wave impedance"}),
        ("with $a$ and $b$ denoting the error probability of calling and mapping",
         {"a": "error probability", "b": "error probability"}),
        ("Let $a, b$ be two finite measures on the line and functions.",
         {"a": "finite measure", "b": "finite measure"}),
        ("The parameter $\\mu$ is the mean of the data.", {r"\mu": "mean of the data"}),
        ("Let $x$ be two random numbers drawn from it.", {"x": "random number"}),
        ("where $A^+$ denotes the Moore–Penrose inverse", {"A ^ { + }": "Moore–Penrose inverse"}),
        ("where $f$ is complex", {}),
        ("where $A$ is positive definite", {}),
        ("where $x$ is the smallest", {}),
        ("The number of rows in $Z$ and $X$ is a multiple of it.", {}),
        ("A statistic for $\\theta$ is called a sufficient statistic.", {}),
        ("$\\theta = 0$ corresponds to propagation", {}),
    ],
)  # fmt: skip
def test_verbs(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("$p$ = pressure", {"p": "pressure"}),
        ("where $p$ = pressure and $T$ = temperature", {"p": "pressure", "T": "temperature"}),
        ("$x$: position of the particle", {"x": "position of the particle"}),
        ("- $x$: position", {"x": "position"}),
        ("• $C_P$: cost of replacement", {"C _ { P }": "cost of replacement"}),
        ("$x$ – position", {"x": "position"}),
        ("$x$ & position of the body", {"x": "position of the body"}),
        ("| $x$ | position of the body |", {"x": "position of the body"}),
        ("$m$ Mass $v$ Velocity $q$ Electric charge",
         {"m": "Mass", "v": "Velocity", "q": "Electric charge"}),
        ("$K$ number of topics, $V$ number of words",
         {"K": "number of topics", "V": "number of words"}),
        ("for $x$: the rest is clear", {}),
        ("$a$ – $b$", {}),
        ("$n = 3$: the case of cubes", {}),
        ("$x$ It is $y$ Then we see $z$ So", {}),
    ],
)  # fmt: skip
def test_lists_and_tables_of_notation(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("a system of $k$ coupled brain regions", {"k": "number of coupled brain regions"}),
        ("with $n \\geq 2$ disks", {"n": "number of disks"}),
        ("an $n$-dimensional one", {"n": "dimension"}),
        ("the $x$ values", {}),
        ("each row of $P$ sums to 1", {}),
        ("a set of $d^4$ elements", {}),
        ("of $f$ electrons", {}),
    ],
)
def test_counts(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("the density of the fluid $\\rho$", {r"\rho": "density of the fluid"}),
        ("the velocity of the particle $p$", {"p": "particle"}),
        ("the kernel of the map $f$", {"f": "map"}),
        ("the number of particles $N$", {"N": "number of particles"}),
        ("the moment of inertia $I$", {"I": "moment of inertia"}),
        ("the degree of vertex $v$", {"v": "vertex"}),
        ("color term $c$", {"c": "color term"}),
        ("the term $c$", {}),
    ],
)
def test_of_two_nouns_the_right_one(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The angular momentum is $L$.", {"L": "angular momentum"}),
        ("The energy of the photon is $E = h\\nu$.", {"E": "energy of the photon"}),
        ("The axes of the Gaussian are $s = t u$ and $v$.", {"s": "axis of the Gaussian"}),
        ("The total amplitude is given by $A = B + C$.", {"A": "total amplitude"}),
        ("The solution is $x = 1$.", {}),
        ("The answer is $x$.", {}),
        ("The density is $x + y$.", {}),
    ],
)
def test_the_mass_is_m(sentence: str, wanted: dict[str, str]) -> None:
    assert found(sentence) == wanted


def test_unicode_letters_are_those_of_latex() -> None:
    assert found("where $ρ$ is the density and $𝐱$ is the position") == {
        r"\rho": "density", r"\mathbf { x }": "position"
    }  # fmt: skip


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "part",
    ["$x$ and ", "$x$, ", "(", "the ( a ) ", "the mass of ", "$", "a-", "Moore–", "where $x$ is ",
     "denote the mass by $x$ ", "$m$ Mass ", "the map $((((x))))$ "],
)  # fmt: skip
def test_a_sentence_of_a_megabyte_is_read(part: str) -> None:
    sentence = part * (MEGABYTE // len(part)) + " $m$"
    assert len(definitions([sentence])) <= 2
    assert led_in(sentence, ("E", "=", "h"), 0) is None


@pytest.mark.parametrize("latex", ["(" * 50_000 + "x" + ")" * 50_000, "x," * 50_000 + "x"])
def test_a_formula_without_end_introduces_nothing(latex: str) -> None:
    assert definitions([f"where ${latex}$ is the mass"]) == []


def test_a_specific_quantity_is_one_of_its_own() -> None:
    sentence = "where $\\rho$ is the density and $c_p$ the specific heat."
    found = {d.symbol.latex: d.phrase for d in definitions([sentence])}
    assert found == {r"\rho": "density", "c _ { p }": "specific heat"}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "where $V$, $I$ and $R$ are voltage, current and resistance",
            {"V": "voltage", "I": "current", "R": "resistance"},
        ),
        ("- $T$ -- temperature of the gas", {"T": "temperature of the gas"}),
        ("where $P$ (in Pa) is the pressure", {"P": "pressure"}),
        ("for each user $u$", {"u": "user"}),
        ("$V$ the concentration of cells,", {"V": "concentration of cells"}),
        ("… with $a = 2$ and $E_0$ the peak amplitude.", {"E _ { 0 }": "peak amplitude"}),
        ("$A$ the set of all is big and $B$ the ring acts on it.", {}),
        ("the initial current $J$", {"J": "initial current"}),
        (
            r"Let $a \in A$ and $b \in B$ be differential forms.",
            {"a": "differential form", "b": "differential form"},
        ),
        ("The situation $r > 4$ refers to excess, $r > 0$ is the ratio", {"r": "ratio"}),
        (
            "Let $V$ be the volume of a surface $S$ enclosing a point",
            {
                "V": "volume of a surface $S$",
                "S": "surface",
            },
        ),
        (r"Let $u, v \in V$ be vectors.", {"u": "vector", "v": "vector"}),
        (r"for all test functions $v \in V$", {"v": "test function"}),
        ("where the $x_i$ are the nodes", {"x _ { i }": "node"}),
        ("The variable $x$ is the position", {"x": "position"}),
        ("In this equation $x$ is the position", {"x": "position"}),
        ("Given $G$ a group and $H$ a subgroup", {"G": "group", "H": "subgroup"}),
    ],
)
def test_shorter_ways_to_say_it(sentence: str, said: dict[str, str]) -> None:
    assert {d.symbol.latex: d.phrase for d in definitions([sentence])} == said


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The amplitude is usually denoted by $A$ and the phase by $\\phi$.",
         {"A": "amplitude", r"\phi": "phase"}),
        ("Denoting by $r$ the (safe) interest rate, and by $s$ the volatility of it, we",
         {"r": "interest rate", "s": "volatility"}),
        ("One writes $a$ for the angular acceleration.", {"a": "angular acceleration"}),
        ("In it $p$ is the pressure, $V$ the molar volume, and $T$ the temperature",
         {"p": "pressure", "V": "molar volume", "T": "temperature"}),
        ("where $f$ is often called the forcing", {"f": "forcing"}),
        ("where $g$, $h$ and $w$ are the strength (with dimension $E$), the cutoff and the rate.",
         {"g": "strength", "h": "cutoff", "w": "rate", "E": "dimension"}),
        ("In these units it is $k$, the Coulomb constant.", {"k": "Coulomb constant"}),
        ("For a star of mass $M$ the flux is $F = L / x$.", {"M": "mass", "F": "flux"}),
        ("The constant $a$ is a measure of attraction.", {"a": "measure of attraction"}),
        ("The numbers $a$ and $b$ are the slopes.", {"a": "slope", "b": "slope"}),
        ("The function $g$ is exactly zero.", {"g": "function"}),
    ],
)  # fmt: skip
def test_what_an_encyclopaedia_says(sentence: str, said: dict[str, str]) -> None:
    assert found(sentence) == said


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("the tension of the string, $T$, and", {"T": "tension of the string"}),
        ("the base rate for the process, $r$,", {"r": "process"}),
        ("the derivative of the function, $f$,", {"f": "function"}),
        (
            "the width of the color distribution $\\sigma$",
            {r"\sigma": "width of the color distribution"},
        ),
        ("the mass of each body $x_i$", {"x _ { i }": "mass of each body"}),
        ("the weight of each datum $d_i$", {"d _ { i }": "datum"}),
        ("the independence of the amplitudes $I$", {"I": "amplitude"}),
        ("its mass per unit length, $m$,", {"m": "mass per unit length"}),
        ("where $u$ is the flow velocity relative to the body", {"u": "flow velocity"}),
        ("where $H$ is the Hubble constant today", {"H": "Hubble constant"}),
        ("its kinetic energy, $E = m v^2$.", {"E": "kinetic energy"}),
        ("where $m$ is the mass of the body, $v = x / t$,", {"m": "mass of the body"}),
        ("with a distance of $d$ and a value of $y$", {"d": "distance"}),
        ("the two frequencies: $f$ and $g$.", {"f": "frequency", "g": "frequency"}),
        ("the chromatic number $h(G)$", {"h": "chromatic number"}),
        ("the complex number $h(G)$", {}),
        ("for any prime $p$", {"p": "prime"}),
        ("the subintervals $A$ and $B$", {"A": "subinterval", "B": "subinterval"}),
    ],
)
def test_whose_a_letter_is(sentence: str, said: dict[str, str]) -> None:
    assert found(sentence) == said


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (r"the points $x_1, \dots, x_N$", {"x _ { 1 }": "point", "x _ { N }": "point"}),
        (r"A homomorphism $h\colon G \to K$ is", {"h": "homomorphism"}),
        (r"the parameters $a, b > 0$", {"a": "parameter", "b": "parameter"}),
        (r"Let $x_n, n \geq 3$, be a root of unity.", {"x _ { n }": "root of unity"}),
    ],
)
def test_several_symbols_in_one_formula(sentence: str, said: dict[str, str]) -> None:
    assert found(sentence) == said


def test_icons_of_a_font_are_no_formulas() -> None:
    icons = "\ue100\uf015\uf541\uf8ff"
    (found,) = definitions([f"{icons} We have this, where $m$ is the mass {icons}."])
    assert found.phrase == "mass"
