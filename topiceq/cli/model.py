"""config, train, topics: a corpus -> a run, and what it has learned."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import app
from topiceq.cli.options import AsTable, Overrides, Preset, Run
from topiceq.cli.show import progress, show_all
from topiceq.config import load_config
from topiceq.corpus.store import Corpus
from topiceq.tasks.answers import topic_shape

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.model.history import Step
    from topiceq.model.topics import Topic


@app.command()
def config(
    preset: Annotated[str | None, typer.Argument(help="paper, small, debug or a file.")] = None,
    overrides: Overrides = None,
) -> None:
    """Print all settings as TOML: the defaults, a preset, with changes."""
    print(load_config(preset, overrides or ()).to_toml(), end="")


@app.command()
def train(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the run.")],
    preset: Preset = None,
    overrides: Overrides = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in that folder.")] = False,
    table: AsTable = None,
) -> None:
    """Corpus -> a trained run. Prints a record after each epoch; Ctrl-C saves."""
    from topiceq.api import TopicEq

    model = TopicEq(load_config(preset, overrides or ()))
    as_table = table if table is not None else sys.stdout.isatty()
    with progress("training") as say:
        for step in model.steps(Corpus.load(corpus), folder=out, resume=resume):
            say(step_text(step))
            if step.valid:
                print(epoch_text(step) if as_table else json.dumps(asdict(step)), flush=True)


def step_text(step: "Step") -> str:
    """Where training is, what the loss is made of, and how long it may take."""
    parts = " ".join(f"{name} {value:.1f}" for name, value in step.terms.items())
    done = (step.epoch - 1) * step.batches + step.batch
    left = step.seconds / max(done, 1) * (step.epochs * step.batches - done) / 60
    return (
        f"{step.phase}, epoch {step.epoch}/{step.epochs}, batch {step.batch}/{step.batches}, "
        f"{step.tokens_per_second:,.0f} tokens/s, {parts}, at most {left:.0f} min left"
    )


def epoch_text(step: "Step") -> str:
    numbers = " ".join(f"{name} {value:.4g}" for name, value in (step.valid or {}).items())
    best = " (best)" if step.best else ""
    return f"epoch {step.epoch} ({step.phase}, {step.seconds / 60:.1f} min): {numbers}{best}"


@app.command()
def topics(
    run: Run = None,
    words: Annotated[int, typer.Option(min=1, help="Words of each topic.")] = 8,
    table: AsTable = None,
) -> None:
    """The topics of a run: words, characteristic tokens, typical equations."""
    from topiceq.api import TopicEq

    found = TopicEq.load(run).topics(words=words)
    show_all(map(topic_shape, found), table, lambda: topics_table(found))


def topics_table(topics: "list[Topic]") -> Table:
    table = Table("topic", "label", "share", "words", "tokens")
    for topic in topics:
        words, tokens = Text(" ".join(topic.words)), Text(" ".join(topic.tokens))
        table.add_row(str(topic.id), Text(topic.label), f"{topic.share:.1%}", words, tokens)
    return table
