"""What can go wrong around the work: a full disk, a folder that nobody may write to or that is
gone, no more files to open, two processes on one output. That is one line and exit code 1; nothing
is half-written, and once it is mended the command works."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from calling import Done, call

from topiceq import files
from topiceq.corpus import shards
from topiceq.corpus.store import Corpus
from topiceq.files import alone, alone_with
from topiceq.model.train import Training

ARTICLES = Path(__file__).parents[1] / "examples" / "articles"
FEW = ["-c", "debug", "--set", "research.start=lda", "--set", "train.epochs=1"]
FEW += ["--set", "train.topic_epochs=0"]


@dataclass(frozen=True)
class Command:
    """A command without its output."""

    words: list[str]
    option: str = "-o"
    in_place: bool = False  # whether a folder is filled under its name, file by file

    def __call__(self, out: Path, *more: str) -> Done:
        return call(*self.words, self.option, out, *more)

    def again(self, out: Path) -> Done:
        """The same, as a user gives it again."""
        begun = self.words[0] == "train" and (out / "config.toml").exists()
        return self(out, *["--resume"] * begun)


NAMES = ["extract", "build", "train", "index", "infer", "annotate", "export"]


@pytest.fixture(scope="session")
def commands(
    corpus: Corpus, trained: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Command]:
    asked = tmp_path_factory.mktemp("asked") / "equations.txt"
    asked.write_text("E = a b c\n" * 20)
    article = str(ARTICLES / "quantum" / "harmonic_oscillator.tex")
    return {
        "extract": Command(["extract", str(ARTICLES / "ml"), "--jobs", "1"], in_place=True),
        "build": Command(["build", str(ARTICLES / "ml"), "--split", "0/0/100", "--jobs", "1"]),
        "train": Command(["train", str(corpus.path), *FEW], in_place=True),
        "index": Command(["index", str(corpus.path)]),
        "infer": Command(
            ["infer", str(trained), "--input", str(asked), "--jobs", "1"], option="--output"
        ),
        "annotate": Command(["annotate", str(trained), article]),
        "export": Command(["serve", str(trained)], option="--export"),
    }


@contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    """A limit of this process, for a while."""
    before = resource.getrlimit(what)
    resource.setrlimit(what, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


def is_one_line(done: Done, part: str) -> bool:
    """Whether a command failed as it should."""
    lines = done.err.splitlines()
    return (
        done.code == 1 and len(lines) == 1 and lines[0].startswith("topiceq: ") and part in done.err
    )


def partial(folder: Path) -> list[Path]:
    """What was not finished."""
    return [path for path in folder.rglob(".*") if path.suffix in (".partial", ".old", ".lock")]


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk(commands: dict[str, Command], tmp_path: Path, name: str) -> None:
    command, out = commands[name], tmp_path / "out"
    with limited(resource.RLIMIT_FSIZE, 2_000):
        done = command(out)
    assert is_one_line(done, "File too large"), done
    assert not partial(tmp_path) and (command.in_place or not out.exists())
    assert not command.in_place or not list(out.glob("[0-9]*.json")) + list(out.glob("model.*"))
    assert command.again(out).code == 0 and not partial(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_place_that_nobody_may_write_to(commands: dict[str, Command], name: str) -> None:
    done = commands[name](Path("/sys/topiceq"))  # not even root
    assert is_one_line(done, "'/sys"), done
    assert "Operation not permitted" in done.err or "Permission" in done.err or "Read" in done.err


@pytest.mark.parametrize("name", [name for name in NAMES if name != "annotate"])
def test_a_second_process_is_refused(
    commands: dict[str, Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(files, "SECONDS", 0.0)
    command, out = commands[name], tmp_path / "out"
    if command.in_place:
        out.mkdir()
    first: AbstractContextManager[None] = alone(out) if command.in_place else alone_with(out)
    with first:
        assert is_one_line(command(out), "another process is at work there")
        assert not out.exists() or not any(out.iterdir())
    assert command(out).code == 0


def test_no_more_files_can_be_opened(commands: dict[str, Command], tmp_path: Path) -> None:
    assert commands["extract"](tmp_path / "before").code == 0  # all is imported
    with open(os.devnull) as free:
        number = free.fileno()
    with limited(resource.RLIMIT_NOFILE, number):
        done = commands["extract"](tmp_path / "out")
    assert is_one_line(done, "Too many open files"), done
    for few in range(number + 1, number + 4):  # enough to begin
        with limited(resource.RLIMIT_NOFILE, few):
            done = commands["extract"](tmp_path / "out")
        assert done.code == 0 or is_one_line(done, "Too many open files"), done
        complete = (tmp_path / "out" / "extract.json").exists()
        assert complete == (done.code == 0)
    assert commands["extract"](tmp_path / "out").out == commands["extract"](tmp_path / "before").out


def test_the_folder_of_pairs_is_removed_meanwhile(
    commands: dict[str, Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, work = tmp_path / "out", shards.work

    def removed(shard: shards.Shard) -> shards.Extracted:
        found = work(shard)
        shutil.rmtree(out)
        return found

    monkeypatch.setattr(shards, "work", removed)
    done = commands["extract"](out)
    assert is_one_line(
        done, "00000000.parquet' was written, but is no longer there. Run this again"
    )
    assert not out.exists()


def test_the_folder_of_a_run_is_removed_meanwhile(
    commands: dict[str, Command], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, validate = tmp_path / "out", Training._validate

    def removed(self: Training) -> object:
        shutil.rmtree(out)
        return validate(self)

    monkeypatch.setattr(Training, "_validate", removed)
    done = commands["train"](out)
    assert is_one_line(done, "history.jsonl': No such file or directory. What is saved is kept")
    assert not out.exists()


def test_an_answer_that_cannot_be_written() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "topiceq", "config"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "topiceq: No space left on device. What was finished is kept.\n"
