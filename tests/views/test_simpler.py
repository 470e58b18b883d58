"""LaTeX as authors write it -> LaTeX that math-core reads."""

import pytest

from topiceq.views.mathml import how_drawn, mathml
from topiceq.views.simpler import simpler

WRITTEN = [
    (r"a \\[-0pt] b", r"a \\  b"),
    (r"a \\*[2pt] [0,1]", r"a \\  [0,1]"),
    (r"a \\ [x]", r"a \\ {}[x]"),
    (r"\left< x \right>", r"\left\langle  x \right\rangle "),
    (r"\mleft( x \mright)", r"\left( x \right)"),
    (r"\bigg{[} x", r"\bigg[ x"),
    (r"x \Bigr. y", "x  y"),
    (r"\scalebox{0.5}[2]{$x$}", "{{x}}"),
    (r"\resizebox{1pt}{!}{if}", r"{\text{if}}"),
    (r"\mbox{\it if}", r"{\textit{if}}"),
    (r"\mbox{\textnormal{sup}}F", r"{\text{sup}}F"),
    (r"\text{Erd\H{o}s \& R\'enyi, 5\%}", "{\\text{Erdős\xa0\\&\xa0Rényi,\xa05\\%}}"),
    (r"\text{for $x \in \mathbf{R}$}", "{\\text{for\xa0}{x \\in \\mathbf{R}}}"),
    (r"\mbox{by \eqref{a}}", "{\\text{by\xa0…}}"),
    (r"\mathop{\rm e}\nolimits^x", r"\operatorname{e}^x"),
    (r"\mathop{\rm arg\,max}_x", r"\operatorname*{arg\,max}_x"),
    (r"\mathop{a+b}\limits_x", r"{\underset{x}{a+b}}"),
    (r"\operatorname{{}_2F_1}", "{{}_2F_1}"),
    (r"\sum\limits_i x\limits", r"\sum\limits_i x"),
    (r"x \label{a} \tag{3} \nonumber", "x   "),
    (r"x \tag{by induction}", "x \\qquad{\\text{(by\xa0induction)}}"),
    (r"\begin{smallmatrix} a \end{smallmatrix}", r"{\scriptstyle \begin{matrix} a \end{matrix}}"),
    (r"\begin{array}[t]{*{2}{c|}@{}p{3cm}} a \end{array}", r"\begin{array}{c|c|l} a \end{array}"),
    (r"\begin{alignedat}{2} a \end{alignedat}", r"\begin{aligned} a \end{aligned}"),
    (r"\rule[-1pt]{1pt}{2pt}x", "x"),
    (r"\mathchoice{a}{b}{c}{d}", "{a}"),
    (r"\textcolor{red}{x} \color{blue} y", "{x}  y"),
    (r"90\degr < M_\sun", r"90\degree < M_\odot"),
    (r"\not{x} \not= y \not\xrightarrow{d}", r"\cancel{x} \not= y \xrightarrow{d}"),
]


@pytest.mark.parametrize(("written", "read"), WRITTEN)
def test_commands_are_rewritten(written: str, read: str) -> None:
    assert simpler(written) == read


@pytest.mark.parametrize("written", [written for written, _ in WRITTEN])
def test_what_is_rewritten_is_drawn(written: str) -> None:
    rows = f"\\begin{{aligned}} {written} \\end{{aligned}}"
    assert how_drawn(rows) == "drawn", simpler(rows)


def test_formulas_of_nothing_but_openers_end() -> None:
    for written in (r"\text", r"\mbox{\text{\it", r"\left", r"\begin", r"\\[", r"\tag{$", r"\not"):
        mathml(written, display=True)
