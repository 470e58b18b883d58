"""A corpus in, theta of each of its articles: the mean over its contexts, as an Arrow table.

And what fields or years are about: the mean over their articles, each counted once. The year of an
article is told by its id on arXiv, or by a file.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from topiceq.article.arxiv import year_of
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError
from topiceq.model.held_out import thetas
from topiceq.model.run import Run
from topiceq.tasks.read import Floats

GROUPS = ("field", "year")


def read_dates(path: str | Path) -> dict[str, int]:
    """Years by article, from CSV: an id, and a date that begins with the year."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
        return {row[0].strip(): int(row[1].strip()[:4]) for row in rows if _is_date(row)}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CorpusError(f"The dates '{path}' cannot be read: {error}.") from None


def _is_date(row: list[str]) -> bool:
    return len(row) > 1 and row[1].strip()[:4].isdecimal()


def article_thetas(run: Run, corpus: Corpus, dates: Mapping[str, int] = {}) -> pa.Table:
    """article, field, year, pairs, theta_0, theta_1, ..: a row for each article of all splits."""
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
    years = [dates.get(article) or year_of(article) for article, _ in keys]
    columns: dict[str, Any] = {"article": [k[0] for k in keys], "field": [k[1] for k in keys]}
    columns |= {"year": pa.array(years, pa.int16()), "pairs": [counts[key] for key in keys]}
    table = pa.table(columns)
    for topic in range(run.config.model.topics):
        values = pa.array([sums[key][topic] / counts[key] for key in keys], pa.float32())
        table = table.append_column(f"theta_{topic}", values)
    return table


@dataclass(frozen=True)
class Shares:
    """What groups of articles are about."""

    by: str  # field or year
    groups: list[str]  # in order
    articles: list[int]  # of each
    theta: Floats  # (groups, K)

    def table(self) -> pa.Table:
        """A row for each group."""
        columns = {self.by: self.groups, "articles": self.articles}
        columns |= {f"theta_{k}": self.theta[:, k] for k in range(self.theta.shape[1])}
        return pa.table(columns)

    def changing(self, count: int) -> list[int]:
        """The topics that differ most from group to group, the first most."""
        spread = self.theta.max(0) - self.theta.min(0)
        return [int(topic) for topic in np.argsort(-spread, kind="stable")[:count]]


def shares(articles: pa.Table, by: str) -> Shares:
    """The mean theta of each field or year, of the articles that have one."""
    found = articles[by].to_pylist()
    theta = np.stack([articles[name].to_numpy() for name in articles.column_names
                      if name.startswith("theta_")], axis=1)  # fmt: skip
    groups = sorted({group for group in found if group})
    if not groups:
        how = "Give dates: --dates FILE, with an id and a date a line." if by == "year" else ""
        raise CorpusError(f"No article of this corpus has a {by}. {how}".strip())
    rows = [[i for i, own in enumerate(found) if own == group] for group in groups]
    means = np.stack([theta[own].mean(0) for own in rows])
    return Shares(by, [str(group) for group in groups], [len(own) for own in rows], means)
