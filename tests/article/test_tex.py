"""Cleaning, lexing and joining TeX source."""

from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.tex import RUN, clean, is_blank_line, is_letters, join, lex, split, units

SOURCE = st.text(st.sampled_from(list("ab1 \\{}[]$&~^_#%\n@é−")), max_size=60)


def test_comments_are_emptied_and_lines_kept() -> None:
    assert clean("a % say\nb \\% c\\\\% d\ne") == "a %\nb \\% c\\\\%\ne"


def test_verbatim_text_is_hidden_and_lines_kept() -> None:
    source = "a\n\\begin{verbatim}\n\\[ x % \\end{verb}\n\\end{verbatim} b"
    assert clean(source) == "a\n%\n%\n\\relax  b"


def test_a_sentence_around_verbatim_text() -> None:
    listing = "\n\\begin{verbatim}\nx\n\\end{verbatim}\n"
    assert clean(f"Use{listing}to go.") == "Use\n%\n%\n… \nto go."
    assert clean(f"It is:{listing}to go.") == "It is:\n%\n%\n\\relax \nto go."
    assert clean(f"It is{listing}The end.") == "It is\n\n\n\\relax \nThe end."
    comment = listing.replace("verbatim", "comment")
    assert clean(f"Use{comment}to go.") == "Use\n%\n%\n\\relax \nto go."


def test_a_commented_verbatim_hides_nothing() -> None:
    assert clean("% \\begin{comment}\nx\n% \\end{comment}") == "%\nx\n%"


def test_verbatim_that_never_ends_stays() -> None:
    assert clean("\\begin{verbatim} x % y") == "\\begin{verbatim} x %"


def test_short_verbatim_text_is_plain_and_addresses_are_hidden() -> None:
    assert clean(r"\verb|%$_| x \url{http://a/%7E} y") == r"\texttt{\%\$\_} x … y"
    assert clean(r"\lstinline!a%b! \href{http://a#%}{here}") == r"\texttt{a\%b} \relax {here}"


def test_tokens_are_control_sequences_special_characters_and_runs() -> None:
    assert lex(r"\frac12 {a b}^2\,$$\\") == [
        "\\frac", "12 ", "{", "a b", "}", "^", "2", "\\,", "$$", "\\\\",
    ]  # fmt: skip
    assert lex("\\") == ["\\"]


def test_line_ends_and_comments_are_tokens() -> None:
    assert lex("a\n  b%\n  c\n\nd") == ["a", "\n  ", "b", "%\n  ", "c", "\n\n", "d"]


def test_a_blank_line_behind_a_comment_is_one() -> None:
    tokens = lex(clean("a % comment\n\nb"))
    assert tokens == ["a ", "%", "\n\n", "b"]
    assert [is_blank_line(token) for token in tokens] == [False, False, True, False]


def test_the_at_sign_is_a_letter_but_not_in_xy_pictures() -> None:
    assert lex(r"\@foo \my@x") == ["\\@foo", " ", "\\my@x"]
    assert lex(r"\xymatrix@C=1em{\ar@{->}[r]}")[:2] == ["\\xymatrix", "@C=1em"]


def test_long_runs_are_cut() -> None:
    assert [len(run) for run in lex("x" * (RUN + 5))] == [RUN, 5]


@given(SOURCE)
def test_lexing_loses_nothing(source: str) -> None:
    assert "".join(lex(source)) == source


@given(SOURCE)
def test_what_is_joined_lexes_again(source: str) -> None:
    tokens = [token for token in lex(source) if token[0] != "%"]
    assert units(lex(join(tokens))) == [u for u in units(spaced(tokens))]


def spaced(tokens: list[str]) -> list[str]:
    """The tokens with the spaces that joining must add."""
    out: list[str] = []
    for token in tokens:
        if out and is_letters(out[-1]) and (token[0].isalpha() or token[0] == "@"):
            out.append(" ")
        out.append(token)
    return out


def test_join_puts_spaces_only_where_words_would_run_together() -> None:
    assert join(["\\alpha", "x", "\\beta", "2", "\\,", "y"]) == r"\alpha x\beta2\,y"
    assert join(["\x01\\alpha", "b", "%\n", "\x00", "c"]) == r"\alpha bc"


def test_split_keeps_groups_together() -> None:
    assert split(lex(r"a,{b,c}\d,,e")) == [["a"], ["{", "b,c", "}", "\\d"], [], ["e"]]
    assert split([]) == [[]]


def test_what_opens_again_and_again_and_never_ends_is_left_as_it_is() -> None:
    for piece in (r"\begin{verbatim}", r"\url{"):
        assert clean(piece * 20_000) == piece * 20_000
    assert clean(r"\verb|" * 20_000) == r"\texttt{\textbackslash{}verb}" * 10_000
    assert clean(r"\begin{comment} %" * 20_000) == r"\begin{comment} %"


def test_control_characters_are_dropped_behind_a_backslash_too() -> None:
    assert lex("a\0\\\0b\\\2 \1c") == ["a", "\\", "b", "\\", " ", "c"]
