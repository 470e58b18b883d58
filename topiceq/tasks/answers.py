"""Answers as plain values: the same shapes on the command line and over HTTP."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the shapes need no torch
    from topiceq.model.topics import Topic
    from topiceq.tasks.generate import Generated
    from topiceq.tasks.question import Floats

Shape = dict[str, Any]
SHOWN = 0.0005  # weights of theta below are left out


def topic_shape(topic: "Topic") -> Shape:
    """A topic, its equations as LaTeX."""
    equations = [equation.equation for equation in topic.equations]
    return {"topic": topic.id, "label": topic.label, "share": round(topic.share, 4),
            "words": topic.words, "tokens": topic.tokens, "equations": equations}  # fmt: skip


def best_topics(theta: "Floats", topics: "Sequence[Topic]", top: int) -> list[Shape]:
    """The most probable topics, best first."""
    order = (-theta).argsort(kind="stable")[:top].tolist()
    words = {topic.id: {"label": topic.label, "words": topic.words} for topic in topics}
    unknown = {"label": "", "words": []}  # training is not over, so topics have no words yet
    return [{"topic": k, "p": round(float(theta[k]), 4), **words.get(k, unknown)} for k in order]


def generated_shape(one: "Generated") -> Shape:
    """An equation that was written."""
    return {"equation": one.equation, "tokens": list(one.tokens),
            "logprob": round(one.logprob, 4), "theta": theta_shape(one.theta),
            "finished": one.finished}  # fmt: skip


def theta_shape(theta: "Floats") -> dict[str, float]:
    """The weights that count, the largest first."""
    order = (-theta).argsort(kind="stable").tolist()
    return {str(k): round(float(theta[k]), 4) for k in order if theta[k] >= SHOWN}
