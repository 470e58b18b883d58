"""Corpora that a stranger has tampered with: refused with what is wrong, no wrong answer."""

import json
import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topiceq.config import dump_toml
from topiceq.corpus.pair import SCHEMA, write_pairs
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError, RunError
from topiceq.model.start import kept_beside
from topiceq.tasks.index import build_index

DEEP = "[" * 100_000


@pytest.fixture
def copy(corpus: Corpus, tmp_path: Path) -> Path:
    """A corpus folder that a test may tamper with."""
    kept = shutil.ignore_patterns("encoded", "lda", "nmf")  # by tests before this one
    return shutil.copytree(corpus.path, tmp_path / "corpus", ignore=kept)


def refused(folder: Path) -> str:
    """What is said when the corpus is opened and read as training does."""
    with pytest.raises(CorpusError) as error:
        corpus = Corpus.load(folder)
        for split in (corpus.train, corpus.valid, corpus.test):
            shutil.rmtree(folder / "encoded", ignore_errors=True)
            _ = split.encoded
    return str(error.value)


def change_facts(folder: Path, section: str, **changes: object) -> None:
    facts = tomllib.loads((folder / "corpus.toml").read_text())
    facts[section] |= changes
    (folder / "corpus.toml").write_text(dump_toml(facts))


def change_train(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    table = change(pq.read_table(folder / "train.parquet"))
    pq.write_table(table, folder / "train.parquet")
    change_facts(folder, "counts", train=len(table))


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("counts", {"train": -1}), ("counts", {"train": "many"}), ("counts", {"train": 10**30}),
        ("counts", {"train": 1.5}), ("counts", {"train": True}), ("format", {"digest": 3}),
        ("format", {"digest": "../../x"}), ("format", {"pairs": [1]}),
        ("corpus", {"split": [1, 2]}), ("corpus", {"sentences": -3}), ("corpus", {"seed": "x"}),
        ("format", {"version": [2]}),
    ],
)  # fmt: skip
def test_facts_that_are_none(copy: Path, section: str, changes: dict[str, object]) -> None:
    change_facts(copy, section, **changes)
    assert "does not fit together" in refused(copy)


@pytest.mark.parametrize("text", ["format = 3", "a = " + DEEP, "a" + ".a" * 100_000 + " = 1", "\0",
                                  "[[format]]\n", "format.version = 2"])  # fmt: skip
def test_a_text_that_is_no_settings(copy: Path, text: str) -> None:
    (copy / "corpus.toml").write_text(text)
    assert "corpus.toml is damaged" in refused(copy)


@pytest.mark.parametrize("name", ["corpus.toml", "words.txt", "tokens.txt", "phrases.txt"])
def test_a_text_of_a_gigabyte_is_not_read(copy: Path, name: str) -> None:
    os.truncate(copy / name, 1 << 30)
    assert "is larger than" in refused(copy)


