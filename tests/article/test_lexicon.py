"""Which definition holds where, and what a display's glossary is made of."""

from topiceq.article.definitions import Definition, definitions
from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences
from topiceq.article.scope import Lexicon, unindexed

FILLER = ["Nothing is said here."]


def glossary(latex: str, *sentences: str, place: int = 0) -> dict[tuple[str, ...], str]:
    lexicon = Lexicon(definitions(sentences))
    entries = lexicon.glossary(occurrences(parse(latex)), place)
    return {tuple(form.latex for form in entry.forms):
            entry.definition.phrase if entry.definition else "" for entry in entries}  # fmt: skip


def defined(phrase: str, place: int, strength: int = 2) -> Definition:
    return Definition(Symbol(("m",)), phrase, "", place, strength)


def nearest(place: int, *said: Definition) -> str:
    found = Lexicon(said).find(Symbol(("m",)), place)
    return found.phrase if found else ""


def test_the_nearest_definition_wins() -> None:
    mass, slope = defined("mass", 0), defined("slope", 10)
    assert nearest(5, mass, slope) == "mass"
    assert nearest(12, mass, slope) == "slope"
    assert nearest(9, mass, slope) == "slope"  # just behind the display: "where .."
    assert nearest(8, defined("slope", 10)) == "slope"
    assert nearest(7, defined("slope", 10)) == ""


def test_what_is_said_outright_counts_for_longer_than_an_apposition() -> None:
    assert nearest(12, defined("mass", 10), defined("point", 12, strength=1)) == "mass"
    assert nearest(20, defined("mass", 10), defined("point", 20, strength=1)) == "point"
    assert nearest(1_000, defined("point", 20, strength=1)) == ""
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


def test_indices_words_and_exponentials_are_there_only_if_they_are_defined() -> None:
    assert glossary(r"\sum_{i=1}^n \mathrm{Re} e^{x}", "") == {}
    text = "where $i$ is the row index and $\\mathrm{Re}$ is the Reynolds number"
    assert glossary(r"\sum_{i=1}^n \mathrm{Re} e^{x}", text) == {
        ("i",): "row index", (r"\mathrm { R e }",): "Reynolds number"
    }  # fmt: skip


def test_the_differential_is_no_symbol() -> None:
    assert glossary(r"\int f \, dx", "") == {("f",): "", ("x",): ""}
