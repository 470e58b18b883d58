"""explain: what a symbol means, or every symbol of an equation."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.generate import mixture
from topiceq.cli.options import AsTable, Context, Equation
from topiceq.cli.show import show_all
from topiceq.errors import QuestionError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.tasks.explain import Explained


@app.command()
def explain(
    asked: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] [SYMBOL]",
            help="A run folder (default: the pretrained model) and a symbol in LaTeX; with "
            "--equation only the run.",
            show_default=False,
        ),
    ] = None,
    equation: Equation = None,
    topic: Annotated[int | None, typer.Option(help="The number of a topic.")] = None,
    theta: Annotated[
        str | None, typer.Option(metavar="MIXTURE", help="Topics with weights: 7:0.5,9:0.5")
    ] = None,
    context: Context = None,
    count: Annotated[int, typer.Option(help="How many meanings, the best first.")] = 5,
    paper_order: Annotated[
        bool,
        typer.Option(
            "--paper-order", help="By probability alone, as in the paper; frequent phrases win."
        ),
    ] = False,
    table: AsTable = None,
) -> None:
    """What a symbol means under a topic, or every symbol of an equation."""
    from topiceq.api import TopicEq
    from topiceq.tasks.explain import Explained

    run, symbol = run_and_symbol(asked or [], equation)
    if topic is not None and theta is not None:
        raise QuestionError("Give --topic or --theta, not both.")
    weights = topic if theta is None else mixture(theta)
    model = TopicEq.load(run)
    if symbol is None:
        found: list[Explained] = model.explain(
            theta=weights, equation=equation, context=context, count=count, paper_order=paper_order
        )
    else:
        phrases = model.explain(
            symbol, theta=weights, context=context, count=count, paper_order=paper_order
        )
        found = [Explained(symbol, phrases)]
    show_all((one.json() for one in found), table, lambda: explained_table(found))


def run_and_symbol(asked: list[str], equation: str | None) -> tuple[str | None, str | None]:
    """One argument is the symbol, or the run if there is an equation; of two, the run is first."""
    if len(asked) > (1 if equation else 2):
        allowed = "a run beside --equation" if equation else "a run and a symbol"
        raise QuestionError(f"Too many arguments: {' '.join(asked)}. Give {allowed} at most.")
    if equation is not None:
        return (asked[0] if asked else None), None
    return (asked[0] if len(asked) == 2 else None), (asked[-1] if asked else None)


def explained_table(found: "list[Explained]") -> Table:
    table = Table("symbol", "meanings")
    for one in found:
        said = ", ".join(f"{phrase.phrase} {phrase.p:.1%}" for phrase in one.phrases)
        table.add_row(Text(one.symbol), Text(said or "not known to this run"))
    return table
