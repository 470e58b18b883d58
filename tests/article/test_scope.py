"""Which definition holds where, and what a display's glossary is made of."""

from topiceq.article.definitions import APPOSED, LED_IN, SAID, Definition, definitions
from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences
from topiceq.article.scope import Definitions, unindexed

FILLER = ["Nothing is said here."]


def glossary(latex: str, *sentences: str, place: int = 0) -> dict[tuple[str, ...], str]:
    known = Definitions(definitions(sentences))
    entries = known.glossary(occurrences(parse(latex)), place)
    return {tuple(form.latex for form in entry.forms):
            entry.definition.phrase if entry.definition else ""
            for entry in entries if not entry.is_index}  # fmt: skip


def defined(phrase: str, place: int, strength: float = SAID) -> Definition:
    return Definition(Symbol(("m",)), phrase, "", place, strength)


def nearest(place: int, *said: Definition) -> str:
    found = Definitions(said).find(Symbol(("m",)), place)
    return found.phrase if found else ""


def test_the_nearest_definition_wins() -> None:
    mass, slope = defined("mass", 0), defined("slope", 10)
    assert nearest(5, mass, slope) == "mass"
    assert nearest(12, mass, slope) == "slope"
    assert nearest(9, mass, slope) == "slope"  # just behind the display: "where .."
    assert nearest(8, defined("slope", 10)) == "slope"


def test_where_none_stands_before_the_nearest_later_one_holds() -> None:
    assert nearest(7, defined("slope", 10), defined("mass", 12)) == "slope"
    assert nearest(7, defined("mass", 0), defined("slope", 10)) == "mass"
    assert nearest(7, defined("slope", 100)) == ""


def test_a_definition_beats_what_leads_to_the_display() -> None:
    leads = defined("model", 5, LED_IN)
    assert nearest(5, leads, defined("force of infection", 6)) == "force of infection"
    assert nearest(5, leads) == "model"


def test_what_is_said_outright_counts_for_longer_than_an_apposition() -> None:
    assert nearest(12, defined("mass", 10), defined("point", 12, strength=APPOSED)) == "mass"
    assert nearest(20, defined("mass", 10), defined("point", 20, strength=APPOSED)) == "point"
    assert nearest(1_000, defined("point", 20, strength=APPOSED)) == ""
    assert nearest(1_000, defined("mass", 20)) == "mass"


def test_symbols_without_a_definition_are_there_with_nothing() -> None:
    assert glossary("E = m c^2", "where $m$ is the mass") == {
        ("E",): "",
        ("m",): "mass",
        ("c",): "",
    }


def test_an_index_has_no_name() -> None:
    text = "where $x_i$ is the position of the particle"
    assert glossary("x_i + x_j + x_k", text) == {
        ("x _ { i }", "x _ { j }", "x _ { k }"): "position of the particle"
    }
    assert unindexed(Symbol(("x",), ("1",))) == Symbol(("x",), ("1",))


def test_a_symbol_with_scripts_may_be_another_one() -> None:
    text = "where $k$ is the wavenumber and $k_B$ is the Boltzmann constant"
    assert glossary("k k_B T", text) == {
        ("k _ { B }",): "Boltzmann constant", ("k",): "wavenumber", ("T",): ""
    }  # fmt: skip


def test_without_a_definition_of_its_own_it_is_the_plain_one() -> None:
    assert glossary("T_0 + T_1", "where $T$ is the temperature") == {("T",): "temperature"}
    assert glossary("T_0 + 1", "") == {("T _ { 0 }",): ""}


def test_words_labels_and_exponentials_are_there_only_if_they_are_defined() -> None:
    assert glossary(r"\mathrm{Re} e^{2} k_B", "") == {("k _ { B }",): ""}
    text = "where $i$ is the row index and $\\mathrm{Re}$ is the Reynolds number"
    assert glossary(r"\sum_{i=1}^n \mathrm{Re} e^{x}", text) == {
        ("i",): "row index", ("n",): "", (r"\mathrm { R e }",): "Reynolds number", ("x",): ""
    }  # fmt: skip


