"""axe-core: what of a page breaks the rules of accessibility that a machine can check."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page) -> list[tuple[str, str]]:
    """The rules that are broken, each with the first element that breaks it."""
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
