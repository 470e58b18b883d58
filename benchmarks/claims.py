"""What the paper claims and what we find: differences of two rows, each with its interval.

    python benchmarks/claims.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2]

Only runs that are finished are compared, nothing is trained. Intervals are 95 %: of perplexities
by a bootstrap over articles, both rows on the same ones; of NPMI by a bootstrap over topics, which
have begun as the same topic of LDA in both rows; of syntax errors as of two shares. Writes
results/claims.json.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from rows import (
    ALIGNED,
    ALONE,
    BOW,
    CAT,
    CONTEXT,
    CONTEXT_OWN,
    DENSE,
    LDA,
    LSTM,
    MOE,
    OTHER,
    SHUFFLED,
    TD,
    TD_OTHER,
    TE,
    TE_OWN,
    WIDE,
    Row,
)
from trained import RESULTS, Trained, arguments, finished, identity, keep

from topiceq import Corpus
from topiceq.model.held_out import Likelihood
from topiceq.model.topics import ranked_words
from topiceq.scores.coherence import topic_npmi
from topiceq.scores.perplexity import DRAWS, Difference, difference

WIDTH = 1.96  # standard deviations to either side of a 95 % interval
PAPER_SYNTAX = 100  # the number of topics for which the paper counts syntax errors

Gap = Callable[[Trained, Trained, Corpus], Difference]


@dataclass(frozen=True)
class Claim:
    """One row over another: what the paper says of it, or what a control must show."""

    score: str
    row: Row
    other: Row
    expected: str = ""  # where the paper has no figure

    @property
    def name(self) -> str:
        """As the table calls it."""
        return f"{SCORES[self.score]}, {self.row.name} over {self.other.name}"


SCORES = {
    "npmi": "NPMI",
    "perplexity": "equation perplexity",
    "syntax": "syntax errors",
    "phrases": "phrase perplexity",
}
CLAIMS = [
    Claim("npmi", BOW, CONTEXT),
    Claim("npmi", TE, BOW),
    Claim("npmi", TE, SHUFFLED),
    Claim("npmi", TE, LDA),
    Claim("npmi", ALIGNED, CONTEXT),
    Claim("npmi", TE_OWN, CONTEXT_OWN, "if LDA's start hides the gain"),
    Claim("perplexity", CAT, LSTM),
    Claim("perplexity", TD, CAT),
    Claim("perplexity", TE, TD),
    Claim("perplexity", TD, LSTM),
    Claim("perplexity", TE, LSTM),
    Claim("perplexity", MOE, TE, "similar"),
    Claim("perplexity", WIDE, LSTM, "less gain than TE-LSTM"),
    Claim("perplexity", OTHER, LSTM, "no gain"),
    Claim("perplexity", TD_OTHER, LSTM, "what its gates gain without theta"),
    Claim("perplexity", DENSE, TE, "what more a context could tell"),
    Claim("syntax", CAT, LSTM),
    Claim("syntax", TD, LSTM),
    Claim("syntax", TE, LSTM),
    Claim("phrases", ALIGNED, ALONE),
]


def of_npmi(ours: Trained, other: Trained, corpus: Corpus) -> Difference:
    """Of the mean over topics."""
    gaps = npmi_of(ours, corpus) - npmi_of(other, corpus)
    drawn = np.random.default_rng(0).integers(len(gaps), size=(DRAWS, len(gaps)))
    low, high = np.quantile(gaps[drawn].mean(1), [0.025, 0.975])
    return Difference(float(gaps.mean()), float(low), float(high))


def npmi_of(done: Trained, corpus: Corpus) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The NPMI of each topic on the test contexts."""
    return topic_npmi(ranked_words(done.run().model), corpus.test.encoded.order)


def of_perplexity(ours: Trained, other: Trained, corpus: Corpus) -> Difference:
    """Of the one decoder's perplexity, as a share."""
    articles = np.asarray(corpus.test.encoded.articles)
    return difference(_likelihood(ours), _likelihood(other), articles)


def _likelihood(done: Trained) -> Likelihood:
    (found,) = (one for name, one in done.likelihoods().items() if name != "words")
    return found


def of_syntax(ours: Trained, other: Trained, _: Corpus) -> Difference:
    """Of the shares of sampled equations that are rejected."""
    found = [next(iter(done.entry["scores"]["syntax"].values())) for done in (ours, other)]
    return of_shares(*((one["error"], one["sampled"]) for one in found))


def of_shares(ours: tuple[float, int], other: tuple[float, int]) -> Difference:
    """Of two shares, each of so many.

    >>> of_shares((0.1, 100), (0.2, 100))
    Difference(gap=-0.1, low=-0.198, high=-0.002)
    """
    gap = ours[0] - other[0]
    wide = WIDTH * sum(share * (1 - share) / count for share, count in (ours, other)) ** 0.5
    return Difference(*(round(value, 6) for value in (gap, gap - wide, gap + wide)))


GAPS: dict[str, Gap] = {
    "npmi": of_npmi,
    "perplexity": of_perplexity,
    "syntax": of_syntax,
    "phrases": of_perplexity,
}


def paper_gap(claim: Claim, ours: Trained, other: Trained) -> float | None:
    """The paper's difference in the same terms, if it has figures for both rows."""
    topics = PAPER_SYNTAX if claim.score == "syntax" else ours.entry["topics"]
    figures = [done.row.paper(topics).get(claim.score) for done in (ours, other)]
    if None in figures:
        return None
    a, b = figures
    return a - b if claim.score in ("npmi", "syntax") else a / b - 1


def answer(claim: Claim, ours: Trained, other: Trained, corpus: Corpus) -> dict[str, Any]:
    """What the results say of a claim."""
    found = asdict(GAPS[claim.score](ours, other, corpus))
    paper = paper_gap(claim, ours, other)
    return identity(claim.name, ours) | {"score": claim.score, "paper": paper} | found


def main() -> None:
    """Answer what can be answered."""
    told = arguments(__doc__).parse_args()
    corpus = Corpus.load(told.corpus)
    for seed in told.seeds:
        find = partial(finished, corpus=corpus, runs=told.runs, topics=told.topics, seed=seed)
        for claim in CLAIMS:
            ours, other = find(claim.row), find(claim.other)
            if ours and other:
                found = answer(claim, ours, other, corpus)
                keep(RESULTS / "claims.json", [found])
                print(f"{claim.name}, seed {seed}: {found['gap']:+.4f} "
                      f"[{found['low']:+.4f}, {found['high']:+.4f}], the paper {found['paper']}",
                      flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
