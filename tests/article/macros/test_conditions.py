"""Conditionals of TeX and of LaTeX."""

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
        (r"\IfSubStr{equation}{qua}", True),
        (r"\def\x{abc}\IfSubStr[1]{\x}{d}", False),
        (r"\IfStrEq*{a}{a}", True),
        (r"\IfBeginWith{abc}{ab}", True),
        (r"\IfEndWith{abc}{ab}", False),
        (r"\IfInteger{-12}", True),
        (r"\IfInteger{1.5}", False),
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


# -- TeX's conditionals ---------------------------------------------------------------------------


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


# -- \ifthenelse and its little language ----------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        (r"\equal{a}{a}", True),
        (r"\equal{a}{b}", False),
        (r"\equal{}{}", True),
        (r"\NOT\equal{a}{b}", True),
        (r"\not \equal{a}{a}", False),
        (r"\NOT\NOT\equal{a}{a}", True),
        (r"\equal{a}{b} \OR \equal{a}{a}", True),
        (r"\equal{a}{b} \AND \equal{a}{a}", False),
        (r"\equal{a}{b}\or\equal{a}{a}\and\equal{c}{c}", True),
        (r"\equal{a}{a} \OR \( \equal{a}{b} \AND \equal{a}{b} \)", True),
        (r"\NOT \( \equal{a}{b} \OR \equal{a}{a} \)", False),
        (r"1 < 2", True),
        (r"3 = 4", False),
        (r"3 > 2 \AND 2 > 1", True),
        (r"\isodd{3}", True),
        (r"\isodd{x}", False),
        (r"\isundefined{\nobody}", True),
        (r"\isundefined\alpha", False),
        (r"\isempty{}", True),
        (r"\boolean{unheard}", False),
        (r"\lengthtest{1pt < 2pt}", False),
        (r"\)", False),
        ("", False),
    ],
)
def test_ifthenelse_tests(test: str, holds: bool) -> None:
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}.") == ("yes." if holds else "no.")


def test_arguments_and_macros_are_expanded() -> None:
    source = r"\newcommand\a[2][]{\ifthenelse{\equal{#1}{}}{f(#2)}{f_{#1}(#2)}}"
    assert expand(source + r"\a x\a[n]x") == "f(x)f_{n}(x)"
    assert expand(r"\def\mode{draft}\ifthenelse{\equal{\mode}{draft}}{d}{f}") == "d"


def test_booleans() -> None:
    source = r"\newboolean{b}\def\a{\ifthenelse{\boolean{b}}{t}{f}}"
    assert expand(source + r"\a\setboolean{b}{true}\a") == "ft"


def test_a_long_chain_is_no_recursion() -> None:
    test = r"\NOT" * 10_001 + r"\equal{a}{b}"
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}") == "yes"
    test = r"\(" * 10_000 + r"\equal{a}{a}" + r"\)" * 10_000
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}") == "yes"


def test_the_case_of_a_text() -> None:
    cases = r"{{a}{first}{b}{second}}"
    assert expand(rf"\IfStrEqCase{{b}}{cases}[none].") == "second."
    assert expand(rf"\IfStrEqCase{{c}}{cases}[none].") == "none."
    assert expand(rf"\IfStrEqCase{{c}}{cases}.") == "."


def test_the_next_character_may_be_asked_for_in_braces() -> None:
    definition = r"\def\x{\@ifnextchar{\bgroup}{\y}{none}}\def\y#1{[#1]}"
    assert expand(definition + r"\x{a}\x b") == "[a]noneb"
