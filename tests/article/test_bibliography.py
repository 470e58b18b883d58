"""What is cited, and what stands in floats: as a page shows them."""

from pathlib import Path

import pytest

from topiceq.article.bibliography import of_bibtex, of_items, plain
from topiceq.article.files import MemoryFiles
from topiceq.article.marks import without
from topiceq.article.page import Reading, read
from topiceq.article.pieces import Prose
from topiceq.article.source import Article
from topiceq.views.page import typeset

BIB = r"""@string{x = "y"}
@article{jones, author = {Jones, Bob and {The Group} and Erd\H{o}s, Paul},
  title = "A {B}ig Thing", year = 2001, journal = nature}
@book{two, author={Ann Alpha and Bo Beta}, title={Two}, date={1999-03}}"""
TEX = r"""\newcommand{\figref}[1]{Fig.~\ref{#1}}
\title{A Title\thanks{x}}\author{Ada Lovelace\thanks{M} \and Carl Gau\ss \\ G\"ottingen}
\begin{document}
As \citet{knuth} shows, and others do \citep[see][p. 3]{knuth,jones}, it is so \cite{nobody}.
See \autoref{e:1}, \myref{t:1} and \figref{f:1}.
\begin{figure}\includegraphics{plots/x.pdf}\caption[short]{A plot of $x$.}\label{f:1}\end{figure}
\begin{equation}\label{e:1} a = b \end{equation}
\begin{table}\caption{Sizes}\label{t:1}\begin{tabular}{l|cc}\hline a & $b$ & c \\ \hline
\multicolumn{2}{c}{one} & 3\\ 4 & 5 & 6 \\[2pt]\bottomrule\end{tabular}\end{table}
\begin{thebibliography}{9}
\bibitem[Knuth(1984)]{knuth} D. Knuth. \newblock {\em The \TeX book}. 1984.
\bibitem{bern} Bernoulli, \textbf{1} (1700).
\end{thebibliography}
\end{document}"""


def reading(**files: str) -> Reading:
    named = {name.replace("_", "."): text.encode() for name, text in files.items()}
    return read(Article("a", "none", next(iter(named)), MemoryFiles(named)))


def prose(of: Reading) -> str:
    return " ".join(without(p.text) for p in of.pieces if isinstance(p, Prose))


def test_entries_of_bibtex() -> None:
    jones, two = of_bibtex(BIB)
    assert (jones.key, jones.names, jones.year) == ("jones", "Jones et al.", "2001")
    assert plain(jones.text) == "Bob Jones, The Group and Paul Erdős. A Big Thing. nature. 2001."
    assert (two.names, two.year) == ("Alpha and Beta", "1999")


def test_items_with_labels_of_natbib_and_others() -> None:
    items = of_items(
        r"\bibitem[{Alpha et~al.(2019b)Alpha, Beta}]{a} \bibinfo{author}{X}, Y."
        r"\bibitem[ABC19]{b} B \bibitem{c} C \end{thebibliography} \bibitem{d} D"
    )
    found = [(item.key, item.names, item.year, plain(item.text)) for item in items]
    assert found == [
        ("a", "Alpha et al.", "2019b", "X, Y."), ("b", "ABC19", "", "B"), ("c", "", "", "C")
    ]  # fmt: skip


def test_an_article_with_its_references_floats_and_authors() -> None:
    found = reading(a_tex=TEX, refs_bib=BIB)
    assert (found.title, found.authors) == ("A Title", ["Ada Lovelace", "Carl Gauß"])
    names = [(each.number, each.names, each.year) for each in found.references.values()]
    assert names == [(1, "Knuth", "1984"), (2, "Jones et al.", "2001")]
    figure, table = found.floats
    assert (figure.kind, figure.number, figure.picture) == ("Figure", "1", "x.pdf")
    assert figure.caption == "A plot of $x$."
    assert table.rows == [
        [("a", 1), ("$b$", 1), ("c", 1)], [("one", 2), ("3", 1)], [("4", 1), ("5", 1), ("6", 1)]
    ]  # fmt: skip
    places = {key: (target.kind, target.place) for key, target in found.labels.items()}
    assert places["f:1"] == ("Figure", "f0") and places["t:1"] == ("Table", "f1")


def test_a_corpus_does_not_see_them() -> None:
    text = " ".join(prose(reading(a_tex=TEX)).split())
    assert text == "As … shows, and others do , it is so . See …, … and Fig. …."


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("md", "It is so [see @jones, p. 3; @two]. By @jones it holds, and $x = 1$."),
        ("rst", "It is so :cite:`jones,two`. By :cite:`jones` it holds."),
    ],
)
def test_other_formats_cite_too(suffix: str, text: str) -> None:
    found = reading(**{f"a_{suffix}": text, "refs_bib": BIB})
    assert list(found.references) == ["jones", "two"]


def test_files_that_are_no_bibliography(tmp_path: Path) -> None:
    assert list(of_bibtex("@article{x, author = {")) and not list(of_bibtex("{{{@"))
    assert [item.text for item in of_items(r"\bibitem{x}")] == [""]


def test_a_label_may_hold_a_comma() -> None:
    found = reading(
        a_tex=r"""\begin{document} By \ref{e:g(n,e)} and \eqref{e:g(n,e)} it costs \$1.
\begin{equation}\label{e:g(n,e)} a = b \end{equation} \end{document}"""
    )
    first = found.pieces[0]
    assert isinstance(first, Prose)
    shown = str(typeset(first.text, found.labels))
    assert shown.count('<a href="#p1">1</a>') == 2 and shown.endswith("it costs $1. ")
