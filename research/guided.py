"""Coverage-guided fuzzing (atheris) of the targets, in turns.

Atheris is no dependency: `pip install atheris` where this is run. libFuzzer grows inputs towards
code that was not reached yet; they are kept between runs, and so is what was found: results add
up. A finding is tried again with every run, until what it breaks is mended.
"""

import json
import multiprocessing
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from research import entries
from research.damage import MACROS, NESTS, Draw, packed
from topiceq.errors import Unsupported

if TYPE_CHECKING:
    from research.targets import Target

LONGEST = 4_000  # bytes of an input
SEEDS = 300  # inputs to begin with
ENVIRONMENTS = ("equation", "align", "array}{c", "cases", "pmatrix", "itemize", "tabular}{c",
                "theorem", "document", "split", "verbatim")  # fmt: skip
ELEMENTS = ("math", "mi", "mo", "mn", "mrow", "msup", "msub", "msubsup", "mfrac", "munderover",
            "mtable", "mtr", "mtd", "mfenced", "mover", "mtext", "annotation", "p", "h1",
            "script type='math/tex'", "span class='math'", "/p", "/math")  # fmt: skip
COMMANDS = (
    r"\frac \over \atop \left( \right) \middle| \sqrt[ \text{ \mathrm{ \mbox{ \operatorname{ \hat "
    r"\begin{ \end{ \def \newcommand{ \let \ifx \else \fi \csname \endcsname \expandafter \limits "
    r"\label{ \ref{ \tag{ \eqref{ \cite{ \item \section{ \\\\ \hline \not \underbrace{ \stackrel{ "
    r"\overset{ \sum_{ \int_{ \big( \Big| \rm \bf \cal \mathbf{ \boldsymbol{ \displaystyle \, "
    r"\! \& \{ \} \| \langle \rangle \ldots \cdots \prime ' \substack{ \choose \genfrac{ "
    r"\xrightarrow{ \phantom{ \multicolumn{ \intertext{ \nonumber \[ \] \( \) \footnote{ \input{ "
    r"\usepackage{ \documentclass{ \bibitem{ #1 ## $$ &= ^{ _{ :math:` .. math:: ::: {.math} ``` "
    r"![ ]( ]: $` `$ --- === \f$ \f[ \f] \page \param \verb| \char \hspace{ \vspace{ \color{"
).split()
LIMITS = {"timeout": 600, "rss_limit_mb": 1_500}  # seconds of a clock; a target counts its own


def targets(
    folders: Annotated[tuple[Path, ...], "of articles, for inputs to begin with"],
    *,
    inputs: Annotated[Path, "folder for the inputs, kept between runs"],
    seconds: Annotated[int, "in all"] = 600,
    turn: Annotated[int, "seconds of a target before it is the next one's turn"] = 120,
    only: Annotated[str, "targets, with commas between; all if none is named"] = "",
) -> None:
    """All targets under atheris in turns; inputs, seconds and findings add up."""
    every = _instrumented()
    names = only.split(",") if only else list(every)
    told = entries.read_if("targets") or {"targets": {}, "found": []}
    inputs.mkdir(parents=True, exist_ok=True)
    (inputs / "words.dict").write_text("\n".join(_dictionary()), encoding="ascii")
    for found in told["found"]:
        if found["now"] and found["input"]:
            found["now"] = _error(_run(every[found["target"]], inputs / found["input"], {}))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        name = min(names, key=lambda each: told["targets"].get(each, {}).get("turns", 0))
        _seed(name, folders, inputs / name)
        _turn(name, every[name], inputs, turn, told)
        entries.write("targets", entries.made() | told)
    entries.report("targets", told)


def _instrumented() -> "dict[str, Target]":
    """The targets, of code that tells what it has reached."""
    try:
        import atheris
    except ImportError:
        raise Unsupported("Atheris is not installed. Type: pip install atheris") from None
    with atheris.instrument_imports(include=["topiceq.article", "topiceq.corpus"]):
        from research.targets import TARGETS
    return TARGETS


# -- a turn --------------------------------------------------------------------------------------


def _turn(name: str, target: "Target", inputs: Path, seconds: int, told: dict[str, Any]) -> None:
    """One target for a while; what it did is added to what it did before."""
    none = {"turns": 0, "seconds": 0, "processor_seconds": 0.0, "runs": 0}
    done = told["targets"].setdefault(name, none)
    done["turns"] += 1
    before, start = _spent(), time.monotonic()
    options = {"max_total_time": seconds, "seed": done["turns"], "max_len": LONGEST,
               "dict": f"{inputs}/words.dict", "artifact_prefix": f"{inputs}/{name}-"}  # fmt: skip
    log = _run(target, inputs / name, options)
    done["seconds"] += round(time.monotonic() - start)
    done["processor_seconds"] = round(done["processor_seconds"] + _spent() - before, 1)
    progress = [line for line in log.splitlines() if re.match(r"#\d+", line)]
    if progress and (counts := dict(re.findall(r"(cov|ft|corp): (\d+)", progress[-1]))):
        done["runs"] += int(re.findall(r"\d+", progress[-1])[0])
        done |= {"branches": int(counts["cov"]), "features": int(counts["ft"]),
                 "inputs": int(counts["corp"])}  # fmt: skip
    told["targets"][name] = done
    if error := _error(log):
        (written,) = re.findall(r"Test unit written to (\S+)", log)[-1:] or [""]
        print(name, error, written, flush=True)
        found = {"target": name, "input": Path(written).name, "found": error, "now": error}
        told["found"].append(found)


