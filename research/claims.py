"""What the paper claims and what we find: differences of two rows, each with its interval.

In goes what the tables of rows have left, out come results/claims.json and the tables of claims of
docs/results.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from research.entries import NOT_RUN, Entry, Group, groups, lines, made, read, write
from research.rows import (
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
from topiceq.model.held_out import Likelihood
from topiceq.scores.perplexity import DRAWS, Difference, difference

WIDTH = 1.96  # standard deviations to either side of a 95 % interval
PAPER_SYNTAX = 100  # the number of topics for which the paper counts syntax errors
WHOLE, QUARTER, MORE = ("corpus", 50), ("quarter", 50), ("corpus", 100)
SMALL = 0.1  # of the paper's difference: as good as none

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
CLAIMS = {claim.name: claim for claim in (*PAPER, *LONGER, *CONTROLS, *SCRATCH)}.values()
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
    scores = [next(iter(entry["scores"]["syntax"].values())) for entry in entries]
    count = sum(score["sampled"] for score in scores)
    return sum(score["error"] * score["sampled"] for score in scores) / count, count


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
    about = {"score": claim.score, "paper": paper_gap(claim, same["topics"])}
    found = asdict(gap([ours[s] for s in seeds], [other[s] for s in seeds]))
    gaps = [gap([ours[s]], [other[s]]).gap for s in seeds]
    return {"row": claim.name} | same | made() | about | found | {"seeds": seeds, "gaps": gaps}


def entries() -> dict[Group, dict[str, Seeds]]:
    """What is known of each row, by corpus and topics."""
    found: dict[Group, dict[str, Seeds]] = defaultdict(lambda: defaultdict(dict))
    for file in ("equations", "parts"):
        for entry in read(file):
            seeds = found[entry["corpus"], entry["topics"]][entry["row"]]
            seeds[entry["seed"]] = seeds.get(entry["seed"], {}) | entry
    return found


def answers() -> Iterator[Entry]:
    """All that can be answered."""
    known = entries()
    for (corpus, _), rows in known.items():
        of_corpus = [rows for (name, _), rows in known.items() if name == corpus]
        free = {name: rows[name] for rows in of_corpus for name in FREE & rows.keys()}
        others = free | rows
        for claim in CLAIMS:
            found = answer(claim, rows.get(claim.row.name, {}), others.get(claim.other.name, {}))
            if found:
                print("{row}, {corpus}, K {topics}, seeds {seeds}: {gap:+.4f} [{low:+.4f}, "
                      "{high:+.4f}], the paper {paper}".format(**found), flush=True)  # fmt: skip
                yield found


def claims() -> None:
    """What the paper claims and what we find: differences of two rows, each with its interval.

    Compares what the tables of rows have left in results/parts.json and equations.json. Intervals
    are 95 %: of perplexities by a bootstrap over articles, both rows on the same ones; of NPMI by a
    bootstrap over topics, which have begun as the same topic of LDA in both rows; of syntax errors
    as of two shares. Several seeds are taken together: an article's equations are then those of all
    seeds. Writes results/claims.json.
    """
    write("claims", list(answers()))


# -- on the page --------------------------------------------------------------------------------


def claims_shown() -> str:
    """What the paper claims, on both corpora; what no finished runs answer says so."""
    found = groups(read("claims"))
    heads = ["difference", "the paper", "whole corpus", "the same, 16 epochs", "a quarter",
             "its seeds", "does it hold?"]  # fmt: skip
    return lines(heads, (_row(claim, found) for claim in PAPER)) if found else NOT_RUN


def controls_shown() -> str:
    """What our controls show."""
    found = groups(read("claims"))
    heads = ["question", "difference", "whole corpus", "a quarter", "its seeds"]
    rows = ([claim.question, claim.name, *_cells(_both(claim, found))] for claim in CONTROLS)
    return lines(heads, rows) if found else NOT_RUN


def scratch_shown() -> str:
    """What equations change in topics that do not start from LDA's."""
    found = {entry["row"]: entry for entry in groups(read("claims")).get(WHOLE, [])}
    rows = [
        [claim.name, _figure(entry, entry["paper"]), _cell(entry), _seeds(entry)]
        for claim in SCRATCH
        if (entry := found.get(claim.name))
    ]
    heads = ["difference", "the paper", "whole corpus", "its seeds"]
    return lines(heads, rows)


