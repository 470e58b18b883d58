"""config, train, topics; score, compare: a corpus -> a run, what it has learned, and how well."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from topiceq.cli.app import AsTable, Overrides, Preset, RunFolder, app, progress, show_all

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.model.history import TrainingStep
    from topiceq.model.topics import Topic

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Column

from topiceq.cli.app import run_and, show
from topiceq.errors import RunError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.model.run import Run


@app.command()
def config(
    preset: Annotated[
        str | None, typer.Argument(help="A preset (debug, default, demo, paper, small) or a file.")
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Print all settings as TOML: the defaults, a preset, with changes."""
    from topiceq.config import load_config

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
    from topiceq.config import load_config
    from topiceq.corpus.store import Corpus

    model = TopicEq(load_config(preset, overrides or ()))
    as_table = table if table is not None else sys.stdout.isatty()
    with progress("training") as say:
        for step in model.steps(Corpus.load(corpus), folder=out, resume=resume):
            say(step_text(step))
            if step.valid:
                print(epoch_text(step) if as_table else json.dumps(asdict(step)), flush=True)


def step_text(step: "TrainingStep") -> str:
    """Where training is, what the loss is made of, and how long it may take."""
    parts = " ".join(f"{name} {value:.1f}" for name, value in step.terms.items())
    done = (step.epoch - 1) * step.batches + step.batch
    left = step.seconds / max(done, 1) * (step.epochs * step.batches - done) / 60
    return (
        f"{step.phase}, epoch {step.epoch}/{step.epochs}, batch {step.batch}/{step.batches}, "
        f"{step.tokens_per_second:,.0f} tokens/s, {parts}, at most {left:.0f} min left"
    )


def epoch_text(step: "TrainingStep") -> str:
    numbers = " ".join(f"{name} {value:.4g}" for name, value in (step.valid or {}).items())
    best = " (best)" if step.best else ""
    return f"epoch {step.epoch} ({step.phase}, {step.seconds / 60:.1f} min): {numbers}{best}"


@app.command()
def topics(
    run: RunFolder = None,
    words: Annotated[int, typer.Option(min=1, help="Words of each topic.")] = 8,
    check: Annotated[bool, typer.Option("--check", help="First run the run's self-test.")] = False,
    table: AsTable = None,
) -> None:
    """The topics of a run: words, characteristic tokens, typical equations."""
    from topiceq.api import TopicEq
    from topiceq.views.shapes import topic_shape

    model = TopicEq.load(run)
    if check:
        model.run.check()
    found = model.topics(words=words)
    show_all(map(topic_shape, found), table, lambda: topics_table(found))


def topics_table(topics: "list[Topic]") -> Table:
    table = Table("topic", "label", "share", "words", "tokens")
    for topic in topics:
        words, tokens = Text(" ".join(topic.words)), Text(" ".join(topic.tokens))
        table.add_row(str(topic.id), Text(topic.label), f"{topic.share:.1%}", words, tokens)
    return table


# -- scores ------------------------------------------------------------------------------------


COLUMNS = {  # score -> heading and how it is written
    "npmi": ("NPMI", "{:.4f}"),
    "distinct": ("distinct", "{:.2f}"),
    "words": ("words", "{:.0f}"),
    "perplexity": ("equations", "{:.3f}"),
    "syntax": ("syntax", "{:.1%}"),
    "phrases": ("phrases", "{:.1f}"),
}
CAPTION = (
    "distinct: share of the topics' top ten words; words, equations, phrases: perplexity; "
    "syntax: share of samples that do not compile; in brackets the paper's figures"
)
APART = ". These runs were scored on different pairs: their figures cannot be compared"


