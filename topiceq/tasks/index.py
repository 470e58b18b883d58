"""The index that `similar` searches: the equations of some articles, and where they stand.

    index.json           version, tokens, sources with licence and address, digests of the files
    equations.parquet    n different equations, as tokens
    places.parquet       equation, article, field, file, section, line: where each of them stands

It is made from a corpus, or from what `topiceq extract` wrote: that has also equations which are
too short to learn from, such as E = m c^2. About 25 bytes an equation; what a search needs besides
is worked out from the tokens (postings.py). A folder appears whole or not at all, and is refused if
a file in it is not the one that was written.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import NORMAL_FORM, normal_form, undefined
from topiceq.article.equation.rows import equations
from topiceq.article.equation.rules import SPECIAL
from topiceq.article.formulas import read_formula
from topiceq.article.typed import without_delimiters
from topiceq.corpus.extract import Dropped
from topiceq.corpus.pair import pair_files, read_batches
from topiceq.corpus.parquet import check_rows
from topiceq.corpus.shards import all_dropped
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import CorpusError, RunError, Unsupported
from topiceq.files import check_plain, parse_as, parse_json, read_text, replacing_folder
from topiceq.tasks.sources import Source, checked, read_sources

FOLDER, VERSION = "similar", 2
LEVEL = 12  # of zstd: 19 takes ten times as long and saves 4 %
STRINGS = ("article", "field", "file", "section")
PLACES = pa.schema(
    [
        ("equation", pa.int32()),
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in STRINGS),
        ("line", pa.int32()),
    ]
)
EQUATIONS = pa.schema([("tokens", pa.list_(pa.uint16()))])
FILES = {"equations.parquet": EQUATIONS, "places.parquet": PLACES}
FOUND = [*STRINGS, "line", "tokens"]  # columns of what is read

# Reasons for which an equation is no pair, and yet can be found: nothing is wrong with it.
SOUND = frozenset(("too_short", "too_long", "few_sentences_before", "few_sentences_after"))
SHORTEST, LONGEST = 4, 150  # tokens: V = I R is one; from 150 on most are tables
LONGEST_SOURCE = 5_000  # characters

Ids = npt.NDArray[np.uint16]
Ints = npt.NDArray[np.int64]
Watch = Callable[[int], None]  # how many equations are read


@dataclass(frozen=True)
class Index:
    """n different equations, ready to be searched or kept."""

    tokens: Vocab  # what the ids are of
    ids: Ids  # one equation after the other
    offsets: Ints  # (n + 1,) of ids
    places: pa.Table  # PLACES, in the order of the equations
    sources: tuple[Source, ...] = ()
    digest: str = ""  # of the folder that it was read from

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def articles(self) -> int:
        """How many articles have a place in it."""
        return len(pc.unique(self.places["article"]))

    def equation(self, row: int) -> list[str]:
        """The tokens of an equation."""
        return [self.tokens[i] for i in self.ids[self.offsets[row] : self.offsets[row + 1]]]

    # -- on disk -------------------------------------------------------------------------------

    def save(self, folder: str | Path) -> None:
        """Write the index as a folder."""
        try:
            with replacing_folder(Path(folder)) as partial:
                self._write(partial)
        except OSError as error:
            raise RunError(f"The index '{folder}' cannot be written: {error}.") from error

    def _write(self, folder: Path) -> None:
        lists = pa.ListArray.from_arrays(pa.array(self.offsets.astype(np.int32)), self.ids)
        split = {"tokens.list.element": "BYTE_STREAM_SPLIT"}  # nearly all ids have a high byte of 0
        _write_parquet(folder / "equations.parquet", pa.table([lists], EQUATIONS), split)
        near = {name: "DELTA_BINARY_PACKED" for name in ("equation", "line")}
        _write_parquet(folder / "places.parquet", self.places, near)
        facts = {
            "version": VERSION,
            "normal_form": NORMAL_FORM,
            "equations": len(self),
            "places": len(self.places),
            "files": {name: _digest(folder / name) for name in FILES},
            "sources": [asdict(source) for source in self.sources],
            "tokens": list(self.tokens),
        }
        text = json.dumps(facts, ensure_ascii=False) + "\n"
        (folder / "index.json").write_text(text, encoding="utf-8")


def _write_parquet(path: Path, table: pa.Table, encodings: dict[str, str]) -> None:
    pq.write_table(table, path, compression="zstd", compression_level=LEVEL,
                   use_dictionary=[*STRINGS], column_encoding=encodings)  # fmt: skip


def _digest(path: Path) -> str:
    check_plain(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_index(folder: str | Path) -> Index:
    """The index in a folder; Unsupported without one, RunError if it is not as it was written."""
    home = Path(folder)
    if not (home / "index.json").is_file():
        raise Unsupported(f"'{home}' is no index of equations. Make one: topiceq index CORPUS")
    try:
        text = read_text(home / "index.json")
        facts = parse_json(text)
        for name, wanted in (("version", VERSION), ("normal_form", NORMAL_FORM)):
            if facts[name] != wanted:
                raise ValueError(f"its {name} is {facts[name]}, this is for {wanted}")
        return _read(home, facts, hashlib.sha256(text.encode()).hexdigest())
    except (OSError, ValueError, KeyError, TypeError, CorpusError, pa.ArrowException) as error:
        reason = f"The index '{home}' cannot be used ({error})"
        raise RunError(
            f"{reason}. Make it again: topiceq index CORPUS --fresh -o {home}"
        ) from error


def existing_index(folder: Path) -> Index | None:
    """The index in a folder that is to be written; None if it is new, RunError if it is another."""
    if folder.is_dir() and not (folder / "index.json").is_file() and any(folder.iterdir()):
        raise RunError(f"'{folder}' exists and is no index. Give another name: -o INDEX")
    return load_index(folder) if (folder / "index.json").is_file() else None


def _read(home: Path, facts: dict[str, Any], digest: str) -> Index:
    tables = {}
    for name, schema in FILES.items():
        if _digest(home / name) != facts["files"][name]:
            raise ValueError(f"{name} is not the one that was written")
        check_rows(pq.read_metadata(home / name).num_rows, home / name)
        tables[name] = pq.read_table(home / name, memory_map=True)
        tables[name].validate(full=True)
        if not tables[name].schema.equals(schema):
            raise ValueError(f"{name} has other columns")
    lists = tables["equations.parquet"]["tokens"].combine_chunks()
    if lists.null_count or lists.values.null_count:
        raise ValueError("equations.parquet has gaps")
    index = Index(
        tokens=Vocab(facts["tokens"]),
        ids=lists.values.to_numpy(),
        offsets=lists.offsets.to_numpy().astype(np.int64),
        places=tables["places.parquet"].unify_dictionaries().combine_chunks(),
        sources=tuple(checked(Source(**source)) for source in facts["sources"]),
        digest=digest,
    )
    _check(index)
    return index


def _check(index: Index) -> None:
    """Whatever an index says, nothing outside its arrays is looked up later."""
    rows = index.places["equation"].to_numpy()
    if len(index.ids) and int(index.ids.max()) >= len(index.tokens):
        raise ValueError("its equations have tokens that it does not know")
    if len(rows) and (rows.min() < 0 or rows.max() >= len(index) or (np.diff(rows) < 0).any()):
        raise ValueError("its places are not those of its equations")
    if any(column.null_count for column in index.places.columns):
        raise ValueError("places.parquet has gaps")


# -- putting together --------------------------------------------------------------------------


def merged(indexes: Sequence[Index]) -> Index:
    """One index of all their equations; the same equation and the same place are there once."""
    if len(indexes) == 1 and indexes[0].digest:
        return indexes[0]
    tokens = Vocab(dict.fromkeys([*SPECIAL, *(t for index in indexes for t in index.tokens)]))
    if len(tokens) > np.iinfo(np.uint16).max:
        raise CorpusError(f"An index cannot hold {len(tokens):,} different tokens.")
    ids = np.concatenate([_encode(index, tokens) for index in indexes])
    offsets = np.cumsum([0, *(n for index in indexes for n in np.diff(index.offsets).tolist())])
    bases = np.cumsum([0, *map(len, indexes)])
    rows = [index.places["equation"].to_numpy() + base
            for index, base in zip(indexes, bases[:-1], strict=True)]  # fmt: skip
    kept, equation = np.unique(_firsts(ids, offsets)[np.concatenate(rows)], return_inverse=True)
    places = pa.concat_tables(index.places for index in indexes).unify_dictionaries()
    places = places.set_column(0, PLACES.field(0), pa.array(equation, pa.int32())).combine_chunks()
    return Index(
        tokens=tokens,
        ids=_cut(ids, offsets, kept),
        offsets=np.concatenate([[0], np.cumsum(np.diff(offsets)[kept])]),
        places=_once(places),
        sources=tuple(dict.fromkeys(source for index in indexes for source in index.sources)),
    )


def _encode(index: Index, tokens: Vocab) -> Ids:
    return np.array([tokens.index(token) for token in index.tokens], np.uint16)[index.ids]


def _firsts(ids: Ids, offsets: Ints) -> Ints:
    """For each equation the first one with the same tokens."""
    first: dict[bytes, int] = {}
    content, ends = ids.tobytes(), (offsets * ids.itemsize).tolist()
    cut = zip(ends[:-1], ends[1:], strict=True)
    return np.fromiter(
        (first.setdefault(content[a:b], row) for row, (a, b) in enumerate(cut)), np.int64
    )


def _cut(ids: Ids, offsets: Ints, rows: Ints) -> Ids:
    """The equations at `rows`, one after the other."""
    lengths = np.diff(offsets)[rows]
    ends = np.cumsum(lengths)
    starts = np.repeat(offsets[rows] - (ends - lengths), lengths)
    return ids[starts + np.arange(len(starts))]


def _once(places: pa.Table) -> pa.Table:
    """In the order of the equations, what stands at the same line of the same file once."""
    keys = [places["equation"].to_numpy(), places["line"].to_numpy()]
    keys += [_codes(places, name) for name in ("file", "article")]
    order = np.lexsort((keys[1], keys[2], keys[3], keys[0]))
    same = np.ones(max(0, len(order) - 1), dtype=np.bool_)
    for key in keys:
        same &= key[order][1:] == key[order][:-1]
    return places.take(pa.array(order[np.concatenate([[True], ~same])[: len(order)]]))


def _codes(places: pa.Table, name: str) -> npt.NDArray[np.int32]:
    column = places[name].combine_chunks()
    codes: npt.NDArray[np.int32] = column.indices.to_numpy()
    return codes


def without(index: Index, articles: pa.Array) -> Index:
    """The index without the places of some articles."""
    own = pc.is_in(index.places["article"].cast(pa.string()), articles)
    return replace(index, places=index.places.filter(pc.invert(own)), digest="")


# -- reading articles --------------------------------------------------------------------------


def build_index(
    origins: Iterable[str | Path | Corpus],
    *,
    into: Index | None = None,
    manifest: str | Path | None = None,
    watch: Watch | None = None,
) -> Index:
    """An index of all splits of corpora, or of what `topiceq extract` wrote.

    With `into`, their articles are added to those of another index; those that it has already are
    replaced. A manifest says where the sources come from (sources.py).
    """
    sources = read_sources(manifest) if manifest else ()
    parts, count = [], 0
    for batch in (batch for origin in origins for batch in _batches(origin)):
        parts.append(_part(batch))
        count += batch.num_rows
        if watch:
            watch(count)
    if not count:
        raise CorpusError("There are no equations to index. See why: topiceq extract.")
    own = replace(merged(parts), sources=sources)
    if into is None:
        return own
    return merged([without(into, pc.unique(own.places["article"].cast(pa.string()))), own])


def _part(batch: pa.RecordBatch) -> Index:
    """A batch of equations as an index of its own."""
    tokens = batch["tokens"].flatten().dictionary_encode()
    lengths = pc.list_value_length(batch["tokens"]).to_numpy(zero_copy_only=False)
    columns = [batch[name].cast(PLACES.field(name).type) for name in [*STRINGS, "line"]]
    rows = pa.array(np.arange(batch.num_rows), pa.int32())
    vocab = Vocab(tokens.dictionary.to_pylist())
    if len(vocab) > np.iinfo(np.uint16).max:
        raise CorpusError(f"An index cannot hold {len(vocab):,} different tokens.")
    return Index(
        tokens=vocab,
        ids=tokens.indices.to_numpy().astype(np.uint16),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        places=pa.table([rows, *columns], PLACES),
    )


def _batches(origin: str | Path | Corpus) -> Iterator[pa.RecordBatch]:
    """The equations of a corpus, or of a folder of pairs with what was dropped there."""
    if not isinstance(origin, Corpus):
        path = Path(origin)
        if (path / "config.toml").is_file():
            hint = f"Name the corpus: topiceq index CORPUS --run {path}"
            raise CorpusError(f"'{path}' is a run, not a corpus. {hint}")
        if not (path / "corpus.toml").is_file():
            yield from _batches_of_pairs(path)
            return
        origin = Corpus.load(path)
    for name in SPLITS:
        yield from read_batches(origin.path / f"{name}.parquet", FOUND)


def _batches_of_pairs(path: Path) -> Iterator[pa.RecordBatch]:
    fields: dict[str, str] = {}
    for file in pair_files(path):
        for batch in read_batches(file, FOUND):
            fields.update(zip(*(batch[n].to_pylist() for n in ("article", "field")), strict=True))
            yield batch.select(FOUND)
    if path.is_dir():
        yield from _dropped(path, fields)


def _dropped(folder: Path, fields: dict[str, str]) -> Iterator[pa.RecordBatch]:
    """What is no pair, and yet an equation: its tokens are read from its source."""
    found: list[dict[str, object]] = []
    for line in all_dropped(folder):
        dropped = _read_dropped(line, folder)
        if dropped.reason not in SOUND:
            continue
        place = {"article": dropped.article, "file": dropped.file, "line": dropped.line}
        place |= {"field": fields.get(dropped.article, ""), "section": ""}
        found += [place | {"tokens": tokens} for tokens in sound_rows(dropped.equation)]
        if len(found) >= 2_000:
            yield _batch(found)
            found = []
    if found:
        yield _batch(found)


def _read_dropped(line: str, folder: Path) -> Dropped:
    try:
        return parse_as(Dropped, line)
    except ValueError as error:
        raise CorpusError(
            f"A line of {folder}/*.dropped.jsonl is damaged ({error}). Extract the articles again."
        ) from None


def _batch(found: list[dict[str, object]]) -> pa.RecordBatch:
    types = [*(pa.string() for _ in STRINGS), pa.int32(), pa.list_(pa.string())]
    return pa.RecordBatch.from_pylist(found, pa.schema(list(zip(FOUND, types, strict=True))))


def sound_rows(source: str) -> list[list[str]]:
    r"""The equations of a display as it was written; none if it needs its author's macros.

    >>> sound_rows(r"E = mc^2 \\ \myown{x} = 2 x"), sound_rows("x")
    ([['E', '=', 'm', 'c', '^', '{', '2', '}']], [])
    """
    if len(source) > LONGEST_SOURCE:
        return []
    try:
        tokens, environment = without_delimiters(read_formula(source))
        rows = equations(tokens, environment, LONGEST)
        found = [row.tokens for row in rows if not row.reason] if len(rows) > 1 else []
        found = found or [normal_form(tokens)]
    except NotNormal:
        return []
    return [row for row in found if SHORTEST <= len(row) <= LONGEST and not undefined(row)]