@pytest.mark.parametrize("name", ["words.txt", "train.parquet", "test.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_is_not_read(copy: Path, name: str, kind: str) -> None:
    (copy / name).unlink()
    if kind == "pipe":
        os.mkfifo(copy / name)
    elif kind == "device":
        (copy / name).symlink_to("/dev/zero")
    else:
        (copy / name).mkdir()
    message = refused(copy)
    assert name in message and (kind == "folder" or "is not a plain file" in message)


def test_vocabularies_of_another_corpus(copy: Path) -> None:
    for name in ("words", "tokens", "phrases"):
        before = (copy / f"{name}.txt").read_text()
        (copy / f"{name}.txt").write_text(before + "more\n")
        assert "its vocabularies are not its own" in refused(copy)
        (copy / f"{name}.txt").write_text(before)


# -- pairs ---------------------------------------------------------------------------------------


def test_other_columns(copy: Path) -> None:
    change_train(copy, lambda table: table.drop_columns(["tokens"]))
    assert "does not hold pairs. Columns of pairs: id, article" in refused(copy)
    change_train(copy, lambda table: table.append_column("tokens", table["line"]))
    assert "does not hold pairs" in refused(copy)


def test_more_columns(copy: Path) -> None:
    change_train(copy, lambda table: table.append_column("code", table["id"]))
    assert "does not hold pairs" in refused(copy)


def test_a_thousand_million_rows_of_nothing(copy: Path) -> None:
    """1e9 empty rows take some kilobytes on the disk; read, they would take any memory."""
    count = 1_000_000
    rows = pa.table([pa.nulls(count, kind) for kind in SCHEMA.types], SCHEMA)
    with pq.ParquetWriter(copy / "train.parquet", SCHEMA, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(rows, row_group_size=count)
    change_facts(copy, "counts", train=20 * count)
    assert "has 20,000,000 rows in" in refused(copy)


@pytest.mark.parametrize("name", ["id", "article", "tokens", "before", "after", "words", "line"])
def test_gaps(copy: Path, name: str) -> None:
    at, kind = SCHEMA.get_field_index(name), SCHEMA.field(name).type

    def change(table: pa.Table) -> pa.Table:
        return table.set_column(at, SCHEMA.field(name), pa.nulls(len(table), kind))

    change_train(copy, change)
    if name == "line":  # nobody trains on it, but an index is made of it
        with pytest.raises(CorpusError, match="has gaps"):
            build_index([Corpus.load(copy)])
    elif name != "id":
        assert "has gaps" in refused(copy)
    with pytest.raises(CorpusError, match="has gaps"):
        list(Corpus.load(copy).train.pairs())


def test_gaps_inside_lists(copy: Path) -> None:
    at = SCHEMA.get_field_index("tokens")

    def change(table: pa.Table) -> pa.Table:
        column = pa.array([[None, "x"]] * len(table), SCHEMA.field("tokens").type)
        return table.set_column(at, SCHEMA.field("tokens"), column)

    change_train(copy, change)
    assert "has gaps" in refused(copy)


def test_strings_that_are_no_unicode(copy: Path) -> None:
    at = SCHEMA.get_field_index("article")

    def change(table: pa.Table) -> pa.Table:
        odd = pa.array([b"\xff\xfe"] * len(table), pa.binary()).view(pa.string())
        return table.set_column(at, SCHEMA.field("article"), odd)

    change_train(copy, change)
    assert "train.parquet" in refused(copy)


def test_half_a_file_and_bytes_that_were_changed(copy: Path) -> None:
    whole = (copy / "train.parquet").read_bytes()
    (copy / "train.parquet").write_bytes(whole[: len(whole) // 2])
    assert "is not a readable Parquet file" in refused(copy)
    (copy / "train.parquet").write_bytes(whole[:200] + b"\xff" * 400 + whole[600:])
    with pytest.raises(CorpusError, match="train.parquet' cannot be read"):
        list(Corpus.load(copy).train.pairs())


def test_ids_that_are_paths_stay_text(copy: Path, tmp_path: Path) -> None:
    """An id is never a file name."""
    at = SCHEMA.get_field_index("article")

    def change(table: pa.Table) -> pa.Table:
        names = pa.array(["../../evil"] * len(table))
        return table.set_column(at, SCHEMA.field("article"), names)

    change_train(copy, change)
    before = sorted(tmp_path.rglob("*"))
    build_index([Corpus.load(copy)]).save(tmp_path / "index")
    after = [path for path in sorted(tmp_path.rglob("*")) if path not in before]
    assert {path.parent for path in after} == {tmp_path, tmp_path / "index"}


# -- what is kept beside it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tokens", lambda a: a + 1_000_000), ("words", lambda a: a - 1_000_000),
        ("tokens_at", lambda a: a + 1), ("words_at", lambda a: a[::-1]),
        ("words_at", lambda a: a[:-1]), ("phrases_at", lambda a: a * 1_000),
        ("articles", lambda a: a[:-1]),
        ("articles", lambda a: a - 5), ("tokens", lambda a: a.astype(float)),
        ("tokens", lambda a: a.reshape(1, -1)), ("words", lambda a: np.array([None] * len(a))),
    ],
)  # fmt: skip
def test_ids_that_do_not_fit_are_made_again(
    copy: Path, name: str, change: Callable[[np.ndarray], np.ndarray]
) -> None:
    right = Corpus.load(copy).train.encoded
    path = copy / "encoded" / "train" / f"{name}.npy"
    table = np.array(np.load(path))
    np.save(path, change(table), allow_pickle=True)
    again = Corpus.load(copy).train.encoded
    assert (again.tokens == right.tokens).all() and (again.offsets == right.offsets).all()
    assert (again.words != right.words).nnz == 0 and (again.articles == right.articles).all()


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_ids_that_are_no_plain_file_are_made_again(copy: Path, kind: str) -> None:
    right = Corpus.load(copy).train.encoded
    for name in ("digest.txt", "tokens.npy"):
        path = copy / "encoded" / "train" / name
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
        assert (Corpus.load(copy).train.encoded.tokens == right.tokens).all()


def test_topics_beside_a_corpus_of_other_shapes_are_refused(corpus: Corpus, copy: Path) -> None:
    from safetensors.numpy import save_file

    (copy / "lda").mkdir()
    path = copy / "lda" / "x.safetensors"
    wrong = np.full((4, 3), np.nan, dtype=np.float32)
    save_file({"topics": wrong, "alpha": wrong[0]}, path, {"words": corpus.words.digest})
    with pytest.raises(RunError, match="cannot be read: .*Remove it"):
        kept_beside(Corpus.load(copy), "lda/x", lambda: pytest.fail("found anew"))


# -- folders of pairs ------------------------------------------------------------------------------


def test_a_folder_of_pairs_with_lines_that_are_none(tmp_path: Path, corpus: Corpus) -> None:
    write_pairs(tmp_path / "00000000.parquet", corpus.test.pairs())
    for line in ("{", "[1]", "3", DEEP, json.dumps({"reason": "too_short"}),
                 json.dumps({"reason": "too_short", "article": 1, "file": 2, "line": "x",
                             "equation": 3})):  # fmt: skip
        (tmp_path / "00000000.dropped.jsonl").write_text(line + "\n")
        with pytest.raises(CorpusError, match="dropped.jsonl is damaged"):
            build_index([tmp_path])
