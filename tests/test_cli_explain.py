"""`topiceq explain`: parse, call, print."""

import json
from pathlib import Path

import pytest
from calling import Done, call
from planted import WORDS

from topiceq.cli.ask import run_and_argument
from topiceq.errors import QuestionError


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
    assert answer["phrases"][0].keys() == {"phrase", "p", "source", "topic"}
    assert answer["phrases"][0]["topic"] == 1


def test_every_symbol_of_an_equation(run: Path) -> None:
    done = explain(run, "--equation", "-", "--context", " ".join(WORDS[0]), text="$E = a + 2$")
    assert [json.loads(line)["symbol"] for line in done.out.splitlines()] == ["E", "a"]


def test_by_probability_as_in_the_paper(run: Path) -> None:
    found = json.loads(explain(run, "E", "--theta", "0:0.5,1:0.5", "--paper-order").out)
    values = [phrase["p"] for phrase in found["phrases"]]
    assert values == sorted(values, reverse=True)


def test_a_table_for_people(run: Path) -> None:
    done = explain(run, "--equation", r"E = \omega", "--table")
    assert "meanings" in done.out and "not known to this run" in done.out


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
    assert run_and_argument([], None, False) == (None, None)
    assert run_and_argument(["E"], None, False) == (None, "E")
    assert run_and_argument([str(run)], None, False) == (run, None)
    assert run_and_argument(["nowhere"], None, True) == (Path("nowhere"), None)
    assert run_and_argument(["E"], run, False) == (run, "E")
    with pytest.raises(QuestionError, match="Too many arguments: E x. Is a quote missing?"):
        run_and_argument(["E", "x"], run, False)
