"""Prefixes: LaTeX that is not finished yet."""

import pytest

from topiceq.article.equation.rules import SPECIAL
from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError
from topiceq.tasks.generate import read_prefix

TOKENS = Vocab(
    [*SPECIAL, *"abcfimnLRxy12=()[]{}^_+-&,.'", "\\\\", "\\frac", "\\sqrt", "\\hat", "\\mathrm",
     "\\mathbb", "\\left(", "\\left\\|", "\\prime", "\\sum", "\\in", "\\begin{pmatrix}",
     "\\begin{array}", "\\end{array}", "\\end{pmatrix}", "\\right)", "\\right."]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ""),
        ("L =", "L ="),
        ("$L=$", "L ="),
        ("$L=", "L ="),
        (r"\[ L", "L"),
        ("x_1", "x _ { 1 }"),
        ("x^", "x ^ {"),
        ("x^{2", "x ^ { 2"),
        ("f'(x", r"f ^ { \prime } ( x"),
        (r"\frac", r"\frac"),
        (r"1\frac", r"1 \frac {"),
        (r"\frac{1", r"\frac { 1"),
        (r"\frac12", r"\frac { 1 } { 2 }"),
        (r"\frac { 1 } {", r"\frac { 1 } {"),
        (r"\frac{1}{\frac{2", r"\frac { 1 } { \frac { 2"),
        (r"{a \over", r"\frac { a } {"),
        (r"\sqrt[n]{", r"\sqrt [ n ] {"),
        (r"\left( \sum_{i=1}^n", r"\left( \sum _ { i = 1 } ^ { n }"),
        (r"\sqrt [ n", r"\sqrt [ n"),
        ("2 { ( x + y )", "2 { ( x + y )"),
        (r"\begin{array} { c", r"\begin{array} { c"),
        (r"\begin{pmatrix} a &", r"\begin{pmatrix} a &"),
        (r"\begin{pmatrix} a & b \\", r"\begin{pmatrix} a & b \\"),
        (r"\text{if", r"\mathrm { i f"),
        ("x = 1.", "x = 1 ."),
        (r"\newcommand{\R}{\mathbb{R}} x \in \R", r"x \in \mathbb { R }"),
        (r"\newcommand{\norm}[1]{\left\|#1\right\|} \norm{x", r"\left\| x"),
    ],
)
def test_a_prefix_is_the_beginning_of_a_normal_form(text: str, tokens: str) -> None:
    prefix = read_prefix(text, TOKENS)
    assert prefix.latex == tokens
    assert [TOKENS[i] for i in prefix.ids] == tokens.split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x}", "The prefix 'x}' cannot be completed: '}' closes nothing, behind 'x'."),
        (r"\right)", r"'\right' closes nothing."),
        ("x^2_", "lower scripts come before upper ones."),
        ("x^^", "cannot be completed"),
        (r"x \\ y", r"The prefix 'x \\ y' cannot be completed"),
        (r"\foo =", r"This run does not know '\foo'. Give a prefix without it."),
    ],
)
def test_what_cannot_be_completed_is_refused(text: str, message: str) -> None:
    with pytest.raises(QuestionError) as error:
        read_prefix(text, TOKENS)
    assert message in str(error.value)