def claims_at_100_shown() -> str:
    """Those that are answered with 100 topics."""
    entries = groups(read("claims")).get(MORE, [])
    rows = [
        [claim.name, _figure(entry, entry["paper"]), _cell(entry), _verdict(entry)]
        for claim in PAPER
        for entry in entries
        if entry["row"] == claim.name
    ]
    heads = ["difference, K = 100", "the paper", "whole corpus", "does it hold?"]
    return lines(heads, rows)


def _row(claim: Claim, known: dict[Group, list[Entry]]) -> list[str]:
    whole, quarter = _both(claim, known)
    twice, later = _both(claim.of(longer), known)
    judged = [entry for entry in (twice or whole, later or quarter) if entry]
    paper = _figure(judged[0], judged[0]["paper"]) if judged else ""
    ours, *apart = _cells([whole, quarter])
    verdict = "; on a quarter ".join(dict.fromkeys(_verdict(entry) for entry in judged))
    return [claim.name, paper, ours, _cell(twice) if twice else "", *apart, verdict]


def _both(claim: Claim, known: dict[Group, list[Entry]]) -> list[Entry | None]:
    """What is known of a claim on the whole corpus and on a quarter."""
    return [
        next((entry for entry in known.get(group, []) if entry["row"] == claim.name), None)
        for group in (WHOLE, QUARTER)
    ]


def _cells(both: list[Entry | None]) -> list[str]:
    """The differences with their intervals, and how far the quarter's seeds lie apart."""
    return [*(_cell(entry) if entry else "not run" for entry in both), _seeds(both[1])]


def _form(entry: Entry, value: float) -> str:
    forms = {"npmi": f"{value:+.4f}", "syntax": f"{100 * value:+.1f}"}
    return forms.get(entry["score"], f"{value:+.1%}")


def _figure(entry: Entry, value: float) -> str:
    return _form(entry, value) + _unit(entry)


def _unit(entry: Entry) -> str:
    return " points" if entry["score"] == "syntax" else ""


def _cell(entry: Entry) -> str:
    """The difference and its interval."""
    gap, low, high = (_form(entry, entry[name]) for name in ("gap", "low", "high"))
    return f"{gap} [{low}, {high}]{_unit(entry)}"


def _seeds(entry: Entry | None) -> str:
    """The smallest and the largest difference of one seed."""
    if entry is None:
        return ""
    if len(entry["gaps"]) == 1:
        return "one seed"
    least, most = (_form(entry, end(entry["gaps"])) for end in (min, max))
    return f"{least} to {most}"


def _verdict(entry: Entry) -> str:
    """On which side of zero the interval lies, and whether every seed is on that side.

    Syntax errors vary so much with the seed that one seed does not settle anything.

    >>> entry = {"score": "perplexity", "paper": -0.08, "low": -0.05, "high": -0.04}
    >>> _verdict(entry | {"gaps": [-0.06, -0.03]})
    'yes'
    >>> _verdict(entry | {"high": 0.01, "gaps": [-0.03]})
    'no difference seen'
    >>> _verdict(entry | {"paper": 0.08, "gaps": [-0.06, 0.02]})
    'the reverse, not with every seed'
    >>> _verdict(entry | {"score": "syntax", "gaps": [-0.06]})
    'one seed, not settled'
    """
    if entry["score"] == "syntax" and len(entry["gaps"]) == 1:
        return "one seed, not settled"
    side = _side(entry)
    agree = all(gap * entry["paper"] * side > 0 for gap in entry["gaps"])
    return _VERDICTS[side] + ("" if agree or not side else ", not with every seed")


def _side(entry: Entry) -> int:
    """1 if the interval lies on the paper's side of zero, -1 if on the other, 0 if on neither.

    >>> _side({"paper": 0.01, "low": -0.0004, "high": -0.0001})  # as good as none
    0
    """
    low, high = sorted((entry["low"] / entry["paper"], entry["high"] / entry["paper"]))
    return int(low > 0 and high > SMALL) - int(high < 0 and low < -SMALL)


_VERDICTS = {1: "yes", 0: "no difference seen", -1: "the reverse"}
