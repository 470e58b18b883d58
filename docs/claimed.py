"""The table of the paper's claims in docs/results.md: our difference, its interval, the paper's.

In goes results/claims.json, out comes Markdown, a line for each claim of benchmarks/claims.py. One
that no finished runs answer says so.
"""

import sys
from statistics import mean

from entries import BENCHMARKS, NOT_RUN, Entry, Group, groups, lines, read

sys.path.append(str(BENCHMARKS))
from claims import CLAIMS, Claim

WHOLE, QUARTER = ("corpus", 50), ("quarter", 50)
SMALL = 0.1  # of the paper's difference: as good as none
MISSING = "not run"


def claims() -> str:
    """Every claim, on both corpora."""
    found = groups(read("claims"))
    heads = ["difference", "the paper", "whole corpus", "a quarter", "does it hold?"]
    return lines(heads, (_row(claim, found) for claim in CLAIMS)) if found else NOT_RUN


def _row(claim: Claim, found: dict[Group, list[Entry]]) -> list[str]:
    whole, quarter = (
        [entry for entry in found.get(group, []) if entry["row"] == claim.name]
        for group in (WHOLE, QUARTER)
    )
    figures = [_form(e, e["paper"]) for e in [*whole, *quarter] if e["paper"] is not None]
    paper = figures[0] if figures else claim.expected
    return [claim.name, paper, _cell(whole), _cell(quarter), _both(whole, quarter)]


def _form(entry: Entry, value: float) -> str:
    return f"{value:+.4f}" if entry["score"] == "npmi" else f"{value:+.1%}"


def _cell(entries: list[Entry]) -> str:
    """One seed with its interval; of several the mean, and all that their intervals span."""
    if not entries:
        return MISSING
    gaps, lows, highs = ([entry[name] for entry in entries] for name in ("gap", "low", "high"))
    gap, low, high = (_form(entries[0], value) for value in (mean(gaps), min(lows), max(highs)))
    many = f", {len(entries)} seeds" if len(entries) > 1 else ""
    return f"{gap} [{low}, {high}]{many}"


def _both(whole: list[Entry], quarter: list[Entry]) -> str:
    told = list(dict.fromkeys(_verdict(entries) for entries in (whole, quarter) if entries))
    return "; on a quarter ".join(told)


def _verdict(entries: list[Entry]) -> str:
    """Whether every seed's interval lies on the paper's side of zero.

    >>> _verdict([{"paper": -0.08, "low": -0.05, "high": -0.04}])
    'yes'
    >>> _verdict([{"paper": 0.01, "low": -0.002, "high": 0.003}])
    'no difference seen'
    >>> _verdict([{"paper": 0.01, "low": -0.0004, "high": -0.0001}])
    'no difference seen'
    """
    paper = entries[0]["paper"]
    if paper is None:
        return ""
    ends = [sorted((entry["low"] / paper, entry["high"] / paper)) for entry in entries]
    if all(low > 0 and high > SMALL for low, high in ends):
        return "yes"
    against = all(high < 0 and low < -SMALL for low, high in ends)
    return "the reverse" if against else "no difference seen"
