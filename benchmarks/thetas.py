"""Syntax errors by theta: does the model write worse the further theta is from the average?

    python benchmarks/thetas.py RUN CORPUS [--samples 2000]

Equations are sampled without the grammar from the average theta of train, from thetas of test and
of train contexts, and from single topics, which training never shows. Writes results/thetas.json.
"""

from dataclasses import asdict

import numpy as np
from asked import Floats, arguments, context_thetas, identity, opened, use_threads
from trained import RESULTS, keep

from topiceq import Corpus
from topiceq.api import TopicEq
from topiceq.scores.syntax import SyntaxScore
from topiceq.tasks.generate.samples import judged
from topiceq.tasks.generate.writing import Manner, write


def thetas(model: TopicEq, corpus: Corpus, count: int) -> dict[str, Floats]:
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


def errors(model: TopicEq, theta: Floats) -> SyntaxScore:
    """What the compiler says of one equation for each theta."""
    return judged(write(model.run, theta, Manner(constrained=False), streams=range(len(theta))))


def main() -> None:
    """Measure, print, and keep the result."""
    parser = arguments(__doc__)
    parser.add_argument("--samples", type=int, default=2_000)
    told = parser.parse_args()
    use_threads(told.threads)
    corpus = Corpus.load(told.corpus)
    model = opened(told.run, corpus)
    found = {}
    for kind, theta in thetas(model, corpus, told.samples).items():
        found[kind] = asdict(errors(model, theta))
        print(kind, found[kind], flush=True)
    keep(RESULTS / "thetas.json", [identity(model, told.run, corpus) | {"syntax": found}])


if __name__ == "__main__":
    main()
