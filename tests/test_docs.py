"""What the documents say is true."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from calling import call

from topiceq.cli import app

ROOT = Path(__file__).parents[1]


def blocks(path: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_python_of_the_readme_says_what_it_says(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert done.stdout.splitlines() == said


def test_the_commands_of_the_readme_say_what_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (shown,) = blocks(ROOT / "README.md", "console")
    monkeypatch.setenv("COLUMNS", "96")
    for part in shown.strip().split("\n\n"):
        command, _, said = part.partition("\n")
        done = call(*shlex.split(command)[2:], "--table")  # as on a terminal
        assert [line.rstrip() for line in done.out.splitlines()] == said.splitlines()


def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    commands = next(b for b in blocks(ROOT / "README.md", "sh") if b.startswith("topiceq"))
    program = f'set -e\ntopiceq() {{ {sys.executable} -m topiceq "$@"; }}\n'
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        ["sh", "-c", program + commands], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "corpus" / "train.parquet").exists()


def test_the_tutorial_calls_verbs_and_options_that_exist() -> None:
    command = typer.main.get_group(app)
    lines = "".join(blocks(ROOT / "docs" / "tutorial.md", "sh")).splitlines()
    calls = [shlex.split(line, comments=True) for line in lines if line.startswith("topiceq ")]
    for _, verb, *arguments in calls:
        known = {option for each in command.commands[verb].params for option in each.opts}
        assert {word for word in arguments if word.startswith("-")} <= known, verb
    not_shown = {"config", "demo", "stats"}
    assert {verb for _, verb, *_ in calls} == set(command.commands) - not_shown


def test_the_commands_for_clusters_have_options_that_exist() -> None:
    command = typer.main.get_group(app)
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    calls = re.findall(r"\btopiceq (extract|train) (.*/.*)", text)
    assert len(calls) > 8
    for verb, arguments in calls:
        known = {option for each in command.commands[verb].params for option in each.opts}
        assert set(re.findall(r"(?<= )--?[a-z-]+", " " + arguments)) <= known, arguments


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
