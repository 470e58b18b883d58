"""Writes docs/results.md and its plots from benchmarks/results: python docs/generate_results.py.

Every number on the page comes from a file of results; a row that has not been run is left out, and
a claim that cannot be answered yet says so.
"""

import re
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import asking
import written
from claimed import QUARTER, WHOLE, claims, claims_at_100, controls, from_scratch
from entries import NOT_RUN, Entry, folded, groups, lines, on_valid, read, rows_of, title

from rows import RATE  # isort: skip  (entries adds its folder to the path)

DOCS = Path(__file__).parent
PAGE = DOCS / "results.md"

COHERENCE, SCRATCH = (rows_of("coherence", part) for part in ("STARTED", "SCRATCH"))
ALIGNMENT = rows_of("alignment")
OURS, LONGER, SLOWER = (rows_of("equations", part) for part in ("OURS", "LONGER", "SLOWER"))
FILES = ["claims", "coherence", "equations", "alignment", "fields", "stability", "thetas", "told",
         "syntax", "known", "paper_tables", "writing"]  # fmt: skip
EPOCHS = [1, 2, 4, 6, 8, 12, 16]  # after which leads are shown
FIELDS = [*rows_of("fields"), "told the fields"]


def only(values: dict[str, Any]) -> Any:
    """The one decoder's score."""
    (value,) = values.values()
    return value


def npmi(entry: Entry) -> float:
    return float(entry["scores"]["coherence"]["npmi_win20_top5_20"])


def distinct(entry: Entry) -> float:
    return float(entry["scores"]["coherence"]["distinct_top10"])


def words(entry: Entry) -> float:
    return float(entry["scores"]["word_perplexity"])


def perplexity(entry: Entry) -> float:
    return float(only(entry["scores"]["equations"])["perplexity"])


def written_by_lstm(entry: Entry) -> float | None:
    """The perplexity of equations if the row writes them as they stand."""
    ordered = {"te-lstm"} & entry["scores"].get("equations", {}).keys()
    return perplexity(entry) if ordered and "shuffled" not in entry["row"] else None


def syntax(entry: Entry) -> float:
    return float(only(entry["scores"]["syntax"])["error"])


def errors_in_1000(entry: Entry) -> float:
    """Syntax errors in so many tokens: longer equations have more places for one."""
    found = only(entry["scores"]["syntax"])
    return float(1000 * found["error"] / found["tokens"])


def last_gain(entry: Entry) -> float:
    """How much lower the last epoch made the perplexity on valid: whether training had levelled."""
    before, after = on_valid(entry)[-2:]
    return after / before - 1


def phrases(entry: Entry) -> float:
    return float(only(entry["scores"]["phrases"])["perplexity"])


def apart(entry: Entry) -> float | None:
    """Perplexity a phrase with theta from the sentences that the phrases are not in."""
    return entry.get("apart")


def unigram(entry: Entry) -> float:
    return float(only(entry["scores"]["phrases"])["unigram"])


def accuracy(entry: Entry) -> float:
    return float(entry["scores"]["accuracy"])


def commonest(entry: Entry) -> float:
    """The accuracy of always naming the commonest field."""
    return float(entry["scores"]["majority"])


def nmi(entry: Entry) -> float:
    return float(entry["scores"]["nmi"])


Score = Callable[[Entry], float | None]
Column = tuple[str, Score, str, str]  # heading, score, form, name of the paper's figure


def cell(entries: list[Entry], score: Score, form: str) -> str:
    """One number; over several seeds the mean and, if they differ, the standard deviation."""
    values = [value for entry in entries if (value := score(entry)) is not None]
    if not values:
        return ""
    if len(set(values)) == 1:
        return form.format(values[0])
    return f"{form.format(mean(values))} ± {form.replace('+', '').format(stdev(values))}"


def table(entries: list[Entry], order: list[str], columns: list[Column]) -> str:
    """The rows in their order, on the whole corpus with the paper's figure in brackets."""
    rows = []
    for name in sorted({entry["row"] for entry in entries}, key=order.index):
        runs = [entry for entry in entries if entry["row"] == name]
        cells = [
            cell(runs, score, form) + paper(runs[0], figure, form)
            for _, score, form, figure in columns
        ]
        seeds = " ".join(str(seed) for seed in sorted(entry["seed"] for entry in runs))
        rows.append([name, *cells, seeds])
    return lines(["row", *(heading for heading, *_ in columns), "seeds"], rows)


def paper(entry: Entry, figure: str, form: str) -> str:
    value = entry.get("paper", {}).get(figure)
    whole = entry["corpus"] == WHOLE[0]
    return f" ({form.format(value)})" if whole and value is not None else ""


def tables(name: str, order: list[str], columns: list[Column]) -> str:
    """One table of these rows for each corpus and number of topics."""
    found = groups(entry for entry in read(name) if entry["row"] in order)
    if not found:
        return NOT_RUN
    return "\n\n".join(
        f"{title(group, entries)}\n\n{table(entries, order, columns)}"
        for group, entries in found.items()
    )


def gaps_by_epoch() -> str:
    """How far each row is ahead of LSTM on valid, epoch by epoch, on the whole corpus."""
    found = {entry["row"]: on_valid(entry) for entry in groups(read("equations")).get(WHOLE, [])}
    rows = []
    for order in (OURS, LONGER):
        base = found.get(order[0], [])
        compared = [name for name in order[1:] if name in found and "shuffled" not in name]
        for name in compared:
            gaps = [after / before - 1 for after, before in zip(found[name], base, strict=False)]
            rows.append([name, *(f"{gaps[n - 1]:+.1%}" if n <= len(gaps) else "" for n in EPOCHS)])
    heads = ["against LSTM, on valid, after epoch", *map(str, EPOCHS)]
    return lines(heads, rows) if rows else NOT_RUN


