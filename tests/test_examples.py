"""The scripts in examples/ run with the default model and print what they promise."""

import io
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: str) -> list[str]:
    """The lines that a script prints, called within this process."""
    out = io.StringIO()
    with patch.object(sys, "argv", [name, *arguments]), redirect_stdout(out):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return out.getvalue().splitlines()


def test_quickstart_answers_four_questions() -> None:
    lines = run("quickstart.py")
    heads = [place for place, line in enumerate(lines) if line and not line.startswith(" ")]
    answers = [lines[a + 1 : b] for a, b in zip(heads, [*heads[1:], None], strict=True)]
    topics, symbols, written, near = ([line for line in some if line] for some in answers)
    assert len(topics) == len(written) == len(near) == 3
    assert [line.split(":")[0].strip() for line in symbols] == [
        "i", r"\hbar", "t", r"\Psi", r"\hat { H }",
    ]  # fmt: skip
    assert all(line.split(": ")[1] for line in symbols)


def test_interpolation_goes_from_one_topic_to_another() -> None:
    first, last, *written = run("interpolate.py", "--steps", "3")
    assert first.startswith("topic ") and last.startswith("topic ") and first != last
    assert [line.split()[0] for line in written] == ["0%", "50%", "100%"]
    assert all(line.split(maxsplit=1)[1].startswith("L =") for line in written)
    assert written[0].split("L =")[1] != written[2].split("L =")[1]


def test_interpolation_takes_topics_by_their_words() -> None:
    first, last, *written = run(
        "interpolate.py", "--start", "graph, vert", "--end", "wave", "--prefix", "G =",
        "--steps", "2",
    )  # fmt: skip
    assert any(word.startswith(("graph", "vert")) for word in first.split())
    assert any(word.startswith("wave") for word in last.split())
    assert all("G =" in line for line in written)


def test_interpolation_says_when_no_topic_has_the_words() -> None:
    with pytest.raises(SystemExit, match="No topic has a word that begins with 'qqq'"):
        run("interpolate.py", "--start", "qqq")
