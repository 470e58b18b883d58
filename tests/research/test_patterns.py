"""Regular expressions over their worst input: what went back once does not."""

import re
import signal
from collections.abc import Iterator
from importlib import import_module

import pytest

from research import patterns

LONG = 100_000


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    before = signal.signal(signal.SIGVTALRM, patterns._ring)
    yield
    signal.signal(signal.SIGVTALRM, before)


def test_a_pattern_that_goes_back_is_noticed() -> None:
    for slow in (r"(?:a|a)*b", r"\s*x", r"a.*b.*c"):
        assert patterns.slowest(re.compile(slow), "finditer")[0] > patterns.SECONDS
    for quick in (r"(?:a|b)*c?", r"(?<!\s)\s*x", r"a[^b]*+b"):
        assert patterns.slowest(re.compile(quick), "finditer")[0] < patterns.SECONDS


def test_a_pattern_is_asked_as_the_package_asks_it() -> None:
    ways = {name: way for name, way, _ in patterns.compiled()}
    assert ways["topiceq.article.blocks._HEADING"] == "match"
    assert ways["topiceq.hub.NAME"] == "fullmatch"
    assert ways["topiceq.article.tex.LEXER"] == "finditer"


@pytest.mark.parametrize(
    ("where", "way", "before", "pump"),
    [
        ("actions.CITED", "search", "…", " "),
        ("actions.SUBJECT", "search", "", "\n"),
        ("actions._LENGTH", "sub", "-1", " "),
        ("bibliography._FIELD", "search", "", "a"),
        ("bibliography._AUTHOR_YEAR", "match", "", "\t"),
        ("bibliography._OF_BIBLATEX", "finditer", "", "\\entry{a}"),
        ("blocks._TITLE", "search", "title: |-", "\t"),
        ("blocks._HEADING", "match", "# a", " "),
        ("blocks._HEADING_LABEL", "search", "", "\t"),
        ("blocks._HEADING_LABEL", "search", "{#", "a"),
        ("blocks._ADMONITION", "match", "!!!", " "),
        ("blocks._TEMPLATE", "match", "{%- ", "a"),
        ("doxygen._WORD", "match", "\ta", ","),
        ("equation.layout.LENGTH", "fullmatch", "", "\t"),
        ("expand.NAME", "findall", "", "\t"),
        ("expand.LOADS", "match", "\\usepackage", " "),
        ("html._SPACE", "sub", "", "\t"),
        ("html._STYLE", "sub", "", "\t"),
        ("html._WRAPPER", "fullmatch", "{\\displaystyle", " "),
        ("inlines._LABEL", "match", "", "\t"),
        ("inlines._TARGET", "search", "", "\t"),
        ("latex.INPUT", "findall", "\\input", " "),
        ("latex.ASSIGNED", "match", "=1", "\t"),
        ("macros.definitions.CODE", "match", "", "\t"),
        ("macros.definitions.VALUE", "match", "", "\t"),
        ("page.KEYS", "findall", "", "\t"),
        ("prose._EMPTY", "sub", "", ","),
        ("prose._LAST_WORD", "search", "", "a."),
        ("restructured._TEX_WITHOUT_ROLE", "findall", "`a", "\\AA"),
        ("settings._ENTRY", "finditer", "", "A"),
        ("settings._PLAIN_ENTRY", "finditer", "", "\n"),
        ("settings._YAML_TABLE", "finditer", "macros:\n", "\t"),
        ("source._BUILT", "finditer", "\\include", " "),
        ("tex.PRECEDING", "search", ",", "\t"),
        ("typed.FENCE", "fullmatch", "```a\na\n", " "),
        ("typed.WIKI", "fullmatch", "$latex a$", " "),
        ("unarxive._APART", "fullmatch", "{{formula:.}}", " "),
        ("unread.AMSTEX", "search", "\\input", " "),
    ],
)
def test_what_went_back_does_not(where: str, way: str, before: str, pump: str) -> None:
    module, _, name = f"topiceq.article.{where}".rpartition(".")
    pattern = getattr(import_module(module), name)
    text = (before + pump * LONG)[:LONG] + "\0"
    asked = way if way in patterns.AT_ONE_PLACE else "finditer"
    assert patterns.seconds(pattern, text, asked) < patterns.SECONDS
