"""The table of commands: each stands there once, with attributes that its head explains."""

import re
from collections import Counter
from importlib.resources import files

from topiceq.article.commands import (
    ARITY,
    CHARACTERS,
    COUNTED,
    DISPLAYS,
    DROPPED,
    HEADINGS,
    KNOWN,
    TEXT_ACCENTS,
    environments,
    values,
    which,
)

TABLE = files("topiceq.article").joinpath("commands.txt").read_text(encoding="utf-8")
LINES = TABLE.splitlines()


def test_each_command_stands_once() -> None:
    start = LINES.index("# environments")
    for lines in (LINES[:start], LINES[start:]):
        items = [item for line in lines if line[:1] == " " for item in line.split()]
        times = Counter(re.findall(r"^.[^=]*", item)[0] for item in items)
        assert [name for name, count in times.items() if count > 1] == []


def test_every_attribute_is_explained() -> None:
    heads = [line for line in LINES if line and line[0] not in " #"]
    attributes = {word.partition("=")[0] for line in heads for word in line.split()}
    explained = " ".join(line for line in LINES if line.startswith("#   "))
    terms = {word.partition("=")[0].rstrip(":") for word in explained.split()}
    assert attributes - terms == {"environment"}


def test_a_command_is_all_that_its_line_says() -> None:
    assert "\\frac" in KNOWN & which("differential", "structure") and ARITY["\\frac"] == 2
    assert values("same")["\\dag"] == "\\dagger" and CHARACTERS["\\dag"] == "†"
    assert "\\dag" in which("letter") and "\\dag" not in which("greek", "binary")


def test_values_that_are_hard_to_write() -> None:
    assert TEXT_ACCENTS["\\="] == "\u0304" and TEXT_ACCENTS["\\t"] == ""
    assert CHARACTERS["\\,"] == " " and CHARACTERS["\\!"] == "" and CHARACTERS["\\{"] == "{"
    assert HEADINGS["\\section"] == 2 and DROPPED["\\immediate"] == 0


def test_environments_are_no_commands() -> None:
    assert "align" in DISPLAYS and "\\align" not in DISPLAYS
    assert {"alignat", "alignedat"} <= COUNTED and "alignedat" not in DISPLAYS
    assert "tikzcd" in environments("diagram") and "\\tikzcd" not in which("diagram")
