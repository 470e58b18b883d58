"""Damage to what is read: bytes, parts, brackets, macros, nesting, characters, and archives of it.

In go bytes and a `Draw`, out come others; the same draw damages the same way.
"""

import bz2
import gzip
import io
import json
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

Draw = random.Random


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
    b" ", b"\t", b"\n", b"a", b"-", b"\\", b"$a$ ", b"where $x$ is ", b"\n| a |", b"\n\\cond\n",
)  # fmt: skip


def nested(text: bytes, other: bytes, draw: Draw) -> bytes:
    """Something is opened many times, and not always closed."""
    at = draw.randrange(len(text))
    opened = draw.choice(NESTS) * draw.choice((3, 40, 400, 5_000, 100_000))
    return text[:at] + opened[:1_000_000] + text[at:]


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


Damage = Callable[[bytes, bytes, Draw], bytes]
DAMAGE: tuple[Damage, ...] = (
    flipped, deleted, doubled, swapped, defining, truncated, spliced, nested, odd, shuffled,
)  # fmt: skip
BROKEN: tuple[Damage, ...] = (flipped, deleted, doubled, truncated, spliced)  # of an archive


def damaged(text: bytes, other: bytes, draw: Draw) -> bytes:
    """An article with one to four kinds of damage."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        text = draw.choice(DAMAGE)(text or b"x", other or b"x", draw)
    return text


# -- articles inside JSON ------------------------------------------------------------------------


def damaged_notebook(text: bytes, other: bytes, draw: Draw) -> bytes:
    """A notebook of which mostly a cell is damaged, as else its JSON is broken at once."""
    if draw.random() < 0.2:
        return damaged(text, other, draw)
    notebook = json.loads(text)
    cells = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "markdown"]
    if cells:
        cell = draw.choice(cells)
        source = "".join(cell["source"]).encode()
        cell["source"] = damaged(source, other, draw).decode(errors="replace")
    return json.dumps(notebook).encode()


_DISPLAYS = re.compile(r"\\begin\{(equation|align)\*?\}(.*?)\\end\{\1\*?\}|\$\$(.*?)\$\$", re.S)


def damaged_lines(text: bytes, other: bytes, draw: Draw) -> bytes:
    """An article of LaTeX as a line of unarXive, damaged as text, as a record or as bytes."""
    if draw.random() < 0.5:
        text = damaged(text, other, draw)
    formulas: dict[str, Any] = {}

    def placed(found: re.Match[str]) -> str:
        formulas[f"d{len(formulas)}"] = {"type": "formula", "latex": found[2] or found[3] or ""}
        return f"\n{{{{formula:d{len(formulas) - 1}}}}}\n"

    prose = _DISPLAYS.sub(placed, text.decode("utf-8", "replace"))
    body: list[dict[str, Any]] = [
        {"section": "A", "sec_number": "1", "text": part} for part in prose.split("\n\n")
    ]
    record: dict[str, Any] = {"paper_id": "2101.00001", "body_text": body, "ref_entries": formulas}
    if draw.random() < 0.3:
        part: dict[str, Any] = draw.choice((record, draw.choice(body), formulas))
        strange: Any = draw.choice((None, 3, [], {"latex": 3}, {"text": {}}, "\ud800"))
        part[draw.choice(sorted(part) or ["d0"])] = strange
    line = json.dumps(record).encode() + b"\n"
    return damaged(line * 2, other, draw) if draw.random() < 0.2 else line


# -- archives ------------------------------------------------------------------------------------

ODD_NAMES = ("../{}", "/tmp/{}", ".hidden/{}", "C:\\{}", "a/../{}", "x" * 300 + "/{}", "\u202e{}",
             "a\nb/{}", "{}/", "./{}")  # fmt: skip


def packed(files: Mapping[str, bytes], suffix: str, draw: Draw) -> bytes:
    """An archive of some files; of a .gz, the first."""
    if suffix == ".zip":
        return _zipped(files, draw)
    if suffix == ".gz":
        return gzip.compress(next(iter(files.values())), mtime=0)
    raw = _tarred(files)
    if suffix in (".tar.gz", ".tgz"):
        return gzip.compress(raw, mtime=0)
    return bz2.compress(raw) if suffix == ".tar.bz2" else raw


def _zipped(files: Mapping[str, bytes], draw: Draw) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            kind = draw.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED))
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    return out.getvalue()


def _tarred(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()
