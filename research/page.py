"""The page docs/results.md: docs/results.md.in with the numbers in their places, and the plots.

Every number on the page comes from a file of results; a row that has not been run is left out, and
a claim that cannot be answered yet says so.
"""

import re
from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

from research import (
    claims,
    encoder,
    expanding,
    finetune,
    kills,
    known,
    meanings,
    peers,
    scale,
    serve,
    similar,
    speed,
    starts,
    volume,
    ways,
    writing,
)
from research.claims import QUARTER, WHOLE
from research.entries import DOCS, NOT_RUN, Entry, Group, folded, groups, lines, read
from research.plots import coherence_plot, known_plot, perplexity_plot, seeds_plot
from research.rows import (
    ALIGNMENT,
    EQUATIONS,
    FIELDS,
    FROM_SCRATCH,
    LONGER,
    RATE,
    SLOWER,
    STARTED,
)
from topiceq.files import write_text

PAGE = DOCS / "results.md"
FILES = ["claims", "coherence", "equations", "alignment", "fields", "stability", "thetas", "told",
         "syntax", "known", "paper_tables", "meanings", "writing", "peers", "starts"]  # fmt: skip
EPOCHS = [1, 2, 4, 6, 8, 12, 16]  # after which leads are shown
COHERENCE, SCRATCH, OURS, LONG, SLOW, PHRASES = (
    [row.name for row in rows]
    for rows in (STARTED, FROM_SCRATCH, EQUATIONS, LONGER, SLOWER, ALIGNMENT)
)
OF_FIELDS = [*(row.name for row in FIELDS), "told the fields"]


def page() -> None:
    """The results page: writes docs/results.md and its plots from the files of results.

    The text is docs/results.md.in. Plots need matplotlib, which the extra `bench` installs.
    """
    draw()
    write_text(PAGE, made_page() + "\n")


def made_page() -> str:
    """The text of docs/results.md, with the numbers in their places."""
    text = (DOCS / "results.md.in").read_text(encoding="utf-8")
    for name, part in parts().items():
        text = text.replace(f"<!-- {name} -->", part)
    return with_pictures(text).rstrip("\n")


def parts() -> dict[str, str]:
    """What stands in place of each comment of the text."""
    equation_columns: list[Column] = [
        ("perplexity", perplexity, "{:.3f}", "perplexity"),
        ("syntax errors", at("scores", "syntax", ONLY, "error"), "{:.1%}", "syntax"),
        ("errors in 1,000 tokens", errors_in_1000, "{:.2f}", ""),
        ("change in the last epoch (valid)", last_gain, "{:+.1%}", ""),
        ("million weights", lambda entry: entry["weights"] / 1e6, "{:.2f}", ""),
    ]
    coherence_columns: list[Column] = [
        ("NPMI", npmi, "{:.4f}", "npmi"),
        ("by relevance", at("scores", "coherence_by_relevance", NPMI), "{:.4f}", ""),
        ("distinct words, top 10", at("scores", "coherence", "distinct_top10"), "{:.2f}", ""),
        ("perplexity a word", at("scores", "word_perplexity"), "{:.0f}", ""),
    ]
    return {
        "coherence": tables("coherence", COHERENCE, coherence_columns),
        "coherence from scratch": tables("coherence", SCRATCH, [
            *coherence_columns, ("perplexity of equations", written_by_lstm, "{:.3f}", ""),
        ]).replace("###", "####"),
        "equations": tables("equations", [*OURS, *LONG], equation_columns),
        "slower equations": folded("All rows with the paper's rate",
            tables("equations", SLOW, equation_columns).replace(RATE, "").replace("###", "####")),
        "alignment": tables("alignment", PHRASES, [
            ("perplexity a phrase", at("scores", "phrases", ONLY, "perplexity"), "{:.1f}",
             "phrases"),
            ("theta from the other sentences", lambda entry: entry.get("apart"), "{:.1f}", ""),
            ("unigram", at("scores", "phrases", ONLY, "unigram"), "{:.1f}", ""),
        ]),
        "fields": tables("fields", OF_FIELDS, [
            ("accuracy", at("scores", "accuracy"), "{:.3f}", ""),
            ("NMI", at("scores", "nmi"), "{:.3f}", ""),
            ("commonest field", at("scores", "majority"), "{:.3f}", ""),
        ]),
        "known equations": known.known_equations_shown(),
        "paper equations": known.paper_equations_shown(),
        "known symbols": known.known_symbols_shown(),
        "paper symbols": known.paper_symbols_shown(),
        "meanings": meanings.meanings_shown(),
        "interpolations": writing.interpolations_shown(),
        "samples": writing.writing_shown(),
        "thetas": writing.thetas_shown(),
        "checker": writing.syntax_shown(),
        "claims": claims.claims_shown(),
        "claims at 100": claims.claims_at_100_shown(),
        "controls": claims.controls_shown(),
        "from scratch": claims.scratch_shown(),
        "gaps by epoch": gaps_by_epoch(),
        "stability": stability(),
        "told": told(),
        "topics of equations": encoder.topics_shown(),
        "fields by encoder": encoder.fields_shown(),
        "reliability": encoder.reliability_shown(),
        "encoder trials": encoder.trials_shown(),
        "answers": speed.answers_shown(),
        "volume": volume.volume_shown(),
        "similar": similar.similar_shown(),
        "similar sizes": similar.sizes_shown(),
        "finetune": finetune.finetune_shown(),
        "ways": ways.ways_shown(),
        "expanding": expanding.expanding_shown(),
        "kills": kills.kills_shown(),
        "server": serve.serve_shown(),
        "scale": scale.scale_shown(),
        "peers": peers.peers_shown(),
        "starts": starts.starts_shown(),
        "runs": runs(),
    }  # fmt: skip


