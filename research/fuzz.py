"""Mutated real articles through extract: nothing crashes, hangs, grows or is lost.

In go folders of articles; each case takes one of them by lot, damages it by lot, and reads it in a
process of its own, as extract does. Out come counts, the slowest and the largest case, and what was
found, each with its number: a case is made again from the seed and its number alone. The promise
that is checked: every file gives an article or a reason, every display a pair or a reason, no case
takes more than SECONDS or MEGABYTES.
"""

import json
import multiprocessing
import random
import resource
import signal
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

from research import entries
from topiceq.article.archive import SUFFIXES
from topiceq.article.files import Unreadable
from topiceq.article.formats import read
from topiceq.article.pieces import Display
from topiceq.article.source import Article, sources
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition
from topiceq.corpus.extract import Dropped, contents
from topiceq.corpus.pair import Pair

SECONDS, MEGABYTES = 10.0, 1_000  # of a processor and of memory, that a case may take
LARGEST = 400_000  # bytes of an article that is taken

Draw = random.Random


@dataclass(frozen=True)
class Outcome:
    """What became of one case; `fault` is empty if it kept the promise."""

    fault: str
    seconds: float = 0.0
    megabytes: float = 0.0
    pairs: int = 0
    dropped: int = 0


# -- damage ------------------------------------------------------------------------------------


