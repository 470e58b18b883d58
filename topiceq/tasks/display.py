"""Answers as notebooks show them: lists and arrays that also are HTML tables.

In go the answers of the other tasks; out come the same lists and arrays with `_repr_html_`.
Formulas are MathML, all else is escaped, nothing is fetched, and colours are those of the page that
it stands in, light or dark.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Self, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from topiceq.model.topics import Topic
from topiceq.tasks.explain import Phrase
from topiceq.tasks.generate import Generated
from topiceq.tasks.mathml import mathml
from topiceq.tasks.similar import Similar

Item = TypeVar("Item")
Cells = Sequence[str]  # HTML
Floats = npt.NDArray[np.float32]

BEST = 5  # topics shown of a theta
FEW, SHOWN = 3, 0.005  # of one theta among many: how many, and from which weight on
LEFT = 'style="text-align:left;vertical-align:middle"'
BAR = "display:inline-block;height:.7em;background:currentColor;opacity:.5"


class Shown(list[Item]):
    """A list that a notebook shows as a table, and so is every slice of it."""

    heads: tuple[str, ...]

    def cells(self, item: Item) -> Cells:
        """The row of one item."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return _table(self.heads, map(self.cells, self))

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

    heads = ("topic", "share", "words", "tokens", "equations")

    def cells(self, item: Topic) -> Cells:
        equations = "".join(_equation(typical.equation) for typical in item.equations)
        tokens = " ".join(f"<code>{escape(token)}</code>" for token in item.tokens)
        words = escape(" ".join(item.words))
        return str(item.id), _bar(item.share), words, tokens, equations


class Equations(Shown[Generated]):
    """Equations that were written."""

    heads = ("theta", "log p", "equation")

    def cells(self, item: Generated) -> Cells:
        unfinished = "" if item.finished else " … (unfinished)"
        return _mixture(item.theta), f"{item.logprob:.1f}", _equation(item.equation) + unfinished


class Phrases(Shown[Phrase]):
    """The meanings of one symbol."""

    heads = ("phrase", "p", "source")

    def cells(self, item: Phrase) -> Cells:
        p = "" if item.p is None else _bar(item.p)
        topic = "" if item.topic is None else f", topic {item.topic}"
        return escape(item.phrase), p, escape(item.sentence or item.source + topic)


class Nearest(Shown[Similar]):
    """Equations like an asked one."""

    heads = ("score", "equation", "article", "line")

    def cells(self, item: Similar) -> Cells:
        place = escape(item.article), str(item.line)
        return f"{item.score:.2f}", _equation(item.equation), *place


class Inferred(np.ndarray[tuple[int, ...], np.dtype[np.float32]]):
    """Probabilities of topics (K,) or (n, K); what is computed from them is a plain array."""

    topics: Sequence[Topic]

    @classmethod
    def of(cls, found: Floats, topics: Sequence[Topic]) -> "Inferred":
        """The same numbers, with the topics that they are about."""
        inferred = found.view(cls)
        inferred.topics = topics
        return inferred

    def __array_finalize__(self, made_from: object) -> None:
        self.topics = ()

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
            best = np.argsort(-self, kind="stable")[:BEST].tolist()
            return _table(("topic", "p", "words"), map(self._topic, best))
        rows = [(str(n), _mixture(row, self.topics)) for n, row in enumerate(np.asarray(self))]
        return _table(("", "topics"), rows)

    def _topic(self, k: int) -> Cells:
        return str(k), _bar(float(self[k])), escape(" ".join(self.topics[k].words))


def _table(heads: Iterable[str], rows: Iterable[Cells]) -> str:
    head = "".join(f"<th {LEFT}>{name}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td {LEFT}>{c}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _equation(latex: str) -> str:
    """A formula on a line of its own, as wide as it is: notebooks scroll by themselves."""
    return f'<div style="display:table;padding:.2em 0">{mathml(latex, display=True)}</div>'


def _bar(p: float) -> str:
    """A share as a bar, in the colour of the text, and as a number."""
    style = f"{BAR};width:{6 * p:.2f}em"
    return f'<span style="white-space:nowrap"><span style="{style}"></span> {p:.1%}</span>'


def _mixture(theta: Floats, topics: Sequence[Topic] = ()) -> str:
    """The largest weights of theta, with the labels of their topics if these are given."""
    best = [k for k in np.argsort(-theta, kind="stable")[:FEW].tolist() if theta[k] >= SHOWN]
    names = [f"{k} {topics[k].label}" if topics else str(k) for k in best]
    return escape(", ".join(f"{n}: {theta[k]:.2f}" for n, k in zip(names, best, strict=True)))
