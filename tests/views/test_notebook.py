"""What notebooks show: tables with MathML, everything else escaped."""

import pickle
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from topiceq.api import TopicEq
from topiceq.model.topics import Topic, Typical
from topiceq.tasks.explain import Phrase
from topiceq.tasks.generate import Generated
from topiceq.tasks.similar import SimilarEquation
from topiceq.views.notebook import Equations, Inferred, Nearest, Phrases, Shown, Topics

EVIL = '<script>alert("x")</script>'
THETA = np.float32([0.75, 0.25, 0])


def topic(number: int, word: str = "energy") -> Topic:
    typical = Typical(rf"E = \frac{{1}}{{{number + 2}}}", "article", 3, 0.9)
    return Topic(number, f"{word} field", [word, "field"], ["<", r"\hbar"], [typical], 0.25)


def near(equation: str, word: str) -> SimilarEquation:
    """An equation that was found, with the word in every place that holds text."""
    return SimilarEquation(equation, 0.876, 1, word, word, word, word, word, 12, word, None)


def shown(word: str) -> list[Shown[object]]:
    """One of every kind of list, with the word in every place that holds text."""
    return [
        Topics([topic(0, word)]),
        Equations([Generated(word, (word,), -3.21, THETA, False)]),
        Phrases(
            [Phrase(word, 0.41, "alignment", topic=3), Phrase(word, None, "text", sentence=word)]
        ),
        Nearest([near(word, word)]),
    ]


def rows(html: str | None) -> list[str]:
    """The text of each row; the HTML must be well formed."""
    assert html is not None
    table = ElementTree.fromstring(html)
    return [" ".join("".join(cell.itertext()) for cell in row) for row in table.iter("tr")]


@pytest.mark.parametrize("kind", range(4))
def test_everything_is_escaped(kind: int) -> None:
    html = shown(EVIL)[kind]._repr_html_()
    assert "<script" not in html
    rows(html)


@pytest.mark.parametrize("kind", range(4))
def test_no_colours_and_nothing_from_outside(kind: int) -> None:
    html = shown("energy")[kind]._repr_html_()
    assert not re.search(r"https?:|url\(|src=|#[0-9a-f]{3}|rgb", html)


@pytest.mark.parametrize("kind", range(4))
def test_a_slice_is_shown_too_and_an_item_is_itself(kind: int) -> None:
    whole = shown("energy")[kind]
    assert type(whole[:1]) is type(whole) and whole[:1]._repr_html_().startswith("<table>")
    assert whole[:1] == [whole[0]] and not isinstance(whole[0], list)
    assert len(rows(whole[:0]._repr_html_())) == 1


def test_topics_show_words_tokens_and_formulas() -> None:
    html = Topics([topic(0), topic(1)])._repr_html_()
    assert rows(html)[0] == "topic label share words tokens equations"
    assert rows(html)[1].startswith("0 energy field  25.0% energy field < ℏ")
    assert html.count("<math") == 6 and "<mfrac>" in html and "width:1.50em" in html


def test_tokens_that_print_nothing_alone_are_code() -> None:
    only = replace(topic(0), tokens=["&", r"\begin{matrix}", "{", r"\sum"])
    html = Topics([only])._repr_html_()
    for shown in ("<code>&amp;</code>", "<code>\\begin{matrix}</code>", "<code>{</code>"):
        assert shown in html
    assert '<span title="\\sum"><math>' in html


def test_equations_show_theta_and_whether_they_end() -> None:
    finished = Generated("x ^ { 2 }", ("x",), -3.21, THETA, True)
    without = Generated("x", ("x",), -1.0, np.zeros(0, np.float32), False)
    html = Equations([finished, without])._repr_html_()
    assert rows(html)[1].startswith("0: 0.75, 1: 0.25 -3.2 ") and "<msup>" in html
    assert rows(html)[2].endswith("(unfinished)")


def test_phrases_show_where_they_come_from() -> None:
    said = Phrase("mass", None, "text", sentence="where m is the mass")
    html = Phrases([Phrase("energy", 0.41, "alignment", topic=3), said])._repr_html_()
    assert rows(html)[1:] == ["energy  41.0% alignment, topic 3", "mass  where m is the mass"]


def test_nearest_show_the_place() -> None:
    html = Nearest([near(r"E = m c^2", "notes")])._repr_html_()
    assert rows(html)[1].startswith("0.88 ")
    assert rows(html)[1].endswith(" notes, notes, notes notes 12")
    assert "<math" in html


# -- inference ---------------------------------------------------------------------------------


def test_theta_is_shown_as_bars_the_largest_first() -> None:
    html = Inferred.of(THETA[::-1].copy(), [topic(k, f"word{k}") for k in range(3)])._repr_html_()
    assert rows(html)[1:3] == [
        "2 word2 field  75.0% word2 field",
        "1 word1 field  25.0% word1 field",
    ]


def test_many_thetas_are_a_row_each() -> None:
    html = Inferred.of(np.stack([THETA, THETA[::-1]]), [topic(k) for k in range(3)])._repr_html_()
    wanted = "0 energy field: 0.75, 1 energy field: 0.25"
    assert rows(html)[1:] == [f"0 {wanted}", "1 2 energy field: 0.75, 1 energy field: 0.25"]


def test_words_of_topics_are_escaped() -> None:
    for theta in (THETA, THETA[None]):
        html = Inferred.of(theta, [topic(k, EVIL) for k in range(3)])._repr_html_()
        assert html is not None and "<script" not in html


def test_it_is_an_array_like_any_other() -> None:
    found = Inferred.of(THETA.copy(), [topic(k) for k in range(3)])
    assert repr(found) == repr(THETA) and np.array_equal(found, THETA)
    assert type(found * 2) is np.ndarray and type(found.sum()) is np.float32
    assert type(np.log(found + 1)) is np.ndarray and type(found[0]) is np.float32
    assert found.argmax() == 0 and found.tolist() == THETA.tolist()
    assert np.array_equal(pickle.loads(pickle.dumps(found)), THETA)


def test_parts_of_it_and_a_run_without_topics_are_shown_as_numbers() -> None:
    found = Inferred.of(THETA.copy(), [topic(k) for k in range(3)])
    assert found[:2]._repr_html_() is None and found.reshape(3, 1)._repr_html_() is None
    assert Inferred.of(THETA.copy(), [])._repr_html_() is None


# -- through the public face -------------------------------------------------------------------


def test_answers_of_a_model_show_themselves(trained: Path) -> None:
    model = TopicEq.load(trained)
    theta = model.infer(equation="E = a b c")
    answers = [model.topics(), theta, model.infer(equations=["E = a", "E = b"]),
               model.generate(0, count=2), model.explain("E", theta=0),
               model.explain(equation="E = a b")]  # fmt: skip
    for answer in answers:
        assert "<table>" in answer._repr_html_()
    assert theta.dtype == np.float32 and theta.shape == (4,)
