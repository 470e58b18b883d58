r"""Loops, mostly those that define families of macros."""

import pytest
from expanding import expand, expander, walk


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