def flipped(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Some bytes are others."""
    damaged = bytearray(text)
    for _ in range(draw.choice((1, 3, 10, 100))):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    return bytes(damaged)


def span(text: bytes, draw: Draw) -> tuple[int, int]:
    """Where a part begins and ends, a short one more often than a long one."""
    start = draw.randrange(len(text))
    return start, min(len(text), start + int(2 ** draw.uniform(0, 14)))


def deleted(text: bytes, other: bytes, draw: Draw) -> bytes:
    """A part is missing."""
    start, end = span(text, draw)
    return text[:start] + text[end:]


def doubled(text: bytes, other: bytes, draw: Draw) -> bytes:
    """A part stands there again and again, in all at most a megabyte."""
    start, end = span(text, draw)
    times = min(draw.choice((1, 2, 30, 1_000)), 1 + 1_000_000 // max(1, end - start))
    return text[:end] + text[start:end] * times + text[end:]


def swapped(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Brackets that open close, and the other way round."""
    places = [n for n, byte in enumerate(text) if byte in b"{}[]()$<>`*_\\"]
    damaged = bytearray(text)
    for at in draw.sample(places, min(len(places), draw.choice((1, 5, 50)))):
        damaged[at] = draw.choice(b"{}[]()$<>`*_\\")
    return bytes(damaged)


MACROS = (
    rb"\def\a{\a\a}\a", rb"\newcommand{\b}[2]{#1#2\b{#2}{#1}}\b{x}{y}", rb"\let\begin\end",
    rb"\def\end#1{}", rb"\catcode`\$=12 ", rb"\renewcommand{\frac}[2]{\frac{#2}{#1}}",
    rb"\def\x#1.{#1#1#1#1\x#1.}\x a.", rb"\let\par=\def", rb"\expandafter\expandafter\expandafter",
    rb"\csname end\csname x\endcsname", rb"\iffalse", rb"\else\fi\fi", rb"\newif\ifx\ifx\xtrue",
    rb"\def\\{\$\$}", rb"\makeatletter\def\@{", rb"\loop\iftrue\repeat", rb"\input{\jobname}",
    rb"\DeclareMathOperator{\frac}{}", rb"\newenvironment{equation}{\begin{equation}}{\end}",
    rb"\edef\q{\q\q}", rb"\def\[{\]}\[", rb"\newtheorem{document}{x}", rb"\verb|", rb"\@ifnextchar",
)  # fmt: skip


def defining(text: bytes, other: bytes, draw: Draw) -> bytes:
    """A macro is defined anew, somewhere."""
    at = draw.randrange(len(text))
    return text[:at] + b"\n" + draw.choice(MACROS) + b"\n" + text[at:]


def truncated(text: bytes, other: bytes, draw: Draw) -> bytes:
    """The rest is missing, or the beginning."""
    at = draw.randrange(len(text))
    return text[:at] if draw.random() < 0.7 else text[at:]


def spliced(text: bytes, other: bytes, draw: Draw) -> bytes:
    """It goes on as another article."""
    start, end = span(other, draw)
    at = draw.randrange(len(text))
    return text[:at] + other[start:end] + (text[at:] if draw.random() < 0.5 else b"")


NESTS = (
    b"{", b"[", b"(", b"$", b"$$", rb"\frac{", rb"\left(", b"^{", b"_", rb"\begin{itemize}\item ",
    rb"\begin{array}{c}", rb"\begin{equation}", rb"\sqrt[", rb"\text{$", rb"\footnote{", b"> ",
    b"* ", b"\n" + b" " * 4 + b"- ", b"<div>", b"<p><b>", b"<table><tr><td>", b"<math><mrow>",
    b"<msup>", b"![", b"[[", b"**", b"`", b"\n```\n", b":math:`", b"\n.. math::\n   ", b"{{%",
    rb"\if0", rb"\newcommand{\a}{", b"\n::: note\n", b"&", b"&amp;", b"<!--", b"\n# ", rb"\over ",
)  # fmt: skip


def nested(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Something is opened many times, and not always closed."""
    at = draw.randrange(len(text))
    opened = draw.choice(NESTS) * draw.choice((3, 40, 400, 5_000))
    return text[:at] + opened + text[at:]


ODD = ("\0", "\ufeff", "\u202e", "\u200d", "\u2028", "\x0c", "\x85", "\u0301" * 50, "𝒜",
       "\U000e0041", "ﬁ", "İ", "ß", "\ufffe", "٣", "²", "∑", "\r", "\x1b[31m")  # fmt: skip


def odd(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Characters that are rare, some of them no Unicode at all."""
    for _ in range(draw.choice((1, 5, 50))):
        at = draw.randrange(len(text))
        strange = draw.choice(ODD).encode() if draw.random() < 0.8 else b"\xed\xa0\x80\xff"
        text = text[:at] + strange + text[at:]
    return text


def shuffled(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Lines stand in another order."""
    lines = text.split(b"\n")
    start, count = draw.randrange(len(lines)), draw.choice((2, 10, 100))
    part = lines[start : start + count]
    draw.shuffle(part)
    return b"\n".join([*lines[:start], *part, *lines[start + count :]])


DAMAGE: tuple[Callable[[bytes, bytes, Draw], bytes], ...] = (
    flipped, deleted, doubled, swapped, defining, truncated, spliced, nested, odd, shuffled,
)  # fmt: skip


def damaged(text: bytes, other: bytes, draw: Draw) -> bytes:
    """An article with one to four kinds of damage."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        text = draw.choice(DAMAGE)(text or b"x", other or b"x", draw)
    return text


def damaged_file(path: Path, other: bytes, draw: Draw) -> bytes:
    """A file damaged; of a notebook mostly a cell, as else its JSON is broken at once."""
    text = path.read_bytes()
    if path.suffix != ".ipynb" or draw.random() < 0.2:
        return damaged(text, other, draw)
    notebook = json.loads(text)
    cells = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "markdown"]
    if cells:
        cell = draw.choice(cells)
        source = "".join(cell["source"]).encode()
        cell["source"] = damaged(source, other, draw).decode(errors="replace")
    return json.dumps(notebook).encode()


# -- a case ------------------------------------------------------------------------------------


def extracted(folder: Path) -> Outcome:
    """What extract makes of a folder, and whether anything is neither a pair nor counted."""
    start, config = time.process_time(), CorpusConfig()
    opened = [article for source in sources([folder]) for article in source.articles()]
    found = [list(contents(article, config)) for article in opened]
    seconds = time.process_time() - start  # others may use the machine, too
    plain = [[e for e in each if not isinstance(e, SymbolDefinition)] for each in found]
    missing = filter(None, map(uncounted, opened, plain))
    fault = "slow" if seconds > SECONDS else next(missing, "") if opened else "lost: the file"
    written = sum(isinstance(each, Pair) for some in plain for each in some)
    return Outcome(fault, round(seconds, 3), 0.0, written, sum(map(len, plain)) - written)


def uncounted(article: Article | Unreadable, found: Sequence[Pair | Dropped]) -> str:
    """A display of an article that is nowhere in what was found."""
    if isinstance(article, Unreadable) or any(
        getattr(e, "reason", "") == "unreadable" for e in found
    ):
        return "" if found else "lost: an article that cannot be read"
    places = {(each.article, each.file, each.line) for each in found}
    displays = (piece for piece in read(article) if isinstance(piece, Display))
    return next((f"lost: the display at line {d.line}" for d in displays
                 if (d.article, d.file, d.line) not in places), "")  # fmt: skip


def attempt(folder: Path, pipe: Connection) -> None:
    """Read a folder as extract does, and tell what became of it."""
    most = int(3 * SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # then the kernel ends the process
    try:
        told = extracted(folder)
    except BaseException as error:
        told = Outcome(f"crash: {type(error).__name__}: {error}"[:300])
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    is_large = not told.fault and megabytes > MEGABYTES
    pipe.send(
        replace(told, megabytes=round(megabytes, 1), fault="memory" if is_large else told.fault)
    )


def outcome(folder: Path) -> Outcome:
    """What becomes of a folder in a process of its own, which is stopped when it hangs."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=attempt, args=(folder, there))
    process.start()
    there.close()
    try:
        told: Outcome = here.recv()
        return told
    except EOFError:
        process.join()
        if process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
            return Outcome("hang", 3 * SECONDS)
        return Outcome(f"crash: the process ended with {process.exitcode}")
    finally:
        process.kill()
        process.join()
        here.close()


# -- many --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One damaged article; all of it follows from the seed and the number."""

    number: int
    path: Path
    content: bytes


def articles(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """The articles below some folders by their suffix, those that are not too large."""
    found: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            suffix = path.suffix.lower()
            if suffix in SUFFIXES and path.is_file() and 0 < path.stat().st_size < LARGEST:
                found[suffix].append(path)
    return dict(sorted(found.items()))


def case(number: int, seed: int, found: dict[str, list[Path]]) -> Case:
    """A case: half of them LaTeX, the others of all formats alike."""
    draw = Draw(f"{seed} {number}")
    kinds = sorted(found)
    kind = ".tex" if ".tex" in found and draw.random() < 0.5 else draw.choice(kinds)
    path, other = draw.choice(found[kind]), draw.choice(found[draw.choice(kinds)])
    return Case(number, path, damaged_file(path, other.read_bytes(), draw))


def tried(case: Case) -> Outcome:
    """What becomes of a case, alone in a folder."""
    with tempfile.TemporaryDirectory(prefix="topiceq-fuzz-") as folder:
        (Path(folder) / f"article{case.path.suffix}").write_bytes(case.content)
        return outcome(Path(folder))


def fuzz(
    folders: Annotated[tuple[Path, ...], "of articles"],
    *,
    count: Annotated[int, "cases"] = 1_000,
    first: Annotated[int, "number of the first case"] = 0,
    seed: int = 0,
    keep: Annotated[Path | None, "folder for the cases that break the promise"] = None,
) -> None:
    """Mutated real articles of every format through extract; what crashes, hangs or is lost."""
    found = articles(folders)
    kinds: Counter[str] = Counter()
    done: list[tuple[Case, Outcome]] = []
    for number in range(first, first + count):
        made = case(number, seed, found)
        result = tried(made)
        kinds[made.path.suffix.lower()] += 1
        if result.fault:
            print(number, made.path, result.fault, flush=True)
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{number}{made.path.suffix}").write_bytes(made.content)
        done.append((Case(number, made.path, b""), result))
    results = [result for _, result in done]
    entries.report("fuzz", {
        "cases": count, "first": first, "seed": seed, "formats": dict(sorted(kinds.items())),
        "pairs": sum(result.pairs for result in results),
        "dropped": sum(result.dropped for result in results),
        "slowest": max(result.seconds for result in results),
        "largest_mb": max(result.megabytes for result in results),
        "faults": [{"case": c.number, **asdict(r)} for c, r in done if r.fault],
    })  # fmt: skip
