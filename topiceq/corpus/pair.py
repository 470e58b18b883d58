"""One equation with its context, and the Parquet file that holds many of them.

In goes a stream of `Pair`, out comes one Parquet file with the columns of `SCHEMA`, and back: as
pairs, or as Arrow columns where there are many.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from topiceq.corpus.parquet import batches_of, open_parquet, read_whole, writing
from topiceq.errors import CorpusError

DEFINITIONS = ".definitions.parquet"  # how the files end that hold no pairs (definition.py)

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
    return write_batches(path, batches_of(pairs, SCHEMA))


def write_batches(path: Path, batches: Iterable[pa.RecordBatch]) -> int:
    """Write Arrow batches as `write_pairs` writes pairs; their sizes make no difference."""
    with writing(path, SCHEMA, "pairs") as rows:
        for batch in batches:
            rows.write(batch)
    return rows.count


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of one Parquet file, or of all Parquet files of a folder in the order of names."""
    for file in pair_files(Path(path)):
        for batch in read_batches(file):
            for row in batch.to_pylist():
                yield Pair(**row)


def read_batches(path: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of one Parquet file, a group at a time; only the named columns are read."""
    with open_pairs(path) as file:
        yield from read_whole(file, path, columns)


def read_column(path: Path, name: str) -> Iterator[Any]:
    """One column, a group of rows at a time."""
    for batch in read_batches(path, [name]):
        yield batch[name]


def immediate(batch: pa.RecordBatch) -> Iterator[list[str]]:
    """The immediate contexts of a batch that has the columns before and after."""
    for before, after in zip(batch["before"].to_pylist(), batch["after"].to_pylist(), strict=True):
        yield before[-1:] + after[:1]


def open_pairs(path: Path) -> pq.ParquetFile:
    """Open a Parquet file of pairs, reading nothing but its footer."""
    return open_parquet(path, SCHEMA, "pairs")


def pair_files(path: Path) -> list[Path]:
    """The Parquet files of pairs in a folder, in order; or the file that was given."""
    if not path.exists():
        raise CorpusError(f"There is no '{path}'. Give a Parquet file of pairs or their folder.")
    if not path.is_dir():
        if path.suffix != ".parquet":
            raise CorpusError(f"'{path}' is no Parquet file of pairs. Give one, or their folder.")
        return [path]
    if files := [f for f in sorted(path.glob("*.parquet")) if not f.name.endswith(DEFINITIONS)]:
        return files
    of_it, out = (path, "PAIRS") if any(path.iterdir()) else ("ARTICLES", path)
    raise CorpusError(f"'{path}' has no pairs. Make some: topiceq extract {of_it} -o {out}")
