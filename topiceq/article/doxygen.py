r"""Pages of Doxygen (.dox) in, read as Markdown, which Doxygen's own language is close to.

Comment markers go, `@f[ @f]`, `@f{align}{ @f}` and `@f$ @f$` (or with a backslash) become formulas
of Markdown, commands become headings, references and code. Lines stay where they are.
"""

import re
from collections.abc import Iterator

from topiceq.article.blocks import Blocks
from topiceq.article.composer import Composer
from topiceq.article.markdown import dialect_of, site_macros
from topiceq.article.pieces import Pieces
from topiceq.article.source import Article

_COMMENT = re.compile(r"/\*[*!]<?|^[ \t]*//[/!]<?", re.M)
_STAR = re.compile(r"^[ \t]*\*(?!\*)", re.M)
_DEEP = re.compile(r"^ {4,}", re.M)
_MARK = re.compile(r"[@\\](?:f[$\[({]|[a-zA-Z]+|[{}])|\$\$?")
_ENVIRONMENT = re.compile(r"([a-zA-Z]+\*?)\}[ \t]*\{?")
_REST = re.compile(r"[^\n]*")
_WORD = re.compile(r"[ \t]+(\S*[^\s.,;:)]|\S)(?=[.,;:)]*(?:\s|$))")
_NAMED_TITLE = re.compile(r"[ \t]+(\S+)[ \t]*([^\n]*)")
_QUOTED = re.compile(r"[ \t]*\"([^\"\n]*)\"")
_BRACED = re.compile(r"(?:\{[^{}\n]*\})+")

_BRACE = re.compile(r"[{}]")
NOTE = 3_000  # characters of a footnote

CLOSERS = {"$": "$", "[": "]", "(": ")", "{": "}"}
HIDING = {  # what is no prose, up to its end
    "code": "endcode", "verbatim": "endverbatim", "htmlonly": "endhtmlonly", "dot": "enddot",
    "latexonly": "endlatexonly", "msc": "endmsc", "xmlonly": "endxmlonly", "manonly": "endmanonly",
    "rtfonly": "endrtfonly", "startuml": "enduml",
}  # fmt: skip
TITLED = {"page": 1, "section": 2, "subsection": 3, "subsubsection": 4, "defgroup": 1}
CODE = frozenset("c p ref_code".split())
EMPHASISED = frozenset("a e em b".split())
LINES = frozenset(  # that say nothing to a reader
    "param tparam image anchor tableofcontents ingroup addtogroup author authors date version file "
    "namespace class struct fn var dir include dontinclude snippet skip skipline until line todo "
    "bug test since deprecated copyright internal endinternal cond endcond weakgroup headerfile "
    "subpage example defgroup name retval throws exception copydoc relates def enum".split()
)
DROPPED = frozenset(
    "brief details note warning remark remarks attention par return returns result see sa short "
    "pre post invariant nosubgrouping endlink n".split()
)


def read_doxygen(article: Article, text: str, sink: Pieces) -> None:
    """Read one page."""
    page = Composer(article, sink)
    page.define(site_macros(article))
    markdown = as_markdown(text)
    Blocks(page, dialect_of(markdown)).read(markdown)
    page.flush()


def as_markdown(text: str) -> str:
    r"""The page in Markdown, line for line.

    >>> as_markdown("/** @section s Mass\n * With @f$m@f$:\n * @f[ E = m c^2 @f]\n */")
    ' ## Mass {#s}\n With $m$:\n $$ E = m c^2 $$\n '
    """
    return _DEEP.sub("   ", "".join(_translated(uncommented(text))))


def uncommented(text: str) -> str:
    """What stands in the comments for Doxygen; all of a text that has none."""
    parts, at = [], 0
    while opens := _COMMENT.search(text, at):
        closer = "*/" if "*" in opens[0] else "\n"
        end = text.find(closer, opens.end())
        end = len(text) if end < 0 else end
        parts += ["\n" * text.count("\n", at, opens.start()), _bare(text[opens.end() : end])]
        at = end + (2 if closer == "*/" else 0)
    return "".join(parts) if parts else text


def _bare(comment: str) -> str:
    """A comment without the stars before its lines, if most have one."""
    stars = len(_STAR.findall(comment))
    return _STAR.sub("", comment) if 2 * stars > comment.count("\n") - 1 else comment


def _translated(text: str) -> Iterator[str]:
    """Pieces of Markdown."""
    at, missing = 0, set[str]()  # what is closed nowhere is looked for once
    while mark := _MARK.search(text, at):
        yield text[at : mark.start()]
        closer = _closer(mark[0])
        end = text.find(closer, mark.end()) if closer and closer not in missing else -1
        if end >= 0:
            yield _closed(mark[0], text[mark.end() : end])
            at = end + len(closer)
        elif closer:
            missing.add(closer)
            at = mark.end()
        else:
            markdown, at = _command(text, mark)
            yield markdown
    yield text[at:]


def _closer(mark: str) -> str:
    if mark[0] == "$":
        return mark
    if mark[1:2] == "f" and mark[2:] in CLOSERS:
        return mark[:2] + CLOSERS[mark[2:]]
    return mark[0] + HIDING[mark[1:]] if mark[1:] in HIDING else ""


def _closed(mark: str, inner: str) -> str:
    """A formula, or what is hidden, of which the line ends stay."""
    if mark[0] == "$":
        return mark + inner + mark
    if mark[1:] in HIDING:
        return "\n" * inner.count("\n")
    if mark[2] in "$(":
        return f"${inner.strip()}$"
    environment = _ENVIRONMENT.match(inner) if mark[2] == "{" else None
    if not environment:
        return f"$${inner}$$"
    return f"\\begin{{{environment[1]}}}{inner[environment.end() :]}\\end{{{environment[1]}}}"


def _command(text: str, mark: re.Match[str]) -> tuple[str, int]:
    """What a command is in Markdown, and where the text goes on."""
    name, at = mark[0][1:], mark.end()
    if name in TITLED and (title := _NAMED_TITLE.match(text, at)):
        return f"{'#' * TITLED[name]} {title[2].strip()} {{#{title[1]}}}", title.end()
    if name == "mainpage":
        return "# ", at
    if name in LINES:
        return "", _end_of(_REST, text, at)
    if name in ("li", "arg"):
        return "- ", at
    if name == "footnote" and text[at : at + 1] == "{":
        end = _group_end(text, at)
        return "\n" * text.count("\n", at, end), end
    if name in ("ref", "cite", "link") and (word := _WORD.match(text, at)):
        shown = _QUOTED.match(text, word.end())
        role = "cite" if name == "cite" else "ref"
        plain = f" {{{role}}}`{word[1]}`"
        return (f" {shown[1]}", shown.end()) if shown else (plain, word.end())
    if name in CODE | EMPHASISED and (word := _WORD.match(text, at)):
        around = "`" if name in CODE else "*"
        return f"{around}{word[1].strip('`*')}{around}", word.end()
    if name in DROPPED or name in "{}":
        return "", at
    return ("", _end_of(_BRACED, text, at)) if mark[0][0] == "@" else (mark[0], at)


def _group_end(text: str, at: int) -> int:
    """Behind the braces that begin at a place; behind the first one if they are not closed."""
    depth = 0
    for brace in _BRACE.finditer(text, at, at + NOTE):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return at + 1


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
