"""The explorer in a real browser: how fast it is, pictures of its views, and a tour of it.

Each verb starts `topiceq serve` on a free port and looks at it in Chromium, as a person would.
"""

import io
import os
import shutil
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from research.entries import DOCS, Entry, report
from research.serve import start

ARTICLES = DOCS.parent / "examples" / "articles"
SCHROEDINGER = r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi"
EINSTEIN = r"R_{\mu\nu} - \frac{1}{2} R g_{\mu\nu} = \frac{8 \pi G}{c^4} T_{\mu\nu}"
BAYES = r"P(A \mid B) = \frac{P(B \mid A) P(A)}{P(B)}"
FIELD = "Paste an equation"
WIDE, LAPTOP, PHONE = (1600, 950), (1280, 800), (390, 844)
ARTICLE, BOOK = (50, 1), (200, 14)  # displays of what is read, and sentences before each
ANSWERED = ".plate:not([aria-busy]) .tells"


@contextmanager
def explorer(run: Path | None) -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server."""
    server, address = start(run)
    try:
        with sync_playwright() as playwright:
            path = shutil.which("chromium")
            yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"]), address
    finally:
        server.terminate()


def window(browser: Browser, size: tuple[int, int], *, dark: bool = False) -> Page:
    """A fresh window."""
    return browser.new_page(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce",
        color_scheme="dark" if dark else "light",
    )  # fmt: skip


# -- speed --------------------------------------------------------------------------------------

PAINTED = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const [page] = performance.getEntriesByType("navigation");
  const parts = performance.getEntriesByType("resource");
  const sum = (some) => some.reduce((bytes, part) => bytes + part.transferSize, 0);
  const isLate = ({ name }) => name.endsWith(".woff2") || name.endsWith("api/map");
  return {
    first_paint_ms: Math.round(paint.startTime),
    bytes_without_font: page.transferSize + sum(parts.filter((part) => !isLate(part))),
    bytes_of_points: sum(parts.filter(({ name }) => name.endsWith("api/map"))),
  };
}"""
LABELLED = "() => document.querySelectorAll('.labels text').length > 5 && performance.now()"
PANNED = """async (frames) => {
  const map = document.querySelector(".atlas-map");
  const { left, top, width, height } = map.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const at = (kind, clientX, clientY) => map.dispatchEvent(new PointerEvent(kind,
    { clientX, clientY, pointerId: 1, pointerType: "mouse", bubbles: true }));
  map.setPointerCapture = () => {};
  const took = [];
  at("pointerdown", x, y);
  let before = await new Promise(requestAnimationFrame);
  for (let n = 0; n < frames; n++) {
    at("pointermove", x + 300 * Math.sin(n / 19), y + 200 * Math.sin(n / 23));
    const now = await new Promise(requestAnimationFrame);
    took.push(now - before);
    before = now;
  }
  at("pointerup", x, y);
  return took;
}"""
WAITED = """(text) => new Promise((resolve) => {
  const field = document.querySelector("#asked");
  field.value = text;
  const began = performance.now();
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const isThere = () => document.querySelector(".plate:not([aria-busy]) .tells")
    && !document.querySelector(".old") && document.querySelector(".choice");
  const look = () => isThere() ? resolve(performance.now() - began) : setTimeout(look, 2);
  setTimeout(look, 2);
})"""


def browser(
    run: Path | None = None,
    *,
    rounds: int = 5,
    frames: Annotated[int, "of a map that is dragged"] = 120,
) -> None:
    """Speed of the explorer in Chromium: paint, answer, drag, read. Writes results/browser.json.

    All of it shares the machine with whatever else runs there (`load`); medians of some rounds.
    """
    with explorer(run) as (chromium, address):
        found: Entry = {"load": os.getloadavg()[0], "rounds": rounds}
        paints = [painted(chromium, address) for _ in range(rounds)]
        found["map"] = {name: statistics.median(each[name] for each in paints)
                        for name in paints[0]}  # fmt: skip
        page = window(chromium, LAPTOP)
        page.goto(address)
        page.wait_for_selector(".atlas-map.filled", timeout=120_000)
        found["pan"] = panned(page, frames)
        asked = (SCHROEDINGER, BAYES, EINSTEIN) * rounds
        with worked(page) as seconds:
            waited = [page.evaluate(WAITED, text) for text in asked]
        found["equation_to_answer"] = {
            "ms": round(statistics.median(waited)),
            "work_ms": round(1000 * seconds[0] / len(asked)),
        }
        found["read"] = read_article(page, address, *ARTICLE)
        page.get_by_role("button", name="Another article").click()
        found["read_long"] = read_article(page, address, *BOOK)
    report("browser", found)


