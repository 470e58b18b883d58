"""The model card of a run, in the form the Hugging Face hub expects, from the run's own facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topiceq.model.run import Run

FRONT = """---
library_name: topiceq
license: apache-2.0
language: en
tags:
- topic-model
- equations
- latex
---
"""


def card(run: Run) -> str:
    """README.md of the run folder."""
    parts = [_model(run), _data(run), _numbers(run), _topics(run), _use(), _limits(run)]
    return FRONT + "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _model(run: Run) -> str:
    model = run.config.model
    decoders = ", ".join(model.decoders) or "none"
    weights = sum(weight.numel() for weight in run.model.parameters())
    settings = {"topics": model.topics, "theta": model.theta, "decoders": decoders}
    if run.model.decoders:
        settings |= {"state": model.state, "embedding": model.embedding, "layers": model.layers}
    rows = settings | {"weights": f"{weights:,}"}
    topics = f"{model.topics} topics" if model.theta != "none" else "no topics"
    return (
        f"# TopicEq: {' + '.join([topics, *model.decoders])}\n\n"
        "Learned from the equations of scientific LaTeX and the sentences around them "
        "(Yasunaga & Lafferty, AAAI 2019). All settings are in config.toml.\n\n"
        f"{_table(rows, 'setting')}"
    )


def _data(run: Run) -> str:
    facts = dict(run.facts)
    rows = {f"{split} pairs": f"{count:,}" for split, count in facts.pop("pairs", {}).items()}
    rows |= {name: f"{len(getattr(run, name)):,}" for name in ("words", "tokens", "phrases")}
    rows |= flat({name: value for name, value in facts.items() if name != "valid"})
    return "## Training\n\n" + _table(rows | {"seed": run.config.train.seed}, "fact")


def _numbers(run: Run) -> str:
    parts = []
    if valid := run.facts.get("valid"):
        parts.append("## On the valid split\n\n" + _table(valid, "number"))
    if run.scores:
        parts.append("## Scores on held-out pairs\n\n" + _table(flat(run.scores), "score"))
    return "\n\n".join(parts)


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested scores as one level, the names put together.

    >>> flat({"syntax": {"te-lstm": {"error": 0.1}}})
    {'syntax te-lstm error': 0.1}
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        nested = isinstance(value, dict)
        found |= flat(value, f"{before}{name} ") if nested else {f"{before}{name}": value}
    return found


def _topics(run: Run) -> str:
    rows = {f"{t.id} {t.label}": ", ".join(t.words[:8]) for t in run.topics}
    return "## Topics\n\n" + _table(rows, "topic", "words") if rows else ""


def _use() -> str:
    return (
        "## Intended use\n\nTo find what an equation or a passage is about, what symbols are "
        "likely to mean there, and equations that are like it: for reading, for search, for "
        "research. Not to judge whether an equation is true.\n\n"
        "```python\nfrom topiceq import TopicEq\n\n"
        'model = TopicEq.load("path/of/this/folder")\n'
        'model.infer(equation=r"E = m c^{2}")\n```'
    )


def _limits(run: Run) -> str:
    return (
        "## Limits\n\nThe topics are those of the articles it was trained on; words and tokens "
        "outside its vocabularies are not seen. What it writes or explains is a guess from "
        "statistics, not mathematics that was checked."
    )


def _table(rows: dict[Any, Any], name: str, value: str = "value") -> str:
    lines = [f"| {name} | {value} |", "|---|---|"]
    return "\n".join(lines + [f"| {key} | {_shown(item)} |" for key, item in rows.items()])


def _shown(item: Any) -> str:
    text = f"{item:.4g}" if isinstance(item, float) else str(item)
    return text.replace("|", r"\|").replace("\n", " ")
