r"""The blocks of Markdown in, one after another; prose, headings and displays to a composer out.

Line by line blocks are told apart: prose goes on to paragraphs (inlines.py), displays to the
composer, and what is no prose (code, tables, pictures, footnotes, pages' own HTML) is passed over.
Containers (quotes, lists, admonitions, directives) are never nested calls, so no depth is too deep.
"""

import re
from collections.abc import Callable

from topiceq.article import settings
from topiceq.article.commands import SKIPPED
from topiceq.article.composer import Composer
from topiceq.article.inlines import (
    ENVIRONMENT,
    Dialect,
    Paragraph,
    closing_dollars,
)

MAX_DISPLAY = 300  # lines
TAB = 4

PROSE = frozenset(  # directives, and classes of divs, whose body is prose
    "note warning tip hint important caution attention seealso danger error admonition topic "
    "dropdown exercise solution sidebar margin card grid grid-item tab-set tab-item epigraph quote "
    "pull-quote only abstract details toggle div proof theorem lemma definition remark example "
    "corollary proposition conjecture algorithm axiom criterion observation property assumption "
    "versionadded versionchanged deprecated parsed container cell-output info success question "
    "tabs tab-set-code aside sidebar-note notice remark keypoint".split()
)
NO_HEADS = frozenset(
    "div card grid grid-item tab-set tab-item only container margin sidebar exercise-start "
    "exercise-end solution-start solution-end".split()
)
NO_PROSE_TAGS = frozenset(
    "script style pre table svg iframe object video audio math textarea template figure head "
    "canvas select button form".split()
)
NO_PROSE_TEMPLATES = frozenset(
    "highlight comment figure figcaption table tabcaption code snippet raw_code assign".split()
)

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\uf8ff]")
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|$)", re.S)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(?:[>|][+-]?[ \t]*\n[ \t]+)?(\S.*)$", re.M)
_QUOTE = re.compile(r"[ \t]{0,12}(?:>[ \t]?)+")
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|(\d{1,9})[.)])(?:[ \t]+|$))+(?:\[[ xX]\][ \t]+)?")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|(?=[^\s#!])|$)(.*)$")
_HEADING_LABEL = re.compile(r"\{[ \t]*+(?:#([\w:.-]++))?[^{}]*+\}[ \t]*$")
_HTML_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.*?)</h\1>", re.I)
_FENCE = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]*(.*)$")
_DIRECTIVE = re.compile(r"\{([a-zA-Z][\w:+.-]*)\}[ \t]*(.*)$")
_OPTION = re.compile(r"[ \t]*:([\w-]+):[ \t]*(.*)$")
_DIV = re.compile(r"\{?[ \t]*(?:#([\w:-]+))?[ \t]*\.?([\w:-]*)")
_DIV_TITLE = re.compile(r"(?:title|name)=[\"']([^\"'\n]*)")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]?)[ \t]++([\w \t-]*+)(?:\"(.*?)\")?[ \t]*$")
_ALERT = re.compile(r"\[!(\w+)\][ \t]*(.*)$")
_NOTE = re.compile(r"\[\^[^\]\s]+\]:")
_CONTENTS = re.compile(r"\[{1,2}_?toc_?\]{1,2}$", re.I)
_ADDRESS = re.compile(r"\[[^\[\]]{1,200}\]:[ \t]*\S*")
_ENVIRONMENT = re.compile(r"\\begin\s?\{([A-Za-z]+\*?)\}")
_TITLE_OF_ADDRESS = re.compile(r"\s*(?:\"[^\"]*\"|'[^']*')\s*$")
_ABBREVIATION = re.compile(r"\*\[[^\]]+\]:")
_LABEL = re.compile(r"\(([\w:.-]+)\)=[ \t]*$")  # of MyST, before what it names
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)")
_TEMPLATE = re.compile(r"\{%-?[ \t]*(\w++)(.*?)%\}")
_COUNTED = re.compile(r"\{%-?[ \t]*((?:sub){0,2}section)[ \t]+([^|%]*)")
_OPENS = re.compile(r"\\[^\[b\\]|\\\\(?!\[)|(\$\$)|(\\\\?)\[|\\b")
_DEFINES = re.compile(r"\\(?:(?:re|provide)?newcommand|def|DeclareMathOperator|let)\b")


