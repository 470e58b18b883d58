"""Lines over years as SVG: labels at their ends, the colours of the page that it stands in."""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 360, 44, 230, 14, 26
COLOURS = ("#4269d0", "#efb118", "#ff725c", "#3ca951", "#9c6b4e", "#a463f2", "#6cc5b0", "#97bbf5")
APART = 14  # between labels


def timeline(years: Sequence[str], lines: Sequence[tuple[str, Sequence[float]]]) -> str:
    """An SVG of shares over years: a line for each name."""
    most = max((max(line) for _, line in lines), default=0) or 1
    across = (WIDTH - LEFT - RIGHT) / max(1, len(years) - 1)
    up = (HEIGHT - TOP - BOTTOM) / most
    parts = [_axes(years, most, across)]
    ends = _apart([HEIGHT - BOTTOM - line[-1] * up for _, line in lines])
    for number, ((name, line), end) in enumerate(zip(lines, ends, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        points = [(LEFT + i * across, HEIGHT - BOTTOM - y * up) for i, y in enumerate(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{end + 4:.1f}" fill="{colour}">'
                     f"{escape(name)}</text>")  # fmt: skip
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n')  # fmt: skip


def _axes(years: Sequence[str], most: float, across: float) -> str:
    """The years below, and the largest share on the left."""
    every = -(-len(years) // 12)
    below = "".join(
        f'<text x="{LEFT + i * across:.1f}" y="{HEIGHT - 8}" text-anchor="middle" fill="#888">'
        f"{escape(year)}</text>"
        for i, year in enumerate(years) if i % every == 0
    )  # fmt: skip
    ground = HEIGHT - BOTTOM
    return (
        f'<path d="M{LEFT} {TOP}V{ground}H{WIDTH - RIGHT}" fill="none" stroke="#888"/>{below}'
        f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end" fill="#888">{most:.0%}</text>'
        f'<text x="{LEFT - 6}" y="{ground}" text-anchor="end" fill="#888">0</text>'
    )


def _apart(places: Sequence[float]) -> list[float]:
    """The places of labels, moved so that none covers another."""
    moved = list(places)
    order = sorted(range(len(moved)), key=moved.__getitem__)
    for above, below in zip(order, order[1:], strict=False):
        moved[below] = max(moved[below], moved[above] + APART)
    return moved
