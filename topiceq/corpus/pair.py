"""One equation with its context, and the Parquet file that holds many of them.

In goes a stream of `Pair`, out comes one Parquet file with the columns of `SCHEMA`, and back. The
same pairs always give the same bytes, the file appears under its name only when it is complete,
and neither direction holds more than one group of rows in memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from topiceq.errors import CorpusError
from topiceq.files import replacing

ROWS = 2_000  # in one row group: a few megabytes of text, the unit of lazy reading

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("article", pa.string()),
        ("file", pa.string()),
        ("line", pa.int32()),
        ("field", pa.string()),
        ("section", pa.string()),
        ("equation", pa.string()),
        ("expanded", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("before", pa.list_(pa.string())),
        ("after", pa.list_(pa.string())),
        ("words", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One equation with its context: five sentences before it and five after."""

    id: str
    article: str
    file: str  # where it stands: the path below what was given to extract, and the line in it
    line: int
    field: str  # empty where the article has none
    section: str
    equation: str  # as written
    expanded: str  # macros expanded
    tokens: list[str]  # normal form
    before: list[str]  # may contain inline math between $ signs; before[-1] touches the equation
    after: list[str]  # after[0] touches the equation
    words: list[str]  # of all the sentences, in reading order

    @property
    def immediate(self) -> list[str]:
        """The immediate context: the last sentence before the equation, the first after it."""
        return self.before[-1:] + self.after[:1]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    """Write the pairs as one Parquet file, and return how many they were."""
    return write_batches(path, _batches(pairs))


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of one Parquet file, or of all Parquet files of a folder in the order of names."""
    for file in _files(Path(path)):
        for batch in read_batches(file):
            for row in batch.to_pylist():
                yield Pair(**row)


def write_batches(path: Path, batches: Iterable[pa.RecordBatch]) -> int:
    """Write Arrow batches as `write_pairs` writes pairs, regrouped into groups of `ROWS` rows."""
    rows = 0
    try:
        with (
            replacing(Path(path)) as partial,
            pq.ParquetWriter(partial, SCHEMA, compression="zstd") as writer,
        ):
            for table in _regrouped(batches):
                writer.write_table(table)
                rows += table.num_rows
    except OSError as error:
        raise CorpusError(f"Cannot write the pairs to '{path}': {error}.") from error
    return rows


def read_batches(path: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of one Parquet file, a group at a time; only the named columns are read."""
    with open_pairs(path) as file:
        yield from file.iter_batches(ROWS, columns=columns)


def read_column(path: Path, name: str) -> Iterator[Any]:
    """The values of one column, one after the other."""
    for batch in read_batches(path, [name]):
        yield from batch[name].to_pylist()


def immediate(batch: pa.RecordBatch) -> Iterator[list[str]]:
    """The immediate contexts of a batch that has the columns before and after."""
    for before, after in zip(batch["before"].to_pylist(), batch["after"].to_pylist(), strict=True):
        yield before[-1:] + after[:1]


def open_pairs(path: Path) -> pq.ParquetFile:
    """Open a Parquet file of pairs, reading nothing but its footer."""
    try:
        file = pq.ParquetFile(path, memory_map=True)
    except (OSError, pa.ArrowException) as error:
        raise CorpusError(f"'{path}' is not a readable Parquet file: {error}.") from error
    if not file.schema_arrow.equals(SCHEMA):
        file.close()
        raise CorpusError(f"'{path}' does not hold pairs. Columns of pairs: {_columns()}.")
    return file


def _columns() -> str:
    return ", ".join(SCHEMA.names)


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise CorpusError(f"There is no '{path}'. Give a Parquet file of pairs or their folder.")
    if not path.is_dir():
        return [path]
    if files := sorted(path.glob("*.parquet")):
        return files
    raise CorpusError(f"'{path}' has no pairs. Make some: topiceq extract ARTICLES -o {path}")


def _batches(pairs: Iterable[Pair]) -> Iterator[pa.RecordBatch]:
    stream = iter(pairs)
    while rows := list(islice(stream, ROWS)):
        columns = [[getattr(pair, name) for pair in rows] for name in SCHEMA.names]
        arrays = [
            pa.array(column, type) for column, type in zip(columns, SCHEMA.types, strict=True)
        ]
        yield pa.record_batch(arrays, schema=SCHEMA)


def _regrouped(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Tables of exactly `ROWS` rows and one chunk: the bytes do not depend on how rows came in."""
    waiting = SCHEMA.empty_table()
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch], SCHEMA)])
        while waiting.num_rows >= ROWS:
            yield waiting.slice(0, ROWS).combine_chunks()
            waiting = waiting.slice(ROWS)
    if waiting.num_rows:
        yield waiting.combine_chunks()
