"""The default run, topiceq/pretrained/: made out of a trained one, once, when it is good."""

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from research.entries import HERE, Entry, lines, read
from research.runs import row_name
from topiceq.api import PRETRAINED, TopicEq
from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.files import write_text
from topiceq.model.record import Record
from topiceq.model.run import Run

SYNTAX = 5_000  # equations that the LaTeX compiler judges
MOST_MEGABYTES, MOST_LOSS = 45, 0.005


def release(
    run: Path,
    corpus: Path,
    manifest: Annotated[Path, "JSON lines: repo, commit, license, field"],
    *,
    pairs: Annotated[Path | None, "what extract wrote, for an index with short equations"] = None,
    out: Path = PRETRAINED,
) -> None:
    """The default run, topiceq/pretrained/, out of a trained one.

    The labels of research/labels.txt (checked by eye) replace those that training found, the
    weights become half precision, an index for `similar` is added, and the model card gets the
    scores on test, the accuracy on known equations and symbols, and every source with its licence.
    Refused if half precision costs more than 0.5 % of perplexity, or past 45 MB.
    """
    model, loaded = TopicEq.load(run), Corpus.load(corpus)
    model.run.topics = [
        replace(topic, label=label)
        for topic, label in zip(model.run.topics, _labels(), strict=True)
    ]
    model.run.history = [record for record in model.run.history if record["valid"]]
    model.index(pairs or corpus, manifest=manifest)
    full = model.score(loaded.test, syntax=SYNTAX)
    with tempfile.TemporaryDirectory() as made:  # checked there, and only then put in its place
        folder = Path(made) / "pretrained"
        model.save(folder, half=True)
        half = TopicEq.load(folder)
        found = replace(half.score(loaded.test), syntax=full.syntax)
        _check(full.json(), found.json(), folder)
        half.run.save_scores(folder, found.json())
        _complete_card(folder / "README.md", row_name(half), manifest)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder, out)


def record(run: Path) -> None:
    """Records what this TopicEq makes of a few equations with a run that has no record yet.

    Training writes the record itself; runs trained before that have none.
    """
    loaded = Run.load(run)
    if loaded.record:
        raise RunError(f"'{run}' has a record. A new one would hide what has changed.")
    loaded.record = Record.of(loaded.model, loaded.tokens)
    loaded.save_record(run)


def _labels() -> list[str]:
    text = (HERE / "labels.txt").read_text(encoding="utf-8")
    labels = [line.partition(" ")[2] for line in text.splitlines()]
    if len(set(labels)) < len(labels):
        raise SystemExit("Two topics have the same label in research/labels.txt.")
    return labels


def _check(full: Entry, half: Entry, folder: Path) -> None:
    """Half precision must score as full precision does, and the folder must stay small."""
    for decoder, score in full["equations"].items():
        loss = half["equations"][decoder]["perplexity"] / score["perplexity"] - 1
        print(f"{decoder}: perplexity {score['perplexity']:.4f}, in half precision {loss:+.4%}")
        if abs(loss) > MOST_LOSS:
            raise SystemExit(f"Half precision changes the perplexity by {loss:.2%}.")
    megabytes = sum(path.stat().st_size for path in folder.rglob("*")) / 1e6
    print(f"{megabytes:.1f} MB")
    if megabytes > MOST_MEGABYTES:
        raise SystemExit(f"{megabytes:.1f} MB is more than {MOST_MEGABYTES} MB.")


def _complete_card(card: Path, row: str, manifest: Path) -> None:
    """What only the maker of the default run knows."""
    own = card.read_text(encoding="utf-8").rstrip()
    write_text(card, "\n\n".join([own, _known(row), _retrain(), _sources(manifest)]) + "\n")


def _known(row: str) -> str:
    """Accuracy on equations and symbols that were chosen before any answer was seen."""
    [asked] = [entry for entry in read("known") if entry["row"] == row]
    [told] = [entry for entry in read("meanings") if entry["row"] == row]
    rows = [("equations", asked["equations"]["field"]), ("symbols", told["forty"]["topics"])]
    table = [[name, f"{found['top1']:.0%}", _few(found)] for name, found in rows]
    return (
        "## Known equations and symbols\n\n60 well-known equations of 12 fields (is the most "
        "likely topic one of the field?) and 40 symbols (is the usual meaning in the field among "
        "the first phrases?), chosen before any answer was seen (research/questions); four that "
        "turned out to be in the first corpus were replaced. Every answer is in "
        "research/results/known.json and meanings.json.\n\n"
        + lines(["asked", "first", "among the first"], table)
    )


def _few(found: dict[str, float]) -> str:
    few = "top3" if "top3" in found else "top5"
    return f"{found[few]:.0%} (of {few[3:]})"


def _retrain() -> str:
    return (
        "## How to train it again\n\n```sh\n"
        "topiceq build ARTICLES -o corpus --set corpus.min_tokens=8\n"
        "topiceq train corpus -o run -c default\n```\n\n"
        "`python -m research release run corpus MANIFEST` then makes this folder."
    )


def _sources(manifest: Path) -> str:
    """Every repository that it learned from, with its licence."""
    entries = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    fields = ", ".join(sorted({entry["field"] for entry in entries}))
    rows = sorted({(e["repo"], e["commit"], e["license"]) for e in entries}, key=str)
    return (
        f"## Sources\n\n{len(rows)} openly licensed repositories on GitHub, in the fields "
        f"{fields}. The typical equations of the topics, the index of `similar` and the lexicon of "
        "symbols quote single equations and parts of single sentences of them, each with its "
        "article.\n\n"
        + lines(["repository", "commit", "licence"], ([r, c[:12], lic] for r, c, lic in rows))
    )
