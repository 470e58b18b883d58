"""The command called within this process: starting Python and torch anew takes seconds."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

import torch

from topiceq.cli.app import main

torch.set_num_threads(1)  # products are small here: two threads only wait for each other


class Done(NamedTuple):
    """What a command has printed, and its exit code."""

    code: int
    out: str
    err: str


def call(*arguments: object, text: str = "") -> Done:
    """`topiceq` with arguments, and with a text on standard input."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        patch.object(sys, "argv", ["topiceq", *map(str, arguments)]),
        patch.object(sys, "stdin", io.StringIO(text)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())
