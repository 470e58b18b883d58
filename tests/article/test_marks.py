"""An article read for people: what is kept that a corpus leaves out."""

from pathlib import Path

from topiceq.article.marks import MARKS, PARTED, without
from topiceq.article.page import Reading, read
from topiceq.article.pieces import Display, Heading, Prose
from topiceq.article.source import Article, sources

NAMES = ("em", "strong", "code", "head", "label", "ref", "cite", "float")


def reading(tmp_path: Path, body: str, preamble: str = "") -> Reading:
    path = tmp_path / "article.tex"
    path.write_text(
        f"\\documentclass{{article}}{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
    (article,) = (a for source in sources([path]) for a in source.articles())
    assert isinstance(article, Article)
    return read(article)


def shown(found: Reading) -> str:
    text = "".join(piece.text for piece in found.pieces if isinstance(piece, Prose))
    for pair, name in zip(MARKS, NAMES, strict=True):
        text = text.replace(pair.opens, f"<{name}>").replace(pair.closes, f"</{name}>")
    return " ".join(text.replace(PARTED, "|").split())


def test_the_title_is_read_in_the_preamble(tmp_path: Path) -> None:
    found = reading(tmp_path, "Text.", r"\title[short]{On \emph{waves} and $x^2$\thanks{me}}")
    assert without(found.title) == "On waves and $x^2$"
    assert reading(tmp_path, "Text.").title == "article"


def test_emphasis_by_command_and_by_switch(tmp_path: Path) -> None:
    body = r"A \emph{new} {\it old} \textbf{bold} {\bf one} \texttt{code}. {\em Over $x$} end."
    assert shown(reading(tmp_path, body)) == (
        "A <em>new</em> <em>old</em> <strong>bold</strong> <strong>one</strong> "
        "<code>code</code>. <em>Over $x$</em> end."
    )


def test_a_mark_ends_with_its_group(tmp_path: Path) -> None:
    assert shown(reading(tmp_path, r"\emph{a {b} c} d")) == "<em>a b c</em> d"


def test_theorems_have_heads_and_numbers(tmp_path: Path) -> None:
    body = (
        r"\begin{thm}[Euler] One. \label{t} \end{thm} \begin{thm} Two. \end{thm}"
        r"\begin{rem} Three. \end{rem} \begin{proof} By \ref{t}. \end{proof}"
    )
    found = reading(tmp_path, body, r"\newtheorem{thm}{Theorem}[section]\newtheorem*{rem}{Remark}")
    assert shown(found) == (
        "<head>Theorem 1 (Euler).</head> One. <head>Theorem 2.</head> Two. "
        "<head>Remark.</head> Three. <head>Proof.</head> By <ref>t</ref>."
    )
    assert found.labels["t"].number == "1"


def test_lists_have_bullets_numbers_and_labels(tmp_path: Path) -> None:
    body = (
        r"\begin{enumerate}\item One\item Two \begin{itemize}\item In\end{itemize}"
        r"\item Three\end{enumerate}\begin{description}\item[Name] It\end{description}"
    )
    assert shown(reading(tmp_path, body)) == (
        "<label>1.</label> One <label>2.</label> Two <label>•</label> In <label>3.</label> Three "
        "<label>Name</label> It"
    )


def test_sections_and_equations_are_numbered(tmp_path: Path) -> None:
    body = (
        r"\section{A}\label{a} \begin{equation} x = y \label{e} \end{equation} "
        r"\subsection{B} \[ z \] \section*{C} \section{D}\label{d} "
        r"\begin{align} u &= v \end{align} See \eqref{e}, \cref{a,d}."
    )
    found = reading(tmp_path, body)
    numbers = {p.text if isinstance(p, Heading) else p.source: found.numbers.get(n)
               for n, p in enumerate(found.pieces) if not isinstance(p, Prose)}  # fmt: skip
    assert list(numbers.values()) == ["1", "1", "1.1", None, None, "2", "2"]
    assert {key: target.number for key, target in found.labels.items()} == {
        "a": "1", "e": "1", "d": "2"
    }  # fmt: skip
    assert isinstance(found.pieces[int(found.labels["e"].place[1:])], Display)
    assert shown(found) == "See (<ref>e</ref>), <ref>a|cref</ref>, <ref>d|cref</ref>."


def test_macros_are_expanded_in_inline_math(tmp_path: Path) -> None:
    found = reading(tmp_path, r"Let $\R^\n$ be \emph{it}.", r"\newcommand\R{\mathbb{R}}\def\n{n}")
    assert shown(found) == r"Let $\mathbb{R}^n$ be <em>it</em>."


def test_commands_in_formulas_keep_their_meaning(tmp_path: Path) -> None:
    found = reading(tmp_path, r"\[ x \text{\emph{if} } \textbf{y} \] and $\textbf{z}$.")
    (display,) = (piece for piece in found.pieces if isinstance(piece, Display))
    assert (
        "".join(display.tokens).replace("\x01", "").split()
        == r"x \text{\emph{if} } \textbf{y}".split()
    )
    assert shown(found) == r"and $\textbf{z}$."


def test_the_source_of_a_display_is_as_written(tmp_path: Path) -> None:
    found = reading(tmp_path, r"\emph{We have \[ \a = 1 \] here.}", r"\def\a{\alpha}")
    (display,) = (piece for piece in found.pieces if isinstance(piece, Display))
    assert (display.source, display.line) == (r"\a = 1", 2)


def test_a_macro_without_end_costs_its_formula_only(tmp_path: Path) -> None:
    found = reading(tmp_path, r"Before $\a$ and after $x$.", r"\def\a{\a\a}")
    assert shown(found) == r"Before $\a$ and after $x$."


def test_without_marks_it_is_what_a_corpus_has(tmp_path: Path) -> None:
    found = reading(tmp_path, r"\begin{proof} By \ref{x} \emph{it} is.\end{proof}")
    assert " ".join(without("".join(p.text for p in found.pieces)).split()) == "By … it is."  # type: ignore[union-attr]