class Blocks:
    """The blocks of an article, or of one cell of a notebook, being told apart."""

    def __init__(self, page: Composer, dialect: Dialect) -> None:
        self.page = page
        self.dialect = dialect
        self.lines: list[str] = []
        self.at = 0
        self.line = 0  # of everything, where lines do not count: the number of a cell
        self.paragraph: list[str] = []
        self.start = 0  # where the paragraph begins
        self.indents: list[int] = []  # where the content of open lists begins
        self.in_list = False  # whether the line stands in one, or behind one without a blank
        self.fences: list[str] = []  # open ones around prose
        self.unclosed: set[str] = set()  # tags that are closed nowhere
        self.label = ""  # of what comes next
        self.is_titled = False

    def read(self, text: str, line: int = 0) -> None:
        """Read a text; its displays all have the line, if one is given."""
        text = _CONTROL.sub(" ", without_comments(self.without_front(text)))
        self.lines, self.at, self.line = text.expandtabs(TAB).split("\n"), 0, line
        self.indents.clear()
        self.fences.clear()
        self.unclosed.clear()
        while self.at < len(self.lines):
            self.step()
        self.end()

    def without_front(self, text: str) -> str:
        """The text without its front matter, of which only the title and macros are read."""
        front = _FRONT.match(text)
        if not front:
            return text
        if title := _TITLE.search(front[1]):
            self.entitle(title[1].rstrip(" \t").strip("\"'"))
        self.page.define(settings.macros(front[1]))
        return "\n" * front[0].count("\n") + text[front.end() :]

    def entitle(self, title: str) -> None:
        if not self.is_titled:
            self.page.sink.entitle(title)
            self.is_titled = True

    def step(self) -> None:
        """Read the block, or the line of a paragraph, that comes next."""
        line = self.lines[self.at]
        bare = line.strip()
        if not bare:
            self.end()
            self.at += 1
            return
        indent = len(line) - len(line.lstrip())
        self.in_list = bool(self.indents)
        if not self.paragraph or _ITEM.match(line):
            while self.indents and indent < self.indents[-1]:
                self.indents.pop()
        if not self.paragraph and self.is_code(bare, indent):
            self.at += 1
            return
        handler = _HANDLERS.get(bare[0])
        if handler and handler(self, bare, indent):
            return
        if self.is_table(bare):
            self.table()
            return
        self.add(line, bare)

    def is_code(self, bare: str, indent: int) -> bool:
        """Indented by four; a display is none, however far it is indented."""
        inside = self.indents[-1] if self.indents else 0
        return indent >= inside + TAB and not bare.startswith(("$$", "\\begin{"))

    # -- paragraphs ----------------------------------------------------------------------------

    def add(self, line: str, bare: str) -> None:
        """A line of a paragraph, with the lines in which displays that it opens are closed."""
        if not self.paragraph:
            self.start = self.at
        if "$$" in bare or "\\[" in bare or "\\begin" in bare:
            end = self.end_of_displays(bare)
            self.paragraph += [bare, *self.lines[self.at + 1 : end]]
            self.at = end
        else:
            self.paragraph.append(line.lstrip() if line.endswith(" ") else bare)
            self.at += 1

    def end(self) -> None:
        """The paragraph ends."""
        if self.paragraph:
            text, self.paragraph = "\n".join(self.paragraph), []
            if text.startswith("\\") and _DEFINES.match(text):
                self.page.define(text)
                return
            self.compose(text, self.start + 1)
            self.page.paragraph()

    def compose(self, text: str, line: int, in_heading: bool = False) -> None:
        Paragraph(
            self.page, self.dialect, text, self.line or line, not self.line, in_heading
        ).read()

    def end_of_displays(self, bare: str) -> int:
        """Behind the line in which all displays are closed that a line opens."""
        at, end, text = 0, self.at + 1, bare
        while opens := _next_opening(text, at):
            closed = _end_in(text, opens)
            if closed < 0:
                end, text, closed = self.closing_line(end, opens, text)
            if closed < 0:
                break
            at = closed
        return end

    def closing_line(self, at: int, opens: re.Match[str], text: str) -> tuple[int, str, int]:
        """Behind the line that closes a display, that line, and where in it; -1 if none does."""
        begins_line, blank = not text[: opens.start()].strip(), False
        closer = _closer(opens)
        for place in range(at, min(at + MAX_DISPLAY, len(self.lines))):
            line = self.lines[place]
            bare = line.strip()
            blank |= not bare
            if bare.startswith(("```", "~~~", "## ")) or (blank and not begins_line):
                break
            end = _find(line, closer, 0)
            if end >= 0:
                if blank and line[end:].strip() and not _ends_line(line, end):
                    break
                return place + 1, line, end
        return at, text, -1

    # -- headings ------------------------------------------------------------------------------

    def heading(self, bare: str, indent: int) -> bool:
        found = _HEADING.match(bare)
        if not found or (len(found[1]) == 1 and bare[1:2].strip()):
            return False
        self.end()
        self.at += 1
        self.head(len(found[1]), found[2].rstrip(" \t").rstrip("#").rstrip(" \t"))
        return True

    def head(self, level: int, text: str) -> None:
        """The first of the highest level, without another title, is that of the article."""
        label, self.label = self.label, ""
        if attributes := _HEADING_LABEL.search(text):
            label, text = attributes[1] or label, text[: attributes.start()].rstrip(" \t")
        if level == 1 and not self.is_titled:
            self.entitle(self.plain(text))
            return
        self.is_titled = True
        with self.page.heading(level, label):
            self.compose(text, self.at, in_heading=True)

    def plain(self, text: str) -> str:
        """Short text, composed as prose is, for a title or a head."""
        held, self.page.sink.text = self.page.sink.text, []
        self.compose(text, self.at, in_heading=True)
        text, self.page.sink.text = "".join(self.page.sink.text), held
        return " ".join(text.split())

    def underlined(self, bare: str, indent: int) -> bool:
        """A line of = or - below a paragraph makes it a heading; a line of its own is a rule."""
        is_line = not bare.strip("=" if bare[0] == "=" else "-")
        if is_line and self.paragraph and "$$" not in self.paragraph[-1]:
            text, self.paragraph = " ".join(self.paragraph), []
            self.at += 1
            self.head(1 if bare[0] == "=" else 2, text)
            return True
        return self.dashed(bare, indent)

    def dashed(self, bare: str, indent: int) -> bool:
        if _RULE.match(bare):
            self.end()
            self.at += 1
            return True
        if bare.startswith("===") and self.admonition(bare, indent):
            return True
        if _ABBREVIATION.match(bare):
            self.at += 1
            return True
        return self.item(bare, indent)

    # -- containers ----------------------------------------------------------------------------

    def quote(self, bare: str, indent: int) -> bool:
        """The lines of a quotation are read as if they stood in none."""
        self.end()
        at = self.at
        while at < len(self.lines) and (mark := _QUOTE.match(self.lines[at])):
            self.lines[at] = self.lines[at][mark.end() :]
            at += 1
        if alert := _ALERT.match(self.lines[self.at].strip()):
            self.page.sink.head(f"{alert[1].capitalize()}.")
            self.lines[self.at] = alert[2]
        return True

    def item(self, bare: str, indent: int) -> bool:
        line = self.lines[self.at]
        mark = _ITEM.match(line)
        if not mark or (self.paragraph and mark[1] not in (None, "1") and not self.in_list):
            return False
        if self.paragraph and "".join(self.paragraph[-3:]).count("$") % 2:
            return False  # a formula goes on with a sign
        self.end()
        self.page.sink.item(int(mark[1]) if mark[1] else None)
        self.indents.append(mark.end())
        self.lines[self.at] = " " * mark.end() + line[mark.end() :]
        return True

    def admonition(self, bare: str, indent: int) -> bool:
        """`!!! note "Title"` of mkdocs: what is indented below it is prose."""
        found = _ADMONITION.match(bare)
        if not found:
            return False
        self.end()
        self.at += 1
        kind, title = found[1].strip(), found[2]
        if title or kind:
            self.page.sink.head(self.plain(title or kind.split()[0].capitalize()) + ".")
        self.indents.append(indent + TAB)
        return True

    # -- fences --------------------------------------------------------------------------------

    def fence(self, bare: str, indent: int) -> bool:
        found = _FENCE.match(bare)
        if not found or "`" in found[2] and found[1][0] == "`":
            return self.definition(bare) if bare[0] == ":" else False
        self.end()
        mark, info = found[1], found[2].strip()
        self.at += 1
        if not info and self.fences and self.fences[-1][0] == mark[0]:
            if len(mark) >= len(self.fences[-1]):
                self.fences.pop()
            return True
        if mark[0] == ":" and not info:
            return True
        directive = _DIRECTIVE.match(info)
        if directive:
            self.directive(mark, directive[1].lower(), directive[2])
        elif mark[0] == ":":
            self.div(mark, info)
        else:
            self.fenced(mark, info)
        return True

    def fenced(self, mark: str, info: str) -> None:
        """Code, or mathematics of GitHub and Julia."""
        start, body = self.at, self.body(mark)
        if info.split()[:1] == ["math"]:
            self.display("\n".join(body), start + 1)

    def body(self, mark: str) -> list[str]:
        """The lines up to the end of a fence."""
        start = self.at
        while self.at < len(self.lines):
            bare = self.lines[self.at].strip()
            self.at += 1
            if bare.startswith(mark) and not bare.strip(mark[0]):
                return self.lines[start : self.at - 1]
        return self.lines[start:]

    def directive(self, mark: str, name: str, argument: str) -> None:
        kind = name.rpartition(":")[2]
        if name == "math":
            start, body = self.at, self.body(mark)
            options, rest = _options(body)
            label = options.get("label") or options.get("name", "")
            self.display("\n".join([argument, *rest]), start + 1, label)
        elif kind in PROSE or name in NO_HEADS:
            self.fences.append(mark)
            self.skip_options()
            self.open(kind, argument)
        else:
            self.body(mark)

    def display(self, latex: str, line: int, label: str = "") -> None:
        self.page.display(latex, self.line or line, label=label)
        self.page.paragraph()

    def skip_options(self) -> None:
        while self.at < len(self.lines) and _OPTION.match(self.lines[self.at]):
            self.at += 1

    def open(self, kind: str, title: str) -> None:
        """The head of a block of prose: `Note.`, `Theorem (Pythagoras).`"""
        title = self.plain(title)
        if kind in NO_HEADS or kind in ("admonition", "dropdown", "topic"):
            head = title
        else:
            head = f"{kind.capitalize()} ({title})" if title else kind.capitalize()
        if head:
            self.page.sink.head(head + ".")

    def div(self, mark: str, info: str) -> None:
        """`::: {.callout-note title="Units"}`, `::: note`: prose, but for code and figures."""
        found = _DIV.match(info)
        kind = (found[2] if found else "").lower().removeprefix("callout-")
        if kind in ("figure", "table") or info.endswith(mark[:3]):
            if not info.endswith(mark[:3]):
                self.body(mark)
            return
        self.fences.append(mark)
        title = _DIV_TITLE.search(info)
        if title or kind in PROSE:
            self.open(kind if kind in PROSE else "admonition", title[1] if title else "")

    def definition(self, bare: str) -> bool:
        """`: what is defined`, of a list of definitions."""
        if bare.startswith(": "):
            self.end()
            self.lines[self.at] = bare[2:]
            return True
        return False

    # -- what is no prose ----------------------------------------------------------------------

    def is_table(self, bare: str) -> bool:
        if "|" not in bare or self.at + 1 >= len(self.lines):
            return False
        below = self.lines[self.at + 1].strip()
        return (
            "-" in below
            and "|" in below
            and not below.strip("|:-+ ")
            or (not self.paragraph and bare[0] == bare[-1] == "|" and bare.count("|") > 2)
        )

    def table(self) -> None:
        self.end()
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            self.at += 1

    def grid(self, bare: str, indent: int) -> bool:
        """A table drawn with +---+, the end of a cell of MyST, or an item."""
        if bare.startswith("+++"):
            self.end()
            return self.comment(bare, indent)
        if not bare.startswith(("+--", "+==")):
            return self.item(bare, indent)
        self.end()
        while self.at < len(self.lines) and self.lines[self.at].strip()[:1] in ("+", "|"):
            self.at += 1
        return True

    def bracket(self, bare: str, indent: int) -> bool:
        """Footnotes and addresses that the text refers to."""
        if _NOTE.match(bare):
            self.end()
            self.at += 1
            while self.at < len(self.lines) and self.goes_on_note():
                self.at += 1
            return True
        if _CONTENTS.match(bare):
            self.at += 1
            return True
        if not self.paragraph and _ADDRESS.match(bare):
            self.at += 1
            if self.at < len(self.lines) and _TITLE_OF_ADDRESS.match(self.lines[self.at]):
                self.at += 1
            return True
        return False

    def goes_on_note(self) -> bool:
        """Whether a line belongs to the footnote above: indented, or without a blank between."""
        line, above = self.lines[self.at], self.lines[self.at - 1]
        is_new = not line.strip() or line[0] in "#>`$<:" or _NOTE.match(line) or _ITEM.match(line)
        return line[:2] == "  " or bool(above.strip()) and not is_new

    def label_or_text(self, bare: str, indent: int) -> bool:
        if found := _LABEL.match(bare):
            self.end()
            self.label = found[1]
            self.at += 1
            return True
        return False

    def html(self, bare: str, indent: int) -> bool:
        if found := _HTML_HEADING.match(bare):
            self.end()
            self.at += 1
            self.head(int(found[1]), found[2])
            return True
        tag = _TAG.match(bare)
        if not tag or tag[1] or tag[2].lower() not in NO_PROSE_TAGS:
            return False
        return self.skip(f"</{tag[2].lower()}", bare)

    def skip(self, closer: str, bare: str) -> bool:
        """Pass over all lines up to what closes the block; without that, over the line alone."""
        self.end()
        place = self.at
        if closer not in self.unclosed:
            while place < len(self.lines) and closer not in self.lines[place].lower():
                place += 1
            if place == len(self.lines):
                self.unclosed.add(closer)
        if closer in self.unclosed:
            place = self.at
        rest = (
            self.lines[place][self.lines[place].lower().find(closer) :] if place != self.at else ""
        )
        self.at = place + 1
        if rest.partition(">")[2].strip():
            self.at = place
            self.lines[place] = rest.partition(">")[2]
        return True

    def template(self, bare: str, indent: int) -> bool:
        """Templates of Liquid: sections of some sites, code, and what is dropped."""
        if section := _COUNTED.match(bare):
            self.end()
            self.at += 1
            self.head(section[1].count("sub") + 2, section[2].strip())
            return True
        found = _TEMPLATE.match(bare)
        if not found or found[1] not in NO_PROSE_TEMPLATES:
            return False
        if found[1] == "assign":
            return self.comment(bare, indent)
        return self.skip("{% end" + found[1], bare)

    def environment(self, bare: str, indent: int) -> bool:
        r"""\\begin{figure}, which is no prose, up to its end."""
        begin = _ENVIRONMENT.match(bare)
        if not begin or begin[1] not in SKIPPED:
            return False
        end = f"\\end{{{begin[1]}}}"
        for place in range(self.at, min(self.at + MAX_DISPLAY, len(self.lines))):
            if end in self.lines[place]:
                self.at = place + 1
                return True
        return False

    def comment(self, bare: str, indent: int) -> bool:
        """A line that is not shown, as those of MyST that begin with %."""
        self.at += 1
        return True


