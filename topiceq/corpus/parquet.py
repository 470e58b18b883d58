"""Parquet files of one schema, written and read a group of rows at a time.

The same rows always give the same bytes, however they were cut into batches; a file appears under
its name only when it is complete; neither direction holds more than one group of rows in memory.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from topiceq.errors import CorpusError
from topiceq.files import check_plain, replacing

ROWS = 2_000  # in one row group: a few megabytes of text, the unit of lazy reading


class Rows:
    """A Parquet file being written; batches of any size go in, groups of `ROWS` rows come out."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self.count = 0
        self._writer = writer
        self._waiting = schema.empty_table()

    def write(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch."""
        self.count += batch.num_rows
        added = pa.Table.from_batches([batch], self._waiting.schema)
        self._waiting = pa.concat_tables([self._waiting, added])
        while self._waiting.num_rows >= ROWS:
            self._write(self._waiting.slice(0, ROWS))
            self._waiting = self._waiting.slice(ROWS)

    def close(self) -> None:
        """Write what still waits."""
        if self._waiting.num_rows:
            self._write(self._waiting)

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table.combine_chunks())  # one chunk, whatever it came in


@contextmanager
def writing(path: Path, schema: pa.Schema, what: str) -> Iterator[Rows]:
    """A file to write rows to; `what` says what they are if that fails."""
    try:
        with (
            replacing(Path(path)) as partial,
            pq.ParquetWriter(partial, schema, compression="zstd") as writer,
        ):
            rows = Rows(writer, schema)
            yield rows
            rows.close()
    except OSError as error:
        raise CorpusError(f"Cannot write the {what} to '{path}': {error}.") from error


def open_parquet(path: Path, schema: pa.Schema, what: str) -> pq.ParquetFile:
    """Open a Parquet file, reading nothing but its footer; CorpusError if it has other columns."""
    try:
        check_plain(path)
        file = pq.ParquetFile(path, memory_map=True)
        check_rows(file.metadata.num_rows, path)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise CorpusError(f"'{path}' is not a readable Parquet file: {error}.") from error
    if not file.schema_arrow.equals(schema):
        file.close()
        columns = ", ".join(schema.names)
        raise CorpusError(f"'{path}' does not hold {what}. Columns of {what}: {columns}.")
    return file


def check_rows(rows: int, path: Path) -> None:
    """ValueError for more rows than bytes: nobody wrote them, and they fill any memory."""
    if rows > (size := path.stat().st_size):
        raise ValueError(f"it has {rows:,} rows in {size:,} bytes")


def read_whole(
    file: pq.ParquetFile, path: Path, columns: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of a file, a group at a time; CorpusError if anything is missing in them."""
    try:
        for batch in file.iter_batches(ROWS, columns=columns):
            batch.validate(full=True)  # text that is no Unicode
            if gap := next((n for n in batch.schema.names if _has_gaps(batch[n])), None):
                raise CorpusError(f"'{path}' has gaps: some rows have no {gap}.")
            yield batch
    except (OSError, pa.ArrowException) as error:
        raise CorpusError(f"'{path}' cannot be read: {error}.") from error


def _has_gaps(column: pa.Array) -> bool:
    inner = column.flatten() if pa.types.is_list(column.type) else column
    return bool(column.null_count or inner.null_count)


def batches_of(records: Iterable[Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Records that have the schema's names as attributes, as columns."""
    stream = iter(records)
    while rows := list(islice(stream, ROWS)):
        columns = [[getattr(row, name) for row in rows] for name in schema.names]
        arrays = [
            pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)
        ]
        yield pa.record_batch(arrays, schema=schema)
