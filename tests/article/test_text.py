"""The text of an article around its displays: sentences, sections, words."""

import pytest

from topiceq.article.pieces import Display, Heading, Piece, Prose
from topiceq.article.prose import Text, ends_sentence
from topiceq.article.tex import lex


def display(latex: str) -> Display:
    return Display("a", "a.tex", 1, "equation", latex, tuple(lex(latex)))


def article() -> Text:
    pieces: list[Piece] = [
        Heading("a", "First", 2),
        Prose("a", "We drop a stone. It falls with the speed "),
        display("v = g t"),
        Prose("a", " that grows in time. The mass does not matter. "),
        Heading("a", "Second", 2),
        Prose("a", "Now the energy is kept, which says "),
        display("E = m c^2 ."),
        Prose("a", " All is well."),
    ]
    return Text("a", pieces)


def test_a_display_cuts_its_sentence_into_halves() -> None:
    text = article()
    (place, _), _ = text.displays
    before, after = text.context(place, 2)
    assert before == ["We drop a stone.", "It falls with the speed"]
    assert after == ["that grows in time.", "The mass does not matter."]


def test_there_are_only_so_many_sentences() -> None:
    text = article()
    place, _ = text.displays[0]
    assert [len(some) for some in text.context(place, 5)] == [2, 4]
    assert text.context(place, 1) == (["It falls with the speed"], ["that grows in time."])


def test_a_display_with_a_full_stop_ends_its_sentence() -> None:
    text = article()
    place, _ = text.displays[1]
    assert text.context(place, 1) == (["Now the energy is kept, which says"], ["All is well."])


def test_the_section_is_the_last_heading() -> None:
    text = article()
    assert [text.section(place) for place, _ in text.displays] == ["First", "Second"]
    assert Text("a", [display("x")]).section(0) == ""


def test_words_are_read_once() -> None:
    text = article()
    first = text.words("The mass does not matter.")
    assert "mass" in first and text.words("The mass does not matter.") is first


@pytest.mark.parametrize(
    ("latex", "ends"),
    [("x = 1 .", True), (r"\text{x = 1.}", True), (r"x = 1. \label", True), ("x = 1,", False),
     ("", False)],
)  # fmt: skip
def test_what_ends_a_sentence(latex: str, ends: bool) -> None:
    assert ends_sentence(display(latex)) is ends
