"""Questions as users type them."""

import numpy as np
import pytest

from topiceq.article.equation.rules import SPECIAL, UNK
from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError
from topiceq.model.run import Run
from topiceq.questions import Generate
from topiceq.tasks.doubts import doubts
from topiceq.tasks.read import read_context, read_rows, read_theta

TOKENS = Vocab([*SPECIAL, *"abcxyzE=m2{}^_+1", "\\alpha", "\\frac", "\\mathbb"])
WORDS = Vocab(["energy", "field", "non-linear", "temperature"])


@pytest.mark.parametrize(
    "text",
    [
        "x^2 = 1",
        "$x^2 = 1$",
        "$x^2 = 1$.",
        "$$x^2=1,$$",
        r"\(x^2 = 1\)",
        r"\[ x^{2} = 1 \]",
        r"\begin{equation} \label{a} x^2 = 1 \end{equation}",
        r"\begin{equation*}x^2 = 1.\end{equation*}",
        r"\begin{align} x^2 &= 1 \end{align}",
        r"\begin{alignat}{2} x^2 &= 1 \end{alignat}",
        r"\newcommand{\sq}[1]{#1^2} \sq{x} = 1",
        "\\def\\one{1}\n\n\\newcommand\\q{x}\n\\[ \\q^2 = \\one \\]",
        "x² = 1 % Unicode",
        "x^2 = 1\n",
        "\n\n  $x^2 = 1$ \n\n",
    ],
)
def test_one_equation_in_all_its_wrappings(text: str) -> None:
    (equation,) = read_rows(text, TOKENS)
    assert equation.latex == "x ^ { 2 } = 1"
    assert [TOKENS[i] for i in equation.ids] == list(equation.tokens)


def test_what_the_run_does_not_know_is_unk() -> None:
    (equation,) = read_rows(r"x = \beta", TOKENS)
    assert equation.tokens == ("x", "=", r"\beta")
    assert equation.ids == (TOKENS.index("x"), TOKENS.index("="), UNK)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The equation is empty. Give LaTeX"),
        ("$ $", "The equation is empty"),
        (r"\newcommand{\E}{E}", "The equation is empty"),
        ("x^{2", "does not parse: '{' is not closed, behind 'x^{2'. Mend the LaTeX there."),
        ("x^{2}} = 1", "does not parse: '}' closes nothing, behind 'x^{2}'."),
        ("x^2^3 + y", "does not parse: '^' cannot stand, behind 'x^2'."),
        (r"1 + \frac{1}", r"does not parse: something is missing, behind '1 + \frac{1}'."),
        (r"\left( x", r"does not parse: '\left' is not closed, behind '\left( x'."),
        (r"\begin{matrix} x", r"'\begin{matrix}' is not closed"),
        (r"\begin{equation} x \end{align}", r"'\end{align}' closes nothing"),
        (r"The $x$ is", "'$' cannot stand, behind 'The'."),
        (r"\frac{\left( a \\ b \right)}{x}", "The equation breaks lines inside braces."),
        (r"x = 1 \\ y^2^3 \\ z = 2", "does not parse: '^' cannot stand, behind 'x = 1 \\\\ y^2'."),
        (r"x = 1 \\ y^{2", "does not parse: '{' is not closed, behind 'x = 1 \\\\ y^{2'."),
        (r"\foo \\ \baz", r"does not know any token of the equation '\foo \\ \baz'."),
        (r"\begin{tikzcd} a \arrow[r] & b \end{tikzcd}", "This is a diagram or a table"),
        (r"\def\a{\a x}\a", "one of its macros uses itself"),
        (r"\foo{\baz}", r"does not know any token of the equation '\foo { \baz }'."),
        ("ж", "does not know any token of the equation 'ж'."),
        ("x+" * 5_206, "The equation has 10,412 tokens; at most 2,000 are read."),
        ("x " * 30_000, "The equation has 30,000 tokens; at most 2,000 are read."),
    ],
)
def test_what_is_no_equation_is_refused(text: str, message: str) -> None:
    with pytest.raises(QuestionError) as error:
        read_rows(text, TOKENS)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (r"x = 1 \\ y = 2", ["x = 1", "y = 2"]),
        (r"\[ x &= 1 \\ &= 2, \\ y &= 2. \]", ["x = 1 = 2", "y = 2"]),
        (r"\begin{align} x &= 1 & y &= 2 \end{align}", ["x = 1", "y = 2"]),
        (r"\begin{alignat}{2} x &= 1 \\ y &= 2 \end{alignat}", ["x = 1", "y = 2"]),
        (r"\begin{multline*} x \\ = 1 \\ y \end{multline*}", ["x = 1 y"]),
        (r"$$\begin{aligned} x &= 1 \\ y &= 2 \end{aligned}$$", ["x = 1", "y = 2"]),
        (r"\left( x \\ + 1 \right) = 2", [r"\left( x + 1 \right) = 2"]),
        (r"= 1 \\ + x", ["= 1 + x"]),
        (r"x = \begin{aligned} a = b \\ c = 1 \end{aligned}", ["x = a = b c = 1"]),
        (r"x = 1 & \text{a} \ ", [r"x = 1 \mathrm { a }"]),
    ],
)
def test_several_rows_are_as_many_equations(text: str, rows: list[str]) -> None:
    assert [equation.latex for equation in read_rows(text, TOKENS)] == rows


