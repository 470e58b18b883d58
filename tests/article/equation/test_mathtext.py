"""Text inside equations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.mathtext import PLAIN, Style, as_math
from topiceq.article.equation.normal import parse, to_latex


@pytest.mark.parametrize(
    ("latex", "tokens"),
    [
        (r"\text{if $x$ is odd}", r"\mathrm { i f } x \mathrm { i s ~ o d d }"),
        (r"\text{if \(x\)}", r"\mathrm { i f } x"),
        (r"\text{  two   words }", r"\mathrm { t w o ~ w o r d s }"),
        (r"\text{a\ b~c\quad d\\e}", r"\mathrm { a ~ b ~ c ~ d ~ e }"),
        (r"\textbf{b}\textit{i}\texttt{t}\textsf{s}", (
            r"\mathbf { b } \mathit { i } \mathtt { t } \mathsf { s }")),
        (r"\text{a \textbf{b} c}", r"\mathrm { a } \mathbf { b } \mathrm { c }"),
        (r"\text{a {\bf b} c}", r"\mathrm { a } \mathbf { b } \mathrm { c }"),
        (r"\text{a{b}c}", r"\mathrm { a b c }"),
        (r"\hbox{\sc word 2}\textsc{ab}", r"\mathrm { W O R D ~ 2 } \mathrm { A B }"),
        (r"\mbox{\boldmath$u$}", r"\boldsymbol { u }"),
        (r"\mbox{\boldmath{$u$} v}", r"\boldsymbol { u } \mathrm { v }"),
        (r"\text{G\"odel, It\^{o}, Voil\`a}", (
            r"\mathrm { G \ddot { o } d e l , ~ I t \hat { o } , ~ V o i l \grave { a } }")),
        ("\\text{Gödel}", r"\mathrm { G \ddot { o } d e l }"),
        (r"\text{don't ``say'' it}", r"\mathrm { d o n ^ { \prime } t ~ s a y ~ i t }"),
        (r"\text{non--zero}", r"\mathrm { n o n \text{-} z e r o }"),
        (r"\text{a 2-norm}", r"\mathrm { a ~ 2 \text{-} n o r m }"),
        (r"\text{-1 or 3-1}", r"\mathrm { - 1 ~ o r ~ 3 - 1 }"),
        (r"x\text{-axis}", r"x \mathrm { - a x i s }"),
        (r"k\text{-}x", r"k \text{-} x"),
        (r"\text{5\% \& \$2 a\_b}", r"\mathrm { 5 \% ~ \& ~ \$ 2 ~ a \_ b }"),
        (r"\text{Stra\ss e}", r"\mathrm { S t r a \ss e }"),
        (r"\text{by Lemma~\ref{a_b}}", r"\mathrm { b y ~ L e m m a }"),
        (r"\text{a\footnote{b} c\hskip 1em d}", r"\mathrm { a ~ c ~ d }"),
        (r"\hbox{\the\scriptfont0 1}/2", r"\mathrm { 1 } / 2"),
        (r"\text{, }", ""),
        (r"a\text{, }b", "a , b"),
        (r"\text{...}x", r"\ldots x"),
        (r"\text{\alpha_i is}", r"\alpha _ { i } \mathrm { i s }"),
        (r"\text{\vec{h} is}", r"\vec { h } \mathrm { i s }"),
        (r"\text{\underline{so $x$}}", r"\underline { \mathrm { s o } x }"),
        (r"\text{if $x \text{ and } y$}", r"\mathrm { i f } x \mathrm { a n d } y"),
        (r"\text{$a \over b$}", r"\frac { a } { b }"),
        (r"\text{$a}", "a"),
        (r"\text{}x", "x"),
        (r"\text{LaTeX: \LaTeX}", r"\mathrm { L a T e X : ~ L a T e X }"),
    ],
)  # fmt: skip
def test_text_in_an_equation(latex: str, tokens: str) -> None:
    assert " ".join(parse(latex)) == tokens
    assert " ".join(parse(tokens)) == tokens
    assert parse(to_latex(parse(latex))) == tokens.split()


def test_a_style_is_taken_over_into_groups() -> None:
    assert as_math(["{", "a", "}"], Style("\\mathbf", capitals=True)) == [
        "{", "\\mathbf", "{", "A", "}", "}",
    ]  # fmt: skip


PIECES = st.sampled_from(
    ["a", "B", "1", " ", "~", "-", "'", ",", "$", "{", "}", "^", "_", "\\(", "\\)", "\\bf", "\\sc",
     "\\textbf", "\\'", "\\ss", "\\%", "\\ref", "\\hskip", "\\boldmath", "\\underline", "\\alpha",
     "\\frac", "\\text", "\\unknown", "&", "#", '"', "`", "[", "]"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20))
def test_any_text_is_balanced_mathematics(pieces: list[str]) -> None:
    depth, tokens = 0, []
    for piece in pieces:  # what comes from a group is balanced
        if piece == "}" and depth == 0:
            continue
        depth += (piece == "{") - (piece == "}")
        tokens.append(piece)
    found = as_math([*tokens, *["}"] * depth], PLAIN)
    assert found[0] == "{" and found[-1] == "}"
    assert found.count("{") == found.count("}")
    try:
        parse(r"\text{" + " ".join(tokens) + "}" * depth + "}")
    except NotNormal:
        pass
