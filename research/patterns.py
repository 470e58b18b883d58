"""Every regular expression of the package over the worst input that its own parts suggest.

In go the compiled patterns of all modules. Each repeat in a pattern is a pump: what it repeats, by
itself and behind what stands before it, thousands of times, with an end that does not fit. Out come
the slowest, and those that take longer than SECONDS.
"""

import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Annotated, Any

import topiceq
from research.entries import report

SECONDS = 0.1  # of a processor, for a text of LENGTH characters
LENGTH = 4_000
MANY = 30  # repeats allowed, from which on a repeat is a pump
USUAL = ("a", " ", "\n", "\\", "{", "}", "$", "a ", "a.", "1", "[", "<", "`", "*", "\\a", "{a}",
         "A ", ". ", "\t", "-", "_", "&", "#", "%", '"', "(", ":", "\\begin{a}", "<a ", "|", "=",
         ",")  # fmt: skip
ENDS = ("", "\0", "!\n")


def compiled() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """The patterns that stand in modules, by where they stand; each once."""
    found: dict[tuple[Any, int], tuple[str, Any]] = {}
    for module in pkgutil.walk_packages(topiceq.__path__, "topiceq."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for each in _inside(value):
                found.setdefault((each.pattern, each.flags), (f"{module.name}.{name}", each))
    return {f"{where} {n}": each for n, (where, each) in enumerate(found.values())}


def _inside(value: Any) -> Iterator[Any]:
    """The patterns in a value, and in tables of them."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _inside(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for each in value[:1_000]:
            yield from _inside(each)


# -- worst inputs --------------------------------------------------------------------------------


def sample(parsed: Any, turn: int) -> str:
    """A text that parts of a pattern fit, nearly; `turn` chooses between alternatives."""
    return "".join(_sample(kind, value, turn) for kind, value in parsed)


def _sample(kind: Any, value: Any, turn: int) -> str:
    name = str(kind)
    if name == "LITERAL":
        return str(chr(value))
    if name == "NOT_LITERAL":
        return "a" if chr(value) != "a" else "b"
    if name == "ANY":
        return "a"
    if name == "IN":
        return _of_class(value, turn)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        times = max(1, min(int(value[0]), 3))
        return sample(value[2], turn) * times
    if name == "SUBPATTERN":
        return sample(value[3], turn)
    if name == "ATOMIC_GROUP":
        return sample(value, turn)
    if name == "BRANCH":
        return sample(value[1][turn % len(value[1])], turn)
    return ""  # places, looks around, references


CLASSES = {
    "CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_WORD": " ", "CATEGORY_NOT_DIGIT": "a",
}  # fmt: skip


def _of_class(value: Any, turn: int) -> str:
    if str(value[0][0]) == "NEGATE":
        pattern = [(_constants.IN, value)]
        return next((c for c in "a 1.\n\\{" if _fits(pattern, c)), "a")
    kind, inner = value[turn % len(value)]
    if str(kind) == "LITERAL":
        return chr(inner)
    return chr(inner[0]) if str(kind) == "RANGE" else CLASSES.get(str(inner), "a")


def _fits(pattern: Any, character: str) -> bool:
    for kind, value in pattern[0][1][1:]:
        name = str(kind)
        if name == "LITERAL" and chr(value) == character:
            return False
        if name == "RANGE" and value[0] <= ord(character) <= value[1]:
            return False
        if name == "CATEGORY" and CLASSES.get(str(value)) == character:
            return False
    return True


def pumps(parsed: Any, before: str = "", turn: int = 0) -> Iterator[tuple[str, str]]:
    """What stands before each repeat, and what it repeats."""
    for kind, value in parsed:
        name = str(kind)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            if value[1] >= MANY:
                yield before, sample(value[2], turn)
            yield from pumps(value[2], before, turn)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from pumps(value[3] if name == "SUBPATTERN" else value, before, turn)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from pumps(branch, before, turn)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from pumps(value[1], before, turn)
        before += _sample(kind, value, turn)


def worst(pattern: re.Pattern[Any]) -> Iterator[str]:
    """Texts that a pattern may take long for."""
    told = pattern.pattern
    text = told if isinstance(told, str) else told.decode("latin-1")
    parsed = _parser.parse(text, pattern.flags & ~re.DEBUG)
    found = {pump for turn in range(3) for pump in pumps(parsed, "", turn) if pump[1]}
    found |= {("", sample(parsed, turn)) for turn in range(3)} | {("", each) for each in USUAL}
    for before, pump in sorted(found):
        for unit in {pump, before + pump} - {""}:
            for end in ENDS:
                yield (before + unit * LENGTH)[:LENGTH] + end


# -- measured ------------------------------------------------------------------------------------


class TooLong(Exception):
    """The clock has run out."""


def _ring(*_: object) -> None:
    raise TooLong


def seconds(pattern: re.Pattern[Any], text: str) -> float:
    """How long a pattern takes to be looked for in a text; at most five times SECONDS."""
    given: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 5 * SECONDS)
    try:
        for _ in pattern.finditer(given):
            pass
    except TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - start


def patterns(*, shown: Annotated[int, "how many of the slowest are kept"] = 15) -> None:
    """Every regular expression of the package over the worst input that its parts suggest."""
    signal.signal(signal.SIGVTALRM, _ring)
    found = []
    for name, pattern in compiled().items():
        times = [(seconds(pattern, text), text[:40]) for text in worst(pattern)]
        slowest, text = max(times)
        found.append({"pattern": name, "seconds": round(slowest, 3), "text": text})
    found.sort(key=lambda each: -float(str(each["seconds"])))
    slow = [each for each in found if float(str(each["seconds"])) > SECONDS]
    report("patterns", {"patterns": len(found), "characters": LENGTH, "slow": len(slow),
                        "slowest": found[:shown]})  # fmt: skip
