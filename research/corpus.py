"""The corpus: how well articles are read, and a smaller corpus drawn from a large one."""

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq

from research.entries import Entry, report
from topiceq.article.commands import KNOWN, SIZED
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.macros.expander import MacroLimit
from topiceq.article.macros.packages import latex_expander
from topiceq.article.pieces import Display
from topiceq.article.source import Article, is_latex, sources
from topiceq.article.tex import clean, lex
from topiceq.config import CorpusConfig
from topiceq.corpus.extract import pairs as pairs_of
from topiceq.corpus.shards import all_dropped, shard_files
from topiceq.corpus.split import SPLITS, split_of
from topiceq.corpus.store import Corpus
from topiceq.scores.syntax import check


def quarter(corpus: Path, *, out: Path) -> None:
    """A quarter of a corpus, for several seeds, which the whole of it would make too dear.

    Articles are drawn whole, by a hash of their id, and split anew; the vocabularies are learned
    from what is then train.
    """
    whole = Corpus.load(corpus)
    config = whole.config.model_copy(update={"min_df": None})  # which goes with the size
    pairs = (pair for name in SPLITS for pair in whole.split(name).pairs())
    drawn = (pair for pair in pairs if is_drawn(pair.article))
    made = Corpus.build(drawn, config=config, path=out)
    print(made, made.digest)


def is_drawn(article: str) -> bool:
    """The first of two shares, by a hash like that of the splits, but not the same one."""
    return split_of(article, (25, 75, 0), "quarter") == 0


# -- extraction ---------------------------------------------------------------------------------


def extract(
    articles: Annotated[Path, "a folder of LaTeX"],
    pairs: Annotated[Path, "the output of `topiceq extract ARTICLES -o PAIRS`"],
    *,
    count: Annotated[int, "articles for speed and agreement"] = 100,
    equations: Annotated[int, "equations to compile"] = 2_000,
    seed: int = 0,
) -> None:
    """Extraction: speed and agreement beside pandoc, what compiles, what is left unexpanded.

    Speeds are of one process, in processor time with that of child processes, the best of three
    rounds, one reader after another in this run: read them as ratios. Writes results/extract.json.
    """
    table = pa.concat_tables([pq.read_table(path) for path in shard_files(pairs)])
    some = whole_articles(articles, count, seed)
    report("extract", {
        "seed": seed,
        "pairs": len(table),
        "unexpanded": unexpanded(table),
        "dropped_as_undefined": dropped_commands(pairs),
        "compiles": compiles(table, equations, seed),
        "speed": speed(some),
        "agreement": agreement(some),
    })  # fmt: skip


def whole_articles(folder: Path, count: int, seed: int) -> list[Article]:
    """Random articles that are one file; of the others' files, no reader is given anything."""
    found = []
    for source in sources([folder]):
        for article in source.articles():
            if (
                isinstance(article, Article)
                and is_latex(article.root)
                and (text := whole_text(article))
            ):
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
    spent = []
    for _ in range(3):
        before = sum(os.times()[:4])
        act()
        spent.append(sum(os.times()[:4]) - before)
    return min(spent)


def pandoc(text: str, format: str = "latex") -> list[str] | None:
    """The displays that pandoc finds, macros expanded by it; None if it fails."""
    import pypandoc

    run = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", format, "-t", "json"],
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


def speed(articles: list[Article]) -> Entry:
    """Megabytes a second of each reader, on the articles that it can read."""
    texts = [article.files.read(article.root) or "" for article in articles]
    total = sum(len(text.encode()) for text in texts) / 1e6
    times = {
        "topiceq": processor_seconds(lambda: [list(pairs_of(a, CorpusConfig())) for a in articles]),
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
    x = latex_expander()
    x.math = True
    try:
        return tuple(normal_form(x.expanded(lex(clean(latex)))))
    except (NotNormal, MacroLimit):
        return None


def agreement(articles: list[Article]) -> Entry:
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


def compiles(table: pa.Table, count: int, seed: int) -> Entry:
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


def dropped_commands(folder: Path) -> Entry:
    """What the equations that were dropped as `undefined` hold that nobody defines."""
    rows = [json.loads(line) for line in all_dropped(folder)]
    counts: Counter[str] = Counter()
    equations = [row["equation"] for row in rows if row["reason"] == "undefined"]
    for equation in equations:
        counts.update(t for t in lex(equation) if t[0] == "\\" and not is_known(t))
    return {"equations": len(equations), "top": counts.most_common(50)}


def unexpanded(table: pa.Table) -> Entry:
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
