"""Extraction measured: speed and agreement beside pandoc, what compiles, what is left unexpanded.

    python benchmarks/extract.py ARTICLES PAIRS [--articles 100] [--equations 2000] [--seed 0]

ARTICLES is a folder of LaTeX, PAIRS the output of `topiceq extract ARTICLES -o PAIRS`. Writes
results/extract.json. Speeds are of one process, in processor time with that of child processes,
the best of three rounds, one reader after another in this run: read them as ratios.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from topiceq.config import CorpusConfig
from topiceq.corpus.commands import KNOWN, SIZED
from topiceq.corpus.extract import pairs
from topiceq.corpus.latex import read
from topiceq.corpus.latex.opened import OpenFiles
from topiceq.corpus.macros import MacroLimit
from topiceq.corpus.normal import NotNormal, normal_form, to_latex
from topiceq.corpus.pieces import Display
from topiceq.corpus.shards import all_dropped, shard_files
from topiceq.corpus.source import Article, MemoryFiles, sources
from topiceq.corpus.tex import clean, lex
from topiceq.scores.syntax import check

RESULTS = Path(__file__).parent / "results" / "extract.json"


def whole_articles(folder: Path, count: int, seed: int) -> list[Article]:
    """Random articles that are one file; of the others' files, no reader is given anything."""
    found = []
    for source in sources([folder]):
        for article in source.articles():
            if isinstance(article, Article) and (text := whole_text(article)):
                files = MemoryFiles({"main.tex": text.encode()})
                found.append(Article(article.id, article.field, "main.tex", files))
    random.Random(seed).shuffle(found)
    return found[:count]


def whole_text(article: Article) -> str:
    """The text of an article that reads no other; empty for the rest and for very short ones."""
    text = article.files.read(article.root) or ""
    inputs = ("\\input", "\\include", "\\subfile", "\\import")
    is_whole = len(text) > 5_000 and not any(command in text for command in inputs)
    return text if is_whole else ""


def processor_seconds(act: Callable[[], Any]) -> float:
    """Processor time of this process and its children, the best of three rounds."""
    return min(_round(act) for _ in range(3))


def _round(act: Callable[[], Any]) -> float:
    before = sum(os.times()[:4])
    act()
    return sum(os.times()[:4]) - before


def ours(article: Article) -> int:
    return sum(1 for _ in pairs(article, CorpusConfig()))


def pandoc(text: str) -> list[str] | None:
    """The displays that pandoc finds, macros expanded by it; None if it fails."""
    import pypandoc

    run = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", "latex", "-t", "json"],
        input=text.encode(), capture_output=True, timeout=300,
    )  # fmt: skip
    return None if run.returncode else list(display_math(json.loads(run.stdout)))


