"""Writes docs/tutorial.md from docs/tutorial.md.in: python docs/generate_tutorial.py.

In goes text with blocks of code. Those that are marked (```sh run, ```python run) are run, in
order, in one temporary folder, and what they print is put below them; `first=N` or `last=N` keeps
only so many lines of it. Commands see a terminal, so they answer as they answer a reader. It takes
some minutes, for two small models are trained on the way.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parent
TEMPLATE, PAGE = DOCS / "tutorial.md.in", DOCS / "tutorial.md"
BLOCK = re.compile(r"^```(sh|python)( run)?(?: (first|last)=(\d+))?\n(.*?)^```\n", re.M | re.S)
OUTPUT = re.compile(r"\n^```text\n.*?^```\n", re.M | re.S)  # what a page has below its blocks
TERMINAL = {"COLUMNS": "100", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1"}


class Block(NamedTuple):
    """A block of code, and what to do with it."""

    language: str
    run: str | None
    end: str | None  # which end of the output to keep; None: all of it
    lines: str | None
    code: str


Answer = Callable[[Block], str]


def page(answer: Answer) -> str:
    """The tutorial, with what `answer` says below each block that is to be run."""
    text = TEMPLATE.read_text(encoding="utf-8")
    return BLOCK.sub(lambda found: shown(Block(*found.groups()), answer), text)


def shown(block: Block, answer: Answer) -> str:
    """A block as the reader sees it, and its output."""
    output = shortened(answer(block), block) if block.run else ""
    below = f"\n```text\n{output}\n```\n" if output else ""
    return f"```{block.language}\n{block.code}```\n{below}"


def shortened(output: str, block: Block) -> str:
    """As many lines as were asked for, and a mark where others are left out."""
    lines = [line.rstrip() for line in output.rstrip().splitlines()]
    count = int(block.lines or len(lines))
    if count >= len(lines):
        return "\n".join(lines)
    return "\n".join([*lines[:count], "…"] if block.end == "first" else ["…", *lines[-count:]])


class Session:
    """A folder for the files, and the names of the Python blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        (folder / "examples").symlink_to(DOCS.parent / "examples")

    def answer(self, block: Block) -> str:
        """What a block prints."""
        print(block.code, file=sys.stderr, flush=True)
        return self.python(block.code) if block.language == "python" else self.shell(block.code)

    def python(self, code: str) -> str:
        """Run Python here, with the names of the blocks before."""
        out = io.StringIO()
        with chdir(self.folder), redirect_stdout(out):
            exec(compile(code, TEMPLATE.name, "exec"), self.names)
        return out.getvalue()

    def shell(self, code: str) -> str:
        """Run commands whose standard output is a terminal."""
        ours, theirs = os.openpty()
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        process = subprocess.Popen(
            ["sh", "-e", "-c", code], cwd=self.folder, stdout=theirs,
            env={**os.environ, **TERMINAL, "PATH": path},
        )  # fmt: skip
        os.close(theirs)
        output = b"".join(iter(lambda: read(ours), b""))
        os.close(ours)
        if process.wait():
            sys.exit(f"This failed with exit code {process.returncode}:\n{code}{output.decode()}")
        return output.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    """What has come in; nothing when the other end is closed."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        PAGE.write_text(page(Session(Path(temporary)).answer), encoding="utf-8")
