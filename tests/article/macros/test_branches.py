r"""Conditionals with braced branches, and what depends on the mode."""

import pytest
from expanding import expand


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (r"\ifblank{ }", True),
        (r"\ifblank{x}", False),
        (r"\ifnotblank{x}", True),
        (r"\def\x{}\ifstrempty{\x}", True),
        (r"\ifstrequal{a}{a}", True),
        (r"\ifstrequal{a}{b}", False),
        (r"\def\x{}\ifdefempty{\x}", True),
        (r"\def\x{a}\ifdefempty\x", False),
        (r"\def\x{a}\ifdefstring{\x}{a}", True),
        (r"\@ifundefined{nobody}", True),
        (r"\def\x{}\@ifundefined{x}", False),
        (r"\ifundef\nobody", True),
        (r"\ifdef{\alpha}", True),
        (r"\ifcsdef{alpha}", True),
        (r"\ifcsundef{alpha}", False),
        (r"\ifnumequal{2}{2}", True),
        (r"\ifnumless{2}{1}", False),
        (r"\ifnumgreater{2}{1}", True),
        (r"\ifnumcomp{1}{<}{2}", True),
        (r"\newbool{b}\ifbool{b}", False),
        (r"\newbool{b}\booltrue{b}\ifbool{b}", True),
        (r"\newboolean{b}\setboolean{b}{true}\ifbool{b}", True),
        (r"\newtoggle{b}\iftoggle{b}", False),
        (r"\newtoggle{b}\toggletrue{b}\iftoggle{b}", True),
        (r"\settoggle{b}{true}\settoggle{b}{false}\iftoggle{b}", False),
    ],
)
def test_tests(condition: str, holds: bool) -> None:
    assert expand(condition + "{yes}{no}.") == ("yes." if holds else "no.")


def test_a_boolean_is_a_switch_too() -> None:
    assert expand(r"\newboolean{b}\ifb1\else0\fi\setboolean{b}{true}\ifb1\else0\fi") == "01"


def test_packages_defaults_do_not_count_as_defined() -> None:
    source = r"\@ifundefined{R}{\newcommand\R{mine}}{}\R"
    assert expand(source, packages=True) == "mine"


def test_the_next_character_decides() -> None:
    source = r"\def\a{\@ifnextchar[{\b}{\b[x]}}\def\b[#1]#2{(#1,#2)}"
    assert expand(source + r"\a[y]z\a z\a [y]z") == "(y,z)(x,z)(y,z)"
    source = r"\def\a{\@ifnextchar\bgroup{\b}{-}}\def\b#1{<#1>}"
    assert expand(source + r"\a{x}\a y") == "<x>-y"
    assert expand(r"\def\a{\@testopt\b{d}}\def\b[#1]{<#1>}\a[x]\a.") == "<x><d>."


def test_a_star_decides() -> None:
    assert expand(r"\def\a{\@ifstar{\b}{\c}}\def\b#1{*#1}\def\c#1{.#1}\a*x\a y") == "*x.y"


@pytest.mark.parametrize(
    ("test", "given", "missing"),
    [
        (r"\IfNoValueTF{#1}{n}{v}", "v", "n"),
        (r"\IfNoValueT{#1}{n}", "", "n"),
        (r"\IfNoValueF{#1}{v}", "v", ""),
        (r"\IfValueTF{#1}{v}{n}", "v", "n"),
        (r"\IfValueT{#1}{v#1}", "vx", ""),
        (r"\IfValueF{#1}{n}", "", "n"),
    ],
)
def test_values_of_optional_arguments(test: str, given: str, missing: str) -> None:
    source = rf"\NewDocumentCommand\a{{o}}{{{test}.}}"
    assert expand(source + r"\a[x]") == given + "."
    assert expand(source + r"\a") == missing + "."


def test_stars_of_document_commands() -> None:
    source = r"\NewDocumentCommand\a{s}{\IfBooleanTF{#1}{y}{n}\IfBooleanT{#1}{+}\IfBooleanF{#1}{-}}"
    assert expand(source + r"\a*\a") == "y+n-"


def test_ensuremath_depends_on_the_mode() -> None:
    assert expand(r"\def\R{\ensuremath{\mathbb R}}\R", math=True) == r"\mathbb R"
    assert expand(r"\def\R{\ensuremath{\mathbb R}}\R", math=False) == r"$\mathbb R$"


def test_mathchoice_takes_the_display() -> None:
    assert expand(r"\mathchoice{a}{b}{c}{d}") == "a"


@pytest.mark.parametrize(
    "source", [r"\ifblank", r"\@ifnextchar", r"\ensuremath", r"\ifnumless{a}{b}"]
)
def test_what_breaks_off_is_passed_over(source: str) -> None:
    assert expand(source + "\n\n x").endswith("x")
