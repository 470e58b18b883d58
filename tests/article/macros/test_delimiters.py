r"""Paired delimiters: plain, with a star, with a size."""

from expanding import expand


def test_plain_delimiters_do_not_grow() -> None:
    source = r"\DeclarePairedDelimiter\abs{\lvert}{\rvert}"
    assert expand(source + r"\abs{x}") == r"\lvert x\rvert"
    assert expand(source + r"\abs*{x}") == r"\left\lvert x\right\rvert"
    assert expand(source + r"\abs[\big]{x}") == r"\bigl\lvert x\bigr\rvert"
    assert expand(source + r"\abs[huge]{x}") == r"\lvert x\rvert"


def test_delimiters_around_a_body() -> None:
    source = r"\DeclarePairedDelimiterX\set[2]{\{}{\}}{#1\delimsize\vert#2}"
    assert expand(source + r"\set{a}{b}") == r"\{a\vert b\}"
    assert expand(source + r"\set*{a}{b}") == r"\left\{a\middle\vert b\right\}"
    assert expand(source + r"\set[\Big]{a}{b}") == r"\Bigl\{a\Big\vert b\Bigr\}"


def test_delimiters_with_text_before_and_behind() -> None:
    source = r"\DeclarePairedDelimiterXPP\E[2]{\mathbb{E}_{#1}}{[}{]}{^{#1}}{#2}"
    assert expand(source + r"\E{p}{x}") == r"\mathbb{E}_{p}[x]^{p}"
    assert expand(source + r"\E*{p}{x}") == r"\mathbb{E}_{p}\left[x\right]^{p}"


def test_a_missing_delimiter_is_a_dot_where_it_grows() -> None:
    source = r"\DeclarePairedDelimiter\at{.}{\vert}\DeclarePairedDelimiter\to{}{)}"
    assert expand(source + r"\at*{x}") == r"\left.x\right\vert"
    assert expand(source + r"\to{x}\to*{x}\to[\big]{x}") == r"x)\left.x\right)x\bigr)"


def test_arguments_nest() -> None:
    source = r"\DeclarePairedDelimiter\n{\|}{\|}\n*{x+\n{y}}"
    assert expand(source) == r"\left\|x+\|y\|\right\|"


def test_a_declaration_that_breaks_off_declares_nothing() -> None:
    assert expand("\\DeclarePairedDelimiter\\a{(}\n\n\\a") == r"\a"
