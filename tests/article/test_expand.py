"""Articles without their author's macros: what is replaced, what stays, and how it is set."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from calling import call

import topiceq
from topiceq.article.expand import Expanded
from topiceq.errors import CorpusError

HEAD = r"\documentclass{article}\usepackage{amsmath,mathtools,xspace,alltt}"


def body(definitions: str, text: str, tmp_path: Path, **files: str) -> tuple[str, Expanded]:
    r"""What stands between \begin{document} and \end{document}."""
    for name, content in files.items():
        (tmp_path / name.replace("_", ".")).write_text(content)
    main = tmp_path / "main.tex"
    main.write_text(f"{HEAD}\n{definitions}\n\\begin{{document}}{text}\\end{{document}}\n")
    found = topiceq.expand(main)
    assert found.latex.startswith(f"{HEAD}\n{definitions}\n")
    return found.latex.split(r"\begin{document}")[1].split(r"\end{document}")[0], found


@pytest.mark.parametrize(
    ("definitions", "text", "expected"),
    [
        (r"\newcommand{\R}{\mathbb{R}}", r"$x\in\R^n$, \R", r"$x\in\mathbb{R}^n$, \mathbb{R}"),
        (r"\newcommand\pd[2][f]{\frac{#1}{#2}}", r"$\pd[g]{x} \pd y$",
         r"$\frac{g}{x} \frac{f}{y}$"),
        (r"\def\norm#1{\|#1\|}", r"$\norm{x}_2$", r"$\|x\|_2$"),
        (r"\def\at#1|{#1_0}", r"$\at x+y|$", r"$x+y_0$"),
        (r"\newcommand\a{\b\b}\newcommand\b{\alpha}", r"$\a x$", r"$\alpha\alpha x$"),
        (r"\def\be{\begin{equation}}\def\ee{\end{equation}}", r"\be x \ee",
         r"\begin{equation}x \end{equation}"),
        (r"\DeclareMathOperator{\tr}{tr}", r"$\tr A$", r"$\operatorname{tr}A$"),
        (r"\newcommand\etal{et al.\xspace}", r"A \etal say", r"A et al.\xspace say"),
        (r"\newcommand\dot[1]{#1\textbullet}", r"\dot{a} b", r"a\textbullet{} b"),
        # an argument without braces gets them: \hat takes one token
        (r"\newcommand\u{\mathbf u}", r"$\hat\u \frac \u2 \frac2\u \frac{a} \u x^\u \hat x\u$",
         r"$\hat{\mathbf u}\frac {\mathbf u}2 \frac2{\mathbf u}\frac{a} {\mathbf u}x^\mathbf u"
         r"\hat x\mathbf u$"),
        # what chooses is worked out in mathematics, and stays in text
        (r"\DeclarePairedDelimiter\abs{|}{|}", r"$\abs{x}$", r"$|x|$"),
        (r"\makeatletter\newcommand\E{\@ifstar\E@s\E@n}\newcommand\E@s[1]{S#1}"
         r"\newcommand\E@n[1]{N#1}\makeatother", r"$\E{x}\E*{y}$ \E{x}", r"$NxSy$ \E{x}"),
        (r"\newif\ifdraft\newcommand\note[1]{\ifdraft#1\fi}", r"\note{hm}", r"\note{hm}"),
        # what is shown as typed, comments, names
        (r"\newcommand\R{R}", "% \\R\n\\verb|\\R| \\begin{verbatim}\\R\\end{verbatim}",
         "% \\R\n\\verb|\\R| \\begin{verbatim}\\R\\end{verbatim}"),
        (r"\newcommand\R{R}\newenvironment{code}{\begin{alltt}}{\end{alltt}}",
         r"\begin{code}\R\end{code}", r"\begin{code}\R\end{code}"),
        (r"\newcommand\R{R}", r"\expandafter\R\ifx\R\Q\fi", r"\expandafter\R\ifx\R\Q\fi"),
        (r"\newcommand\code[1]{\lstinline{#1}}", r"\code{a_b}", r"\code{a_b}"),
        (r"\newcommand\pic[1]{\begin{tikzpicture}\draw #1;\end{tikzpicture}}", r"\pic{a}",
         r"\pic{a}"),
        # groups, and meanings that change
        (r"\newcommand\x{1}", r"{\renewcommand\x{2}\x}\x", r"{\renewcommand\x{2}2}1"),
        (r"\let\eps\varepsilon", r"$\eps$", r"$\varepsilon$"),
        (r"\let\old\phi\let\phi\varphi\let\varphi\old", r"$\phi$", r"$\phi$"),
    ],
)  # fmt: skip
def test_what_is_replaced(definitions: str, text: str, expected: str, tmp_path: Path) -> None:
    assert body(definitions, text, tmp_path)[0] == expected


def test_files_that_are_read(tmp_path: Path) -> None:
    files = {"macros_tex": r"\newcommand{\R}{\mathbb{R}}", "own_sty": r"\newcommand\Q{\mathbb{Q}}",
             "part_tex": "$\\R\\Q$\n"}  # fmt: skip
    (tmp_path / "own.sty").write_text(files["own_sty"])
    text, found = body(r"\usepackage{own}", r"\input{part} $\R$", tmp_path,
                       part_tex=files["part_tex"])  # fmt: skip
    assert text == "$\\R\\mathbb{Q}$\n $\\R$"
    assert found.replaced == {"\\Q": 1} and not found.left


def test_files_that_read_each_other_in_a_circle_are_read_once(tmp_path: Path) -> None:
    load = "".join(rf"\RequirePackage{{s{n}}}" for n in range(8))
    styles = {f"s{n}_sty": rf"{load}\newcommand\M{chr(97 + n)}{{{n}}}" for n in range(8)}
    text, found = body(r"\usepackage{s0}", r"\input{part} $\Ma\Mh$", tmp_path, **styles,
                       part_tex=r"\input{part}\input{part}$\Mb$")  # fmt: skip
    assert text == "  $1$  $07$" and not found.left


def test_what_is_left_in_mathematics_is_counted(tmp_path: Path) -> None:
    choice = r"\ifdefined\pdfoutput\newcommand\x{1}\else\renewcommand\x{2}\fi"
    text, found = body(choice, r"$\x$ \x", tmp_path)
    assert text == r"$\x$ \x" and found.left == {"\\x": 1}


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(HEAD + r"\def\R{R}\begin{document}$\R$\end{document}")
    done = call("expand", tmp_path / "a.tex", "-o", tmp_path / "plain.tex", "--json")
    assert json.loads(done.out)["replaced"] == {"\\R": 1}
    printed = call("expand", tmp_path / "a.tex")
    assert printed.out == (tmp_path / "plain.tex").read_text() and "$R$" in printed.out
    (tmp_path / "b.md").write_text("# Title\n\nText.\n")
    with pytest.raises(CorpusError, match="is no LaTeX. Only LaTeX has macros to expand."):
        topiceq.expand(tmp_path / "b.md")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs LaTeX")
def test_an_expanded_article_is_set(tmp_path: Path) -> None:
    text = r"\newcommand\R{\mathbb{R}}\newcommand\hi{Hello\xspace}"
    (tmp_path / "a.tex").write_text(
        rf"{HEAD}\usepackage{{amssymb}}{text}\begin{{document}}\hi there $\R$\end{{document}}"
    )
    (tmp_path / "plain.tex").write_text(topiceq.expand(tmp_path / "a.tex").latex)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "plain.tex"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0 and (tmp_path / "plain.pdf").exists()
