"""extract, build, stats: articles -> pairs -> a corpus."""

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topiceq.cli.app import (
    AsTable,
    Cache,
    Cluster,
    Field,
    Jobs,
    Overrides,
    app,
    counts_table,
    progress,
    show,
)
from topiceq.errors import ConfigError, CorpusError
from topiceq.files import write_text

if TYPE_CHECKING:  # reading a corpus takes longer to import than most verbs
    from topiceq.config import Config
    from topiceq.corpus.shards import Extracted, Part
    from topiceq.corpus.store import Corpus


@app.command()
def extract(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the pairs (Parquet).")],
    articles: Annotated[
        list[str] | None,
        typer.Argument(help="Folders, files, archives, or articles of arXiv (arXiv:ID)."),
    ] = None,
    arxiv: Annotated[
        Path | None, typer.Option(help="A file with ids of arXiv, one a line, to be fetched.")
    ] = None,
    cache: Cache = None,
    field: Field = "folder",
    jobs: Jobs = None,
    cluster: Cluster = None,
    part: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Only part I of N, for job arrays; then --merge."),
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Complete the folder when all parts are done.")
    ] = False,
    explain_dropped: Annotated[
        Path | None,
        typer.Option(help="Write what was dropped, where and why, as JSON lines to this file."),
    ] = None,
    overrides: Overrides = None,
    table: AsTable = None,
) -> None:
    """Articles -> pairs of a display equation and its context. Resumes where it was stopped."""
    from topiceq.config import load_config
    from topiceq.corpus.shards import Part

    if merge and (part or cluster):
        raise ConfigError("--merge does no work of its own. Leave --part and --cluster out.")
    config, shared = load_config(None, overrides or ()), Part.read(part) if part else None
    given = articles_of(articles, arxiv)
    if merge:
        found = run_merge(given, out, field=field, config=config, cache=cache)
    else:
        found = run_extraction(given, out, field=field, jobs=jobs, config=config, cluster=cluster,
                               part=shared, cache=cache)  # fmt: skip
    if explain_dropped:
        write_dropped(explain_dropped, out)
    summary = {"articles": found.articles, "pairs": found.pairs, "reasons": found.reasons}
    counts = {"articles": found.articles, "pairs": found.pairs}
    dropped = {f"dropped: {reason}": number for reason, number in found.reasons.items()}
    show(summary, table, lambda: counts_table(str(out), counts | dropped))


def articles_of(articles: list[str] | None, ids: Path | None) -> list[str]:
    """The sources that were named, and those of a file of ids."""
    from topiceq.article.arxiv import read_ids

    given = [*(articles or ()), *(read_ids(ids) if ids else ())]
    if not given:
        raise CorpusError("No articles are given. Name folders, files or archives, or --arxiv IDS.")
    return given


def write_dropped(path: Path, pairs: Path) -> None:
    from topiceq.corpus.shards import all_dropped

    try:
        write_text(path, "".join(line + "\n" for line in all_dropped(pairs)))
    except OSError as error:
        raise CorpusError(f"Cannot write '{path}': {error.strerror}.") from None


def run_extraction(
    articles: list[str],
    out: Path,
    *,
    config: "Config",
    field: str = "folder",
    jobs: int | None = None,
    cluster: str | None = None,
    part: "Part | None" = None,
    cache: Path | None = None,
) -> "Extracted":
    """Extract with a progress bar on standard error."""
    from topiceq.article.arxiv import Library
    from topiceq.article.unread import printed
    from topiceq.corpus.shards import Extracted, extract_shards

    with progress("extracting") as say:

        def watch(total: Extracted, seconds: float) -> None:
            rate = total.articles / max(seconds, 1e-9)
            say(f"{total.articles:,} articles ({rate:.0f}/s), {total.pairs:,} pairs")

        found = extract_shards(
            articles, out, field=field, jobs=jobs, config=config.corpus, watch=watch,
            cluster=cluster, part=part, library=Library(cache),
        )  # fmt: skip
    pages = printed(articles)
    return replace(found, reasons=found.reasons | {"print": pages}) if pages else found


def run_merge(
    articles: list[str], out: Path, *, config: "Config", field: str, cache: Path | None
) -> "Extracted":
    from topiceq.article.arxiv import Library
    from topiceq.corpus.shards import merge_shards

    with progress("merging"):
        library = Library(cache)
        return merge_shards(articles, out, field=field, config=config.corpus, library=library)


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

    changes = list(overrides or ()) + ([f"corpus.split={split}"] if split else [])
    config = load_config(None, changes)
    corpus, reasons = built(pairs, out, config, field=field, jobs=jobs, phrases=phrases)
    dropped = {f"dropped: {reason}": number for reason, number in reasons.items()}
    told = {"corpus": str(out), "pairs": corpus.counts} | ({"reasons": reasons} if reasons else {})
    show(told, table, lambda: counts_table(str(out), corpus.counts | dropped))


def built(
    pairs: list[str],
    out: Path,
    config: "Config",
    *,
    field: str = "folder",
    jobs: int | None = None,
    phrases: Path | None = None,
) -> "tuple[Corpus, dict[str, int]]":
    """A corpus of a folder of pairs, or of articles, and the reasons of what these left out.

    The pairs of articles lie in a hidden folder beside the corpus until it is built: where
    extraction was stopped, it goes on.
    """
    from topiceq.corpus.store import Corpus

    folder = Path(pairs[0])
    check_complete(folder)
    if len(pairs) == 1 and (folder / "extract.json").exists():
        with progress("building"):
            return Corpus.build(folder, config=config.corpus, path=out, phrases=phrases), {}
    folder = out.resolve().parent / f".{out.resolve().name}.pairs"
    try:
        found = run_extraction(pairs, folder, field=field, jobs=jobs, config=config)
    finally:
        with suppress(OSError):  # unless something is finished
            folder.rmdir()
    try:
        with progress("building"):
            corpus = Corpus.build(folder, config=config.corpus, path=out, phrases=phrases)
    except CorpusError:
        shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)
    return corpus, found.reasons


def check_complete(folder: Path) -> None:
    """Refuse a folder in which an extraction has not come to its end."""
    if any(folder.glob("[0-9]*.parquet")) and not (folder / "extract.json").exists():
        raise CorpusError(
            f"'{folder}' is not complete. Run its 'topiceq extract' again, after parts with "
            "--merge."
        )


@app.command()
def stats(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")], table: AsTable = None
) -> None:
    """What a corpus holds: pairs, lengths, vocabularies, the most frequent items."""
    from topiceq.corpus.stats import render
    from topiceq.corpus.store import Corpus

    found = Corpus.load(corpus).stats()
    show(found, table, lambda: render(found))
