"""Equations that a run writes: are they well formed, new, and about their topic?

In go runs and the corpus that they were trained on; out come results/writing.json, syntax.json and
thetas.json, and the sections on them of docs/results.md.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch

from research.entries import (
    NOT_RUN,
    Entry,
    code,
    folded,
    keep,
    largest,
    lines,
    math,
    read,
    run_name,
)
from research.runs import (
    Floats,
    Ints,
    context_thetas,
    identity,
    likeliest_topics,
    opened,
    row_name,
)
from topiceq.api import TopicEq
from topiceq.corpus.store import Corpus
from topiceq.model.topics import topics_of
from topiceq.questions import Generate
from topiceq.scores.syntax import Verdict, check, check_one
from topiceq.tasks.generate import Generated, write
from topiceq.tasks.generate import judged as syntax_score
from topiceq.tasks.generate import samples as sampled

NEAREST = 3
SHOWN = 12  # equations and rejected equations that are kept as examples

Tokens = tuple[str, ...]


def writing(
    run: Path,
    corpus: Path,
    *,
    bag: Annotated[Path, "a run with the bag of tokens, which finds topics of equations"],
    samples: Annotated[int, "equations, each way"] = 5_000,
    threads: int = 1,
) -> None:
    """Equations that a run writes: are they well formed, new, and about their topic?

    Samples at temperature 1, spread evenly over all topics (theta is one-hot), once with the
    grammar and once without. A LaTeX compiler judges every one; new are those that no train
    equation equals.

    An equation is about its topic if the topic that the bag of tokens finds most likely is one of
    the 3 nearest to the one it was written for. The two runs have topics of their own: near are
    topics whose words overlap, by the sum over words of sqrt(p q). Beside it stand chance (the same
    topics, dealt out at random) and real equations (test, under the main topic of their context).
    Writes results/writing.json, one entry for each run.
    """
    torch.set_num_threads(threads)
    loaded = Corpus.load(corpus)
    model, judge = opened(run, loaded), opened(bag, loaded)
    about = {"samples": samples, "bag": {"run": str(bag), "row": row_name(judge)}}
    found = measure(model, judge, loaded, samples)
    keep("writing", [identity(model, run, loaded) | about | found])
    print(json.dumps(found["real"]))


def measure(model: TopicEq, bag: TopicEq, corpus: Corpus, count: int) -> Entry:
    """Everything about the equations that a run writes."""
    train, test = (
        [tuple(tokens) for tokens in split.column("tokens").to_pylist()]
        for split in (corpus.train, corpus.test)
    )
    seen, found = set(train), Entry()
    for name in ("constrained", "unconstrained"):
        equations, topics = written(model, count, constrained=name == "constrained")
        about = consistency(model, bag, [own.tokens for own in equations], topics)
        found[name] = form(equations, seen) | {"consistency": about}
        print(name, json.dumps(found[name]), flush=True)
        if name == "constrained":
            found["examples"] = examples(model, equations, topics)
    meant = context_thetas(model, corpus.test).argmax(1)
    found["real"] = {
        "in_train": share(sum(tokens in seen for tokens in test), len(test)),
        "consistency": consistency(model, bag, test, meant),
    }
    return found


def written(model: TopicEq, count: int, *, constrained: bool) -> tuple[list[Generated], Ints]:
    """Equations, about as many of each topic, and the topics they were written for."""
    topics = np.arange(count) % model.run.config.model.topics
    theta = np.eye(model.run.config.model.topics, dtype=np.float32)[topics]
    question = Generate.plain(constrained=constrained)
    return write(model.run, theta, question, streams=range(count)), topics


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


# -- well formed, new ---------------------------------------------------------------------------


def form(equations: Sequence[Generated], train: set[Tokens]) -> Entry:
    """Shares of equations that do not compile, that differ, and that train has."""
    verdicts, tokens = judged(equations), [own.tokens for own in equations]
    wrong = [
        {"equation": own.equation, "message": verdict.message}
        for own, verdict in zip(equations, verdicts, strict=True)
        if not verdict.ok
    ]
    return {
        "rejected": share(len(wrong), len(equations)),
        "unfinished": share(sum(not own.finished for own in equations), len(equations)),
        "distinct": share(len(set(tokens)), len(equations)),
        "in_train": share(sum(own in train for own in tokens), len(equations)),
        "mean_tokens": round(float(np.mean([len(own) for own in tokens])), 1),
        "rejected_examples": wrong[:SHOWN],
    }


def judged(equations: Sequence[Generated]) -> list[Verdict]:
    """What the compiler says of each; an unfinished one is rejected without asking."""
    verdicts = iter(check([own.equation for own in equations if own.finished], jobs=1))
    unfinished = Verdict(ok=False, message="unfinished")
    return [next(verdicts) if own.finished else unfinished for own in equations]


def share(part: float, whole: int) -> float:
    """Rounded, as results are kept."""
    return round(float(part) / max(1, whole), 5)


# -- about their topic --------------------------------------------------------------------------


def consistency(model: TopicEq, bag: TopicEq, tokens: Sequence[Tokens], meant: Ints) -> Entry:
    """Whether the bag finds the topics that equations are meant to be about."""
    near = nearest(topics_of(model.run.model), topics_of(bag.run.model))
    found = likeliest_topics(bag.run, [list(own) for own in tokens])
    hits, chance = agreement(meant, found, near)
    return {"share": round(hits, 4), "chance": round(chance, 4), "equations": len(tokens)}


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


# -- syntax -------------------------------------------------------------------------------------


def syntax(
    run: Path,
    corpus: Path,
    *,
    samples: Annotated[int, "equations"] = 5_000,
    alone: Annotated[int, "of them also one by one"] = 300,
    threads: int = 1,
) -> None:
    """The syntax check beside one LaTeX process for each equation: as fast and as strict?

    Equations sampled from a run without the grammar are checked all together, and some of them one
    by one; the verdicts must be the same. Writes results/syntax.json.
    """
    torch.set_num_threads(threads)
    loaded = Corpus.load(corpus)
    model = opened(run, loaded)
    equations = [own.equation for own in sampled(model.run, loaded.test, samples)]
    began = time.perf_counter()
    together = check(equations)
    middle = time.perf_counter()
    apart = [check_one(equation) for equation in equations[:alone]]
    end = time.perf_counter()
    fast, slow = len(equations) / (middle - began), len(apart) / (end - middle)
    same = sum(a.ok == b.ok for a, b in zip(together, apart, strict=False))
    found = identity(model, run, loaded) | {
        "equations": len(equations),
        "rejected": round(1 - sum(verdict.ok for verdict in together) / len(together), 4),
        "together_per_second": round(fast, 1),
        "one_process_each_per_second": round(slow, 1),
        "ratio": round(fast / slow, 1),
        "same_verdict": f"{same} of {len(apart)}",
    }
    print(json.dumps(found, indent=1))
    keep("syntax", [found])


def thetas(run: Path, corpus: Path, *, samples: int = 2_000, threads: int = 1) -> None:
    """Syntax errors by theta: does a model write worse the further theta is from the average?

    Equations are sampled without the grammar from the average theta of train, from thetas of test
    and of train contexts, and from single topics, which training never shows. Writes
    results/thetas.json.
    """
    torch.set_num_threads(threads)
    loaded = Corpus.load(corpus)
    model, found = opened(run, loaded), {}
    for kind, theta in kinds_of_theta(model, loaded, samples).items():
        equations = write(
            model.run, theta, Generate.plain(constrained=False), streams=range(samples)
        )
        found[kind] = asdict(syntax_score(equations))
        print(kind, found[kind], flush=True)
    keep("thetas", [identity(model, run, loaded) | {"syntax": found}])


def kinds_of_theta(model: TopicEq, corpus: Corpus, count: int) -> dict[str, Floats]:
    """`count` mixtures of each kind."""
    draw = np.random.default_rng(0)
    train, test = (context_thetas(model, split) for split in (corpus.train, corpus.test))
    topics = np.eye(train.shape[1], dtype=np.float32)
    return {
        "the average of train": np.repeat(train.mean(0, keepdims=True), count, 0),
        "test contexts": test[draw.integers(len(test), size=count)],
        "train contexts": train[draw.integers(len(train), size=count)],
        "one topic alone": topics[np.arange(count) % len(topics)],
    }


# -- on the page --------------------------------------------------------------------------------


def writing_shown() -> str:
    """Shares of the equations that every run has written, and some of them."""
    entries = sorted(read("writing"), key=lambda entry: entry["topics"])
    if not entries:
        return NOT_RUN
    heads = ["run", "equations", "rejected", "unfinished", "distinct", "in train", "mean tokens",
             "about their topic", "by chance"]  # fmt: skip
    rows = [row for entry in entries for row in _rows(entry)]
    return "\n\n".join([lines(heads, rows), *map(_rejected, entries), _examples(entries)])


def _rows(entry: Entry) -> list[list[str]]:
    name = run_name(entry)
    kinds = {"constrained": "with the grammar", "unconstrained": "without"}
    rows = [_row(f"{name}, {shown}", entry[kind]) for kind, shown in kinds.items()]
    return [*rows, _row(f"real (test), under {name}", entry["real"])]


def _row(name: str, found: Entry) -> list[str]:
    """Of real equations only some shares are known."""
    about = found["consistency"]
    shares = [f"{found[part]:.2%}" if part in found else ""
              for part in ("rejected", "unfinished", "distinct", "in_train")]  # fmt: skip
    length = f"{found['mean_tokens']:.0f}" if "mean_tokens" in found else ""
    consistent = [f"{about[part]:.1%}" for part in ("share", "chance")]
    return [name, f"{about['equations']:,}", *shares, length, *consistent]


def _rejected(entry: Entry) -> str:
    """What the grammar let through and the compiler did not."""
    wrong = entry["constrained"]["rejected_examples"]
    if not wrong:
        return f"{run_name(entry)}: the compiler accepts every equation written with the grammar."
    rows = [[code(rejected["equation"]), rejected["message"]] for rejected in wrong]
    summary = f"Rejected though written with the grammar, {run_name(entry)}"
    return folded(summary, lines(["equation", "message"], rows))


def _examples(entries: list[Entry]) -> str:
    entry = largest(entries)
    assert entry is not None
    rows = [[" ".join(shown["words"]), math(shown["equation"])] for shown in entry["examples"]]
    summary = f"The first equation of topics at even distances, not selected ({run_name(entry)})"
    return folded(summary, lines(["topic", "equation"], rows))


def thetas_shown() -> str:
    """Syntax errors by how far theta is from the average."""
    rows = [
        [run_name(entry), kind, f"{found['sampled']:,}", f"{found['error']:.1%}",
         f"{found['tokens']:.1f}", f"{1000 * found['error'] / found['tokens']:.2f}"]
        for entry in read("thetas")
        for kind, found in entry["syntax"].items()
    ]  # fmt: skip
    heads = ["run", "theta", "equations", "syntax errors", "mean tokens", "errors in 1,000 tokens"]
    return lines(heads, rows)


def syntax_shown() -> str:
    """The syntax check beside one process for each equation."""
    sentence = (
        "{equations:,} equations of {name} ({rejected:.0%} rejected) at {together_per_second:.0f} a"
        " second; one LaTeX process for each makes {one_process_each_per_second:.1f}, {ratio:.0f}"
        " times less, with the same verdict in {same_verdict}"
    )
    found = [sentence.format(name=run_name(entry), **entry) for entry in read("syntax")]
    return f"The compiler read {'; '.join(found)}." if found else NOT_RUN


def interpolations_shown() -> str:
    """What is written on the way from one topic to another."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    return "\n\n".join([f"Run: {run_name(entry)}.", *map(_interpolation, entry["interpolations"])])


def _interpolation(found: Entry) -> str:
    first, last = (f"{e['subject']} ({' '.join(e['words'][:5])})" for e in found["ends"])
    rows = [[f"{point['t']:.2f}", math(point["equation"])] for point in found["points"]]
    summary = f"From {first} to {last}, beginning with <code>{found['prefix']}</code>"
    return folded(summary, lines(["t", "equation"], rows))
