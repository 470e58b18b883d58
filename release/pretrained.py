"""Makes the default run, topiceq/pretrained/, out of a trained one.

    python release/pretrained.py RUN CORPUS MANIFEST [--out topiceq/pretrained]

The labels of release/labels.txt (checked by eye) replace those that training found, the weights
become half precision, a small index for `similar` is added, and the model card gets the scores on
test, the accuracy on known equations and symbols, and every source with its licence. Refused if
half precision costs more than 0.5 % of perplexity, or if the folder grows past 20 MB.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from topiceq import Corpus
from topiceq.api import PRETRAINED, TopicEq
from topiceq.model.files import write_text

HERE = Path(__file__).parent
RESULTS = HERE.parent / "benchmarks" / "results"
INDEXED = 4_000  # equations to search
SYNTAX = 5_000  # equations that the LaTeX compiler judges
MOST_MEGABYTES, MOST_LOSS = 20, 0.005


def main() -> None:
    """Make the folder in a temporary place, check it, and only then put it in its place."""
    arguments = _arguments()
    model, corpus = TopicEq.load(arguments.run), Corpus.load(arguments.corpus)
    model.run.topics = [
        replace(topic, label=label)
        for topic, label in zip(model.run.topics, _labels(), strict=True)
    ]
    model.run.history = [record for record in model.run.history if record["valid"]]
    model.index(corpus, count=INDEXED)
    full = model.score(corpus.test, syntax=SYNTAX)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "pretrained"
        model.save(folder, half=True)
        half = TopicEq.load(folder)
        found = replace(half.score(corpus.test), syntax=full.syntax)
        _check(full.json(), found.json(), folder)
        half.run.save_scores(folder, found.json())
        _complete_card(folder / "README.md", half.config.model.topics, arguments.manifest)
        shutil.rmtree(arguments.out, ignore_errors=True)
        shutil.copytree(folder, arguments.out)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("manifest", type=Path, help="JSON lines: repo, commit, license, field")
    parser.add_argument("--out", type=Path, default=PRETRAINED)
    return parser.parse_args()


def _labels() -> list[str]:
    lines = (HERE / "labels.txt").read_text(encoding="utf-8").splitlines()
    labels = [line.partition(" ")[2] for line in lines]
    if len(set(labels)) < len(labels):
        raise SystemExit("Two topics have the same label in release/labels.txt.")
    return labels


def _check(full: dict[str, Any], half: dict[str, Any], folder: Path) -> None:
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


def _complete_card(card: Path, topics: int, manifest: Path) -> None:
    """What only the maker of the default run knows."""
    own = card.read_text(encoding="utf-8").rstrip()
    parts = [own, _known(topics), _retrain(), _sources(manifest)]
    write_text(card, "\n\n".join(parts) + "\n")


def _known(topics: int) -> str:
    """Accuracy on equations and symbols that were chosen before any answer was seen."""
    entries = json.loads((RESULTS / "known.json").read_text())
    asked = [e for e in entries if e["topics"] == topics or e["row"] == "alignment alone"]
    runs = {entry["row"]: entry for entry in asked}
    default = runs["te-lstm + alignment"]
    rows = [
        ("equations, this run", default["equations"]["field"]),
        ("equations, bag of tokens", runs["context + BOW"]["equations"]["field"]),
        ("symbols, this run", default["symbols"]),
        ("symbols, without topics", runs["alignment alone"]["symbols"]),
    ]
    return "\n".join(
        [
            "## Known equations and symbols",
            "",
            "60 well-known equations of 12 fields (is the most likely topic one of the field?) and "
            "40 symbols (is the usual meaning in the field among the first phrases?), chosen "
            "before any answer was seen (tests/data); four that turned out to be in the corpus "
            "were replaced. Every answer is in benchmarks/results/known.json.",
            "",
            "| asked | first | among the first |",
            "|---|---|---|",
            *(f"| {name} | {_first(found)} |" for name, found in rows),
        ]
    )


def _first(found: dict[str, float]) -> str:
    few = "top3" if "top3" in found else "top5"
    return f"{found['top1']:.0%} | {found[few]:.0%} (of {few[3:]})"


def _retrain() -> str:
    return (
        "## How to train it again\n\n```sh\ntopiceq build ARTICLES -o corpus\n"
        "topiceq train corpus -o run -c default\n```\n\n"
        "`python release/pretrained.py run corpus MANIFEST` then makes this folder."
    )


def _sources(manifest: Path) -> str:
    """Every repository that it learned from, with its licence."""
    lines = manifest.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    rows = sorted({(e["repo"], e["commit"], e["license"]) for e in entries}, key=str)
    table = [f"| {repo} | {commit[:12]} | {licence} |" for repo, commit, licence in rows]
    return "\n".join(
        [
            "## Sources",
            "",
            f"{len(rows)} openly licensed repositories on GitHub, in the fields "
            f"{_listed(e['field'] for e in entries)}. The typical equations of the topics and the "
            "index of `similar` quote single equations of them, each with its article.",
            "",
            "| repository | commit | licence |",
            "|---|---|---|",
            *table,
        ]
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))


if __name__ == "__main__":
    main()
