"""What lies among articles and is not read is counted, and said."""

import json
from pathlib import Path

import pytest
from calling import call

from topiceq.article.unread import printed

BODY = "Some text. " * 20 + r"\[ a + b = c \]" + "And more. " * 20
SILENT = {
    "no_document": "\\documentclass{article} % \\begin{document}\n" + BODY + r"\end{document}",
    "amstex": "\\input amstex \\documentstyle{amsppt}\n\\document " + BODY + r"\enddocument",
}


@pytest.mark.parametrize("reason", SILENT)
def test_an_article_without_text_has_a_reason(reason: str, tmp_path: Path) -> None:
    source = tmp_path / "articles"
    source.mkdir()
    (source / "a.tex").write_text(SILENT[reason])
    done = call("extract", source, "-o", tmp_path / "pairs", "--json", "--jobs", 1)
    assert json.loads(done.out)["reasons"] == {reason: 1}
    said = call("annotate", source / "a.tex")
    why = {"no_document": r"its \begin{document} is commented out or missing",
           "amstex": "it is AMS-TeX, which is not read"}[reason]  # fmt: skip
    assert said.code == 1 and f"a.tex' has no text: {why}. Give one article" in said.err


def test_print_is_counted_but_no_figures(tmp_path: Path) -> None:
    files = {
        "scan.pdf": "", "a.pdf": "", "a.tex": r"\includegraphics{two.pdf}",
        "two.pdf": "", "plots/one.pdf": "", "old/thesis.pdf": "", "old/letter.docx": "",
        ".hidden/x.pdf": "",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert printed([str(tmp_path)]) == 1  # scan.pdf: below LaTeX are its figures
    assert printed([str(tmp_path / "old")]) == 2
    assert printed([str(tmp_path / "scan.pdf"), "arXiv:1902.06034"]) == 0


def test_build_and_train_say_it(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "articles" / "ml" / "attention.tex"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "attention.tex").write_text(source.read_text())
    (tmp_path / "in" / "scan.pdf").write_text("")
    done = call("build", tmp_path / "in", "-o", tmp_path / "c", "--split", "0/0/100", "--json",
                "--jobs", 1)  # fmt: skip
    assert json.loads(done.out)["reasons"]["print"] == 1
