"""index and similar on the command line."""

import json
from pathlib import Path

import pytest
from calling import call
from planted import planted_config, planted_corpus

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
    assert f"has no index of equations. Make one: topiceq index {folder} CORPUS" in refused.err
    done = call("index", folder, corpus.path, "--count", 30)
    assert json.loads(done.out) == {"run": str(folder), "equations": 30}
    assert done.err == ""
    return folder


def test_the_nearest_first_as_json(indexed: Path) -> None:
    done = call("similar", indexed, "--equation", "$E = a b c x y z$", "--count", 4)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [list(one) for one in found] == [["equation", "article", "line", "score"]] * 4
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True) and 0 < scores[0] < 1
    assert found[0]["article"].startswith("article") and found[0]["line"] > 0


def test_the_equation_may_come_from_standard_input(indexed: Path) -> None:
    typed = call("similar", indexed, "--equation", "E = a b c")
    assert len(typed.out.splitlines()) == 10
    assert call("similar", indexed, "--equation", "-", text="E = a b c").out == typed.out


def test_a_table_for_people(indexed: Path, corpus: Corpus) -> None:
    done = call("similar", indexed, "--equation", "E = a b c", "--count", 2, "--table")
    assert "score" in done.out and "article0" in done.out
    again = call("index", indexed, corpus.path, "--table")
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


def test_what_is_no_run_or_corpus_is_said(indexed: Path, tmp_path: Path) -> None:
    assert "is not a run" in call("index", tmp_path, tmp_path).err
    assert "is not a corpus" in call("index", indexed, tmp_path).err
    assert call("index", indexed).code == 2
