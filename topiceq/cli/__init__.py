"""The `topiceq` command: parse, call, print.

One verb a function, one room's verbs a file. Results go to standard output as JSON, one object a
line, or as tables for people (`--table`, the default on a terminal); progress goes to standard
error, only on a terminal. Exit 0 fine, 1 a known error (one line on standard error), 2 usage.
"""

from topiceq.cli import corpus, model, ask, web, demo  # noqa: F401, I001 (in this order in --help)
from topiceq.cli.app import app, main

__all__ = ["app", "main"]
