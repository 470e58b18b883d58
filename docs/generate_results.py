"""Writes docs/results.md and its plots from benchmarks/results: python docs/generate_results.py.

Every number on the page comes from a file of results; a row that has not been run is left out, and
a claim that cannot be answered yet says so.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import asking
import written
from entries import NOT_RUN, Entry, Group, groups, read, title
from plots import coherence_plot, known_plot, perplexity_plot, seeds_plot

DOCS = Path(__file__).parent

COHERENCE = ["LDA", "context only", "context + BOW", "TE-LSTM", "TE-LSTM shuffled",
             "alignment with topics"]  # fmt: skip
EQUATIONS = ["LSTM", "LSTM + LDA", "TD-LSTM", "TE-LSTM", "MoE-LSTM", "LSTM widened",
             "another theta", "dense context", "TE-LSTM shuffled"]  # fmt: skip
ALIGNMENT = ["alignment alone", "alignment with topics", "alignment, residual",
             "alignment, mixture"]  # fmt: skip
FILES = ["coherence", "equations", "alignment", "fields", "known", "paper_tables", "writing"]
FIELDS = ["context + BOW", "TE-LSTM", "told the fields"]


def only(values: dict[str, Any]) -> Any:
    """The one decoder's score."""
    (value,) = values.values()
    return value


def npmi(entry: Entry) -> float:
    return float(entry["scores"]["coherence"]["npmi_win20_top5_20"])


def distinct(entry: Entry) -> float:
    return float(entry["scores"]["coherence"]["distinct_top10"])


def perplexity(entry: Entry) -> float:
    return float(only(entry["scores"]["equations"])["perplexity"])


def nats(entry: Entry) -> float:
    return float(only(entry["scores"]["equations"])["nats"])


def syntax(entry: Entry) -> float:
    return float(only(entry["scores"]["syntax"])["error"])


def errors_in_1000(entry: Entry) -> float:
    """Syntax errors in so many tokens: longer equations have more places for one."""
    found = only(entry["scores"]["syntax"])
    return float(1000 * found["error"] / found["tokens"])


def phrases(entry: Entry) -> float:
    return float(only(entry["scores"]["phrases"])["perplexity"])


def unigram(entry: Entry) -> float:
    return float(only(entry["scores"]["phrases"])["unigram"])


def accuracy(entry: Entry) -> float:
    return float(entry["scores"]["accuracy"])


def nmi(entry: Entry) -> float:
    return float(entry["scores"]["nmi"])


Score = Callable[[Entry], float]
Column = tuple[str, Score, str, str]  # heading, score, form, name of the paper's figure


def cell(entries: list[Entry], score: Score, form: str) -> str:
    """One number; over several seeds the mean and the standard deviation."""
    values = [score(entry) for entry in entries]
    if len(values) == 1:
        return form.format(values[0])
    return f"{form.format(mean(values))} ± {form.format(stdev(values))}"


def table(entries: list[Entry], order: list[str], columns: list[Column]) -> str:
    """The rows in their order, the paper's figure in brackets."""
    lines = ["| row | " + " | ".join(heading for heading, *_ in columns) + " | seeds |"]
    lines.append("|---" * (len(columns) + 2) + "|")
    for name in order:
        rows = [entry for entry in entries if entry["row"] == name]
        if rows:
            cells = [
                cell(rows, score, form) + paper(rows[0], figure, form)
                for _, score, form, figure in columns
            ]
            lines.append(f"| {name} | {' | '.join(cells)} | {len(rows)} |")
    return "\n".join(lines)


def paper(entry: Entry, figure: str, form: str) -> str:
    value = entry.get("paper", {}).get(figure)
    return "" if value is None else f" ({form.format(value)})"


def tables(name: str, order: list[str], columns: list[Column]) -> str:
    """One table for each corpus and number of topics."""
    found = groups(read(name))
    if not found:
        return NOT_RUN
    return "\n\n".join(
        f"{title(group, entries)}\n\n{table(entries, order, columns)}"
        for group, entries in found.items()
    )


# -- claims -------------------------------------------------------------------------------------


def against(row: str, other: str, group: Group) -> str | None:
    """The relative difference of two rows' perplexity, with its interval."""
    found = [
        entry["against"][other]
        for entry in read("differences")
        if entry["row"] == row
        and (entry["corpus"], entry["topics"]) == group
        and other in entry["against"]
    ]
    if not found:
        return None
    return "; ".join(f"{d['relative']:+.1%} [{d['low']:+.1%}, {d['high']:+.1%}]" for d in found)


def gap(name: str, row: str, other: str, score: Score, group: Group, form: str) -> str | None:
    """The difference of two rows' scores, seed by seed."""
    of: dict[int, dict[str, float]] = defaultdict(dict)  # seed -> row -> score
    for entry in groups(read(name)).get(group, []):
        if entry["row"] in (row, other):
            of[entry["seed"]][entry["row"]] = score(entry)
    found = [both[row] - both[other] for both in of.values() if len(both) == 2]
    return "; ".join(form.format(value) for value in found) or None


WHOLE, QUARTER = ("corpus", 50), ("quarter", 50)


