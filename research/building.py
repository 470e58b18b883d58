"""What articles of all kinds give, how long that takes and how much memory."""

import json
import resource
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, Literal

from research.entries import Entry, report
from topiceq.config import CorpusConfig
from topiceq.corpus.shards import all_dropped, extract_shards
from topiceq.corpus.store import Corpus


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
