"""report.html: what a run has learned, on one page that needs nothing else.

In go a model, its history and some answers; out comes HTML: curves, topics with rendered equations,
equations that it wrote, scores, and one annotated article.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from topiceq.model.card import flat
from topiceq.model.topics import Topic
from topiceq.tasks.generate import Generated
from topiceq.views.page import font
from topiceq.views.templates import render

WIDTH, HEIGHT, MARGIN = 560, 180, 36  # of a plot
CURVES = {
    "words": "perplexity of words",
    "te-lstm": "perplexity of equations",
    "npmi": "coherence of topics (NPMI)",
}


@dataclass(frozen=True)
class Answer:
    """A question that was asked, and the topics that were found."""

    question: str  # in words
    equation: str
    model: str  # who answered
    topics: Sequence[Mapping[str, Any]]  # best first: label, p, words


class Curve(NamedTuple):
    """A score on held-out pairs, epoch by epoch, as it is drawn."""

    title: str
    points: list[tuple[str, str]]
    ends: list[tuple[str, str, str]]  # where the first and the last value stand, and what they are


def report(
    topics: Sequence[Topic],
    history: Sequence[Mapping[str, Any]],
    written: Mapping[str, Sequence[Generated]],
    answers: Sequence[Answer],
    scores: Mapping[str, Any],
    article: str,
) -> str:
    """The page; `article` is an annotated article as a whole page of HTML."""
    return render(
        "report.html", width=WIDTH, height=HEIGHT, margin=MARGIN, curves=list(_curves(history)),
        topics=topics, written=written, answers=answers, scores=flat(scores), article=article,
        font=font(),
    )  # fmt: skip


def _curves(history: Sequence[Mapping[str, Any]]) -> Iterator[Curve]:
    for name, title in CURVES.items():
        values = [(r["epoch"], r["valid"][name]) for r in history if name in (r["valid"] or {})]
        if len(values) > 1:
            yield _curve(title, values)


def _curve(title: str, values: Sequence[tuple[float, float]]) -> Curve:
    xs, ys = zip(*values, strict=True)
    across, up = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
    places = [
        (MARGIN + (x - min(xs)) / across * (WIDTH - 2 * MARGIN),
         HEIGHT - MARGIN - (y - min(ys)) / up * (HEIGHT - 2 * MARGIN))
        for x, y in values
    ]  # fmt: skip
    ends = [(f"{places[n][0]:.0f}", f"{places[n][1] - 7:.0f}", f"{ys[n]:.3g}") for n in (0, -1)]
    return Curve(title, [(f"{x:.1f}", f"{y:.1f}") for x, y in places], ends)
