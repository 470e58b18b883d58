"""Mutated real articles through extract: nothing crashes, hangs, grows or is lost.

In go folders of articles; each case takes one of them by lot, or packs some, damages it by lot, and
reads it as extract does, in a process that is replaced when a case breaks it. Kinds of article
come evenly. Out come counts, the slowest and the largest case, and what was found, each with its
number: a case is made again from the seed and its number alone, so that the command goes on where
it stopped, and asks again for what it found before. The promise that is checked: every file gives
an article or a reason, every display a pair or a reason, no case takes more than SECONDS or
MEGABYTES.
"""

import multiprocessing
import resource
import signal
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

from research import entries
from research.damage import (
    BROKEN,
    ODD_NAMES,
    Draw,
    damaged,
    damaged_lines,
    damaged_notebook,
    packed,
)
from topiceq.article.archive import (
    ARCHIVE_SUFFIXES,
    HTML_SUFFIXES,
    LATEX_SUFFIXES,
    LINES_SUFFIX,
    MARKDOWN_SUFFIXES,
)
from topiceq.article.files import Unreadable
from topiceq.article.formats import read
from topiceq.article.pieces import Display
from topiceq.article.source import Article, sources
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition
from topiceq.corpus.extract import Dropped, contents
from topiceq.corpus.pair import Pair

SECONDS, MEGABYTES = 10.0, 1_000  # of a processor and of memory, that a case may take
MOST = 4 << 30  # bytes of memory that it can take, to spare the machine
PATIENCE = 3_600  # seconds of a clock, for a case that waits and does not work
LARGEST = 400_000  # bytes of an article that is taken
EVERY = 50  # cases, after which the results are written

KINDS = {
    "LaTeX": LATEX_SUFFIXES, "Markdown": MARKDOWN_SUFFIXES, "notebook": (".ipynb",),
    "reStructuredText": (".rst",), "HTML": HTML_SUFFIXES, "Doxygen": (".dox",),
}  # fmt: skip
LINES, ARCHIVE = "JSON lines", "archive"  # are made of the others
Found = Mapping[str, Mapping[str, Sequence[Path]]]  # articles by kind and suffix


@dataclass(frozen=True)
class Outcome:
    """What became of one case; `fault` is empty if it kept the promise."""

    fault: str
    seconds: float = 0.0
    megabytes: float = 0.0
    pairs: int = 0
    dropped: int = 0


# -- cases ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One damaged article or archive; all of it follows from the seed and the number."""

    number: int
    kind: str
    name: str  # of the file
    content: bytes = field(repr=False)
    members: frozenset[str] = frozenset()  # of a whole archive: those that are articles


def articles(folders: Sequence[Path]) -> Found:
    """The articles below some folders, those that are not too large."""
    kinds = {suffix: kind for kind, suffixes in KINDS.items() for suffix in suffixes}
    found: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            suffix = path.suffix.lower()
            if suffix in kinds and path.is_file() and 0 < path.stat().st_size < LARGEST:
                found[kinds[suffix]][suffix].append(path)
    return found


def case(number: int, seed: int, found: Found) -> Case:
    """A case; kinds come evenly, and so do the suffixes of a kind."""
    draw = Draw(f"{seed} {number}")
    kind = draw.choice([*sorted(found), LINES, ARCHIVE])
    if kind == ARCHIVE:
        return _archive(number, found, draw)
    path = _drawn(found, "LaTeX" if kind == LINES and "LaTeX" in found else kind, draw)
    other = _drawn(found, "", draw).read_bytes()
    if kind == LINES:
        content = damaged_lines(path.read_bytes(), other, draw)
        return Case(number, kind, f"article{LINES_SUFFIX}", content)
    return Case(number, kind, f"article{path.suffix}", _damaged(path, other, draw))


def _drawn(found: Found, kind: str, draw: Draw) -> Path:
    """An article by lot, of a kind or of any."""
    suffixes = found[kind if kind in found else draw.choice(sorted(found))]
    return draw.choice(suffixes[draw.choice(sorted(suffixes))])


def _damaged(path: Path, other: bytes, draw: Draw) -> bytes:
    damage = damaged_notebook if path.suffix == ".ipynb" else damaged
    return damage(path.read_bytes(), other, draw)


