r"""The text files of one source, read-only: a folder on disk or the members of an archive.

In: what \input{name} says. Out: the path it means, never outside the source, and the decoded text.
"""

import os
import posixpath
import re
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from topiceq.article import archive
from topiceq.files import of_machine

_MAX_NAME = 1000
_OUTSIDE = re.compile(r"[/\\~|]|[A-Za-z]:")  # a root, a home, a command to run, a drive
_MAX_COMPANIONS = 12
_DEFINES = re.compile(
    r"\.sty$|(?:macro|preamble|command|definition|notation|shortcut|header|defs)s?\w{0,99}\.tex$",
    re.I,
)
_FOLDERS = frozenset("macros macro preamble preambles".split())  # whose files define macros
_MAX_FOLDERS = 60  # beside each other; more are a collection of sources, not one


@dataclass(frozen=True)
class Unreadable:
    """Something that gives no article: `where` is an id or a path, `why` continues the sentence."""

    where: str
    why: str


class Broken(Exception):
    """A reader finds that a file is not what its suffix says; the text continues the sentence."""


class Files(ABC):
    """The text files of one source, read-only; paths are "/"-separated and below its top."""

    def __init__(self) -> None:
        self._styles: dict[str, dict[str, str]] = {}  # near the main files of a folder

    def read(self, path: str) -> str | None:
        """The text of a file, None where there is none."""
        text = self.load(path)
        return text if isinstance(text, str) else None

    def load(self, path: str) -> str | Unreadable:
        """The text of a file, or why there is none."""
        if not self._has(path):
            return Unreadable(path, "does not exist")
        try:
            if self._size(path) > archive.MAX_FILE_BYTES:
                return Unreadable(path, f"is larger than {archive.MAX_FILE_BYTES >> 20} MB")
            data = self._bytes(path)
        except OSError as error:
            if of_machine(error):  # the article is not to blame, and would be lost
                raise
            return Unreadable(path, f"cannot be read ({error.strerror})")
        return Unreadable(path, "is binary, not text") if b"\0" in data else _decode(data)

    def find(self, name: str, *, near: str, root: str, suffix: str = ".tex") -> str | None:
        r"""The file that \input{name} means in the file `near` of the article `root`."""
        name = name.strip().strip('"')
        if not name or len(name) > _MAX_NAME or _OUTSIDE.match(name):
            return None
        has_suffix = name.lower().endswith(suffix)
        names = (name, name + suffix) if has_suffix else (name + suffix, name)
        below = (posixpath.normpath(posixpath.join(folder, each))
                 for folder in _folders(near, root) for each in names)  # fmt: skip
        found = next((path for path in below if path[:3] != "../" and self._has(path)), None)
        if found is None and suffix in (".sty", ".cls"):
            return self._style_nearby(posixpath.basename(name).removesuffix(suffix) + suffix, root)
        return found

    def companions(self, root: str) -> list[str]:
        """Styles and files of macros beside or above a file, the farthest first.

        A chapter whose main file is not part of the source is read with what they define.
        """
        folders = ["", *folders_above(root)][-3:]
        found: list[str] = []
        for folder in folders:
            names = [name for name in self.names_in(folder) if _DEFINES.search(name)]
            for inner in sorted(_FOLDERS.intersection(self.folders_in(folder))):
                own = self.names_in(posixpath.join(folder, inner))
                names += [f"{inner}/{name}" for name in own if name.endswith((".tex", ".sty"))]
            found += [posixpath.join(folder, name) for name in names]
        return [path for path in found if path != root][-_MAX_COMPANIONS:]

    def settings(self, root: str) -> list[str]:
        """What may define macros for an article that is no LaTeX, the farthest first."""
        folders = ["", *folders_above(root)]
        paths = [posixpath.join(f, name) for f in folders for name in archive.SETTINGS]
        macros = [path for path in self.companions(root) if path.endswith(".tex")]
        return [*filter(self._has, paths), *macros]

    def _style_nearby(self, name: str, root: str) -> str | None:
        """A style that TEXINPUTS would find: in a folder beside the main file's or one above."""
        folder = posixpath.dirname(root)
        if folder not in self._styles:
            self._styles[folder] = self._styles_nearby(root)
        return self._styles[folder].get(name)

    def _styles_nearby(self, root: str) -> dict[str, str]:
        """The styles and classes in folders near a main file, by name; the nearest one counts."""
        found: dict[str, str] = {}
        for folder in ["", *folders_above(root)][-3:]:
            for inner in reversed(self.folders_in(folder)):
                path = posixpath.join(folder, inner)
                styles = [n for n in self.names_in(path) if n.endswith((".sty", ".cls"))]
                found |= {name: posixpath.join(path, name) for name in styles}
        return found

    def paths(self) -> Iterable[str]:
        """All files, of an archive."""
        return ()

    @abstractmethod
    def names_in(self, folder: str) -> list[str]:
        """The names of the files in a folder, sorted."""

    @abstractmethod
    def folders_in(self, folder: str) -> list[str]:
        """The names of the folders in a folder, sorted; none where there are very many."""

    @abstractmethod
    def _has(self, path: str) -> bool: ...

    @abstractmethod
    def _size(self, path: str) -> int: ...

    @abstractmethod
    def _bytes(self, path: str) -> bytes: ...


