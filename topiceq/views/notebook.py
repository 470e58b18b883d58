"""Answers as notebooks show them: lists and arrays that also are HTML tables.

In go the answers of the other tasks; out come the same lists and arrays with `_repr_html_`.
How they look is in notebook.html. Nothing is fetched, and colours are those of the page that it
stands in, light or dark.
"""

from collections.abc import Sequence
from typing import Any, Self, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from topiceq.errors import QuestionError, Unsupported
from topiceq.model.topics import Topic
from topiceq.tasks.explain import Explained, Phrase
from topiceq.tasks.generate import Generated
from topiceq.tasks.infer import RowTopics
from topiceq.tasks.similar import SimilarEquation
from topiceq.views.templates import macros

Item = TypeVar("Item")
Cells = Sequence[str]  # text, or HTML as Markup
Floats = npt.NDArray[np.float32]

BEST = 5  # topics shown of a theta
WORDS = 8  # shown of each of them
FEW, SHOWN = 3, 0.005  # of one theta among many: how many, and from which weight on
DRAW = macros("notebook.html")


class Shown(list[Item]):
    """A list that a notebook shows as a table, and so is every slice of it."""

    heads: tuple[str, ...]
    warnings: Sequence[str] = ()  # what of the question may not be meant so

    def cells(self, item: Item) -> Cells:
        """The row of one item."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return str(DRAW.table(self.heads, map(self.cells, self)))

    @overload
    def __getitem__(self, at: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Item | Self:
        if isinstance(at, slice):
            return type(self)(super().__getitem__(at))
        return super().__getitem__(at)


class Topics(Shown[Topic]):
    """Topics with their words, tokens and most typical equations."""

    heads = ("topic", "label", "share", "words", "tokens", "equations")

    def to_frame(self) -> Any:
        """A data frame of pandas, a row for each topic."""
        try:
            import pandas
        except ImportError:
            raise Unsupported("Data frames need pandas. Type: pip install pandas") from None
        rows = [{"topic": topic.id, "label": topic.label, "share": topic.share,
                 "words": topic.words, "tokens": topic.tokens,
                 "equations": [typical.equation for typical in topic.equations]}
                for topic in self]  # fmt: skip
        return pandas.DataFrame(rows).set_index("topic") if rows else pandas.DataFrame()

    def cells(self, item: Topic) -> Cells:
        equations = DRAW.formulas(typical.equation for typical in item.equations)
        share, words = DRAW.bar(item.share), " ".join(item.words)
        return str(item.id), item.label, share, words, DRAW.tokens(item.tokens), equations


class Equations(Shown[Generated]):
    """Equations that were written."""

    heads = ("theta", "log p", "equation")

    def cells(self, item: Generated) -> Cells:
        equation = DRAW.formulas([item.equation]) + ("" if item.finished else " … (unfinished)")
        return _mixture(item.theta), f"{item.logprob:.1f}", equation


class Phrases(Shown[Phrase]):
    """The meanings of one symbol."""

    heads = ("phrase", "p", "source")

    def cells(self, item: Phrase) -> Cells:
        p = "" if item.p is None else DRAW.bar(item.p)
        return item.phrase, p, item.sentence or source(item)


class Glossary(list[Explained]):
    """The symbols of an equation, explained."""

    warnings: Sequence[str] = ()

    def _repr_html_(self) -> str:
        return str(DRAW.glossary(self))


def source(phrase: Phrase) -> str:
    """Where a meaning comes from, in a few words."""
    topic = "" if phrase.topic is None else f", topic {phrase.topic}"
    return phrase.source + topic + "".join(f", {article.article}" for article in phrase.articles)


class Nearest(Shown[SimilarEquation]):
    """Equations like an asked one."""

    heads = ("score", "equation", "source", "file", "line")

    def cells(self, item: SimilarEquation) -> Cells:
        equation = DRAW.formulas([item.equation])
        source = ", ".join(filter(None, [item.title, item.section, item.licence]))
        return f"{item.score:.2f}", equation, source, item.file, str(item.line)


class Inferred(np.ndarray[tuple[int, ...], np.dtype[np.float32]]):
    """Probabilities of topics (K,) or (n, K); what is computed from them is a plain array."""

    topics: Sequence[Topic]
    rows: Sequence[Sequence[RowTopics]]  # of each equation; empty where it has one row
    errors: Sequence[QuestionError | None]  # of each of many equations
    known: Sequence[bool]  # of each, whether it tells anything; where not, these are the prior
    warnings: Sequence[Any]  # of one question; of many equations those of each

    @classmethod
    def of(
        cls,
        theta: Floats,
        topics: Sequence[Topic],
        rows: Sequence[Sequence[RowTopics]] = (),
        errors: Sequence[QuestionError | None] = (),
        known: Sequence[bool] = (),
    ) -> "Inferred":
        """The same numbers, with the topics that they are about and what each row is about."""
        inferred = theta.view(cls)
        inferred.topics, inferred.rows, inferred.errors = topics, rows, errors
        inferred.known = known
        return inferred

    def __array_finalize__(self, made_from: object) -> None:
        self.topics = self.rows = self.errors = self.known = self.warnings = ()

    def __array_wrap__(
        self, array: Any, context: Any = None, return_scalar: bool = False
    ) -> Any:  # what a sum or a product becomes
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def _repr_html_(self) -> str | None:
        """None, so that the numbers are shown, for a part of it or without topics."""
        if not self.topics or self.shape[-1] != len(self.topics):
            return None
        if self.ndim == 1:
            best, p = np.argsort(-self, kind="stable")[:BEST].tolist(), self.tolist()
            bars = [
                (str(k), self.topics[k].label, DRAW.bar(p[k]),
                 " ".join(self.topics[k].words[:WORDS]))
                for k in best
            ]  # fmt: skip
            return str(DRAW.table(("topic", "label", "p", "words"), bars))
        many = [(str(n), _mixture(row, self.topics)) for n, row in enumerate(np.asarray(self))]
        return str(DRAW.table(("", "topics"), many))


def _mixture(theta: Floats, topics: Sequence[Topic] = ()) -> str:
    """The largest weights of theta, with the labels of their topics if these are given."""
    best = [k for k in np.argsort(-theta, kind="stable")[:FEW].tolist() if theta[k] >= SHOWN]
    names = [f"{k} {topics[k].label}" if topics else str(k) for k in best]
    return ", ".join(f"{n}: {theta[k]:.2f}" for n, k in zip(names, best, strict=True))
