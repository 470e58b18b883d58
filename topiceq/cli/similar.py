"""index, similar: a corpus -> an index in its run; an equation -> the nearest ones in it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.options import AsTable, Equation, Run
from topiceq.cli.show import counts_table, progress, show, show_all
from topiceq.corpus.store import Corpus
from topiceq.errors import QuestionError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from collections.abc import Sequence

    from topiceq.tasks.similar import Similar


@app.command()
def index(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    corpus: Annotated[Path, typer.Argument(help="A corpus folder; its train split is indexed.")],
    count: Annotated[
        int | None,
        typer.Option(help="Only so many equations, spread over the topics. Default: all."),
    ] = None,
    table: AsTable = None,
) -> None:
    """Index the equations of a corpus, for similar. The index is kept in the run."""
    from topiceq.api import TopicEq

    model = TopicEq.load(run)
    with progress("indexing") as say:
        size = model.index(
            Corpus.load(corpus),
            count=count,
            folder=run,
            watch=lambda done, total: say(f"{done:,} of {total:,} equations"),
        )
    show({"run": str(run), "equations": size}, table,
         lambda: counts_table(str(run), {"equations": size}))  # fmt: skip


@app.command()
def similar(
    run: Run = None,
    equation: Equation = None,
    count: Annotated[int, typer.Option(help="How many equations, the nearest first.")] = 10,
    table: AsTable = None,
) -> None:
    """The nearest equations of the corpus that was indexed."""
    from topiceq.api import TopicEq

    if equation is None:
        raise QuestionError("There is nothing to compare. Give --equation TEX.")
    found = TopicEq.load(run).similar(equation, count=count)
    show_all(map(similar_json, found), table, lambda: similar_table(found))


def similar_json(one: "Similar") -> dict[str, Any]:
    return asdict(one) | {"score": round(one.score, 4)}


def similar_table(found: "Sequence[Similar]") -> Table:
    table = Table("score", "equation", "article", "line")
    for one in found:
        place = Text(one.article), str(one.line)
        table.add_row(f"{one.score:.2f}", Text(" ".join(one.equation.split())), *place)
    return table
