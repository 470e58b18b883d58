"""Arrow tables in, the same tables with topics out: for pandas, DuckDB, Ray Data and Spark.

import topiceq.arrow
topiceq.arrow.infer(pyarrow.table({"equation": ["E = m c ^ 2"]})).to_pandas()
duckdb.sql("select * from table").arrow() -> topiceq.arrow.infer -> duckdb
ray.data.read_parquet(..).map_batches(topiceq.arrow.infer, batch_format="pyarrow")
frame.mapInArrow(topiceq.arrow.infer_batches, schema)        (Spark)

The model is loaded once in a process, however many batches it is asked about.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from topiceq.api import TopicEq
from topiceq.errors import QuestionError
from topiceq.questions import InferFile, ask
from topiceq.tasks.many import topics_table


def infer(table: pa.Table, run: TopicEq | str | Path | None = None, **parameters: Any) -> pa.Table:
    """The table with the columns known, topics, p, labels and error beside its own.

    The parameters are `column` ("equation"), `context_column`, `all_topics`, `by` and `top`, those
    of `TopicEq.infer_file`. A row that cannot be read has its `error`, and nothing else.
    """
    question = ask(InferFile, {"input": "", "output": ""} | parameters)
    model = run if isinstance(run, TopicEq) else _loaded(None if run is None else str(run))
    texts = [_texts(table, name) for name in (question.column, question.context_column)]
    if texts == [None, None]:
        there = ", ".join(table.schema.names)
        raise QuestionError(f"There is no column '{question.column}'. There are: {there}.")
    found = topics_table(model.run, texts[0], texts[1], question)
    for name in found.column_names:
        table = table.append_column(name, found[name])
    return table


def infer_batches(
    batches: Iterable[pa.RecordBatch], run: str | Path | None = None, **parameters: Any
) -> Iterator[pa.RecordBatch]:
    """The same for a stream of batches."""
    for batch in batches:
        table = infer(pa.Table.from_batches([batch]), run, **parameters)
        yield from table.combine_chunks().to_batches()


@lru_cache(maxsize=2)
def _loaded(run: str | None) -> TopicEq:
    return TopicEq.load(run)


def _texts(table: pa.Table, name: str | None) -> list[str | None] | None:
    return table[name].to_pylist() if name in table.schema.names else None
