"""Rows trained, scored and kept: each once, and gone on with where it was stopped.

A run lives in RUNS/<corpus>-k<topics>/<row>-s<seed>. Its scores and the log-probability of every
test pair are kept beside its weights, so a table that shares a row with another does not train it
again. Results are a JSON list in benchmarks/results, one entry for each run, written as they come;
parts.json has what the scores are sums and means of, for comparing rows when runs are gone.
"""

import argparse
import fcntl
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rows import Row

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.config import Config
from topiceq.model.decoders import Sizes
from topiceq.model.held_out import Likelihood, log_probs
from topiceq.model.run import Run
from topiceq.model.topics import ranked_words
from topiceq.scores.coherence import topic_npmi
from topiceq.scores.perplexity import by_article

RESULTS = Path(__file__).parent / "results"
COMMIT = "commit.txt"  # in the folder of a run: what its training began with


@dataclass(frozen=True)
class Trained:
    """A finished run of one row."""

    row: Row
    corpus: Path
    folder: Path
    entry: dict[str, Any]  # what the results say of it

    def run(self) -> Run:
        """The run itself."""
        return Run.load(self.folder)

    def likelihoods(self) -> dict[str, Likelihood]:
        """Of the test pairs, by decoder."""
        with np.load(self.folder / "test.npz") as file:
            names = {name.split(":")[0] for name in file.files}
            return {n: Likelihood(file[f"{n}:log_prob"], file[f"{n}:size"]) for n in names}

    def parts(self, corpus: Corpus) -> dict[str, Any]:
        """What its scores are made of: log p of each test article's items, NPMI of each topic."""
        found, model = identity(self.row.name, self), self.run().model
        for likelihood in (x for name, x in self.likelihoods().items() if name != "words"):
            sums = by_article(likelihood, np.asarray(corpus.test.encoded.articles))
            found["articles"] = dict(zip(_PARTS, sums.round(3).tolist(), strict=True))
        if model.beta() is not None:
            npmi = topic_npmi(ranked_words(model), corpus.test.encoded.order)
            found["npmi"] = npmi.round(6).tolist()
        return found


def trained(
    row: Row,
    corpus: Corpus,
    runs: Path,
    *,
    topics: int,
    seed: int,
    dropout: float | None = None,
    syntax: int = 0,
    threads: int = 0,
) -> Trained:
    """Train, score and describe one row; what is already done is read."""
    sizes = Sizes(*(len(vocab) for vocab in corpus.vocabularies))
    config = row.config(topics, seed, sizes, dropout=dropout)
    folder = folder_of(row, corpus, runs, topics, seed)
    if not _is_finished(folder):
        config = config.override([f"train.threads={threads}"])
        _train(TopicEq(config), corpus, folder, f"{folder.parent.name}/{folder.name}")
    model = TopicEq.load(folder)
    _check(model.run, config, corpus, folder)
    _keep_likelihoods(model.run, corpus, folder)
    scores = _scores(model, corpus, folder, syntax)
    return Trained(row, corpus.path, folder, _entry(row, model, corpus, folder, scores))


def finished(
    row: Row, corpus: Corpus, runs: Path, *, topics: int, seed: int, dropout: float | None = None
) -> Trained | None:
    """The row if it has been trained."""
    if not _is_finished(folder_of(row, corpus, runs, topics, seed)):
        return None
    return trained(row, corpus, runs, topics=topics, seed=seed, dropout=dropout)


def folder_of(row: Row, corpus: Corpus, runs: Path, topics: int, seed: int) -> Path:
    """Where the run of a row lives."""
    return runs / f"{corpus.path.name}-k{topics}" / f"{row.slug}-s{seed}"


def _is_finished(folder: Path) -> bool:
    return (folder / "topics.json").exists()


def _check(run: Run, config: Config, corpus: Corpus, folder: Path) -> None:
    """A finished run is not taken for one of other settings or of another corpus."""
    same = run.config.override([f"train.threads={config.train.threads}"]) == config
    if not same or run.facts["corpus"] != corpus.digest:
        sys.exit(f"'{folder}' has other settings or another corpus: name its own, or delete it.")


def _train(model: TopicEq, corpus: Corpus, folder: Path, name: str) -> None:
    began = time.monotonic()
    for step in model.steps(corpus, folder=folder, resume=True):
        if not (folder / COMMIT).exists():
            (folder / COMMIT).write_text(commit())
        if step.valid:
            numbers = " ".join(f"{name} {value:.4g}" for name, value in step.valid.items())
            minutes = (time.monotonic() - began) / 60
            print(f"{name}: epoch {step.epoch}, {minutes:.1f} min, {numbers}", flush=True)


