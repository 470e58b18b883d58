"""A real browser at the fake server: `page` is a fresh window that nothing may go wrong in."""

import os
import re
import shutil
from collections.abc import Callable, Iterator

import fake
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright
from serving import served

Opener = Callable[..., Page]

PATIENCE = 20_000  # milliseconds: tests share the processor
expect.set_options(timeout=PATIENCE)

FAILED = re.compile(r"Failed to load resource: (?:net::|.* with a status of (?P<status>\d+))")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it, a failure on CI and a skip elsewhere."""
    path = shutil.which("chromium")
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("chromium is missing")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def fake_app() -> FastAPI:
    return fake.create_fake()


@pytest.fixture(scope="session")
def fake_address(fake_app: FastAPI) -> Iterator[str]:
    with served(fake_app) as address:
        yield address


@pytest.fixture
def asked(fake_app: FastAPI) -> list[tuple[str, fake.Shape]]:
    """The questions that the fake was asked in this test: verbs and bodies."""
    fake_app.state.asked.clear()
    fake_app.state.refused.clear()
    found: list[tuple[str, fake.Shape]] = fake_app.state.asked
    return found


@pytest.fixture
def expected() -> set[int]:
    """The statuses that a test provokes (0: none at all); the browser reports each as an error."""
    return set()


@pytest.fixture
def visit(browser: Browser, fake_address: str, expected: set[int]) -> Iterator[Opener]:
    """`visit(address="", width=1280, ..)`: a window of the page; in the end nothing went wrong."""
    faults: list[str] = []
    contexts = []

    def note(message: ConsoleMessage) -> None:
        failed = FAILED.match(message.text)
        if failed and int(failed["status"] or 0) in expected:
            return
        if message.type in ("error", "warning"):
            faults.append(message.text)

    def watch(request: Request, own: str) -> None:
        if not request.url.startswith((own, "blob:", "data:")):
            faults.append(f"request to {request.url}")

    def open_page(
        address: str = "", *, site: str = fake_address, width: int = 1280, dark: bool = False,
        touch: bool = False,
    ) -> Page:  # fmt: skip
        context = browser.new_context(
            base_url=site,
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            has_touch=touch,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", note)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: watch(request, site))
        page.goto(f"/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def page(visit: Opener, asked: list[tuple[str, fake.Shape]]) -> Page:
    """The start page."""
    return visit()