def stability() -> str:
    """How many topics come back with another seed."""
    rows = [
        [
            entry["row"],
            *(f"{mean(entry[part]):.0%}" for part in ("matched", "overlap")),
            str(len(entry["seeds"])),
        ]
        for found in groups(read("stability")).values()
        for entry in found
    ]
    heads = ["row", "topics that come back", "words in common", "seeds"]
    return lines(heads, rows) if rows else NOT_RUN


def told() -> str:
    """How many nats theta saves of words that it has not read, and of equations."""
    form = (
        "{where}, theta from half of a context's words saves {told_of_words:.0f} nats of the other "
        "{words:.0f} words (against their frequencies), and theta from all of them "
        "{told_of_equations:.1f} nats of the equation (against LSTM)"
    )
    places = {"corpus": "on the whole corpus", "quarter": "on a quarter"}
    found = []
    for (corpus, _), entries in groups(read("told")).items():
        names = ("words", "told_of_words", "told_of_equations")
        means = {name: mean(entry[name] for entry in entries) for name in names}
        found.append(form.format(where=places.get(corpus, corpus), **means))
    return "; ".join(found) + "." if found else NOT_RUN


# -- the page -----------------------------------------------------------------------------------


def page() -> str:
    """The text of docs/results.md, with the numbers in their places."""
    template = (DOCS / "results.md.in").read_text(encoding="utf-8")
    equation_columns: list[Column] = [
        ("perplexity", perplexity, "{:.3f}", "perplexity"),
        ("syntax errors", syntax, "{:.1%}", "syntax"),
        ("errors in 1,000 tokens", errors_in_1000, "{:.2f}", ""),
        ("change in the last epoch (valid)", last_gain, "{:+.1%}", ""),
        ("million weights", lambda entry: entry["weights"] / 1e6, "{:.2f}", ""),
    ]
    coherence_columns: list[Column] = [
        ("NPMI", npmi, "{:.4f}", "npmi"),
        ("distinct words, top 10", distinct, "{:.2f}", ""),
        ("perplexity a word", words, "{:.0f}", ""),
    ]  # fmt: skip
    parts = {
        "coherence": tables("coherence", COHERENCE, coherence_columns),
        "coherence from scratch": tables("coherence", SCRATCH, [
            *coherence_columns, ("perplexity of equations", written_by_lstm, "{:.3f}", ""),
        ]).replace("###", "####"),
        "equations": tables("equations", [*OURS, *LONGER], equation_columns),
        "slower equations": folded("All rows with the paper's rate",
            tables("equations", SLOWER, equation_columns).replace(RATE, "").replace("###", "####")),
        "alignment": tables("alignment", ALIGNMENT, [
            ("perplexity a phrase", phrases, "{:.1f}", "phrases"),
            ("theta from the other sentences", apart, "{:.1f}", ""),
            ("unigram", unigram, "{:.1f}", ""),
        ]),
        "fields": tables("fields", FIELDS, [
            ("accuracy", accuracy, "{:.3f}", ""), ("NMI", nmi, "{:.3f}", ""),
            ("commonest field", commonest, "{:.3f}", ""),
        ]),
        "known equations": asking.known_equations(),
        "paper equations": asking.paper_equations(),
        "known symbols": asking.known_symbols(),
        "paper symbols": asking.paper_symbols(),
        "thetas": written.thetas(),
        "checker": written.checker(),
        "stability": stability(),
        "samples": written.samples(),
        "interpolations": written.interpolations(),
        "from scratch": from_scratch(),
        "claims": claims(),
        "controls": controls(),
        "claims at 100": claims_at_100(),
        "gaps by epoch": gaps_by_epoch(),
        "told": told(),
        "runs": runs(),
    }  # fmt: skip
    for name, text in parts.items():
        template = template.replace(f"<!-- {name} -->", text)
    return with_pictures(template).rstrip("\n")


def with_pictures(text: str) -> str:
    """The page without pictures that nothing was run for."""
    kept = []
    for line in text.split("\n"):
        picture = re.fullmatch(r"!\[.*\]\((.*)\)", line)
        if picture is None or (DOCS / picture[1]).exists():
            kept.append(line)
    return "\n".join(kept)


def runs() -> str:
    """Which corpora the numbers come from."""
    entries = [entry for name in FILES for entry in read(name)]
    digests = sorted({(entry["corpus"], entry["corpus_digest"][:12]) for entry in entries})
    return "\n".join(f"- corpus `{name}`: digest {digest}.." for name, digest in digests)


def draw() -> None:
    """The pictures of the page, for which alone matplotlib is needed."""
    import plots

    images = DOCS / "images"
    images.mkdir(exist_ok=True)
    coherence, equations = groups(read("coherence")), groups(read("equations"))
    if WHOLE in coherence:
        plots.coherence_plot(
            coherence[WHOLE], [*COHERENCE, *SCRATCH], npmi, images / "coherence.svg"
        )
    if WHOLE in equations:
        plots.perplexity_plot(equations[WHOLE], [*OURS, *LONGER], images / "perplexity.svg")
    if QUARTER in equations:
        plots.seeds_plot(equations[QUARTER], OURS, perplexity, images / "seeds.svg")
    if asked := asking.with_answers("equations"):
        plots.known_plot(asked, images / "known.svg")


if __name__ == "__main__":
    draw()
    PAGE.write_text(page() + "\n", encoding="utf-8")
