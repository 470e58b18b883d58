"""Table 2 of the paper and the controls: does theta help to predict and to write equations?

    python benchmarks/equations.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2] [--rows lstm ..]

Perplexity a token on the test equations, and the share of 5,000 sampled equations (temperature 1,
theta of test contexts, unconstrained) that a LaTeX compiler rejects. Writes
results/equations.json, and results/differences.json: each row against the LSTM and against TE-LSTM
on the same test pairs, with 95 % intervals by a bootstrap over articles.
"""

from dataclasses import asdict

import numpy as np
from rows import CAT, DENSE, LSTM, MOE, OTHER, SHUFFLED, TD, TE, WIDE
from trained import RESULTS, Trained, keep, table

from topiceq import Corpus
from topiceq.scores.perplexity import difference

ROWS = [LSTM, CAT, TD, TE, MOE, SHUFFLED, OTHER, DENSE, WIDE]
SAMPLES = 5_000


def differences(done: Trained, others: list[Trained]) -> dict[str, object]:
    """One run's perplexity against those of other rows with the same corpus and seed."""
    articles = np.asarray(Corpus.load(done.corpus).test.encoded.articles)
    (ours,) = equations(done)
    found = {
        other.row.name: asdict(difference(ours, *equations(other), articles)) for other in others
    }
    identity = ("row", "corpus", "topics", "seed", "commit", "corpus_digest")
    return {name: done.entry[name] for name in identity} | {"against": found}


def equations(done: Trained) -> list[object]:
    """The likelihoods of its one decoder."""
    return [found for name, found in done.likelihoods().items() if name != "words"]


def main() -> None:
    """Train what is missing; print a line for each row."""
    finished: list[Trained] = []
    for done in table(ROWS, __doc__, syntax=SAMPLES, results="equations.json"):
        entry, finished = done.entry, [*finished, done]
        (score,) = entry["scores"]["equations"].values()
        (written,) = entry["scores"]["syntax"].values()
        print(
            f"{entry['row']:36} seed {entry['seed']}  perplexity {score['perplexity']:.3f}"
            f"  syntax error {written['error']:.1%}",
            flush=True,
        )
        same = [one for one in finished if one.entry["seed"] == entry["seed"]]
        pivots = [one for one in same if one.row in (LSTM, TE)]
        keep(RESULTS / "differences.json", [differences(one, pivots) for one in same])


if __name__ == "__main__":
    main()
