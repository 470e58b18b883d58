r"""\csname, \expandafter, \edef's body, \string and their relatives."""

import pytest
from expanding import expand, expander

from topiceq.article.macros.expansion import frozen, is_expandable
from topiceq.article.tex import lex


def test_csname_makes_a_control_sequence_of_expanded_text() -> None:
    assert expand(r"\def\n{ba}\def\bar{x}\csname\n r\endcsname") == "x"
    assert expand(r"\expandafter\def\csname a1\endcsname#1{<#1>}\csname a1\endcsname x") == "<x>"


def test_the_alphabet_loops_that_authors_copy_from_each_other() -> None:
    loop = (
        r"\def\ddefloop#1{\ifx\ddefloop#1\else\ddef{#1}\expandafter\ddefloop\fi}"
        r"\def\ddef#1{\expandafter\def\csname bb#1\endcsname{\ensuremath{\mathbb{#1}}}}"
        r"\ddefloop ABCDEFGHIJKLMNOPQRSTUVWXYZ\ddefloop "
    )
    assert expand(loop + r"\bbA\bbQ\bbZ") == r"\mathbb{A}\mathbb{Q}\mathbb{Z}"
    assert expand(loop + r"\bbR", math=False) == r"$\mathbb{R}$"


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (r"\def\b{xy}\def\a#1{<#1>}\expandafter\a\b", "<x>y"),
        (r"\def\b{xy}\def\a#1{<#1>}\expandafter\a\expandafter{\b}", "<xy>"),
        (r"\def\c{xy}\def\b{\c}\def\a#1{<#1>}\expandafter\expandafter\expandafter\a\b", "<x>y"),
        (r"\def\b{xy}\def\a#1{<#1>}\let\ea\expandafter\ea\a\ea{\b}", "<xy>"),
        (r"\expandafter\newcommand\csname f\endcsname[1]{(#1)}\f x", "(x)"),
        (r"\expandafter\newcommand\expandafter{\csname f\endcsname}{y}\f", "y"),
        (r"\expandafter x\iftrue1\else2\fi", "x1"),
        (r"\expandafter\alpha\beta", r"\alpha\beta"),
    ],
)
def test_expandafter(source: str, result: str) -> None:
    assert expand(source) == result


def test_string_and_detokenize_give_text() -> None:
    gobbled = r"\expandafter\@gobble\string\foo"
    assert expand(gobbled, packages=True) == "foo"
    assert expand(r"\expandafter\def\csname x\string y\endcsname{z}\xy") == "z"
    assert expand(r"\if\relax\detokenize{}\relax empty\else full\fi") == "empty"
    assert expand(r"\if\relax\detokenize{\a{b}}\relax empty\else full\fi") == "full"


def test_outside_of_edef_nothing_is_kept_from_expanding() -> None:
    assert expand(r"\def\a{x}\noexpand\a\unexpanded{\a}\number 12") == "xx 12"


def test_xspace_prints_nothing_since_spaces_stay_anyway() -> None:
    assert expand(r"\newcommand\eg{e.g.\xspace}\eg, a \eg such", math=False) == "e.g., a e.g. such"


def test_frozen_runs_only_what_tex_would_run() -> None:
    x = expander(r"\def\a{\b1}\def\b{2}")
    assert x.next() == "\x00"
    assert frozen(x, lex(r"\a\def\c{\iffalse x\fi}")) == ["2", "1", "\\def", "\\c", "{", "}"]
    assert is_expandable("\\ifx") and is_expandable("\\IfNoValueTF")
    assert not is_expandable("\\def") and not is_expandable("\\foreach")


@pytest.mark.parametrize("source", [r"\csname abc", r"\expandafter", r"\expandafter\a", r"\string"])
def test_what_breaks_off_stays_within_its_file(source: str) -> None:
    x = expander(source)
    while x.stack:
        last = x.next()
    assert last == "\x00"