def painted(chromium: Browser, address: str) -> dict[str, float]:
    """The start page in a window of its own: when it is painted, when the map has its names."""
    page = window(chromium, LAPTOP)
    page.goto(address)
    named = page.wait_for_function(LABELLED, timeout=120_000).json_value()
    page.wait_for_selector(".atlas-map.filled", timeout=120_000)
    found: dict[str, float] = page.evaluate(PAINTED)
    page.close()
    return found | {"map_named_ms": round(named)}


def panned(page: Page, frames: int) -> dict[str, float]:
    """Frames a second of a zoomed map that is dragged, with all its points."""
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    with worked(page) as seconds:
        took = page.evaluate(PANNED, frames)
    slow = statistics.quantiles(took, n=20)[-1]
    count = page.evaluate("fetch('api/map').then(r => r.arrayBuffer()).then(b => b.byteLength / 4)")
    page.get_by_role("button", name="Whole map").click()
    return {
        "points": count,
        "frames_per_second": round(1000 / statistics.mean(took), 1),
        "p95_ms": round(slow, 1),
        "work_ms_per_frame": round(1000 * seconds[0] / frames, 1),
    }


@contextmanager
def worked(page: Page) -> Iterator[list[float]]:
    """How long the page's own thread has worked: what else runs on the machine does not count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def tasks() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    seconds: list[float] = []
    began = tasks()
    yield seconds
    seconds.append(tasks() - began)


def read_article(page: Page, address: str, displays: int, sentences: int) -> dict[str, float]:
    """Seconds until the first words of an article stand there, and until all of it does."""
    sentence = r"The energy of the state $\psi$ is conserved, and its mass $m$ stays as it is. "
    display = sentences * sentence + r"\[ E_{%d} = m c^2 + \hbar \omega \]"
    text = "\n\n".join(display % n for n in range(displays))
    source = rf"\documentclass{{article}}\begin{{document}}{text}\end{{document}}"
    page.goto("about:blank")
    page.goto(f"{address}/#/reader")
    file: Any = {"name": "a.tex", "mimeType": "text/x-tex", "buffer": source.encode()}
    inside = page.frame_locator("iframe")
    began = page.evaluate("performance.now()")
    page.get_by_label("Choose an article").set_input_files(file)
    inside.locator("p").first.wait_for(timeout=120_000)
    words = page.evaluate("performance.now()") - began
    inside.locator("figure .bar").nth(displays - 1).wait_for(timeout=120_000)
    took = page.evaluate("performance.now()") - began
    return {
        "displays": displays, "words": len(text.split()),
        "first_words_seconds": round(words / 1000, 2), "seconds": round(took / 1000, 2),
    }  # fmt: skip


# -- pictures -----------------------------------------------------------------------------------


def pictures(
    run: Path | None = None,
    *,
    out: Annotated[Path, "a folder"] = DOCS / "images",
    article: Path = ARTICLES / "quantum" / "harmonic_oscillator.tex",
) -> None:
    """Pictures of the views for the documentation, all taken anew."""
    with explorer(run) as (chromium, address):
        for name, (size, dark, look) in VIEWS.items():
            page = window(chromium, size, dark=dark)
            page.goto(address)
            page.wait_for_selector(".atlas-map.filled", timeout=120_000)
            look(page, article)
            page.wait_for_timeout(1_500)
            page.screenshot(path=out / f"{name}.png")
            page.close()
            print(out / f"{name}.png")


def go(page: Page, address: str, sign: str) -> None:
    """Another view of the same page, once it is there."""
    page.evaluate("to => { location.hash = to }", address)
    page.wait_for_selector(sign, timeout=60_000)


def of_map(page: Page, article: Path) -> None:
    """The map as it is opened."""


def of_equation(page: Page, article: Path) -> None:
    """An equation, labelled and lit."""
    go(page, f"#/equation?e={quote(EINSTEIN)}", ANSWERED)


def of_topic(page: Page, article: Path) -> None:
    """One of the topics that an equation is about."""
    go(page, f"#/equation?e={quote(SCHROEDINGER)}", ".choice")
    topic = page.locator(".choice input").first.get_attribute("value")
    go(page, f"#/topics/{topic}", ".relatives a")


def of_points(page: Page, article: Path) -> None:
    """The map from near, with an equation that is pointed at."""
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
    box = page.locator(".atlas-map").bounding_box()
    assert box is not None
    found = (at(box, n) for n in range(200))
    while page.locator(".found:visible").count() == 0:
        page.mouse.move(*next(found))
        page.wait_for_timeout(250)


def at(box: FloatRect, n: int) -> tuple[float, float]:
    """Places around the middle of a map, one after the other."""
    return box["x"] + box["width"] * (0.5 + n % 9 / 60), box["y"] + box["height"] * (0.5 + n / 600)


def of_article(page: Page, article: Path) -> None:
    """An annotated article."""
    go(page, "#/reader", ".zone")
    page.get_by_label("Choose an article").set_input_files(article)
    figure = page.frame_locator("iframe").locator("figure").nth(1)
    figure.wait_for(timeout=120_000)
    figure.scroll_into_view_if_needed()


View = tuple[tuple[int, int], bool, Callable[[Page, Path], None]]
VIEWS: dict[str, View] = {
    "explorer-map": (WIDE, False, of_map),
    "explorer-equation": (LAPTOP, False, of_equation),
    "explorer-topic-dark": (WIDE, True, of_topic),
    "explorer-points": (LAPTOP, True, of_points),
    "explorer-map-phone": (PHONE, False, of_map),
    "explorer-equation-phone": (PHONE, True, of_equation),
    "annotate-wide": (LAPTOP, False, of_article),
}


# -- a tour -------------------------------------------------------------------------------------

FRAME = (1120, 700)
SHRUNK, COLOURS = 0.72, 200  # of the pictures of the tour: a file that a page can show at once
QUICK, SLOW = 90, 1_600  # milliseconds that a frame is shown


def tour(
    run: Path | None = None, *, out: Annotated[Path, "a .gif"] = DOCS / "images" / "tour.gif"
) -> None:
    """A short tour as an animated picture: the map, an equation typed, words, points from near."""
    with explorer(run) as (chromium, address):
        page = window(chromium, FRAME)
        page.goto(address)
        page.wait_for_selector(".atlas-map.filled", timeout=120_000)
        page.wait_for_timeout(500)
        frames = [*walk(page)]
    save(frames, out)
    print(out, f"{out.stat().st_size:,} bytes")


def walk(page: Page) -> Iterator[tuple[bytes, int]]:
    """Pictures of a page, each with how long it is shown."""
    yield page.screenshot(), SLOW
    field = page.get_by_label(FIELD)
    for end in range(3, len(SCHROEDINGER), 9):
        field.fill(SCHROEDINGER[:end])
        yield page.screenshot(), QUICK
    field.fill(SCHROEDINGER)
    page.wait_for_selector(f"{ANSWERED}")
    page.wait_for_timeout(700)
    yield page.screenshot(), 2 * SLOW
    field.fill("neural networks")
    page.wait_for_selector(".called")
    page.wait_for_timeout(500)
    yield page.screenshot(), SLOW
    field.fill("")
    page.wait_for_timeout(400)
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(350)
        yield page.screenshot(), 3 * QUICK
    box = page.locator(".atlas-map").bounding_box()
    assert box is not None
    found = (at(box, n) for n in range(200))
    while page.locator(".found:visible").count() == 0:
        page.mouse.move(*next(found))
        page.wait_for_timeout(250)
    yield page.screenshot(), 2 * SLOW


def save(frames: list[tuple[bytes, int]], out: Path) -> None:
    """Frames as one animated GIF, all in the colours that they share."""
    from PIL import Image  # of the extra `bench`

    pictures = [Image.open(io.BytesIO(data)).convert("RGB") for data, _ in frames]
    width, height = pictures[0].size
    size = round(SHRUNK * width), round(SHRUNK * height)
    small = [picture.resize(size, Image.Resampling.LANCZOS) for picture in pictures]
    strip = Image.new("RGB", (size[0], size[1] * len(small)))
    for number, picture in enumerate(small):
        strip.paste(picture, (0, size[1] * number))
    # the few pixels of a colour that lights up count as much as the paper does
    palette = strip.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    first, *rest = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in small)
    first.save(out, save_all=True, append_images=rest, loop=0, optimize=True, disposal=1,
               duration=[shown for _, shown in frames])  # fmt: skip