def display_math(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if node.get("t") == "Math" and node["c"][0]["t"] == "DisplayMath":
            yield node["c"][1]
        else:
            yield from display_math(list(node.values()))
    elif isinstance(node, list):
        for inner in node:
            yield from display_math(inner)


def pylatexenc(text: str) -> int:
    from pylatexenc.latexwalker import LatexWalker

    return len(LatexWalker(text, tolerant_parsing=True).get_latex_nodes()[0])


def speed(articles: list[Article]) -> dict[str, Any]:
    """Megabytes a second of each reader, on the articles that it can read."""
    texts = [article.files.read(article.root) or "" for article in articles]
    total = sum(len(text.encode()) for text in texts) / 1e6
    times = {
        "topiceq": processor_seconds(lambda: [ours(article) for article in articles]),
        "pandoc": processor_seconds(lambda: [pandoc(text) for text in texts]),
        "pylatexenc": processor_seconds(lambda: [quietly(pylatexenc, text) for text in texts]),
    }
    rates = {name: round(total / spent, 3) for name, spent in times.items()}
    return {
        "articles": len(articles),
        "megabytes": round(total, 2),
        "megabytes_per_second": rates,
        "times_pandoc": round(rates["topiceq"] / rates["pandoc"], 1),
        "times_pylatexenc": round(rates["topiceq"] / rates["pylatexenc"], 1),
    }


def quietly(act: Callable[[str], Any], text: str) -> Any:
    try:
        return act(text)
    except Exception:  # a rival's failure is a result, whatever it raises
        return None


def normal(latex: str, article: Article) -> tuple[str, ...] | None:
    """The normal form of what pandoc gives, package commands rewritten as we do."""
    reader = OpenFiles(article)
    reader.math = True
    try:
        return tuple(normal_form(reader.expanded(lex(clean(latex)))))
    except (NotNormal, MacroLimit):
        return None


def agreement(articles: list[Article]) -> dict[str, Any]:
    """Displays that pandoc finds: how many we find too, and with the same tokens."""
    theirs = found = comparable = same = failed = 0
    differences: list[dict[str, str]] = []
    for article in articles:
        displays = pandoc(article.files.read(article.root) or "")
        if displays is None:
            failed += 1
            continue
        own = [piece for piece in read(article) if isinstance(piece, Display)]
        forms = Counter(form for form in map(own_form, own) if form)
        theirs += len(displays)
        found += min(len(displays), len(own))
        for latex in displays:
            form = normal(latex, article)
            if form is None:
                continue
            comparable += 1
            if forms[form]:
                forms[form] -= 1
                same += 1
            else:
                differences.append({"article": article.id, "pandoc": latex})
    return {
        "pandoc_failed_articles": failed,
        "displays_by_pandoc": theirs,
        "found_by_both": found,
        "found_share": round(found / max(theirs, 1), 4),
        "comparable": comparable,
        "same_tokens_share": round(same / max(comparable, 1), 4),
        "differences": differences,
    }


def own_form(display: Display) -> tuple[str, ...] | None:
    try:
        return tuple(normal_form(display.tokens))
    except NotNormal:
        return None


def compiles(table: pa.Table, count: int, seed: int) -> dict[str, Any]:
    """How many random equations a LaTeX compiler accepts."""
    chosen = random.Random(seed).sample(range(len(table)), min(count, len(table)))
    tokens = table.column("tokens").take(chosen).to_pylist()
    articles = table.column("article").take(chosen).to_pylist()
    latex = [to_latex(each) for each in tokens]
    verdicts = check(latex)
    rejected = [
        {"article": article, "latex": each, "message": verdict.message}
        for each, article, verdict in zip(latex, articles, verdicts, strict=True)
        if not verdict.ok
    ]
    share = 1 - len(rejected) / len(chosen)
    return {"equations": len(chosen), "accepted_share": round(share, 4), "rejected": rejected}


def dropped_commands(folder: Path) -> dict[str, Any]:
    """What the equations that were dropped as `undefined` hold that nobody defines."""
    rows = [json.loads(line) for line in all_dropped(folder)]
    counts: Counter[str] = Counter()
    equations = [row["equation"] for row in rows if row["reason"] == "undefined"]
    for equation in equations:
        counts.update(t for t in lex(equation) if t[0] == "\\" and not is_known(t))
    return {"equations": len(equations), "top": counts.most_common(50)}


def unexpanded(table: pa.Table) -> dict[str, Any]:
    """Control sequences in the tokens that are neither LaTeX's nor AMS's."""
    counts: Counter[str] = Counter()
    for chunk in table.column("tokens").chunks:
        counts.update(chunk.flatten().to_pylist())
    unknown = Counter({t: n for t, n in counts.items() if t[0] == "\\" and not is_known(t)})
    total = sum(counts.values())
    return {
        "tokens": total,
        "unknown_share": round(sum(unknown.values()) / total, 6),
        "top": unknown.most_common(50),
    }


def is_known(token: str) -> bool:
    if token in KNOWN or token.startswith(("\\begin{", "\\end{")):
        return True
    return any(token.startswith(size) for size in SIZED)


def commit() -> str:
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("articles", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--count", type=int, default=100, help="articles for speed and agreement")
    parser.add_argument("--equations", type=int, default=2000, help="equations to compile")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    table = pa.concat_tables([pq.read_table(path) for path in shard_files(options.pairs)])
    some = whole_articles(options.articles, options.count, options.seed)
    result = {
        "command": "python benchmarks/extract.py " + " ".join(sys.argv[1:]),
        "commit": commit(),
        "seed": options.seed,
        "pairs": len(table),
        "unexpanded": unexpanded(table),
        "dropped_as_undefined": dropped_commands(options.pairs),
        "compiles": compiles(table, options.equations, options.seed),
        "speed": speed(some),
        "agreement": agreement(some),
    }
    options.results.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    shown = {k: v for k, v in result.items() if k not in ("compiles", "agreement")}
    print(json.dumps(shown, indent=1))
    print({k: v for k, v in result["compiles"].items() if k != "rejected"})
    print({k: v for k, v in result["agreement"].items() if k != "differences"})


if __name__ == "__main__":
    main()