def _archive(number: int, found: Found, draw: Draw) -> Case:
    """An archive of some articles, each of them damaged or not, and itself damaged or not."""
    suffix = draw.choice(ARCHIVE_SUFFIXES)
    files: dict[str, bytes] = {}
    odd = False
    for n in range(1 if suffix == ".gz" else draw.choice((1, 2, 5))):
        path, other = _drawn(found, "", draw), _drawn(found, "", draw).read_bytes()
        is_odd = draw.random() < 0.1
        place = draw.choice(ODD_NAMES) if is_odd else draw.choice(("{}", "part/{}", "a/b/{}"))
        content = _damaged(path, other, draw) if draw.random() < 0.5 else path.read_bytes()
        files[place.format(f"member{n}{path.suffix}")] = content
        odd |= is_odd
    name = f"article{suffix}" if suffix != ".gz" else f"{Path(next(iter(files))).name}.gz"
    if suffix != ".gz" and draw.random() < 0.2:  # archives in archives, as those of arXiv
        files = {f"inner{suffix}": packed(files, suffix, draw), **files}
    content = packed(files, suffix, draw)
    if odd or suffix == ".gz" or draw.random() < 0.5:
        for _ in range(draw.choice((0, 1, 1, 3))):
            content = draw.choice(BROKEN)(content or b"x", b"PK\3\4" + content, draw)
        return Case(number, ARCHIVE, name, content)
    return Case(number, ARCHIVE, name, content, _own_articles(files))


def _own_articles(files: Iterable[str]) -> frozenset[str]:
    """The files that are articles each by itself: all but those of LaTeX, which read each other."""
    others = tuple(s for kind, suffixes in KINDS.items() if kind != "LaTeX" for s in suffixes)
    return frozenset(name for name in files if name.lower().endswith(others))


# -- the promise ---------------------------------------------------------------------------------


def extracted(folder: Path, members: frozenset[str]) -> Outcome:
    """What extract makes of a folder, and whether anything is neither a pair nor counted."""
    opened = [article for source in sources([folder]) for article in source.articles()]
    faults, longest, pairs, dropped = [untold(opened, members)], 0.0, 0, 0
    for article in opened:
        signal.setitimer(signal.ITIMER_PROF, 3 * SECONDS)  # then the kernel ends the process
        start = time.process_time()  # others may use the machine, too
        found = list(contents(article, CorpusConfig()))
        seconds = time.process_time() - start
        faults.append(f"slow: {seconds:.0f} s" if seconds > SECONDS else "")
        plain = [each for each in found if not isinstance(each, SymbolDefinition)]
        faults.append(uncounted(article, plain))
        longest = max(longest, seconds)
        pairs += sum(isinstance(each, Pair) for each in plain)
        dropped += sum(isinstance(each, Dropped) for each in plain)
    return Outcome(next(filter(None, faults), ""), round(longest, 3), 0.0, pairs, dropped)


def untold(opened: Sequence[Article | Unreadable], members: frozenset[str]) -> str:
    """A file that is neither an article nor told to be unreadable."""
    if not opened:
        return "lost: the file"
    missing = members - {each.root for each in opened if isinstance(each, Article)}
    unreadable = sum(isinstance(each, Unreadable) for each in opened)
    return f"lost: the member {min(missing)}" if len(missing) > unreadable else ""


def uncounted(article: Article | Unreadable, found: Sequence[Pair | Dropped]) -> str:
    """A display of an article that is nowhere in what was found."""
    if isinstance(article, Unreadable) or any(
        getattr(e, "reason", "") == "unreadable" for e in found
    ):
        return "" if found else "lost: an article that cannot be read"
    left = Counter((each.article, each.file, each.line) for each in found)
    for piece in read(article):
        if isinstance(piece, Display):
            place = piece.article, piece.file, piece.line
            if not left[place]:
                return f"lost: the display at line {piece.line}"
            left[place] -= 1
    return ""


# -- a process that reads ------------------------------------------------------------------------


def attempt(folder: Path, members: frozenset[str]) -> Outcome:
    """Read a folder as extract does, and tell what became of it."""
    signal.setitimer(signal.ITIMER_PROF, 3 * SECONDS)  # to open it; each article has its own
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins anew
    try:
        told = extracted(folder, members)
    except BaseException as error:
        told = Outcome(f"crash: {type(error).__name__}: {error}"[:300])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    megabytes = _peak()
    is_large = not told.fault and megabytes > MEGABYTES
    fault = f"memory: {megabytes:.0f} MB" if is_large else told.fault
    return replace(told, megabytes=round(megabytes, 1), fault=fault)


