"""The paper's alignment table: do topics tell what symbols mean?

    python benchmarks/alignment.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2] [--rows ..]

Perplexity a phrase on the phrases of the test equations' immediate contexts, beside the unigram
model: without topics, with them (the paper's form), and two forms of ours. Writes
results/alignment.json.
"""

from rows import ALIGNED, ALONE, MIXTURE, RESIDUAL
from trained import table

ROWS = [ALONE, ALIGNED, RESIDUAL, MIXTURE]


def main() -> None:
    """Train what is missing; print a line for each row."""
    for done in table(ROWS, __doc__, results="alignment.json"):
        entry = done.entry
        (score,) = entry["scores"]["phrases"].values()
        print(f"{entry['row']:36} seed {entry['seed']}  perplexity {score['perplexity']:.1f}"
              f"  unigram {score['unigram']:.1f}  paper {entry['paper']}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
