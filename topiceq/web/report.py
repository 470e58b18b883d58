"""report.html: what a run has learned, on one page that needs nothing else.

In go a model, its history and some answers; out comes HTML: curves, topics with rendered equations,
equations that it wrote, scores, and one annotated article.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from topiceq.model.card import flat
from topiceq.model.topics import Topic
from topiceq.tasks.generate import Generated
from topiceq.tasks.mathml import mathml

WIDTH, HEIGHT, MARGIN = 560, 180, 36  # of a plot

STYLE = Path(__file__).with_name("report.css")


@dataclass(frozen=True)
class Answer:
    """A question that was asked, and the topics that were found."""

    question: str  # in words
    equation: str
    model: str  # who answered
    topics: Sequence[Mapping[str, Any]]  # best first: label, p, words


def report(
    topics: Sequence[Topic],
    history: Sequence[Mapping[str, Any]],
    written: Mapping[str, Sequence[Generated]],
    answers: Sequence[Answer],
    scores: Mapping[str, Any],
    article: str,
) -> str:
    """The page; `article` is an annotated article as a whole page of HTML."""
    parts = [
        "<h1>TopicEq: the demo</h1>",
        "<p>A small model, trained a moment ago on the articles in <code>examples/articles</code>. "
        "It has seen too little to be good; it shows how the parts work together.</p>",
        "<h2>Training</h2>", *_curves(history),
        "<h2>Topics</h2><section class='topics'>", *map(_topic, topics), "</section>",
        "<h2>Equations it wrote</h2>", *(_written(label, some) for label, some in written.items()),
        "<h2>Questions</h2>", _answers(answers),
        "<h2>Scores on held-out articles</h2>", _scores(scores),
        "<h2>An article, annotated</h2>",
        f'<iframe sandbox title="An annotated article" srcdoc="{escape(article)}"></iframe>',
    ]  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>TopicEq: the demo'
        '</title><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE.read_text(encoding='utf-8')}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _curves(history: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Perplexity and coherence on held-out pairs, epoch by epoch."""
    names = {"words": "perplexity of words", "te-lstm": "perplexity of equations",
             "npmi": "coherence of topics (NPMI)"}  # fmt: skip
    for name, title in names.items():
        points = [(r["epoch"], r["valid"][name]) for r in history if name in (r["valid"] or {})]
        if len(points) > 1:
            yield f"<figure>{curve(points)}<figcaption>{title}, by epoch</figcaption></figure>"


def curve(points: Sequence[tuple[float, float]]) -> str:
    """One line as SVG, with its first and last value."""
    xs, ys = zip(*points, strict=True)
    across, up = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
    places = [
        (MARGIN + (x - min(xs)) / across * (WIDTH - 2 * MARGIN),
         HEIGHT - MARGIN - (y - min(ys)) / up * (HEIGHT - 2 * MARGIN))
        for x, y in points
    ]  # fmt: skip
    path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    axis = f"M{MARGIN} {MARGIN} V{HEIGHT - MARGIN} H{WIDTH - MARGIN}"
    ends = (
        f'<text x="{x:.0f}" y="{y - 7:.0f}" text-anchor="middle">{value:.3g}</text>'
        for (x, y), value in ((places[0], ys[0]), (places[-1], ys[-1]))
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f'<path class="axis" d="{axis}"/><path class="curve" d="{path}"/>{"".join(ends)}</svg>'
    )


def _topic(topic: Topic) -> str:
    drawn = "".join(_math(typical.equation) for typical in topic.equations[:2])
    words = escape(", ".join(topic.words[:8]))
    head = f"<h3>{escape(topic.label)}</h3><p class='soft'>{words}</p>"
    return f"<article class='topic'>{head}{drawn}</article>"


def _written(label: str, some: Sequence[Generated]) -> str:
    return f"<h3>{escape(label)}</h3>" + "".join(_math(one.equation) for one in some)


def _math(equation: str) -> str:
    return f"<div class='math'>{mathml(equation, display=True)}</div>"


def _answers(answers: Sequence[Answer]) -> str:
    rows = []
    for answer in answers:
        told = "; ".join(f"{escape(t['label'])} {t['p']:.0%}" for t in answer.topics[:3])
        rows.append(
            f"<tr><td>{escape(answer.question)}{_math(answer.equation)}</td>"
            f"<td>{told}</td><td class='soft'>{escape(answer.model)}</td></tr>"
        )
    return (
        "<table><tr><th>equation</th><th>its topics</th><th>model</th></tr>"
        + "".join(rows)
        + "</table>"
    )


def _scores(scores: Mapping[str, Any]) -> str:
    rows = (
        f"<tr><td>{escape(name)}</td><td>{value:.4g}</td></tr>"
        for name, value in flat(scores).items()
        if isinstance(value, float)
    )
    return "<table>" + "".join(rows) + "</table>"
