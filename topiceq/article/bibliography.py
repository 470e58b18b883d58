r"""The works that an article cites: `\bibitem`s, .bbl files, BibTeX files beside the source.

In go texts; out come `Work`s by their keys, each with what a citation shows ("Author year", or a
number) and what the reference says, as a line of prose.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, splitext

from topiceq.article.files import Files, folders_above
from topiceq.article.latex import read_prose
from topiceq.article.pieces import Prose

MOST = 20_000  # entries that are read of a file
LONGEST = 3_000  # characters of an entry
TEXT = ("title", "journal", "journaltitle", "booktitle", "publisher", "school", "institution",
        "howpublished", "eprint")  # fmt: skip

_ENTRY = re.compile(r"@\s*(\w+)\s*[{(]\s*([^\s,{}()]+)\s*,")
_FIELD = re.compile(r"\b([A-Za-z][\w-]{0,99})\s{0,99}=\s*")
_ITEM = re.compile(r"\\bibitem\b\s*")
_OPTION = re.compile(r"\[((?:[^\[\]{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\]\s*")
_KEY = re.compile(r"%?\s*\{([^{}]*)\}")
_AUTHOR_YEAR = re.compile(r"^(.+?)(?<!\s)\s*[,(]\s*(\d{4}[a-z]?)\b|^(.+?)(?<!\s)\s+(\d{4}[a-z]?)$")
_OF_BIBLATEX = re.compile(r"\\entry\{([^{}]+)\}((?:(?!\\entry\{).)*?)\\endentry", re.S)
_FAMILY = re.compile(r"family=\{+([^{}]+)\}")
_GIVEN_FIELD = re.compile(r"\\field\{(\w+)\}\{(.*)\}")
_YEAR = re.compile(r"\d{4}")
# what styles write into entries, for those who only want to read them
_DEFINITIONS = (
    r"\def\bibinfo#1#2{#2}\def\bibfield#1#2{#2}\def\bibnamefont#1{#1}\def\bibfnamefont#1{#1}"
    r"\def\href#1#2{#2}\def\url#1{}\def\path#1{}\def\natexlab#1{#1}\def\newblock{ }"
    r"\def\citenamefont#1{#1}\def\doi#1{}\def\eprint#1{#1}\def\enquote#1{“#1”}\def\BibitemShut#1{}"
    r"\def\bibAnnoteFile#1#2{}\def\Eprint#1#2{#2}\def\urlprefix{}\def\textsc#1{#1}"
)


@dataclass(frozen=True)
class Work:
    """A work that is cited, as the source has it: names, year and text may hold LaTeX."""

    key: str
    names: str  # "Yasunaga and Lafferty"; empty where only numbers are shown
    year: str
    text: str


@dataclass(frozen=True)
class Reference:
    """A work as a page shows it."""

    number: int
    names: str
    year: str
    text: str


def references(works: Iterable[Work]) -> dict[str, Reference]:
    """The works that are cited, in this order, as a page shows them."""
    return {
        work.key: Reference(number + 1, plain(work.names), work.year, plain(work.text))
        for number, work in enumerate(works)
    }


def plain(latex: str) -> str:
    """A line of LaTeX as prose."""
    if "\\" not in latex and "{" not in latex and "~" not in latex:
        return " ".join(latex.split())
    pieces = read_prose(_DEFINITIONS + " " + latex[:LONGEST])
    return " ".join(" ".join(p.text for p in pieces if isinstance(p, Prose)).split())


def beside(files: Files, root: str) -> dict[str, Work]:
    """What the bibliographies of a source say: the article's own first, then those nearby."""
    found: dict[str, Work] = {}
    own = splitext(root)[0] + ".bbl"
    for path in [own, *_named(files, root, ".bbl"), *_named(files, root, ".bib")]:
        text = files.read(path)
        if text:
            for work in of_bibtex(text) if path.endswith(".bib") else of_items(text):
                found.setdefault(work.key, work)
    return found


def _named(files: Files, root: str, suffix: str) -> Iterator[str]:
    """Files of a kind in the article's folder, those in it and those above."""
    folder = dirname(root)
    below = [f"{folder}/{name}".lstrip("/") for name in files.folders_in(folder)]
    for each in dict.fromkeys([folder, *below, *folders_above(root)]):
        names = sorted(name for name in files.names_in(each) if name.lower().endswith(suffix))
        yield from (f"{each}/{name}".lstrip("/") for name in names[:20])


