"""The files of results, as docs/results.md reads them: entries, grouped by corpus and topics."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
RESULTS = BENCHMARKS / "results"
NOT_RUN = "Not run yet."
Entry = dict[str, Any]
Group = tuple[str, int]  # corpus, topics

sys.path.append(str(BENCHMARKS))


def read(name: str) -> list[Entry]:
    """The entries of one file of results; none if it is not there."""
    path = RESULTS / f"{name}.json"
    entries: list[Entry] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return entries


def rows_of(script: str, part: str = "ROWS") -> list[str]:
    """The names of the rows of a table in benchmarks, or of a part of it, in its order."""
    return [row.name for row in getattr(import_module(script), part)]


def groups(entries: Iterable[Entry]) -> dict[Group, list[Entry]]:
    """The entries of each corpus and number of topics, the whole corpus first."""
    found: dict[Group, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry["corpus"], entry["topics"]].append(entry)
    return dict(sorted(found.items()))


def title(group: Group, entries: list[Entry]) -> str:
    """A heading for the entries of a group."""
    corpus, topics = group
    size = {"corpus": "Whole corpus", "quarter": "A quarter of the corpus"}.get(corpus, corpus)
    seeds = sorted({entry["seed"] for entry in entries})
    many = f"{len(seeds)} seeds" if len(seeds) > 1 else "one seed"
    return f"### {size}, K = {topics}, {many}"


def on_valid(entry: Entry) -> list[float]:
    """Perplexity on valid after each epoch with equations."""
    decoder = next(iter(entry["scores"]["equations"]))
    return [float(one[decoder]) for one in entry["valid"] if one["phase"] == "joint"]


def run_name(entry: Entry) -> str:
    """A run as the tables of answers call it; one without topics has no K."""
    return entry["row"] + ("" if entry["theta"] == "none" else f", K = {entry['topics']}")


def largest(entries: list[Entry]) -> Entry | None:
    """The run that is shown in full where there is room for one: the first with most topics."""
    with_topics = [entry for entry in entries if entry["theta"] != "none"]
    return max(with_topics, key=lambda entry: entry["topics"], default=None)


def lines(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown.

    >>> print(lines(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    first = list(heads)
    written = [f"| {' | '.join(row)} |" for row in [first, *map(list, rows)]]
    return "\n".join([written[0], "|---" * len(first) + "|", *written[1:]])


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
