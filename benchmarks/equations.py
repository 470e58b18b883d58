"""Table 2 of the paper and the controls: does theta help to predict and to write equations?

    python benchmarks/equations.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2] [--rows lstm ..]

Perplexity a token on the test equations, and the share of 5,000 sampled equations (temperature 1,
theta of test contexts, unconstrained) that a LaTeX compiler rejects. Writes
results/equations.json.
"""

from rows import (
    CAT,
    DENSE,
    LSTM,
    MOE,
    OTHER,
    SHUFFLED,
    TD,
    TD_OTHER,
    TE,
    WIDE,
    longer,
    slower,
)
from trained import table

OURS = [LSTM, CAT, TD, TE, MOE, WIDE, OTHER, TD_OTHER, DENSE, SHUFFLED]
LONGER = [longer(row) for row in (LSTM, CAT, TD, TE)]
SLOWER = [slower(row) for row in (LSTM, CAT, TD, TE)]
ROWS = [*OURS, *LONGER, *SLOWER]
SAMPLES = 5_000


def main() -> None:
    """Train what is missing; print a line for each row."""
    for done in table(ROWS, __doc__, syntax=SAMPLES, results="equations.json"):
        entry = done.entry
        (score,) = entry["scores"]["equations"].values()
        (written,) = entry["scores"]["syntax"].values()
        print(
            f"{entry['row']:36} seed {entry['seed']}  perplexity {score['perplexity']:.3f}"
            f"  syntax error {written['error']:.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
