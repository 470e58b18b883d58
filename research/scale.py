"""How time and memory of each stage grow with the corpus, and what ten million pairs would take.

In go articles and a corpus made of them. For each size there are as many articles or pairs as that:
real ones, and, where those do not suffice, copies in other repositories, whose equations go on
otherwise. A stage runs in one process of its own, with what it needs made before.
"""

import hashlib
import multiprocessing
import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice
from pathlib import Path
from typing import Annotated

import pyarrow as pa

from research import entries
from research.entries import Entry, lines, made, read_if
from topiceq.api import PRETRAINED
from topiceq.config import CorpusConfig, load_config
from topiceq.corpus.pair import SCHEMA, pair_files, read_column, write_batches
from topiceq.corpus.parquet import ROWS, writing
from topiceq.corpus.shards import extract_shards
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError
from topiceq.files import replacing_folder
from topiceq.model.train import Training
from topiceq.questions import InferFile
from topiceq.tasks.index import build_index
from topiceq.tasks.many import infer_file

STEPS = 20  # of training, after all that comes before the first one
SIZES = (10_000, 40_000, 160_000)
SHARD = 5_000  # pairs in a file, about what a shard of `topiceq extract` holds
GOAL = 10_000_000
REPOSITORY = 2  # parts of an article's id: field and repository


def scale(
    articles: Annotated[Path, "a folder, with the fields as its folders"],
    corpus: Annotated[Path, "made of them"],
    *,
    out: Annotated[Path, "folder for what is made on the way, to be removed afterwards"],
    sizes: Annotated[tuple[int, ...], "pairs"] = SIZES,
    stages: Annotated[tuple[str, ...], "of extract, build, train, index, infer"] = (
        "extract", "build", "train", "index", "infer"),
) -> None:  # fmt: skip
    """Time and memory of extract, build, the start of training, index and infer at several sizes.

    Processor time of one process, without the start of Python; the most memory that it held, with
    its libraries. Train is all that comes before the first step of the preset `default`, and
    twenty steps. What stands in the results already is not measured again. On Linux. Writes
    results/scale.json.
    """
    if wrong := sorted({*stages} - STAGES.keys()):
        raise CorpusError(f"There is no stage '{wrong[0]}'. There are: {', '.join(STAGES)}.")
    for size in sorted(sizes):
        for stage in stages:
            if not any((row["stage"], row["size"]) == (stage, size) for row in _rows()):
                _keep(
                    {"stage": stage, "size": size, **_measured(stage, articles, corpus, out, size)}
                )


def _rows() -> list[Entry]:
    return list((read_if("scale") or {}).get("rows", ()))


def _keep(row: Entry) -> None:
    """One row more, and the lines through the two largest sizes of each stage anew."""
    print(entries.dumped(row), flush=True)
    rows = sorted([*_rows(), row], key=lambda each: ([*STAGES].index(each["stage"]), each["size"]))
    by_stage: dict[str, list[Entry]] = defaultdict(list)
    for each in rows:
        by_stage[each["stage"]].append(each)
    at_goal = {name: extrapolated(some, GOAL) for name, some in by_stage.items() if len(some) > 1}
    entries.write("scale", made() | {"cores": os.cpu_count(), "rows": rows, "at_goal": at_goal})


def _measured(stage: str, articles: Path, corpus: Path, out: Path, size: int) -> Entry:
    """One stage at one size, in a fresh process, after what it needs was made."""
    if stage == "extract":
        _copied(articles, corpus, size, out / f"articles-{size}")
    elif stage == "infer":
        _equations(corpus, size, out)
    else:
        _made(
            out / f"pairs-{size}", lambda folder: _write_shards(Corpus.load(corpus), size, folder)
        )
    if stage in ("train", "index"):
        _made(out / f"corpus-{size}", lambda folder: _built(out / f"pairs-{size}", folder))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_timed, stage, out, size).result()


def _timed(stage: str, out: Path, size: int) -> Entry:
    load, before = os.getloadavg()[0], sum(os.times()[:2])
    pairs = STAGES[stage](out, size)
    return {
        "pairs": pairs,
        "processor_seconds": round(sum(os.times()[:2]) - before, 1),
        "megabytes": round(_peak() / 1024),
        "load": round(load, 1),
    }


