"""The files of results: how entries are made, kept and read, and how Markdown shows them.

An entry says what was measured, by which command, at which commit, of which corpus. Entries of runs
stand side by side in a list, each in place of an older one of the same row, corpus, topics and
seed; what is measured of a machine or of a reader is one object.
"""

import fcntl
import json
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from topiceq.files import write_text

HERE = Path(__file__).parent
RESULTS = HERE / "results"  # the command can name another folder
DOCS = HERE.parent / "docs"
NOT_RUN = "Not run yet."
Entry = dict[str, Any]
Group = tuple[str, int]  # corpus, topics


# -- made and kept ------------------------------------------------------------------------------


def made() -> Entry:
    """How an entry was made."""
    return {"command": f"python -m research {shlex.join(sys.argv[1:])}", "commit": commit()}


def commit() -> str:
    """The commit that is checked out."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def read(name: str) -> list[Entry]:
    """The entries of one file of results; none if it is not there."""
    path = RESULTS / f"{name}.json"
    entries: list[Entry] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return entries


def read_one(name: str) -> Entry:
    """The one object of a file of results."""
    found: Entry = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def read_if(name: str) -> Entry | None:
    """The one object of a file of results, if there is one."""
    return read_one(name) if (RESULTS / f"{name}.json").exists() else None


def keep(name: str, entries: Iterable[Entry]) -> None:
    """Put entries into a file of results, in place of older ones of the same row."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with RESULTS.joinpath(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tables may be made at the same time
        kept = {_key(entry): entry for entry in read(name)}
        kept |= {_key(entry): entry for entry in entries}
        write(name, list(kept.values()))


def _key(entry: Entry) -> tuple[Any, ...]:
    return entry["row"], entry["corpus"], entry["topics"], entry["seed"]


def report(name: str, found: Entry) -> None:
    """Print what was measured, and keep it as the one object of a file of results."""
    print(dumped(_without_examples(found)))
    write(name, made() | found)


def _without_examples(found: Entry) -> Entry:
    return {
        name: _without_examples(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if not (isinstance(value, list) and value and isinstance(value[0], dict))
    }


def write(name: str, found: list[Entry] | Entry) -> None:
    """A file of results, in place of what it was."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    write_text(RESULTS / f"{name}.json", dumped(found) + "\n")


def dumped(found: list[Entry] | Entry) -> str:
    """As JSON, with lists of numbers on one line.

    >>> print(dumped([{"a": [1.5, -2]}]))
    [
     {
      "a": [1.5, -2]
     }
    ]
    """
    text = json.dumps(found, indent=1)
    numbers = r"\[\s+([-+\d.eE]+(?:,\s+[-+\d.eE]+)*)\s+\]"
    return re.sub(numbers, lambda match: f"[{' '.join(match[1].split())}]", text)


def questions(name: str) -> list[dict[str, str]]:
    """The lines of a file of questions, the one place for equations and symbols to ask about."""
    lines = (HERE / "questions" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# -- shown --------------------------------------------------------------------------------------


def groups(entries: Iterable[Entry]) -> dict[Group, list[Entry]]:
    """The entries of each corpus and number of topics, the whole corpus first."""
    found: dict[Group, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry["corpus"], entry["topics"]].append(entry)
    return dict(sorted(found.items()))


def run_name(entry: Entry) -> str:
    """A run as the tables of answers call it; one without topics has no K."""
    topics = "" if entry["theta"] == "none" else f", K = {entry['topics']}"
    return f"{entry['row']}{topics}"


def largest(entries: list[Entry]) -> Entry | None:
    """The run that is shown in full where there is room for one: the first with most topics."""
    with_topics = [entry for entry in entries if entry["theta"] != "none"]
    return max(with_topics, key=lambda entry: entry["topics"], default=None)


def lines(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown, if it has rows.

    >>> print(lines(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    >>> lines(["a"], [])
    'Not run yet.'
    """
    first, *others = [list(heads), *map(list, rows)]
    written = [f"| {' | '.join(row)} |" for row in (first, *others)]
    return "\n".join([written[0], "|---" * len(first) + "|", *written[1:]]) if others else NOT_RUN


def math(equation: str) -> str:
    r"""An equation that GitHub sets as mathematics, and that other readers show as code.

    >>> math(r"p(a|b) \| \|")
    '$`p(a\\vert b) \\Vert  \\Vert `$'
    """
    without = equation.replace("\\|", r"\Vert ").replace("|", r"\vert ")  # | would end the cell
    return f"$`{without}`$"


def code(text: str) -> str:
    """Text as code, in a table too."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def folded(summary: str, text: str) -> str:
    """A part of the page that is opened by a click."""
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"
