"""The table of the paper's claims in docs/results.md: our difference, its interval, the paper's.

In goes results/claims.json, out comes Markdown, a line for each claim of benchmarks/claims.py.
"""

from statistics import mean

from entries import NOT_RUN, Entry, Group, groups, lines, read

from claims import OURS, SLOWER, Claim  # isort: skip  (entries makes benchmarks importable)
from rows import RATE  # isort: skip

WHOLE, QUARTER, MORE = ("corpus", 50), ("quarter", 50), ("corpus", 100)
SMALL = 0.1  # of the paper's difference: as good as none
MISSING = "not run"


def claims() -> str:
    """Every claim, on both corpora; one that no finished runs answer says so."""
    return _table(OURS)


def slower_claims() -> str:
    """Those that are answered with the paper's learning rate, which the section tells once."""
    own = {claim.name for claim in OURS}  # rows without decoders have one rate only
    found = groups(read("claims"))
    known = {entry["row"] for group in (WHOLE, QUARTER) for entry in found.get(group, [])} - own
    return _table([claim for claim in SLOWER if claim.name in known]).replace(RATE, "")


def _table(chosen: list[Claim]) -> str:
    found = groups(read("claims"))
    heads = ["difference", "the paper", "whole corpus", "a quarter", "does it hold?"]
    return lines(heads, (_row(claim, found) for claim in chosen)) if found else NOT_RUN


def claims_at_100() -> str:
    """Those that are answered with 100 topics."""
    entries = groups(read("claims")).get(MORE, [])
    rows = [
        [claim.name, _paper(claim, [one]), _cell([one]), _verdict([one])]
        for claim in [*OURS, *SLOWER]
        for one in entries
        if one["row"] == claim.name
    ]
    heads = ["difference, K = 100", "the paper", "whole corpus", "does it hold?"]
    return lines(heads, rows) if rows else NOT_RUN


def _row(claim: Claim, found: dict[Group, list[Entry]]) -> list[str]:
    whole, quarter = (
        [entry for entry in found.get(group, []) if entry["row"] == claim.name]
        for group in (WHOLE, QUARTER)
    )
    paper = _paper(claim, [*whole, *quarter])
    return [claim.name, paper, _cell(whole), _cell(quarter), _both(whole, quarter)]


def _paper(claim: Claim, entries: list[Entry]) -> str:
    """The paper's figure, or what else is expected."""
    figures = [_form(e, e["paper"]) + _unit(e) for e in entries if e["paper"] is not None]
    return figures[0] if figures else claim.expected


def _form(entry: Entry, value: float) -> str:
    forms = {"npmi": f"{value:+.4f}", "syntax": f"{100 * value:+.1f}"}
    return forms.get(entry["score"], f"{value:+.1%}")


def _unit(entry: Entry) -> str:
    return " points" if entry["score"] == "syntax" else ""


def _cell(entries: list[Entry]) -> str:
    """One seed with its interval; of several the mean, and all that their intervals span."""
    if not entries:
        return MISSING
    gaps, lows, highs = ([entry[name] for entry in entries] for name in ("gap", "low", "high"))
    gap, low, high = (_form(entries[0], value) for value in (mean(gaps), min(lows), max(highs)))
    many = f", {len(entries)} seeds" if len(entries) > 1 else ""
    return f"{gap} [{low}, {high}]{_unit(entries[0])}{many}"


def _both(whole: list[Entry], quarter: list[Entry]) -> str:
    told = list(dict.fromkeys(_verdict(entries) for entries in (whole, quarter) if entries))
    return "; on a quarter ".join(told)


def _verdict(entries: list[Entry]) -> str:
    """On which side of zero the intervals of the seeds lie.

    >>> _verdict([{"paper": -0.08, "low": -0.05, "high": -0.04}])
    'yes'
    >>> _verdict([{"paper": 0.01, "low": -0.002, "high": 0.003}])
    'no difference seen'
    >>> _verdict([{"paper": 1, "low": -2, "high": 2}, {"paper": 1, "low": -2, "high": -1}])
    'the reverse, not with every seed'
    """
    if entries[0]["paper"] is None:
        return ""
    return _VERDICTS[frozenset(map(_side, entries))]


def _side(entry: Entry) -> int:
    """1 if the interval lies on the paper's side of zero, -1 if on the other, 0 if on neither.

    >>> _side({"paper": 0.01, "low": -0.0004, "high": -0.0001})  # as good as none
    0
    """
    low, high = sorted((entry["low"] / entry["paper"], entry["high"] / entry["paper"]))
    return int(low > 0 and high > SMALL) - int(high < 0 and low < -SMALL)


_VERDICTS = {
    frozenset({1}): "yes",
    frozenset({1, 0}): "not with every seed",
    frozenset({0}): "no difference seen",
    frozenset({-1, 0}): "the reverse, not with every seed",
    frozenset({-1}): "the reverse",
    frozenset({1, -1}): "seeds disagree",
    frozenset({1, 0, -1}): "seeds disagree",
}