def _peak() -> float:
    """Megabytes that this process has used at most."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1_024


class Reader:
    """A process that reads one folder after another."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=self._answer, args=(there,), daemon=True)
        self._process.start()
        there.close()

    def _answer(self, pipe: Connection) -> None:
        self._pipe.close()  # so that this process ends with the one that asks
        resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST))
        while True:
            try:
                folder, members = pipe.recv()
            except EOFError:
                return
            pipe.send(attempt(folder, members))

    def outcome(self, folder: Path, members: frozenset[str] = frozenset()) -> Outcome:
        """What becomes of a folder."""
        self._pipe.send((folder, members))
        if not self._pipe.poll(PATIENCE):
            return Outcome("hang: it waits", PATIENCE)
        try:
            told: Outcome = self._pipe.recv()
            return told
        except EOFError:
            self._process.join()
            if self._process.exitcode == -signal.SIGPROF:
                return Outcome("hang", 3 * SECONDS)
            return Outcome(f"crash: the process ended with {self._process.exitcode}")

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


def tried(cases: Iterable[Case]) -> Iterator[tuple[Case, Outcome]]:
    """What becomes of each case, alone in a folder."""
    reader = Reader()
    for each in cases:
        with tempfile.TemporaryDirectory(prefix="topiceq-fuzz-") as folder:
            (Path(folder) / each.name).write_bytes(each.content)
            outcome = reader.outcome(Path(folder), each.members)
        yield each, outcome
        if outcome.fault:
            reader.close()
            reader = Reader()
    reader.close()


# -- many ----------------------------------------------------------------------------------------


def fuzz(
    folders: Annotated[tuple[Path, ...], "of articles"],
    *,
    count: Annotated[int, "cases, beside those that were tried before"] = 1_000,
    seed: int = 0,
    keep: Annotated[Path | None, "folder for the cases that break the promise"] = None,
) -> None:
    """Mutated real articles of every format through extract; what crashes, hangs or is lost."""
    found, told = articles(folders), _before(seed, folders)
    again = {fault["case"]: fault for fault in told["faults"] if fault["now"]}
    for each, outcome in tried(case(number, seed, found) for number in again):
        again[each.number]["now"] = outcome.fault
    first = told["cases"]
    told["runs"].append({"commit": entries.commit(), "first": first, "last": first - 1})
    for each, outcome in tried(case(n, seed, found) for n in range(first, first + count)):
        _add(told, each, outcome)
        if outcome.fault:
            _show(each, outcome, keep)
        if told["cases"] % EVERY == 0:
            entries.write("fuzz", entries.made() | told)
    entries.report("fuzz", told)


def _before(seed: int, folders: Sequence[Path]) -> entries.Entry:
    """What was found so far with a seed, in these folders."""
    names = [str(folder) for folder in folders]
    before = entries.read_if("fuzz") or {}
    if (before.get("seed"), before.get("folders")) == (seed, names):
        return before
    return {"seed": seed, "folders": names, "cases": 0, "kinds": {}, "pairs": 0, "dropped": 0,
            "processor_seconds": 0.0, "slowest": 0.0, "largest_mb": 0.0, "runs": [],
            "faults": []}  # fmt: skip


def _add(told: entries.Entry, each: Case, outcome: Outcome) -> None:
    """Count a case."""
    told["runs"][-1]["last"] = each.number
    told["cases"] = each.number + 1
    told["kinds"] = dict(sorted((Counter(told["kinds"]) + Counter([each.kind])).items()))
    told["pairs"] += outcome.pairs
    told["dropped"] += outcome.dropped
    told["processor_seconds"] = round(told["processor_seconds"] + outcome.seconds, 3)
    if not outcome.fault:
        told["slowest"] = max(told["slowest"], outcome.seconds)
        told["largest_mb"] = max(told["largest_mb"], outcome.megabytes)
    else:
        fault = {"case": each.number, "kind": each.kind, **asdict(outcome), "now": outcome.fault}
        told["faults"].append(fault)


def _show(each: Case, outcome: Outcome, keep: Path | None) -> None:
    """Print a case that breaks the promise, and keep it."""
    print(each.number, each.kind, outcome.fault, flush=True)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{each.number}-{each.name}").write_bytes(each.content)
