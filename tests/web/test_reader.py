"""The annotated article in a real browser: saved as a file, and in the Reader's frame."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from axe import violations
from playwright.sync_api import Browser, FrameLocator, Page, expect

from topiceq.article.page import read
from topiceq.article.pieces import Display, Prose
from topiceq.model.topics import Topic, Typical
from topiceq.tasks.annotate import InlineNote, Note, one_article
from topiceq.tasks.explain import Explained, Phrase
from topiceq.tasks.infer import TopicShare
from topiceq.views import page as views
from topiceq.views.report import Answer, report

Opener = Callable[..., Page]

FILLER = "The flow is slow, and words go on and on, so that there is something to scroll. " * 30
ARTICLE = rf"""\documentclass{{article}}
\title{{Slow Flows}}
\begin{{document}}
\section{{First}}\label{{s:first}}
{FILLER}
\begin{{equation}}\label{{e:flow}} \rho \dot u = - \nabla p \end{{equation}}
{FILLER}
\section{{Second}}
By \eqref{{e:flow}} of section \ref{{s:first}}, with $\rho$ as before, it is
\[ {" + ".join(f"a_{{{n}}}" for n in range(60))} = 0. \]
{FILLER}
\end{{document}}"""


@pytest.fixture(scope="session")
def annotated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of an article that no model has read."""
    path = tmp_path_factory.mktemp("article") / "slow.tex"
    path.write_text(ARTICLE, encoding="utf-8")
    reading = read(one_article(str(path)))
    topics = [TopicShare(3, 0.7, "slow flows", ["flow"]), TopicShare(5, 0.2, "words", ["word"])]
    rho = Explained(r"\rho", [Phrase("density", None, "text", sentence="It is the density.")])
    notes = {
        place: Note(
            number=reading.numbers.get(place, ""), line=1, equation=piece.source,
            latex=piece.source, environment=piece.environment, topics=topics[:1],
            symbols=[rho] if "rho" in piece.source else [],
            forms=[(r"\rho",)] if "rho" in piece.source else [],
        )
        for place, piece in enumerate(reading.pieces) if isinstance(piece, Display)
    }  # fmt: skip
    place, _ = next((n, p) for n, p in enumerate(reading.pieces)
                    if isinstance(p, Prose) and r"\rho" in p.text)  # fmt: skip
    inline = {place: [InlineNote(r"\rho", [rho], [(r"\rho",)])]}
    timeline = np.full((12, 8), 0.02, dtype=np.float32)
    timeline[:, 3], timeline[:, 5] = 0.7, 0.2
    page = views.Page(
        reading=reading, notes=notes, glossary=[rho], inline=inline, sentences={}, topics=topics,
        timeline=timeline, explains=False,
    )  # fmt: skip
    return page.html()


@pytest.fixture
def reader(visit: Opener, annotated: str) -> Callable[..., Page]:
    """The Reader with the article in it."""

    def read_article(**window: object) -> Page:
        page = visit("#/reader", **window)
        page.route("**/api/annotate*", lambda route: route.fulfill(body=annotated))
        file = {"name": "slow.tex", "mimeType": "text/x-tex", "buffer": ARTICLE.encode()}
        page.get_by_label("Choose an article").set_input_files(file)
        expect(page.frame_locator("iframe").locator("h1")).to_have_text("Slow Flows")
        return page

    return read_article


def test_there_is_an_example_to_read(visit: Opener, annotated: str) -> None:
    page = visit("#/reader")
    page.route("**/api/annotate*", lambda route: route.fulfill(body=annotated))
    with page.expect_response("**/example.tex") as answer:
        page.get_by_role("button", name="Read an example").click()
    assert answer.value.ok and answer.value.header_value("content-length") != "0"
    expect(page.frame_locator("iframe").locator("h1")).to_have_text("Slow Flows")


