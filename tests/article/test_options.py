"""Options of packages and classes decide what they define; groups they leave open undo nothing."""

import pytest

from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.pieces import Display, Prose
from topiceq.article.source import Article
from topiceq.article.tex import join


def project(main: str, **others: str) -> MemoryFiles:
    contents = {"main.tex": main, **{name.replace("_", "."): text for name, text in others.items()}}
    return MemoryFiles({name: text.encode() for name, text in contents.items()})


def equations(main: str, **others: str) -> list[str]:
    pieces = read(Article("a", "", "main.tex", project(main, **others)))
    return [" ".join(join(p.tokens).split()) for p in pieces if isinstance(p, Display)]


def document(head: str, equation: str) -> str:
    return rf"{head}\begin{{document}} Text. \[ {equation} \] \end{{document}}"


PLAIN = r"""
\newif\iffast
\DeclareOption{fast}{\fasttrue}
\DeclareOption{slow}{\fastfalse}
\ExecuteOptions{slow}
\ProcessOptions\relax
\iffast \newcommand\x{quick}\else \newcommand\x{steady}\fi
"""
BOOLEAN = r"""
\RequirePackage{ifthen}
\newboolean{fast}
\setboolean{fast}{false}
\DeclareOption{fast}{\setboolean{fast}{true}}
\ProcessOptions*
\ifthenelse{\boolean{fast}}{\newcommand{\x}{quick}}{\newcommand{\x}{steady}}
"""
KEYVAL = r"""
\RequirePackage{kvoptions}
\SetupKeyvalOptions{family=my,prefix=my@}
\DeclareBoolOption[false]{fast}
\DeclareComplementaryOption{slow}{fast}
\DeclareStringOption[steady]{word}[plain]
\ProcessKeyvalOptions*
\ifmy@fast \newcommand\x{quick}\else \newcommand\x{\my@word}\fi
"""
XKEYVAL = r"""
\newcommand\x{steady}
\DeclareOptionX{fast}[quick]{\renewcommand\x{#1}}
\ProcessOptionsX\relax
"""


@pytest.mark.parametrize("style", [PLAIN, BOOLEAN, KEYVAL, XKEYVAL])
def test_an_option_of_a_package_is_carried_out(style: str) -> None:
    head = r"\documentclass{article}\usepackage%s{mymacros}"
    assert equations(document(head % "[fast]", r"\x"), mymacros_sty=style) == ["quick"]
    assert equations(document(head % "", r"\x"), mymacros_sty=style) == ["steady"]


@pytest.mark.parametrize("style", [PLAIN, BOOLEAN])
def test_an_option_of_a_class_is_carried_out(style: str) -> None:
    own = style + r"\LoadClass{book}"
    head = r"\documentclass[12pt,fast]{mybook}"
    assert equations(document(head, r"\x"), mybook_cls=own) == ["quick"]


def test_an_option_of_the_class_reaches_the_packages() -> None:
    head = r"\documentclass[fast]{article}\usepackage{mymacros}"
    assert equations(document(head, r"\x"), mymacros_sty=PLAIN) == ["quick"]


def test_a_key_has_the_value_it_is_given() -> None:
    head = r"\documentclass{article}\usepackage[word={very slow}]{mymacros}"
    assert equations(document(head, r"\text{\x}"), mymacros_sty=KEYVAL) == [r"\text{very slow}"]
    head = r"\documentclass{article}\usepackage[fast=true,slow]{mymacros}"
    assert equations(document(head, r"\x"), mymacros_sty=KEYVAL) == ["steady"]


def test_options_are_handed_on() -> None:
    own = r"\DeclareOption*{\PassOptionsToPackage{\CurrentOption}{mymacros}}\ProcessOptions"
    head = r"\documentclass[fast]{mybook}\usepackage{mymacros}"
    assert equations(document(head, r"\x"), mybook_cls=own, mymacros_sty=PLAIN) == ["quick"]
    own = r"\ProcessOptions\RequirePackageWithOptions{mymacros}"
    head = r"\documentclass{article}\usepackage[fast]{outer}"
    assert equations(document(head, r"\x"), outer_sty=own, mymacros_sty=PLAIN) == ["quick"]


def test_the_order_of_options_is_that_of_their_declarations_unless_starred() -> None:
    declared = r"\DeclareOption{a}{\def\x{a}}\DeclareOption{b}{\def\x{b}}\ProcessOptions"
    head = r"\documentclass{article}\usepackage[b,a]{mymacros}"
    assert equations(document(head, r"\x"), mymacros_sty=declared) == ["b"]
    assert equations(document(head, r"\x"), mymacros_sty=declared + "*") == ["a"]


def test_what_is_loaded_can_be_asked_for() -> None:
    style = (
        r"\@ifpackageloaded{amsmath}{\def\x{a}}{\def\x{b}}"
        r"\@ifpackagewith{babel}{english}{\def\y{c}}{\def\y{d}}"
    )
    head = r"\documentclass{article}\usepackage[english]{babel}\usepackage{%smymacros}"
    assert equations(document(head % "amsmath,", r"\x\y"), mymacros_sty=style) == ["ac"]
    assert equations(document(head % "", r"\x\y"), mymacros_sty=style) == ["bc"]


def test_packages_of_one_command_are_read_in_order() -> None:
    head = r"\documentclass{article}\usepackage{first,second}"
    found = equations(
        document(head, r"\x"), first_sty=r"\newcommand\x{1}", second_sty=r"\renewcommand\x{2}"
    )
    assert found == ["2"]


def test_a_group_left_open_in_a_style_undoes_nothing() -> None:
    style = r"\begingroup\makeatletter { \newcommand\x{1}"
    head = r"\documentclass{article}\usepackage{mymacros}\newcommand\y{2}"
    text = document(head, r"\x\y") + r" } \[ \x\y \]"
    assert equations(text.replace(r"\end{document}", ""), mymacros_sty=style) == ["12", "12"]


def test_scopes_are_clean_where_the_document_begins() -> None:
    text = r"\documentclass{article} {\newcommand\x{1} \begin{document} \[ \x \] } \[ \x \]"
    assert equations(text) == ["1", "1"]


def test_a_file_leaves_as_many_groups_open_as_it_found() -> None:
    main = r"{\def\x{1} \input{part} \[ \x \]} \[ \x \]"
    assert equations(r"\def\x{0}" + main, part_tex=r"} } \[ \x \]") == ["1", "1", "0"]
    assert equations(r"\def\x{0}" + main, part_tex=r"{ \def\x{2} {") == ["2", "0"]


def test_options_write_no_prose() -> None:
    head = r"\documentclass{article}\usepackage[fast]{mymacros}"
    files = project(document(head, "x"), mymacros_sty=PLAIN + KEYVAL)
    pieces = read(Article("a", "", "main.tex", files))
    assert [p.text.strip() for p in pieces if isinstance(p, Prose)] == ["Text."]
