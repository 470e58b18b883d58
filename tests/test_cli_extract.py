"""`topiceq extract` of articles on arXiv, in parts and on a cluster: parse, call, print."""

import gzip
import json
from pathlib import Path

import pytest
from arxiv_server import Server, gives, packed
from calling import call

from topiceq.article import arxiv
from topiceq.corpus import shards
from topiceq.corpus.pair import read_pairs

ARTICLES = Path(__file__).parents[1] / "examples" / "articles"
TEX = (ARTICLES / "ml" / "attention.tex").read_bytes()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to spare this server."""
    monkeypatch.setattr(arxiv, "PAUSE", 0.0)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# -- arXiv -------------------------------------------------------------------------------------


def test_ids_of_a_file(server: Server, tmp_path: Path) -> None:
    server.answers = [gives(packed({"main.tex": TEX})), gives(b"", 404), gives(b"%PDF-1.4")]
    (tmp_path / "ids.txt").write_text("1902.06034  # good\n1902.00404\n\nmath/0101001v1\nrubbish\n")
    options = ("--arxiv", tmp_path / "ids.txt", "--cache", tmp_path / "cache")
    dropped = tmp_path / "dropped.jsonl"
    done = call("extract", *options, "-o", tmp_path / "out", "--explain-dropped", dropped)
    assert done.code == 0, done.err
    summary = json.loads(done.out)
    assert summary["pairs"] > 3 and summary["reasons"]["unreadable"] == 3
    assert {pair.article for pair in read_pairs(tmp_path / "out")} == {"1902.06034"}
    rows = [json.loads(line) for line in dropped.read_text().splitlines()]
    whys = {row["article"]: row["equation"] for row in rows if row["reason"] == "unreadable"}
    assert whys == {
        "1902.00404": "is not known to arXiv (404)",
        "math/0101001v1": "was sent to arXiv as PDF only: there is no LaTeX to read",
        "arXiv:rubbish": arxiv.NO_ID,
    }
    assert len(server.requests) == 3


def test_what_could_not_be_fetched_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("1902.06034\n")
    options = ("extract", ARTICLES / "ml", "--arxiv", tmp_path / "ids.txt", "-o", tmp_path / "out",
               "--cache", tmp_path / "cache", "--jobs", "1")  # fmt: skip
    server.answers = [gives(b"", 404)]
    first = json.loads(call(*options).out)
    server.answers = [gives(gzip.compress(TEX))]
    second = json.loads(call(*options).out)
    assert second["articles"] == first["articles"] and second["pairs"] > first["pairs"]
    server.answers = []  # it must not be asked a third time
    assert json.loads(call(*options).out) == second


def test_nothing_to_extract(tmp_path: Path) -> None:
    done = call("extract", "-o", tmp_path / "out")
    assert done.code == 1
    assert done.err == (
        "topiceq: No articles are given. Name folders, files or archives, or --arxiv IDS.\n"
    )


# -- more than one machine ---------------------------------------------------------------------


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Of one process, with several shards."""
    monkeypatch.setattr(shards, "SHARD_BYTES", 30_000)
    done = call("extract", ARTICLES, "-o", tmp_path / "whole", "--jobs", 1)
    assert done.code == 0, done.err
    assert len(shards.shard_files(tmp_path / "whole")) > 4
    return content(tmp_path / "whole")


def test_on_a_cluster(whole: dict[str, bytes], tmp_path: Path, dask: str) -> None:
    done = call("extract", ARTICLES, "-o", tmp_path / "out", "--cluster", dask)
    assert done.code == 0, done.err
    assert content(tmp_path / "out") == whole


def test_in_parts(whole: dict[str, bytes], tmp_path: Path) -> None:
    extract = ("extract", ARTICLES, "-o", tmp_path / "out", "--jobs", 1)
    assert call(*extract, "--part", "1/2").code == 0
    done = call("build", tmp_path / "out", "-o", tmp_path / "corpus")
    assert "out' is not complete. Run its 'topiceq extract' again, after parts with" in done.err
    assert "shards are missing or out of date (00000001, " in call(*extract, "--merge").err
    assert call(*extract, "--part", "2/2").code == 0
    done = call(*extract, "--merge")
    assert done.code == 0 and json.loads(done.out)["pairs"] > 200
    assert content(tmp_path / "out") == whole


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--part", "3/2"], "There is no part 3/2. Parts are numbered 1 to 2."),
        (["--part", "1/2", "--merge"], "--merge does no work of its own. Leave --part and"),
        (["--cluster", "x"], "'x' does not say where a Dask cluster is. Give the address"),
    ],
)
def test_known_errors_are_one_line(tmp_path: Path, options: list[str], message: str) -> None:
    done = call("extract", ARTICLES, "-o", tmp_path / "out", *options)
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert message in done.err
