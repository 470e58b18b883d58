"""Writes docs/cli.md from the command's own help: python docs/generate_cli.py."""

import os
import subprocess
import sys
from pathlib import Path

from topiceq.cli import app

PAGE = Path(__file__).with_name("cli.md")
INTRODUCTION = """# The command

Made from `topiceq --help` by `python docs/generate_cli.py`; a test keeps it true.
"""


def page() -> str:
    """The help of the command and of each verb, as Markdown."""
    parts = [INTRODUCTION, help_of()]
    for command in app.registered_commands:
        assert command.callback is not None
        verb = command.name or command.callback.__name__
        parts += [f"\n## {verb}\n", help_of(verb)]
    return "\n".join(parts)


def help_of(*verb: str) -> str:
    """What the command prints, at a fixed width."""
    command = [sys.executable, "-m", "topiceq", *verb, "--help"]
    environment = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return f"```\n{done.stdout.strip().replace('python -m topiceq', 'topiceq')}\n```"


if __name__ == "__main__":
    PAGE.write_text(page() + "\n", encoding="utf-8")
