"""Parallel, resumable extraction."""

import json
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from topiceq.article.files import Unreadable
from topiceq.article.source import Article, Source
from topiceq.config import CorpusConfig
from topiceq.corpus import shards
from topiceq.corpus.pair import read_pairs
from topiceq.corpus.shards import Part, all_dropped, extract_shards, merge_shards, shard_files
from topiceq.errors import ConfigError, CorpusError

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


# -- more than one machine ---------------------------------------------------------------------


@dataclass(frozen=True)
class Deadly(Source):
    """A source whose first reader is killed while it writes its shard."""

    inner: Source
    marker: Path

    def articles(self) -> Iterator[Article | Unreadable]:
        yield from self.inner.articles()
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_of_a_cluster_changes_nothing(
    papers: Path, tmp_path: Path, dask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = extract_shards([papers], tmp_path / "one", jobs=1)
    listed = shards.sources

    def deadly(*arguments: Any, **named: Any) -> Iterator[Source]:
        for number, each in enumerate(listed(*arguments, **named)):
            marker = tmp_path / f"{number}.died"
            fatal = Deadly(each.id, each.field, each.size, each.key, each, marker)
            yield fatal if number in (2, 7) else each

    monkeypatch.setattr(shards, "sources", deadly)
    seen: list[int] = []
    many = extract_shards(
        [papers], tmp_path / "many", cluster=dask, watch=lambda t, _: seen.append(t.articles)
    )
    assert len(list(tmp_path.glob("*.died"))) == 2
    assert many == one and seen == sorted(seen)
    assert content(tmp_path / "many") == content(tmp_path / "one")


def test_a_cluster_needs_no_common_folder_to_work_in(
    papers: Path, tmp_path: Path, dask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the workers are not
    (tmp_path / "fields.csv").write_text("f0/0,zero\n")
    options = {"field": "fields.csv"}
    one = extract_shards(["papers"], "one", jobs=1, **options)
    assert extract_shards(["papers"], "many", cluster=dask, **options) == one
    assert content(tmp_path / "many") == content(tmp_path / "one")


def test_shards_that_are_written_elsewhere(
    papers: Path, tmp_path: Path, dask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "NETWORK_DELAY", 0.0)
    monkeypatch.setattr(shards, "work", elsewhere)
    message = "00000000.parquet' was written by a worker of the cluster, but is not here. Articles"
    with pytest.raises(CorpusError, match=message):
        extract_shards([papers], tmp_path / "out", cluster=dask)


def elsewhere(shard: shards.Shard) -> shards.Extracted:
    return shards.Extracted(1, 1, {})


def test_two_parts_and_a_merge(papers: Path, tmp_path: Path) -> None:
    whole = extract_shards([papers], tmp_path / "whole", jobs=1)
    out = tmp_path / "parts"
    parts = [extract_shards([papers], out, jobs=1, part=Part(n, 2)) for n in (2, 1)]
    assert parts[0] + parts[1] == whole and parts[0].pairs and parts[1].pairs
    assert not (out / "extract.json").exists()
    assert merge_shards([papers], out) == whole
    assert content(out) == content(tmp_path / "whole")


def test_a_merge_tells_what_is_missing(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    extract_shards([papers], out, jobs=1, part=Part(1, 3))
    message = (
        r"out' is not complete: 2 of 3 shards are missing or out of date \(00000001, 00000002\). "
        r"Run their parts again, or extract without --part, which does only these.$"
    )
    before = content(out)
    with pytest.raises(CorpusError, match=message):
        merge_shards([papers], out)
    assert content(out) == before
    extract_shards([papers], out, jobs=1)
    os.utime(papers / "f0" / "0.tex", (0, 0))
    with pytest.raises(CorpusError, match=r"1 of 3 shards are missing or out of date \(00000000\)"):
        merge_shards([papers], out)


def test_a_merge_removes_what_does_not_belong(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path / "fresh", jobs=1)
    out = tmp_path / "out"
    extract_shards([papers], out, jobs=1, part=Part(1, 1))
    for name in ("00000099.parquet", "00007.json", ".00000001.parquet.host.12.partial"):
        (out / name).touch()
    merge_shards([papers], out)
    assert content(out) == content(tmp_path / "fresh")


def test_a_part_that_changes_a_complete_folder_opens_it(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path / "out", jobs=1)
    extract_shards([papers], tmp_path / "out", jobs=1, part=Part(1, 2))
    assert (tmp_path / "out" / "extract.json").exists()
    (papers / "f0" / "0.tex").write_text(PROSE)
    extract_shards([papers], tmp_path / "out", jobs=1, part=Part(1, 2))
    assert not (tmp_path / "out" / "extract.json").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "The part '3' is not understood. Write 3/16 for the third."),
        ("a/b", "The part 'a/b' is not understood. Write 3/16 for the third."),
        ("0/4", "There is no part 0/4. Parts are numbered 1 to 4."),
        ("5/4", "There is no part 5/4. Parts are numbered 1 to 4."),
    ],
)
def test_parts_that_do_not_exist(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Part.read(text)


def test_names_of_shards_sort_beyond_a_hundred_thousand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "SHARD_BYTES", 1)
    many = (Fixed(str(n), "", 9, str(n)) for n in range(100_002))
    names = [shard.path.name for shard in shards.plan(many, tmp_path, CorpusConfig())]
    assert names == sorted(names) and names[-1] == "00100001.parquet"


class Fixed(Source):
    def articles(self) -> Iterator[Article | Unreadable]:
        yield from ()


def test_folders_with_shorter_names_are_read(papers: Path, tmp_path: Path) -> None:
    extract_shards([papers], tmp_path, jobs=1)
    for path in tmp_path.glob("000*"):
        path.rename(tmp_path / path.name[3:])
    assert [path.name for path in shard_files(tmp_path)][:2] == ["00000.parquet", "00001.parquet"]
    assert len(list(all_dropped(tmp_path))) == len(list(read_pairs(tmp_path))) == 12


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
