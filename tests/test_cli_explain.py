"""`topiceq explain`: parse, call, print."""

import json
import shutil
from pathlib import Path

import pytest
from calling import Done, call
from planted import WORDS

from topiceq.cli.ask import run_and_arguments
from topiceq.corpus.store import Corpus


def explain(*arguments: object, text: str = "") -> Done:
    return call("explain", *arguments, text=text)


@pytest.fixture
def run(trained: Path) -> Path:
    """The folder of the planted run."""
    return trained


def test_a_symbol_under_a_topic(run: Path) -> None:
    (line,) = explain(run, r"\hat T", "--theta", 1, "--count", 3).out.splitlines()
    answer = json.loads(line)
    assert answer["symbol"] == r"\hat T" and len(answer["phrases"]) == 3
    assert answer["phrases"][0].keys() == {"phrase", "p", "source", "articles"}


def test_every_symbol_of_an_equation(run: Path) -> None:
    done = explain(run, "--equation", "-", "--context", " ".join(WORDS[0]), text="$E = a + 2$")
    assert [json.loads(line)["symbol"] for line in done.out.splitlines()] == ["E", "a"]


def test_by_probability_as_in_the_paper(run: Path) -> None:
    found = json.loads(explain(run, "E", "--theta", "0:0.5,1:0.5", "--by", "alignment").out)
    values = [phrase["p"] for phrase in found["phrases"]]
    assert values == sorted(values, reverse=True)


def test_a_table_for_people(run: Path) -> None:
    done = explain(run, "--equation", r"E = \omega", "--table")
    assert "meanings" in done.out and "not known" in done.out


def test_a_table_says_what_the_context_says(run: Path) -> None:
    context = "where $E$ is the fraction of frogs"
    done = explain(run, "E", "--context", context, "--table")
    assert "fraction of frogs (the text says so)" in " ".join(done.out.split())


def test_a_lexicon_is_made_for_a_run(run: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    shutil.rmtree(folder / "lexicon")
    assert "This run has no lexicon of symbols." in explain(folder, "E").err
    made = json.loads(call("lexicon", folder, corpus.path).out)
    assert made["run"] == str(folder) and made["phrases"] == 8 and made["definitions"] > 400
    assert explain(folder, "E", "--theta", 0).out == explain(run, "E", "--theta", 0).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There is nothing to explain"),
        (["E", "--theta", 99], "Topic 99 does not exist"),
        (["E", "x", "y"], "Too many arguments"),
        (["E + x"], "is not one symbol"),
    ],
)
def test_known_errors_are_one_line(run: Path, arguments: list[object], message: str) -> None:
    given = [run, *arguments] if arguments else [run, "--equation", ""]
    done = explain(*given)
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert message in done.err or not arguments and "The equation is empty" in done.err


def test_which_argument_is_which(run: Path) -> None:
    assert run_and_arguments([], None, False) == (None, [])
    assert run_and_arguments(["E"], None, False) == (None, ["E"])
    assert run_and_arguments([str(run)], None, False) == (run, [])
    assert run_and_arguments(["nowhere"], None, True) == (Path("nowhere"), [])
    assert run_and_arguments(["E"], run, False) == (run, ["E"])
    assert run_and_arguments(["dx/dt", "E"], None, False, are_many=True) == (None, ["dx/dt", "E"])
    assert run_and_arguments([str(run), "E"], None, False, are_many=True) == (run, ["E"])
    done = explain("E", "x", "--run", run)
    assert done.err == "topiceq: Too many arguments: E x. Is a quote missing?\n"


def test_what_is_damaged_can_be_made_again(run: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    (folder / "lexicon" / "lexicon.json").write_text("{}")
    (folder / "equations.safetensors").write_bytes(b"rubbish")
    assert f"Make it again: topiceq lexicon {folder} CORPUS" in explain(folder, "E").err
    call("lexicon", folder, corpus.path)
    assert f"Teach it again: topiceq encoder {folder} CORPUS" in explain(folder, "E").err
    call("encoder", folder, corpus.path)
    assert explain(folder, "E", "--theta", 0).out == explain(run, "E", "--theta", 0).out
