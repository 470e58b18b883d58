"""Runs that are asked: how a script gets them, and what its results say of them.

In go folders of runs and of the corpus that they were trained on; out come models, and the part of
an entry that tells runs apart. Entries of several runs stand side by side in a file of results.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from trained import commit

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.corpus.store import Split
from topiceq.model.held_out import thetas
from topiceq.scores.paper import paper_row

Entry = dict[str, Any]
Floats = npt.NDArray[np.float32]


def arguments(description: str | None) -> argparse.ArgumentParser:
    """What every script that asks a run is told: the run, its corpus, and how many threads."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    return parser


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
        "command": " ".join(["python", *sys.argv]),
        "commit": commit(),
        "corpus_digest": corpus.digest,
    }


def row_name(model: TopicEq) -> str:
    """The row of the paper's tables that the run is, or else its decoders."""
    row = paper_row(model.run.config)
    return row.name if row else " + ".join(model.run.config.model.decoders)


def context_thetas(model: TopicEq, split: Split) -> Floats:
    """theta of every context of a split (n, K)."""
    run = model.run
    return thetas(run.model, split.encode(run.words, run.tokens, run.phrases))


def use_threads(count: int) -> None:
    """How many threads torch may use; the rest of the machine is left to others."""
    torch.set_num_threads(count)