def _peak() -> int:
    """The most kilobytes that this process held; getrusage would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def extrapolated(rows: list[Entry], pairs: int) -> Entry:
    """Time and memory on the line through the two largest sizes."""
    (*_, one, other) = rows
    found: Entry = {"pairs": pairs}
    for name in ("processor_seconds", "megabytes"):
        slope = (other[name] - one[name]) / (other["pairs"] - one["pairs"])
        found[name] = round(other[name] + slope * (pairs - other["pairs"]))
    return found


# -- stages -------------------------------------------------------------------------------------


def _extract(out: Path, size: int) -> int:
    pairs = out / f"extracted-{size}"
    shutil.rmtree(pairs, ignore_errors=True)
    config = CorpusConfig(min_tokens=8)
    return extract_shards([out / f"articles-{size}"], pairs, jobs=1, config=config).pairs


def _build(out: Path, size: int) -> int:
    return _built(out / f"pairs-{size}", out / f"built-{size}")


def _built(pairs: Path, folder: Path) -> int:
    counts = Corpus.build(pairs, config=CorpusConfig(min_tokens=8), path=folder).counts
    return sum(counts[name] for name in SPLITS)


def _train(out: Path, size: int) -> int:
    folder = out / f"run-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    corpus = Corpus.load(out / f"corpus-{size}")
    config = load_config("default", ["train.topic_epochs=0", "train.threads=1"])
    for _ in islice(Training(corpus, config, folder=folder).steps(), STEPS):
        pass
    return sum(corpus.counts[name] for name in SPLITS)


def _index(out: Path, size: int) -> int:
    made = build_index([out / f"corpus-{size}"])
    made.save(out / f"index-{size}")
    return len(made.places)


def _infer(out: Path, size: int) -> int:
    home = out / f"equations-{size}"
    (home / "topics.parquet").unlink(missing_ok=True)
    asked = InferFile(input=str(home / "equations.parquet"), output=str(home / "topics.parquet"))
    return infer_file(PRETRAINED, asked, jobs=1)["rows"]


STAGES: dict[str, Callable[[Path, int], int]] = {
    "extract": _extract, "build": _build, "train": _train, "index": _index, "infer": _infer,
}  # fmt: skip


# -- what they need ------------------------------------------------------------------------------


def _made(folder: Path, fill: Callable[[Path], object]) -> None:
    """A folder that is filled unless it is there."""
    if not folder.exists():
        with replacing_folder(folder) as partial:
            fill(partial)


def _copied(articles: Path, corpus: Path, size: int, folder: Path) -> None:
    """Repositories that give about so many pairs, and copies of them where all are too few."""

    def fill(partial: Path) -> None:
        left = size
        for turn, repository, pairs in _repositories(corpus):
            if left <= 0:
                return
            _copy(articles / repository, partial / repository, f"~{turn}" if turn else "")
            left -= pairs

    _made(folder, fill)


def _copy(repository: Path, copy: Path, mark: str) -> None:
    """A repository under another name; where it is a single article, that one's file."""
    for path in (
        (repository,) if repository.is_dir() else repository.parent.glob(f"{repository.name}.*")
    ):
        to = copy.with_name(f"{repository.name}{mark}{path.name.removeprefix(repository.name)}")
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, to, symlinks=True)
        else:
            shutil.copy(path, to)


def _repositories(corpus: Path) -> Iterator[tuple[int, str, int]]:
    """The repositories of a corpus with their pairs, in no order of size, again and again."""
    pairs: Counter[str] = Counter()
    for name in SPLITS:
        for ids in read_column(corpus / f"{name}.parquet", "article"):
            pairs.update("/".join(id.split("/")[:REPOSITORY]) for id in ids.to_pylist())
    for turn in count():
        for repository in sorted(pairs, key=lambda each: hashlib.sha256(each.encode()).digest()):
            yield turn, repository, pairs[repository]


def _equations(corpus: Path, size: int, out: Path) -> None:
    """So many equations in one file."""
    pairs = out / f"pairs-{size}"
    _made(pairs, lambda folder: _write_shards(Corpus.load(corpus), size, folder))

    def fill(partial: Path) -> None:
        schema = pa.schema([("equation", pa.string())])
        with writing(partial / "equations.parquet", schema, "equations") as rows:
            for column in (c for file in pair_files(pairs) for c in read_column(file, "expanded")):
                rows.write(pa.record_batch([column], schema))

    _made(out / f"equations-{size}", fill)


def _write_shards(corpus: Corpus, size: int, folder: Path) -> None:
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


# -- shown ---------------------------------------------------------------------------------------


def scale_shown() -> str:
    """Seconds and memory of each stage at each size, and on the line through the two largest."""
    found = read_if("scale")
    if found is None:
        return entries.NOT_RUN
    sizes = sorted({row["size"] for row in found["rows"]})
    cells = {(row["stage"], row["size"]): _cell(row) for row in found["rows"]}
    slopes = {stage: _slope(stage, found["rows"]) for stage in found["at_goal"]}
    return lines(
        ["stage", *(f"{size:,} pairs" for size in sizes), "for 1,000 more", "at 10,000,000"],
        ([stage, *(cells.get((stage, size), "") for size in sizes), slopes.get(stage, ""),
          _cell(found["at_goal"][stage]) if stage in found["at_goal"] else ""]
         for stage in STAGES if any(row["stage"] == stage for row in found["rows"])),
    )  # fmt: skip


def _cell(row: Entry) -> str:
    seconds, megabytes = row["processor_seconds"], row["megabytes"]
    time = f"{seconds / 3600:,.1f} h" if seconds > 7200 else f"{seconds:,.1f} s"
    return (
        f"{time}, {megabytes / 1000:,.1f} GB" if megabytes > 9999 else f"{time}, {megabytes:,} MB"
    )


def _slope(stage: str, rows: list[Entry]) -> str:
    (*_, one, other) = (row for row in rows if row["stage"] == stage)
    more = (other["pairs"] - one["pairs"]) / 1000
    seconds = (other["processor_seconds"] - one["processor_seconds"]) / more
    return f"{seconds:.2f} s, {(other['megabytes'] - one['megabytes']) / more:.2f} MB"
