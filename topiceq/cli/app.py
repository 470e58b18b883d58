"""The command itself: its name, and what becomes of errors."""

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import topiceq
from topiceq.errors import QuestionError, RunError, TopicEqError
from topiceq.questions import OF_CACHE

app = typer.Typer(
    name="topiceq",
    help="Learns topics and equations together from scientific LaTeX.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def say_version(asked: bool) -> None:
    if asked:
        print(f"topiceq {topiceq.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=say_version, is_eager=True),
    ] = False,
) -> None:
    """Learns topics and equations together from scientific LaTeX."""


def main() -> None:
    """Run the command; known errors become one line and exit code 1."""
    warnings.showwarning = note
    try:
        try:
            app(standalone_mode=True)
        finally:
            sys.stdout.flush()  # a full disk shows here, or else when nobody can say so any more
    except TopicEqError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        fail("Interrupted. What was finished is kept.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        place = f" ('{error.filename}')" if error.filename else ""
        fail(f"{error.strerror or error}{place}. What was finished is kept.", 1)


def note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say in one line what the user should know, but need not mend; the rest is for developers."""
    if issubclass(category, UserWarning):
        print("topiceq: note: " + " ".join(str(message).split()), file=sys.stderr)


def fail(message: str, code: int) -> None:
    """Say what is wrong in one line and stop."""
    print("topiceq: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


# -- options that several verbs share ----------------------------------------------------------


def text_or_stdin(text: str | None) -> str | None:
    """What was typed; `-` stands for standard input."""
    return sys.stdin.read() if text == "-" else text


Indexes = Annotated[
    list[str] | None,
    typer.Option("--index", metavar="INDEX", help="An index to search in place of the run's own; "
                 "several are searched together. 'default' is the pretrained model's."),
]  # fmt: skip


def run_and(arguments: list[str], other: str) -> tuple[Path | None, str]:
    """`[RUN] OTHER`: of two arguments the run is the first.

    >>> run_and(["article.tex"], "one article")
    (None, 'article.tex')
    """
    if len(arguments) > 2:
        raise QuestionError(f"Too many arguments: {' '.join(arguments)}. Give a run and {other}.")
    return (Path(arguments[0]) if len(arguments) == 2 else None), arguments[-1]


def check_run(run: Path | None) -> None:
    """RunError if a folder is no run."""
    if run is not None and not isfile(run / "config.toml"):
        raise RunError(f"'{run}' is not a run. Train one: topiceq train CORPUS -o {run}")


RunFolder = Annotated[
    Path | None, typer.Argument(help="A run folder. Default: the pretrained model.")
]
AsTable = Annotated[
    bool | None,
    typer.Option(
        "--table/--json", help="Tables for people, or JSON. Default: tables on a terminal."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--config",
        "-c",
        help="A preset (debug, default, demo, finetune, paper, small) or a TOML file.",
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change one setting: section.key=value. Can be repeated."),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Processes. Default: all cores.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Work on a Dask cluster: the address of its scheduler, or the file it wrote.",
    ),
]
Field = Annotated[
    str,
    typer.Option(
        help="Where the field of an article comes from: 'folder' (the first one below the given "
        "path), 'none', or a file that maps article ids to fields (JSON lines or CSV)."
    ),
]
Cache = Annotated[Path | None, typer.Option(help=OF_CACHE)]


# -- results for people or for tools, and progress while they wait -----------------------------


def show(value: dict[str, Any], as_table: bool | None, table: Callable[[], RenderableType]) -> None:
    """Print a result the way the user wants it."""
    show_all([value], as_table, table)


def show_all(
    values: Iterable[dict[str, Any]], as_table: bool | None, table: Callable[[], RenderableType]
) -> None:
    """Print results the way the user wants them: one JSON object a line, or one table."""
    if as_table if as_table is not None else sys.stdout.isatty():
        Console().print(table())
    else:
        for value in values:
            print(json.dumps(value, ensure_ascii=False))


def counts_table(title: str, counts: dict[str, int]) -> Table:
    """Names and numbers, the largest first."""
    table = Table("", "number", title=title, title_justify="left")
    for name, number in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{number:,}")
    return table


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on standard error that tells how far we are; silent if that is no terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda text: bar.update(task, description=f"{what}: {text}")
