"""Arguments taken from a stack of tokens."""

import pytest

from topiceq.article.macros.tokens import ARGUMENT_LIMIT, PATIENCE, SHORT_OF_PATIENCE, Tokens
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
