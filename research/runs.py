"""Runs: rows that are trained, scored and kept, each once; and runs of any kind that are asked.

The run of a row lives in RUNS/<corpus>-k<topics>/<row>-s<seed>, and is gone on with where it was
stopped. Its scores and the log-probability of every test pair are kept beside its weights, so a
table that shares a row with another does not train it again. results/parts.json has what the scores
are sums and means of, for comparing rows when runs are gone.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import torch

from research.entries import Entry, commit, keep, made
from research.rows import Row
from topiceq.api import TopicEq
from topiceq.config import Config
from topiceq.corpus.store import Corpus, Split
from topiceq.files import replacing, write_text
from topiceq.model.decoders import Sizes
from topiceq.model.held_out import Likelihood, log_probs, thetas
from topiceq.model.run import Run
from topiceq.model.topics import ranked, topics_of
from topiceq.scores.coherence import topic_npmi
from topiceq.scores.paper import paper_row
from topiceq.scores.perplexity import by_article
from topiceq.tasks.likelihood import log_likelihoods
from topiceq.tasks.read import Equation

COMMIT = "commit.txt"  # in the folder of a run: what its training began with
PARTS = ("log_prob", "size")  # of a likelihood

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


# -- rows ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trained:
    """A finished run of one row."""

    row: Row
    corpus: Corpus
    folder: Path
    entry: Entry  # what the results say of it

    @cached_property
    def run(self) -> Run:
        """The run itself."""
        return Run.load(self.folder)

    def identity(self, name: str) -> Entry:
        """The part of an entry that tells it from others, and how it was made."""
        same = ("corpus", "topics", "seed", "command", "commit", "corpus_digest")
        return {"row": name} | {key: self.entry[key] for key in same}

    def parts(self) -> Entry:
        """What its scores are made of: log p of each test article's items, NPMI of each topic."""
        parts, test = self.identity(self.row.name), self.corpus.test.encoded
        with np.load(self.folder / "test.npz") as file:
            for name in {key.split(":")[0] for key in file.files} - {"words"}:
                likelihood = Likelihood(*(file[f"{name}:{part}"] for part in PARTS))
                sums = by_article(likelihood, np.asarray(test.articles))
                parts["articles"] = dict(zip(PARTS, sums.round(3).tolist(), strict=True))
        if self.run.model.beta() is not None:
            npmi = topic_npmi(ranked(topics_of(self.run.model)), test.order)
            parts["npmi"] = npmi.round(6).tolist()
        return parts


@dataclass(frozen=True)
class Chosen:
    """Which runs a table of rows is made of: what every verb about rows is told."""

    corpus: Path
    _: KW_ONLY
    runs: Annotated[Path, "folder for the trained runs"]
    topics: int = 50
    seeds: tuple[int, ...] = (0,)
    dropout: Annotated[float | None, "of LSTMs, in place of the preset's"] = None
    threads: Annotated[int, "of torch; 0: all cores"] = 0
    rows: Annotated[tuple[str, ...], "some of the table, such as te-lstm; all if none"] = ()

    @cached_property
    def loaded(self) -> Corpus:
        """The corpus, and torch told how many threads it may use."""
        torch.set_num_threads(self.threads or torch.get_num_threads())
        return Corpus.load(self.corpus)

    def of(self, table: list[Row]) -> list[Row]:
        """The rows of a table that were asked for."""
        slugs = [row.slug for row in table]
        if unknown := set(self.rows) - set(slugs):
            sys.exit(f"No row is called {', '.join(sorted(unknown))}: {' '.join(slugs)}.")
        return [row for row in table if not self.rows or row.slug in self.rows]

    def trained(self, table: list[Row], *, syntax: int = 0) -> Iterator[Trained]:
        """The rows of a table, with every seed; their parts are kept as they are finished."""
        rows = self.of(table)
        for seed in self.seeds:
            for row in rows:
                run = self.run(row, seed, syntax)
                keep("parts", [run.parts()])
                yield run

    def finished(self, row: Row) -> list[Trained]:
        """The runs of a row that have been trained, of every seed."""
        return [self.run(row, s) for s in self.seeds if _is_finished(self.folder(row, s))]

    def folder(self, row: Row, seed: int) -> Path:
        """Where the run of a row lives."""
        return self.runs / f"{self.corpus.name}-k{self.topics}" / f"{row.slug}-s{seed}"

    def run(self, row: Row, seed: int, syntax: int = 0) -> Trained:
        """Train, score and describe one row; what is already done is read."""
        corpus, folder = self.loaded, self.folder(row, seed)
        sizes = Sizes(*(len(vocab) for vocab in corpus.vocabularies))
        config = row.config(self.topics, seed, sizes, dropout=self.dropout)
        if not _is_finished(folder):
            _train(TopicEq(config.override([f"train.threads={self.threads}"])), corpus, folder)
        model = TopicEq.load(folder)
        _check(model.run, config, corpus, folder)
        _keep_likelihoods(model.run, corpus, folder)
        _score(model, corpus, folder, syntax)
        return Trained(row, corpus, folder, _entry(row, model.run, corpus, folder))


