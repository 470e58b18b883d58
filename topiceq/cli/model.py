"""config, train, topics; score, compare: a corpus -> a run, what it has learned, and how well."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from topiceq.cli.app import (
    AsTable,
    Overrides,
    Preset,
    app,
    check_run,
    progress,
    run_and,
    show,
    show_all,
)
from topiceq.cli.corpus import built
from topiceq.errors import ConfigError, QuestionError, RunError

if TYPE_CHECKING:  # importing torch takes longer than most verbs
    from topiceq.api import TopicEq
    from topiceq.config import Config
    from topiceq.model.history import TrainingStep
    from topiceq.model.run import Run
    from topiceq.model.topics import Topic
    from topiceq.tasks.articles import Shares


@app.command()
def config(
    preset: Annotated[
        str | None,
        typer.Argument(help="A preset (debug, default, demo, finetune, paper, small) or a file."),
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Print all settings as TOML: the defaults, a preset, with changes."""
    from topiceq.config import load_config

    print(load_config(preset, overrides or ()).to_toml(), end="")


@app.command()
def train(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            show_default=False,
            help="A corpus folder; or articles (folders, files, archives, arXiv:ID), of which a "
            "corpus is built beside the run, to go on from the pretrained model.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the run.")],
    preset: Preset = None,
    overrides: Overrides = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in that folder.")] = False,
    base: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="RUN",
            help="Go on from what this run knows (`default`: the pretrained model), with the "
            "preset finetune. Articles do so unless --config is given.",
        ),
    ] = None,
    new_topics: Annotated[
        int, typer.Option(min=0, help="With --from: so many topics more than that run has.")
    ] = 0,
    table: AsTable = None,
) -> None:
    """Corpus -> a trained run. Prints a record after each epoch; Ctrl-C saves."""
    from topiceq.config import load_config

    are_articles = len(sources) > 1 or not Path(sources[0], "corpus.toml").is_file()
    if are_articles and preset is None:
        base = base or "default"
    if new_topics and base is None:
        raise ConfigError("--new-topics goes with --from: new ones beside those of a run.")
    if not resume:
        check_new(out)
    config = load_config(preset or ("finetune" if base else None), overrides or ())
    path = corpus_beside(out, sources, config, resume) if are_articles else Path(sources[0])
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus

    start = None if base is None else TopicEq.load(None if base == "default" else base)
    model = TopicEq(config)
    as_table = table if table is not None else sys.stdout.isatty()
    steps = model.steps(
        Corpus.load(path), folder=out, resume=resume, base=start, new_topics=new_topics
    )
    kept: TrainingStep | None = None
    with progress("training") as say:
        for step in steps:
            say(step_text(step))
            if step.valid:
                print(epoch_text(step) if as_table else json.dumps(asdict(step)), flush=True)
                kept = step if step.best else kept
    print(closing(kept, path, out, model, from_base=start is not None), file=sys.stderr)


def check_new(out: Path) -> None:
    """RunError if a folder holds a run, before any work is done for another."""
    if (out / "config.toml").is_file():
        raise RunError(
            f"'{out}' already holds a run. Add --resume to go on, or give another folder."
        )


def corpus_beside(out: Path, articles: list[str], config: "Config", resume: bool) -> Path:
    """The corpus of articles, built beside the run; what it holds is said on standard error."""
    path = out.with_name(f"{out.name}.corpus")
    if resume and (path / "corpus.toml").is_file():
        return path
    corpus, reasons = built(articles, path, config)
    counts = corpus.counts
    pairs = sum(counts[name] for name in ("train", "valid", "test"))
    left = ", ".join(f"{number:,} {reason}" for reason, number in reasons.items())
    print(f"{path}: {pairs:,} pairs of {counts['articles']:,} articles; left out: "
          f"{left or 'nothing'}.", file=sys.stderr)  # fmt: skip
    return path