def _run(target: "Target", inputs: Path, options: dict[str, Any]) -> str:
    """What libFuzzer says of a target: in a process of its own, as it ends the one it is in."""
    with tempfile.TemporaryFile() as log:
        arguments = (target, inputs, LIMITS | options, log.fileno())
        process = multiprocessing.get_context("fork").Process(target=_fuzz, args=arguments)
        process.start()
        process.join()
        log.seek(0)
        return log.read().decode("utf-8", "replace")


def _fuzz(target: "Target", inputs: Path, options: dict[str, Any], log: int) -> None:
    import atheris

    for stream in (1, 2):
        os.dup2(log, stream)

    def asked(data: bytes) -> None:
        try:
            target(data)
        except BaseException:
            path = inputs.with_name(f"{inputs.name}-{sha256(data).hexdigest()[:16]}")
            path.write_bytes(data)
            print("Test unit written to", path, flush=True)
            raise

    words = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *words, str(inputs)], asked)
    atheris.Fuzz()


def _spent() -> float:
    """Seconds of a processor that processes have used that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _error(log: str) -> str:
    """What ended a run too early, in a line; nothing if nothing did."""
    if "Uncaught Python exception" in log:
        return log.partition("Uncaught Python exception: ===")[2].strip().splitlines()[0][:300]
    return next((kind for kind in ("timeout", "out-of-memory", "deadly signal") if kind in log), "")


# -- inputs to begin with ------------------------------------------------------------------------


def _dictionary() -> Iterator[str]:
    """Words of what is read, as libFuzzer's dictionaries have them."""
    words = {command.encode() for command in COMMANDS} | {*MACROS, *NESTS}
    words |= {rf"\{side}{{{n}}}".encode() for side in ("begin", "end") for n in ENVIRONMENTS}
    words |= {f"<{name}>".encode() for name in ELEMENTS}
    for word in sorted(words):
        yield '"' + "".join(f"\\x{byte:02x}" for byte in word) + '"'


_DISPLAY = re.compile(
    rb"\\begin\{(?:equation|align|multline|gather)\*?\}.{5,600}?\\end\{\w+\*?\}|\$\$.{5,400}?\$\$",
    re.S,
)
_MATH = re.compile(rb"<math[^>]*>(.{5,3000}?)</math>", re.S)
_CITED = re.compile(rb"\\bibitem.{5,400}?\n\n", re.S)
_MEANT = re.compile(rb"[^\n]*\$[^\n]*(?:where|denotes?|is the|[Ll]et)[^\n]*")
_DEFINED = re.compile(rb"\\(?:re)?newcommand[^\n]{5,200}")
_BETWEEN: dict[str, re.Pattern[bytes]] = {
    **dict.fromkeys(("lexer", "expander", "normal", "rows", "question"), _DISPLAY),
    "mathml": _MATH, "definitions": _MEANT, "bibliography": _CITED, "settings": _DEFINED,
}  # fmt: skip
_SUFFIXES = {"mathml": "html", "jsonl": "tex", "archive": "md"}
_PACKED = (".zip", ".tar.gz", ".tar", ".tar.bz2", ".gz")
_MANY = 1_000  # articles that are looked through


def _seed(name: str, folders: Sequence[Path], inputs: Path) -> None:
    """Inputs to begin with, from articles, where a target has none yet."""
    if inputs.exists():
        return
    inputs.mkdir()
    for each in islice(_snippets(name, folders), SEEDS):
        (inputs / sha256(each).hexdigest()[:16]).write_bytes(each)


def _snippets(name: str, folders: Sequence[Path]) -> Iterator[bytes]:
    """Parts of articles, taken by lot, that a target may read."""
    draw = Draw(name)
    suffix = _SUFFIXES.get(name, "tex" if name in _BETWEEN else name)
    paths = [path for folder in folders for path in sorted(folder.rglob(f"*.{suffix}"))]
    draw.shuffle(paths)
    for path in paths[:_MANY]:
        text = path.read_bytes()
        if pattern := _BETWEEN.get(name):
            found = (each[each.re.groups] for each in pattern.finditer(text[:200_000]))
            yield from islice(found, 3)
        else:
            yield _part(name, text, draw)


def _part(name: str, text: bytes, draw: Draw) -> bytes:
    """A beginning or a part of an article, in what a target reads."""
    at = draw.choice((0, text.find(b"\n\n", draw.randrange(len(text) + 1)), text.find(b"$$")))
    part = text[max(0, at) :][: draw.choice((500, 1_500, LONGEST))]
    words = part[:700].decode("utf-8", "replace")
    if name == "archive":
        return packed({"a.md": part[:500], "b.tex": part[500:]}, draw.choice(_PACKED), draw)
    if name == "jsonl":
        entries = {"f": {"latex": "x=1"}}
        body = [{"section": "A", "sec_number": "1", "text": words + "\n{{formula:f}}"}]
        record = {"paper_id": "2101.00001", "body_text": body, "ref_entries": entries}
        return json.dumps(record).encode()
    if name == "ipynb":
        cells = [each for each in json.loads(text).get("cells", ()) if "$" in str(each)][:2]
        return json.dumps({"cells": cells}).encode()
    return part
