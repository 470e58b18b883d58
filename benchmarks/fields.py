"""Topics of equations alone against the fields of their articles.

    python benchmarks/fields.py CORPUS --runs RUNS [--topics 50] [--seeds 0]

Test equations without their contexts: argmax over k of log p(equation | theta = one-hot k), for
te-lstm and for the bag of tokens, mapped to fields by train equations; and a classifier that is
told the fields. Equations are drawn at random, as many from train and from test as stand below,
since every one is read under all K topics. Writes results/fields.json.
"""

from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
from rows import BOW, TE
from trained import RESULTS, Trained, identity, keep, table

from topiceq import Corpus
from topiceq.corpus.store import Split
from topiceq.model.run import Run
from topiceq.scores.fields import FieldScore, field_score, supervised
from topiceq.tasks.infer import log_likelihoods
from topiceq.tasks.question import Equation

ROWS = [BOW, TE]
TRAIN, TEST, TOLD = 4_000, 2_000, 20_000  # equations drawn; TOLD for the classifier


def drawn(split: Split, count: int, seed: int = 0) -> tuple[list[list[str]], list[str]]:
    """Tokens and fields of random equations; an article without field is left out."""
    fields = np.array(split.column("field").to_pylist(), dtype=object)
    known = np.flatnonzero([bool(field) for field in fields])
    rows = np.random.default_rng(seed).permutation(known)[:count]
    return split.column("tokens").take(rows).to_pylist(), fields[rows].tolist()


def topics_of(run: Run, tokens: list[list[str]]) -> npt.NDArray[np.int64]:
    """The most likely topic of each equation."""
    equations = [Equation(tuple(one), tuple(run.tokens.encode(one).tolist())) for one in tokens]
    return log_likelihoods(run, equations).argmax(1)


def of_run(done: Trained, corpus: Corpus) -> FieldScore:
    """The topics of a run against the fields."""
    run = done.run()
    (train, train_fields), (test, test_fields) = (
        drawn(corpus.train, TRAIN),
        drawn(corpus.test, TEST),
    )
    return field_score((topics_of(run, train), train_fields), (topics_of(run, test), test_fields))


def entry(done: Trained, row: str, found: FieldScore) -> dict[str, Any]:
    """What the results say of a score."""
    return identity(row, done) | {"scores": asdict(found)}


def main() -> None:
    """Score both runs and the classifier."""
    for done in table(ROWS, __doc__):
        corpus = Corpus.load(done.corpus)
        entries = [entry(done, done.row.name, of_run(done, corpus))]
        if done.row == TE:
            told = supervised(drawn(corpus.train, TOLD), drawn(corpus.test, TEST))
            entries.append(entry(done, "told the fields", told))
        keep(RESULTS / "fields.json", entries)
        for one in entries:
            print(one["row"], one["scores"], flush=True)


if __name__ == "__main__":
    main()
