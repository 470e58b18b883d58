"""What a user waits for who brings equations of his own: many of them asked, 50,000 indexed."""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from research.entries import NOT_RUN, Entry, lines, questions, read_if, report
from topiceq.api import TopicEq
from topiceq.corpus.pair import pair_files, read_batches, read_column
from topiceq.corpus.store import Corpus

COMMENT = re.compile(r"(?<!\\)%.*")
EQUATIONS = 50_000
QUESTIONS = 50


def many(
    pairs: Annotated[Path, "a folder that `topiceq extract` wrote"],
    *,
    count: int = 3_000,
    seed: int = 22,
) -> None:
    """Equations as authors wrote them, asked one a line: an answer each, in order; how fast.

    Comments and the ends of lines are taken out of them, nothing else. Writes results/many.json.
    """
    asked = drawn(pairs, count, seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "equations.txt")
        file.write_text("\n".join(asked) + "\n", encoding="utf-8")
        began = time.perf_counter()
        done = command("infer", "--equations", str(file), "--top", "1", "--json")
        seconds = time.perf_counter() - began
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [answer["error"] for answer in answers if "error" in answer]
    report("many", {
        "seed": seed, "equations": len(asked), "answers": len(answers),
        "in_order": [answer["equation"] for answer in answers] == asked,
        "cannot_be_read": len(errors), "exit": done.returncode,
        "last_line": done.stderr.strip().splitlines()[-1:],
        "not_known": sum(not answer.get("known", True) for answer in answers),
        "with_warnings": sum("warnings" in answer for answer in answers),
        "seconds": round(seconds, 1), "a_second": round(len(asked) / seconds),
        "processor_seconds": processor_seconds(), "megabytes": megabytes(),
        "load": round(os.getloadavg()[0], 1),
        "errors": dict(Counter(shortened(error) for error in errors).most_common(12)),
    })  # fmt: skip


def drawn(pairs: Path, count: int, seed: int) -> list[str]:
    """So many different equations, drawn by lot."""
    columns = (c for file in pair_files(pairs) for c in read_column(file, "equation"))
    written = {text for column in columns for text in column.to_pylist()}
    different = sorted({" ".join(COMMENT.sub("", text).split()) for text in written} - {""})
    return random.Random(seed).sample(different, count)


def shortened(error: str) -> str:
    """An error without what stands where."""
    return re.sub(r"[,:]? (?:behind|at|in) '.*?'(?=\.)", "", error)[:80]


def megabytes() -> int:
    """The most memory that a command has taken so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10


def processor_seconds() -> float:
    """What commands have taken of the processor so far: the same whatever else it does."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(spent.ru_utime + spent.ru_stime, 1)


def command(*words: str) -> "subprocess.CompletedProcess[str]":
    """`topiceq` in a process of its own."""
    whole = [sys.executable, "-m", "topiceq", *words]
    return subprocess.run(whole, capture_output=True, text=True)


# -- an index of one's own -----------------------------------------------------------------------


def own_index(corpus: Path, *, equations: int = EQUATIONS) -> None:
    """An index of a user's corpus with the default model: seconds, size, questions, ten articles.

    The corpus is made of train articles, ten of which come later. Writes results/index.json.
    """
    names = np.array(Corpus.load(corpus).train.column("article").to_pylist())
    articles, counts = np.unique(names, return_counts=True)
    order = np.random.default_rng(22).permutation(len(articles))
    first = int(np.searchsorted(np.cumsum(counts[order]), equations)) + 1
    with tempfile.TemporaryDirectory() as folder:
        own, later = (
            part(corpus, articles[some].tolist(), Path(folder, name))
            for name, some in (("own", order[:first]), ("later", order[first : first + 10]))
        )
        index = Path(folder, "index")
        made = timed("index", str(own.path), "-o", str(index), "--json")
        size = sum(file.stat().st_size for file in index.rglob("*"))
        asked = answers(index)
        added = timed("index", str(later.path), "-o", str(index), "--json")
    report("index", {"made": made, "bytes": size, "asked": asked, "ten_articles": added,
                     "load": round(os.getloadavg()[0], 1)})  # fmt: skip


def part(corpus: Path, articles: list[str], path: Path) -> Corpus:
    """A corpus of some of the train articles of another."""
    value_set = pa.array(articles)
    batches: Iterator[pa.RecordBatch] = (
        batch.filter(pc.is_in(batch["article"], value_set=value_set))
        for batch in read_batches(corpus / "train.parquet")
    )
    return Corpus.build(batches, path=path)


def timed(*words: str) -> Entry:
    """What a command says, and how long it took with the start of Python."""
    began, before = time.perf_counter(), processor_seconds()
    done = command(*words)
    seconds = {"seconds": round(time.perf_counter() - began, 1),
               "processor_seconds": round(processor_seconds() - before, 1)}  # fmt: skip
    said: Entry = json.loads(done.stdout)
    return {name: value for name, value in said.items() if name != "index"} | seconds


def answers(index: Path) -> Entry:
    """How long questions take: the first with all that it loads, and those that follow."""
    asked = [question["equation"] for question in questions("equations")][:QUESTIONS]
    model, times = TopicEq.load(index=[index]), []
    for equation in asked:
        began = time.perf_counter()
        model.similar(equation, count=10)
        times.append(1_000 * (time.perf_counter() - began))
    return {"questions": len(asked), "first_ms": round(times[0]),
            "median_ms": round(float(np.median(times[1:])), 1),
            "slowest_ms": round(max(times[1:]), 1)}  # fmt: skip


# -- shown ---------------------------------------------------------------------------------------


def ways_shown() -> str:
    """Many equations, and an index of one's own, as a table."""
    asked, own = read_if("many"), read_if("index")
    rows = []
    if asked:
        order = "in order" if asked["in_order"] else "not in order"
        rows += [
            ["equations asked, one a line", f"{asked['equations']:,}"],
            ["answers", f"{asked['answers']:,}, {order}; {asked['cannot_be_read']} with an error"],
            ["for all of them", f"{asked['processor_seconds']} s of a processor, "
             f"{asked['megabytes']} MB"],
        ]  # fmt: skip
    if own:
        made, more = own["made"], own["ten_articles"]
        rows += [
            ["index of one's own", f"{made['places']:,} equations of {made['articles']:,} "
             f"articles: {made['processor_seconds']} s, {own['bytes'] / 1e6:.1f} MB"],
            ["a question to it", f"{own['asked']['median_ms']} ms"],
            ["ten articles more", f"{more['processor_seconds']} s"],
        ]  # fmt: skip
    return lines(["", "measured"], rows) if rows else NOT_RUN
