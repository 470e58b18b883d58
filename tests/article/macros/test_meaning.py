"""Macros as data: bodies with places for arguments."""

from topiceq.article.macros.expander import Macro, parse_body
from topiceq.article.macros.tokens import Param
from topiceq.article.tex import lex


def test_a_body_knows_its_parameters() -> None:
    assert parse_body(lex("a#1b#2")) == ("a", 1, "b", 2)
    assert parse_body(lex("#12")) == (1, "2")


def test_doubled_marks_are_for_definitions_inside() -> None:
    assert parse_body(lex(r"\def\b##1{##1#1}")) == (
        "\\def", "\\b", "#", "1", "{", "#", "1", 1, "}",
    )  # fmt: skip


def test_marks_that_mean_nothing_stay() -> None:
    assert parse_body(lex("#x")) == ("#", "x")
    assert parse_body(lex("#0")) == ("#", "0")
    assert parse_body(["a", "#"]) == ("a",)


def test_a_parameter_that_was_not_declared_is_nothing() -> None:
    assert Macro.of((Param(),), lex("#1#2")).body == (1,)
    embellished = Macro.of((Param("e", ends=("^", "_")),), lex("#1#2#3"))
    assert embellished.body == (1, 2)


def test_replaced_is_the_body_backwards_with_its_arguments() -> None:
    macro = Macro.of((Param(), Param()), lex(r"\x#2+#1y#2"))
    args = [["a"], ["b", "c"]]
    assert macro.replaced(args)[::-1] == ["\\x", "b", "c", "+", "a", "y", "b", "c"]
    assert macro.length(args) == 8


def test_macros_are_equal_by_what_they_mean() -> None:
    assert Macro.of((), lex("ab")) == Macro((), ("ab",))
    assert Macro.of((Param(),), lex("#1")) != Macro.of((), lex("#1"))