def test_what_only_counts_is_an_index() -> None:
    def indices(latex: str) -> list[str]:
        found = Definitions([]).glossary(occurrences(parse(latex)), 0)
        return [entry.forms[0].latex for entry in found if entry.is_index]

    assert indices(r"\sum_{i=1}^n x_i T_{\mu\nu}") == ["i", r"\mu", r"\nu"]
    assert indices(r"\sum_{c \in C} i x_i + k_B") == ["c"]
    assert indices(r"\int_a^b f_t(x) \, dx") == ["t"]


def test_the_differential_is_no_symbol() -> None:
    assert glossary(r"\int f \, dx", "") == {("f",): "", ("x",): ""}


def test_a_named_index_makes_another_symbol() -> None:
    text = "where $N$ is the number of targets"
    assert glossary("N_c + N", text) == {("N",): "number of targets", ("N _ { c }",): ""}
    assert glossary("N_c", text) == {("N _ { c }",): ""}


def test_an_index_inherits_nearby_only() -> None:
    text = ["where $b$ is the bias", *FILLER * 50]
    assert glossary("b_j", *text, place=3) == {("b",): "bias"}
    assert glossary("b_j", *text, place=49) == {("b _ { j }",): ""}
    assert glossary("b", *text, place=49) == {("b",): "bias"}


def test_an_upper_index_has_no_name_either() -> None:
    assert glossary("a^{m+1} + 1", "the action sequence $a^m$") == {
        ("a ^ { m + 1 }",): "action sequence",
        ("m",): "",
    }


def test_a_constant_is_named_where_the_text_does_not_define_it() -> None:
    def entries(latex: str, *sentences: str) -> list[tuple[str, str, str]]:
        found = Definitions(definitions(sentences)).glossary(occurrences(parse(latex)), 0)
        return [(e.forms[0].latex, e.definition.phrase if e.definition else "", e.constant)
                for e in found]  # fmt: skip

    pi = "ratio of a circle's circumference to its diameter"
    assert entries(r"2 \pi r", "") == [(r"\pi", "", pi), ("r", "", "")]
    assert entries(r"\pi(s)", "where $\\pi$ is the policy")[0] == (r"\pi", "policy", "")
    later = [*FILLER * 9, "the policy $\\pi$"]
    assert entries(r"2 \pi r", *later)[0] == (r"\pi", "", pi)


def test_what_says_little_is_farther_away() -> None:
    text = ["the transmission rate $b$", *FILLER * 9, "where $b$ is the parameter"]
    assert glossary("b", *text, place=10) == {("b",): "transmission rate"}
    text[-1] = "have true values $b$"
    assert glossary("b", *text, place=10) == {("b",): "transmission rate"}


def test_one_of_many_is_what_the_others_are() -> None:
    text = "with velocity $v_i$ and probabilities $p_1$ and $p_2$, at start $t_1$ and end $t_2$"
    assert glossary("v_3 + p_i + p + t_i", text) == {
        ("v _ { 3 }",): "velocity",
        ("p _ { i }",): "probability",
        ("p",): "probability",
        ("t _ { i }",): "",
    }
    assert glossary("v_3", text, *FILLER * 60, place=50) == {("v _ { 3 }",): ""}
    assert glossary("v_B", text) == {("v _ { B }",): ""}


def test_labels_of_what_is_defined_with_them_are_no_symbols() -> None:
    said = ("where $D_L$ is the luminosity distance", "The length $L$ of the arm is known.")
    assert glossary("D_L = 3", *said) == {("D _ { L }",): "luminosity distance"}
    assert ("L",) in glossary("D_L = L", *said)


def test_what_is_said_of_the_very_index_comes_first() -> None:
    said = ("Let $m_{t+1}$ be the supply of currency.", "Let $m_t$ be the stock of money.")
    found = glossary("m_{t+1} = m_t", *said)
    assert found == {
        ("m _ { t + 1 }",): "supply of currency", ("m _ { t }",): "stock of money"
    }  # fmt: skip


def test_that_it_is_a_sequence_says_little() -> None:
    said = ("Let $p_t$ be the price level.", *FILLER, "Consider the sequence $p_t$.")
    assert "price level" in glossary("p_t = 1", *said, place=2).values()
