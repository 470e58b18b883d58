r"""Which file of a source reads which, and so which are main files.

In: the files. Out: the main files, each with all that it reads by \input, \include, \subfile,
\import, \usepackage and their relatives.
"""

import posixpath
import re
from itertools import islice
from typing import NamedTuple

from topiceq.corpus.source import archive
from topiceq.corpus.source.files import Files

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
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")


class _Read(NamedTuple):
    """One file name that a file reads."""

    name: str
    suffix: str  # where the name has none
    beside: bool = False  # looked up beside the file which reads it, not beside the main file


class _Facts(NamedTuple):
    """What one file tells of itself; the lower the rank, the more it looks like a main file."""

    rank: int  # 0 \documentclass and \begin{document}, 1 \documentclass alone, 2 neither
    reads: tuple[_Read, ...]


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
    return _Facts(0 if is_document and has_body else 1 if is_document else 2, tuple(reads))


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
        """The main file and all that it reads, directly or not."""
        waiting = [root, *(self._files.companions(root) if self.rank(root) == 2 else ())]
        seen = dict.fromkeys(waiting)
        while waiting:
            for path in self._reads(waiting.pop(), root):
                if path not in seen:
                    seen[path] = None
                    waiting.append(path)
        return list(seen)

    def main_files(self) -> dict[str, list[str]]:
        """The main files, sorted, each with all that it reads; together they cover every file.

        Files that nobody reads come first. What they leave uncovered reads itself in a circle,
        or is read from one; a main file found too early is dropped when a later one reads it.
        """
        latex = [name for name in self._names or () if is_latex(name)]
        read = {path for each in latex for path in self._reads(each, each) if path != each}
        found: dict[str, list[str]] = {}
        covered: set[str] = set()
        for path in sorted(latex, key=lambda each: (each in read, self.rank(each), each)):
            if path not in covered:
                below = self.below(path)
                covered.update(below)
                for other in below:
                    found.pop(other, None)
                found[path] = below
        return dict(sorted(found.items()))

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
