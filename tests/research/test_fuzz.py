"""Mutated articles through extract: a short part of `make fuzz`, and what it would notice."""

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from research import fuzz, patterns, targets
from research.fuzz import articles, case, tried

EXAMPLES = Path(__file__).parents[2] / "examples" / "articles"


def test_mutated_articles_keep_the_promise() -> None:
    found = articles([EXAMPLES])
    outcomes = [(n, tried(case(n, 0, found))) for n in range(15)]
    assert [(n, told.fault) for n, told in outcomes if told.fault] == []
    assert sum(told.pairs + told.dropped for _, told in outcomes) > 0


def test_a_case_is_made_again_from_its_number() -> None:
    found = articles([EXAMPLES])
    assert case(3, 0, found) == case(3, 0, found) != case(4, 0, found)


def _raise(*_: object) -> list[Any]:
    raise ValueError("broken")


def _spin(*_: object) -> list[Any]:
    while True:
        pass


@pytest.mark.parametrize(
    ("contents", "fault"),
    [
        (_raise, "crash: ValueError: broken"),
        (lambda *_: [], "lost: the display at line "),
        (_spin, "hang"),
    ],
)
def test_what_breaks_the_promise_is_noticed(
    monkeypatch: pytest.MonkeyPatch, contents: Callable[..., Any], fault: str
) -> None:
    monkeypatch.setattr(fuzz, "contents", contents)
    monkeypatch.setattr(fuzz, "SECONDS", 1.0)
    path = next(path for path in articles([EXAMPLES])[".tex"] if b"equation" in path.read_bytes())
    assert tried(fuzz.Case(0, path, path.read_bytes())).fault.startswith(fault)


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_target_takes_any_bytes(name: str) -> None:
    for data in (
        b"",
        b"\0\xff",
        b"\\over\\over .. \\",
        b"{" * 500,
        b"<math>" * 500,
        b"a $x$ is $" * 50,
    ):
        targets.TARGETS[name](data)


def test_a_pattern_that_goes_back_is_noticed() -> None:
    before = signal.signal(signal.SIGVTALRM, patterns._ring)
    try:
        slow = re.compile(r"(?:a|a)*b")
        assert max(patterns.seconds(slow, text[:60]) for text in patterns.worst(slow)) > 0.1
    finally:
        signal.signal(signal.SIGVTALRM, before)
