"""Do the topics of one seed come back with another?

    python benchmarks/stability.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2]

Of rows whose runs are finished, every two seeds: topics are matched one to one by their top ten
words. Writes results/stability.json.
"""

from functools import partial
from itertools import combinations

from rows import BOW, CONTEXT, LDA, TE
from trained import RESULTS, arguments, finished, identity, keep

from topiceq import Corpus
from topiceq.model.topics import ranked_words
from topiceq.scores.stability import stability

ROWS = [LDA, CONTEXT, BOW, TE]


def main() -> None:
    """Compare what is there."""
    told = arguments(__doc__).parse_args()
    corpus = Corpus.load(told.corpus)
    for row in ROWS:
        find = partial(finished, row, corpus, told.runs, topics=told.topics, dropout=told.dropout)
        runs = [done for seed in told.seeds if (done := find(seed=seed))]
        if len(runs) < 2:
            continue
        words = [ranked_words(done.run().model) for done in runs]
        found = [stability(one, other) for one, other in combinations(words, 2)]
        entry = identity(row.name, runs[0]) | {
            "seed": None,  # a row has one entry, whichever its seeds
            "seeds": [done.entry["seed"] for done in runs],
            "matched": [one.matched for one in found],
            "overlap": [one.overlap for one in found],
        }
        keep(RESULTS / "stability.json", [entry])
        print(f"{row.name:20} matched {entry['matched']}  overlap {entry['overlap']}", flush=True)


if __name__ == "__main__":
    main()
