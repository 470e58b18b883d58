"""Every view of the page with the model that ships, its real server and a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe import violations
from playwright.sync_api import Locator, Page, expect
from serving import served

from topiceq import TopicEq
from topiceq.web.app import create_app

Opener = Callable[..., Page]

ARTICLE = Path(__file__).parents[2] / "examples/articles/quantum/harmonic_oscillator.tex"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(create_app(TopicEq.load())) as address:
        yield address


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def test_topics(visit: Opener, address: str) -> None:
    page = visit(site=address)
    expect(page.locator(".map a").first).to_be_attached()
    expect(page.locator(".atlas-map.filled")).to_be_visible()
    expect(page.locator(".labels .region").first).to_be_visible()
    page.locator(".topics li a").first.click()
    expect(page.locator(".words li")).to_have_count(20)
    expect(section(page, "Typical equations of the corpus").locator("math").first).to_be_visible()
    expect(section(page, "Written by the model").locator("math")).to_have_count(3)
    expect(section(page, "Related topics").get_by_role("link").first).to_be_visible()


def test_words_and_equations_light_up(visit: Opener, address: str) -> None:
    page = visit(site=address)
    field = page.get_by_label("Paste an equation")
    field.fill("quantum")
    expect(page.locator(".map a.hot").first).to_be_attached()
    field.fill(r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi")
    expect(page.locator(".plate .stage math")).to_be_visible()
    expect(page.locator(".tells").first).to_be_visible()
    expect(page.locator(".pin")).to_be_visible()
    expect(section(page, "Equations like it").locator("math").first).to_be_visible()


@pytest.mark.parametrize(
    "typed", ["$x^2$", "a = b\nc = d", "<math><mi>E</mi><mo>=</mo><mi>m</mi></math>", "∇·E = ρ/ε₀"]
)
def test_equations_as_people_paste_them(visit: Opener, address: str, typed: str) -> None:
    page = visit("#/equation", site=address)
    page.get_by_label("Paste an equation").fill(typed)
    expect(page.locator(".plate .stage math")).to_be_visible()
    expect(page.locator(".choice").first).to_be_visible()


def test_context(visit: Opener, address: str) -> None:
    page = visit("#/context", site=address)
    page.get_by_role("link", name="A quantum state").click()
    expect(section(page, "Words that speak for it").locator("mark").first).to_be_visible()
    expect(section(page, "Equations written for it").locator("math")).to_have_count(3)


def test_reader(visit: Opener, address: str) -> None:
    page = visit("#/reader", site=address)
    page.get_by_label("Choose an article").set_input_files(ARTICLE)
    expect(page.frame_locator("iframe").locator("math").first).to_be_visible()
    page.get_by_role("link", name="On the map").click()
    expect(page.locator(".map a.hot").first).to_be_attached()


@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_the_page_of_the_api_breaks_no_rule_of_accessibility(
    visit: Opener, address: str, width: int, dark: bool
) -> None:
    page = visit("docs", site=address, width=width, dark=dark)
    expect(page.get_by_role("heading", name="HTTP API")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
