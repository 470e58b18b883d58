r"""The articles in folders, .tex files and archives.

In: paths. Out: one `Source` for each unit of work, cheap to list and to send to another process,
which opens as `Article`s: a main file, and the files that it may read. A main file is one that no
other file reads by \input, \include, \subfile, \import and their relatives; \documentclass decides
where files read each other in a circle. Nothing outside the given path is ever read.
"""

import csv
import hashlib
import io
import json
import os
import posixpath
import re
import stat
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple

from topiceq.article import archive, arxiv, neighbours
from topiceq.article.archive import archive_stem, clean, stem
from topiceq.article.files import Files, FolderFiles, MemoryFiles, Unreadable, folders_above
from topiceq.article.jsonlines import records
from topiceq.article.latex import files_read
from topiceq.errors import CorpusError
from topiceq.files import of_machine

_MAX_COMMANDS = 10_000  # in one file; far above any honest one
_SUFFIXES = {"documentclass": ".cls", "LoadClass": ".cls", "documentstyle": ".sty",
             "usepackage": ".sty", "RequirePackage": ".sty"}  # fmt: skip
_COMMAND = re.compile(
    r"""\\(?: (documentclass|documentstyle|LoadClass|usepackage|RequirePackage|InputIfFileExists
              |input|include|subfile|subfileinclude
              |import|subimport|inputfrom|subinputfrom|includefrom|subincludefrom)
              (?![A-Za-z@]) \s*\*?\s* (?:\[[^\]]{0,300}\]\s*)?
              (?: \{([^{}\\\#]{0,300})\} (?:\s*\{([^{}\\\#]{0,300})\})?
                | ([^\s{}\\\#%\[]{1,300}) )?
            | begin\s*\{document\} )""",
    re.VERBOSE,
)
_BUILT = re.compile(  # a name that macros build: \input{\part/x}, \input{dir/#1}, \input\name
    r"""\\(?:input|include|subfile|subfileinclude|import|subimport|InputIfFileExists
          |inputfrom|subinputfrom|includefrom|subincludefrom)
        (?![A-Za-z@]) \s*(?:\*\s*)? (?:\\|\{[^{}]{0,300}[\\\#])""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")


class _Read(NamedTuple):
    """One file name that a file reads."""

    name: str
    suffix: str  # where the name has none
    beside: bool = False  # looked up beside the file which reads it, not beside the main file


class _Facts(NamedTuple):
    """What one file tells of itself; the lower the rank, the more it looks like a main file."""

    rank: int  # 0 \documentclass and \begin{document}, 1 one of them alone, 2 neither
    reads: tuple[_Read, ...]
    has_class: bool
    builds_names: bool  # whether macros build the name of a file that it reads


def _facts(text: str) -> _Facts:
    is_document = has_body = False
    reads: dict[_Read, None] = {}
    for match in islice(_COMMAND.finditer(text), _MAX_COMMANDS):
        if _is_commented(text, match.start()):
            continue
        command, first, second, bare = match.groups()
        is_document |= command in ("documentclass", "documentstyle")
        has_body |= command is None
        reads |= dict.fromkeys(_reads(command or "", first or bare or "", second or ""))
    found = islice(_BUILT.finditer(text), _MAX_COMMANDS)
    built = any(not _is_commented(text, match.start()) for match in found)
    built |= _Read("subfiles", ".cls") in reads  # whose main file may define what it reads with
    return _Facts(2 - is_document - has_body, tuple(reads), is_document, built)


def _reads(command: str, first: str, second: str) -> list[_Read]:
    suffix = _SUFFIXES.get(command, ".tex")
    if suffix != ".tex":
        return [_Read(name.strip(), suffix) for name in first.split(",")]
    if command.endswith(("import", "from")):
        name = posixpath.join(first.strip(), second.strip())
        return [_Read(name, suffix, beside=command.startswith("sub"))]
    return [_Read(first.strip(), suffix)]


def _is_commented(text: str, place: int) -> bool:
    start = max(place - 2000, 0)  # looking further back would be slow where a line has megabytes
    line = text[max(text.rfind("\n", start, place) + 1, start) : place]
    return "%" in line and _COMMENT.search(line) is not None


class Includes:
    """Which file of a source reads which. `names`: all files, where they are known."""

    def __init__(self, files: Files, names: frozenset[str] | None = None) -> None:
        self._files = files
        self._names = names
        self._bare = None if names is None else {posixpath.basename(name) for name in names}
        self._facts: dict[str, _Facts] = {}
        self._read_by: dict[tuple[str, str], list[str]] = {}

    def rank(self, path: str) -> int:
        return self._facts_of(path).rank

    def below(self, root: str) -> list[str]:
        """The main file and all that it reads by plain names, directly or not."""
        has_class = self._facts_of(root).has_class
        waiting = [root, *(() if has_class else self._files.companions(root))]
        seen = dict.fromkeys(waiting)
        while waiting:
            for path in self._reads(waiting.pop(), root):
                if path not in seen:
                    seen[path] = None
                    waiting.append(path)
        return list(seen)

    def main_files(self) -> dict[str, list[str]]:
        """The main files, sorted, each with all that it reads; together they cover every article.

        Files that nobody reads come first. What they leave uncovered reads itself in a circle,
        or is read from one; a main file found too early is dropped when a later one reads it.
        """
        latex = [name for name in self._names or () if is_latex(name)]
        read = {path for each in latex for path in self._reads(each, each) if path != each}
        found: dict[str, list[str]] = {}
        covered: set[str] = set()
        for path in sorted(latex, key=lambda each: (each in read, *self._order(each))):
            if path not in covered:
                below = self.below(path)
                if any(self._facts_of(each).builds_names for each in below):
                    below = self._with_built_names(below, {*latex} - covered | found.keys())
                covered.update(below)
                for other in below:
                    found.pop(other, None)
                found[path] = below
        others = [name for name in self._names or () if is_article(name) and not is_latex(name)]
        found |= {name: [name, *self._files.settings(name)] for name in others}
        return dict(sorted(found.items()))

    def _with_built_names(self, below: list[str], alone: set[str]) -> list[str]:
        """The files below a main file, with those whose names macros build.

        Only reading the article tells which; it is read if files lie there that are alone so far.
        """
        folder = posixpath.join(posixpath.dirname(below[0]), "")
        if not any(name.startswith(folder) for name in alone.difference(below)):
            return below
        return list(dict.fromkeys((*below, *files_read(below[0], self._files))))

    def _order(self, path: str) -> tuple[int, int, str]:
        """What looks like a main file comes first, and of such what lies in no folder."""
        return self.rank(path), path.count("/"), path

    def _reads(self, path: str, root: str) -> list[str]:
        key = posixpath.dirname(root), path  # find() asks for no more of the root than its folder
        if key not in self._read_by:
            found = [self._find(each, path, root) for each in self._facts_of(path).reads]
            self._read_by[key] = [each for each in found if each]
        return self._read_by[key]

    def _find(self, read: _Read, path: str, root: str) -> str | None:
        bare = posixpath.basename(read.name.strip('"'))
        if self._bare is not None and not {bare, bare + read.suffix} & self._bare:
            return None  # most packages are not part of the source: no need to look everywhere
        root = path if read.beside else root
        return self._files.find(read.name, near=path, root=root, suffix=read.suffix)

    def _facts_of(self, path: str) -> _Facts:
        if path not in self._facts:
            self._facts[path] = _facts(self._files.read(path) or "")
        return self._facts[path]


def is_latex(name: str) -> bool:
    return name.lower().endswith(archive.LATEX_SUFFIXES)


def is_article(name: str) -> bool:
    """Whether a file of this name can be an article, or a part of one."""
    return name.lower().endswith(archive.SUFFIXES)


# -- articles in folders, .tex files and archives -------------------------------------------------


KINDS = "LaTeX, Markdown, notebooks, reStructuredText, HTML, Doxygen"  # that can be read
_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?|[a-z-]+\d{7}(v\d+)?")
_OLD_ARXIV = re.compile(r"[a-z-]+/\d{7}")


@dataclass(frozen=True)
class Article:
    """One main file with all that it may read."""

    id: str
    field: str
    root: str
    files: Files


@dataclass(frozen=True)
class Source(ABC):
    """One unit of work; `key` changes when what it gives may have changed."""

    id: str
    field: str
    size: int
    key: str

    @abstractmethod
    def articles(self) -> Iterator[Article | Unreadable]:
        """Opens the source; whatever is wrong with it comes out as Unreadable."""


@dataclass(frozen=True)
class _MainFile(Source):
    """A main file on disk."""

    top: str
    root: str

    def articles(self) -> Iterator[Article | Unreadable]:
        yield _article(self.id, self.field, self.root, FolderFiles(self.top))


@dataclass(frozen=True)
class _Lines(Source):
    """A file of JSON lines on disk, each line an article."""

    path: str
    rule: str

    def articles(self) -> Iterator[Article | Unreadable]:
        try:
            with open(self.path, "rb") as file:
                yield from _of_lines(file, self)
        except OSError as error:
            if of_machine(error):
                raise
            yield Unreadable(self.id, f"cannot be read ({error.strerror})")


@dataclass(frozen=True)
class _Packed(Source):
    """An archive, or from `offset` on one member of an uncompressed tar."""

    path: str
    name: str
    prefix: str  # of the ids of archives inside it
    rule: str
    offset: int = 0
    nested: bool = True

    def articles(self) -> Iterator[Article | Unreadable]:
        if self.offset and self.size > archive.MAX_ARCHIVE_BYTES:
            yield Unreadable(self.id, f"is larger than {archive.MAX_ARCHIVE_BYTES >> 20} MB")
            return
        try:
            with open(self.path, "rb") as file:
                yield from self._unpacked(self._stream(file) if self.offset else file)
        except OSError as error:
            if of_machine(error):
                raise
            yield Unreadable(self.id, f"cannot be read ({error.strerror})")

    def _stream(self, file: IO[bytes]) -> IO[bytes]:
        file.seek(self.offset)
        return io.BytesIO(file.read(self.size))

    def _unpacked(self, stream: IO[bytes]) -> Iterator[Article | Unreadable]:
        ids = _Ids()
        piece = None
        for piece in archive.unpack(stream, self.name, self.size, nested=self.nested):
            if isinstance(piece, archive.Bundle):
                id = _inner_id(self.prefix, piece.name, ids) if piece.name else self.id
                yield from self._bundle(id, piece.files)
            else:
                member = f"member '{clean(piece.name)[:200]}' " if piece.name else ""
                yield Unreadable(self.id, member + piece.why)
        if piece is None:
            yield Unreadable(self.id, "holds no articles")

    def _bundle(self, id: str, contents: Mapping[str, bytes]) -> Iterator[Article | Unreadable]:
        files = MemoryFiles(contents)
        ids = _root_ids(id, Includes(files, frozenset(contents)))
        for root, root_id in ids.items():
            field = self._field(root_id, id)
            if root.lower().endswith(archive.LINES_SUFFIX):
                lines = _Lines(root_id, field, 0, "", root, self.rule)
                yield from _of_lines(io.BytesIO(contents[root]), lines)
            else:
                yield _article(root_id, field, root, files)
        if not ids:
            yield Unreadable(id, "holds no articles")

    def _field(self, root_id: str, id: str) -> str:
        if root_id == self.id or self.rule in ("folder", "none"):
            return self.field
        return _field(self.rule, root_id) or _field(self.rule, id)


@dataclass(frozen=True)
class _Missing(Source):
    """An article that could not be fetched."""

    why: str

    def articles(self) -> Iterator[Article | Unreadable]:
        yield Unreadable(self.id, self.why)


def _of_lines(file: IO[bytes], source: "_Lines") -> Iterator[Article | Unreadable]:
    """The articles of a file of JSON lines; those of arXiv have its ids."""
    record = None
    for record in records(file):
        if record.why_not:
            yield Unreadable(source.id, record.why_not)
            continue
        is_arxiv = _ARXIV.fullmatch(record.id) or _OLD_ARXIV.fullmatch(record.id)
        id = record.id if is_arxiv else posixpath.join(source.id, record.id)
        root = posixpath.basename(source.path)
        field = source.field if source.rule in ("folder", "none") else _field(source.rule, id)
        yield _article(id, field, root, MemoryFiles({root: record.line}))
    if record is None:
        yield Unreadable(source.id, "holds no articles")


def _article(id: str, field: str, root: str, files: Files) -> Article | Unreadable:
    text = files.load(root)
    if isinstance(text, Unreadable):
        return Unreadable(id, text.why)
    return Article(id, field, root, files)


class _Ids:
    """Hands out each id once: the stem of a name, or the whole name if the stem is taken."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def claim(self, stem: str, name: str) -> str:
        id = clean(name if stem in self.taken else stem)
        self.taken.add(id)
        return id

    def of_roots(self, roots: Iterable[str]) -> dict[str, str]:
        """The id of each main file, by its path; where stems are equal, .tex comes first."""
        in_turn = sorted(roots, key=lambda root: (not root.endswith(".tex"), root))
        return {root: self.claim(stem(root), root) for root in in_turn}


def _inner_id(prefix: str, name: str, ids: _Ids) -> str:
    """The id of an archive inside an archive; arXiv's names say all that their folders say."""
    whole = archive_stem(name) or name
    bare = posixpath.basename(whole)
    return posixpath.join(prefix, ids.claim(bare if _ARXIV.fullmatch(bare) else whole, name))


def _root_ids(id: str, includes: Includes) -> dict[str, str]:
    """The only document of an archive has the archive's id, other main files their path below."""
    roots = list(includes.main_files())
    documents = [root for root in roots if includes.rank(root) < 2] or roots
    own = _Ids().of_roots(roots)
    below = {root: posixpath.join(id, own[root]) for root in roots}
    return below | ({documents[0]: id} if len(documents) == 1 else {})


def sources(
    paths: Sequence[str | Path],
    *,
    field: str | Path = "folder",
    library: arxiv.Library | None = None,
) -> Iterator[Source]:
    """All sources below the paths, sorted below each, then those given as `arXiv:ID`.

    `field` is "folder" (the first folder below the path), "none", or a file that maps ids to
    fields: JSON lines with "id" and "field" or "categories", or two columns of CSV or TSV. What is
    on arXiv is fetched into the library when its turn comes.
    """
    ids = [arxiv.article_id(str(path)) or str(path) for path in paths if arxiv.refers(path)]
    paths = [path for path in paths if not arxiv.refers(path)]
    for path in paths:
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise CorpusError(f"'{path}' does not exist. Give a folder, an article or an archive.")
    neighbours.forget()
    rule = str(field)
    if rule not in ("folder", "none"):
        _fields.cache_clear()
        _fields(rule)  # so that a wrong file is reported before the work starts
    given = list({os.path.realpath(path): path for path in paths}.values())
    labels = _labels(given)
    here = (each for path, label in zip(given, labels, strict=True)
            for each in _given(path, label, rule))  # fmt: skip
    fetching = library or arxiv.Library()
    return chain(here, (_fetched(id, rule, fetching) for id in dict.fromkeys(ids)))


_ABOUT = re.compile(  # files that are about others
    r"(?:^|/)(?:readme|changelog|changes|history|news|contributing|license|licence|authors|todo"
    r"|code[-_]of[-_]conduct|security|install)[^/]*\.(?:md|markdown|rst)$",
    re.IGNORECASE,
)


def one_article(path: str, cache: str | None = None) -> Article:
    """The only article of a source, a README beside it aside; arXiv's are kept in `cache`."""
    library = arxiv.Library(cache)
    given = sources([path], field="none", library=library)
    found = [article for source in given for article in source.articles()]
    readable = [article for article in found if isinstance(article, Article)]
    readable = [each for each in readable if not _ABOUT.search(each.root)] or readable
    if len(readable) == 1:
        return readable[0]
    if readable:
        some = ", ".join(article.id for article in readable[:3])
        unpacked = (
            f"Unpack it (it is in {library.folder}) and give" if arxiv.refers(path) else "Give"
        )
        raise CorpusError(
            f"'{path}' holds {len(readable)} articles ({some}, ...). {unpacked} the file of one."
        )
    why = next((each.why for each in found if isinstance(each, Unreadable)), "holds no article")
    hint = "" if arxiv.refers(path) else f" Give one article; {KINDS} are read."
    raise CorpusError(f"'{path}' {why}.{hint}")


def _labels(paths: Sequence[str | Path]) -> list[str]:
    """What the ids below each path begin with: its name, numbered if two have the same."""
    if len(paths) == 1:
        return [""]
    names = [os.path.basename(os.path.abspath(path)) for path in paths]
    stems = [clean(archive_stem(name) or stem(name)) for name in names]
    counts = [stems[:place].count(each) + 1 for place, each in enumerate(stems)]
    return [each if n == 1 else f"{each}-{n}" for each, n in zip(stems, counts, strict=True)]


def _given(path: str | Path, label: str, rule: str) -> Iterator[Source]:
    name = os.path.basename(path)
    if os.path.isdir(path):
        yield from _in_folder(os.path.abspath(path), label, rule)
    elif is_article(name):
        top, root = os.path.split(os.path.realpath(path))
        id = label or clean(stem(name))
        files = FolderFiles(top)
        below = Includes(files).below(root) if is_latex(name) else [root, *files.settings(root)]
        yield _main_file(top, root, below, id, _field(rule, id), rule)
    else:
        id = label or clean(archive_stem(name) or name)
        field = _field(rule, id, Path(path).parent.name)
        yield from _in_archive(os.path.abspath(path), id, prefix=label, field=field, rule=rule)


def _fetched(id: str, rule: str, library: arxiv.Library) -> Source:
    """An article of arXiv; its version need not be in the file of fields."""
    known = arxiv.article_id(id) is not None
    path = library.fetch(id) if known else Unreadable(clean(id)[:200], arxiv.NO_ID)
    if isinstance(path, Unreadable):
        return _Missing(path.where, "", 0, f"{path.where} {path.why}", path.why)
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    folder, name = posixpath.split(id)
    field = _field(rule, id, folder) or _field(rule, re.sub(r"v\d+$", "", id))
    size, key = path.stat().st_size, f"{id} {field} {digest}"
    return _Packed(id, field, size, key, os.path.abspath(path), name, id, rule, nested=False)


def _in_folder(top: str, label: str, rule: str) -> Iterator[Source]:
    texts, archives = _listing(top)
    if not archives and not any(map(is_article, texts)):
        raise CorpusError(f"'{top}' holds no articles. Give a folder with {KINDS} or archives.")
    names = frozenset(texts)
    roots = Includes(FolderFiles(top, names), names).main_files()
    lent = _stamps(top, texts)
    for name, below in sorted(_ids_below(roots, archives).items()):
        id = posixpath.join(label, below)
        field = _field(rule, id, clean(name.split("/")[0]) if "/" in name else "")
        if name in roots:
            nearby = lent.get(neighbours.repository(name), "")
            yield _main_file(top, name, roots[name], id, field, rule, nearby)
        else:
            path = os.path.join(top, name)
            yield from _in_archive(path, id, prefix=id, field=field, rule=rule)


def _listing(top: str) -> tuple[list[str], list[str]]:
    """The text files and the archives below a folder, but no links, pipes or hidden files."""
    texts: list[str] = []
    archives: list[str] = []
    for folder, subfolders, names in os.walk(top, onerror=_unlisted):
        subfolders[:] = [name for name in subfolders if not archive.is_hidden(name)]
        below = os.path.relpath(folder, top).replace(os.sep, "/")
        for name in names:
            is_text = name.lower().endswith(archive.TEXT_SUFFIXES)
            if archive.is_hidden(name) or not (is_text or archive_stem(name)):
                continue
            if stat.S_ISREG(os.lstat(os.path.join(folder, name)).st_mode):
                path = posixpath.normpath(posixpath.join(below, name))
                (texts if is_text else archives).append(path)
    return texts, archives


def _unlisted(error: OSError) -> None:
    """A folder that cannot be opened; what else is below the path is read."""
    if of_machine(error):
        raise error
    note = f"The folder '{error.filename}' is left out: {error.strerror}."
    warnings.warn(note, UserWarning, stacklevel=2)


def _ids_below(roots: Iterable[str], archives: Iterable[str]) -> dict[str, str]:
    ids = _Ids()
    found = ids.of_roots(roots)
    for root in found:
        # an archive often lies beside the folder it was unpacked to
        ids.taken.update(folders_above(root))
    return found | {name: ids.claim(archive_stem(name) or name, name) for name in sorted(archives)}


def _stamps(top: str, names: Iterable[str]) -> dict[str, str]:
    """For each repository, what changes with the files that may lend a definition."""
    digests: dict[str, hashlib._Hash] = {}
    for name in sorted(names):
        if name.endswith(neighbours.SUFFIXES) and (folder := neighbours.repository(name)):
            each = os.stat(os.path.join(top, name))
            stamp = os.fsencode(f"{name} {each.st_size} {each.st_mtime_ns}\n")
            digests.setdefault(folder, hashlib.sha256()).update(stamp)
    return {folder: digest.hexdigest() for folder, digest in digests.items()}


def _main_file(
    top: str, root: str, below: Iterable[str], id: str, field: str, rule: str, nearby: str = ""
) -> Source:
    found = [(name, os.stat(os.path.join(top, name))) for name in sorted(below)]
    stamp = "\n".join(f"{name} {each.st_size} {each.st_mtime_ns}" for name, each in found)
    stamp += nearby
    digest = hashlib.sha256(os.fsencode(stamp)).hexdigest()[:16]
    size = sum(each.st_size for _, each in found)
    if root.lower().endswith(archive.LINES_SUFFIX):
        return _Lines(
            id, field, size, f"{id} {field} {size} {digest}", os.path.join(top, root), rule
        )
    return _MainFile(id, field, size, f"{id} {field} {size} {digest}", top, root)


def _in_archive(path: str, id: str, *, prefix: str, field: str, rule: str) -> Iterator[Source]:
    """One source for each archive inside an uncompressed tar, one for everything else in it."""
    slots, rest = archive.slots(path)
    whole = os.stat(path)
    stamp = f"{whole.st_size} {whole.st_mtime_ns}"
    if rest:
        key = f"{id} {field} {stamp}"
        name = os.path.basename(path)
        yield _Packed(id, field, whole.st_size, key, path, name, prefix, rule, nested=not slots)
    ids = _Ids()
    for name, offset, size in slots:
        inner = _inner_id(prefix, name, ids)
        own = _field(rule, inner, field)
        key = f"{inner} {own} {offset} {size} {stamp}"
        yield _Packed(inner, own, size, key, path, name, prefix, rule, offset, nested=False)


def _field(rule: str, id: str, folder: str = "") -> str:
    if rule in ("folder", "none"):
        return folder if rule == "folder" else ""
    fields = _fields(rule)
    return fields.get(id) or fields.get(posixpath.basename(id), "")


@lru_cache(maxsize=1)
def _fields(path: str) -> dict[str, str]:
    """The fields of a file, by the id of the article; arXiv's old ids also as its files spell them:
    hep-th9901001 for hep-th/9901001."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            fields = dict(_field_rows(file, path))
    except OSError as error:
        raise CorpusError(
            f"Field '{path}' cannot be read ({error.strerror}). Give folder, none or a file."
        ) from None
    return fields | {id.replace("/", ""): fields[id] for id in fields if _OLD_ARXIV.fullmatch(id)}


def _field_rows(file: IO[str], path: str) -> Iterator[tuple[str, str]]:
    first = file.readline()
    file.seek(0)
    columns = partial(_columns, delimiter="\t" if "\t" in first else ",")
    parse = _record if first.lstrip().startswith("{") else columns
    for number, line in enumerate(file, 1):
        try:
            if line.strip():
                yield parse(line)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error):
            raise CorpusError(
                f"Line {number} of '{path}' gives no article a field. It needs an id and a field: "
                'JSON with "id" and "field" or "categories", or two columns of CSV or TSV.'
            ) from None


def _record(line: str) -> tuple[str, str]:
    record = json.loads(line)
    field = record["field"] if "field" in record else record["categories"].split()[0]
    return record["id"].strip(), field.strip()


def _columns(line: str, delimiter: str) -> tuple[str, str]:
    id, field = next(csv.reader([line], delimiter=delimiter))
    return id.strip(), field.strip()
