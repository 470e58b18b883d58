"""`topiceq annotate`: parse, call, print."""

import json
from pathlib import Path
from typing import Any

import pytest
from arxiv_server import TEX, Server, gives, packed
from calling import call

from topiceq import TopicEq

ARTICLE = Path(__file__).parents[1] / "examples" / "articles" / "ml" / "attention.tex"


@pytest.fixture
def run(trained: Path) -> Path:
    """The folder of the planted run."""
    return trained


def test_a_page_is_written(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = call("annotate", run, ARTICLE, "-o", out)
    summary = json.loads(done.out)
    assert summary["title"] == "Attention and Language Models"
    assert summary["displays"] == 8 and 0 < summary["from_text"] <= summary["symbols"]
    assert summary["page"] == str(out)
    assert out.read_text(encoding="utf-8") == TopicEq.load(run).annotate(ARTICLE).html()


def test_the_page_is_named_after_the_article(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert json.loads(call("annotate", run, ARTICLE).out)["page"] == "attention.html"
    assert (tmp_path / "attention.html").exists()


def test_json_for_tools(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = call("annotate", run, ARTICLE, "--json").out.splitlines()
    assert len([piece for piece in json.loads(line)["pieces"] if "display" in piece]) == 8
    assert not list(tmp_path.iterdir())


def test_latex_from_standard_input(run: Path, tmp_path: Path) -> None:
    text = r"\title{Read} The mass is \[ m = 1 + x \] as we know."
    done = call("annotate", run, "-", "-o", tmp_path / "page.html", text=text)
    assert json.loads(done.out)["title"] == "Read"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.tex"], "'nothing.tex' does not exist"),
        ([ARTICLE.parent], "articles (attention, backpropagation,"),
        (["a", "b"], "Too many arguments"),
    ],
)
def test_known_errors_are_one_line(run: Path, arguments: list[object], message: str) -> None:
    done = call("annotate", run, *arguments)
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert message in done.err


def test_an_article_must_be_given() -> None:
    assert call("annotate").code == 2


def test_an_article_of_arxiv(
    run: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server.answers = [gives(packed({"main.tex": ARTICLE.read_bytes()}))]
    done = call("annotate", run, "arXiv:1902.06034v1", "--cache", "kept")
    summary = json.loads(done.out)
    assert summary["title"] == "Attention and Language Models"
    assert summary["page"] == "1902.06034v1.html" and Path(summary["page"]).exists()
    page = TopicEq.load(run).annotate("https://arxiv.org/abs/1902.06034v1", cache="kept")
    assert page.html() == Path(summary["page"]).read_text(encoding="utf-8")
    assert [path for path, _ in server.requests] == ["/e-print/1902.06034v1"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (gives(b"", 404), "'arXiv:1902.06034' is not known to arXiv (404).\n"),
        (gives(b"%PDF-1.5"), "as PDF only: there is no LaTeX to read.\n"),
        (gives(b""), "'arXiv:1902.06034' was withdrawn: arXiv has no source of it.\n"),
        (
            gives(packed({"a.tex": TEX, "b.tex": TEX})),
            "holds 2 articles (1902.06034/a, 1902.06034/b, ...). Unpack it (it is in kept) and "
            "give the file of one.\n",
        ),
    ],
)
def test_what_arxiv_cannot_give(
    run: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    answer: Any, message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    server.answers = [answer]
    done = call("annotate", run, "arXiv:1902.06034", "--cache", "kept")
    assert done.code == 1 and done.out == "" and done.err.endswith(message)


def test_what_is_no_id(run: Path) -> None:
    done = call("annotate", run, "arXiv:1902")
    assert done.err == (
        "topiceq: 'arXiv:1902' is no id of arXiv; they look like 1902.06034, 1902.06034v2 or "
        "hep-th/9901001.\n"
    )