def _keep_likelihoods(run: Run, corpus: Corpus, folder: Path) -> None:
    path = folder / "test.npz"
    if path.exists():
        return
    found = log_probs(run.model, corpus.test.encode(run.words, run.tokens, run.phrases))
    arrays = {f"{n}:{part}": getattr(x, part) for n, x in found.items() for part in _PARTS}
    partial = path.with_name(".partial-test.npz")
    np.savez_compressed(partial, **arrays)
    partial.replace(path)


_PARTS = ("log_prob", "size")


def _scores(model: TopicEq, corpus: Corpus, folder: Path, syntax: int) -> dict[str, Any]:
    known, syntax = model.run.scores, syntax if model.run.model.writers() else 0
    sampled = {judged["sampled"] for judged in known.get("syntax", {}).values()}
    same = (known.get("corpus"), known.get("split")) == (corpus.digest, "test")
    if not same or (syntax and sampled != {syntax}):
        model.run.save_scores(folder, model.score(corpus.test, syntax=syntax).json())
    return model.run.scores


def _entry(
    row: Row, model: TopicEq, corpus: Corpus, folder: Path, scores: dict[str, Any]
) -> dict[str, Any]:
    run = model.run
    epochs = [record for record in run.history if record["valid"]]
    return {
        "row": row.name,
        "corpus": corpus.path.name,
        "topics": run.config.model.topics,
        "seed": run.config.train.seed,
        "weights": sum(weight.numel() for weight in run.model.decoders.parameters()),
        "minutes": round(run.facts["seconds"] / 60, 1),
        "best_epoch": run.facts["epochs"],
        "scores": scores,
        "valid": [{"epoch": e["epoch"], "phase": e["phase"], **e["valid"]} for e in epochs],
        "paper": row.paper(run.config.model.topics),
        "command": " ".join(["python", *sys.argv]),
        "commit": trained_at(folder),
        "corpus_digest": corpus.digest,
    }


def trained_at(folder: Path) -> str:
    """The commit that a run's training began with."""
    path = folder / COMMIT
    return path.read_text() if path.exists() else commit()


def identity(name: str, done: Trained) -> dict[str, Any]:
    """The part of an entry that tells it from others, and how it was made."""
    same = ("corpus", "topics", "seed", "command", "commit", "corpus_digest")
    return {"row": name} | {key: done.entry[key] for key in same}


def commit() -> str:
    """The commit that is checked out."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The shortest of several times."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def keep(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Put entries into a file of results, in place of older ones of the same row."""
    with RESULTS.joinpath(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tables may be made at the same time
        kept = {_key(entry): entry for entry in read(path)}
        kept |= {_key(entry): entry for entry in entries}
        write(path, kept.values())


def write(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """A file of results, in place of what it was."""
    partial = path.with_name(f".{path.name}")
    partial.write_text(_dumped(list(entries)) + "\n")
    partial.replace(path)


def _dumped(entries: list[dict[str, Any]]) -> str:
    """As JSON, with lists of numbers on one line.

    >>> print(_dumped([{"a": [1.5, -2]}]))
    [
     {
      "a": [1.5, -2]
     }
    ]
    """
    text = json.dumps(entries, indent=1)
    numbers = r"\[\s+([-+\d.eE]+(?:,\s+[-+\d.eE]+)*)\s+\]"
    return re.sub(numbers, lambda found: f"[{' '.join(found[1].split())}]", text)


def read(path: Path) -> list[dict[str, Any]]:
    """The entries of a file of results."""
    entries: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    return entries


def _key(entry: dict[str, Any]) -> tuple[Any, ...]:
    return entry["row"], entry["corpus"], entry["topics"], entry["seed"]


def table(
    rows: list[Row], description: str | None, *, results: str | None = None, syntax: int = 0
) -> Iterator[Trained]:
    """Train the rows of a table as the command line asks; each is kept as it is finished."""
    parser = arguments(description)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0: all cores")
    parser.add_argument("--rows", nargs="*", default=[], choices=[row.slug for row in rows])
    told = parser.parse_args()
    torch.set_num_threads(told.threads or torch.get_num_threads())  # of scores too
    corpus = Corpus.load(told.corpus)
    chosen = [row for row in rows if not told.rows or row.slug in told.rows]
    for seed in told.seeds:
        for row in chosen:
            done = trained(
                row,
                corpus,
                told.runs,
                topics=told.topics,
                seed=seed,
                dropout=told.dropout,
                syntax=syntax,
                threads=told.threads,
            )
            keep(RESULTS / "parts.json", [done.parts(corpus)])
            if results:
                keep(RESULTS / results, [done.entry])
            yield done


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What every script about rows is told: the corpus, the runs, and which of them."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=Path, required=True, help="folder for the trained runs")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--dropout", type=float, help="of LSTMs, in place of the preset's")
    return parser
