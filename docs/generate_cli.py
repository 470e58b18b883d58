"""Writes docs/cli.md from the command's own help: python docs/generate_cli.py."""

from pathlib import Path

import click
import typer.main

from topiceq.cli import app

PAGE = Path(__file__).with_name("cli.md")
INTRODUCTION = """# The command

Made from `topiceq --help` by `python docs/generate_cli.py`; a test keeps it true.
"""


def page() -> str:
    """The help of the command and of each verb, as Markdown."""
    command = typer.main.get_command(app)
    parts = [INTRODUCTION, help_of(command, "topiceq")]
    assert isinstance(command, click.Group) or hasattr(command, "commands")
    for name, verb in command.commands.items():  # type: ignore[union-attr]
        parts += [f"\n## {name}\n", help_of(verb, f"topiceq {name}")]
    return "\n".join(parts)


def help_of(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=90, max_content_width=90)
    return f"```\n{command.get_help(context)}\n```"


if __name__ == "__main__":
    PAGE.write_text(page() + "\n", encoding="utf-8")