def with_pictures(text: str) -> str:
    """The page without pictures that nothing was run for."""
    kept = []
    for line in text.split("\n"):
        picture = re.fullmatch(r"!\[.*\]\((.*)\)", line)
        if picture is None or (DOCS / picture[1]).exists():
            kept.append(line)
    return "\n".join(kept)


def draw() -> None:
    """The pictures of the page."""
    images = DOCS / "images"
    coherence, equations = groups(read("coherence")), groups(read("equations"))
    if WHOLE in coherence:
        order = [*COHERENCE, *SCRATCH]
        coherence_plot(coherence[WHOLE], order, npmi, images / "coherence.svg")
    if WHOLE in equations:
        perplexity_plot(equations[WHOLE], [*OURS, *LONG], on_valid, images / "perplexity.svg")
    if QUARTER in equations:
        seeds_plot(equations[QUARTER], OURS, perplexity, images / "seeds.svg")
    if answers := known.with_answers("equations"):
        known_plot(answers, images / "known.svg")


# -- the scores of an entry ---------------------------------------------------------------------

Score = Callable[[Entry], float | None]
Column = tuple[str, Score, str, str]  # heading, score, form, name of the paper's figure
ONLY = "*"  # the one decoder that there is
NPMI = "npmi_win20_top5_20"


def at(*path: str) -> Callable[[Entry], float]:
    """What stands at a place of an entry.

    >>> at("scores", ONLY, "nats")({"scores": {"lstm": {"nats": 2}}})
    2.0
    """

    def score(entry: Entry) -> float:
        value: Any = entry
        for name in path:
            (value,) = value.values() if name == ONLY else (value[name],)
        return float(value)

    return score


npmi = at("scores", "coherence", NPMI)
perplexity = at("scores", "equations", ONLY, "perplexity")


def written_by_lstm(entry: Entry) -> float | None:
    """The perplexity of equations if the row writes them as they stand."""
    ordered = {"te-lstm"} & entry["scores"].get("equations", {}).keys()
    return perplexity(entry) if ordered and "shuffled" not in entry["row"] else None


def errors_in_1000(entry: Entry) -> float:
    """Syntax errors in so many tokens: longer equations have more places for one."""
    (found,) = entry["scores"]["syntax"].values()
    return float(1000 * found["error"] / found["tokens"])


def on_valid(entry: Entry) -> list[float]:
    """Perplexity on valid after each epoch with equations."""
    decoder = next(iter(entry["scores"]["equations"]))
    return [float(epoch[decoder]) for epoch in entry["valid"] if epoch["phase"] == "joint"]


def last_gain(entry: Entry) -> float:
    """How much lower the last epoch made the perplexity on valid: whether training had levelled."""
    before, after = on_valid(entry)[-2:]
    return after / before - 1


# -- tables -------------------------------------------------------------------------------------


def tables(name: str, order: list[str], columns: list[Column]) -> str:
    """One table of these rows for each corpus and number of topics."""
    found = groups(entry for entry in read(name) if entry["row"] in order)
    return "\n\n".join(
        f"{title(group, entries)}\n\n{table(entries, order, columns)}"
        for group, entries in found.items()
    ) or NOT_RUN  # fmt: skip


def title(group: Group, entries: list[Entry]) -> str:
    """A heading for the entries of a group."""
    corpus, topics = group
    size = {"corpus": "Whole corpus", "quarter": "A quarter of the corpus"}.get(corpus, corpus)
    seeds = {entry["seed"] for entry in entries}
    many = f"{len(seeds)} seeds" if len(seeds) > 1 else "one seed"
    return f"### {size}, K = {topics}, {many}"


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


def cell(entries: list[Entry], score: Score, form: str) -> str:
    """One number; over several seeds the mean and, if they differ, the standard deviation."""
    values = [value for entry in entries if (value := score(entry)) is not None]
    if not values:
        return ""
    if len(set(values)) == 1:
        return form.format(values[0])
    return f"{form.format(mean(values))} ± {form.replace('+', '').format(stdev(values))}"


def paper(entry: Entry, figure: str, form: str) -> str:
    """The paper's figure."""
    value = entry.get("paper", {}).get(figure)
    whole = entry["corpus"] == WHOLE[0]
    return f" ({form.format(value)})" if whole and value is not None else ""


def gaps_by_epoch() -> str:
    """How far each row is ahead of LSTM on valid, epoch by epoch, on the whole corpus."""
    found = {entry["row"]: on_valid(entry) for entry in groups(read("equations")).get(WHOLE, [])}
    rows = []
    for order in (OURS, LONG):
        base = found.get(order[0], [])
        compared = [name for name in order[1:] if name in found and "shuffled" not in name]
        for name in compared:
            gaps = [after / before - 1 for after, before in zip(found[name], base, strict=False)]
            rows.append([name, *(f"{gaps[n - 1]:+.1%}" if n <= len(gaps) else "" for n in EPOCHS)])
    return lines(["against LSTM, on valid, after epoch", *map(str, EPOCHS)], rows)


def stability() -> str:
    """How many topics come back with another seed."""
    rows = [
        [entry["row"], *(f"{mean(entry[part]):.0%}" for part in ("matched", "overlap")),
         str(len(entry["seeds"]))]
        for found in groups(read("stability")).values()
        for entry in found
    ]  # fmt: skip
    return lines(["row", "topics that come back", "words in common", "seeds"], rows)


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


def runs() -> str:
    """Which corpora the numbers come from."""
    entries = [entry for name in FILES for entry in read(name)]
    digests = sorted({(entry["corpus"], entry["corpus_digest"][:12]) for entry in entries})
    return "\n".join(f"- corpus `{name}`: digest {digest}.." for name, digest in digests)
