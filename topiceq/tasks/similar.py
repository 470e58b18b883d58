"""What is it like? An equation -> the nearest equations of an index, and where they stand.

Nearness is the overlap of n-grams (postings.py). An equation that stands in several places is found
once. A question of several rows is as near to an equation as the nearest of its rows.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topiceq.article.equation.normal import to_latex
from topiceq.errors import QuestionError
from topiceq.questions import Similar
from topiceq.tasks.index import Index, Ints, load_index, merged
from topiceq.tasks.postings import Floats, Postings, Reader, postings_of
from topiceq.tasks.read import Equation, read_rows
from topiceq.tasks.sources import link_of, source_of

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SimilarEquation:
    """An equation of an index, where it stands, and how like the asked one it is."""

    equation: str  # in normal form
    score: float  # 1 for the same
    places: int  # where it stands; what follows is the first of them
    title: str  # of the source; empty where it has none
    section: str
    article: str
    field: str
    file: str
    line: int
    licence: str  # of the source; empty where it is not known
    link: str | None
    row: int | None = None  # of the asked one, which row is like it; None if it has only one


class Search:
    """An index, or several, with what a search needs; made once for many questions."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.sources = {source.folder: source for source in index.sources}
        self.reader = Reader(index.tokens)

    @classmethod
    def open(cls, *folders: str | Path) -> "Search":
        """The indexes in some folders, searched together."""
        indexes = [load_index(folder) for folder in folders]
        together = hashlib.sha256("".join(index.digest for index in indexes).encode())
        return cls(replace(merged(indexes), digest=together.hexdigest()))

    @cached_property
    def postings(self) -> Postings:
        """Made when something is asked."""
        return postings_of(self.index)

    @cached_property
    def rows(self) -> Ints:
        """The equation of each place."""
        found: Ints = self.index.places["equation"].to_numpy().astype(np.int64)
        return found

    def cosines(self, equation: Equation) -> Floats:
        """How like an equation all those of the index are (n,)."""
        return self.postings.cosines(self.reader.of(equation.tokens))

    def allowed(self, question: Similar) -> Bools:
        """Which places a question wants."""
        wanted = np.ones(len(self.rows), dtype=np.bool_)
        if question.field is not None:
            field = question.field.lower()
            wanted &= self._where("field", question.field, lambda own: own.lower() == field)
        if question.article is not None:
            part = question.article.lower()
            wanted &= self._where("article", question.article, lambda own: part in own.lower())
        return wanted

    def _where(self, name: str, asked: str, test: Callable[[str], bool]) -> Bools:
        column = self.index.places[name].combine_chunks()
        values = column.dictionary.to_pylist()
        right = np.array([test(value) for value in values], dtype=np.bool_)
        if not right.any():
            some = f" There are: {', '.join(sorted(filter(None, values)))}."
            raise QuestionError(
                f"The index has no {name} '{asked}'.{some if name == 'field' else ''}"
            )
        found: Bools = right[column.indices.to_numpy()]
        return found

    def hit(
        self, row: int, score: float, wanted: Bools | None = None, asked_row: int | None = None
    ) -> SimilarEquation:
        """What is told of an equation: the first of its places (that are wanted)."""
        start, end = np.searchsorted(self.rows, [row, row + 1])
        places = np.arange(start, end)
        if wanted is not None:
            places = places[wanted[start:end]]
        place = self.index.places.slice(int(places[0]), 1).to_pylist()[0]
        source = source_of(place["file"], self.sources)
        article, file, line = place["article"], place["file"], place["line"]
        return SimilarEquation(
            equation=to_latex(self.index.equation(row)), score=score, places=len(places),
            title=source.title if source else "", section=place["section"], article=article,
            field=place["field"] or (source.field if source else ""), file=file, line=line,
            licence=source.licence if source else "", link=link_of(article, file, line, source),
            row=asked_row,
        )  # fmt: skip


def similar(search: Search, question: Similar) -> list[SimilarEquation]:
    """The nearest equations, best first."""
    rows = read_rows(question.equation, search.index.tokens)
    wanted = search.allowed(question)
    each = np.array([search.cosines(row) for row in rows])  # (rows, n)
    scores = each.max(0)
    if not wanted.all():
        there = np.zeros(len(scores), dtype=np.bool_)
        there[search.rows[wanted]] = True
        scores[~there] = -1
    apart = np.abs(np.diff(search.index.offsets) - len(rows[0].ids))
    best = [row for row in _best(scores, apart, question.count).tolist() if scores[row] >= 0]
    nearest = each[:, best].argmax(0).tolist() if len(rows) > 1 else [None] * len(best)
    return [
        search.hit(row, float(scores[row]), wanted, asked)
        for row, asked in zip(best, nearest, strict=True)
    ]


def _best(scores: Floats, apart: Ints, count: int) -> Ints:
    """The rows with the highest scores; of equal ones that of the most similar length."""
    near = np.arange(len(scores))
    if count < len(scores):
        limit = np.partition(scores, len(scores) - count)[len(scores) - count]
        near = np.flatnonzero(scores >= limit)
    return near[np.lexsort((apart[near], -scores[near].round(5)))[:count]]
