"""What corpora are made of, how long that takes and how much memory."""

import json
import multiprocessing
import os
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

import pyarrow as pa

from research.entries import Entry, report
from topiceq.config import CorpusConfig
from topiceq.corpus.pair import SCHEMA, write_batches
from topiceq.corpus.parquet import ROWS
from topiceq.corpus.shards import all_dropped, extract_shards
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus

SHARD = 5_000  # pairs in a file, about what a shard of `topiceq extract` holds
GOAL = 10_000_000


def build(
    corpus: Annotated[Path, "real pairs, each once"],
    *,
    sizes: Annotated[tuple[int, ...], "pairs to build from"] = (10_000, 40_000, 160_000),
) -> None:
    """Time and memory of `build` at several sizes, and what ten million pairs would take.

    A corpus that is too small is repeated, each time with other ids, repositories and equations,
    so that no pair is a duplicate. Each size is built in a process of its own, whose memory before
    it begins (libraries, mostly) counts too. The extrapolation is the line through the two largest
    sizes, of processor time: other work on the machine makes the seconds longer. On Linux. Writes
    results/build.json.
    """
    rows = [_measured(Corpus.load(corpus), size) for size in sorted(sizes)]
    report("build", {
        "corpus": corpus.name,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "sizes": rows,
        "extrapolated": extrapolated(rows, GOAL),
    })  # fmt: skip


def extrapolated(rows: list[Entry], pairs: int) -> Entry:
    """Time and memory on the line through the two largest sizes."""
    (*_, one, other) = rows
    found: Entry = {"pairs": pairs}
    for name in ("processor_seconds", "megabytes"):
        slope = (other[name] - one[name]) / (other["pairs"] - one["pairs"])
        found[name] = round(other[name] + slope * (pairs - other["pairs"]))
    return found


def _measured(corpus: Corpus, size: int) -> Entry:
    with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
        _write_shards(corpus, size, Path(folder, "pairs"))
        fresh = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=fresh) as pool:
            return pool.submit(_build, Path(folder)).result()


def _build(folder: Path) -> Entry:
    began, before = time.perf_counter(), sum(os.times()[:2])
    corpus = Corpus.build(folder / "pairs", path=folder / "corpus")
    kept = sum(corpus.counts[name] for name in SPLITS)
    return {
        "pairs": kept,
        "articles": corpus.counts["articles"],
        "left_out": corpus.counts["duplicate"] + corpus.counts["near_duplicate"],
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(sum(os.times()[:2]) - before, 1),
        "megabytes": round(_peak() / 1024),
    }


def _peak() -> int:
    """The most kilobytes that this process held; getrusage would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def _write_shards(corpus: Corpus, size: int, folder: Path) -> None:
    folder.mkdir()
    batches, left = _repeated(corpus), size
    for number in count():
        some: list[pa.RecordBatch] = []
        while left and sum(batch.num_rows for batch in some) < SHARD:
            some.append(next(batches)[:left])
            left -= some[-1].num_rows
        if not some:
            return
        write_batches(folder / f"{number:05}.parquet", some)


def _repeated(corpus: Corpus) -> Iterator[pa.RecordBatch]:
    """The pairs of a corpus again and again, never the same."""
    for turn in count():
        for name in SPLITS:
            for batch in corpus.split(name).table.to_batches(ROWS):
                yield _changed(batch, turn) if turn else batch


def _changed(batch: pa.RecordBatch, turn: int) -> pa.RecordBatch:
    """Other articles in other repositories, with equations that go on otherwise."""
    columns = batch.to_pydict()
    articles = zip(columns["article"], columns["field"], strict=True)
    columns["article"] = [_renamed(article, field, turn) for article, field in articles]
    columns["id"] = [f"{id}~{turn}" for id in columns["id"]]
    columns["tokens"] = [[*tokens, "+", *str(turn)] for tokens in columns["tokens"]]
    return pa.record_batch(columns, schema=SCHEMA)


def _renamed(article: str, field: str, turn: int) -> str:
    """The same place in another repository."""
    top, slash, rest = article.removeprefix(f"{field}/").partition("/")
    return f"{field}/{top}~{turn}{slash}{rest}"


# -- all that some articles give ---------------------------------------------------------------


def sources(
    articles: Annotated[Path, "a folder, with the fields as its folders"],
    *,
    out: Annotated[Path, "for the pairs and the corpora of both rules"],
    jobs: int = 2,
) -> None:
    """What articles of all kinds give, by the rule of one row and by rows.

    Pairs, reasons of what was dropped, the corpus built from them, seconds, and the most memory
    that a worker held. A run that was stopped goes on; its seconds are then those of what was
    left. Writes results/sources.json.
    """
    report("sources", {
        "articles": articles.name,
        "jobs": jobs,
        **{rows: _extracted(articles, out, rows, jobs) for rows in ("paper", "split")},
    })  # fmt: skip


def _extracted(articles: Path, out: Path, rows: Literal["paper", "split"], jobs: int) -> Entry:
    config, folder = CorpusConfig(rows=rows), out / f"pairs-{rows}"
    resumed, began = folder.exists(), time.perf_counter()
    extracted = extract_shards([articles], folder, config=config, jobs=jobs)
    seconds = time.perf_counter() - began
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    corpus = Corpus.build(folder, config=config, path=out / f"corpus-{rows}")
    stats = corpus.stats()
    return {
        "articles_extracted": extracted.articles,
        "pairs_extracted": extracted.pairs,
        "dropped": extracted.reasons,
        "dropped_by_format": _dropped_by_format(folder),
        "resumed": resumed,
        "seconds": round(seconds),
        "worker_megabytes": round(worker / 1024),
        **{name: stats[name] for name in STATS},
    }


STATS = ("pairs", "articles", "effective_articles", "duplicates", "near_duplicates", "definitions",
         "formats", "fields")  # fmt: skip


def _dropped_by_format(folder: Path) -> dict[str, dict[str, int]]:
    """Suffix -> reason -> displays."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in all_dropped(folder):
        dropped = json.loads(line)
        counts[Path(dropped["file"]).suffix.lower()][dropped["reason"]] += 1
    return {suffix: dict(sorted(counts[suffix].items())) for suffix in sorted(counts)}
