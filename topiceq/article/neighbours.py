r"""Definitions of the same repository, for commands that an article uses and nobody defines in it.

The main file of a chapter may not be part of the source, or take its macros from a file that is
not. Files beside it often define the same names: of those that are nearest, most must agree. A
repository whose parts are sorted under several fields is one.
"""

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from topiceq.article.files import Files, FolderFiles
from topiceq.article.macros.expander import Expander, Macro, MacroLimit
from topiceq.article.macros.packages import PRIMITIVES
from topiceq.article.tex import COMMENTED, FILE_END, Runaway, clean, lex

MAX_FILES = 3_000
SUFFIXES = (".tex", ".sty", ".cls", ".ltx")
LENGTH = 1_000  # characters in which a definition ends that is worth borrowing

_DEFINITION = re.compile(
    r"\\(?:(?:re)?new(?:robust)?(?:command|cmd)|providecommand|DeclareMathOperator|newif"
    r"|DeclareRobustCommand|(?:New|Renew|Declare)DocumentCommand|DeclarePairedDelimiter|g?def|let)"
    r"\s{0,9}\*?\s{0,9}\{?\s{0,9}(\\[A-Za-z@]+)"
)
# name -> files, each with what begins the definition, and whether it is a document
Definitions = Mapping[str, list[tuple[str, str, bool]]]


def lender(files: Files, root: str) -> Callable[[str], Macro | None]:
    """What gives the macro that the repository of an article has for a name, if it has one."""
    definitions = cache(lambda: _definitions(files, root))
    is_part = cache(lambda: "\\begin{document}" not in (files.read(root) or ""))

    @cache
    def lend(name: str) -> Macro | None:
        places = definitions().get(name, [])
        # a document defines what it uses: another one beside it may mean something else
        nearby = [(_in_field(path, root), text) for path, text, is_document in places
                  if path != root and (is_part() or not is_document)]  # fmt: skip
        return _nearest(name, nearby, root)

    return lend


def _definitions(files: Files, root: str) -> Definitions:
    """All definitions of an archive, or of the article's repository on disk."""
    if isinstance(files, FolderFiles):
        folder = repository(root)
        return _on_disk(files.top, posixpath.basename(folder)) if folder else {}
    return _collected(files, (path for path in files.paths() if path.endswith(SUFFIXES)))


def repository(path: str) -> str:
    """The second folder from the top, as in field/repository/..; "" for what lies in none.

    >>> repository("physics/notes/part/main.tex"), repository("physics/main.tex")
    ('physics/notes', '')
    """
    return posixpath.join(*path.split("/")[:2]) if path.count("/") > 1 else ""


@lru_cache(maxsize=2)
def _on_disk(top: str, name: str) -> Definitions:
    """The definitions of a repository, which is looked through once in each run."""
    files = FolderFiles(top)
    fields = (each for each in files.folders_in("") if name in files.folders_in(each))
    return _collected(files, _below(files, [posixpath.join(each, name) for each in fields]))


def forget() -> None:
    """Look again: files may have changed."""
    _on_disk.cache_clear()


def _in_field(path: str, root: str) -> str:
    """A path as if all of its repository lay in the field of an article."""
    own, theirs = repository(root), repository(path)
    is_other = posixpath.basename(own) == posixpath.basename(theirs)
    return own + path.removeprefix(theirs) if own and is_other else path


def _below(files: Files, waiting: list[str]) -> list[str]:
    """The files below some folders that may define something."""
    found = list[str]()
    while waiting and len(found) < MAX_FILES:
        here = waiting.pop(0)
        names = files.names_in(here)
        found += [posixpath.join(here, name) for name in names if name.endswith(SUFFIXES)]
        waiting += [posixpath.join(here, name) for name in files.folders_in(here)]
    return found[:MAX_FILES]


def _collected(files: Files, paths: Iterable[str]) -> Definitions:
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for path in paths:
        text = files.read(path) or ""
        is_document = "\\begin{document}" in text
        for match in _DEFINITION.finditer(text):
            start = match.start()
            line = text[max(text.rfind("\n", 0, start), start - LENGTH, 0) : start]
            if "%" not in line or not COMMENTED.search(line):
                snippet = text[start : start + LENGTH]
                found.setdefault(match[1], []).append((path, snippet, is_document))
    return found


def _nearest(name: str, places: list[tuple[str, str]], root: str) -> Macro | None:
    """The macro that most of the files nearest to an article define."""
    if not places:
        return None
    near = {path: len(os.path.commonpath([path, root])) for path, _ in places}
    beside = [(path, text) for path, text in places if near[path] == max(near.values())]
    least = min(path.count("/") for path, _ in beside)
    highest = [text for path, text in beside if path.count("/") == least]
    return _agreed(name, highest) or _agreed(name, [text for _, text in beside])


def _agreed(name: str, texts: list[str]) -> Macro | None:
    """The macro that most of some definitions are."""
    macros = [macro for text in texts if (macro := _macro(name, text))]
    spelled = Counter(map(_spelled, macros))
    for spelling, times in spelled.most_common(1):
        if 2 * times > len(macros):
            return next(macro for macro in macros if _spelled(macro) == spelling)
    return None


def _spelled(macro: Macro) -> tuple[object, ...]:
    """A macro as two authors would call the same."""
    return macro.params, macro.prefix, *" ".join(map(str, macro.body)).split()


def _macro(name: str, text: str) -> Macro | None:
    """What a definition defines that a text begins with; None if it has no end there."""
    x = Expander([*lex(clean(text)), FILE_END], primitives=PRIMITIVES)
    try:
        PRIMITIVES[x.stack.pop()](x)
    except (MacroLimit, Runaway, KeyError):
        return None
    macro = x.macros.get(name)
    return macro if macro is None or name not in macro.body else None
