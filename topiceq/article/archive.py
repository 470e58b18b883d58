"""Unpacks archives of articles in memory: nothing is written to disk and nothing is trusted.

In: a .gz, .tar, .tar.gz, .tar.bz2 or .zip; its bytes tell which, as arXiv's names do not.
Out: bundles of text files (one for each article's archive inside it, one for all loose files)
and, with the reason, what was skipped. Bytes are counted while they are unpacked, so that a bomb
is cut off early; a broken archive ends with a reason, never with an exception.
"""

import bz2
import gzip
import io
import posixpath
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO, NamedTuple, cast

MAX_FILE_BYTES = 16 << 20
MAX_ARCHIVE_BYTES = 256 << 20  # of text, unpacked
MAX_MEMBERS = 20_000
MAX_SIZE = 16 << 30  # that a member of a tar may claim
MAX_RATIO = 10  # with what is passed over, it may unpack to this many times its own size more

LATEX_SUFFIXES = (".tex", ".latex", ".ltx")
MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx", ".qmd", ".rmd")
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
LINES_SUFFIX = ".jsonl"  # an article a line
# of articles that are no LaTeX; each file is one
OTHER_SUFFIXES = (*MARKDOWN_SUFFIXES, ".ipynb", ".rst", *HTML_SUFFIXES, ".dox", LINES_SUFFIX)
# where such articles may have macros
SETTINGS = ("_config.yml", "mkdocs.yml", "conf.py", "_quarto.yml", "myst.yml", "macros.txt")
SUFFIXES = (*LATEX_SUFFIXES, *OTHER_SUFFIXES)
TEXT_SUFFIXES = (*SUFFIXES, ".sty", ".cls", ".def", ".clo", ".cfg", ".bbl", *SETTINGS)
ARCHIVE_SUFFIXES = (".tar.gz", ".tar.bz2", ".tgz", ".tar", ".zip", ".gz")

_BROKEN = (OSError, EOFError, ValueError, LookupError, RuntimeError, OverflowError, zlib.error,
           tarfile.TarError, zipfile.BadZipFile)  # fmt: skip
_FOREIGN_NAME = re.compile(r"\.(?!v\d)[a-z]\w{0,4}$", re.IGNORECASE)  # figure.eps, not 0704.0001
_FOREIGN_TEXT = re.compile(rb"\s*(?:%!PS|%PDF|<!DOCTYPE|<html)", re.IGNORECASE)


class Bundle(NamedTuple):
    """Text files that belong together: those of one archive, by their path inside it."""

    name: str  # of the member that held them, "" for the archive's own loose files
    files: dict[str, bytes]


class Skipped(NamedTuple):
    """A member ("" for the archive itself) that gives nothing, and why."""

    name: str
    why: str


class Slot(NamedTuple):
    """Where a member lies in an uncompressed tar."""

    name: str
    offset: int
    size: int


class Refused(Exception):
    """A limit was reached: nothing more of this archive is read."""


@dataclass(frozen=True)
class _Member:
    """One entry of a tar or zip; `read` is called before the next entry is asked for."""

    name: str
    size: int
    why_not: str  # "" for a plain file inside the archive
    read: Callable[[], bytes]


class _Allowance:
    """Bytes that may still be unpacked; what an inner archive spends, the outer one spends too."""

    def __init__(self, size: int, outer: "_Allowance | None" = None) -> None:
        self.left = MAX_ARCHIVE_BYTES + MAX_RATIO * size
        self.outer = outer

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise Refused(f"unpacks to more than {MAX_ARCHIVE_BYTES >> 20} MB")
        if self.outer:
            self.outer.spend(count)


class _Metered(io.RawIOBase):
    """A decompressing stream whose every byte is paid from an allowance."""

    def __init__(self, stream: IO[bytes], allowance: _Allowance) -> None:
        self._stream = stream
        self._allowance = allowance

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._allowance.spend(len(data))
        return data


def archive_stem(name: str) -> str | None:
    """The name without an archive's suffix; None where it is not a name of archived LaTeX.

    >>> archive_stem("0704.0001.gz"), archive_stem("paper.tex.gz"), archive_stem("figure.eps.gz")
    ('0704.0001', 'paper', None)
    """
    suffix = next((s for s in ARCHIVE_SUFFIXES if name.lower().endswith(s)), None)
    if suffix is None:
        return None
    bare = stem(name[: -len(suffix)])
    return None if suffix == ".gz" and _FOREIGN_NAME.search(bare) else bare