# -- items of LaTeX ------------------------------------------------------------------------------


def of_items(text: str) -> Iterator[Work]:
    r"""`\bibitem[Author(2019)]{key} ..`, of authors and BibTeX; entries of biblatex."""
    yield from map(_of_biblatex, _OF_BIBLATEX.finditer(text))
    items = _ITEM.split(text.partition("\\end{thebibliography}")[0])[1:]
    for item in items[:MOST]:
        option = _OPTION.match(item)
        key = _KEY.match(item, option.end() if option else 0)
        if key:
            names, year = _author_year(option[1]) if option else ("", "")
            yield Work(key[1].strip(), names, year, item[key.end() :].strip())


def _author_year(label: str) -> tuple[str, str]:
    """Of natbib's `Author et~al.(2019)All, Of, and Them`; another label is shown as it is."""
    label = plain(label.replace("\\protect", ""))
    found = _AUTHOR_YEAR.match(label)
    if not found:
        return (label, "") if label else ("", "")
    return (found[1] or found[3]).strip(" ,("), found[2] or found[4]


def _of_biblatex(entry: re.Match[str]) -> Work:
    fields = dict(_GIVEN_FIELD.findall(entry[2]))
    families = list(dict.fromkeys(_FAMILY.findall(entry[2])))
    fields["author"] = " and ".join(f"{{{name}}}" for name in families)
    return _work(entry[1], fields)


# -- BibTeX --------------------------------------------------------------------------------------


def of_bibtex(text: str) -> Iterator[Work]:
    """The entries of a .bib file.

    >>> [work] = of_bibtex("@book{knuth, author = {Knuth, Donald}, title={{TeX}book}, year=1984}")
    >>> work.names, work.year, work.text
    ('Knuth', '1984', 'Donald Knuth. {TeX}book. 1984.')
    """
    entries = list(_ENTRY.finditer(text))[:MOST]
    ends = [*(entry.start() for entry in entries[1:]), len(text)]
    for entry, end in zip(entries, ends, strict=False):
        if entry[1].lower() not in ("string", "comment", "preamble"):
            yield _work(entry[2], dict(_fields(text[entry.end() : end][: 4 * LONGEST])))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while found := _FIELD.search(text, at):
        at = found.end()
        end = _value_end(text, at)
        value = text[at:end].strip()
        yield found[1].lower(), value[1:-1] if value[:1] in ('"', "{") else value
        at = end


def _value_end(text: str, at: int) -> int:
    """Behind the value of a field, in braces, in quotes, or bare."""
    if text[at : at + 1] == '"':
        depth, closer = 0, '"'
    elif text[at : at + 1] == "{":
        depth, closer = 0, "}"
    else:
        bare = re.compile(r"[\w#\s]*").match(text, at)
        return bare.end() if bare else at
    for place in range(at + 1, len(text)):
        sign = text[place]
        if sign == closer and depth == 0:
            return place + 1
        depth += (sign == "{") - (sign == "}")
    return len(text)


def _work(key: str, fields: dict[str, str]) -> Work:
    names = re.split(r"\s+and\s+", fields.get("author") or fields.get("editor", ""))
    authors = [_name(each) for each in names if each.strip()]
    families = [family for _, family in authors]
    whole = [f"{given} {family}".strip() for given, family in authors]
    year = _YEAR.search(fields.get("year") or fields.get("date", ""))
    shown = _listed(whole if len(whole) <= 6 else [*whole[:5], "others"])
    parts = [shown, *(fields.get(name, "") for name in TEXT), fields.get("volume", "")]
    text = ". ".join(part.strip().rstrip(".") for part in [*parts, year[0] if year else ""] if part)
    short = _listed(families) if len(families) <= 2 else f"{families[0]} et al."
    return Work(key, short, year[0] if year else "", text + ".")


def _name(name: str) -> tuple[str, str]:
    """The given and the family name of `Knuth, Donald` and of `Donald E. Knuth`."""
    name = " ".join(name.split())
    if "," in name and not name.startswith("{"):
        family, _, given = name.partition(",")
        return given.rpartition(",")[2].strip(), family.strip()
    if name.endswith("}") and name.startswith("{"):
        return "", name[1:-1]
    given, _, family = name.rpartition(" ")
    return given, family


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1])] * bool(names[1:]) + names[-1:])
