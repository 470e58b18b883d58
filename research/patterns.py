"""Every regular expression of the package over the worst input that its own parts suggest.

In go the compiled patterns of all modules, each asked as the package asks it: at one place, or at
every place of a text. Each repeat in a pattern is a pump: what it repeats, by itself and behind
what stands before it, thousands of times, with an end that does not fit. Out come the slowest, and
those that take longer than SECONDS, as what goes back through all that it has read does.
"""

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Annotated, Any

import topiceq
from research.entries import report

SECONDS = 0.1  # of a processor, for a text of LENGTH characters
LENGTH = 20_000
MANY = 30  # repeats allowed, from which on a repeat is a pump
USUAL = ("a", " ", "\n", "\\", "{", "}", "$", "a ", "a.", "1", "[", "<", "`", "*", "\\a", "{a}",
         "A ", ". ", "\t", "-", "_", "&", "#", "%", '"', "(", ":", "\\begin{a}", "<a ", "|", "=",
         ",")  # fmt: skip
ENDS = ("", "\0", "!\n")


Pattern = re.Pattern[Any]
AT_ONE_PLACE = frozenset(("match", "fullmatch"))
ASKING = AT_ONE_PLACE | {"search", "finditer", "findall", "sub", "subn", "split"}


def compiled() -> Iterator[tuple[str, str, Pattern]]:
    """The patterns that stand in modules, each once: where, how it is asked, the pattern."""
    seen: set[tuple[Any, int]] = set()
    asked = _asked()
    for module in pkgutil.walk_packages(topiceq.__path__, "topiceq."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for number, each in enumerate(_inside(value)):
                if (each.pattern, each.flags) not in seen:
                    seen.add((each.pattern, each.flags))
                    ways = asked.get((module.name, name), set())
                    way = "finditer" if ways - AT_ONE_PLACE or not ways else min(ways)
                    yield f"{module.name}.{name}" + f" {number}" * (each is not value), way, each


def _asked() -> dict[tuple[str, str], set[str]]:
    """The methods that are called of names, by the module that a name comes from."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    top = Path(topiceq.__path__[0])
    for path in top.rglob("*.py"):
        module = ".".join(["topiceq", *path.relative_to(top).with_suffix("").parts])
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        origins = {
            each.asname or each.name: (node.module or "", each.name)
            for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names
        }  # fmt: skip
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = node.value.id
                found[origins.get(name, (module.removesuffix(".__init__"), name))].add(node.attr)
    return {name: ways & ASKING for name, ways in found.items()}


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


def worst(pattern: Pattern) -> Iterator[str]:
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


def seconds(pattern: Pattern, text: str, way: str = "finditer") -> float:
    """How long a pattern takes to be asked of a text; at most five times SECONDS."""
    given: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 5 * SECONDS)
    try:
        found = getattr(pattern, way)(given)
        for _ in found if way == "finditer" else ():
            pass
    except TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - start


def slowest(pattern: Pattern, way: str) -> tuple[float, str]:
    """The longest that a pattern takes, and of what text; it ends with the first too long one."""
    most = (0.0, "")
    for text in worst(pattern):
        most = max(most, (seconds(pattern, text, way), text[:40]))
        if most[0] > SECONDS:
            break
    return most


def patterns(*, shown: Annotated[int, "how many of the slowest are kept"] = 15) -> None:
    """Every regular expression of the package over the worst input that its parts suggest."""
    signal.signal(signal.SIGVTALRM, _ring)
    found = []
    for name, way, pattern in compiled():
        spent, text = slowest(pattern, way)
        if spent > SECONDS:
            print(f"{name} takes {spent:.2f} s for {text!r}", flush=True)
        found.append({"pattern": name, "asked": way, "seconds": round(spent, 3), "text": text})
    found.sort(key=lambda each: -float(str(each["seconds"])))
    slow = sum(float(str(each["seconds"])) > SECONDS for each in found)
    ways = Counter(str(each["asked"]) for each in found)
    report("patterns", {"patterns": len(found), "asked": dict(ways), "characters": LENGTH,
                        "slow": slow, "slowest": found[:shown]})  # fmt: skip
