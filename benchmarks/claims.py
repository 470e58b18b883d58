"""What the paper claims and what we find: differences of two rows, each with its interval.

    python benchmarks/claims.py

Compares what the tables of rows have left in results/parts.json and equations.json. Intervals are
95 %: of perplexities by a bootstrap over articles, both rows on the same ones; of NPMI by a
bootstrap over topics, which have begun as the same topic of LDA in both rows; of syntax errors as
of two shares. Writes results/claims.json.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
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
    LSTM_LONG,
    MOE,
    OTHER,
    SHUFFLED,
    TD,
    TD_OTHER,
    TE,
    TE_LONG,
    TE_OWN,
    WIDE,
    Row,
    slower,
)
from trained import RESULTS, commit, keep, read

from topiceq.model.held_out import Likelihood
from topiceq.scores.perplexity import DRAWS, Difference, difference

WIDTH = 1.96  # standard deviations to either side of a 95 % interval
PAPER_SYNTAX = 100  # the number of topics for which the paper counts syntax errors

Entry = dict[str, Any]
Run = tuple[str, int, int]  # corpus, topics, seed
Gap = Callable[[Entry, Entry], Difference]


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
OURS = [
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
    Claim("perplexity", TE_LONG, LSTM_LONG, "as with 8 epochs"),
    Claim("perplexity", MOE, TE, "similar"),
    Claim("perplexity", WIDE, LSTM, "less gain than TE-LSTM"),
    Claim("perplexity", TE, WIDE, "what topics gain beside weights"),
    Claim("perplexity", OTHER, LSTM, "no gain"),
    Claim("perplexity", TE, OTHER, "what theta gains"),
    Claim("perplexity", TD_OTHER, LSTM, "what its gate gains without theta"),
    Claim("perplexity", TD, TD_OTHER, "what theta gains"),
    Claim("perplexity", DENSE, LSTM, "what more a context could tell"),
    Claim("syntax", CAT, LSTM),
    Claim("syntax", TD, LSTM),
    Claim("syntax", TE, LSTM),
    Claim("phrases", ALIGNED, ALONE),
]
SLOWER = [
    replace(claim, row=slower(claim.row), other=slower(claim.other))
    for claim in OURS
    if claim.row != TE_OWN  # which has that rate
]
CLAIMS = [*OURS, *SLOWER]


def of_npmi(ours: Entry, other: Entry) -> Difference:
    """Of the mean over topics."""
    gaps = np.subtract(ours["npmi"], other["npmi"])
    drawn = np.random.default_rng(0).integers(len(gaps), size=(DRAWS, len(gaps)))
    low, high = np.quantile(gaps[drawn].mean(1), [0.025, 0.975])
    return Difference(float(gaps.mean()), float(low), float(high))


def of_perplexity(ours: Entry, other: Entry) -> Difference:
    """Of the one decoder's perplexity, as a share."""
    a, b = (Likelihood(**_arrays(entry["articles"])) for entry in (ours, other))
    return difference(a, b, np.arange(len(a.size)))


def _arrays(lists: dict[str, list[float]]) -> dict[str, Any]:
    return {name: np.array(values) for name, values in lists.items()}


def of_syntax(ours: Entry, other: Entry) -> Difference:
    """Of the shares of sampled equations that are rejected."""
    found = [next(iter(entry["scores"]["syntax"].values())) for entry in (ours, other)]
    return of_shares(*((one["error"], one["sampled"]) for one in found))


def of_shares(ours: tuple[float, int], other: tuple[float, int]) -> Difference:
    """Of two shares, each of so many.

    >>> of_shares((0.1, 100), (0.2, 100))
    Difference(gap=-0.1, low=-0.198, high=-0.002)
    """
    gap = ours[0] - other[0]
    wide = WIDTH * sum(share * (1 - share) / count for share, count in (ours, other)) ** 0.5
    return Difference(*(round(value, 6) for value in (gap, gap - wide, gap + wide)))


GAPS: dict[str, tuple[str, Gap]] = {  # which part of an entry it takes, and what it makes of it
    "npmi": ("npmi", of_npmi),
    "perplexity": ("articles", of_perplexity),
    "syntax": ("scores", of_syntax),
    "phrases": ("articles", of_perplexity),
}


def paper_gap(claim: Claim, topics: int) -> float | None:
    """The paper's difference in the same terms, if it has figures for both rows."""
    topics = PAPER_SYNTAX if claim.score == "syntax" else topics
    a, b = (row.paper(topics).get(claim.score) for row in (claim.row, claim.other))
    if a is None or b is None:
        return None
    return a - b if claim.score in ("npmi", "syntax") else a / b - 1


def answer(claim: Claim, ours: Entry, other: Entry) -> Entry | None:
    """What the results say of a claim, if they can."""
    part, gap = GAPS[claim.score]
    if part not in ours or part not in other:
        return None
    same = {name: ours[name] for name in ("corpus", "topics", "seed", "corpus_digest")}
    made = {"command": "python benchmarks/claims.py", "commit": commit()}
    found = {"score": claim.score, "paper": paper_gap(claim, ours["topics"])}
    return {"row": claim.name} | same | made | found | asdict(gap(ours, other))


def entries() -> dict[Run, dict[str, Entry]]:
    """What is known of each row, by corpus, topics and seed."""
    found: dict[Run, dict[str, Entry]] = defaultdict(lambda: defaultdict(dict))
    for file in ("equations", "parts"):
        for entry in read(RESULTS / f"{file}.json"):
            rows = found[entry["corpus"], entry["topics"], entry["seed"]]
            rows[entry["row"]] |= entry
    return found


def main() -> None:
    """Answer what can be answered."""
    for rows in entries().values():
        for claim in CLAIMS:
            found = answer(claim, rows.get(claim.row.name, {}), rows.get(claim.other.name, {}))
            if found:
                keep(RESULTS / "claims.json", [found])
                print("{row}, {corpus}, K {topics}, seed {seed}: {gap:+.4f} [{low:+.4f}, "
                      "{high:+.4f}], the paper {paper}".format(**found), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
