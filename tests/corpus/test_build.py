"""From pairs to the files of a corpus: whatever the pairs come in, the same bytes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from topiceq.corpus.build import Pairs, Written, write_splits
from topiceq.corpus.definition import (
    IN_CORPUS,
    SymbolDefinition,
    read_definitions,
    write_definitions,
)
from topiceq.corpus.pair import SCHEMA, Pair, read_pairs, write_pairs
from topiceq.corpus.parquet import batches_of
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError

PairsFactory = Callable[..., list[Pair]]


def written(pairs: Pairs, folder: Path, seed: int = 0) -> Written:
    folder.mkdir(exist_ok=True)
    return write_splits(pairs, folder, split=(80, 10, 10), seed=seed)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def definition(article: str, phrase: str = "mass", field: str = "field0") -> SymbolDefinition:
    return SymbolDefinition(article=article, field=field, place=3, symbol="m", tokens=["m"],
                            phrase=phrase, strength=0.94, sentence=f"where $m$ is the {phrase}",
                            words=["where", "is", "the", phrase])  # fmt: skip


def test_articles_stay_whole_and_all_pairs_are_there(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(200, articles=50)
    counts = written(made, tmp_path).counts
    splits = {name: list(read_pairs(tmp_path / f"{name}.parquet")) for name in SPLITS}
    owners = {name: {pair.article for pair in split} for name, split in splits.items()}
    assert not owners["train"] & owners["valid"] and not owners["train"] & owners["test"]
    assert not owners["valid"] & owners["test"]
    assert sorted(p.id for split in splits.values() for p in split) == sorted(p.id for p in made)
    assert {name: len(split) for name, split in splits.items()} == {n: counts[n] for n in SPLITS}
    assert [p.id for p in splits["train"]] == [p.id for p in made if p.article in owners["train"]]


def test_pairs_batches_and_files_give_the_same_bytes(
    pairs: PairsFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = pairs(100)
    whole = written(made, tmp_path / "objects")
    shards = tmp_path / "shards"
    shards.mkdir()
    for n, start in enumerate(range(0, 100, 30)):
        write_pairs(shards / f"{n:05}.parquet", made[start : start + 30])
    (batch,) = batches_of(made, SCHEMA)
    given: dict[str, Pairs] = {
        "generator": (pair for pair in made),
        "batches": [batch.slice(0, 1), batch.slice(1, 70), batch.slice(71)],
        "folder": shards,
        "name": str(shards),
        "files": sorted(shards.iterdir()),
    }
    for name, some in given.items():
        assert written(some, tmp_path / name) == whole, name
        assert contents(tmp_path / name) == contents(tmp_path / "objects"), name


def test_groups_of_rows_read_at_a_time_make_no_difference(
    pairs: PairsFactory, phrase_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = pairs(100)
    made += [replace(p, id=f"{p.id}near", before=["Then"]) for p in made[:20]]
    write_pairs(tmp_path / "pairs.parquet", made)
    whole = Corpus.build(tmp_path / "pairs.parquet", phrases=phrase_file)
    assert whole.counts["near_duplicate"] == 20
    monkeypatch.setattr("topiceq.corpus.parquet.ROWS", 7)
    small = Corpus.build(tmp_path / "pairs.parquet", phrases=phrase_file)
    assert (small.digest, small.counts) == (whole.digest, whole.counts)
    for name in SPLITS:
        assert list(small.split(name).pairs()) == list(whole.split(name).pairs())


def test_what_is_counted(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(60, articles=12)
    copies = [replace(p, id=f"copy{n}", article="copy") for n, p in enumerate(made[:5])]
    near = [
        replace(p, id=f"near{n}", article="near", before=["So"]) for n, p in enumerate(made[5:8])
    ]
    result = written([*made, *copies, *near], tmp_path)
    assert sum(result.counts[name] for name in SPLITS) == 60
    others = {name: n for name, n in result.counts.items() if name not in SPLITS}
    assert others == {"articles": 12, "duplicate": 5, "near_duplicate": 3, "definitions": 0}
    assert sum(result.effective.values()) == 12.0  # all have five pairs


def test_no_pairs_are_an_error(tmp_path: Path) -> None:
    write_pairs(tmp_path / "none.parquet", [])
    nothing: list[Pair] = []
    for pairs in (nothing, tmp_path / "none.parquet"):
        with pytest.raises(CorpusError, match="There are no pairs to build a corpus from"):
            written(pairs, tmp_path / "out")


def test_batches_of_something_else_are_an_error(tmp_path: Path) -> None:
    batch = pa.record_batch({"a": [1]})
    with pytest.raises(CorpusError, match="A batch does not hold pairs. Columns of pairs: id, art"):
        written([batch], tmp_path)
    with pytest.raises(CorpusError, match="There is no '.*missing'. Give a Parquet file of pairs"):
        written(tmp_path / "missing", tmp_path)


# -- definitions ----------------------------------------------------------------------------------


def test_definitions_have_the_split_of_their_article(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(100)
    shards = tmp_path / "shards"
    shards.mkdir()
    write_pairs(shards / "00000.parquet", made)
    articles = sorted({pair.article for pair in made})
    write_definitions(shards / "00000.definitions.parquet", map(definition, articles, articles))
    others = [definition("without/pairs"), definition("without/too"), definition(articles[0])]
    write_pairs(shards / "00001.parquet", [])
    write_definitions(shards / "00001.definitions.parquet", others)
    result = written(shards, tmp_path / "corpus")
    (batch,) = read_definitions(tmp_path / "corpus" / "definitions.parquet", IN_CORPUS)
    rows = batch.to_pylist()
    assert result.counts["definitions"] == len(rows) == len(articles) + 1  # `mass` once
    assert result.counts["articles"] == len(articles)
    splits = {row["article"]: row["split"] for row in rows}
    for name in SPLITS:
        for pair in read_pairs(tmp_path / "corpus" / f"{name}.parquet"):
            assert splits[pair.article] == name
    assert splits["without/pairs"] in SPLITS
    assert rows[0] | {"split": ""} == {
        "article": articles[0], "field": "field0", "place": 3, "symbol": "m", "tokens": ["m"],
        "phrase": articles[0], "strength": 0.94, "sentence": f"where $m$ is the {articles[0]}",
        "words": ["where", "is", "the", articles[0]], "split": "",
    }  # fmt: skip


def test_definitions_do_not_move_pairs(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(100)
    plain = written(made, tmp_path / "plain")
    write_pairs(tmp_path / "a.parquet", made)
    write_definitions(
        tmp_path / "a.definitions.parquet", [definition(f"field0/{n}/x") for n in range(50)]
    )
    beside = written(tmp_path / "a.parquet", tmp_path / "beside")
    assert beside.counts["definitions"] == 1
    for name in SPLITS:
        assert beside.counts[name] == plain.counts[name]
        one, other = (tmp_path / each / f"{name}.parquet" for each in ("plain", "beside"))
        assert one.read_bytes() == other.read_bytes()


def test_a_corpus_reads_its_definitions(pairs: PairsFactory, phrase_file: Path) -> None:
    corpus = Corpus.build(pairs(), phrases=phrase_file)
    assert list(corpus.definitions()) == [] and corpus.counts["definitions"] == 0
    (corpus.path / "definitions.parquet").unlink()
    with pytest.raises(CorpusError, match="definitions.parquet' is not a readable Parquet file"):
        list(corpus.definitions())
    write_pairs(corpus.path / "definitions.parquet", [])
    with pytest.raises(CorpusError, match="does not hold definitions. Columns of definitions: art"):
        list(corpus.definitions())
