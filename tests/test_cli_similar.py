"""index and similar on the command line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from calling import call
from planted import planted_config, planted_corpus, planted_pairs

from topiceq.corpus.store import Corpus
from topiceq.model.run import new_run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("planted"), count=120, articles=12)


@pytest.fixture(scope="module")
def indexed(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "te"
    new_run(planted_config(), corpus.vocabularies).save(folder)
    refused = call("similar", folder, "--equation", "E = a")
    assert refused.code == 1 and refused.out == ""
    assert f"Make one: topiceq index CORPUS --run {folder}" in refused.err
    done = call("index", corpus.path, "--run", folder)
    told = json.loads(done.out)
    assert told["index"] == str(folder / "similar") and 0 < told["equations"] <= told["places"]
    assert told["places"] == 120 and told["articles"] == 12 and done.err == ""
    return folder


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another corpus, with a manifest that says where its articles come from."""
    pairs = planted_pairs(40, 4, seed=7)
    pairs = [replace(pair, id=f"own/{pair.id}", article=f"own/{pair.article}",
                     file=f"own/{pair.file}") for pair in pairs]  # fmt: skip
    Corpus.build(pairs, split=(0, 0, 100), path=tmp_path / "corpus")
    source = {"folder": "own", "title": "My notes", "license": "MIT", "link": "https://x.org/src"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(source) + "\n")
    return tmp_path


KEYS = ["equation", "score", "places", "title", "section", "article", "field", "file", "line",
        "licence", "link"]  # fmt: skip


def test_the_nearest_first_as_json(indexed: Path) -> None:
    done = call("similar", indexed, "--equation", "$E = a b c x y z$", "--count", 4)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [list(one) for one in found] == [KEYS] * 4
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True) and 0 < scores[0] <= 1
    assert found[0]["article"].startswith("article") and found[0]["line"] > 0


def test_an_index_of_ones_own(indexed: Path, other: Path) -> None:
    manifest = ("--manifest", other / "manifest.jsonl")
    told = json.loads(call("index", other / "corpus", *manifest).out)
    assert told["index"] == str(other / "corpus.index") and "before" not in told
    again = json.loads(call("index", other / "corpus", *manifest).out)
    assert again == told | {"before": told["equations"]}
    own = ("--index", other / "corpus.index")
    asked = ("--equation", "E = a b c x y z", "--count", 3)
    found = [json.loads(x) for x in call("similar", indexed, *asked, *own).out.splitlines()]
    assert {(one["title"], one["licence"]) for one in found} == {("My notes", "MIT")}
    assert all(one["link"].startswith("https://x.org/src/article") for one in found)
    both = call("similar", indexed, *asked[:2], "--count", 500, *own, "--index",
                indexed / "similar")  # fmt: skip
    titles = {json.loads(line)["title"] for line in both.out.splitlines()}
    assert titles == {"My notes", ""}


def test_only_what_is_wanted(indexed: Path) -> None:
    asked = ("similar", indexed, "--equation", "E = a b c x y z")
    lines = call(*asked, "--field", "field1").out.splitlines()
    assert {json.loads(line)["field"] for line in lines} == {"field1"}
    lines = call(*asked, "--article", "article003").out.splitlines()
    assert {json.loads(line)["article"] for line in lines} == {"article003"}
    assert "has no field 'tea'. There are: field0" in call(*asked, "--field", "tea").err


def test_no_path_is_cut_in_a_table(indexed: Path, other: Path) -> None:
    call("index", other / "corpus", "--manifest", other / "manifest.jsonl")
    done = call("similar", indexed, "--equation", "E = a b c x y z", "--table",
                "--index", other / "corpus.index", "--count", 1)  # fmt: skip
    text = "".join(line.strip("│ ").rpartition("│")[2] for line in done.out.splitlines())
    assert "https://x.org/src/article" in text and "My notes, Planted" in text


def test_the_equation_may_come_from_standard_input(indexed: Path) -> None:
    typed = call("similar", indexed, "--equation", "E = a b c")
    assert len(typed.out.splitlines()) == 10
    assert call("similar", indexed, "--equation", "-", text="E = a b c").out == typed.out


def test_a_table_for_people(indexed: Path, corpus: Corpus) -> None:
    done = call("similar", indexed, "--equation", "E = a b c", "--count", 2, "--table")
    assert "score" in done.out and "article0" in done.out and ", line " in done.out
    again = call("index", corpus.path, "--run", indexed, "--table")
    assert again.code == 0 and "equations" in again.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "The equation is missing. Give one: An equation in LaTeX, in one row"),
        (["--equation", "\\frac{a}{"], "The equation does not parse"),
        (
            ["--equation", "E = a", "--count", "0"],
            "count = 0 is not possible. It must be from 1 to 10,000.",
        ),
    ],
)
def test_bad_questions_are_one_line(indexed: Path, arguments: list[str], message: str) -> None:
    done = call("similar", indexed, *arguments)
    assert done.code == 1 and done.out == ""
    assert done.err.count("\n") == 1 and message in done.err


def test_what_is_no_run_or_corpus_is_said(indexed: Path, corpus: Corpus, tmp_path: Path) -> None:
    assert "is not a run" in call("index", corpus.path, "--run", tmp_path).err
    assert "has no pairs" in call("index", tmp_path).err
    assert f"topiceq index CORPUS --run {indexed}" in call("index", indexed, corpus.path).err
    both = call("index", corpus.path, "--run", indexed, "-o", tmp_path / "index")
    assert both.code == 1 and "not both" in both.err
    (tmp_path / "mine.txt").write_text("")
    assert "exists and is no index" in call("index", corpus.path, "-o", tmp_path).err
    assert call("index").code == 2


def test_serve_tells_of_a_missing_index_before_it_listens(indexed: Path, tmp_path: Path) -> None:
    said = call("serve", indexed, "--port", 0, "--index", tmp_path).err
    assert said.startswith(f"topiceq: '{tmp_path}' is no index of equations. Make one: topiceq ")
