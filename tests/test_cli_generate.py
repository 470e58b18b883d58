"""`topiceq generate`: parse, call, print."""

import json
from pathlib import Path

import pytest
from calling import Done, call
from planted import WORDS

from topiceq.cli.ask import mixture
from topiceq.errors import QuestionError


def generate(*arguments: object) -> Done:
    return call("generate", *arguments)


@pytest.fixture
def run(trained: Path) -> Path:
    """The folder of the planted run."""
    return trained


def test_one_object_a_line(run: Path) -> None:
    lines = generate(run, "--theta", 2, "--count", 3, "--seed", 1).out.splitlines()
    found = [json.loads(line) for line in lines]
    assert len(found) == 3
    assert found[0].keys() == {"equation", "tokens", "logprob", "theta", "finished"}
    assert found[0]["equation"] == " ".join(found[0]["tokens"])
    assert found[0]["logprob"] < 0 and found[0]["theta"] == {"2": 1.0}


def test_mixtures_contexts_prefixes_and_manners(run: Path) -> None:
    one = json.loads(generate(run, "--theta", "0:0.5,3:0.5", "--prefix", "E =").out)
    assert one["theta"] == {"0": 0.5, "3": 0.5} and one["equation"].startswith("E =")
    context = generate(run, "--context", " ".join(WORDS[0]), "--greedy", "--unconstrained")
    assert context.code == 0, context.err
    assert len(generate(run, "--theta", 0, "--beams", 2).out.splitlines()) == 2


def test_an_interpolation_is_greedy_unless_told_otherwise(run: Path) -> None:
    path = ["--theta", 0, "--to", 1, "--steps", 3]
    lines = generate(run, *path, "--seed", 1).out.splitlines()
    assert [json.loads(line)["theta"] for line in lines] == [
        {"0": 1.0}, {"0": 0.5, "1": 0.5}, {"1": 1.0}
    ]  # fmt: skip
    assert generate(run, *path, "--seed", 2).out.splitlines() == lines
    assert len(generate(run, *path, "--sample", "--count", 2).out.splitlines()) == 6


def test_a_table_for_people(run: Path) -> None:
    text = generate(run, "--theta", 0, "--to", 1, "--steps", 2, "--table").out
    assert "logprob" in text and "0:1.00" in text


def test_a_mixture_that_is_normalised_is_said_in_one_line(run: Path) -> None:
    done = generate(run, "--theta", "0:1,3:1")
    assert done.code == 0 and json.loads(done.out)["theta"] == {"0": 0.5, "3": 0.5}
    note = "The weights of theta sum to 2; they were divided by that."
    assert json.loads(done.out)["warnings"] == [note] and done.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There is nothing to write about. Give a topic, a theta or a context."),
        (["--theta", "120"], "Topic 120 does not exist. This run has topics 0 to 3."),
        (["--theta", "0", "--prefix", "x }"], "The prefix 'x }' cannot be completed"),
        (["--theta", "a:b"], "The mixture 'a:b' is not understood."),
        (["--theta", "0", "--temperature", "0"], "temperature = 0.0 is not possible."),
    ],
)
def test_known_errors_are_one_line(arguments: list[str], message: str, run: Path) -> None:
    done = generate(run, *arguments)
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert done.err.startswith("topiceq: ") and message in done.err


def test_mixtures_are_read() -> None:
    assert mixture("7") == 7
    assert mixture(" 7:0.5 , 7:0.5") == {7: 1.0}
    with pytest.raises(QuestionError, match="Write a topic, or topics with weights: 7:0.5,9:0.5"):
        mixture("7:0.5,")
