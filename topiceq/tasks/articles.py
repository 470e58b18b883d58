"""A corpus in, theta of each of its articles: the mean over its contexts, as an Arrow table."""

import numpy as np
import pyarrow as pa

from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.model.held_out import thetas
from topiceq.model.run import Run


def article_thetas(run: Run, corpus: Corpus) -> pa.Table:
    """article, field, pairs, and theta_0, theta_1, ..: a row for each article of all splits."""
    run.model.require_topics()
    sums: dict[tuple[str, str], np.ndarray] = {}
    counts: dict[tuple[str, str], int] = {}
    for name in SPLITS:
        split = corpus.split(name)
        if not len(split):
            continue
        names = zip(*(split.column(c).to_pylist() for c in ("article", "field")), strict=True)
        theta = thetas(run.model, split.encode(run.vocabularies)).astype(np.float64)
        for key, row in zip(names, theta, strict=True):
            sums[key] = sums.get(key, 0.0) + row
            counts[key] = counts.get(key, 0) + 1
    keys = sorted(sums)
    columns = {"article": [key[0] for key in keys], "field": [key[1] for key in keys],
               "pairs": [counts[key] for key in keys]}  # fmt: skip
    table = pa.table(columns)
    for topic in range(run.config.model.topics):
        values = pa.array([sums[key][topic] / counts[key] for key in keys], pa.float32())
        table = table.append_column(f"theta_{topic}", values)
    return table
