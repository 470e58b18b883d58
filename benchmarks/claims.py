"""What the paper claims and what we find: differences of two rows, each with its interval.

    python benchmarks/claims.py

Compares what the tables of rows have left in results/parts.json and equations.json. Intervals are
95 %: of perplexities by a bootstrap over articles, both rows on the same ones; of NPMI by a
bootstrap over topics, which have begun as the same topic of LDA in both rows; of syntax errors as
of two shares. Several seeds are taken together: an article's equations are then those of all seeds.
Writes results/claims.json.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from rows import (
    ALIGNED,
    ALIGNED_OTHER,
    ALONE,
    BOW,
    CAT,
    CONTEXT,
    DENSE,
    LDA,
    LSTM,
    MIXTURE,
    MOE,
    ONE_SYMBOL,
    OTHER,
    SHUFFLED,
    TD,
    TD_OTHER,
    TE,
    WIDE,
    Row,
    longer,
    scratch,
)
from trained import RESULTS, commit, read, write

from topiceq.model.held_out import Likelihood
from topiceq.scores.perplexity import DRAWS, Difference, difference

WIDTH = 1.96  # standard deviations to either side of a 95 % interval
PAPER_SYNTAX = 100  # the number of topics for which the paper counts syntax errors

Entry = dict[str, Any]
Seeds = dict[int, Entry]  # what is known of a row, by seed
Gap = Callable[[list[Entry], list[Entry]], Difference]  # of two rows, each with these seeds


@dataclass(frozen=True)
class Claim:
    """One row against another: what the paper says of it, or what a control is to show."""

    score: str
    row: Row
    other: Row
    question: str = ""  # of a control, for which the paper has no figure

    @property
    def name(self) -> str:
        """As the table calls it."""
        return f"{SCORES[self.score]}, {self.row.name} against {self.other.name}"

    def of(self, change: Callable[[Row], Row]) -> "Claim":
        """The same of rows that are trained in another way."""
        return replace(self, row=change(self.row), other=change(self.other))


SCORES = {
    "npmi": "NPMI",
    "perplexity": "equation perplexity",
    "syntax": "syntax errors",
    "phrases": "phrase perplexity",
}
PAPER = [
    Claim("npmi", BOW, CONTEXT),
    Claim("npmi", TE, BOW),
    Claim("npmi", TE, SHUFFLED),
    Claim("npmi", ALIGNED, CONTEXT),
    Claim("perplexity", CAT, LSTM),
    Claim("perplexity", TD, CAT),
    Claim("perplexity", TE, TD),
    Claim("perplexity", TD, LSTM),
    Claim("perplexity", TE, LSTM),
    Claim("syntax", CAT, LSTM),
    Claim("syntax", TD, LSTM),
    Claim("syntax", TE, LSTM),
    Claim("phrases", ALIGNED, ALONE),
]
CONTROLS = [
    Claim("npmi", CONTEXT, LDA, "what do topics gain on LDA without equations?"),
    Claim("npmi", TE, CONTEXT, "do equations change the topics at all?"),
    Claim("perplexity", OTHER, LSTM, "does a theta that tells nothing gain?"),
    Claim("perplexity", TE, OTHER, "what does the right theta gain?"),
    Claim("perplexity", WIDE, LSTM, "do as many weights gain?"),
    Claim("perplexity", TE, WIDE, "what does theta gain beside weights?"),
    Claim("perplexity", TD_OTHER, LSTM, "what does TD-LSTM's gate gain without theta?"),
    Claim("perplexity", TD, TD_OTHER, "what does the right theta gain?"),
    Claim("syntax", TD_OTHER, LSTM, "and in syntax errors?"),
    Claim("syntax", TD, TD_OTHER, "and in syntax errors?"),
    Claim("perplexity", DENSE, LSTM, "what does a context tell without topics?"),
    Claim("perplexity", TE, DENSE, "do topics tell more than that?"),
    Claim("perplexity", longer(LSTM), LSTM, "what do twice the epochs gain?"),
    Claim("perplexity", longer(TE), TE, "what do twice the epochs gain?"),
    Claim("perplexity", longer(TE), longer(LSTM), "does the gain last?"),
    Claim("syntax", longer(TE), longer(LSTM), "and in syntax errors?"),
    Claim("perplexity", MOE, TE, "are they alike, as the paper says?"),
    Claim("phrases", ALIGNED_OTHER, ALONE, "does a theta that tells nothing gain?"),
    Claim("phrases", ALIGNED, ALIGNED_OTHER, "what does the right theta gain?"),
    Claim("phrases", MIXTURE, ONE_SYMBOL, "what do symbols tell beside theta?"),
]
LONGER = [claim.of(longer) for claim in PAPER if claim.score in ("perplexity", "syntax")]
SCRATCH = [
    Claim("npmi", BOW, CONTEXT).of(scratch),
    Claim("npmi", TE, BOW).of(scratch),
    Claim("npmi", TE, CONTEXT).of(scratch),
]
CLAIMS = list({one.name: one for one in (*PAPER, *LONGER, *CONTROLS, *SCRATCH)}.values())
FREE = {row.name for row in (LSTM, ALONE)}  # without theta, so the same for any number of topics


def of_npmi(ours: list[Entry], other: list[Entry]) -> Difference:
    """Of the mean over topics."""
    a, b = (np.concatenate([entry["npmi"] for entry in entries]) for entries in (ours, other))
    gaps = a - b
    drawn = np.random.default_rng(0).integers(len(gaps), size=(DRAWS, len(gaps)))
    low, high = np.quantile(gaps[drawn].mean(1), [0.025, 0.975])
    return Difference(float(gaps.mean()), float(low), float(high))


def of_perplexity(ours: list[Entry], other: list[Entry]) -> Difference:
    """Of the one decoder's perplexity, as a share."""
    a, b = (_articles(entries) for entries in (ours, other))
    return difference(a, b, np.arange(len(a.size)))


