"""Phrases in prose: plurals, longest match, and what ends a phrase."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.nouns import load_phrases, plurals
from topiceq.corpus.phrases import Matcher, phrase_vocab
from topiceq.errors import CorpusError

PHRASES = [
    "field",
    "electric field",
    "pauli matrix",
    "random matrix theory",
    "random matrix",
    "moment of inertia",
    "degree of freedom",
    "noether's theorem",
    "bayes' theorem",
    "cauchy-schwarz inequality",
    "schrödinger equation",
    "nonlinear system",
    "linear system",
    "base",
    "basis",
    "analysis",
    "theory",
]
MATCHER = Matcher(PHRASES)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the electric field of", ["electric field"]),
        ("Electric Fields and fields", ["electric field", "field"]),
        ("the Pauli matrices", ["pauli matrix"]),
        ("random matrix theory of random matrices", ["random matrix theory", "random matrix"]),
        ("random-matrix theories", ["random matrix theory"]),
        ("moments of inertia, degrees of freedom", ["moment of inertia", "degree of freedom"]),
        ("Noether's theorem", ["noether's theorem"]),
        ("the Noether theorem and Noether’s theorems", ["noether's theorem"] * 2),
        ("Bayes theorem, Bayes' theorem, Bayes's theorem", ["bayes' theorem"] * 3),
        ("Cauchy–Schwarz inequalities", ["cauchy-schwarz inequality"]),
        ("the Cauchy Schwarz inequality", ["cauchy-schwarz inequality"]),
        ("Schrodinger equation, Schrödinger equations", ["schrödinger equation"] * 2),
        ("non-linear systems; linear system", ["nonlinear system", "linear system"]),
        ("a base, a basis, bases, analyses", ["base", "basis", "base", "analysis"]),
        ("fieldwork, afield, electrics", []),
        ("", []),
    ],
)
def test_phrases_are_found(text: str, found: list[str]) -> None:
    assert MATCHER.find(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "electric $E$ field",
        "electric, field",
        "electric (field)",
        "electric $ field",
        "electric. Field",
    ],
)
def test_math_and_punctuation_end_a_phrase(text: str) -> None:
    assert MATCHER.find(text) == ["field"]


def test_nothing_is_found_inside_math() -> None:
    assert MATCHER.find(r"with $\text{electric field} + field$ in it") == []


def test_matches_do_not_overlap() -> None:
    matcher = Matcher(["a b", "b c", "c"])
    assert matcher.find("a b c") == ["a b", "c"]


def test_a_match_that_fails_late_falls_back_to_the_shorter_one() -> None:
    matcher = Matcher(["a", "a b c d", "b"])
    assert matcher.find("a b c x") == ["a", "b"]


@pytest.mark.parametrize(
    ("word", "plural"),
    [
        ("matrix", "matrices"),
        ("vertex", "vertices"),
        ("index", "indices"),
        ("simplex", "simplices"),
        ("complex", "complexes"),
        ("eigenvector", "eigenvectors"),
        ("axis", "axes"),
        ("basis", "bases"),
        ("hypothesis", "hypotheses"),
        ("criterion", "criteria"),
        ("polyhedron", "polyhedra"),
        ("automaton", "automata"),
        ("electron", "electrons"),
        ("lemma", "lemmata"),
        ("lemma", "lemmas"),
        ("formula", "formulae"),
        ("spectrum", "spectra"),
        ("momentum", "momenta"),
        ("torus", "tori"),
        ("genus", "genera"),
        ("virus", "viruses"),
        ("symmetry", "symmetries"),
        ("ray", "rays"),
        ("flux", "fluxes"),
        ("branch", "branches"),
        ("epoch", "epochs"),
        ("mass", "masses"),
        ("gas", "gases"),
        ("sheaf", "sheaves"),
        ("proof", "proofs"),
        ("series", "series"),
    ],
)
def test_plurals(word: str, plural: str) -> None:
    assert plural in plurals(word)


@given(st.lists(st.sampled_from([*PHRASES, "of", ",", "$x$"]), max_size=8))
def test_found_phrases_come_from_the_list(parts: list[str]) -> None:
    found = MATCHER.find(" , ".join(parts))
    assert found == [part for part in parts if part in PHRASES]


def test_the_vocabulary_holds_the_most_frequent_phrases() -> None:
    sentences = ["Fields and bases.", "A field.", "The electric field is a base."]
    assert list(phrase_vocab(sentences, MATCHER)) == ["base", "field", "electric field"]
    assert list(phrase_vocab(sentences, MATCHER, size=1)) == ["base"]


def test_a_phrase_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("\ufeff# mine\nElectric  Field\n\nspin\r\nelectric field\n", encoding="utf-8")
    assert load_phrases(path) == ["electric field", "spin"]


def test_a_phrase_file_that_is_missing_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="mine.txt' cannot be read"):
        load_phrases(tmp_path / "mine.txt")
    (tmp_path / "mine.txt").write_text("# nothing\n")
    with pytest.raises(CorpusError, match="has no phrases. Write one a line, lower case, singular"):
        load_phrases(tmp_path / "mine.txt")


def test_the_concepts_find_what_the_papers_table_names() -> None:
    matcher = Matcher(load_phrases())
    named = "expectation, elliptic curve, electric field, spectral sequence, martingale, "
    named += "magnetic moment, matroid, stopping time, test statistic, thermal conductivity, "
    named += "triangulation, volatility, pauli matrices, simplex, triangle inequality"
    assert len(matcher.find(named)) == 15
