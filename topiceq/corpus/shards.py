"""Articles in, a folder of Parquet shards out: in parallel, resumable, the same whatever the jobs.

Sources are dealt to shards in their stable order, so a shard depends on its own sources alone. A
finished shard has a record beside it (`00007.json`) with a key of what went in; a later run with
the same key leaves it alone.
"""

import hashlib
import json
import multiprocessing
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from topiceq.article.source import Source, sources
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition, write_definitions
from topiceq.corpus.extract import Dropped, contents
from topiceq.corpus.pair import DEFINITIONS, Pair, write_pairs
from topiceq.errors import CorpusError
from topiceq.files import write_text

SHARD_BYTES = 4_000_000  # of LaTeX in one shard
FORMAT = 3  # raised when the same sources give other pairs or definitions


@dataclass(frozen=True)
class Shard:
    """Some sources, the file their pairs go to, and a key that tells whether it is up to date."""

    path: Path
    sources: tuple[Source, ...]
    config: CorpusConfig

    @property
    def record(self) -> Path:
        return self.path.with_suffix(".json")

    @property
    def dropped(self) -> Path:
        return self.path.with_suffix(".dropped.jsonl")

    @property
    def definitions(self) -> Path:
        return self.path.with_suffix(DEFINITIONS)

    @property
    def key(self) -> str:
        parts = [str(FORMAT), self.config.model_dump_json(), *(s.key for s in self.sources)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Extracted:
    """What a run of extraction found: numbers of articles and pairs, and of each reason."""

    articles: int
    pairs: int
    reasons: dict[str, int]

    def __add__(self, other: "Extracted") -> "Extracted":
        reasons = Counter(self.reasons) + Counter(other.reasons)
        return Extracted(
            self.articles + other.articles, self.pairs + other.pairs, dict(sorted(reasons.items()))
        )


Watch = Callable[[Extracted, float], None]


def extract_shards(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    field: str | Path = "folder",
    jobs: int | None = None,
    config: CorpusConfig | None = None,
    watch: Watch | None = None,
) -> Extracted:
    """Extract the pairs below some paths into a folder of Parquet shards.

    `watch` is called with the running total and the seconds after each shard. An interrupted run
    is completed by calling again.
    """
    folder = _folder(Path(out))
    shards = plan(sources(paths, field=field), folder, config or CorpusConfig())
    total, start = Extracted(0, 0, {}), time.monotonic()
    kept: set[str] = set()
    for shard, found in _results(shards, jobs or os.cpu_count() or 1):
        own = shard.path, shard.definitions, shard.dropped, shard.record
        kept.update(path.name for path in own)
        total += found
        if watch:
            watch(total, time.monotonic() - start)
    _remove_others(folder, kept)
    write_text(folder / "extract.json", json.dumps(asdict(total), indent=1) + "\n")
    return total


def shard_files(folder: str | Path) -> list[Path]:
    """The Parquet files that an extraction wrote, in order."""
    found = [f for f in sorted(Path(folder).glob("[0-9]*.parquet"))
             if not f.name.endswith(DEFINITIONS)]  # fmt: skip
    if not found:
        raise CorpusError(f"'{folder}' holds no pairs. Run: topiceq extract ARTICLES -o {folder}")
    return found


def all_dropped(folder: str | Path) -> Iterator[str]:
    """What was dropped, as JSON lines, in order."""
    for path in sorted(Path(folder).glob("[0-9]*.dropped.jsonl")):
        yield from path.read_text(encoding="utf-8").splitlines()


def plan(found: Iterable[Source], folder: Path, config: CorpusConfig) -> Iterator[Shard]:
    """Deal sources to shards of about the same size."""
    some: list[Source] = []
    number = 0
    for source in found:
        if some and sum(s.size for s in some) + source.size > SHARD_BYTES:
            yield Shard(folder / f"{number:05d}.parquet", tuple(some), config)
            some, number = [], number + 1
        some.append(source)
    if some:
        yield Shard(folder / f"{number:05d}.parquet", tuple(some), config)


def _results(shards: Iterable[Shard], jobs: int) -> Iterator[tuple[Shard, Extracted]]:
    """What each shard holds, in order; at most a few shards wait at a time."""
    if jobs == 1:
        for shard in shards:
            yield shard, finished(shard) or work(shard)
        return
    kind = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(kind)
    waiting: deque[tuple[Shard, Extracted | Future[Extracted]]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        try:
            for shard in shards:
                waiting.append((shard, finished(shard) or pool.submit(work, shard)))
                if len(waiting) >= 4 * jobs:
                    yield _done(waiting)
            while waiting:
                yield _done(waiting)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _done(waiting: "deque[tuple[Shard, Extracted | Future[Extracted]]]") -> tuple[Shard, Extracted]:
    shard, found = waiting.popleft()
    return shard, found if isinstance(found, Extracted) else found.result()


def finished(shard: Shard) -> Extracted | None:
    """The record of a shard that is complete and up to date."""
    try:
        record = json.loads(shard.record.read_text(encoding="utf-8"))
        is_whole = shard.path.exists() and shard.definitions.exists()
        if record.pop("key") == shard.key and is_whole:
            return Extracted(**record)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def work(shard: Shard) -> Extracted:
    """Extract one shard: pairs, definitions, what was dropped; last the record that it is whole."""
    articles: set[str] = set()
    dropped: list[Dropped] = []
    definitions: list[SymbolDefinition] = []
    count = write_pairs(shard.path, _sorted_out(shard, articles, dropped, definitions))
    write_definitions(shard.definitions, definitions)
    lines = [json.dumps(asdict(d), ensure_ascii=False) + "\n" for d in dropped]
    write_text(shard.dropped, "".join(lines))
    reasons = dict(sorted(Counter(d.reason for d in dropped).items()))
    found = Extracted(len(articles), count, reasons)
    record = {"key": shard.key, **asdict(found)}
    write_text(shard.record, json.dumps(record, indent=1) + "\n")
    return found


def _sorted_out(
    shard: Shard,
    articles: set[str],
    dropped: list[Dropped],
    definitions: list[SymbolDefinition],
) -> Iterator[Pair]:
    for source in shard.sources:
        for article in source.articles():
            for found in contents(article, shard.config):
                if isinstance(found, SymbolDefinition):
                    definitions.append(found)
                    continue
                articles.add(found.article)
                if isinstance(found, Pair):
                    yield found
                else:
                    dropped.append(found)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / ".writable").touch()
        (path / ".writable").unlink()
    except OSError as error:
        raise CorpusError(
            f"Cannot write to '{path}': {error.strerror}. Name a folder that can be written."
        ) from None
    return path


def _remove_others(folder: Path, kept: set[str]) -> None:
    """Shards of an earlier, larger run are not part of this one."""
    for path in folder.glob("[0-9]*.*"):
        if path.name not in kept:
            path.unlink()
