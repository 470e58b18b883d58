r"""Who wrote an article: the argument of `\author` in, as journals and authors write it; names out.

Footnote marks, addresses and memberships are no part of a name.
"""

import re

_NEXT = re.compile(r"\\(?:and|AND|And|newauthor|quad|qquad|IEEEauthorblockN)(?![A-Za-z])")
_MARKED = re.compile(r"\\textsuperscript\s*\{[^{}]*\}")
_ADDRESS = re.compile(r"\\(?:IEEEauthorblockA|affil|affiliation|institute|address|addr|email)\b")
_LINE = re.compile(r"(?<!,)(?<!\band)\s*\\\\")  # a line that does not go on with names
_BREAK = re.compile(r"\\\\\*?(?:\[[^\]]*\])?")
_MARK = re.compile(r"\$\s*(?:\{\s*\})?\s*\^[^$]*\$")  # $^{1,2}$
_BETWEEN = re.compile(r"\s*(?:[,;&]\s*(?:and\s)?|\sand\s)\s*")
_TITLE = re.compile(r"(?:Jr|Sr|II|III|IV|Ph\.?\s?D|M\.?D)\.?")
_MEMBER = re.compile(r"(?:(?:Life|Senior|Student|Graduate)\s+)*(?:Member|Fellow)|IEEE|et al\.?")


def parts(latex: str) -> list[str]:
    r"""The LaTeX of each author, or of some in a row, without addresses.

    >>> parts(r"Ada Lovelace \\ London \and Carl Gau\ss,\\ Leonhard Euler\textsuperscript{1}")
    ['Ada Lovelace ', ' Carl Gau\\ss,  Leonhard Euler,']
    """
    marked = _MARKED.sub(",", latex)
    return [_first_lines(_ADDRESS.split(part)[0]) for part in _NEXT.split(marked)]


def _first_lines(part: str) -> str:
    for found in _LINE.finditer(part):
        before = part[: found.start()]
        if before.count("{") == before.count("}") and before.strip():
            return _BREAK.sub(" ", before) + " "
    return _BREAK.sub(" ", part)


def names(text: str) -> list[str]:
    """The names in a line of prose.

    >>> names("Ada Lovelace,$^{1}$ Carl Gauß$^{2,*}$ and Martin King, Jr., Member, IEEE")
    ['Ada Lovelace', 'Carl Gauß', 'Martin King, Jr.']
    """
    found: list[str] = []
    for part in _BETWEEN.split(_MARK.sub(",", text)):
        name = part.strip(" *").removeprefix("and ")
        if _TITLE.fullmatch(name) and found:
            found[-1] += f", {name}"
        elif name.strip(".") and not _MEMBER.fullmatch(name):
            found.append(name)
    return found
