"""The templates beside this module: what is no `Markup` is escaped, what is missing is an error."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from topiceq.views.mathml import mathml

FOLDER = Path(__file__).parent
# files that a saved page holds in itself, and the explorer serves by these names
SHARED = {
    "article.js": FOLDER / "page.js",
    "palette.css": FOLDER / "palette.css",
    "stix-two-math.woff2": FOLDER / "fonts" / "stix-two-math.woff2",
}


def render(name: str, **values: object) -> str:
    """A template with its values in it."""
    return _environment().get_template(name).render(values)


def macros(name: str) -> Any:
    """The macros of a template, as functions that give `Markup`."""
    return _environment().get_template(name).module


@cache
def beside(name: str) -> Markup:
    """A style sheet or a script, to stand in a page as it is."""
    return Markup((FOLDER / name).read_text(encoding="utf-8"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    environment.globals.update(mathml=mathml, beside=beside)
    return environment
