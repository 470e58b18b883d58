"""generate: equations from a topic, a mixture, a context, or on the way between two topics."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.options import AsTable, Context, Run
from topiceq.cli.show import show_all
from topiceq.errors import QuestionError
from topiceq.tasks.answers import generated_shape, theta_shape

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.tasks.generate import Generated


@app.command()
def generate(
    run: Run = None,
    topic: Annotated[int | None, typer.Option(help="The number of a topic.")] = None,
    theta: Annotated[
        str | None, typer.Option(metavar="MIXTURE", help="Topics with weights: 7:0.5,9:0.5")
    ] = None,
    context: Context = None,
    to: Annotated[
        str | None, typer.Option(metavar="MIXTURE", help="Go on to this topic or mixture.")
    ] = None,
    steps: Annotated[int, typer.Option(help="Points on the way, both ends included.")] = 5,
    prefix: Annotated[
        str, typer.Option(metavar="TEX", help="What the equation begins with, such as 'L ='.")
    ] = "",
    count: Annotated[int, typer.Option(help="How many equations (at each point).")] = 1,
    temperature: Annotated[float, typer.Option(help="Below 1 safer, above 1 bolder.")] = 1.0,
    top_p: Annotated[
        float, typer.Option(help="Leave out unlikely tokens: keep this much probability.")
    ] = 1.0,
    greedy: Annotated[
        bool | None,
        typer.Option(
            "--greedy/--sample",
            help="The likeliest token each time, or by lot. Default: by lot; greedy with --to.",
        ),
    ] = None,
    beams: Annotated[
        int, typer.Option(help="Search for this many most probable equations; 0: no search.")
    ] = 0,
    max_tokens: Annotated[int, typer.Option(help="The longest equation, prefix included.")] = 150,
    seed: Annotated[int, typer.Option(help="Another seed, other equations.")] = 0,
    unconstrained: Annotated[
        bool, typer.Option("--unconstrained", help="Also what is not well formed.")
    ] = False,
    table: AsTable = None,
) -> None:
    """Equations from a topic, a mixture or a context."""
    from topiceq.api import TopicEq

    if topic is not None and theta is not None:
        raise QuestionError("Give --topic or --theta, not both.")
    found = TopicEq.load(run).generate(
        topic if theta is None else mixture(theta),
        context=context,
        to=None if to is None else mixture(to),
        steps=steps,
        prefix=prefix,
        count=count,
        temperature=temperature,
        top_p=top_p,
        greedy=greedy,
        beams=beams,
        max_tokens=max_tokens,
        seed=seed,
        constrained=not unconstrained,
    )
    show_all(map(generated_shape, found), table, lambda: generated_table(found))


def mixture(text: str) -> dict[int, float]:
    """Topics with their weights; a topic without a weight has 1.

    >>> mixture("7:0.5, 9:0.5"), mixture("7")
    ({7: 0.5, 9: 0.5}, {7: 1.0})
    """
    found: dict[int, float] = {}
    try:
        for part in text.split(","):
            topic, _, weight = part.partition(":")
            found[int(topic)] = found.get(int(topic), 0.0) + float(weight or 1)
    except ValueError:
        raise QuestionError(
            f"The mixture '{text}' is not understood. Write a topic, or topics with weights: "
            "7:0.5,9:0.5"
        ) from None
    return found


def generated_table(found: "list[Generated]") -> Table:
    table = Table("theta", "logprob", "equation")
    for one in found:
        weights = list(theta_shape(one.theta).items())
        theta = " ".join(f"{topic}:{weight:.2f}" for topic, weight in weights[:3])
        theta += " …" if len(weights) > 3 else ""
        broken = "" if one.finished else " … (unfinished)"
        table.add_row(theta, f"{one.logprob:.1f}", Text(one.equation + broken))
    return table
