"""The command itself: its name, and what becomes of errors."""

import sys
import warnings
from typing import TextIO

import typer

from topiceq.errors import TopicEqError

app = typer.Typer(
    name="topiceq",
    help="Learns topics and equations together from scientific LaTeX.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command; known errors become one line and exit code 1."""
    warnings.showwarning = note
    try:
        app(standalone_mode=True)
    except TopicEqError as error:
        fail(str(error), 1)
    except KeyboardInterrupt:
        fail("Interrupted. What was finished is kept.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say in one line what the user should know, but need not mend; the rest is for developers."""
    if issubclass(category, UserWarning):
        print("topiceq: note: " + " ".join(str(message).split()), file=sys.stderr)


def fail(message: str, code: int) -> None:
    """Say what is wrong in one line and stop."""
    print("topiceq: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)
