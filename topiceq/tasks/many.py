"""Many equations: a file of them in, a Parquet file of their topics out, part by part.

In goes Parquet (a column of equations, perhaps one of contexts), JSON lines (a key for each) or
text (an equation a line); out comes one row for each, in order, with the columns that are to be
kept. A part is some thousand rows, read where it is worked on, and one file beside the output: what
was finished before an interruption is not done again, in whatever process, on whatever machine.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import topiceq
from topiceq.cluster import results
from topiceq.corpus.parquet import writing
from topiceq.errors import QuestionError
from topiceq.files import alone_with, told, write_text
from topiceq.model.processes import one_thread
from topiceq.model.run import EQUATIONS, WEIGHTS, Run
from topiceq.questions import InferFile
from topiceq.tasks.infer import contexts_topics, equation_topics
from topiceq.tasks.read import Equation, Floats, read_rows

ROWS = 5_000  # of a part: some tens of megabytes while it is worked on
SUFFIXES = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".txt": "text"}
KEY = b"topiceq"  # in the metadata of the output: what it was made of
EMPTY = "The context is empty. Give a few sentences around the equation."

Watch = Callable[[int, int], None]  # rows done, and how many of them cannot be read
Texts = Sequence[str | None]


# -- tables ------------------------------------------------------------------------------------


def topics_table(
    run: Run, equations: Texts | None, contexts: Texts | None, question: InferFile
) -> pa.Table:
    """Equations, contexts or both of as many rows -> their topics as a table."""
    errors, read = _read(run, equations, contexts)
    good = [n for n, error in enumerate(errors) if error is None]
    around = None if contexts is None else contexts_topics(run, [contexts[n] or "" for n in good])
    found = around
    if equations is not None:
        theta = None if around is None else around.theta
        found = equation_topics(run, [read[n] for n in good], theta, by=question.by)
    assert found is not None
    known = np.array(found.known, dtype=bool)
    if around is not None:
        known |= np.array(around.known, dtype=bool)
    return _as_table(run, found.theta, known, errors, question)


def _read(
    run: Run, equations: Texts | None, contexts: Texts | None
) -> tuple[list[str | None], list[list[Equation]]]:
    """Why a row cannot be read, and the rows of its equation."""
    if equations is None:
        return [None if text and text.strip() else EMPTY for text in contexts or ()], []
    errors: list[str | None] = []
    read: list[list[Equation]] = []
    for text in equations:
        try:
            read.append(read_rows(text or "", run.tokens))
            errors.append(None)
        except QuestionError as error:
            read.append([])
            errors.append(str(error))
    return errors, read


def _as_table(
    run: Run, theta: Floats, known: Any, errors: list[str | None], question: InferFile
) -> pa.Table:
    """One row for each that was asked about; nothing but the error where it cannot be read."""
    top = min(question.top, theta.shape[1])
    best = np.argsort(-theta, axis=1, kind="stable")[:, :top]
    names = np.array([topic.label for topic in run.topics] or [""] * theta.shape[1])
    place = np.full(len(errors), -1)
    place[[error is None for error in errors]] = np.arange(len(theta))
    at = pa.array(place, mask=place < 0)
    p = np.take_along_axis(theta, best, axis=1)
    columns = {
        "known": pa.array(known, pa.bool_()),
        "topics": _lists(best.astype(np.int32), pa.int32()),
        "p": _lists(p.round(4).astype(np.float32), pa.float32()),
        "labels": _lists(names[best], pa.string()),
    }
    if question.all_topics:
        columns["theta"] = _lists(theta.astype(np.float32), pa.float32())
    taken = {name: column.take(at) for name, column in columns.items()}
    return pa.table(taken | {"error": pa.array(errors, pa.string())})


def _lists(rows: Any, kind: pa.DataType) -> pa.ListArray:
    ends = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(rows.ravel(), kind))


# -- files -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """Some rows of the input, and the file that holds their topics."""

    question: InferFile
    run: str
    first: int  # row
    place: tuple[int, int]  # row group and which slice of it; or byte and number of lines
    rows: int  # of a slice
    path: Path

    def __str__(self) -> str:
        return self.path.stem


def infer_file(
    run: Path,
    question: InferFile,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    watch: Watch | None = None,
) -> dict[str, int]:
    """Write the topics of a file of equations; how many rows, not known, and not readable."""
    source, output = Path(question.input).absolute(), Path(question.output).absolute()
    question = question.model_copy(update={"input": str(source), "output": str(output)})
    kind_of(question)
    try:
        with alone_with(output):
            return _written(run, question, output, jobs, cluster, watch)
    except OSError as error:
        raise QuestionError(told(error, output.parent)) from None


def _written(
    run: Path,
    question: InferFile,
    output: Path,
    jobs: int | None,
    cluster: str | None,
    watch: Watch | None,
) -> dict[str, int]:
    key, folder = _key(run, question), output.with_name(f".{output.name}.parts")
    if (done := _counts(output, key)) is not None:
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed at its very end
        return done
    _prepare(folder, key)
    done = {"rows": 0, "unknown": 0, "errors": 0}
    paths = []
    for part, found in results(work, parts(run, question, folder), finished=finished, jobs=jobs,
                               cluster=cluster):  # fmt: skip
        paths.append(part.path)
        done = {name: done[name] + found[name] for name in done}
        if watch:
            watch(done["rows"], done["errors"])
    _join(paths, output, key)
    shutil.rmtree(folder)
    return done


def parts(run: Path, question: InferFile, folder: Path) -> Iterator[Part]:
    """The input, cut."""
    cut = _row_groups if kind_of(question) == "parquet" else _lines
    for number, (first, place) in enumerate(cut(Path(question.input))):
        path = folder / f"{number:08d}.parquet"
        yield Part(question, str(run.absolute()), first, place, ROWS, path)


def kind_of(question: InferFile) -> str:
    """What kind of file the input is; QuestionError if it cannot be read, or lacks a column."""
    path = Path(question.input)
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise QuestionError(
            f"'{path}' is no kind of file that is read. Give one of: {', '.join(SUFFIXES)}."
        )
    try:
        there = _columns(path, kind)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise QuestionError(f"The equations '{path}' cannot be read: {error}.") from None
    for name in question.needed if there is not None else ():
        if name not in (there or ()):
            raise QuestionError(
                f"'{path}' has no column '{name}'. It has: {', '.join(there or ())}."
            )
    return kind


def _columns(path: Path, kind: str) -> list[str] | None:
    """The columns of a file, in JSON lines those of the first; text has none."""
    if kind == "parquet":
        return list(pq.read_schema(path).names)
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    return list(json.loads(first)) if kind == "jsonl" and first.strip() else None


def _row_groups(path: Path) -> Iterator[tuple[int, tuple[int, int]]]:
    with pq.ParquetFile(path) as file:
        sizes = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    first = 0
    for group, size in enumerate(sizes):
        for piece in range(-(-size // ROWS)):
            yield first + piece * ROWS, (group, piece)
        first += size


def _lines(path: Path) -> Iterator[tuple[int, tuple[int, int]]]:
    with path.open("rb") as file:
        first = 0
        while True:
            start, count = file.tell(), sum(1 for _ in islice(iter(file.readline, b""), ROWS))
            if not count:
                return
            yield first, (start, count)
            first += count


# -- parts -------------------------------------------------------------------------------------


def work(part: Part) -> dict[str, int]:
    """Write the topics of a part."""
    one_thread()
    question = part.question
    table = _rows_of(part)
    equations, contexts = (
        table[name].to_pylist() if name in table.column_names else None
        for name in (question.column, question.context_column)
    )
    found = topics_table(_opened(part.run), equations, contexts, question)
    for name in reversed(question.keep or []):
        found = found.add_column(0, name, table[name])
    rows = pa.array(range(part.first, part.first + len(found)), pa.int64())
    found = found.add_column(0, "row", rows)
    with writing(part.path, found.schema, "topics") as written:
        for batch in found.combine_chunks().to_batches():
            written.write(batch)
    return _counted(found)


@lru_cache(maxsize=1)
def _opened(folder: str) -> Run:
    return Run.load(folder)


def finished(part: Part) -> dict[str, int] | None:
    """What there is in a part that was written before."""
    try:
        return _counted(pq.read_table(part.path, columns=["known", "error"]))
    except (OSError, pa.ArrowException):
        return None


def _counted(table: pa.Table) -> dict[str, int]:
    rows, silent = len(table), pc.sum(pc.invert(table["known"])).as_py()
    return {"rows": rows, "unknown": silent or 0, "errors": rows - table["error"].null_count}


def _rows_of(part: Part) -> pa.Table:
    """The rows of a part, of the columns that are needed."""
    path, names = Path(part.question.input), part.question.needed
    start, count = part.place
    kind = SUFFIXES[path.suffix.lower()]
    if kind == "parquet":
        with pq.ParquetFile(path) as file:
            batches = file.iter_batches(part.rows, row_groups=[start], columns=names)
            return pa.table(next(islice(batches, count, None)))
    with path.open("rb") as file:
        file.seek(start)
        lines = [line.decode("utf-8", "replace").rstrip("\r\n") for line in islice(file, count)]
    if kind == "text":
        return pa.table({part.question.column: pa.array(lines, pa.string())})
    found = [_of_json(line) for line in lines]
    return pa.table({n: pa.array([_text(row.get(n)) for row in found], pa.string()) for n in names})


def _of_json(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


# -- the whole ---------------------------------------------------------------------------------


def _key(run: Path, question: InferFile) -> str:
    """What the output is made of: other input, weights or settings, another output."""
    made = [topiceq.__version__, question.model_dump_json()]
    for path in (Path(question.input), run / WEIGHTS, run / EQUATIONS):
        if path.exists():
            made.append(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}")
    return hashlib.sha256("\n".join(made).encode()).hexdigest()


def _counts(output: Path, key: str) -> dict[str, int] | None:
    """What is in an output that is complete and up to date."""
    try:
        if (pq.read_schema(output).metadata or {}).get(KEY) != key.encode():
            return None
        return _counted(pq.read_table(output, columns=["known", "error"]))
    except (OSError, pa.ArrowException):
        return None


def _prepare(folder: Path, key: str) -> None:
    """A folder for the parts beside the output; parts that were made of something else go."""
    if not (folder / "key").exists() or (folder / "key").read_text() != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_text(folder / "key", key)


def _join(paths: list[Path], output: Path, key: str) -> None:
    """All parts as one file."""
    if not paths:
        raise QuestionError("The input has no rows. Give at least one equation.")
    schema = pq.read_schema(paths[0]).with_metadata({KEY: key.encode()})
    with writing(output, schema, "topics") as written:
        for path in paths:
            for batch in pq.ParquetFile(path).iter_batches():
                written.write(batch.cast(schema))
