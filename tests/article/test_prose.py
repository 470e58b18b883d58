"""Sentences and words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.pieces import APART, Display, Prose
from topiceq.article.prose import DISPLAY, Text, has_words, is_english, sentences, tidy, words


def split(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "By Eq. (3) and Fig. 2 it holds.",
        "Smith et al. Proved it, cf. Ref. 4.",
        "It is small, i.e. Zero, e.g. Nothing, w.r.t. Time.",
        "J. S. Bach and D. Knuth met.",
        "The value is 3.14 or .5 of it.",
        "See Sec. 2 and Thm. 4 resp. lemma 5.",
        "Take $x. Y$ and $a.b$ as given.",
        "It costs approx. $5$ units.",
        "As shown in Prop. 3 of vol. 2, pp. 4.",
        "It stands in J. Chem. Phys. 41 and in Phys. Rev. Lett. there.",
        "The size is $10$ a.u. Bohr found it.",
    ],
)
def test_one_sentence(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It holds.", "Then it does not."),
        ("It holds for $x$.", "$y$ is another."),
        ("Let $x=1.$", "Then $y=2$."),
        ("Is it?", "Yes."),
        ("This is Eq. (…).", "Note that it holds."),
        ("This is due to Smith et al. …", "It is so."),
        ("It takes $2.4$ sec.", "Also derive it."),
        ("It is at $T=450$ K.", "Results are below."),
        ("A.N. Kolmogorov wrote it.", "He did."),
        ("They are i.i.d.", "Thus we have it."),
        ("We use cats, dogs, etc.", "They are animals."),
        ('He said "yes."', "She left."),
        ("(See above.)", "We go on."),
        ("The size is $10$ a.u.", "The mass is not."),
        ("It was so in 1990.", "Later it was not."),
        ("A first paragraph without an end", "A second one."),
    ],
)
def test_two_sentences(first: str, second: str) -> None:
    space = "\n\n" if first[-1] not in '.?)"$' else " "
    assert split(first + space + second) == [first, second]


def test_a_display_is_part_of_its_sentence() -> None:
    text = f"We have {DISPLAY} where $x$ is small. Next."
    assert split(text) == [f"We have {DISPLAY} where $x$ is small.", "Next."]


def test_a_display_that_ends_its_sentence() -> None:
    assert split(f"We have {DISPLAY}. Next.") == [f"We have {DISPLAY}.", "Next."]
    assert split(f"We have {DISPLAY}\n\nNext") == [f"We have {DISPLAY}", "Next"]
    assert split(f"We have {DISPLAY} Then so.") == [f"We have {DISPLAY}", "Then so."]


@pytest.mark.parametrize(
    "text",
    [
        f"It is given by\n\n{DISPLAY}\n\nwhere $x$ is small.",
        f"It is given by {DISPLAY},\n\n which we want.",
        f"It is given by {DISPLAY}.\n\nwhere the full stop is wrong.",
        f"It is\n\n{DISPLAY}\n\n{DISPLAY}\n\nas they say.",
    ],
)
def test_a_blank_line_beside_a_display_ends_no_sentence(text: str) -> None:
    assert split(text) == [text]


def test_an_item_below_a_display_is_its_own_sentence() -> None:
    below = f"{DISPLAY}{APART}where it is{APART}{DISPLAY}"
    assert split(below) == [DISPLAY, "where it is", DISPLAY]
    assert split(f"It ends.\n\n{DISPLAY} here.") == ["It ends.", f"{DISPLAY} here."]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        (f"It is {DISPLAY}. where $x$", "It is … where $x$"),
        ("as said in Eqs. …–… and …/… here", "as said in Eqs. … and … here"),
        ("it was found ( ,) by Otto ()", "it was found by Otto"),
        ("call f() and g(x) etc..", "call f() and g(x) etc."),
        ("- the mass of it", "the mass of it"),
        ("• a second, , one", "a second, one"),
        ("the `hidden' part of ``it''", "the ‘hidden’ part of “it”"),
    ],
)
def test_what_was_left_out_leaves_no_traces(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


def test_words_are_folded_and_free_of_math() -> None:
    assert words("The Schrödinger’s $x_{abc}$ well-known Poincaré–Hopf, 3D x!") == [
        "the", "schrodinger", "well-known", "poincare", "hopf",
    ]  # fmt: skip


def test_a_sentence_of_formulas_has_no_words() -> None:
    assert not has_words("$abc$, $x$.")
    assert has_words("$abc$ is.")


@pytest.mark.parametrize(
    ("sentence", "printed"),
    [
        (f"``So''  we\n have {DISPLAY} , then -- $f''--y$ .", "“So” we have …, then – $f''--y$."),
        ("pages 3--4 of it", "pages 3–4 of it"),
        ("that is --- so to say --- it", "that is — so to say — it"),
        ("the ``open set", "the “open set"),
        ("a closed'' set", "a closed” set"),
        (f"so {DISPLAY} {DISPLAY}. {DISPLAY} holds", "so … holds"),
        (", and , so ; it : is ( not ) !", "and, so; it: is ( not)!"),
        (".;: ,where it is", "where it is"),
    ],
)
def test_tidy_prints_what_a_reader_would_see(sentence: str, printed: str) -> None:
    assert tidy(sentence) == printed


def test_english_is_told_from_other_languages() -> None:
    german = "Sei nun eine Gruppe gegeben und betrachte die Menge aller Elemente davon " * 3
    english = "Let us consider the set of all the elements that are in the group and see " * 3
    assert is_english(words(english))
    assert not is_english(words(german))


@given(st.text(alphabet=f"aB .,?!$\n{DISPLAY}()1…"))
def test_sentences_cover_the_text_in_order(text: str) -> None:
    spans = sentences(text)
    assert all(a < b for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in zip(spans, spans[1:], strict=False))
    inside = "".join(text[a:b] for a, b in spans)
    assert "".join(inside.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is written in R. The code is short.", 2),
        ("This holds for all n below M. For larger ones it fails.", 2),
        ("It was shown by R. Penrose in a letter.", 1),
        ("See J. The is no name.", 2),
    ],
)
def test_a_single_capital_is_an_initial_before_a_name_only(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_what_a_dropped_citation_leaves() -> None:
    assert tidy("as in the literature,. Then, by (see … ) it is") == (
        "as in the literature. Then, by (see …) it is"
    )
    assert tidy("the scale ( … … ) and [ …].") == "the scale (…) and […]."


def test_no_space_is_taken_from_names_that_begin_with_a_dot() -> None:
    assert tidy("in the .xml file , or (see ?help )") == "in the .xml file, or (see ?help)"


def test_a_sentence_of_a_thousand_displays_is_not_read_a_thousand_times() -> None:
    display = Display("a", "a.tex", 1, "equation", "x", ("x",))
    pieces = [Prose("a", "word " * 500), *[display, Prose("a", " and $x$ ")] * 4_000]
    text = Text("a", pieces)
    assert len(text.spans) == 1
    read = sum(len(half) for place, _ in text.displays for half in text.halves(place))
    assert read <= 2 * 4_000 * 200
    few = Text("a", [Prose("a", "word " * 500), display, Prose("a", "end " * 400 + ".")])
    assert [len(half) for half in few.halves(2_500)] == [2_500, 1_601]


def test_nothing_ends_with_that_is() -> None:
    assert split(f"It is $T$, i.e.\n\n{DISPLAY}\n\nand so.") == [
        f"It is $T$, i.e.\n\n{DISPLAY}\n\nand so."
    ]
    assert split("At the edge, i. e. $j$ is 0. So.") == ["At the edge, i. e. $j$ is 0.", "So."]


def test_a_parenthesis_that_a_citation_left_begins_with_a_word() -> None:
    assert tidy("As found (; henceforth A) it is.") == "As found (henceforth A) it is."