_HANDLERS: dict[str, Callable[[Blocks, str, int], bool]] = {
    "#": Blocks.heading, "=": Blocks.underlined, "-": Blocks.underlined, "*": Blocks.dashed,
    "_": Blocks.dashed, "+": Blocks.grid, ">": Blocks.quote, "`": Blocks.fence,
    "~": Blocks.fence, ":": Blocks.fence, "!": Blocks.admonition, "?": Blocks.admonition,
    "[": Blocks.bracket, "(": Blocks.label_or_text, "<": Blocks.html, "{": Blocks.template,
    "%": Blocks.comment, "\\": Blocks.environment,
    **dict.fromkeys("0123456789", Blocks.item),
}  # fmt: skip


def without_comments(text: str) -> str:
    """The text without what stands in `<!-- -->`; lines stay."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join(parts) + text[at:]


def _options(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """`:label: x` and its kind before the body of a directive, and the body."""
    options: dict[str, str] = {}
    for place, line in enumerate(lines):
        found = _OPTION.match(line)
        if not found:
            return options, lines[place:]
        options[found[1]] = found[2].strip()
    return options, []


def _next_opening(text: str, at: int) -> re.Match[str] | None:
    """What opens a display next in a line: `$$`, a bracket that begins the line, \begin."""
    for found in _OPENS.finditer(text, at):
        if found[1] or (found[2] and not text[: found.start()].strip()):
            return found
        if found[0] == "\\b" and (begin := ENVIRONMENT.match(text, found.start())):
            return begin
    return None


def _closer(opens: re.Match[str]) -> str:
    if opens[0] == "$$":
        return "$$"
    return opens[0][:-1] + "]" if opens[0].endswith("[") else f"\\end{{{opens[1]}}}"


def _find(text: str, closer: str, at: int) -> int:
    """Behind what closes a display; -1 if that does not come."""
    place = closing_dollars(text, at) if closer == "$$" else text.find(closer, at)
    return place + len(closer) if place >= 0 else -1


def _end_in(text: str, opens: re.Match[str]) -> int:
    return _find(text, _closer(opens), opens.end())


def _ends_line(line: str, end: int) -> bool:
    return len(line[end:].strip()) < 40 or not line[: end - 2].strip()
