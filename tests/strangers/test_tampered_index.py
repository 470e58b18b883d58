"""Indexes that a stranger has tampered with: refused, and never a look outside their arrays.

What is damaged without care is refused by its digests (tests/tasks/test_index.py); here the digests
are those of what was tampered with.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.tasks.index import EQUATIONS, PLACES, build_index, load_index

DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def kept(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("indexes") / "index"
    build_index([corpus]).save(home)
    return home


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    """An index that a test may tamper with."""
    return shutil.copytree(kept, tmp_path / "index")


def refused(home: Path) -> str:
    with pytest.raises(RunError, match="cannot be used") as error:
        load_index(home)
    return str(error.value)


def rewrite(home: Path, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(home / name)), home / name)
    sign(home, name)


def sign(home: Path, name: str) -> None:
    facts = json.loads((home / "index.json").read_text())
    facts["files"][name] = hashlib.sha256((home / name).read_bytes()).hexdigest()
    (home / "index.json").write_text(json.dumps(facts))


@pytest.mark.parametrize("name", ["equations.parquet", "places.parquet"])
def test_other_columns(copy: Path, name: str) -> None:
    rewrite(copy, name, lambda table: table.append_column("more", pa.array(range(len(table)))))
    assert f"{name} has other columns" in refused(copy)


@pytest.mark.parametrize("name", ["article", "field", "file", "section", "line", "equation"])
def test_gaps(copy: Path, name: str) -> None:
    at = PLACES.get_field_index(name)

    def change(table: pa.Table) -> pa.Table:
        return table.set_column(
            at, PLACES.field(name), pa.nulls(len(table), PLACES.field(name).type)
        )

    rewrite(copy, "places.parquet", change)
    assert "cannot be used" in refused(copy)


def test_equations_that_are_missing(copy: Path) -> None:
    def change(table: pa.Table) -> pa.Table:
        return pa.table([pa.array([None] * len(table), EQUATIONS.field("tokens").type)], EQUATIONS)

    rewrite(copy, "equations.parquet", change)
    assert "equations.parquet has gaps" in refused(copy)


def test_tokens_that_are_missing(copy: Path) -> None:
    def change(table: pa.Table) -> pa.Table:
        lists = pa.array([[None]] * len(table), EQUATIONS.field("tokens").type)
        return pa.table([lists], EQUATIONS)

    rewrite(copy, "equations.parquet", change)
    assert "equations.parquet has gaps" in refused(copy)


def test_a_thousand_million_rows_of_nothing(copy: Path) -> None:
    rows = pa.table([pa.array([[]] * 1_000_000, EQUATIONS.field("tokens").type)], EQUATIONS)
    with pq.ParquetWriter(copy / "equations.parquet", EQUATIONS, compression="zstd") as writer:
        for _ in range(50):
            writer.write_table(rows, row_group_size=1_000_000)
    sign(copy, "equations.parquet")
    assert "has 50,000,000 rows in" in refused(copy)


def test_places_out_of_order(copy: Path) -> None:
    rewrite(copy, "places.parquet", lambda table: table.take(list(range(len(table)))[::-1]))
    assert "its places are not those of its equations" in refused(copy)


@pytest.mark.parametrize("text", ["{", "[]", "3", "null", DEEP, "{}", '{"version": 1e999}'])
def test_facts_that_are_none(copy: Path, text: str) -> None:
    (copy / "index.json").write_text(text)
    refused(copy)


@pytest.mark.parametrize(
    "changes",
    [{"tokens": "abc"}, {"tokens": [1, 2]}, {"tokens": []}, {"tokens": ["a", "a"]}, {"files": {}},
     {"sources": [{"folder": "../..", "link": "file:///etc"}]}, {"sources": [{"folder": 3}]},
     {"sources": [{"folder": "a", "title": ["<script>"]}]}, {"sources": {"folder": "a"}},
     {"version": "2"}],
)  # fmt: skip
def test_facts_of_another_kind(copy: Path, changes: dict[str, object]) -> None:
    facts = json.loads((copy / "index.json").read_text())
    (copy / "index.json").write_text(json.dumps(facts | changes))
    refused(copy)


def test_names_of_files_that_lead_outside(copy: Path, tmp_path: Path) -> None:
    """The index has two files, whatever it says."""
    (tmp_path / "other.parquet").write_bytes((copy / "places.parquet").read_bytes())
    facts = json.loads((copy / "index.json").read_text())
    facts["files"]["../other.parquet"] = facts["files"].pop("places.parquet")
    (copy / "index.json").write_text(json.dumps(facts))
    assert "'places.parquet'" in refused(copy)


@pytest.mark.parametrize("name", ["index.json", "equations.parquet", "places.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_is_not_read(copy: Path, name: str, kind: str) -> None:
    (copy / name).unlink()
    if kind == "pipe":
        os.mkfifo(copy / name)
    elif kind == "device":
        (copy / name).symlink_to("/dev/zero")
    else:
        (copy / name).mkdir()
    if name == "index.json":
        from topiceq.errors import Unsupported

        with pytest.raises(Unsupported, match="is no index of equations"):
            load_index(copy)
    else:
        refused(copy)


def test_a_gigabyte_of_facts_is_not_read(copy: Path) -> None:
    os.truncate(copy / "index.json", 1 << 30)
    assert "is larger than 64 MB" in refused(copy)