def inside(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


SCROLLED = "document.querySelector('iframe').contentWindow.scrollY"


def test_coming_back_loses_nothing(reader: Callable[..., Page]) -> None:
    page = reader()
    figure = inside(page).locator("figure").first
    expect(figure).to_have_css("display", "block")
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator(".map a").first).to_be_visible()
    page.get_by_role("link", name="Reader", exact=True).click()
    expect(figure).to_have_css("display", "block")
    figure.locator("[data-symbol]").first.hover()
    expect(inside(page).get_by_role("status")).to_contain_text("density")
    page.reload()
    expect(inside(page).locator("h1")).to_have_text("Slow Flows")
    expect(figure).to_have_css("display", "block")
    page.get_by_role("button", name="Another article").click()
    expect(page.get_by_label("Choose an article")).to_be_attached()
    page.reload()
    expect(page.get_by_text("Choose an article")).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)


def test_a_symbol_lights_up_wherever_it_is_used(reader: Callable[..., Page]) -> None:
    page = reader()
    inside(page).locator("p [data-symbol]").first.hover()
    expect(inside(page).get_by_role("status")).to_contain_text("density")
    lit = inside(page).locator("math.on, math .on")
    expect(lit).to_have_count(2)  # in its sentence and in the display
    inside(page).locator("figure math [data-symbol]").first.hover()
    expect(lit).to_have_count(2)


def test_only_the_article_scrolls(reader: Callable[..., Page]) -> None:
    for width in (1280, 390):
        page = reader(width=width)
        root = "document.scrollingElement"
        assert page.evaluate(f"{root}.scrollHeight <= {root}.clientHeight")
        root = "document.querySelector('iframe').contentDocument.scrollingElement"
        assert page.evaluate(f"{root}.scrollHeight > {root}.clientHeight")
        assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_the_timeline_leads_to_its_places(reader: Callable[..., Page]) -> None:
    page = reader()
    columns = inside(page).locator(".timeline a")
    expect(columns).to_have_count(12)
    columns.nth(9).click()
    page.wait_for_function(f"{SCROLLED} > 400")
    expect(inside(page).locator(".timeline")).to_be_in_viewport()
    here = inside(page).locator(".timeline .here")
    expect(here).not_to_have_attribute("x", "0")


def test_references_show_what_they_lead_to(reader: Callable[..., Page]) -> None:
    page = reader()
    inside(page).locator('p a[href^="#"]').first.hover()
    expect(inside(page).get_by_role("status").locator("math")).to_contain_text("ρ")
    page.keyboard.press("Escape")


def test_wide_displays_fade_where_they_go_on(reader: Callable[..., Page]) -> None:
    page = reader()
    wide = inside(page).locator(".formula.goes-on")
    expect(wide).to_have_count(1)
    expect(wide).to_have_attribute("tabindex", "0")
    wide.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
    expect(inside(page).locator(".formula.began:not(.goes-on)")).to_have_count(1)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_pages_that_are_saved_break_no_rule_of_accessibility(
    browser: Browser, annotated: str, tmp_path: Path, width: int, dark: bool
) -> None:
    flows = Topic(0, "slow flows", ["flow"], [r"\rho"], [Typical("a = b", "slow", 1, 0.9)], 1.0)
    history = [{"epoch": n, "valid": {"words": 90.0 - n}} for n in range(3)]
    answer = Answer("What flows?", r"\dot u = 0", "a run", [{"label": "slow flows", "p": 0.9}])
    whole = report([flows], history, {}, [answer], {"npmi": 0.1}, annotated)
    pages = {"article": annotated, "report": whole}
    scheme: Literal["dark", "light"] = "dark" if dark else "light"
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for name, text in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    page.close()


def test_a_saved_page_lives_by_itself(browser: Browser, annotated: str, tmp_path: Path) -> None:
    path = tmp_path / "saved.html"
    path.write_text(annotated, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("figure [data-symbol]").first.hover()
    expect(page.get_by_role("status")).to_contain_text("density")
    expect(page.locator(".formula.goes-on")).to_have_count(1)
    assert page.evaluate("document.fonts.check('20px \"STIX Two Math\"', 'ρ')")
    page.close()