def _is_finished(folder: Path) -> bool:
    return (folder / "topics.json").exists()


def _train(model: TopicEq, corpus: Corpus, folder: Path) -> None:
    began = time.monotonic()
    for step in model.steps(corpus, folder=folder, resume=True):
        if not (folder / COMMIT).exists():
            write_text(folder / COMMIT, commit())
        if step.valid:
            numbers = " ".join(f"{name} {value:.4g}" for name, value in step.valid.items())
            minutes = (time.monotonic() - began) / 60
            name = f"{folder.parent.name}/{folder.name}"
            print(f"{name}: epoch {step.epoch}, {minutes:.1f} min, {numbers}", flush=True)


def _check(run: Run, config: Config, corpus: Corpus, folder: Path) -> None:
    """A finished run is not taken for one of other settings or of another corpus."""
    same = run.config.override([f"train.threads={config.train.threads}"]) == config
    if not same or run.facts["corpus"] != corpus.digest:
        sys.exit(f"'{folder}' has other settings or another corpus: name its own, or delete it.")


def _keep_likelihoods(run: Run, corpus: Corpus, folder: Path) -> None:
    path = folder / "test.npz"
    if path.exists():
        return
    found = log_probs(run.model, corpus.test.encode(run.vocabularies))
    arrays = {f"{n}:{part}": getattr(x, part) for n, x in found.items() for part in PARTS}
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _score(model: TopicEq, corpus: Corpus, folder: Path, syntax: int) -> None:
    """Score a run on test, unless it has been."""
    known, syntax = model.run.scores, syntax if model.run.model.writers() else 0
    sampled = {judged["sampled"] for judged in known.get("syntax", {}).values()}
    same = (known.get("corpus"), known.get("split")) == (corpus.digest, "test")
    if not same or (syntax and sampled != {syntax}):
        model.run.save_scores(folder, model.score(corpus.test, syntax=syntax).json())


def _entry(row: Row, run: Run, corpus: Corpus, folder: Path) -> Entry:
    epochs = [record for record in run.history if record["valid"]]
    began = folder / COMMIT
    return {
        "row": row.name,
        "corpus": corpus.path.name,
        "topics": run.config.model.topics,
        "seed": run.config.train.seed,
        "weights": sum(weight.numel() for weight in run.model.decoders.parameters()),
        "minutes": round(run.facts["seconds"] / 60, 1),
        "best_epoch": run.facts["epochs"],
        "scores": run.scores,
        "valid": [{"epoch": e["epoch"], "phase": e["phase"], **e["valid"]} for e in epochs],
        "paper": row.paper(run.config.model.topics),
        **made(),
        **({"commit": began.read_text(encoding="utf-8")} if began.exists() else {}),
        "corpus_digest": corpus.digest,
    }


# -- any run ------------------------------------------------------------------------------------


def opened(folder: Path, corpus: Corpus) -> TopicEq:
    """The model of a run, which must have been trained on this corpus."""
    model = TopicEq.load(folder)
    run = model.run
    if (run.words, run.tokens, run.phrases) != corpus.vocabularies:
        sys.exit(f"'{folder}' was not trained on '{corpus.path}': its vocabularies are others.")
    return model


def identity(model: TopicEq, folder: Path, corpus: Corpus) -> Entry:
    """Which run an entry is about, and how it was made."""
    config = model.run.config
    return {
        "row": row_name(model),
        "corpus": corpus.path.name,
        "topics": config.model.topics,
        "seed": config.train.seed,
        "run": str(folder),
        "theta": config.model.theta,
        "state": config.model.state,
        **made(),
        "corpus_digest": corpus.digest,
    }


def row_name(model: TopicEq) -> str:
    """The row of the paper's tables that the run is, or else its decoders."""
    row = paper_row(model.run.config)
    return row.name if row else " + ".join(model.run.config.model.decoders)


def context_thetas(model: TopicEq, split: Split) -> Floats:
    """theta of every context of a split (n, K)."""
    run = model.run
    return thetas(run.model, split.encode(run.vocabularies))


def encoded(run: Run, tokens: list[list[str]]) -> list[Equation]:
    """Equations of a corpus, as questions to a run."""
    return [Equation(tuple(own), tuple(run.tokens.encode(own).tolist())) for own in tokens]


def likeliest_topics(run: Run, tokens: list[list[str]]) -> Ints:
    """The most likely topic of each equation."""
    topics: Ints = log_likelihoods(run, encoded(run, tokens)).argmax(1)
    return topics
