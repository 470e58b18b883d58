"""Table 1 of the paper: does reading equations make topics more coherent?

    python benchmarks/coherence.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2] [--rows lda ..]

NPMI on the test contexts (window of 20 words, top 5 to 20), and how many words are distinct. Most
rows start from LDA's topics; some from scratch. One asks whether more is gained if equations weigh
20 times as much in theta.
Writes results/coherence.json.
"""

from rows import ALIGNED, BOW, CONTEXT, HEAVY, LDA, SHUFFLED, TE, scratch
from trained import table

STARTED = [LDA, CONTEXT, BOW, TE, SHUFFLED, ALIGNED, HEAVY]
SCRATCH = [scratch(row) for row in (CONTEXT, BOW, TE)]
ROWS = [*STARTED, *SCRATCH]


def main() -> None:
    """Train what is missing; print a line for each row."""
    for done in table(ROWS, __doc__, results="coherence.json"):
        entry = done.entry
        scores, paper = entry["scores"]["coherence"], entry["paper"].get("npmi")
        print(f"{entry['row']:36} seed {entry['seed']}  NPMI {scores['npmi_win20_top5_20']:.4f}"
              f"  distinct {scores['distinct_top10']:.2f}  paper {paper}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
