"""Mutated articles through extract: a short part of `make fuzz`, and what it would notice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from research import damage, entries, fuzz, targets
from research.fuzz import Case, Found, Outcome, articles, case

EXAMPLES = Path(__file__).parents[2] / "examples" / "articles"
PROSE = "We study heat. The flow is slow. By a law of Fourier we have"
OTHERS = {  # of the formats in which there is no example
    "a.md": f"# Heat\n\n{PROSE}\n\n$$q = -k \\nabla T$$\n\nwhere $T$ is the temperature.\n",
    "a.rst": f"Heat\n====\n\n{PROSE}\n\n.. math::\n\n   q = -k \\nabla T\n\nwhere it is hot.\n",
    "a.html": f"<p>{PROSE}</p><p>\\[q = -k \\nabla T\\]</p><p>It is hot.</p>",
    "a.dox": f"/** \\page heat Heat\n{PROSE}\n\\f[ q = -k \\nabla T \\f]\nwhere it is hot. */\n",
    "a.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": [f"{PROSE}\n$$q=1$$"]}]}),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("articles")
    for name, text in OTHERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return articles([EXAMPLES, folder])


def outcome(name: str, content: bytes, members: frozenset[str] = frozenset()) -> Outcome:
    ((_, told),) = fuzz.tried([Case(0, "", name, content, members)])
    return told


def test_mutated_articles_keep_the_promise(found: Found) -> None:
    cases = [case(number, 0, found) for number in range(60)]
    outcomes = list(fuzz.tried(cases))
    assert {each.kind for each in cases} == {*fuzz.KINDS, fuzz.LINES, fuzz.ARCHIVE}
    assert [(each.number, told.fault) for each, told in outcomes if told.fault] == []
    assert sum(told.pairs + told.dropped for _, told in outcomes) > 0


def test_a_case_is_made_again_from_its_number(found: Found) -> None:
    for number in range(30):
        assert case(number, 0, found) == case(number, 0, found) != case(number + 1, 0, found)


def test_whole_articles_keep_the_promise(found: Found) -> None:
    for path in (found[kind][suffix][0] for kind in found for suffix in found[kind]):
        told = outcome(path.name, path.read_bytes())
        assert told.fault == "" and told.pairs + told.dropped > 0, path
    lines = damage.damaged_lines(b"We have $$x = 1$$ here.", b"x", fuzz.Draw(4))
    assert outcome("a.jsonl", lines).dropped > 0


@pytest.mark.parametrize("suffix", fuzz.ARCHIVE_SUFFIXES)
def test_a_member_that_is_not_told_of_is_noticed(suffix: str) -> None:
    content = damage.packed({"a.md": b"A text.", "b/c.rst": b"Another."}, suffix, fuzz.Draw(0))
    name = f"x.md{suffix}"
    assert (
        outcome(name, content, frozenset(("a.md",)) if suffix != ".gz" else frozenset()).fault == ""
    )
    assert outcome(name, content, frozenset(("d.md",))).fault == "lost: the member d.md"


def _raise(*_: object) -> list[Any]:
    raise ValueError("broken")


def _spin(*_: object) -> list[Any]:
    while True:
        pass


def _grow(*_: object) -> list[Any]:
    return [] * len(bytearray(b"x") * (80 << 20))


@pytest.mark.parametrize(
    ("contents", "fault"),
    [
        (_raise, "crash: ValueError: broken"),
        (lambda *_: [], "lost: the display at line "),
        (_spin, "hang"),
        (_grow, "memory: "),
    ],
)
def test_what_breaks_the_promise_is_noticed(
    monkeypatch: pytest.MonkeyPatch, contents: Callable[..., Any], fault: str
) -> None:
    monkeypatch.setattr(fuzz, "contents", contents)
    monkeypatch.setattr(fuzz, "SECONDS", 0.3)
    limit = 60 if fault == "memory: " else 1_000
    monkeypatch.setattr(fuzz, "MEGABYTES", limit)
    text = b"We have $$x = 1$$ here." if fault != "memory: " else b"No display."
    assert outcome("a.md", text).fault.startswith(fault)


def test_it_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: Found
) -> None:
    monkeypatch.setattr(entries, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(fuzz, "articles", lambda _: found)
    with monkeypatch.context() as broken:
        broken.setattr(fuzz, "contents", _raise)
        fuzz.fuzz((EXAMPLES,), count=2, keep=tmp_path / "kept")
    told = entries.read_one("fuzz")
    assert [(f["case"], f["now"]) for f in told["faults"]] == [
        (0, "crash: ValueError: broken"), (1, "crash: ValueError: broken"),
    ]  # fmt: skip
    assert len(list((tmp_path / "kept").iterdir())) == 2
    fuzz.fuzz((EXAMPLES,), count=3)
    told = entries.read_one("fuzz")
    assert told["cases"] == sum(told["kinds"].values()) == 5
    assert [(run["first"], run["last"]) for run in told["runs"]] == [(0, 1), (2, 4)]
    assert [(f["fault"], f["now"]) for f in told["faults"]] == [
        ("crash: ValueError: broken", "")
    ] * 2


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_target_takes_any_bytes(name: str) -> None:
    for data in (
        b"",
        b"\0\xff",
        b"\\over\\over .. \\",
        b"{" * 500,
        b"<math>" * 500,
        b"a $x$ is $" * 50,
        b"$$" * 1_900,  # brackets inside each other, as far as a question goes
        "α ".encode() + b"(" * 1_900,
        "√".encode() * 1_300,
        b"a\xcc\x81" + b"\xcc\x81" * 60,
        "Let \uf541$x$ be the mass.".encode(),  # an icon of a font
    ):
        targets.TARGETS[name](data)
