"""Names in prose: where they begin and end, and which words can be one."""

import pytest

from topiceq.article.nouns import TOKEN, backwards, forwards, is_noun, is_plural, singular

FORMULA = "\ue100"


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text.replace("$", FORMULA))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the mean free path of the gas, which is", "mean free path of the gas"),
        ("the (small) probability of an error", "probability of an error"),
        ("two random numbers drawn from it", "random numbers"),
        ("the force acting on the body", "force"),
        ("a matrix of size", "matrix"),
        ("the “reduced fields” of bodies", "reduced fields of bodies"),
        ("the smallest such", ""),
        ("the number", ""),
        ("the variable at noon", ""),
        ("3 apples", ""),
        ("", ""),
    ],
)
def test_a_name_is_read_forwards(text: str, name: str) -> None:
    assert " ".join(forwards(tokens(text), 0).words) == name


def test_any_word_may_be_a_noun_where_one_must_stand() -> None:
    assert forwards(tokens("the zorble of gas"), 0).words == []
    assert forwards(tokens("the zorble of gas"), 0, any_head=True).words == "zorble of gas".split()
    assert forwards(tokens("the quickest"), 0, any_head=True).words == []


def test_a_name_says_where_it_ends() -> None:
    name = forwards(tokens("the mass of the star, which"), 0)
    assert (name.end, name.is_whole) == (5, True)
    assert not forwards(tokens("the force acting on it"), 0).is_whole


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("along the mean free path", "mean free path", "article"),
        ("a body of mass", "mass", "property"),
        ("the speed $ and mass", "mass", "series"),
        ("the speed $, and mass", "mass", "series"),
        ("at noon, then time", "", "bare"),
        ("at time", "time", "bare"),
        ("we find that path", "path", "article"),
        ("the number of particles", "number of particles", "article"),
        ("the $ matrix", "matrix", "article"),
        ("it is quickly", "", "bare"),
        ("we take time", "", "bare"),
        ("a b c d e f function", "", "bare"),
        ("", "", "bare"),
    ],
)
def test_a_name_is_read_backwards(text: str, name: str, kind: str) -> None:
    words = tokens(text)
    before = backwards(words, len(words))
    assert (" ".join(before.words), before.kind) == (name, kind)


def test_what_is_owned_is_told() -> None:
    words = tokens("the density of the fluid")
    before = backwards(words, len(words))
    assert (before.words, before.owned) == (["fluid"], "density of the fluid".split())


def test_nouns_in_singular_and_plural() -> None:
    assert is_noun("matrices") and is_noun("eigenvalue") and not is_noun("quickly")
    assert not is_noun("p")
    assert singular("complex matrices of rank".split()) == "complex matrix of rank".split()
    assert singular(["hyper-parameters"]) == ["hyper-parameter"]
    plural = [w for w in "axes axis spectra mass series radii basis".split() if is_plural(w)]
    assert plural == ["axes", "spectra", "radii"]
