"""Parallel, resumable extraction."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from topiceq.corpus import shards
from topiceq.corpus.shards import all_dropped, extract_shards, shard_files
from topiceq.errors import CorpusError

PROSE = "This is a sentence of the text. " * 6
EQUATION = r"\[ f_{%d}(x) = \sum_{i=1}^n a_i x^i + \frac{b}{c} \]"


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shards, "SHARD_BYTES", 2000)
    folder = tmp_path / "papers"
    for i in range(12):
        (folder / f"f{i % 3}").mkdir(parents=True, exist_ok=True)
        text = PROSE + EQUATION % i + PROSE + r"\[ x \]"
        (folder / f"f{i % 3}" / f"{i}.tex").write_text(text)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_bytes_do_not_depend_on_the_jobs(papers: Path, tmp_path: Path) -> None:
    one = extract_shards([papers], tmp_path / "one", jobs=1)
    three = extract_shards([papers], tmp_path / "three", jobs=3)
    assert one == three
    assert (one.articles, one.pairs, one.reasons) == (12, 12, {"few_sentences_after": 12})
    assert content(tmp_path / "one") == content(tmp_path / "three")
    assert len(shard_files(tmp_path / "one")) > 2


def test_an_interrupted_run_is_completed(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract_shards([papers], tmp_path / "whole", jobs=1)
    done: list[str] = []
    work = shards.work

    def interrupted(shard: shards.Shard) -> shards.Extracted:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(shard.path.name)
        return work(shard)

    monkeypatch.setattr(shards, "work", interrupted)
    with pytest.raises(KeyboardInterrupt):
        extract_shards([papers], tmp_path / "cut", jobs=1)
    assert not list((tmp_path / "cut").glob(".*"))
    monkeypatch.setattr(shards, "work", work)
    extract_shards([papers], tmp_path / "cut", jobs=2)
    assert content(tmp_path / "cut") == content(tmp_path / "whole")


def test_finished_shards_are_not_done_again(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = extract_shards([papers], tmp_path / "out", jobs=1)
    monkeypatch.setattr(shards, "work", None)
    assert extract_shards([papers], tmp_path / "out", jobs=1) == first


def test_a_changed_article_is_read_again(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path / "out", jobs=1)
    (papers / "f0" / "0.tex").write_text(PROSE)
    assert extract_shards([papers], tmp_path / "out", jobs=1).pairs == 11


def test_shards_of_a_larger_run_are_removed(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path / "out", jobs=1)
    for path in (papers / "f2").iterdir():
        path.unlink()
    assert extract_shards([papers], tmp_path / "out", jobs=1).pairs == 8
    extract_shards([papers], tmp_path / "fresh", jobs=1)
    assert set(content(tmp_path / "out")) == set(content(tmp_path / "fresh"))


def test_what_was_dropped_is_told(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path / "out", jobs=1)
    rows = [json.loads(line) for line in all_dropped(tmp_path / "out")]
    assert len(rows) == 12
    assert rows[0] == {
        "reason": "few_sentences_after", "article": "f0/0", "file": "f0/0.tex", "line": 1,
        "equation": "x",
    }  # fmt: skip


def test_watch_sees_the_total_grow(papers: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    extract_shards([papers], tmp_path / "out", jobs=1, watch=lambda t, _: seen.append(t.pairs))
    assert seen == sorted(seen) and seen[-1] == 12


def test_a_place_that_cannot_be_written(papers: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match="Cannot write to '.*file/out': Not a directory"):
        extract_shards([papers], tmp_path / "file" / "out")


def test_a_folder_without_pairs(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no pairs. Run: topiceq extract ARTICLES -o"):
        shard_files(tmp_path)


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "hostile"
    folder.mkdir()
    yield folder


def test_hostile_articles_are_survived(hostile: Path, tmp_path: Path) -> None:
    (hostile / "brace.tex").write_text(PROSE + EQUATION % 1 + PROSE + "{" * 1000)
    (hostile / "deep.tex").write_text(PROSE + r"\[" + "{" * 50_000 + r"\]" + PROSE)
    (hostile / "double.tex").write_text(
        r"\def\a{xx}\def\b{\a\a}\edef\a{\b\b}" + r"\edef\a{\a\a\a\a}" * 50 + r"\[ \a \]" + PROSE
    )
    (hostile / "empty.tex").write_text("")
    (hostile / "grow.tex").write_text(r"\def\a{\a x}" + PROSE + r"\[ \a \]" + r"\a " * 1000)
    (hostile / "itself.tex").write_text(r"\input{itself} \input itself " + PROSE)
    (hostile / "line.tex").write_bytes(b"\\a" * 25_000_000)
    (hostile / "rubbish.tex").write_bytes(os.urandom(100_000))
    (hostile / "unclosed.tex").write_text(r"\newcommand{\a}[9]{" * 5000)
    found = extract_shards([hostile], tmp_path / "out", jobs=1)
    assert found.pairs == 1
    assert found.reasons["unreadable"] == 2
    assert found.reasons["macro_limit"] >= 1