def stem(name: str) -> str:
    """The name without the suffix of an article.

    >>> stem("a/main.tex"), stem("0704.0001")
    ('a/main', '0704.0001')
    """
    suffix = next((s for s in SUFFIXES if name.lower().endswith(s)), "")
    return name[: len(name) - len(suffix)]


def clean(name: str) -> str:
    """A name as one line of valid Unicode, whatever the file system or archive holds."""
    valid = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return re.sub(r"[\x00-\x1f\x7f]", "?", valid)


def unpack(
    stream: IO[bytes], name: str, size: int, *, nested: bool = True
) -> Iterator[Bundle | Skipped]:
    """All text of an archive of `size` bytes; `nested=False` leaves the archives in it closed."""
    yield from _unpack(stream, name, _Allowance(size), nested)


def slots(path: str) -> tuple[list[Slot], bool]:
    """The archives inside an uncompressed tar, sorted, and whether it holds anything else of note.

    Only headers are read. What is no such tar, or a broken one, has none: it is a single piece.
    """
    found: list[Slot] = []
    rest = False
    try:
        with tarfile.open(path, "r:") as tar:
            for info in _tar_infos(tar):
                name = posixpath.normpath(info.name)
                if _why_not(name, info.isdir() or _is_plain(info), _is_link(info)):
                    rest = True
                elif info.isfile() and _is_article_archive(name):
                    found.append(Slot(name, info.offset_data, info.size))
                else:
                    rest |= name.lower().endswith(TEXT_SUFFIXES)
    except (Refused, *_BROKEN):
        return [], True
    return sorted(found), rest or not found


def _unpack(
    stream: IO[bytes], name: str, allowance: _Allowance, nested: bool
) -> Iterator[Bundle | Skipped]:
    try:
        yield from _open(stream, name, allowance, nested)
    except Refused as refusal:
        yield Skipped("", str(refusal))
    except _BROKEN as error:
        yield Skipped("", f"is broken ({_message(error)})")


def _message(error: Exception) -> str:
    return clean(str(error))[:200] or type(error).__name__


def _open(
    stream: IO[bytes], name: str, allowance: _Allowance, nested: bool
) -> Iterator[Bundle | Skipped]:
    """Looks at the first bytes and reads the archive as what it is."""
    magic = _peek(stream, 4)
    if magic == b"PK\x03\x04":
        with zipfile.ZipFile(stream) as archive:
            yield from _bundles(_zip_members(archive, allowance), allowance, nested)
        return
    plain = _decompressed(stream, magic)
    metered = _Metered(plain, allowance)
    if not _is_tar(_peek(plain, tarfile.BLOCKSIZE)):
        yield _single(metered, name)
    elif plain is stream:
        with tarfile.open(fileobj=stream, mode="r:") as tar:
            yield from _bundles(_tar_members(tar), allowance, nested)
    else:
        with tarfile.open(fileobj=metered, mode="r|") as tar:
            yield from _bundles(_tar_members(tar), allowance, nested)


def _peek(stream: IO[bytes], size: int) -> bytes:
    start = stream.read(size)
    stream.seek(0)
    return start


def _decompressed(stream: IO[bytes], magic: bytes) -> IO[bytes]:
    if magic.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(stream))
    return bz2.open(stream) if magic.startswith(b"BZh") else stream


def _is_tar(block: bytes) -> bool:
    """Whether the block is a tar header: its checksum tells, as old tars have no magic number."""
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _single(stream: _Metered, name: str) -> Bundle | Skipped:
    data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        return Skipped("", f"is larger than {MAX_FILE_BYTES >> 20} MB")
    if _FOREIGN_TEXT.match(data):
        return Skipped("", "holds PostScript, PDF or HTML, not LaTeX")
    bare = posixpath.basename(name).removesuffix(".gz")
    other = bare if bare.lower().endswith(OTHER_SUFFIXES) else ""
    return Bundle("", {other or posixpath.basename(archive_stem(name) or name) + ".tex": data})


