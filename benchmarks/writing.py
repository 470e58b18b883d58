"""Equations that a run writes: are they well formed, new, and about their topic?

    python benchmarks/writing.py RUN CORPUS --bag RUN [--samples 5000]

Samples at temperature 1, spread evenly over all topics (theta is one-hot), once with the grammar
and once without. A LaTeX compiler judges every one; new are those that no train equation equals.

An equation is about its topic if the topic that the bag of tokens finds most likely is one of the 3
nearest to the one it was written for. The two runs have topics of their own: near are topics
whose words overlap, by the sum over words of sqrt(p q). Beside it stand chance (the same topics,
dealt out at random) and real equations (test, under the main topic of their context).
Writes results/writing.json, one entry for each run.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from asked import Entry, Floats, arguments, context_thetas, identity, opened, row_name, use_threads
from fields import topics_of as likeliest_topics
from trained import RESULTS, keep

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.model.topics import topics_of
from topiceq.scores.syntax import Verdict, check
from topiceq.tasks.generate.writing import Generated, Manner, write

NEAREST = 3
SHOWN = 12  # equations and rejected equations that are kept as examples

Ints = npt.NDArray[np.int64]
Tokens = tuple[str, ...]


def written(model: TopicEq, count: int, *, constrained: bool) -> tuple[list[Generated], Ints]:
    """Equations, about as many of each topic, and the topics they were written for."""
    topics = np.arange(count) % model.run.config.model.topics
    theta = np.eye(model.run.config.model.topics, dtype=np.float32)[topics]
    manner = Manner(constrained=constrained)
    return write(model.run, theta, manner, streams=range(count)), topics


# -- well formed, new ---------------------------------------------------------------------------


def judged(equations: Sequence[Generated]) -> list[Verdict]:
    """What the compiler says of each; an unfinished one is rejected without asking."""
    asked = iter(check([one.equation for one in equations if one.finished], jobs=1))
    unfinished = Verdict(ok=False, message="unfinished")
    return [next(asked) if one.finished else unfinished for one in equations]


def form(equations: Sequence[Generated], train: set[Tokens]) -> Entry:
    """Shares of equations that do not compile, that differ, and that train has."""
    verdicts, tokens = judged(equations), [one.tokens for one in equations]
    wrong = [
        {"equation": one.equation, "message": verdict.message}
        for one, verdict in zip(equations, verdicts, strict=True)
        if not verdict.ok
    ]
    return {
        "rejected": share(len(wrong), len(equations)),
        "unfinished": share(sum(not one.finished for one in equations), len(equations)),
        "distinct": share(len(set(tokens)), len(equations)),
        "in_train": share(sum(one in train for one in tokens), len(equations)),
        "mean_tokens": round(float(np.mean([len(one) for one in tokens])), 1),
        "rejected_examples": wrong[:SHOWN],
    }


def share(part: float, whole: int) -> float:
    """Rounded, as results are kept."""
    return round(float(part) / max(1, whole), 5)


# -- about their topic --------------------------------------------------------------------------


def nearest(ours: Floats, others: Floats, count: int = NEAREST) -> Ints:
    """The topics of another run whose words overlap most with each of ours (K, count).

    >>> nearest(np.array([[1.0, 0.0]]), np.array([[0.1, 0.9], [0.8, 0.2]]), 1).tolist()
    [[1]]
    """
    overlap = np.sqrt(ours) @ np.sqrt(others).T
    return np.argsort(-overlap, axis=1, kind="stable")[:, :count]


def agreement(meant: Ints, found: Ints, near: Ints) -> tuple[float, float]:
    """The share of equations whose found topic is near the meant one; and that by chance.

    >>> agreement(np.array([0, 1]), np.array([0, 0]), np.array([[0], [1]]))
    (0.5, 0.5)
    """
    hits = (near[meant] == found[:, None]).any(1).mean()
    of_found = np.bincount(found, minlength=int(near.max()) + 1) / len(found)
    return float(hits), float(of_found[near[meant]].sum(1).mean())


def consistency(model: TopicEq, bag: TopicEq, tokens: Sequence[Tokens], meant: Ints) -> Entry:
    """Whether the bag finds the topics that equations are meant to be about."""
    near = nearest(topics_of(model.run.model), topics_of(bag.run.model))
    found = likeliest_topics(bag.run, [list(one) for one in tokens])
    hits, chance = agreement(meant, found, near)
    return {"share": round(hits, 4), "chance": round(chance, 4), "equations": len(tokens)}


# -- the command --------------------------------------------------------------------------------


def measure(model: TopicEq, bag: TopicEq, corpus: Corpus, samples: int) -> Entry:
    """Everything about the equations that a run writes."""
    train, test = (
        [tuple(tokens) for tokens in split.column("tokens").to_pylist()]
        for split in (corpus.train, corpus.test)
    )
    seen, found = set(train), Entry()
    for name in ("constrained", "unconstrained"):
        equations, topics = written(model, samples, constrained=name == "constrained")
        about = consistency(model, bag, [one.tokens for one in equations], topics)
        found[name] = form(equations, seen) | {"consistency": about}
        print(name, json.dumps(found[name]), flush=True)
        if name == "constrained":
            found["examples"] = examples(model, equations, topics)
    meant = context_thetas(model, corpus.test).argmax(1)
    found["real"] = {
        "in_train": share(sum(one in seen for one in test), len(test)),
        "consistency": consistency(model, bag, test, meant),
    }
    return found


def examples(model: TopicEq, equations: Sequence[Generated], topics: Ints) -> list[dict[str, Any]]:
    """The first equation of some topics, whatever it is like."""
    shown = np.linspace(0, len(model.topics()) - 1, SHOWN).round().astype(int).tolist()
    first = {topic: int(np.flatnonzero(topics == topic)[0]) for topic in shown if topic in topics}
    return [
        {
            "topic": topic,
            "label": model.topics()[topic].label,
            "words": model.topics()[topic].words[:5],
            "equation": equations[place].equation,
        }
        for topic, place in first.items()
    ]


def main() -> None:
    """Write, judge and keep."""
    parser = arguments(__doc__)
    parser.add_argument("--bag", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=5_000)
    told = parser.parse_args()
    use_threads(told.threads)
    corpus = Corpus.load(told.corpus)
    model, bag = opened(told.run, corpus), opened(told.bag, corpus)
    about = {"samples": told.samples, "bag": {"run": str(told.bag), "row": row_name(bag)}}
    found = measure(model, bag, corpus, told.samples)
    keep(RESULTS / "writing.json", [identity(model, told.run, corpus) | about | found])
    print(json.dumps(found["real"]))


if __name__ == "__main__":
    main()
