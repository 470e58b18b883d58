"""Results for people or for tools, and progress while they wait."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table


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