def _bundles(
    members: Iterable[_Member], allowance: _Allowance, nested: bool
) -> Iterator[Bundle | Skipped]:
    """The archives inside as they come, then the loose files, which only together make sense."""
    loose: dict[str, bytes] = {}
    count = total = 0
    for member in members:
        is_archive = _is_article_archive(member.name)
        count += not is_archive
        if count > MAX_MEMBERS:
            raise Refused(f"has more than {MAX_MEMBERS:,} members")
        if member.why_not:
            yield Skipped(member.name, member.why_not)
        elif is_archive and nested:
            yield from _inner(member, allowance)
        elif _is_text(member.name):
            data = _data(member, MAX_FILE_BYTES)
            if isinstance(data, Skipped):
                yield data
                continue
            total += len(data)
            if total > MAX_ARCHIVE_BYTES:
                raise Refused(f"unpacks to more than {MAX_ARCHIVE_BYTES >> 20} MB")
            loose[clean(member.name)] = data
    if loose:
        yield Bundle("", loose)


def _inner(member: _Member, allowance: _Allowance) -> Iterator[Bundle | Skipped]:
    data = _data(member, MAX_ARCHIVE_BYTES)
    if isinstance(data, Skipped):
        yield data
        return
    inner = _Allowance(len(data), allowance)
    for found in _unpack(io.BytesIO(data), member.name, inner, nested=False):
        if isinstance(found, Bundle):
            yield Bundle(member.name, found.files)
        else:
            yield Skipped(posixpath.join(member.name, found.name).rstrip("/"), found.why)


def _data(member: _Member, limit: int) -> bytes | Skipped:
    if member.size > limit:
        return Skipped(member.name, f"is larger than {limit >> 20} MB")
    try:
        return member.read()
    except _BROKEN as error:
        return Skipped(member.name, f"is broken ({_message(error)})")


def _tar_members(tar: tarfile.TarFile) -> Iterator[_Member]:
    for info in _tar_infos(tar):
        if info.size > MAX_SIZE:  # tarfile would count to it, even where the stream has ended
            raise Refused(f"is broken (a member of {info.size:,} bytes)")
        if not info.isdir():
            name = posixpath.normpath(info.name)
            why_not = _why_not(name, _is_plain(info), _is_link(info))
            yield _Member(name, info.size, why_not, partial(_tar_read, tar, info))


def _tar_infos(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    while (info := tar.next()) is not None:
        if info.size < 0:  # tarfile would go round in circles
            raise Refused("is broken (a member of negative size)")
        yield info
        tar.members = []  # type: ignore[attr-defined]  # tarfile would keep them all


def _tar_read(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(info)
    return file.read() if file else b""


def _is_plain(info: tarfile.TarInfo) -> bool:
    return info.type in (tarfile.REGTYPE, tarfile.AREGTYPE)


def _is_link(info: tarfile.TarInfo) -> bool:
    return info.issym() or info.islnk()


def _zip_members(archive: zipfile.ZipFile, allowance: _Allowance) -> Iterator[_Member]:
    for info in archive.infolist():
        if not info.is_dir():
            name = posixpath.normpath(info.filename.replace("\\", "/"))
            kind = stat.S_IFMT(info.external_attr >> 16)
            why_not = _why_not(name, kind in (0, stat.S_IFREG), kind == stat.S_IFLNK)
            read = partial(_zip_read, archive, info, allowance)
            yield _Member(name, info.file_size, why_not, read)


def _zip_read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, allowance: _Allowance) -> bytes:
    # zipfile unpacks the other methods without a limit, whatever size the entry declares
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("compressed by another method than deflate")
    with archive.open(info) as file:
        return _Metered(file, allowance).read(info.file_size)


def _why_not(name: str, plain: bool, link: bool) -> str:
    """Why a member is skipped, "" if it is a plain file that stays inside the archive."""
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "has an absolute path"
    if name.split("/")[0] == "..":
        return "leads outside the archive"
    return "is a link" if link else "" if plain else "is not a plain file"


def _is_article_archive(name: str) -> bool:
    return archive_stem(name) is not None and not is_hidden(name)


def _is_text(name: str) -> bool:
    return name.lower().endswith(TEXT_SUFFIXES) and not is_hidden(name)


def is_hidden(path: str) -> bool:
    """Whether a part of the path is hidden, as .git and the copies that macOS adds to archives."""
    return any(part.startswith((".", "__MACOSX")) for part in path.split("/"))
