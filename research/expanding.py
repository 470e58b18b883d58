r"""Articles without their author's macros, set by pdflatex beside the articles as they are."""

import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

from research.entries import NOT_RUN, Entry, read_if, report
from topiceq.article.expand import Expanded, expanded
from topiceq.article.source import Article, sources

SIZE = 60_000_000  # bytes of a repository that is copied
BYTES = (3_000, 200_000)  # of a main file
PAGES = 60
SECONDS = 60.0  # for one run of pdflatex
OPTIONS = r"\pdfcompresslevel=0\pdfobjcompresslevel=0"
STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.S)
SHOWN = re.compile(rb"\(((?:\\.|[^()\\])*)\)")  # cut where TeX kerns, which glue may move


class Pages(NamedTuple):
    """What pdflatex made of an article."""

    number: int
    text: bytes  # all strings that its pages show, in order


def expanding(
    articles: Annotated[Path, "a folder of repositories, in folders of fields"],
    *,
    count: Annotated[int, "articles, one of a repository"] = 30,
    seed: int = 22,
) -> None:
    """Same pages, same text: articles as they are and without their author's macros.

    Drawn by lot among those that pdflatex sets as they are and that use macros of their own.
    Writes results/expanding.json.
    """
    folders = sorted(path for path in articles.glob("*/*") if path.is_dir())
    random.Random(seed).shuffle(folders)
    found: list[Entry] = []
    for folder in folders:
        entry = of_repository(folder, seed)
        if entry:
            found.append(
                {"article": f"{folder.parent.name}/{folder.name}/{entry.pop('root')}"} | entry
            )
            print(found[-1], flush=True)
        if len(found) == count:
            break
    same = sum(entry["pages"] == entry["pages_expanded"] and entry["same_text"] for entry in found)
    clean = sum(not entry["left"] for entry in found)
    report("expanding", {"seed": seed, "articles": len(found), "same_pages_and_text": same,
                         "no_macro_left_in_mathematics": clean, "each": found})  # fmt: skip


def of_repository(folder: Path, seed: int) -> Entry | None:
    """One article of a repository, measured; None if none of some can be set, or has macros."""
    if sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) > SIZE:
        return None
    readable = [
        article
        for source in sources([folder], field="none")
        if getattr(source, "root", "").endswith(".tex")
        for article in source.articles()
        if isinstance(article, Article) and is_document(article)
    ]
    random.Random(seed).shuffle(readable)
    for article in readable[:3]:
        plain = expanded(article)
        if not plain.replaced:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            copy = Path(temporary) / "article"
            shutil.copytree(folder, copy, symlinks=True)
            if measured := compared(copy / article.root, plain):
                return {"root": article.root} | measured
    return None


def is_document(article: Article) -> bool:
    text = article.files.read(article.root) or ""
    return "\\documentclass" in text and BYTES[0] < len(text) < BYTES[1]


def compared(main: Path, plain: Expanded) -> Entry | None:
    """The pages of an article and of its expansion; None if it cannot be set as it is."""
    before = pages(main)
    if before is None or before.number > PAGES:
        return None
    for left in main.parent.glob(main.stem + ".*"):
        if left.suffix in (".aux", ".toc", ".out", ".pdf", ".lof", ".lot"):
            left.unlink()
    main.write_text(plain.latex, encoding="utf-8")
    after = pages(main)
    return {
        "pages": before.number,
        "pages_expanded": after.number if after else 0,
        "same_text": bool(after and after.text == before.text),
        "macros": len(plain.replaced),
        "replaced": plain.replaced.total(),
        "left": dict(plain.left),
    }


def pages(main: Path) -> Pages | None:
    """What pdflatex makes of a file in two runs."""
    command = ["pdflatex", "-interaction=nonstopmode", "-jobname", main.stem,
               f"{OPTIONS}\\input{{{main.name}}}"]  # fmt: skip
    for _ in range(2):
        try:
            subprocess.run(command, cwd=main.parent, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None
    made = main.with_suffix(".pdf")
    if not made.exists():
        return None
    content = made.read_bytes()
    shown = [
        b"".join(SHOWN.findall(stream)) for stream in STREAM.findall(content) if b"BT" in stream
    ]
    return Pages(len(re.findall(rb"/Type\s*/Page\b", content)), b"".join(shown))


def expanding_shown() -> str:
    """What came of it, in a sentence."""
    found = read_if("expanding")
    if not found:
        return NOT_RUN
    replaced = sum(entry["replaced"] for entry in found["each"])
    return (
        f"Of {found['articles']} articles drawn by lot (seed {found['seed']}), with "
        f"{replaced:,} uses of their authors' macros, pdflatex gives the same number of pages and "
        f"the same text for {found['same_pages_and_text']}; no such macro is left in mathematics "
        f"in {found['no_macro_left_in_mathematics']}."
    )
