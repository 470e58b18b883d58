"""Speed of answers: infer, generate, annotate.

    python benchmarks/answers.py RUN CORPUS [--article PAPER.tex] [--threads 2]

All figures are of one run of this script on one machine; read them as ratios. `one by one` asks
for the topics of an equation one topic at a time, as a loop would. Writes results/answers.json.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from trained import RESULTS, commit, seconds

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.model.batches import pad
from topiceq.model.held_out import evaluating
from topiceq.tasks.generate.writing import Manner, write
from topiceq.tasks.infer import equations_alone, log_likelihoods
from topiceq.tasks.question import Equation, topical_decoder

TOKENS = 64  # of the equation that is asked about, and of those that are written


def questions(model: TopicEq, corpus: Corpus, count: int) -> list[Equation]:
    """Real equations; the first is about as long as the mean of the paper's."""
    tokens = corpus.test.column("tokens").to_pylist()
    tokens.sort(key=lambda one: abs(len(one) - TOKENS))
    encode = model.run.tokens.encode
    drawn = [
        tokens[0],
        *np.random.default_rng(0).permutation(np.array(tokens, object))[: count - 1],
    ]
    return [Equation(tuple(one), tuple(encode(one).tolist())) for one in drawn]


def one_by_one(model: TopicEq, equation: Equation) -> None:
    """Every topic in a batch of its own."""
    topics, decoder = model.run.config.model.topics, topical_decoder(model.run)
    ids, ends = np.array(equation.ids, np.int32), np.array([0, len(equation.ids)])
    with evaluating(model.run.model):
        for theta in torch.eye(topics):
            decoder.log_prob(equations_alone(pad(ids, ends, np.array([0]))), theta[None])


def inference(model: TopicEq, corpus: Corpus) -> dict[str, float]:
    """One equation under all topics, both ways; and a thousand at once."""
    asked = questions(model, corpus, 1_000)
    together = seconds(lambda: log_likelihoods(model.run, asked[:1]))
    apart = seconds(lambda: one_by_one(model, asked[0]))
    many = seconds(lambda: log_likelihoods(model.run, asked), times=1)
    return {
        "one_equation_seconds": round(together, 4),
        "one_by_one_seconds": round(apart, 4),
        "ratio": round(apart / together, 1),
        "thousand_equations_per_second": round(len(asked) / many, 1),
    }


def generation(model: TopicEq) -> dict[str, float]:
    """Equations a second, alone and 256 at once, with and without the grammar."""
    topics = model.run.config.model.topics
    found = {}
    for batch in (1, 256):
        theta = np.eye(topics, dtype=np.float32)[np.arange(batch) % topics]
        for name, constrained in (("constrained", True), ("unconstrained", False)):
            manner = Manner(constrained=constrained)
            took = seconds(
                lambda t=theta, m=manner, b=batch: write(model.run, t, m, streams=range(b)),
                times=3,  # the first also makes the tables of the grammar
            )
            found[f"{name}_batch_{batch}"] = round(batch / took, 1)
    found["cost_of_the_grammar"] = round(
        found["unconstrained_batch_256"] / found["constrained_batch_256"] - 1, 3
    )
    return found


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, as one object."""
    torch.set_num_threads(arguments.threads)
    began = time.perf_counter()
    model = TopicEq.load(arguments.run)
    loaded, corpus = time.perf_counter() - began, Corpus.load(arguments.corpus)
    found: dict[str, Any] = {
        "commit": commit(),
        "threads": arguments.threads,
        "load": os.getloadavg()[0],
        "topics": model.run.config.model.topics,
        "state": model.run.config.model.state,
        "load_seconds": round(loaded, 2),
        "infer": inference(model, corpus),
        "generate": generation(model),
    }
    if arguments.article:
        began = time.perf_counter()
        annotated = model.annotate(arguments.article)
        found["annotate"] = {
            "seconds": round(time.perf_counter() - began, 2),
            "kilobytes_of_html": round(len(annotated.html()) / 1000),
        }
    return found


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--article", type=Path)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    found = measure(parser.parse_args())
    print(json.dumps(found, indent=1))
    (RESULTS / "answers.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
