"""Names of one glyph, and Unicode as LaTeX."""

import shutil
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.commands import KNOWN
from topiceq.article.equation.nuclei import ACTIONS
from topiceq.article.equation.spelling import SYNONYMS, UNICODE, spelled
from topiceq.scores.compiler import meanings

ALIASES = r"""\le \ge \ne \to \gets \owns \land \lor \lnot \Box \Diamond \restriction \Doteq
    \doublecap \doublecup \llless \gggtr \dasharrow""".split()
ONLY_CLASS = r"\lhd \rhd \unlhd \unrhd".split()  # same glyph, other space around it


def test_what_a_synonym_stands_for_is_no_synonym_and_known() -> None:
    for same in SYNONYMS.values():
        assert same not in SYNONYMS
        assert len(same) == 1 or same in KNOWN


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a LaTeX compiler")
def test_synonyms_have_one_meaning_in_latex() -> None:
    names = [name[1:] for name in ALIASES + ONLY_CLASS]
    found = meanings(names + [SYNONYMS["\\" + name][1:] for name in names])
    for name in names:
        here, there = found[name], found[SYNONYMS["\\" + name][1:]]
        if "\\" + name in ONLY_CLASS:  # \mathchar"2443 and "3443 differ in the class
            here, there = here[-3:], there[-3:]
        assert here.replace(name, "") == there.replace(SYNONYMS["\\" + name][1:], ""), name


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("α≤β", r"\alpha \leq \beta"),
        ("x²³", "x ^ { 2 3 }"),
        ("aₙ₊₁", "a _ { n + 1 }"),
        ("x₁²", "x _ { 1 } ^ { 2 }"),
        ("ℝ𝔼", r"\mathbb { R } \mathbb { E }"),
        ("𝒱ℰ𝓧", r"\mathcal { V } \mathcal { E } \mathcal { X }"),
        ("𝔤ℌ", r"\mathfrak { g } \mathfrak { H }"),
        ("𝐱𝒙𝛂𝜋𝑥", r"\mathbf { x } \boldsymbol { x } \boldsymbol { \alpha } \pi x"),
        ("𝖠𝙰", r"\mathsf { A } \mathtt { A }"),
        ("é", r"\acute { e }"),
        ("x\u0302", r"\hat { x }"),
        ("v\u20d7", r"\vec { v }"),
        ("\u0302x", "x"),
        ("≠=\u0338", r"\neq \neq"),
        ("90°", r"9 0 ^ { \circ }"),
        ("f′″", "f ' ' '"),
        ("ﬁ½", "f i 1 / 2"),
        ("ΑΩΩ", r"A \Omega \Omega"),
        ("a−b–c", "a - b - c"),
        ("ß", r"\ss"),
        ("\u200b\ufeffx", "x"),
        ("中", "中"),
    ],
)
def test_a_character_is_spelled_in_latex(text: str, latex: str) -> None:
    assert spelled(text) == latex.split()


def test_every_character_of_the_table_is_written_with_known_commands() -> None:
    for character, found in UNICODE.items():
        assert not character.isascii()
        assert found[0] != "\\" or found in KNOWN or ACTIONS[found] is not None
        assert spelled(character) == ([found] if found[0] == "\\" else [*found])


@given(st.text())
def test_any_text_is_spelled_with_balanced_braces(text: str) -> None:
    tokens = spelled(text.translate({ord("{"): None, ord("}"): None}))
    assert tokens.count("{") == tokens.count("}")
    assert all(len(token) == 1 or token[0] == "\\" for token in tokens)
    assert not any(unicodedata.combining(token[0]) for token in tokens)
