"""`topiceq infer`: parse, call, print."""

import json
from pathlib import Path

import pytest
from calling import Done, call
from planted import WORDS

CONTEXT = " ".join(WORDS[0])


def infer(*arguments: object, text: str = "") -> Done:
    return call("infer", *arguments, text=text)


@pytest.fixture
def run(trained: Path) -> Path:
    """The folder of the planted run."""
    return trained


def test_the_best_topics_come_first(run: Path) -> None:
    (line,) = infer(run, "--equation", "$E = a b c$", "--top", 3).out.splitlines()
    answer = json.loads(line)
    assert answer.keys() == {"equation", "known", "topics"} and answer["equation"] == "$E = a b c$"
    assert answer["topics"][0].keys() == {"topic", "label", "p", "words"}
    values = [topic["p"] for topic in answer["topics"]]
    assert len(values) == 3 and values == sorted(values, reverse=True)
    assert len(answer["topics"][0]["words"]) == 8


def test_a_context_or_both(run: Path) -> None:
    context = json.loads(infer(run, "--context", CONTEXT).out)
    both = json.loads(infer(run, "--context", CONTEXT, "--equation", "E = a").out)
    assert context.keys() == {"context", "known", "topics"}
    assert both.keys() == {"context", "equation", "known", "topics"}
    assert sum(topic["p"] for topic in both["topics"]) == pytest.approx(1, abs=0.001)


def test_standard_input_and_files(run: Path, tmp_path: Path) -> None:
    assert json.loads(infer(run, "--equation", "-", text="E = a").out)["equation"] == "E = a"
    assert "topics" in json.loads(infer(run, "--context", "-", text=CONTEXT).out)
    file = tmp_path / "equations.txt"
    file.write_text("E = a\n\n-x = b\n")
    for found in (infer(run, "--equations", file), infer(run, "--equations", "-", text="E=a\n-x")):
        assert len(found.out.splitlines()) == 2
    assert infer(run, "--equation", "-x = a", "--decoder", "bag").code == 0


def test_an_equation_may_be_longer_than_the_name_of_a_file() -> None:
    long = "E = a" + 150 * " + b" + r" \\frac{a}{b"
    done = infer(long)
    assert done.code == 1 and "topiceq: The equation does not parse: '{' is not closed" in done.err
    both = call("similar", long, "x")
    assert both.code == 1 and "is not a run." in both.err


def test_a_file_is_no_equation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formulas.txt").write_text("E = a")
    monkeypatch.chdir(tmp_path)
    said = "topiceq: 'formulas.txt' is a file, not an equation."
    assert infer("formulas.txt").err == (
        f"{said} Its equations, one a line: --equations formulas.txt\n"
    )
    assert call("similar", "formulas.txt").err == f"{said}\n"


def test_a_table_for_people(run: Path) -> None:
    text = infer(run, "--equation", "E = a [b]", "--table").out
    assert "E = a [b]" in text and "words" in text and "%" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "There is nothing to infer from. Give a context, an equation or both."),
        (["--equation", "x^{2"], "The equation does not parse: '{' is not closed"),
        (["--equation", "E", "--decoder", "x"], "no decoder 'x'"),
        (["--equations", "no/such/file"], "The equations 'no/such/file' cannot be read"),
    ],
)
def test_known_errors_are_one_line(arguments: list[str], message: str, run: Path) -> None:
    done = infer(run, *arguments)
    assert done.code == 1 and done.out == "" and done.err.count("\n") == 1
    assert done.err.startswith("topiceq: ") and message in done.err


def test_a_package_without_the_pretrained_run_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topiceq.api.PRETRAINED", tmp_path / "pretrained")
    done = infer("--equation", "E = a")
    assert done.code == 1
    assert "comes without a pretrained model here. Train one: topiceq train" in done.err
