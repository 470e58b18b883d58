"""extract, build, stats: articles -> pairs -> a corpus."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topiceq.cli.app import AsTable, Field, Jobs, Overrides, app, counts_table, progress, show
from topiceq.errors import CorpusError
from topiceq.files import write_text

if TYPE_CHECKING:  # reading a corpus takes longer to import than most verbs
    from topiceq.config import Config
    from topiceq.corpus.shards import Extracted


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
    from topiceq.config import load_config

    config = load_config(None, overrides or ())
    found = run_extraction(papers, out, field=field, jobs=jobs, config=config)
    if explain_dropped:
        write_dropped(explain_dropped, out)
    summary = {"articles": found.articles, "pairs": found.pairs, "reasons": found.reasons}
    counts = {"articles": found.articles, "pairs": found.pairs}
    dropped = {f"dropped: {reason}": number for reason, number in found.reasons.items()}
    show(summary, table, lambda: counts_table(str(out), counts | dropped))


def write_dropped(path: Path, pairs: Path) -> None:
    from topiceq.corpus.shards import all_dropped

    try:
        write_text(path, "".join(line + "\n" for line in all_dropped(pairs)))
    except OSError as error:
        raise CorpusError(f"Cannot write '{path}': {error.strerror}.") from None


def run_extraction(
    papers: list[str], out: Path, *, field: str, jobs: int | None, config: "Config"
) -> "Extracted":
    """Extract with a progress bar on standard error."""
    from topiceq.corpus.shards import Extracted, extract_shards

    with progress("extracting") as say:

        def watch(total: Extracted, seconds: float) -> None:
            rate = total.articles / max(seconds, 1e-9)
            say(f"{total.articles:,} articles ({rate:.0f}/s), {total.pairs:,} pairs")

        return extract_shards(
            papers, out, field=field, jobs=jobs, config=config.corpus, watch=watch
        )


@app.command()
def build(
    pairs: Annotated[
        list[str], typer.Argument(help="A folder of pairs, or articles (then it extracts first).")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the corpus.")],
    split: Annotated[
        str | None,
        typer.Option(
            help="Percentages of train/valid/test, articles whole; 0/0/100 for evaluation only. "
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
    """Pairs -> a corpus: splits by repository, vocabularies from train, phrases, definitions."""
    from topiceq.config import load_config
    from topiceq.corpus.store import Corpus

    changes = list(overrides or ()) + ([f"corpus.split={split}"] if split else [])
    config = load_config(None, changes)
    with tempfile.TemporaryDirectory(prefix="topiceq-") as temporary:
        folder = Path(pairs[0])
        if len(pairs) > 1 or not (folder / "extract.json").exists():
            folder = Path(temporary)
            run_extraction(pairs, folder, field=field, jobs=jobs, config=config)
        with progress("building"):
            corpus = Corpus.build(folder, config=config.corpus, path=out, phrases=phrases)
    show({"corpus": str(out), "pairs": corpus.counts}, table,
         lambda: counts_table(str(out), corpus.counts))  # fmt: skip


@app.command()
def stats(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")], table: AsTable = None
) -> None:
    """What a corpus holds: pairs, lengths, vocabularies, the most frequent items."""
    from topiceq.corpus.stats import render
    from topiceq.corpus.store import Corpus

    found = Corpus.load(corpus).stats()
    show(found, table, lambda: render(found))
