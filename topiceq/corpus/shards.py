"""Articles in, a folder of Parquet shards out: in parallel, resumable, the same whatever the jobs.

Sources are dealt to shards in their stable order, so a shard depends on its own sources alone. A
finished shard has a record beside it (`00000007.json`) with a key of what went in; a later run with
the same key leaves it alone.
"""

import errno
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from topiceq.article.arxiv import Library
from topiceq.article.source import Source, sources
from topiceq.cluster import results
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition, write_definitions
from topiceq.corpus.extract import Dropped, contents
from topiceq.corpus.pair import DEFINITIONS, Pair, write_pairs
from topiceq.errors import ConfigError, CorpusError
from topiceq.files import alone, told, write_text

SHARD_BYTES = 4_000_000  # of LaTeX in one shard
FORMAT = 4  # raised when the same sources give other pairs or definitions
COMPLETE = "extract.json"  # written last, with what was found in all
NETWORK_DELAY = 60.0  # seconds until a file that another machine has written is seen


@dataclass(frozen=True)
class Part:
    """One of `count` runs, from 1 on, which share the shards of one plan."""

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> "Part":
        """A part as it is typed.

        >>> Part.read("3/16")
        Part(number=3, count=16)
        """
        number, slash, count = text.partition("/")
        if not (slash and number.isdecimal() and count.isdecimal()):
            raise ConfigError(f"The part '{text}' is not understood. Write 3/16 for the third.")
        part = cls(int(number), int(count))
        if not 1 <= part.number <= part.count:
            raise ConfigError(f"There is no part {text}. Parts are numbered 1 to {part.count}.")
        return part


@dataclass(frozen=True)
class Shard:
    """Some sources, the file their pairs go to, and a key that tells whether it is up to date."""

    path: Path
    sources: tuple[Source, ...]
    config: CorpusConfig

    def __str__(self) -> str:
        return self.path.stem

    @property
    def record(self) -> Path:
        return _record_of(self.path)

    @property
    def dropped(self) -> Path:
        return _dropped_of(self.path)

    @property
    def definitions(self) -> Path:
        return _definitions_of(self.path)

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
    cluster: str | None = None,
    part: Part | None = None,
    library: Library | None = None,
) -> Extracted:
    """Extract the pairs below some paths, or of articles on arXiv, into a folder of shards.

    `watch` is called with the running total and the seconds after each shard. An interrupted run
    is completed by calling again. `cluster` is the address of a Dask scheduler, whose machines see
    the same files; without it, `jobs` processes work here. With a `part` only its shards are
    extracted, and nothing is removed: `merge_shards` completes the folder when all parts are done.
    """
    rule = str(Path(field).absolute()) if cluster and Path(field).is_file() else field
    with _held(Path(out).absolute(), shared=part is not None) as folder:
        listed = sources(paths, field=rule, library=library)
        planned = plan(listed, folder, config or CorpusConfig())
        shards = islice(planned, part.number - 1, None, part.count) if part else planned
        found = results(work, shards, finished=_finished_or_open, jobs=jobs, cluster=cluster)
        total, start, done = Extracted(0, 0, {}), time.monotonic(), dict[Path, str]()
        for shard, extracted in found:
            done[shard.path] = shard.key
            total += extracted
            if watch:
                watch(total, time.monotonic() - start)
        if cluster:
            _wait_for(done)
        if not part:
            _complete(folder, done, total)
    return total


def merge_shards(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    field: str | Path = "folder",
    config: CorpusConfig | None = None,
    library: Library | None = None,
) -> Extracted:
    """Complete a folder whose parts are done, if none of their shards is missing or out of date."""
    with _held(Path(out).absolute()) as folder:
        listed = sources(paths, field=field, library=library)
        total, done, missing = Extracted(0, 0, {}), dict[Path, str](), list[str]()
        for shard in plan(listed, folder, config or CorpusConfig()):
            done[shard.path] = shard.key
            if (one := finished(shard)) is None:
                missing.append(str(shard))
            else:
                total += one
        if missing:
            some = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise CorpusError(
                f"'{out}' is not complete: {len(missing)} of {len(done)} shards are missing or out "
                f"of date ({some}). Run their parts again, or extract without --part, which does "
                "only these."
            )
        _complete(folder, done, total)
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
            yield Shard(folder / f"{number:08d}.parquet", tuple(some), config)
            some, number = [], number + 1
        some.append(source)
    if some:
        yield Shard(folder / f"{number:08d}.parquet", tuple(some), config)


def _finished_or_open(shard: Shard) -> Extracted | None:
    """As `finished`; a folder in which a shard has yet to be written is no longer complete."""
    found = finished(shard)
    if found is None:
        shard.path.with_name(COMPLETE).unlink(missing_ok=True)
    return found


def finished(shard: Shard) -> Extracted | None:
    """The record of a shard that is complete and up to date."""
    return _recorded(shard.path, shard.key)


def _recorded(path: Path, key: str) -> Extracted | None:
    try:
        record = json.loads(_record_of(path).read_text(encoding="utf-8"))
        is_whole = path.exists() and _definitions_of(path).exists()
        if record.pop("key") == key and is_whole:
            return Extracted(**record)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _record_of(path: Path) -> Path:
    return path.with_suffix(".json")


def _definitions_of(path: Path) -> Path:
    return path.with_suffix(DEFINITIONS)


def _dropped_of(path: Path) -> Path:
    return path.with_suffix(".dropped.jsonl")


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


@contextmanager
def _held(folder: Path, *, shared: bool = False) -> Iterator[Path]:
    """A folder that nobody else fills meanwhile; parts of one plan are filled together."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        with alone(folder, shared=shared):
            yield folder
    except OSError as error:
        raise CorpusError(
            f"{told(error, folder)} What is finished is kept: run this again when that is mended, "
            "or name another folder."
        ) from None


def _wait_for(written: Mapping[Path, str]) -> None:
    """Check that the shards which other machines wrote are here, each with its key."""
    until = time.monotonic() + NETWORK_DELAY
    for path, key in written.items():
        while _recorded(path, key) is None:
            if time.monotonic() > until:
                raise CorpusError(
                    f"'{path}' was written by a worker of the cluster, but is not here. Articles "
                    "and pairs must lie in folders that all its machines share."
                )
            time.sleep(0.2)


def _complete(folder: Path, shards: Mapping[Path, str], total: Extracted) -> None:
    """Say that these shards are all; those of an earlier, larger run are not part of it."""
    if gone := [path for path, key in shards.items() if _recorded(path, key) is None]:
        raise CorpusError(
            f"'{gone[0]}' was written, but is no longer there. Run this again: what is finished is "
            "kept."
        )
    files_of = _record_of, _definitions_of, _dropped_of
    kept = {file for path in shards for file in (path, *(of(path) for of in files_of))}
    for path in (*folder.glob("[0-9]*.*"), *folder.glob(".[0-9]*.partial")):
        if path not in kept:
            path.unlink(missing_ok=True)
    write_text(folder / COMPLETE, json.dumps(asdict(total), indent=1) + "\n")
