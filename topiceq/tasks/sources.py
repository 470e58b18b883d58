"""Where articles come from: a manifest in, for each place its title, licence and address out.

A manifest has a JSON object a line:

    {"repo": "owner/name", "commit": "3f2a..", "license": "CC-BY-4.0", "field": "algebra"}
    {"folder": "papers/mine", "title": "My papers", "license": "MIT", "link": "https://my.org/src"}

The first is a repository on GitHub that lies in the folder algebra/owner+name, unless `folder` says
another; the second any folder, whose files have their addresses below `link`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from topiceq.article.arxiv import article_id
from topiceq.errors import CorpusError

ARXIV = "https://arxiv.org/abs/"
WITHOUT_LINES = (".ipynb",)  # a line of theirs is that of a cell


@dataclass(frozen=True, order=True)
class Source:
    """A folder of articles."""

    folder: str  # what paths below it begin with, without the last /
    title: str = ""
    field: str = ""
    licence: str = ""
    link: str = ""  # of the folder


def read_sources(manifest: str | Path) -> tuple[Source, ...]:
    """The sources of a manifest."""
    try:
        lines = Path(manifest).read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines if line.strip()]
        return tuple(sorted({checked(_source(entry)) for entry in entries}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError(
            f"The manifest '{manifest}' cannot be read ({error}). A line of it is such as "
            '{"folder": "papers", "link": "https://..", "license": "MIT"}.'
        ) from error


def _source(entry: dict[str, str]) -> Source:
    repo, field = entry.get("repo", ""), entry.get("field", "")
    folder = entry.get("folder") or "/".join(filter(None, (field, repo.replace("/", "+"))))
    link = entry.get("link", "")
    if repo and not link:
        link = f"https://github.com/{repo}/blob/{entry['commit']}"
    if not folder:
        raise ValueError("a line has neither a repo nor a folder")
    title = entry.get("title") or repo
    return Source(folder.rstrip("/"), title, field, entry.get("license", ""), link.rstrip("/"))


def checked(source: Source) -> Source:
    """A link is followed by whoever sees it: it must not be a script."""
    if not all(isinstance(value, str) for value in vars(source).values()):
        raise ValueError(f"{source} has something other than text")
    if source.link and not source.link.startswith(("https://", "http://")):
        raise ValueError(f"the link '{source.link}' does not begin with https://")
    return source


def source_of(file: str, sources: Mapping[str, Source]) -> Source | None:
    """The source by its folder that a file lies in: of several the innermost."""
    folder = file
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in sources:
            return sources[folder]
    return None


def link_of(article: str, file: str, line: int, source: Source | None) -> str | None:
    """The address of a place, if it has one.

    >>> link_of("hep-th/9901001", "hep-th9901001/a.tex", 7, None)
    'https://arxiv.org/abs/hep-th/9901001'
    >>> link_of("a/b", "a/b c.tex", 7, Source("a", link="https://x.org"))
    'https://x.org/b%20c.tex#L7'
    """
    if source is None or not source.link:
        number = article_id(article)
        return ARXIV + number if number else None
    anchor = "" if file.endswith(WITHOUT_LINES) or line < 1 else f"#L{line}"
    return f"{source.link}/{quote(file[len(source.folder) + 1 :])}{anchor}"