def claims() -> str:
    """What the paper claims, and what we find, on both corpora."""
    coherence = [("context + BOW", "context only", "+.002"), ("TE-LSTM", "context + BOW", "+.010"),
                 ("TE-LSTM", "TE-LSTM shuffled", "+.011"), ("TE-LSTM", "LDA", "+.012")]  # fmt: skip
    lower = [("LSTM + LDA", "LSTM", "-4.6 %"), ("TD-LSTM", "LSTM", "-6.4 %"),
             ("TE-LSTM", "LSTM", "-7.7 %"), ("TD-LSTM", "TE-LSTM", "+1.5 %"),
             ("MoE-LSTM", "TE-LSTM", "similar"), ("LSTM widened", "LSTM", ""),
             ("another theta", "LSTM", ""), ("dense context", "TE-LSTM", "")]  # fmt: skip
    lines = [
        "| difference | the paper's | whole corpus | a quarter, seed by seed |",
        "|---|---|---|---|",
    ]
    for row, other, figure in coherence:
        ours = [gap("coherence", row, other, npmi, g, "{:+.4f}") for g in (WHOLE, QUARTER)]
        lines.append(_claim(f"NPMI, {row} over {other}", figure, ours))
    for row, other, figure in lower:
        ours = [against(row, other, g) for g in (WHOLE, QUARTER)]
        lines.append(_claim(f"equation perplexity, {row} over {other}", figure, ours))
    for row, figure in (("LSTM + LDA", "-1.9 %"), ("TD-LSTM", "-2.8 %"), ("TE-LSTM", "-3.6 %")):
        ours = [gap("equations", row, "LSTM", syntax, g, "{:+.1%}") for g in (WHOLE, QUARTER)]
        lines.append(_claim(f"syntax errors, {row} over LSTM", figure, ours))
    names = "alignment with topics", "alignment alone"
    ours = [gap("alignment", *names, phrases, g, "{:+.1f}") for g in (WHOLE, QUARTER)]
    lines.append(_claim("phrase perplexity, with topics over without", "-196", ours))
    return "\n".join(lines)


def _claim(name: str, figure: str, ours: list[str | None]) -> str:
    return f"| {name} | {figure} | {' | '.join(one or 'not run' for one in ours)} |"


# -- the page -----------------------------------------------------------------------------------


def page() -> str:
    """The text of docs/results.md, with the numbers in their places."""
    template = (DOCS / "results.md.in").read_text(encoding="utf-8")
    equation_columns: list[Column] = [
        ("perplexity a token", perplexity, "{:.3f}", "perplexity"),
        ("nats an equation", nats, "{:.1f}", ""),
        ("syntax errors", syntax, "{:.1%}", "syntax"),
        ("in 1,000 tokens", errors_in_1000, "{:.2f}", ""),
        ("million weights", lambda entry: entry["weights"] / 1e6, "{:.2f}", ""),
        ("minutes", lambda entry: entry["minutes"], "{:.0f}", ""),
    ]
    coherence_columns: list[Column] = [
        ("NPMI", npmi, "{:.4f}", "npmi"), ("distinct words, top 10", distinct, "{:.2f}", "")
    ]  # fmt: skip
    parts = {
        "coherence": tables("coherence", COHERENCE, coherence_columns),
        "equations": tables("equations", EQUATIONS, equation_columns),
        "alignment": tables("alignment", ALIGNMENT, [
            ("perplexity a phrase", phrases, "{:.1f}", "phrases"),
            ("unigram", unigram, "{:.1f}", ""),
        ]),
        "fields": tables("fields", FIELDS, [
            ("accuracy", accuracy, "{:.3f}", ""), ("NMI", nmi, "{:.3f}", "")
        ]),
        "known equations": asking.known_equations(),
        "paper equations": asking.paper_equations(),
        "known symbols": asking.known_symbols(),
        "paper symbols": asking.paper_symbols(),
        "samples": written.samples(),
        "interpolations": written.interpolations(),
        "claims": claims(),
        "runs": runs(),
    }  # fmt: skip
    for name, text in parts.items():
        template = template.replace(f"<!-- {name} -->", text)
    return with_pictures(template)


def with_pictures(text: str) -> str:
    """The page without pictures that nothing was run for."""
    kept = []
    for line in text.split("\n"):
        picture = re.fullmatch(r"!\[.*\]\((.*)\)", line)
        if picture is None or (DOCS / picture[1]).exists():
            kept.append(line)
    return "\n".join(kept)


def runs() -> str:
    """Which corpus and commits the numbers come from."""
    entries = [entry for name in FILES for entry in read(name)]
    digests = sorted({(entry["corpus"], entry["corpus_digest"][:12]) for entry in entries})
    commits = sorted({entry["commit"][:12] for entry in entries})
    lines = [f"- corpus `{name}`: digest {digest}.." for name, digest in digests]
    return "\n".join([*lines, f"- commits: {', '.join(commits)}"])


def plots() -> None:
    """The pictures of the page."""
    images = DOCS / "images"
    images.mkdir(exist_ok=True)
    coherence, equations = groups(read("coherence")), groups(read("equations"))
    if WHOLE in coherence:
        coherence_plot(coherence[WHOLE], COHERENCE, npmi, images / "coherence.svg")
    if WHOLE in equations:
        perplexity_plot(equations[WHOLE], EQUATIONS, images / "perplexity.svg")
    if QUARTER in equations:
        seeds_plot(equations[QUARTER], EQUATIONS, perplexity, images / "seeds.svg")
    if asked := asking.with_answers("equations"):
        known_plot(asked, images / "known.svg")


if __name__ == "__main__":
    plots()
    (DOCS / "results.md").write_text(page(), encoding="utf-8")
