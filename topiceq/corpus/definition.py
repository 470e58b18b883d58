"""What articles say of their symbols, as rows of a table.

In goes the text of an article; out comes a row for each definition that it gives: the symbol, the
phrase, the sentence, and the words around it, from which a topic can be inferred. `extract` writes
the rows of each shard beside its pairs; `build` collects them and adds the split of their article.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from topiceq.article.definitions import Definition, definitions, led_in
from topiceq.article.equation.rows import rows
from topiceq.article.prose import Text, tidy
from topiceq.corpus.pair import DEFINITIONS
from topiceq.corpus.parquet import batches_of, open_parquet, read_whole, writing

SCHEMA = pa.schema(
    [
        ("article", pa.string()),
        ("field", pa.string()),
        ("place", pa.int32()),
        ("symbol", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("phrase", pa.string()),
        ("strength", pa.float64()),
        ("sentence", pa.string()),
        ("words", pa.list_(pa.string())),
    ]
)
IN_CORPUS = SCHEMA.append(pa.field("split", pa.string()))


@dataclass(frozen=True, slots=True)
class SymbolDefinition:
    """What a symbol is said to be, with all that is needed to learn from it."""

    article: str
    field: str  # empty where the article has none
    place: int  # the number of the sentence in its article
    symbol: str  # LaTeX
    tokens: list[str]  # of the symbol, in normal form
    phrase: str  # may hold formulas between dollar signs
    strength: float  # how often what is said in this way is right, from 0 to 1
    sentence: str
    words: list[str]  # of the sentence and of those around it, in reading order


def defined_in(text: Text) -> Iterator[Definition]:
    """All definitions of a text: those of its sentences, then those that lead to its displays."""
    # most sentences have no formula, and making them readable takes its time
    sentences = (
        text.sentence(number) if text.text.find("$", start, end) >= 0 else ""
        for number, (start, end) in enumerate(text.spans)
    )
    yield from definitions(list(sentences))
    for at, display in text.displays:
        own = text.own(at)
        before = tidy(text.halves(at)[0])
        first = next(iter(rows(display.tokens, display.environment)), []) if before else []
        if first and (definition := led_in(before, tuple(first), own)):
            yield definition


def symbol_definitions(text: Text, field: str, sentences: int) -> Iterator[SymbolDefinition]:
    """The rows of an article, in reading order; `sentences` on each side give the words."""
    for definition in sorted(defined_in(text), key=lambda each: each.place):
        first = max(0, definition.place - sentences)
        around = range(first, min(len(text.spans), definition.place + sentences + 1))
        yield SymbolDefinition(
            article=text.id, field=field, place=definition.place,
            symbol=definition.symbol.latex, tokens=list(definition.symbol.tokens),
            phrase=definition.phrase, strength=definition.strength, sentence=definition.sentence,
            words=[word for number in around for word in text.words(text.sentence(number))],
        )  # fmt: skip


def write_definitions(path: Path, definitions: Iterable[SymbolDefinition]) -> int:
    """Write the definitions as one Parquet file, and return how many they were."""
    with writing(path, SCHEMA, "definitions") as rows:
        for batch in batches_of(definitions, SCHEMA):
            rows.write(batch)
    return rows.count


def definition_files(path: Path) -> list[Path]:
    """The Parquet files of definitions in a folder of pairs, in order; or beside a file of them."""
    if path.is_dir():
        return sorted(path.glob(f"*{DEFINITIONS}"))
    beside = path.with_suffix(DEFINITIONS)
    return [beside] if beside.exists() else []


def read_definitions(
    path: Path, schema: pa.Schema = SCHEMA, columns: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of one Parquet file, a group at a time; only the named columns are read."""
    with open_parquet(path, schema, "definitions") as file:
        yield from read_whole(file, path, columns)