def closing(kept: "TrainingStep | None", corpus: Path, out: Path, model: "TopicEq", *,
            from_base: bool) -> str:  # fmt: skip
    """What came of training: the epoch that was kept, its scores, and what to type next."""
    from topiceq.corpus.store import Corpus
    from topiceq.scores.perplexity import unigram_perplexity

    lines, valid = [], model.run.facts.get("valid", {})
    numbers = " ".join(f"{name} {value:.4g}" for name, value in valid.items())
    if shares := model.run.facts.get("shares"):
        parts = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        lines.append(f"Of what was learned is kept, as the valid split has it best: {parts}. "
                     f"There: {numbers}.")  # fmt: skip
    elif kept is not None:
        lines.append(f"Epoch {kept.epoch} ({kept.phase}) is kept. On the valid split: {numbers}.")
    words = valid.get("words")
    unigram = unigram_perplexity(Corpus.load(corpus), model.run.vocabularies)
    if words is not None and words > unigram:
        advice = "" if from_base else " Go on from the pretrained model: --from default."
        lines.append(
            f"Its words are predicted worse than by counting them (unigram: {unigram:.4g}): too "
            f"little text to learn topics from.{advice}"
        )
    lines.append(f"Next: topiceq topics {out}    topiceq score {out} {corpus}    "
                 f"topiceq infer {out} 'E = m c^2'")  # fmt: skip
    return "\n".join(lines)


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
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] [TOPIC]",
            show_default=False,
            help="A run folder (default: the pretrained model), and a topic to see whole.",
        ),
    ] = None,
    words: Annotated[int, typer.Option(min=1, help="Words of each topic.")] = 8,
    find: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only what is about these words, best first.")
    ] = None,
    articles: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS", help="Write theta of each article of a corpus to --out."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="year|field", help="With --articles: the mean of each year or field."),
    ] = None,
    dates: Annotated[
        Path | None,
        typer.Option(help="With --articles: CSV with an id and a date a line; else arXiv's ids."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="For --articles: a .parquet or .csv file; by year, also .svg."
        ),
    ] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="TOPIC=LABEL", help="Name a topic. Can be repeated.")
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC=TOPIC", help="Count the first as the second in answers."),
    ] = None,
    hide: Annotated[
        list[int] | None, typer.Option(metavar="TOPIC", help="Leave a topic out of answers.")
    ] = None,
    unhide: Annotated[
        list[int] | None, typer.Option(metavar="TOPIC", help="Show it again, unmerged, as found.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="First run the run's self-test.")] = False,
    table: AsTable = None,
) -> None:
    """The topics of a run: words, characteristic tokens, typical equations.

    Names and the like are kept in topics.toml of the run; weights stay as they are.
    """
    run, number = run_and_topic(arguments or [])
    check_run(run)
    check_articles(articles, by, dates, out)
    from topiceq.api import TopicEq
    from topiceq.views.shapes import topic_shape

    model = TopicEq.load(run)
    if check:
        model.run.check()
    if rename or merge or hide or unhide:
        change_topics(run, model, rename or [], merge or [], hide or [], unhide or [])
        model = TopicEq.load(run)
    if articles is not None:
        show_articles(model, articles, by, dates, out, table)
        return
    if number is not None:
        whole = model.topics(words=20, tokens=20, equations=10)
        if number >= len(whole):
            raise QuestionError(
                f"Topic {number} does not exist. This run has topics 0 to {len(whole) - 1}."
            )
        show(topic_shape(whole[number]), table, lambda: topic_table(whole[number]))
        return
    found = list(model.topics(words=words))
    if find is not None:
        p = model.find(find)
        best = sorted((topic for topic in found if topic.is_shown), key=lambda t: -p[t.id])[:10]
        shapes = [topic_shape(topic) | {"p": round(float(p[topic.id]), 4)} for topic in best]
        show_all(shapes, table, lambda: topics_table(best))
        return
    shown = [topic for topic in found if topic.is_shown]
    show_all(map(topic_shape, shown), table, lambda: topics_table(shown))


def run_and_topic(arguments: list[str]) -> tuple[Path | None, int | None]:
    """`[RUN] [TOPIC]`: a topic is a number, unless a run has that name.

    >>> run_and_topic(["42"]), run_and_topic(["runs/te", "42"])
    ((None, 42), (PosixPath('runs/te'), 42))
    """
    rest = list(arguments)
    number = None
    if rest and rest[-1].isdecimal() and not Path(rest[-1], "config.toml").is_file():
        number = int(rest.pop())
    if len(rest) > 1:
        raise QuestionError(f"Too many arguments: {' '.join(arguments)}. Give a run and a topic.")
    return (Path(rest[0]) if rest else None), number


def change_topics(
    run: Path | None,
    model: "TopicEq",
    rename: list[str],
    merge: list[str],
    hide: list[int],
    unhide: list[int],
) -> None:
    """Keep what was asked for in topics.toml of the run."""
    from topiceq.model.steering import check, read_changes, write_changes

    if run is None:
        raise RunError("The pretrained model is not changed. Name a run of your own.")
    count = model.run.config.model.topics
    changes = read_changes(run, count)
    for number in unhide:
        changes.pop(number, None)
    for text in rename:
        number, label = pair_of(text)
        changes.setdefault(number, {})["label"] = label
    for text in merge:
        number, into = pair_of(text)
        if not into.isdecimal():
            raise QuestionError(f"'{text}' is not understood. Write TOPIC=TOPIC, such as 12=7.")
        changes.setdefault(number, {})["into"] = int(into)
    for number in hide:
        changes.setdefault(number, {})["hidden"] = True
    check(changes, count, "topics")
    write_changes(run, changes)


def pair_of(text: str) -> tuple[int, str]:
    """`12=quantum mechanics` -> (12, "quantum mechanics")."""
    number, sign, value = text.partition("=")
    if not number.strip().isdecimal() or not value.strip():
        raise QuestionError(f"'{text}' is not understood. Write TOPIC=LABEL, such as 12=waves.")
    return int(number), value.strip()


def check_articles(
    articles: Path | None, by: str | None, dates: Path | None, out: Path | None
) -> None:
    """What goes with --articles, before a model is loaded."""
    if articles is None:
        if wrong := next((n for n, v in (("by", by), ("dates", dates), ("out", out)) if v), None):
            raise ConfigError(f"--{wrong} goes with --articles CORPUS.")
        return
    if by not in (None, "field", "year"):
        raise ConfigError(f"--by '{by}' is not possible. It is year or field.")
    if by is None and out is None:
        raise ConfigError("--articles CORPUS needs --out FILE, or --by year or field.")
    suffixes = (".parquet", ".csv", ".svg") if by == "year" else (".parquet", ".csv")
    if out is not None and out.suffix not in suffixes:
        raise ConfigError(f"'{out}' is none of {', '.join(suffixes)}. Give one of these.")


def show_articles(
    model: "TopicEq",
    corpus: Path,
    by: str | None,
    dates: Path | None,
    out: Path | None,
    as_table: bool | None,
) -> None:
    """theta of each article, or of each year or field: into a file, or shown."""
    from topiceq.corpus.store import Corpus
    from topiceq.tasks.articles import article_thetas, read_dates, shares

    with progress("reading articles"):
        found = article_thetas(model.run, Corpus.load(corpus), read_dates(dates) if dates else {})
    groups = shares(found, by) if by else None
    if out is not None:
        write_articles(model, found, groups, out)
        show({"out": str(out), "articles": found.num_rows}, as_table,
             lambda: summary(str(out), {"articles": str(found.num_rows)}))  # fmt: skip
    elif groups is not None:
        rows = [share_shape(groups, topic.id, topic.label) for topic in model.topics()]
        show_all(rows, as_table, lambda: shares_table(groups, model))


def write_articles(model: "TopicEq", found: Any, groups: "Shares | None", out: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    from topiceq.files import replacing, write_text
    from topiceq.views.timeline import timeline

    if groups is not None and out.suffix == ".svg":
        labels = [topic.label for topic in model.topics()]
        lines = [(labels[k], groups.theta[:, k].tolist()) for k in groups.changing(8)]
        write_text(out, timeline(groups.groups, lines))
        return
    written = found if groups is None else groups.table()
    with replacing(out) as partial:
        if out.suffix == ".csv":
            pyarrow.csv.write_csv(written, partial)
        else:
            pyarrow.parquet.write_table(written, partial)


def share_shape(groups: "Shares", topic: int, label: str) -> dict[str, Any]:
    shares = zip(groups.groups, groups.theta[:, topic].tolist(), strict=True)
    return {"topic": topic, "label": label, groups.by: {g: round(p, 4) for g, p in shares}}


def shares_table(groups: "Shares", model: "TopicEq") -> Table:
    """The topics that differ most, with their share in each group."""
    table = Table("topic", "label", *groups.groups)
    labels = [topic.label for topic in model.topics()]
    for k in groups.changing(12):
        table.add_row(str(k), Text(labels[k]), *(f"{p:.1%}" for p in groups.theta[:, k].tolist()))
    return table


def topic_table(topic: "Topic") -> Table:
    """All of one topic."""
    return summary(f"topic {topic.id}: {topic.label}", {
        "share": f"{topic.share:.1%}", "words": " ".join(topic.words),
        "tokens": " ".join(topic.tokens),
        "equations": "\n".join(each.equation for each in topic.equations),
    })  # fmt: skip


def summary(title: str, rows: dict[str, str]) -> Table:
    table = Table(show_header=False, title=title, title_justify="left")
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table


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
    run, corpus = run_and(asked, "one corpus")
    check_run(run)
    from topiceq.api import TopicEq
    from topiceq.corpus.store import Corpus

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
