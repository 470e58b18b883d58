"""An index of equations: what is in it, how it grows, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from planted import planted_pairs

from topiceq.corpus.pair import write_pairs
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError, RunError, Unsupported
from topiceq.tasks.index import (
    Index,
    build_index,
    existing_index,
    load_index,
    merged,
    sound_rows,
)

DROPPED = [
    ("too_short", "E = mc^2", "short"),
    ("too_short", "x", "short"),
    ("too_short", r"\mine{x} = 2 y", "short"),
    ("few_sentences_after", r"a &= b + c \\ d &= e - f", "article0"),
    ("unbalanced", "E = m c^2 }", "short"),
    ("diagram", "A = B + C", "short"),
]


@pytest.fixture(scope="module")
def index(corpus: Corpus) -> Index:
    return build_index([corpus])


@pytest.fixture
def kept(index: Index, tmp_path: Path) -> Path:
    index.save(tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What extract writes: pairs, and what was dropped beside them."""
    home = tmp_path / "pairs"
    home.mkdir()
    write_pairs(home / "00000000.parquet", iter(planted_pairs(20, 2)))
    lines = [
        {"reason": reason, "article": article, "file": f"{article}.tex", "line": n, "equation": tex}
        for n, (reason, tex, article) in enumerate(DROPPED)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (home / "00000000.dropped.jsonl").write_text(text, encoding="utf-8")
    return home


def equations(index: Index) -> list[str]:
    return [" ".join(index.equation(row)) for row in range(len(index))]


def places(index: Index) -> set[tuple[str, str, str, int]]:
    rows, texts = index.places.to_pylist(), equations(index)
    return {(texts[r["equation"]], r["article"], r["file"], r["line"]) for r in rows}


# -- what is in it -----------------------------------------------------------------------------


def test_it_holds_all_splits_and_every_equation_once(corpus: Corpus, index: Index) -> None:
    pairs = [p for n in ("train", "valid", "test") for p in corpus.split(n).pairs()]
    assert sorted(equations(index)) == sorted({" ".join(pair.tokens) for pair in pairs})
    assert places(index) == {(" ".join(p.tokens), p.article, p.file, p.line) for p in pairs}
    assert index.articles == len({pair.article for pair in pairs})


def test_a_folder_of_pairs_also_gives_what_is_short(folder: Path) -> None:
    found = {(equation, article, line) for equation, article, _, line in
             places(build_index([folder]))}  # fmt: skip
    pairs = {(" ".join(p.tokens), p.article, p.line) for p in planted_pairs(20, 2)}
    more = {("E = m c ^ { 2 }", "short", 0), ("a = b + c", "article0", 3),
            ("d = e - f", "article0", 3)}  # fmt: skip
    assert found == pairs | more
    fields = {row["article"]: row["field"] for row in build_index([folder]).places.to_pylist()}
    assert fields[planted_pairs(20, 2)[0].article] == "field0" and fields["short"] == ""


def test_what_needs_its_authors_macros_is_left_out() -> None:
    assert sound_rows(r"a = \mine{b}") == sound_rows("x" * 6_000) == sound_rows("{") == []
    assert sound_rows("V = IR") == [["V", "=", "I", "R"]]


def test_equations_stand_in_the_order_of_their_places(index: Index) -> None:
    assert (np.diff(index.places["equation"].to_numpy()) >= 0).all()


# -- growing -----------------------------------------------------------------------------------


def test_articles_are_added_and_those_it_has_are_replaced(corpus: Corpus, folder: Path) -> None:
    small = build_index([folder])
    again = build_index([folder], into=small)
    assert places(again) == places(small) and equations(again) == equations(small)
    both = build_index([corpus], into=small)
    own = {row["article"] for row in build_index([corpus]).places.to_pylist()}
    left = {place for place in places(small) if place[1] not in own}
    assert places(both) == left | places(build_index([corpus]))
    assert ("E = m c ^ { 2 }", "short", "short.tex", 0) in places(both)


def test_several_are_one_whatever_their_tokens(index: Index, folder: Path) -> None:
    small = build_index([folder])
    assert list(small.tokens) != list(index.tokens)
    one, other = merged([index, small]), merged([small, index])
    assert places(one) == places(other) == places(index) | places(small)
    assert len(set(equations(one))) == len(one) == len(other)


def test_what_is_no_corpus_is_said(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=f"is a run.*topiceq index CORPUS --run {trained}"):
        build_index([trained])
    with pytest.raises(CorpusError, match="has no pairs"):
        build_index([tmp_path])
    write_pairs(tmp_path / "none.parquet", iter(()))
    with pytest.raises(CorpusError, match="There are no equations to index."):
        build_index([tmp_path])


# -- on disk -----------------------------------------------------------------------------------


def test_kept_it_is_the_same(index: Index, kept: Path) -> None:
    again = load_index(kept)
    assert places(again) == places(index) and equations(again) == equations(index)
    assert again.digest and load_index(kept).digest == again.digest
    assert sorted(p.name for p in kept.parent.iterdir()) == ["index"]


def test_it_is_small(index: Index, kept: Path) -> None:
    assert sum(path.stat().st_size for path in kept.iterdir()) < 60 * len(index) + 20_000


@pytest.mark.parametrize("name", ["index.json", "equations.parquet", "places.parquet"])
def test_a_damaged_index_is_refused(name: str, kept: Path) -> None:
    content = (kept / name).read_bytes()
    for damaged in (content[:-9], b"nothing", content[:400] + b"!" + content[401:]):
        (kept / name).write_bytes(damaged)
        with pytest.raises(RunError, match=r"cannot be used \(.*\). Make it again: topiceq index"):
            load_index(kept)
    (kept / name).unlink()
    with pytest.raises((RunError, Unsupported)):
        load_index(kept)


@pytest.mark.parametrize("name", ["version", "normal_form", "tokens", "files", "sources"])
def test_other_facts_are_refused(name: str, kept: Path) -> None:
    facts = json.loads((kept / "index.json").read_text())
    for wrong in (99, [1], None):
        (kept / "index.json").write_text(json.dumps(facts | {name: wrong}))
        with pytest.raises(RunError, match="cannot be used"):
            load_index(kept)


def rewrite(kept: Path, name: str, table: pa.Table) -> None:
    """A file that is not what it should be, with the digest that it has."""
    from topiceq.tasks.index import _digest

    pq.write_table(table, kept / name)
    facts = json.loads((kept / "index.json").read_text())
    facts["files"][name] = _digest(kept / name)
    (kept / "index.json").write_text(json.dumps(facts))


@pytest.mark.parametrize("equation", [-1, 10_000, None])
def test_places_of_no_equation_are_refused(equation: int | None, index: Index, kept: Path) -> None:
    rows = index.places["equation"].to_pylist()
    column = pa.array([*rows[:-1], equation], pa.int32())
    rewrite(kept, "places.parquet", index.places.set_column(0, "equation", column))
    with pytest.raises(RunError, match="cannot be used"):
        load_index(kept)


def test_tokens_that_nobody_knows_are_refused(index: Index, kept: Path) -> None:
    lists = pa.array([[60_000]] * len(index), pa.list_(pa.uint16()))
    rewrite(kept, "equations.parquet", pa.table({"tokens": lists}))
    with pytest.raises(RunError, match="tokens that it does not know"):
        load_index(kept)


def test_a_link_that_is_a_script_is_refused(kept: Path) -> None:
    facts = json.loads((kept / "index.json").read_text())
    facts["sources"] = [{"folder": "a", "link": "javascript:alert(1)"}]
    (kept / "index.json").write_text(json.dumps(facts))
    with pytest.raises(RunError, match="does not begin with https://"):
        load_index(kept)


def test_where_it_cannot_be_written_is_said(index: Index, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="file/index' cannot be written: "):
        index.save(tmp_path / "file" / "index")


def test_only_an_index_is_replaced(kept: Path, tmp_path: Path) -> None:
    assert existing_index(tmp_path / "new") is None
    assert existing_index(kept) is not None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("")
    with pytest.raises(RunError, match="exists and is no index. Give another name: -o INDEX"):
        existing_index(tmp_path / "other")
