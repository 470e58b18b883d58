"""infer: the topics of a context, an equation, or many equations."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.options import AsTable, Context, Equation, Run
from topiceq.cli.show import show_all
from topiceq.errors import QuestionError
from topiceq.tasks.answers import best_topics


@app.command()
def infer(
    run: Run = None,
    context: Context = None,
    equation: Equation = None,
    equations: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Equations, one a line; - reads standard input."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many topics, the best first.")] = 5,
    decoder: Annotated[
        str | None,
        typer.Option(help="Which decoder of the run judges equations. Default: its first."),
    ] = None,
    table: AsTable = None,
) -> None:
    """The topics of a context, an equation, or both."""
    from topiceq.api import TopicEq

    lines = None if equations is None else read_lines(equations)
    model = TopicEq.load(run)
    found = model.infer(context=context, equation=equation, equations=lines, decoder=decoder)
    topics = model.topics()
    answers = [
        {"context": context, "equation": asked, "topics": best_topics(theta, topics, top)}
        for asked, theta in zip(
            [equation] if lines is None else lines, found.reshape(-1, found.shape[-1]), strict=True
        )
    ]
    answers = [{k: v for k, v in answer.items() if v is not None} for answer in answers]
    show_all(answers, table, lambda: Group(*map(answer_table, answers)))


def read_lines(path: str) -> list[str]:
    """The lines of a file that are not blank."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionError(f"The equations '{path}' cannot be read: {error}.") from None
    return [line for line in text.split("\n") if line.strip()]


def answer_table(answer: dict[str, Any]) -> Table:
    title = Text(" ".join(answer.get("equation", answer.get("context", "")).split()))
    title.truncate(100, overflow="ellipsis")
    table = Table("topic", "label", "p", "words", title=title, title_justify="left")
    for topic in answer["topics"]:
        number, words = str(topic["topic"]), " ".join(topic["words"])
        table.add_row(number, Text(topic["label"]), f"{topic['p']:.1%}", Text(words))
    return table
