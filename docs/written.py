"""The section "Writing equations" of docs/results.md: samples and interpolations.

In go results/writing.json, thetas.json, syntax.json and paper_tables.json, out comes Markdown.
"""

from entries import NOT_RUN, Entry, folded, largest, lines, math, read, run_name


def samples() -> str:
    """Shares of the equations that every run has written, and some of them."""
    entries = sorted(read("writing"), key=lambda entry: entry["topics"])
    if not entries:
        return NOT_RUN
    heads = ["run", "equations", "rejected", "unfinished", "distinct", "in train"]
    heads += ["mean tokens", "about their topic", "by chance"]
    rows = [row for entry in entries for row in _rows(entry)]
    return "\n\n".join([lines(heads, rows), *map(_rejected, entries), _examples(entries)])


def _rows(entry: Entry) -> list[list[str]]:
    name = run_name(entry)
    kinds = {"constrained": "with the grammar", "unconstrained": "without"}
    rows = [_row(f"{name}, {told}", entry[kind]) for kind, told in kinds.items()]
    real = entry["real"]
    about = real["consistency"]
    cells = [f"real (test), under {name}", f"{about['equations']:,}", "", "", ""]
    shares = [f"{real['in_train']:.2%}", "", f"{about['share']:.1%}", f"{about['chance']:.1%}"]
    return [*rows, cells + shares]


def _row(name: str, found: Entry) -> list[str]:
    about = found["consistency"]
    return [
        name,
        f"{about['equations']:,}",
        f"{found['rejected']:.2%}",
        f"{found['unfinished']:.2%}",
        f"{found['distinct']:.2%}",
        f"{found['in_train']:.2%}",
        f"{found['mean_tokens']:.0f}",
        f"{about['share']:.1%}",
        f"{about['chance']:.1%}",
    ]


def _rejected(entry: Entry) -> str:
    """What the grammar let through and the compiler did not."""
    wrong = entry["constrained"]["rejected_examples"]
    if not wrong:
        return f"{run_name(entry)}: the compiler accepts every equation written with the grammar."
    rows = [[f"`{one['equation']}`".replace("|", "\\|"), one["message"]] for one in wrong]
    told = f"Rejected though written with the grammar, {run_name(entry)}"
    return folded(told, lines(["equation", "message"], rows))


def thetas() -> str:
    """Syntax errors by how far theta is from the average."""
    found = [(run_name(e), kind, one) for e in read("thetas") for kind, one in e["syntax"].items()]
    rows = [
        [name, kind, f"{one['sampled']:,}", f"{one['error']:.1%}", f"{one['tokens']:.1f}",
         f"{1000 * one['error'] / one['tokens']:.2f}"]
        for name, kind, one in found
    ]  # fmt: skip
    heads = ["run", "theta", "equations", "syntax errors", "mean tokens", "errors in 1,000 tokens"]
    return lines(heads, rows) if rows else NOT_RUN


def checker() -> str:
    """The syntax check beside one process for each equation."""
    told = (
        "{equations:,} equations of {name} ({rejected:.0%} rejected) at {together_per_second:.0f} a"
        " second; one LaTeX process for each makes {one_process_each_per_second:.1f}, {ratio:.0f}"
        " times less, with the same verdict in {same_verdict}"
    )
    found = [told.format(name=run_name(entry), **entry) for entry in read("syntax")]
    return f"The compiler read {'; '.join(found)}." if found else NOT_RUN


def _examples(entries: list[Entry]) -> str:
    entry = largest(entries)
    assert entry is not None
    rows = [[" ".join(one["words"]), math(one["equation"])] for one in entry["examples"]]
    told = f"The first equation of topics at even distances, not selected ({run_name(entry)})"
    return folded(told, lines(["topic", "equation"], rows))


def interpolations() -> str:
    """What is written on the way from one topic to another."""
    entry = largest(read("paper_tables"))
    if entry is None:
        return NOT_RUN
    parts = [f"Run: {run_name(entry)}.", *map(_interpolation, entry["interpolations"])]
    return "\n\n".join(parts)


def _interpolation(found: Entry) -> str:
    first, last = (f"{e['subject']} ({' '.join(e['words'][:5])})" for e in found["ends"])
    rows = [[f"{point['t']:.2f}", math(point["equation"])] for point in found["points"]]
    told = f"From {first} to {last}, beginning with <code>{found['prefix']}</code>"
    return folded(told, lines(["t", "equation"], rows))
