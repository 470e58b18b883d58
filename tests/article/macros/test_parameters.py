"""Parameters: declared in three ways, read from what follows."""

import pytest
from expanding import expand

from topiceq.article.macros.tokens import (
    FALSE,
    NO_VALUE,
    TRUE,
    Param,
    Tokens,
    arguments,
    counted,
    number,
    parameter_text,
    specified,
    with_defaults,
)
from topiceq.article.tex import Runaway, lex


def read(letters: str, source: str) -> list[str]:
    """What xparse's letters read from a source."""
    return ["".join(each) for each in arguments(Tokens(lex(source)), specified(lex(letters)))]


def test_newcommand_counts_its_parameters() -> None:
    assert counted(Tokens(lex("[2]x"))) == (Param(), Param())
    first, second = counted(Tokens(lex("[2][a b]x")))
    assert (first.kind, first.default, second) == ("o", ("a b",), Param())
    assert counted(Tokens(lex("{x}"))) == ()


def test_counts_are_limited() -> None:
    assert number(lex("12345678901")) == 9
    assert number(lex("-3")) == 0
    assert number(None) == 0
    with pytest.raises(ValueError):
        number(lex("two"))


def test_newcommandx_names_its_defaults() -> None:
    kinds = [(p.kind, p.default) for p in with_defaults(Tokens(lex("[3][1=a, 3={b,c}]")))]
    assert kinds == [("o", ("a",)), ("m", (NO_VALUE,)), ("o", ("{", "b,c", "}"))]


def test_the_parameter_text_of_def() -> None:
    prefix, params = parameter_text(Tokens(lex(r"(#1,#2\end{x}")))
    assert prefix == ("(",)
    assert [p.ends for p in params] == [(",",), ("\\end",)]
    assert parameter_text(Tokens(lex("#1#2{x}"))) == ((), (Param(), Param()))


def test_a_parameter_text_must_end_soon() -> None:
    with pytest.raises(Runaway):
        parameter_text(Tokens(lex(r"\x" * 100 + "{}")))
    with pytest.raises(Runaway):
        parameter_text(Tokens(lex("#1")))


@pytest.mark.parametrize(
    ("letters", "source", "found"),
    [
        ("m m", "{a}b", ["a", "b"]),
        ("o m", "[a]b", ["a", "b"]),
        ("o m", "b", [NO_VALUE, "b"]),
        ("O{x} m", "b", ["x", "b"]),
        ("s m", "*a", [TRUE, "a"]),
        ("s m", "a", [FALSE, "a"]),
        ("t+ m", "+a", [TRUE, "a"]),
        (r"t\big m", r"\big a", [TRUE, "a"]),
        ("d() m", "(x(y))a", ["x(y)", "a"]),
        ("d() m", "a", [NO_VALUE, "a"]),
        ("D<>{x} m", "a", ["x", "a"]),
        ("D<>{x} m", "<y>a", ["y", "a"]),
        ("d|| m", "|x|a", ["x", "a"]),
        ("g g", "{a}b", ["a", NO_VALUE]),
        ("G{x}", "", ["x"]),
        ("u; m", "ab;c", ["ab", "c"]),
        ("l m", "ab{c}", ["ab", "c"]),
        ("e{^_} m", "_a^bc", ["b", "a", "c"]),
        ("e{^_} m", "_ab", [NO_VALUE, "a", "b"]),
        ("+m !o", "{a}[b]", ["a", "b"]),
        (r">{\SplitList{,}}m", "{a,b}", ["a,b"]),
    ],
)
def test_the_letters_of_xparse(letters: str, source: str, found: list[str]) -> None:
    assert read(letters, source) == found


def test_unknown_letters_are_passed_over_and_nine_are_enough() -> None:
    assert specified(lex("m ? m")) == (Param(), Param())
    assert len(specified(lex("m" * 20))) == 9


def test_the_body_of_an_environment_is_an_argument() -> None:
    x = Tokens(lex(r"{t} x^2 \end{box} y"))
    found = arguments(x, specified(lex("m +b"), "box"))
    assert ["".join(each) for each in found] == ["t", " x^2 "]
    assert "".join(reversed(x.stack)) == r"\end{box} y"


def test_all_kinds_together() -> None:
    command = (
        r"\NewDocumentCommand\f{s m o O{d} t+ d() g e{_^}}{"
        r"\IfBooleanTF{#1}{S}{N}|#2|\IfNoValueTF{#3}{-}{#3}|#4|\IfBooleanT{#5}{P}|#6|#7|#8|#9.}"
    )
    assert expand(command + r"\f*{m}[o][O]+(d){g}^u_l") == "S|m|o|O|P|d|g|l|u."
    assert expand(command + r"\f m") == "N|m|-|d|||||."