@app.command()
def score(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] CORPUS",
            help="A run folder (default: the pretrained model), and a corpus folder; any, not only "
            "the run's own.",
        ),
    ],
    split: Annotated[str, typer.Option(help="train, valid or test.")] = "test",
    syntax: Annotated[
        int,
        typer.Option(min=0, help="Sample so many equations and have a LaTeX compiler judge them."),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of the sampled equations.")] = 0,
    table: AsTable = None,
) -> None:
    """All scores that a run supports, on held-out pairs; they are also written into the run.

    Those of the pretrained model are only shown.
    """
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus

    run, corpus = run_and(asked, "one corpus")
    model = TopicEq.load(run)
    with progress("scoring"):
        found = model.score(Corpus.load(corpus).split(split), syntax=syntax, seed=seed).json()
    if run:
        model.run.save_scores(run, found)
    show(found, table, lambda: scores_table(str(run or "the pretrained model"), found))


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Run folders that have been scored.")],
    table: AsTable = None,
) -> None:
    """One row for each run, with the paper's figure in brackets where the paper has that row."""
    from topiceq.model.run import Run

    rows = [row(folder, Run.load(folder)) for folder in runs]
    if table if table is not None else sys.stdout.isatty():
        Console().print(comparison(rows))
    else:
        for one in rows:
            print(json.dumps(one, ensure_ascii=False))


def row(folder: Path, run: "Run") -> dict[str, Any]:
    """What is compared of a run: our figures, and the paper's."""
    from topiceq.scores.paper import paper_row

    if not run.scores:
        raise RunError(f"'{folder}' has no scores. Make them: topiceq score {folder} CORPUS")
    repeats, topics = paper_row(run.config), run.config.model.topics
    return {
        "run": str(folder),
        "row": repeats.name if repeats else " + ".join(run.config.model.decoders),
        "topics": topics,
        "corpus": run.scores["corpus"],
        "split": run.scores["split"],
        "scores": figures(run.scores),
        "paper": repeats.figures(topics) if repeats else {},
    }


def figures(scores: dict[str, Any]) -> dict[str, float]:
    """The main figures of a sheet of scores; of several decoders, those of the first."""
    coherence = scores.get("coherence", {})
    first: dict[str, dict[str, float]] = {
        name: next(iter(scores.get(name, {}).values()), {}) for name in _BY_DECODER
    }
    found = {
        "npmi": coherence.get("npmi_win20_top5_20"),
        "distinct": coherence.get("distinct_top10"),
        "words": scores.get("word_perplexity"),
        "perplexity": first["equations"].get("perplexity"),
        "syntax": first["syntax"].get("error"),
        "phrases": first["phrases"].get("perplexity"),
    }
    return {name: figure for name, figure in found.items() if figure is not None}


_BY_DECODER = ("equations", "phrases", "syntax")


def comparison(rows: list[dict[str, Any]]) -> Table:
    """Columns that no run has a figure for are left out."""
    shown = [name for name in COLUMNS if any(name in one["scores"] for one in rows)]
    heads = ["run", "topics", *(COLUMNS[name][0] for name in shown)]
    columns = (Column(head, overflow="fold", no_wrap=head != "run") for head in heads)
    differ = len({pairs(one) for one in rows}) > 1
    table = Table(*columns, caption=CAPTION + differ * APART, box=None, padding=(0, 2, 0, 0))
    for one in rows:
        cells = [cell(name, one["scores"], one["paper"]) for name in shown]
        name = f"{one['run']}\n{one['row']}" + differ * f"\non {pairs(one)}"
        table.add_row(name, str(one["topics"]), *cells)
    return table


def pairs(one: dict[str, Any]) -> str:
    """What a run was scored on."""
    return f"{one['split']} of {one['corpus'][:8]}"


def cell(name: str, ours: dict[str, float], paper: dict[str, float]) -> str:
    form = COLUMNS[name][1]
    beside = f"\n({form.format(paper[name])})" if name in paper else ""
    return form.format(ours[name]) + beside if name in ours else ""


def scores_table(title: str, scores: dict[str, Any]) -> Table:
    from topiceq.model.card import flat

    table = Table("score", "value", title=title, title_justify="left")
    for name, value in flat(scores).items():
        table.add_row(name, f"{value:.4g}" if isinstance(value, float) else str(value))
    return table
