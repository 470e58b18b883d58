"""The table of the paper's claims in docs/results.md: our difference, its interval, the paper's.

In goes results/claims.json, out comes Markdown, a line for each claim of benchmarks/claims.py.
"""

from entries import NOT_RUN, Entry, Group, groups, lines, read

from claims import OURS, SLOWER, Claim  # isort: skip  (entries makes benchmarks importable)

WHOLE, QUARTER, MORE = ("corpus", 50), ("quarter", 50), ("corpus", 100)
SMALL = 0.1  # of the paper's difference: as good as none
MISSING = "not run"


def claims() -> str:
    """Every claim, on both corpora; one that no finished runs answer says so."""
    found = groups(read("claims"))
    known = {entry["row"] for group in (WHOLE, QUARTER) for entry in found.get(group, [])}
    chosen = [*OURS, *(claim for claim in SLOWER if claim.name in known)]
    heads = ["difference", "the paper", "whole corpus", "a quarter", "does it hold?"]
    return lines(heads, (_row(claim, found) for claim in chosen)) if found else NOT_RUN


def claims_at_100() -> str:
    """Those that are answered with 100 topics."""
    entries = groups(read("claims")).get(MORE, [])
    rows = [
        [claim.name, _paper(claim, one), _cell(one), _verdict(one)]
        for claim in [*OURS, *SLOWER]
        for one in entries
        if one["row"] == claim.name
    ]
    heads = ["difference, K = 100", "the paper", "whole corpus", "does it hold?"]
    return lines(heads, rows) if rows else NOT_RUN


def _row(claim: Claim, found: dict[Group, list[Entry]]) -> list[str]:
    both = [
        next((entry for entry in found.get(group, []) if entry["row"] == claim.name), None)
        for group in (WHOLE, QUARTER)
    ]
    known = [entry for entry in both if entry]
    cells = [_cell(entry) if entry else MISSING for entry in both]
    paper = _paper(claim, known[0]) if known else claim.expected
    told = dict.fromkeys(_verdict(entry) for entry in known)
    return [claim.name, paper, *cells, "; on a quarter ".join(told)]


def _paper(claim: Claim, entry: Entry) -> str:
    """The paper's figure, or what else is expected."""
    if entry["paper"] is None:
        return claim.expected
    return _form(entry, entry["paper"]) + _unit(entry)


def _form(entry: Entry, value: float) -> str:
    forms = {"npmi": f"{value:+.4f}", "syntax": f"{100 * value:+.1f}"}
    return forms.get(entry["score"], f"{value:+.1%}")


def _unit(entry: Entry) -> str:
    return " points" if entry["score"] == "syntax" else ""


def _cell(entry: Entry) -> str:
    """The difference and its interval; of several seeds also the smallest and the largest."""
    gap, low, high = (_form(entry, entry[name]) for name in ("gap", "low", "high"))
    least, most = (_form(entry, end(entry["gaps"])) for end in (min, max))
    seeds = f", {len(entry['gaps'])} seeds: {least} to {most}" if len(entry["gaps"]) > 1 else ""
    return f"{gap} [{low}, {high}]{_unit(entry)}{seeds}"


def _verdict(entry: Entry) -> str:
    """On which side of zero the interval lies, and whether every seed is on that side.

    >>> _verdict({"paper": -0.08, "low": -0.05, "high": -0.04, "gaps": [-0.06, -0.03]})
    'yes'
    >>> _verdict({"paper": 0.01, "low": -0.002, "high": 0.003, "gaps": [0.001]})
    'no difference seen'
    >>> _verdict({"paper": 1, "low": -3, "high": -1, "gaps": [-6, 2]})
    'the reverse, not with every seed'
    """
    if entry["paper"] is None:
        return ""
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