class MemoryFiles(Files):
    """The files of an archive."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        super().__init__()
        self._contents = contents

    def paths(self) -> Iterable[str]:
        """All files."""
        return self._contents

    def names_in(self, folder: str) -> list[str]:
        return sorted(
            posixpath.basename(p) for p in self._contents if posixpath.dirname(p) == folder
        )

    def folders_in(self, folder: str) -> list[str]:
        above = folder + "/" if folder else ""
        inner = {p[len(above) :].partition("/")[0] for p in self._contents if p.startswith(above)}
        return sorted(inner - set(self.names_in(folder)))

    def _has(self, path: str) -> bool:
        return path in self._contents

    def _size(self, path: str) -> int:
        return len(self._contents[path])

    def _bytes(self, path: str) -> bytes:
        return self._contents[path]


class FolderFiles(Files):
    """The files below a folder on disk; `names` are all there are, where somebody has looked."""

    def __init__(self, top: str, names: frozenset[str] | None = None) -> None:
        super().__init__()
        self.top = os.path.realpath(top)
        self._names = names

    def names_in(self, folder: str) -> list[str]:
        return list(_entries(os.path.join(self.top, folder))[0])

    def folders_in(self, folder: str) -> list[str]:
        return list(_entries(os.path.join(self.top, folder))[1])

    def _has(self, path: str) -> bool:
        if self._names is not None:
            return path in self._names
        full = os.path.join(self.top, path)
        return os.path.isfile(full) and _is_below(os.path.realpath(full), self.top)

    def _size(self, path: str) -> int:
        return os.path.getsize(os.path.join(self.top, path))

    def _bytes(self, path: str) -> bytes:
        with open(os.path.join(self.top, path), "rb") as file:
            return file.read()


def _is_below(path: str, top: str) -> bool:
    return path.startswith(os.path.join(top, ""))


def _decode(data: bytes) -> str:
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _folders(near: str, root: str) -> Iterable[str]:
    """Where names are looked up, in this order; "" is the top."""
    above = reversed(folders_above(root))
    return dict.fromkeys((posixpath.dirname(root), posixpath.dirname(near), *above, ""))


def folders_above(path: str) -> list[str]:
    """The folders above a path.

    >>> folders_above("a/b/main.tex")
    ['a', 'a/b']
    """
    return list(accumulate(path.split("/")[:-1], posixpath.join))


Names = tuple[str, ...]


def _entries(folder: str) -> tuple[Names, Names]:
    """The names of the files and of the folders in a folder, hidden ones and links left out."""
    try:
        return _listed(folder, os.stat(folder).st_mtime_ns)
    except OSError as error:
        if of_machine(error):
            raise
        return (), ()


@lru_cache(maxsize=4096)
def _listed(folder: str, changed: int) -> tuple[Names, Names]:
    """What a folder held at a time."""
    with os.scandir(folder) as found:
        entries = [e for e in found if not e.name.startswith(".") and not e.is_symlink()]
    files = sorted(e.name for e in entries if e.is_file())
    folders = sorted(e.name for e in entries if e.is_dir())
    return tuple(files), tuple(folders) if len(folders) <= _MAX_FOLDERS else ()
