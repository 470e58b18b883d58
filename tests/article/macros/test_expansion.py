"""What expands, names or repeats tokens."""

import pytest
from expanding import expand, expander, walk

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


# -- Loops, mostly those that define families of macros -------------------------------------------


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (r"\foreach \x in {a,b,c}{<\x>}", "<a><b><c>"),
        (r"\foreach\x in{A,...,D}{\x}", "ABCD"),
        (r"\foreach \x in {1,...,4}{\x;}", "1;2;3;4;"),
        (r"\foreach \x in {1,3,...,9}{\x;}", "1;3;5;7;9;"),
        (r"\foreach \x in {3,...,1}{\x}", "321"),
        (r"\foreach \x in {a,...,c,z}{\x}", "abcz"),
        (r"\foreach \x/\y in {a/1,b/2}{\x=\y;}", "a=1;b=2;"),
        (r"\foreach \x/\y in {a}{\x=\y;}", "a=a;"),
        (r"\foreach \x [count=\i] in {a,b}{\x}", "ab"),
        (r"\def\all{a,b}\foreach \x in \all {\x.}", "a.b."),
        (r"\foreach \x in {a,b}{\foreach \y in {1,2}{\x\y}}", "a1a2b1b2"),
        (r"\foreach \x in {{a,b},c}{<\x>}", "<{a,b}><c>"),
        (r"\@for\x:=a,b\do{<\x>}", "<a><b>"),
        (r"\def\all{a,b}\@for\x:=\all\do{<\x>}", "<a><b>"),
        (r"\@tfor\x:=ab\c\do{<\x>}", r"<a><b><\c>"),
        (r"\def\a#1{<#1>}\forcsvlist{\a}{x, y}", "<x><y>"),
        (r"\renewcommand\do[1]{(#1)}\docsvlist{x,y}", "(x)(y)"),
    ],
)
def test_loops(source: str, result: str) -> None:
    assert expand(source) == result


def test_families_of_macros() -> None:
    source = (
        r"\foreach \x in {A,...,Z}{\expandafter\xdef\csname c\x\endcsname{\noexpand\mathcal{\x}}}"
        r"\@for\n:=a,b\do{\expandafter\edef\csname v\n\endcsname{\noexpand\vec{\n}}}"
    )
    assert expand(source + r"\cA\cZ\va\vb") == r"\mathcal{A}\mathcal{Z}\vec{a}\vec{b}"


def test_the_name_of_a_loop_keeps_its_meaning_outside() -> None:
    assert expand(r"\def\x{old}\foreach \x in {a}{\x}\x") == "aold"


@pytest.mark.parametrize(
    "source",
    [r"\foreach", r"\foreach \x {a}", r"\foreach \x in", r"\foreach \x in {1,...,x}{\x}",
     r"\foreach \x in {1,1,...,5}{\x}", r"\@for\x", r"\@for\x:=a\do", r"\forcsvlist{\a}"],
)  # fmt: skip
def test_a_loop_that_breaks_off_is_passed_over(source: str) -> None:
    assert expand(source + "\n\n end").endswith("end")


def test_loops_are_limited() -> None:
    thousand = r"\foreach \%s in {1,...,1000}{%s}"
    source = thousand % ("x", thousand % ("y", thousand % ("z", "a")))
    tokens, given_up = walk(expander(source + " end"))
    assert given_up == 1
    assert len(tokens) < 100_000 and tokens[-1] == " end"
    long_list = ",".join("x" * 2_000)
    assert expand(rf"\foreach \x in {{{long_list}}}{{\x}}.") == "."


def test_a_loop_of_commands() -> None:
    source = r"\LoopCommands{AB}[bb#1][c#1]{\newmathcommand#2{\mathbb{#1}}\newmathcommand#3{#1'}}"
    assert expand(source + r"\bbA\cB") == r"\mathbb{A}B'"
