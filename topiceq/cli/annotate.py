"""annotate: an article -> a page with topics and meanings beside its equations."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.options import run_and
from topiceq.cli.show import show

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.tasks.annotate import Annotated as Page


@app.command()
def annotate(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] PAPER",
            help="A run folder (default: the pretrained model), and an article: a .tex file, "
            "a folder or an archive; - reads LaTeX from standard input.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The page. Default: PAPER's name with .html, here."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON; no page unless --out.")
    ] = False,
) -> None:
    """An article -> one HTML page with topics and meanings beside its equations."""
    from topiceq.api import TopicEq

    run, paper = run_and(asked, "one article")
    if out is None and not as_json:
        out = Path(Path("article" if paper == "-" else paper).resolve().stem + ".html")
    with article(paper) as path:
        found = TopicEq.load(run).annotate(path, out)
    if as_json:
        print(json.dumps(found.json(), ensure_ascii=False))
    else:
        summary = summary_of(found) | {"page": str(out)}
        show(summary, None, lambda: summary_table(summary))


@contextmanager
def article(paper: str) -> Iterator[str]:
    """The path of an article; what comes in on standard input is put into a file."""
    if paper != "-":
        yield paper
        return
    with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
        path = Path(folder) / "article.tex"
        path.write_text(sys.stdin.read(), encoding="utf-8")
        yield str(path)


def summary_of(found: "Page") -> dict[str, Any]:
    """How much there is on the page."""
    best = [one.phrases[0] for note in found.notes.values() for one in note.symbols if one.phrases]
    said = sum(phrase.source == "text" for phrase in best)
    return {"title": found.title, "displays": len(found.notes), "symbols": len(best),
            "from_text": said}  # fmt: skip


def summary_table(summary: dict[str, Any]) -> Table:
    table = Table(show_header=False)
    for name, value in summary.items():
        table.add_row(name.replace("_", " "), Text(str(value)))
    return table
