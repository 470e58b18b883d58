"""The topics over an article's length as a small picture: one band a topic, a tick a display."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from topiceq.corpus.pieces import Display, Heading

if TYPE_CHECKING:
    from topiceq.tasks.annotate.annotated import Annotated

WIDTH, HEIGHT, TICKS = 640, 72, 10


def course_svg(annotated: "Annotated", colours: Mapping[int, str]) -> str:
    """Bands stacked from below, the most frequent topic first; what no band shows is grey."""
    share = annotated.course / annotated.course.sum(1, keepdims=True)  # (columns, K)
    edges = [np.zeros(len(share))]
    bands = []
    for topic, colour in colours.items():
        edges.append(edges[-1] + share[:, topic])
        bands.append(f'<path d="{_band(edges[-2], edges[-1])}" style="fill:{colour}"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + TICKS}" role="img" '
        'aria-label="Shares of topics from the beginning of the article to its end">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" style="fill:var(--rule)"/>'
        f"{''.join(bands)}{''.join(_lines(annotated))}</svg>"
    )


def _band(lower: np.ndarray, upper: np.ndarray) -> str:
    """A band in steps: what a column shows is the mean of its window, nothing between is known."""
    step = WIDTH / len(lower)
    there = [f"{n * step:.1f},{HEIGHT * (1 - y):.1f} {(n + 1) * step:.1f},{HEIGHT * (1 - y):.1f}"
             for n, y in enumerate(upper)]  # fmt: skip
    back = [f"{(n + 1) * step:.1f},{HEIGHT * (1 - y):.1f} {n * step:.1f},{HEIGHT * (1 - y):.1f}"
            for n, y in reversed(list(enumerate(lower)))]  # fmt: skip
    return "M" + " ".join(there + back) + "Z"


def _lines(annotated: "Annotated") -> list[str]:
    """A tick for each display, a cut for each section, where they stand in the text."""
    pieces = annotated.reading.pieces
    lengths = [0 if isinstance(p, Display | Heading) else len(p.text) for p in pieces]
    total = max(1, sum(lengths))
    out, before = [], 0
    for place, (piece, length) in enumerate(zip(pieces, lengths, strict=True)):
        x = f"{WIDTH * before / total:.1f}"
        if isinstance(piece, Display):
            out.append(
                f'<a href="#p{place}"><line class="tick" x1="{x}" x2="{x}" '
                f'y1="{HEIGHT + 3}" y2="{HEIGHT + TICKS}"/></a>'
            )
        elif isinstance(piece, Heading) and piece.level <= 2:
            out.append(f'<line class="part" x1="{x}" x2="{x}" y1="0" y2="{HEIGHT}"/>')
        before += length
    return out
