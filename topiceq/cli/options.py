"""Options that several verbs share."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from topiceq.errors import QuestionError


def text_or_stdin(text: str | None) -> str | None:
    """What was typed; `-` stands for standard input."""
    return sys.stdin.read() if text == "-" else text


def run_and(asked: list[str], other: str) -> tuple[Path | None, str]:
    """`[RUN] OTHER`: of two arguments the run is the first.

    >>> run_and(["article.tex"], "one article")
    (None, 'article.tex')
    """
    if len(asked) > 2:
        raise QuestionError(f"Too many arguments: {' '.join(asked)}. Give a run and {other}.")
    return (Path(asked[0]) if len(asked) == 2 else None), asked[-1]


Run = Annotated[Path | None, typer.Argument(help="A run folder. Default: the pretrained model.")]
Context = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        callback=text_or_stdin,
        help="Prose around an equation, plain or LaTeX; - reads standard input.",
    ),
]
Equation = Annotated[
    str | None,
    typer.Option(
        metavar="TEX", callback=text_or_stdin, help="One equation in LaTeX; - reads standard input."
    ),
]
AsTable = Annotated[
    bool | None,
    typer.Option(
        "--table/--json", help="Tables for people, or JSON. Default: tables on a terminal."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option("--config", "-c", help="A preset (paper, small, debug) or a TOML file."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one setting: section.key=value. Can be repeated."),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes. Default: all cores.")]
Field = Annotated[
    str,
    typer.Option(
        help="Where the field of an article comes from: 'folder' (the first one below the given "
        "path), 'none', or a file that maps article ids to fields (JSON lines or CSV)."
    ),
]
