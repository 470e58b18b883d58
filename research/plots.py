"""The plots of docs/results.md, as SVG. They alone need matplotlib, so it is imported late."""

from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

from research.entries import Entry


def subplots(*shape: int, **settings: Any) -> Any:
    """A figure and its axes, drawn the same on every machine."""
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "topiceq", "svg.fonttype": "none", "font.size": 9}
    return plt.subplots(*shape, **settings)


def coherence_plot(
    entries: list[Entry], order: list[str], score: Callable[[Entry], float], path: Path
) -> None:
    """One bar for each row, the mean of its seeds, and a mark where the paper's is."""
    rows = {name: [e for e in entries if e["row"] == name] for name in order}
    rows = {name: found for name, found in rows.items() if found}
    figure, axes = subplots(figsize=(6, 0.8 + 0.28 * len(rows)))
    values = [mean(map(score, found)) for found in rows.values()]
    axes.barh(list(rows), values, color="#4878a8", label="ours")
    for place, value in enumerate(values):
        axes.text(max(values) * 1.05, place, f"{value:.4f}", va="center")
    seeds = [(score(e), n) for n, found in rows.items() for e in found if len(found) > 1]
    if seeds:
        axes.plot(*zip(*seeds, strict=True), "|", ms=9, color="black", label="its seeds")
    papers = [(f[0]["paper"]["npmi"], n) for n, f in rows.items() if "npmi" in f[0]["paper"]]
    axes.plot(*zip(*papers, strict=True), "D", ms=5, color="#f0c040", label="the paper's")
    axes.invert_yaxis()
    axes.set_xlabel("NPMI on test contexts, whole corpus")
    axes.set_xlim(0, max(values) * 1.9)
    axes.legend(frameon=False, loc="upper right")
    save(figure, path)


def perplexity_plot(
    entries: list[Entry], order: list[str], curve_of: Callable[[Entry], list[float]], path: Path
) -> None:
    """Perplexity on valid, epoch by epoch; rows that differ in their epochs have one colour."""
    figure, axes = subplots(figsize=(6, 3.4))
    colours: dict[str, str] = {}
    for name in order:
        row, _, epochs = name.partition(", ")
        for entry in (e for e in entries if e["row"] == name and "shuffled" not in name):
            colour = colours.setdefault(row, f"C{len(colours)}")
            curve, style = curve_of(entry), "-" if epochs else ":"
            axes.plot(range(1, len(curve) + 1), curve, style, marker="o", ms=3, color=colour,
                      label=f"{row}, {len(curve)} epochs")  # fmt: skip
    axes.set_xlabel("epoch with equations, whole corpus")
    axes.set_ylabel("perplexity on valid")
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    save(figure, path)


def seeds_plot(
    entries: list[Entry], order: list[str], score: Callable[[Entry], float], path: Path
) -> None:
    """Every seed of every row: how reliable the differences are."""
    names = [n for n in order if "shuffled" not in n and any(e["row"] == n for e in entries)]
    figure, axes = subplots(figsize=(6, 0.8 + 0.24 * len(names)))
    for place, name in enumerate(names):
        values = [score(e) for e in entries if e["row"] == name]
        if place == 0:  # what the others are compared with
            axes.axvline(mean(values), color="#cccccc", zorder=0)
        axes.plot(values, [place] * len(values), "o", color="#4878a8", alpha=0.7)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"perplexity on test of a quarter, one dot a seed (line: {names[0]}'s mean)")
    save(figure, path)


def known_plot(entries: list[Entry], path: Path) -> None:
    """Of the well-known equations of each field, how many get a topic of it: first, or in three."""
    fields = list(dict.fromkeys(a["field"] for a in entries[0]["equations"]["answers"]))
    size = (2.2 + 2.2 * len(entries), 3.2)
    figure, grid = subplots(1, len(entries), figsize=size, sharey=True, squeeze=False)
    for axes, entry in zip(grid[0], entries, strict=True):
        for count, colour, label in ((3, "#b8cde0", "one of three"), (1, "#4878a8", "first")):
            right = [_right(entry["equations"]["answers"], field, count) for field in fields]
            axes.barh(fields, right, color=colour, label=label)
        axes.set_title(f"{entry['row']}, K = {entry['topics']}", fontsize=9)
        axes.set_xlabel("right of five")
        axes.set_xlim(0, 5)
    grid[0][0].invert_yaxis()
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, fontsize=8, loc="lower left")
    save(figure, path)


def _right(answers: list[Entry], field: str, count: int) -> int:
    first = [answer["topics"][:count] for answer in answers if answer["field"] == field]
    return sum(any(topic["field"] == field for topic in topics) for topics in first)


def save(figure: Any, path: Path) -> None:
    """The same file for the same numbers."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, transparent=False)
