"""The table of the paper's claims in docs/results.md: our difference, its interval, the paper's.

In goes results/claims.json, out comes Markdown, a line for each claim of benchmarks/claims.py.
"""

from entries import NOT_RUN, Entry, Group, groups, lines, read

from claims import CONTROLS, PAPER, SCRATCH, Claim  # isort: skip  (entries adds its folder to the path)
from rows import longer  # isort: skip

WHOLE, QUARTER, MORE = ("corpus", 50), ("quarter", 50), ("corpus", 100)
SMALL = 0.1  # of the paper's difference: as good as none
MISSING = "not run"


def claims() -> str:
    """What the paper claims, on both corpora; what no finished runs answer says so."""
    found = groups(read("claims"))
    heads = ["difference", "the paper", "whole corpus", "the same, 16 epochs", "a quarter",
             "its seeds", "does it hold?"]  # fmt: skip
    return lines(heads, (_row(claim, found) for claim in PAPER)) if found else NOT_RUN


def controls() -> str:
    """What our controls show."""
    found = groups(read("claims"))
    heads = ["question", "difference", "whole corpus", "a quarter", "its seeds"]
    rows = ([claim.question, claim.name, *_cells(_both(claim, found))] for claim in CONTROLS)
    return lines(heads, rows) if found else NOT_RUN


def from_scratch() -> str:
    """What equations change in topics that do not start from LDA's."""
    found = {entry["row"]: entry for entry in groups(read("claims")).get(WHOLE, [])}
    rows = [
        [claim.name, _figure(one, one["paper"]), _cell(one), _seeds(one)]
        for claim in SCRATCH
        if (one := found.get(claim.name))
    ]
    heads = ["difference", "the paper", "whole corpus", "its seeds"]
    return lines(heads, rows) if rows else NOT_RUN


def claims_at_100() -> str:
    """Those that are answered with 100 topics."""
    entries = groups(read("claims")).get(MORE, [])
    rows = [
        [claim.name, _figure(one, one["paper"]), _cell(one), _verdict(one)]
        for claim in PAPER
        for one in entries
        if one["row"] == claim.name
    ]
    heads = ["difference, K = 100", "the paper", "whole corpus", "does it hold?"]
    return lines(heads, rows) if rows else NOT_RUN


def _row(claim: Claim, found: dict[Group, list[Entry]]) -> list[str]:
    whole, quarter = _both(claim, found)
    twice, later = _both(claim.of(longer), found)
    known = [entry for entry in (twice or whole, later or quarter) if entry]
    paper = _figure(known[0], known[0]["paper"]) if known else ""
    told = dict.fromkeys(_verdict(entry) for entry in known)
    ours, *apart = _cells([whole, quarter])
    verdict = "; on a quarter ".join(told)
    return [claim.name, paper, ours, _cell(twice) if twice else "", *apart, verdict]


def _both(claim: Claim, found: dict[Group, list[Entry]]) -> list[Entry | None]:
    """What is known of a claim on the whole corpus and on a quarter."""
    return [
        next((entry for entry in found.get(group, []) if entry["row"] == claim.name), None)
        for group in (WHOLE, QUARTER)
    ]


def _cells(both: list[Entry | None]) -> list[str]:
    """The differences with their intervals, and how far the quarter's seeds lie apart."""
    return [*(_cell(entry) if entry else MISSING for entry in both), _seeds(both[1])]


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
