r"""A paragraph of Markdown in; text, formulas, displays, references to a composer out.

What is code or a formula is seen first, at every place, then links and emphasis around it. All
dialects are read at once: dollars by pandoc's rules and, where what stands between them is plainly
mathematics, by those of MathJax; roles of MyST and d2l, citations of pandoc, attributes of kramdown
and Quarto, templates of Liquid, Jinja and Hugo.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape

from topiceq.article.actions import CITED
from topiceq.article.commands import DISPLAYS
from topiceq.article.composer import Composer

MAX_REFERENCE = 9  # tokens between brackets that name an address given elsewhere
NEAR = 200  # characters in which the rest of a line is looked at
NESTED = 500  # characters behind a dollar inside braces in which the formula must end

ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
ENVIRONMENT = re.compile(
    r"\\begin\s?\{(" + "|".join(sorted(map(re.escape, DISPLAYS), key=len, reverse=True)) + r")\}"
)
_SPECIAL = re.compile(r"[\\`$\[\]!<&*_{:@]|https?://|~")
_LABEL = re.compile(
    r"[ \t]*(?:\(([\w:.-]+)\)(?=[ \t]*(?:\n|$))|\{#([\w:.-]++)[^{}\n]*\}|\{:[^{}\n]*\})"
    r"|\s*:(?:eqlabel|label):`+([^`\n]+)`+"
)
_IN_LABEL = re.compile(r"\(\\#([\w:.-]+)\)")  # of bookdown, inside the formula
_MATHS = re.compile(r"[\\^_=<>+*/|]")
_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{4,}")
_SHORT = re.compile(r"\W*\w{1,2}\W*|\s*\w{1,2}\([\w, ]{1,20}\)\s*")
_STOPS = re.compile(r"\\.|[{}$]", re.S)
_DOUBLE_DOLLAR = re.compile(r"\\.|\$\$", re.S)
_BACKSLASHED = re.compile(r"(\\\\?)([\[(])")
_DESTINATION = re.compile(
    r"\(\s{0,9}(?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)"
    r"(?:\s{1,9}(?:\"[^\"]*\"|'[^']*'|=[\d x%]{0,20}))?\s{0,9}\)"
    r"|\(\{\{[^{}\n]{0,200}\}\}[^()\s]*\)"
    r"|\([^()\n]{1,200}\.(?:ipynb|md|html)\)|\(@(?:id|ref)\b[^()\n]*\)|\[[^\[\]\n]*\]"
)
_ATTRIBUTES = re.compile(r"\{[#.:=-][^{}\n]{0,300}\}|\{[a-zA-Z-]+=[^{}\n]{0,300}\}")
_TEMPLATE = re.compile(r"\{%.{0,400}?%\}|\{\{.{0,400}?\}\}", re.S)
_ROLE = re.compile(r"\{([a-zA-Z][\w:+.-]*)\}(`+)")
_COLON_ROLE = re.compile(r":([a-z][\w:-]*):(`+)")
_NOTE = re.compile(r"\[\^[^\]\s]{1,80}\]")
_INLINE_NOTE = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\]){0,2000}\]")
_ESCAPES = re.compile(r"\\([_*])")
_IN_TEXT = re.compile(r"\\(?:text|mathrm|mathtt|mbox|operatorname|verb)")
_CITATION = re.compile(r"\[(?:[^\[\]]{0,80}?[^\[\]\w.-])?-?@[\w{][^\[\]]{0,500}\](?!\()")
_KEY_OF_MARKDEEP = re.compile(r"\[#([A-Za-z][\w:.-]*)\](?![\[(])")
_KEY = re.compile(r"@([A-Za-z][\w:.#$%&+?~/-]*\w)")
_NUMBERED = re.compile(r"(?i)\b(?:figure|table|listing|diagram|equation)s?\s$")
_ONE_WORD = re.compile(r"[A-Za-z][\w:.-]*")
_WIKI = re.compile(r"\[\[([^\[\]\n|]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\](?!\()")
_TAG = re.compile(r"</?([a-zA-Z][\w:-]*)(?:\s[^<>]{0,2000})?/?>")
_DECLARATION = re.compile(r"<![A-Za-z][^<>]{0,300}>")
_ADDRESS = re.compile(r"<(?:[a-zA-Z][\w+.-]{1,30}:[^<>\s]{1,1000}|[\w.+-]{1,64}@[\w.-]{1,255})>")
_BARE_ADDRESS = re.compile(r"[^\s<>\[\]()]+(?:\([^\s()]*\)[^\s<>\[\]()]*)*")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?")
_ARGUMENT = re.compile(r"(?:\[[^\]\n]{0,200}\])?\{([^{}\n]{0,500})\}")
_BOOKDOWN = re.compile(r"\\@ref\(([^()\s]{1,100})\)")
_TARGET = re.compile(r"(?<!\s)\s*<([^<>]*)>\s*$")
_RUN = re.compile(r"`+")

BREAKS = frozenset(
    "p div li ul ol dl dt dd h1 h2 h3 h4 h5 h6 blockquote details summary center hr section "
    "article aside header footer main".split()
)
POINTING = frozenset(  # roles whose text, if they show none, is a number
    "ref eq numref doc prf:ref math:numref eqref cite cite:t cite:p cite:ts cite:ps citet citep "
    "cite:author cite:year footcite external download".split()
)
SHOWN_REFERENCES = frozenset("ref eqref autoref cref Cref pageref cite citet citep nameref".split())
SILENT = frozenset("label width height begin_tab end_tab index tab bibliography".split())
TEXT_COMMANDS = frozenset("textbf textit emph text textrm textsc texttt underline mbox".split())


@dataclass
class Dialect:
    """What only the whole of an article tells about it."""

    doubled: bool = False  # kramdown: `$$x$$` in a sentence is inline
    julia: bool = False  # ``x`` is a formula
    references: frozenset[str] = frozenset()  # names that `[name]: address` defines


@dataclass
class _Token:
    """A part of a paragraph: what to do with the value when the paragraph is composed."""

    act: Callable[[str], None]
    value: str


@dataclass
class Paragraph:
    """One paragraph being read, from a line on; in a notebook a whole cell is one line."""

    page: Composer
    dialect: Dialect
    text: str
    line: int
    counts_lines: bool = True
    in_heading: bool = False
    tokens: list[_Token] = field(default_factory=list)
    brackets: list[int] = field(default_factory=list)  # tokens of those that are open
    opened: dict[str, list[int]] = field(default_factory=dict)  # runs of * and _ that are open
    runs: dict[int, int] | None = None  # where the last run of so many backticks begins
    missing: set[str] = field(default_factory=set)  # what was looked for and does not come
    counted: int = 0  # up to where lines have been counted

    def read(self) -> None:
        """Compose the whole paragraph."""
        text, at = self.text, 0
        while match := _SPECIAL.search(text, at):
            if match.start() > at:
                self.add(self.page.write, text[at : match.start()])
            at = _HANDLERS[match[0][0]](self, match.start())
        self.add(self.page.write, text[at:])
        for token in self.tokens:
            if token.value:
                token.act(token.value)

    def add(self, act: Callable[[str], None], value: str) -> None:
        self.tokens.append(_Token(act, value))

    def plain(self, at: int) -> int:
        """A character that means nothing here."""
        self.add(self.page.write, self.text[at])
        return at + 1

    def find(self, closer: str, at: int) -> int:
        """Where something comes next; -1 if nowhere, which is looked for once."""
        place = -1 if closer in self.missing else self.text.find(closer, at)
        if place < 0:
            self.missing.add(closer)
        return place

    def line_of(self, place: int) -> int:
        if self.counts_lines:
            self.line += self.text.count("\n", self.counted, place)
            self.counted = place
        return self.line

    # -- formulas ------------------------------------------------------------------------------

    def display(self, latex: str, start: int, end: int) -> int:
        """A display, with the label behind it."""
        latex = unescaped(latex)
        label = ""
        if found := _IN_LABEL.search(latex):
            label, latex = found[1], latex.replace(found[0], "")
        while found := _LABEL.match(self.text, end):
            label = next(filter(None, found.groups()), label)
            end = found.end()
        if self.in_heading:
            self.add(self.page.formula, latex)
        else:
            line = self.line_of(start)
            self.add(lambda latex: self.page.display(latex, line, label=label), latex)
            self.brackets.clear()
            self.opened.clear()
        return end

    def dollar(self, at: int) -> int:
        text = self.text
        if text.startswith("$$", at):
            return self.double_dollar(at)
        if text.startswith("$`", at) and (end := self.find("`$", at + 2)) > 0:
            self.add(self.page.formula, unescaped(text[at + 2 : end]))
            return end + 2
        end = _end_of_formula(text, at + 1)
        if end < 0 or not _is_formula(text[at + 1 : end], text[end + 1 : end + 2]):
            return self.plain(at)
        self.add(self.page.formula, unescaped(text[at + 1 : end]))
        return end + 1

    def double_dollar(self, at: int) -> int:
        end = closing_dollars(self.text, at + 2)
        if end < 0:
            return at + 2  # that opens nothing says nothing
        latex = self.text[at + 2 : end]
        if self.dialect.doubled and is_in_sentence(self.text, at, end + 2):
            self.add(self.page.formula, unescaped(latex))
            return end + 2
        return self.display(latex, at, end + 2)

    def backslash(self, at: int) -> int:
        text = self.text
        for read in (self.environment, self.bracketed, self.command):
            if (end := read(at)) > at:
                return end
        following = text[at + 1 : at + 2]
        if following and following in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n":
            self.add(self.page.write, following)
            return at + 2
        return self.plain(at)

    def environment(self, at: int) -> int:
        r"""`\begin{equation} .. \end{equation}` without dollars."""
        begin = ENVIRONMENT.match(self.text, at)
        end = self.find(closer := f"\\end{{{begin[1]}}}", at) if begin else -1
        if end < 0:
            return at
        return self.display(self.text[at : end + len(closer)], at, end + len(closer))

    def bracketed(self, at: int) -> int:
        r"""`\[..\]`, `\(..\)`, and with two backslashes; most single ones are escaped brackets."""
        opens = _BACKSLASHED.match(self.text, at)
        if not opens:
            return at
        end = self.find(opens[1] + closing(opens[2]), opens.end())
        if end < 0 or not _is_bracketed(self.text, opens, end):
            return at
        latex, behind = self.text[opens.end() : end], end + len(opens[0])
        if opens[2] == "[":
            return self.display(latex, at, behind)
        self.add(self.page.formula, unescaped(latex))
        return behind

    def command(self, at: int) -> int:
        r"""Commands of LaTeX outside formulas: references, styles; the rest is nothing to read."""
        if reference := _BOOKDOWN.match(self.text, at):
            self.add(self.page.sink.refer, reference[1])
            return reference.end()
        command = _COMMAND.match(self.text, at)
        if not command:
            return at
        argument = _ARGUMENT.match(self.text, command.end())
        if command[1] in SHOWN_REFERENCES and argument:
            cites = "cite" in command[1]
            self.add(self.page.cite if cites else self.page.sink.refer, argument[1])
        elif command[1] in TEXT_COMMANDS and argument:
            for number, part in enumerate(argument[1].split("$")):
                self.add(self.page.formula if number % 2 else self.page.write, part)
        return argument.end() if argument else command.end()

    # -- code and roles ------------------------------------------------------------------------

    def code(self, at: int) -> int:
        size = len(_RUN.match(self.text, at)[0])  # type: ignore[index]
        end = self.closing_run(at + size, size)
        if end < 0:
            self.add(self.page.write, self.text[at : at + size])
            return at + size
        inner = self.text[at + size : end].strip()
        if inner.startswith("{latex}") or (self.dialect.julia and size == 2):
            self.add(self.page.formula, inner.removeprefix("{latex}"))
        elif inner.startswith(("r ", "{r}", "{python}", "{julia}", "python ")):
            self.add(self.page.sink.refer, inner)  # its value stands there
        else:
            self.add(self.write_code, inner)
        return end + size

    def write_code(self, text: str) -> None:
        with self.page.styled("code"):
            self.page.write(" ".join(text.split()))

    def closing_run(self, at: int, size: int) -> int:
        """Where as many backticks begin as have been opened; -1 if nowhere."""
        if self.runs is None:
            self.runs = {len(run[0]): run.start() for run in _RUN.finditer(self.text)}
        if self.runs.get(size, -1) < at:
            return -1
        return next(r.start() for r in _RUN.finditer(self.text, at) if len(r[0]) == size)

    def brace(self, at: int) -> int:
        if role := _ROLE.match(self.text, at):
            return self.role(role)
        for pattern in (_TEMPLATE, _ATTRIBUTES):
            if found := pattern.match(self.text, at):
                return found.end()
        return self.plain(at)

    def colon(self, at: int) -> int:
        role = _COLON_ROLE.match(self.text, at)
        return self.role(role) if role else self.plain(at)

    def role(self, role: re.Match[str]) -> int:
        """`{ref}`text <key>``: what is shown is kept, a key alone is a reference."""
        name, size = role[1].lower(), len(role[2])
        end = self.closing_run(role.end(), size)
        if end < 0:
            return self.plain(role.start())
        inner = self.text[role.end() : end].strip()
        target = _TARGET.search(inner)
        if name == "math":
            self.add(self.page.formula, unescaped(inner))
        elif name in POINTING and not (target and target.start()):
            key = target[1] if target else inner
            self.add(
                self.page.cite if name in ("cite", "cite:p", "citep") else self.page.sink.refer, key
            )
        elif name not in SILENT:
            shown = inner[: target.start()].strip("*_") if target else inner
            self.add(self.page.write, shown[1:].rpartition(".")[2] if shown[:1] == "~" else shown)
        return end + size

    # -- links and references ------------------------------------------------------------------

    def open_bracket(self, at: int) -> int:
        text = self.text
        if note := _NOTE.match(text, at):
            if text[at - 1 : at] == " " and CITED.search(text[max(0, at - 30) : at]):
                self.add(self.page.sink.refer, note[0])
            return note.end()
        if text[at - 1 : at] == "^" and (note := _INLINE_NOTE.match(text, at)):
            self.tokens[-1].value = self.tokens[-1].value.removesuffix("^")
            return note.end()
        if citation := _CITATION.match(text, at):
            self.add(self.page.cite, citation[0][1:-1].lstrip("-@"))
            return citation.end()
        if key := _KEY_OF_MARKDEEP.match(text, at):
            self.add(self.page.cite, key[1])
            return key.end()
        if link := _WIKI.match(text, at):
            cites = link[1].startswith("cite:")
            self.add(self.page.cite if cites else self.page.write, link[2] or link[1])
            return link.end()
        self.brackets.append(len(self.tokens))
        return self.plain(at)

    def exclamation(self, at: int) -> int:
        if self.text.startswith("![", at):
            self.brackets.append(len(self.tokens))
            self.add(self.page.write, "![")
            return at + 2
        return self.plain(at)

    def close_bracket(self, at: int) -> int:
        """`](address)`: the text of a link stays, a picture goes with its text."""
        if not self.brackets:
            return self.plain(at)
        opener = self.brackets.pop()
        if self.text.startswith("(@cite", at + 1) and (end := self.find(")", at)) > 0:
            key = "".join(token.value for token in self.tokens[opener + 1 :])
            self.tokens[opener:] = [_Token(self.page.cite, key)]
            return end + 1
        link = _DESTINATION.match(self.text, at + 1) or _ATTRIBUTES.match(self.text, at + 1)
        if not link and (label := self.label_of_markdeep(opener)):
            self.tokens[opener:] = [_Token(self.page.sink.refer, label)]
            return at + 1
        if not link and not self.is_reference(opener):
            return self.plain(at)
        if self.tokens[opener].value == "![":
            del self.tokens[opener:]
        else:
            self.tokens[opener].value = ""
        return link.end() if link else at + 1

    def is_reference(self, opener: int) -> bool:
        if not self.dialect.references or len(self.tokens) > opener + MAX_REFERENCE:
            return False
        inner = "".join(token.value for token in self.tokens[opener + 1 :])
        return inner.lower() in self.dialect.references

    def label_of_markdeep(self, opener: int) -> str:
        """The label in `figure [shadows]`, which prints a number."""
        before = self.tokens[opener - 1].value if opener else ""
        inner = "".join(token.value for token in self.tokens[opener + 1 :])
        return inner if _NUMBERED.search(before) and _ONE_WORD.fullmatch(inner) else ""

    def at_sign(self, at: int) -> int:
        """`@smith2020`, `@eq-mass`."""
        key = _KEY.match(self.text, at)
        if not key or (at and (self.text[at - 1].isalnum() or self.text[at - 1] in "._")):
            return self.plain(at)
        self.add(self.page.sink.refer, key[1])
        return key.end()

    def address(self, at: int) -> int:
        found = _BARE_ADDRESS.match(self.text, at)
        assert found
        bare = found[0].rstrip(".,;:!?*_'\"")
        self.add(self.page.sink.refer, bare)
        return at + len(bare)

    def angle(self, at: int) -> int:
        if tag := _TAG.match(self.text, at):
            if tag[1].lower() in BREAKS:
                self.add(lambda _: self.page.paragraph(), tag[1])
            elif tag[1].lower() == "br":
                self.add(self.page.write, "\n")
            return tag.end()
        if declaration := _DECLARATION.match(self.text, at):
            return declaration.end()
        if address := _ADDRESS.match(self.text, at):
            self.add(self.page.sink.refer, address[0])
            return address.end()
        return self.plain(at)

    def entity(self, at: int) -> int:
        found = ENTITY.match(self.text, at)
        if not found:
            return self.plain(at)
        self.add(self.page.write, unescape(found[0]))
        return found.end()

    # -- emphasis ------------------------------------------------------------------------------

    def emphasis(self, at: int) -> int:
        """A run of asterisks or underscores opens or closes emphasis, or stands for itself."""
        text, mark = self.text, self.text[at]
        end = at + 1
        while end < len(text) and text[end] == mark:
            end += 1
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        inside_word = mark == "_" and before.isalnum() and after.isalnum()
        run = text[at:end]
        if before.strip() and not inside_word and self.opened.get(run):
            self.close(run)
        elif after.strip() and not (mark == "_" and before.isalnum()) and len(run) <= 3:
            self.opened.setdefault(run, []).append(len(self.tokens))
            self.add(self.page.write, run)
        else:
            self.add(self.page.write, run)
        return end

    def close(self, run: str) -> None:
        opener = self.opened[run].pop()
        style = "emphasis" if len(run) == 1 else "strong"
        for others in self.opened.values():  # what was opened inside and not closed is text
            while others and others[-1] > opener:
                others.pop()
        self.tokens[opener].act, self.tokens[opener].value = self.page.open_style, style
        self.add(self.page.close_style, style)

    def tilde(self, at: int) -> int:
        """What is struck out is read; `Equation~{eq}`x`` holds a space."""
        if self.text.startswith("~~", at):
            return at + 2
        before, behind = self.text[at - 1 : at] if at else "", self.text[at + 1 : at + 2]
        if (before.isalpha() or before == ".") and behind in ("{", "\\", "$", "@", "["):
            self.add(self.page.write, " ")
            return at + 1
        return self.plain(at)


_HANDLERS: dict[str, Callable[[Paragraph, int], int]] = {
    "\\": Paragraph.backslash, "`": Paragraph.code, "$": Paragraph.dollar,
    "[": Paragraph.open_bracket, "]": Paragraph.close_bracket, "!": Paragraph.exclamation,
    "<": Paragraph.angle, "&": Paragraph.entity, "*": Paragraph.emphasis,
    "_": Paragraph.emphasis, "{": Paragraph.brace, ":": Paragraph.colon, "@": Paragraph.at_sign,
    "h": Paragraph.address, "~": Paragraph.tilde,
}  # fmt: skip


def unescaped(latex: str) -> str:
    r"""A formula as the browser has it: `&lt;` for <, and `x\_1` for x_1 as some pages need it."""
    if "\\_" in latex or "\\*" in latex:
        latex = latex if _IN_TEXT.search(latex) else _ESCAPES.sub(r"\1", latex)
    if "&" not in latex:
        return latex
    return ENTITY.sub(lambda entity: unescape(entity[0]), latex)


def closing_dollars(text: str, at: int) -> int:
    """Where the next `$$` stands; -1 if nowhere."""
    return next((m.start() for m in _DOUBLE_DOLLAR.finditer(text, at) if m[0] == "$$"), -1)


def closing(bracket: str) -> str:
    return {"[": "]", "(": ")"}[bracket]


def _is_bracketed(text: str, opens: re.Match[str], end: int) -> bool:
    r"""Whether `\[..\]` is a formula, not escaped brackets: alone in its lines, or mathematics."""
    inner = text[opens.end() : end].strip()
    if opens[1] == "\\\\":
        return True
    if "$" in inner or len(_WORDS.findall(inner)) > 3:
        return False
    if opens[2] == "[" and not is_in_sentence(text, opens.start(), end + 2):
        return "\n" in text[opens.end() : end] or _MATHS.search(inner) is not None
    return re.search(r"[\\^_=]", inner) is not None or (opens[2] == "(" and inner.isalpha())


def is_in_sentence(text: str, start: int, end: int) -> bool:
    """Whether words stand beside a formula on its own line."""
    return any(beside(text, start, end))


def beside(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether words stand before a formula, and behind it, on the same line."""
    before = text[max(start - NEAR, 0) : start].rpartition("\n")[2]
    label = _LABEL.match(text, end)
    end = label.end() if label else end
    after = text[end : end + NEAR].partition("\n")[0]
    return bool(before.strip(" \t>*-")), bool(after.strip(" \t.,;"))


def _end_of_formula(text: str, at: int) -> int:
    r"""Where the dollar stands that closes a formula; `\text{if $x$}` does not."""
    depth, first = 0, -1
    for match in _STOPS.finditer(text, at):
        if 0 <= first < match.start() - NESTED:
            return first
        if match[0] == "$":
            if depth <= 0:
                return match.start()
            first = match.start() if first < 0 else first
        else:
            depth += (match[0] == "{") - (match[0] == "}")
    return first


def _is_formula(inner: str, following: str) -> bool:
    """Pandoc's rule for dollars; what is plainly mathematics may break it, as MathJax allows."""
    if not inner.strip():
        return False
    if inner[0].strip() and inner[-1].strip() and not following.isdigit():
        return True
    return bool(_MATHS.search(inner) or _SHORT.fullmatch(inner))
