"""Articles of all kinds, read for people: how many of their displays a browser can draw."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from research.entries import report
from topiceq.article.files import Broken
from topiceq.article.page import Reading, read
from topiceq.article.pieces import Display
from topiceq.article.source import Article, sources
from topiceq.article.tex import join
from topiceq.views.mathml import how_drawn, in_rows


def drawn(
    articles: Annotated[Path, "a folder, or one of folders by field"],
    *,
    count: Annotated[int, "articles that have displays"] = 60,
    seed: int = 0,
    show: Annotated[int, "of the displays that are not drawn, so many are printed"] = 0,
) -> None:
    """Displays of random articles that the annotated page cannot draw.

    A display is drawn, drawn with names that nobody knows standing in it, or shown as source; of
    those with a diagram there is nothing to draw. Writes results/drawn.json.
    """
    counts: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    for article, reading in readings(articles, count, seed):
        formats[Path(article.root).suffix.lower() or "none"] += 1
        for display in (piece for piece in reading.pieces if isinstance(piece, Display)):
            how = verdict(display)
            counts[how] += 1
            if how not in ("drawn", "diagram") and (show := show - 1) >= 0:
                print(f"{how} {article.id}:{display.line} {' '.join(display.source.split())}")
    formulas = sum(counts.values()) - counts["diagram"]
    report("drawn", {
        "seed": seed, "articles": sum(formats.values()), "formats": dict(formats.most_common()),
        "displays": formulas, "diagrams": counts["diagram"], "unknown_names": counts["lenient"],
        "undrawn": counts["undrawn"], "unread": counts["unread"],
        "undrawn_share": round((counts["undrawn"] + counts["unread"]) / max(formulas, 1), 4),
    })  # fmt: skip


def readings(folder: Path, count: int, seed: int) -> Iterator[tuple[Article, Reading]]:
    """Random articles that have displays, at most one of each source."""
    folders = [each for each in sorted(folder.iterdir()) if each.is_dir()]
    given = [each for part in folders for each in sorted(part.iterdir())] or [folder]
    draw, found = random.Random(seed), 0
    draw.shuffle(given)
    for source in given:
        if found == count:
            return
        for article in one_of(source, draw):
            try:
                reading = read(article)
            except Broken:
                continue
            if any(isinstance(piece, Display) for piece in reading.pieces):
                found += 1
                yield article, reading
                break


def one_of(path: Path, draw: random.Random) -> list[Article]:
    """The articles of a source, in random order."""
    listed = [source for source in sources([path]) if source.key]
    draw.shuffle(listed)
    found = [a for s in listed[:5] for a in s.articles() if isinstance(a, Article)]
    draw.shuffle(found)
    return found[:5]


def verdict(display: Display) -> str:
    """How the page shows a display."""
    if display.reason == "diagram":
        return "diagram"
    if display.reason:
        return "unread"
    return how_drawn(in_rows(join(display.tokens), display.environment))
