"""How TeX takes arguments, and how parameters are declared."""

import pytest
from expanding import expand

from topiceq.article.macros.tokens import (
    ARGUMENT_LIMIT,
    FALSE,
    NO_VALUE,
    PATIENCE,
    SHORT_OF_PATIENCE,
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
from topiceq.article.tex import FILE_END, Runaway, lex


def rest(x: Tokens) -> str:
    return "".join(reversed(x.stack))


def test_an_argument_is_a_group_or_one_token() -> None:
    x = Tokens(lex(r" {a{b}c} \alpha xyz"))
    assert [x.argument(), x.argument(), x.argument()] == [
        ["a", "{", "b", "}", "c"], ["\\alpha"], ["x"],
    ]  # fmt: skip
    assert rest(x) == "yz"


def test_an_argument_is_found_behind_comments_and_one_line_end() -> None:
    assert Tokens(["%\n", "\n  ", "  x"]).argument() == ["x"]


@pytest.mark.parametrize("source", ["", "}", "{a", "\n\n{a}", FILE_END])
def test_an_argument_that_is_not_there_leaves_everything(source: str) -> None:
    x = Tokens([source] if source == FILE_END else lex(source))
    with pytest.raises(Runaway):
        x.argument()
    assert rest(x) == source


def test_arguments_do_not_reach_into_the_next_file() -> None:
    x = Tokens(["{", "a", FILE_END, "}"])
    with pytest.raises(Runaway):
        x.argument()
    assert x.stack[::-1] == ["{", "a", FILE_END, "}"]


def test_optional_arguments_nest_and_protect_braces() -> None:
    x = Tokens(lex("[a[b]{]}c]d"))
    assert x.optional() == ["a", "[", "b", "]", "{", "]", "}", "c"]
    assert x.optional() is None
    assert rest(x) == "d"


@pytest.mark.parametrize("source", ["[0,1)", "[a}]", "[a\n\nb]", "[{a]"])
def test_a_bracket_that_does_not_close_is_no_argument(source: str) -> None:
    x = Tokens(lex(source))
    assert x.optional() is None
    assert rest(x) == source


def test_ordinary_characters_enclose_too() -> None:
    x = Tokens(lex("a(b{)}c)d)e"))
    assert x.between("(", ")") == ["a", "(", "b", "{", ")", "}", "c", ")", "d"]
    x = Tokens(lex(r"a \) b|c"))
    assert x.between("|", "|") == ["a ", "\\)", " b"]
    assert rest(x) == "c"


def test_a_delimited_argument_ends_at_its_delimiter_outside_braces() -> None:
    x = Tokens(lex(r"a;b{\end;}\end;c"))
    assert x.delimited(["\\end", ";"]) == ["a;b", "{", "\\end", ";", "}"]
    assert rest(x) == "c"


def test_a_delimiter_may_be_white_space_or_several_characters() -> None:
    assert Tokens(lex("ab\n c")).delimited([" "]) == ["ab"]
    x = Tokens(lex("a=b=>c"))
    assert "".join(x.delimited(["=", ">"])) == "a=b"
    assert rest(x) == "c"


def test_the_braces_of_a_delimited_argument_that_is_one_group_go() -> None:
    assert Tokens(lex("{a;b};")).delimited([";"]) == ["a;b"]
    assert Tokens(lex("{a}{b};")).delimited([";"]) == ["{", "a", "}", "{", "b", "}"]


def test_a_missing_delimiter_leaves_everything() -> None:
    x = Tokens(lex("abc{;}"))
    with pytest.raises(Runaway):
        x.delimited([";"])
    assert rest(x) == "abc{;}"


def test_take_takes_a_character_or_a_control_sequence() -> None:
    x = Tokens(lex(r" *a\big(") + ["\\"])
    assert x.take("*") and not x.take("*") and x.take("a")
    assert x.take("\\big") and not x.take("\\big")
    assert rest(x) == "(\\"


def test_take_all_takes_everything_or_nothing() -> None:
    x = Tokens(lex(r"ab  \c d"))
    assert not x.take_all(["a", "b", "\\c"])
    assert x.take_all(["a", "b", " ", "\\c"])
    assert rest(x) == " d"
    assert x.take_all([]) and not x.take_all([" ", "d", "e"])


def test_reading_in_vain_costs_patience_and_then_length() -> None:
    x = Tokens(["{", *"x" * 1_000])
    for _ in range(3):
        with pytest.raises(Runaway):
            x.argument()
    assert x.patience == PATIENCE - 3_000
    x.patience = 0
    x.push(["{", *"x" * SHORT_OF_PATIENCE, "}"])
    with pytest.raises(Runaway):
        x.argument()


def test_a_huge_argument_is_no_argument() -> None:
    x = Tokens(["{"] + ["x"] * ARGUMENT_LIMIT + ["}"])
    with pytest.raises(Runaway):
        x.argument()
    assert len(x.stack) == ARGUMENT_LIMIT + 2


def test_name_is_the_argument_as_text() -> None:
    assert Tokens(lex("{ my file\n}")).name() == "my file"


# -- Parameters: declared in three ways, read from what follows -----------------------------------


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


def test_the_token_of_a_test_may_stand_in_braces() -> None:
    assert specified(lex("t{/} m")) == specified(lex("t/ m"))


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
