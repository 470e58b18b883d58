r"""TeX's conditionals."""

import pytest
from expanding import expand


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (r"\iftrue", True),
        (r"\iffalse", False),
        (r"\if aa", True),
        (r"\if ab", False),
        (r"\def\x{a}\if a\x", True),
        (r"\if\relax\alpha", True),
        (r"\ifx aa", True),
        (r"\ifx ab", False),
        (r"\def\x{1}\def\y{1}\ifx\x\y", True),
        (r"\def\x{1}\def\y{2}\ifx\x\y", False),
        (r"\def\x#1{1}\def\y{1}\ifx\x\y", False),
        (r"\let\x\relax\ifx\x\relax", True),
        (r"\ifx\nobody\undefined", True),
        (r"\ifx\alpha\undefined", False),
        (r"\ifx\alpha\beta", False),
        (r"\def\x#1{\ifx\relax#1\relax}\x{}", True),
        (r"\def\x#1{\ifx\relax#1\relax}\x{a}", False),
        (r"\ifnum 1<2 ", True),
        (r"\ifnum-3>-2 ", False),
        (r"\def\x{7}\ifnum\x=7 ", True),
        (r"\ifnum\z@<\@ne", True),
        (r"\ifnum\value{page}>3 ", False),
        (r"\ifodd 3 ", True),
        (r"\ifodd 4 ", False),
        (r"\ifdefined\alpha", True),
        (r"\ifdefined\nobody", False),
        (r"\ifcsname alpha\endcsname", True),
        (r"\def\x{no}\ifcsname\x body\endcsname", False),
        (r"\ifmmode", True),
        (r"\ifhmode", False),
        (r"\ifdim 1pt<2pt ", False),
        (r"\ifpdf", False),
        (r"\unless\iffalse", True),
        (r"\unless\ifx aa", False),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    result = expand(condition + r" yes\else no\fi.")
    assert result.endswith("yes." if holds else "no.")
    assert ("yes" in result) == holds


def test_without_else_a_false_branch_is_nothing() -> None:
    assert expand(r"a\iffalse b\fi c") == "a c"


def test_conditionals_nest() -> None:
    source = r"\iffalse\iftrue a\else b\fi\else\iftrue c\else d\fi\fi e"
    assert expand(source) == "c e"


def test_skipping_counts_only_real_conditionals() -> None:
    assert expand(r"\iffalse a\iff b\ifthenelse{}{}{}\else c\fi d") == "c d"
    assert expand(r"\def\ifactor{x}\iffalse\ifactor\fi y") == "y"


def test_macros_may_hold_halves_of_a_conditional() -> None:
    assert expand(r"\def\a{\iffalse}\def\b{\fi}\a x\fi y") == "y"
    assert expand(r"\def\pick#1{\ifx#1x\expandafter\yes\else\expandafter\no\fi}"
                  r"\def\yes#1{Y#1}\def\no#1{N#1}\pick x1\pick y2") == "Y1N2"  # fmt: skip


def test_newif_makes_a_switch() -> None:
    source = r"\newif\iffoo\def\a{\iffoo1\else0\fi}"
    assert expand(source + r"\a\footrue\a\foofalse\a") == "010"
    assert expand(source + r"{\footrue\a}\a") == "{1}0"
    assert expand(source + r"\iffalse\iffoo a\else b\fi\else c\fi") == "c"


def test_a_conditional_nobody_defined_gives_its_first_branch() -> None:
    assert expand(r"\ifmystery a\else b\fi c") == r"\ifmystery a c"


def test_case_chooses_by_number() -> None:
    source = r"\def\a#1{\ifcase#1 (zero)\or(one)\or(two)\else(many)\fi}"
    assert expand(source + r"\a0\a1\a2\a9") == "(zero)(one)(two)(many)"
    assert expand(r"\ifcase 5 a\or b\fi c") == "c"


def test_what_is_never_closed_ends_with_its_file() -> None:
    assert expand(r"a\iffalse b") == "a"
    assert expand(r"a\else b") == "a"
    assert expand(r"a\fi b") == "a b"
    assert expand(r"\ifnum 1") == ""