def test_a_context_is_counted_by_the_rules_of_the_corpus() -> None:
    text = r"The \emph{Energy} of a non-linear field $x = energy$: energy's 5% of \(field\) fields."
    counts = read_context(text + r" \begin{equation} field \end{equation} Temperature!", WORDS)
    assert counts.shape == (1, 4)
    assert counts.toarray().tolist() == [[2, 1, 1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The context is empty. Give a few sentences"),
        (" \n", "The context is empty"),
        ("Über жж 日本", "This run does not know any word of the context 'Über жж 日本'."),
        ("$energy$", "does not know any word"),
        ("wor\0d", "does not know any word"),
    ],
)
def test_a_context_without_known_words_is_refused(text: str, message: str) -> None:
    with pytest.raises(QuestionError) as error:
        read_context(text, WORDS)
    assert message in str(error.value)


def test_a_topic_a_mixture_and_an_array_are_theta(run: Run) -> None:
    assert read_theta(2, run).tolist() == [0, 0, 1, 0]
    assert read_theta(np.int64(2), run).tolist() == [0, 0, 1, 0]
    assert read_theta({0: 0.25, 3: 0.75}, run).tolist() == [0.25, 0, 0, 0.75]
    assert read_theta([0.5, 0.5, 0, 0], run).tolist() == [0.5, 0.5, 0, 0]
    assert read_theta(np.full(4, 0.25), run).dtype == np.float32


def test_a_mixture_that_does_not_sum_to_1_is_normalised_and_said(run: Run) -> None:
    assert read_theta({0: 1, 1: 3}, run).tolist() == [0.25, 0.75, 0, 0]
    told = ["The weights of theta sum to 4; they were divided by that."]
    assert doubts(Generate(theta={0: 1, 1: 3}), run) == told


@pytest.mark.parametrize(
    ("theta", "message"),
    [
        (120, "Topic 120 does not exist. This run has topics 0 to 3."),
        (-1, "Topic -1 does not exist."),
        ({4: 1.0}, "Topic 4 does not exist."),
        ([0.5, 0.5], "theta has 2 weights. This run has 4 topics."),
        (np.ones((2, 4)), "theta has 2 x 4 weights."),
        ([1, -0.5, 0, 0.5], "theta has a weight of -0.5. Weights are numbers from 0 up."),
        ([1, float("nan"), 0, 0], "theta has a weight of nan."),
        ({0: float("inf")}, "theta has a weight of inf."),
        ({0: 0.0}, "theta is zero everywhere. Give at least one topic a weight."),
        ({}, "theta is zero everywhere."),
    ],
)
def test_what_is_no_theta_is_refused(theta: object, message: str, run: Run) -> None:
    with pytest.raises(QuestionError) as error:
        read_theta(theta, run)  # type: ignore[arg-type]
    assert message in str(error.value)
