"""The `topiceq` command: parse, call, print.

One verb a function. Results go to standard output as JSON, one object a line, or as tables for
people (`--table`, the default on a terminal); progress goes to standard error, only on a terminal.
Exit 0 fine, 1 a known error (one line on standard error), 2 usage.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from topiceq.config import Config, load_config
from topiceq.corpus.pair import read_pairs
from topiceq.corpus.shards import Extracted, all_dropped, extract_shards, write_text
from topiceq.corpus.stats import render
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError, TopicEqError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.model.history import Step
    from topiceq.model.topics import Topic

app = typer.Typer(
    name="topiceq",
    help="Learns topics and equations together from scientific LaTeX.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

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


def main() -> None:
    """Run the command; known errors become one line and exit code 1."""
    try:
        app(standalone_mode=True)
    except TopicEqError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        fail("Interrupted. What was finished is kept.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def fail(message: str, code: int) -> None:
    """Say what is wrong in one line and stop."""
    print("topiceq: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


def show(value: dict[str, Any], as_table: bool | None, table: Callable[[], RenderableType]) -> None:
    """Print a result the way the user wants it."""
    if as_table if as_table is not None else sys.stdout.isatty():
        Console().print(table())
    else:
        print(json.dumps(value, ensure_ascii=False))


def counts_table(title: str, counts: dict[str, int]) -> Table:
    """Names and numbers, the largest first."""
    table = Table("", "number", title=title, title_justify="left")
    for name, number in sorted(counts.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{number:,}")
    return table


@app.command()
def extract(
    papers: Annotated[list[str], typer.Argument(help="Folders, .tex files or archives.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the pairs (Parquet).")],
    field: Field = "folder",
    jobs: Jobs = None,
    explain_dropped: Annotated[
        Path | None,
        typer.Option(help="Write what was dropped, where and why, as JSON lines to this file."),
    ] = None,
    overrides: Overrides = None,
    table: AsTable = None,
) -> None:
    """Articles -> pairs of a display equation and its context. Resumes where it was stopped."""
    config = load_config(None, overrides or ())
    found = run_extraction(papers, out, field=field, jobs=jobs, config=config)
    if explain_dropped:
        write_dropped(explain_dropped, out)
    summary = {"articles": found.articles, "pairs": found.pairs, "reasons": found.reasons}
    counts = {"articles": found.articles, "pairs": found.pairs}
    dropped = {f"dropped: {reason}": number for reason, number in found.reasons.items()}
    show(summary, table, lambda: counts_table(str(out), counts | dropped))


def write_dropped(path: Path, pairs: Path) -> None:
    try:
        write_text(path, "".join(line + "\n" for line in all_dropped(pairs)))
    except OSError as error:
        raise CorpusError(f"Cannot write '{path}': {error.strerror}.") from None


def run_extraction(
    papers: list[str], out: Path, *, field: str, jobs: int | None, config: Config
) -> Extracted:
    """Extract with a progress bar on standard error."""
    with progress("extracting") as say:

        def watch(total: Extracted, seconds: float) -> None:
            rate = total.articles / max(seconds, 1e-9)
            say(f"{total.articles:,} articles ({rate:.0f}/s), {total.pairs:,} pairs")

        return extract_shards(
            papers, out, field=field, jobs=jobs, config=config.corpus, watch=watch
        )


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on standard error that tells how far we are; silent if that is no terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda text: bar.update(task, description=f"{what}: {text}")


@app.command()
def build(
    pairs: Annotated[
        list[str], typer.Argument(help="A folder of pairs, or articles (then it extracts first).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the corpus.")],
    split: Annotated[
        str | None,
        typer.Option(
            help="Percentages of train/valid/test, by article; 0/0/100 for evaluation only. "
            "Default: 80/10/10."
        ),
    ] = None,
    phrases: Annotated[
        Path | None, typer.Option(help="Names of concepts, one a line, in place of our own list.")
    ] = None,
    field: Field = "folder",
    jobs: Jobs = None,
    overrides: Overrides = None,
    table: AsTable = None,
) -> None:
    """Pairs -> a corpus: splits by article, vocabularies from train, phrases."""
    changes = list(overrides or ()) + ([f"corpus.split={split}"] if split else [])
    config = load_config(None, changes)
    with tempfile.TemporaryDirectory(prefix="topiceq-") as temporary:
        folder = Path(pairs[0])
        if len(pairs) > 1 or not (folder / "extract.json").exists():
            folder = Path(temporary)
            run_extraction(pairs, folder, field=field, jobs=jobs, config=config)
        with progress("building"):
            corpus = Corpus.build(
                read_pairs(folder), config=config.corpus, path=out, phrases=phrases
            )
    show({"corpus": str(out), "pairs": corpus.counts}, table,
         lambda: counts_table(str(out), corpus.counts))  # fmt: skip


@app.command()
def stats(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")], table: AsTable = None
) -> None:
    """What a corpus holds: pairs, lengths, vocabularies, the most frequent items."""
    found = Corpus.load(corpus).stats()
    show(found, table, lambda: render(found))


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
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    words: Annotated[int, typer.Option(min=1, help="Words of each topic.")] = 8,
    table: AsTable = None,
) -> None:
    """The topics of a run: words, characteristic tokens, typical equations."""
    from topiceq.api import TopicEq

    found = TopicEq.load(run).topics(words=words)
    if table if table is not None else sys.stdout.isatty():
        Console().print(topics_table(found))
    else:
        for topic in found:
            print(json.dumps(topic_json(topic), ensure_ascii=False))


def topic_json(topic: "Topic") -> dict[str, Any]:
    equations = [equation.equation for equation in topic.equations]
    return {"topic": topic.id, "label": topic.label, "share": round(topic.share, 4),
            "words": topic.words, "tokens": topic.tokens, "equations": equations}  # fmt: skip


def topics_table(topics: "list[Topic]") -> Table:
    table = Table("topic", "share", "words", "tokens")
    for topic in topics:
        words, tokens = Text(" ".join(topic.words)), Text(" ".join(topic.tokens))
        table.add_row(str(topic.id), f"{topic.share:.1%}", words, tokens)
    return table
