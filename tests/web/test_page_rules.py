"""What holds for every view of the page: safe, accessible, light, and useful without a server."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from axe import violations
from fake import PAGE, POINTS, drawn, topics, whole_topic
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from playwright.sync_api import Page, Route, expect
from serving import served

from topiceq.views.templates import SHARED

Opener = Callable[..., Page]

VIEWS = {
    "#/topics": ".topics li",
    "#/topics/57": ".relatives li",
    "#/topics?q=qubit": ".called",
    "#/equation": ".examples a",
    "#/equation?e=x%5E%7B2%7D+%5C%7D%5Crho": ".tells",
    "#/context?c=a+matrix+and+its+eigenvalues": ".equations math",
    "#/reader": ".zone",
}


def ready(page: Page, sign: str) -> Page:
    expect(page.locator(sign).first).to_be_attached()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy]")).to_have_count(0)  # what is on its way is faded
    return page


@pytest.mark.parametrize(
    ("width", "dark"), [(1600, False), (1280, True), (390, False), (390, True)]
)
def test_views_break_no_rule_of_accessibility(visit: Opener, width: int, dark: bool) -> None:
    page = visit(width=width, dark=dark)
    for address, sign in VIEWS.items():
        page.goto(address)
        assert violations(ready(page, sign)) == [], address
        assert page.locator("h1:visible").count() == 1


def test_nothing_is_wider_than_a_phone(visit: Opener) -> None:
    page = visit(width=390)
    for address, sign in VIEWS.items():
        page.goto(address)
        ready(page, sign)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address


def test_the_start_page_is_light(visit: Opener) -> None:
    page = ready(visit(), ".topics li")
    sizes = """performance.getEntriesByType('resource')
      .filter(e => !e.name.endsWith('.woff2') && !e.name.endsWith('api/map'))
      .map(e => e.transferSize)"""
    page_size = page.evaluate("performance.getEntriesByType('navigation')[0].transferSize")
    assert page_size + sum(page.evaluate(sizes)) < 300_000


def test_equations_are_fetched_after_the_map_is_painted(visit: Opener) -> None:
    page = ready(visit(), ".atlas-map.filled")
    first = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    points = "performance.getEntriesByType('resource').find(e => e.name.endsWith('api/map'))"
    assert page.evaluate(f"{first} < {points}.startTime")
    assert page.evaluate(f"{points}.decodedBodySize") == 4 * POINTS


# -- nothing that is told becomes markup ---------------------------------------------------------

HOSTILE = "<img src=x onerror=alert(1)>"
FORMULAS = [
    "<math><script>alert(1)</script></math>",
    "<math><mtext><img src='x' onerror='alert(1)'/></mtext></math>",
    "<svg onload='alert(1)'/>",
    "<mathematics/>",
    "<code>x</code>",
    "",
]


def test_a_formula_with_anything_else_in_it_is_shown_as_source(visit: Opener) -> None:
    page = visit("#/equation")
    answer: dict[str, str] = {}
    page.route("**/api/explain*", lambda route: route.fulfill(json=answer))
    for number, markup in enumerate(FORMULAS):
        answer |= {"equation": f"{HOSTILE} {number}", "mathml": markup}
        page.get_by_label("Paste an equation").fill(f"x_{number}")
        expect(page.locator(".plate .stage code")).to_have_text(answer["equation"])
        assert page.locator(".plate").locator("script, img, svg:not(.leaders), math").count() == 0


def test_attributes_that_do_not_draw_are_dropped(visit: Opener) -> None:
    page = visit("#/equation")
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" onclick="alert(1)" href="javascript:1">'
        '<mtable><mtr><mtd style="text-align:left;background:url(//elsewhere.example)">'
        '<mi mathvariant="normal">x</mi></mtd></mtr></mtable></math>'
    )
    page.route("**/api/explain*", lambda r: r.fulfill(json={"equation": "x", "mathml": math}))
    page.get_by_label("Paste an equation").fill("x")
    drawn_math = page.locator(".plate .stage math")
    expect(drawn_math).to_have_text("x")
    assert drawn_math.evaluate("m => m.getAttributeNames()") == []
    cell = page.locator(".plate mtd")
    assert cell.get_attribute("style") == "text-align: left;"
    assert page.locator(".plate mi").get_attribute("mathvariant") == "normal"


def test_texts_of_the_server_are_texts(visit: Opener) -> None:
    page = visit("#/reader")
    hostile = [
        one | {"label": HOSTILE, "words": [HOSTILE], "tokens": [HOSTILE]} for one in topics()
    ]

    phrase = {"phrase": HOSTILE, "p": 0.1, "source": HOSTILE}
    one = hostile[0] | {
        "equations": [drawn({"equation": HOSTILE, "article": HOSTILE, "line": 1})],
        "symbols": [{"symbol": HOSTILE, "mathml": HOSTILE, "phrases": [phrase]}],
        "weights": [{"word": HOSTILE, "p": 0.1}],
        "related": [{"topic": 1, "label": HOSTILE, "similarity": 0.5}],
    }

    def answer(route: Route) -> None:
        route.fulfill(json=one if route.request.url.endswith("/0") else hostile)

    page.route("**/api/topics**", answer)
    page.route("**/api/topics/*", answer)
    page.goto("#/topics/0")
    expect(page.locator("h1:visible")).to_have_text(HOSTILE)
    expect(page.locator(".relatives a")).to_have_text(HOSTILE)
    assert page.locator("img").count() == 0


# -- without a server ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page as `topiceq serve --export` writes it."""
    site = tmp_path / "site"
    shutil.copytree(PAGE, site)
    for name, path in SHARED.items():
        shutil.copy(path, site / name)
    index = site / "index.html"
    mark = '<head>\n<meta name="topiceq-static" content="true">'
    index.write_text(index.read_text(encoding="utf-8").replace("<head>", mark), encoding="utf-8")
    (site / "api" / "topics").mkdir(parents=True)
    one = whole_topic(topics()[57], True) | {"generated": [drawn({"equation": "a = b"})]}
    model = {"topics": 100, "decoders": ["te-lstm"], "can": {"generate": True}, "pairs": 52_076,
             "version": "0.1.0", "name": "pretrained"}  # fmt: skip
    for name, shape in {"model": model, "topics": topics(), "topics/57": one}.items():
        (site / "api" / f"{name}.json").write_text(json.dumps(shape), encoding="utf-8")
    return site


def test_a_folder_of_files_shows_the_topics(visit: Opener, folder: Path) -> None:
    app = FastAPI()
    app.mount("/deep/down", StaticFiles(directory=folder, html=True))
    with served(app) as address:
        page = visit("deep/down/", site=address)
        page.locator('.map a[data-topic="57"]').click()
        expect(
            page.get_by_role("region", name="Written by the model").locator("math")
        ).to_have_text("a=b")
        expect(page.get_by_role("link", name="Ask about it")).to_have_count(0)
        for name in ("Equation", "Words", "Reader"):
            page.get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("heading", name="This needs a model")).to_be_visible()
            expect(page.locator("main")).to_contain_text("topiceq serve")


def test_every_module_is_fetched_at_once() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    missing = [path.name for path in PAGE.glob("*.js") if f'"{path.name}"' not in index]
    assert missing == []
