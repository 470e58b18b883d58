"""Every view of the page with the model that ships, its real server and a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
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
    expect(page.locator(".map a")).to_have_count(100)
    page.locator(".topics li a").first.click()
    expect(page.locator(".words li")).to_have_count(20)
    expect(section(page, "Typical equations of the corpus").locator("math").first).to_be_visible()
    expect(section(page, "Written by the model").locator("math")).to_have_count(3)
    expect(section(page, "Related topics").get_by_role("link").first).to_be_visible()


def test_equation(visit: Opener, address: str) -> None:
    page = visit("#/equation", site=address)
    page.get_by_role("link", name="Schrödinger").click()
    expect(page.locator(".plate math")).to_be_visible()
    expect(section(page, "Symbols").locator("dt").first).to_be_visible()
    expect(section(page, "Similar equations").locator("math").first).to_be_visible()


def test_context(visit: Opener, address: str) -> None:
    page = visit("#/context", site=address)
    page.get_by_role("link", name="A quantum state").click()
    expect(section(page, "Words that speak for it").locator("mark").first).to_be_visible()
    expect(section(page, "Equations written for it").locator("math")).to_have_count(3)


def test_mix(visit: Opener, address: str) -> None:
    page = visit("#/mix?t=7:50,9:50", site=address)
    expect(section(page, "Equations").locator("math")).to_have_count(4)
    expect(page.locator(".film math")).to_have_count(5)


def test_reader(visit: Opener, address: str) -> None:
    page = visit("#/reader", site=address)
    page.get_by_label("Choose an article").set_input_files(ARTICLE)
    expect(page.frame_locator("iframe").locator("math").first).to_be_visible()
