"""Pairs in, the files of a corpus out: train, valid, test and definitions.

Pairs come as Parquet files, as Arrow batches or as objects; the latter two wait in a file. Files
are read as columns, a group of rows at a time: once for keys, once for the words of those that
share an equation, once to be written. Meanwhile 20 bytes of each pair are held.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from topiceq.corpus.definition import IN_CORPUS, definition_files, read_definitions
from topiceq.corpus.duplicates import (
    Register,
    batches_of_files,
    first_of_each,
    firsts,
    related,
    take_census,
)
from topiceq.corpus.pair import SCHEMA, Pair, pair_files, write_batches
from topiceq.corpus.parquet import batches_of, writing
from topiceq.corpus.split import SPLITS, Articles, Shares, assign, effective
from topiceq.errors import CorpusError

Pairs = str | Path | Iterable[Pair] | Iterable[pa.RecordBatch] | Iterable[str | Path]
LEFT_OUT = -1  # in place of a split: a duplicate


@dataclass(frozen=True)
class Written:
    """What was written: numbers of pairs, articles, duplicates, definitions."""

    counts: dict[str, int]
    effective: dict[str, float]  # articles of each split (split.py)


def write_splits(pairs: Pairs, folder: Path, *, split: Shares, seed: int) -> Written:
    """Write train, valid, test and definitions into the folder."""
    spool = folder / "spool.parquet"
    files, defined = _files(pairs, spool)
    register = Register()
    census = take_census(files, register)
    if not len(census.articles):
        raise CorpusError("There are no pairs to build a corpus from. See why: topiceq extract.")
    same = firsts(census, files)
    definitions = _Definitions(defined, register)
    count = len(register.numbers)
    kept = np.bincount(census.articles[same.kept], minlength=count)
    articles = Articles(
        list(register.numbers), register.fields, kept, related(same.near, census.articles, count)
    )
    of_article = assign(articles, split=split, seed=seed)
    _write(files, folder, np.where(same.kept, of_article[census.articles], LEFT_OUT))
    spool.unlink(missing_ok=True)
    counts = {name: int(kept[of_article == n].sum()) for n, name in enumerate(SPLITS)}
    counts |= {
        "articles": int((kept > 0).sum()),
        "duplicate": same.duplicates,
        "near_duplicate": same.near_duplicates,
        "definitions": definitions.write(folder / "definitions.parquet", of_article),
    }
    return Written(counts, {name: round(effective(kept[of_article == n]), 1)
                            for n, name in enumerate(SPLITS)})  # fmt: skip


def _files(pairs: Pairs, spool: Path) -> tuple[list[Path], list[Path]]:
    """Files of pairs, and files of definitions that lie beside them.

    Objects and batches can be read only once, so they are written to a file first.
    """
    if isinstance(pairs, str | Path):
        pairs = [pairs]
    stream = iter(pairs)
    first = next(stream, None)
    if isinstance(first, str | Path):
        paths = [Path(path) for path in chain([first], stream)]
        defined = [file for path in paths for file in definition_files(path)]
        return [file for path in paths for file in pair_files(path)], defined
    items = chain([] if first is None else [first], stream)
    batches = _checked(items) if isinstance(first, pa.RecordBatch) else batches_of(items, SCHEMA)
    write_batches(spool, batches)
    return [spool], []


def _checked(batches: Iterable[object]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not isinstance(batch, pa.RecordBatch) or not batch.schema.equals(SCHEMA):
            columns = ", ".join(SCHEMA.names)
            raise CorpusError(f"A batch does not hold pairs. Columns of pairs: {columns}.")
        yield batch


def _write(files: Sequence[Path], folder: Path, splits: npt.NDArray[np.int8]) -> None:
    """One pass over all columns, into three files at once."""
    start = 0
    with ExitStack() as stack:
        outs = [
            stack.enter_context(writing(folder / f"{name}.parquet", SCHEMA, "pairs"))
            for name in SPLITS
        ]
        for batch in batches_of_files(files, SCHEMA.names):
            end = start + batch.num_rows
            for number, out in enumerate(outs):
                out.write(batch.filter(pa.array(splits[start:end] == number)))
            start = end


class _Definitions:
    """The definitions that lie beside the pairs; those that say the same are kept once."""

    def __init__(self, files: Sequence[Path], register: Register) -> None:
        self.files = files
        keys, articles = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)]
        for file in files:
            columns = ["article", "field", "symbol", "phrase", "sentence"]
            for batch in read_definitions(file, columns=columns):
                keys.append(_definition_keys(batch))
                articles.append(register.enter(batch))
        self.articles = np.concatenate(articles)
        first = first_of_each(np.concatenate(keys))
        self.kept = first == np.arange(len(first))

    def write(self, path: Path, of_article: npt.NDArray[np.int8]) -> int:
        """Write those that are kept, each with the split of its article; return how many."""
        splits = pa.array(SPLITS).take(pa.array(of_article[self.articles]))
        start = 0
        with writing(path, IN_CORPUS, "definitions") as rows:
            for batch in (batch for file in self.files for batch in read_definitions(file)):
                end = start + batch.num_rows
                batch = batch.append_column(IN_CORPUS.field("split"), splits[start:end])
                rows.write(batch.filter(pa.array(self.kept[start:end])))
                start = end
        return rows.count


def _definition_keys(batch: pa.RecordBatch) -> npt.NDArray[np.uint64]:
    columns = (batch[name].to_pylist() for name in ("symbol", "phrase", "sentence"))
    joined = ("\0".join(row).encode() for row in zip(*columns, strict=True))
    keys = b"".join(hashlib.sha256(row).digest()[:8] for row in joined)
    return np.frombuffer(keys, ">u8").astype(np.uint64)