def _articles(entries: list[Entry]) -> Likelihood:
    """Of each article, added up over seeds."""
    log_prob, size = (
        np.sum([entry["articles"][name] for entry in entries], axis=0)
        for name in ("log_prob", "size")
    )
    return Likelihood(log_prob, size)


def of_syntax(ours: list[Entry], other: list[Entry]) -> Difference:
    """Of the shares of sampled equations that are rejected."""
    return of_shares(_rejected(ours), _rejected(other))


def _rejected(entries: list[Entry]) -> tuple[float, int]:
    """Which share, of how many."""
    found = [next(iter(entry["scores"]["syntax"].values())) for entry in entries]
    count = sum(one["sampled"] for one in found)
    return sum(one["error"] * one["sampled"] for one in found) / count, count


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


def answer(claim: Claim, ours: Seeds, other: Seeds) -> Entry | None:
    """What the results say of a claim, if they can: by the seeds that both rows have."""
    part, gap = GAPS[claim.score]
    seeds = sorted(s for s in ours.keys() & other.keys() if part in ours[s] and part in other[s])
    if not seeds:
        return None
    same = {name: ours[seeds[0]][name] for name in ("corpus", "topics", "corpus_digest")}
    made = {"command": "python benchmarks/claims.py", "commit": commit()}
    told = {"score": claim.score, "paper": paper_gap(claim, same["topics"])}
    found = asdict(gap([ours[s] for s in seeds], [other[s] for s in seeds]))
    gaps = [gap([ours[s]], [other[s]]).gap for s in seeds]
    return {"row": claim.name} | same | made | told | found | {"seeds": seeds, "gaps": gaps}


def entries() -> dict[tuple[str, int], dict[str, Seeds]]:
    """What is known of each row, by corpus and topics."""
    found: dict[tuple[str, int], dict[str, Seeds]] = defaultdict(lambda: defaultdict(dict))
    for file in ("equations", "parts"):
        for entry in read(RESULTS / f"{file}.json"):
            seeds = found[entry["corpus"], entry["topics"]][entry["row"]]
            seeds[entry["seed"]] = seeds.get(entry["seed"], {}) | entry
    return found


def _free(known: dict[tuple[str, int], dict[str, Seeds]], corpus: str) -> dict[str, Seeds]:
    """The rows of a corpus that are the same for any number of topics."""
    of_corpus = [rows for (name, _), rows in known.items() if name == corpus]
    return {name: rows[name] for rows in of_corpus for name in FREE & rows.keys()}


def answers() -> Iterator[Entry]:
    """All that can be answered."""
    known = entries()
    for (corpus, _), rows in known.items():
        others = _free(known, corpus) | rows
        for claim in CLAIMS:
            found = answer(claim, rows.get(claim.row.name, {}), others.get(claim.other.name, {}))
            if found:
                print("{row}, {corpus}, K {topics}, seeds {seeds}: {gap:+.4f} [{low:+.4f}, "
                      "{high:+.4f}], the paper {paper}".format(**found), flush=True)  # fmt: skip
                yield found


def main() -> None:
    """Answer, and keep the answers."""
    write(RESULTS / "claims.json", answers())


if __name__ == "__main__":
    main()
