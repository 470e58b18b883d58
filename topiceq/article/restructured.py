r"""A page of reStructuredText in, its pieces out.

docutils reads the structure; what directives and roles mean is decided here alone, by name, so
that those of Sphinx work without Sphinx. None of docutils' own is ever run: `include`, `raw`,
`csv-table` and the like open no file and execute nothing, and nothing is registered with
docutils, which the user's own program may use. Tables are passed over unread.
"""

import copy
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from docutils import nodes
from docutils.frontend import Values, get_default_settings
from docutils.parsers.rst import Parser, states
from docutils.statemachine import StringList
from docutils.utils import new_document, unescape

from topiceq.article import settings
from topiceq.article.composer import Composer
from topiceq.article.files import Broken
from topiceq.article.pieces import Pieces
from topiceq.article.source import Article

MAX_DEPTH = 30  # of quotations, lists and directives in each other; deeper ones are passed over
MAX_PARAGRAPH = 20_000  # characters; a longer one is read without its markup
MAX_FAULTS = 500  # markup that is never closed; docutils is slow about it, so the rest is plain
MAX_HEADINGS = 20_000  # of a page; docutils takes a second for ten thousand

# Directives by their name, without a domain before it. What stands in these is prose; the first
# line of the second kind is a title, that of the third (a signature, a column) is passed over.
_PROSE = frozenset(
    "note warning tip hint important attention caution danger error seealso compound epigraph "
    "highlights pull-quote glossary".split()
)
_TITLED = frozenset(
    "admonition topic sidebar dropdown toggle collapse details theorem lemma proof definition "
    "corollary proposition remark example exercise solution axiom conjecture criterion property "
    "observation assumption question answer problem claim".split()
)
_UNTITLED = frozenset(
    "container tab-set tab-item tab tabs group-tab grid grid-item grid-item-card card samepage "
    "function method class module attribute data type macro var member enum enumerator struct "
    "union subroutine classmethod staticmethod property exception decorator".split()
)
_OPTION = re.compile(r"\s*:([A-Za-z][\w-]*):(?:\s+(.*))?$")
_EXPLICIT = re.compile(r"(?s)(.*\S)\s*<([^<>]*)>$")  # title <target>
_UNDERLINED = re.compile(r"^([!-/:-@[-`{-~])\1*[ \t]*$", re.M)
_TEX_WITHOUT_ROLE = re.compile(
    r"(?<![:`\w\\])`(?=[^\s`][^`<>\n]*`(?![_`\w]))[^`<>\n]*\\[A-Za-z]{2,}[^`<>\n]*`(?![_`\w])"
)
_WORD = re.compile(r"[A-Z][A-Za-z]+")
_OPENS = re.compile(r"(?<!\\)\{|\\begin\b|\\left\b")
_CLOSES = re.compile(r"(?<!\\)\}|\\end\b|\\right\b")
_CODE_ROLES = frozenset(
    "code literal func meth class mod attr data obj exc const file kbd command option samp program "
    "envvar type macro var member enumerator struct cpp c f subr".split()
)
_DIRECTIVE = states.Body.explicit.constructs[-1][1]  # the pattern of docutils


def read_restructured(article: Article, text: str, sink: Pieces) -> None:
    """Read a page; the settings of its site define macros and substitutions."""
    if sum(1 for _ in _UNDERLINED.finditer(text)) > MAX_HEADINGS:
        raise Broken(f"has more than {MAX_HEADINGS:,} headings")
    site = settings.beside(article.files, article.root, "conf.py")
    composer = Composer(article, sink)
    for path in article.files.companions(article.root):
        composer.define(settings.macros(article.files.read(path) or ""))
    composer.define(settings.macros(site))
    prolog = _parsed("\n\n".join(_prologs(site)), "")
    page = _parsed(text, _default_role(text, site))
    _Writer(composer, prolog.substitution_defs | page.substitution_defs).write_page(page)
    composer.flush()


def _default_role(text: str, site: str) -> str:
    """What `x` without a role is: what the site says, or math where TeX is written so."""
    stated = re.search(r"^default_role\s*=\s*[\"'](\w+)[\"']", site, re.M)
    if stated:
        return stated[1]
    return "math" if len(_TEX_WITHOUT_ROLE.findall(text)) > 1 else ""


def _prologs(site: str) -> Iterator[str]:
    """What Sphinx puts around every page."""
    pattern = r"^rst_(?:prolog|epilog)\s*=\s*[rRfF]?(\"\"\"|''')(.{0,50000}?)\1"
    for match in re.finditer(pattern, site, re.M | re.S):
        yield match[2]


# -- ------------------------------------------------------------------------------------------
# docutils, with directives and roles of our own.


@lru_cache(maxsize=1)
def _settings() -> Values:
    values = get_default_settings(Parser)
    values.report_level = values.halt_level = 5  # silent, and never stops
    values.warning_stream = False
    values.file_insertion_enabled = values.raw_enabled = False
    values.line_length_limit = 1 << 30  # a long line is a long paragraph
    return values


def _parsed(text: str, default_role: str) -> nodes.document:
    document = new_document("", copy.copy(_settings()))
    parser = Parser(inliner=_Inliner(default_role))
    parser.state_classes = _STATES
    if text.strip():
        parser.parse(text, document)
    return document


@lru_cache(maxsize=1)
def _patterns() -> Any:
    """What docutils searches paragraphs with; it would compile all of it for every page."""
    inliner = states.Inliner()
    inliner.init_customizations(_settings())
    return inliner.patterns


class _TooFaulty(Exception):
    """More markup is left open than any honest page has."""


class _Inliner(states.Inliner):
    """Text in paragraphs; a role becomes an `inline` with its name, whatever it is."""

    def __init__(self, default_role: str) -> None:
        super().__init__()
        self.default_role = default_role
        self.faults = 0
        self.aliases: dict[str, str] = {}  # roles that the page declares, by what they are based on

    def init_customizations(self, settings: Values) -> None:
        self.patterns = _patterns()
        as_uri: Any = self.standalone_uri
        self.implicit_dispatch = [(self.patterns.uri, as_uri)]

    def parse(self, text: str, lineno: int, memo: Any, parent: Any) -> Any:
        if len(text) <= MAX_PARAGRAPH and self.faults <= MAX_FAULTS:
            try:
                return super().parse(text, lineno, memo, parent)
            except _TooFaulty:
                pass
        return [nodes.Text(text)], []

    def problematic(self, text: str, rawsource: str, message: Any) -> nodes.problematic:
        self.faults += 1
        if self.faults > MAX_FAULTS:
            raise _TooFaulty
        return nodes.problematic(rawsource, text)

    def interpreted(self, rawsource: str, text: str, role: str, lineno: int) -> Any:
        name = (role or self.default_role).lower()
        name = self.aliases.get(name, name)
        if name == "math":
            return [nodes.math(rawsource, unescape(text, True))], []
        return [nodes.inline(rawsource, unescape(text), role=name)], []


class _Block(NamedTuple):
    """A directive: what stands on its first lines, its content, and the line before that."""

    title: str
    content: StringList
    line: int


class _State(states.RSTState):
    """Any state of docutils' parser, with nested states of our own."""

    inliner: Any
    state_machine: Any
    nested_sm_cache: list[Any] = []  # docutils' own would mix them with those of other programs

    def __init__(self, state_machine: Any, debug: bool = False) -> None:
        super().__init__(state_machine, debug)
        self.nested_sm_kwargs = {"state_classes": _STATES, "initial_state": "Body"}

    def nested_parse(self, block: Any, input_offset: int, *args: Any, **kwargs: Any) -> int:
        depth = getattr(self.memo, "depth", 0)
        if depth >= MAX_DEPTH:
            return input_offset + len(block)
        self.memo.depth = depth + 1
        try:
            return super().nested_parse(block, input_offset, *args, **kwargs)
        finally:
            self.memo.depth = depth


class _Body(_State, states.Body):
    """A state that may meet directives and tables."""

    def explicit_construct(self, match: re.Match[str]) -> Any:
        if directive := _DIRECTIVE.match(match.string):
            return self.directive(directive)
        return super().explicit_construct(match)  # type: ignore[no-untyped-call]

    def table(self, isolate_function: Callable[[], Any], parser_class: Any) -> Any:
        _, _, blank_finish = isolate_function()
        return [], blank_finish

    def directive(self, match: re.Match[str], **option_presets: Any) -> Any:
        machine = self.state_machine
        line = machine.abs_line_number()
        lines, _, offset, blank_finish = machine.get_first_known_indented(match.end(), strip_top=0)
        made = self._made(match[1].lower(), lines, offset, line)
        return made, blank_finish or machine.is_next_line_blank()

    def _made(self, name: str, lines: StringList, offset: int, line: int) -> list[nodes.Node]:
        """The nodes of a directive; none of one that holds no prose."""
        kind = name.rpartition(":")[2]
        if name == "math":
            return [*_displays(lines, offset)]
        if kind in _PROSE:
            return self._prose(lines, offset)
        block = _split(lines, offset)
        if kind in _TITLED:
            return self._prose(block.content, block.line, block.title or kind.capitalize())
        if kind in _UNTITLED or kind == "only" and _is_for_html(block.title):
            return self._prose(block.content, block.line)
        return self._small(name, lines, line)

    def _small(self, name: str, lines: StringList, line: int) -> list[nodes.Node]:
        """Directives that print a line, or say how others are read."""
        text = " ".join(each.strip() for each in lines if not _OPTION.match(each)).strip()
        if name == "replace":
            return list(self.inline_text(text, line)[0])
        if name == "unicode":
            return [nodes.Text(_characters(text))]
        if name == "rubric":
            return [nodes.rubric(text, "", *self.inline_text(text, line)[0])]
        if name == "default-role":
            self.inliner.default_role = text
        elif name == "role" and (declared := re.match(r"([\w-]+)\s*\(\s*([\w-]+)\s*\)", text)):
            self.inliner.aliases[declared[1].lower()] = declared[2].lower()
        return []

    def _prose(self, content: StringList, line: int, title: str = "") -> list[nodes.Node]:
        container = nodes.container(title=title)
        self.nested_parse(content, line, container)
        return [container]


def _own(state: type[states.RSTState]) -> type[states.RSTState]:
    kind = _Body if issubclass(state, states.Body) else _State
    return type(state.__name__, (kind, state), {})


_STATES = tuple(_own(state) for state in states.state_classes)


def _split(lines: StringList, offset: int) -> _Block:
    """The first paragraph holds arguments, then options; the content comes behind."""
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    option = next((i for i in range(end) if _OPTION.match(lines[i])), end)
    title = " ".join(lines[i].strip() for i in range(option))
    return _Block(title, lines[end:], offset + end)


def _displays(lines: StringList, offset: int) -> list[nodes.math_block]:
    """The equations of a `math` directive, each with its line; the first one has the label."""
    labels = [option[2] or "" for line in lines if (option := _OPTION.match(line))
              and option[1] in ("label", "name")]  # fmt: skip
    bare = ["" if _OPTION.match(line) else line for line in lines]
    made = [nodes.math_block(latex, latex, line=line, label="")
            for line, latex in _equations(bare, offset)]  # fmt: skip
    if made and labels:
        made[0]["label"] = labels[0]
    return made


def _equations(lines: list[str], offset: int) -> Iterator[tuple[int, str]]:
    """A blank line ends an equation, unless something is open in it or a row of it follows."""
    part: list[str] = []
    start = still_open = 0
    blank = False
    for number, line in enumerate(lines, offset + 1):
        if not line.strip():
            blank = True
            continue
        if blank and part and still_open <= 0:
            if line.startswith("&"):
                part[-1] += " \\\\"  # as Sphinx sets it
            else:
                yield start, "\n".join(part)
                part, still_open = [], 0
        start = start if part else number
        part.append(line)
        still_open += len(_OPENS.findall(line)) - len(_CLOSES.findall(line))
        blank = False
    if part:
        yield start, "\n".join(part)


def _is_for_html(expression: str) -> bool:
    """Whether what is `only` for some output is shown in HTML: `html or not latex`."""
    if "(" in expression:
        return True
    return any(
        all(_holds(term.strip()) for term in re.split(r"\band\b", each))
        for each in re.split(r"\bor\b", expression)
    )


def _holds(term: str) -> bool:
    tag = term.removeprefix("not ").strip()
    return (tag in ("html", "builder_html", "format_html")) != term.startswith("not ")


def _characters(text: str) -> str:
    """What `.. unicode:: 0xA9 text` prints."""
    made = []
    for part in text.partition("..")[0].split():
        code = re.fullmatch(r"(?:0x|x|\\x|U\+?|u|\\u|&#x)([0-9A-Fa-f]{1,6});?", part)
        number = int(code[1], 16) if code else int(part) if re.fullmatch(r"\d{1,7}", part) else -1
        made.append(part if number < 0 else chr(number) if 31 < number < 0xD800 else "")
    return "".join(made)


# -- ------------------------------------------------------------------------------------------
# What docutils has read, written as pieces.


class _Writer:
    """Goes through a page in reading order."""

    def __init__(self, composer: Composer, substitutions: dict[str, Any]) -> None:
        self.composer = composer
        self.sink = composer.sink
        self.substitutions = substitutions
        self.label = ""  # a target, until what it names comes
        self.level = 2  # of the next heading

    def write_page(self, page: nodes.document) -> None:
        sections = [child for child in page.children if isinstance(child, nodes.section)]
        if len(sections) == 1:  # the title of the page
            self.level = 1
        self.write_all(page)

    def write_all(self, node: nodes.Node) -> None:
        for child in node.children:
            self.write(child)

    def write(self, node: nodes.Node) -> None:
        if isinstance(node, nodes.Text):
            self.composer.write(node.astext())
        elif write := getattr(self, "write_" + type(node).__name__, None):
            write(node)

    # -- blocks --------------------------------------------------------------------------------

    def write_section(self, node: nodes.section) -> None:
        title = node.children[0]
        if self.level == 1:
            self.sink.entitle(" ".join(title.astext().split()))
        with self.composer.heading(self.level, self.taken_label()):
            self.write_all(title)
        self.level += 1
        for child in node.children[1:]:
            self.write(child)
        self.level -= 1

    def taken_label(self) -> str:
        label, self.label = self.label, ""
        return label

    def write_target(self, node: nodes.target) -> None:
        self.label = next(iter(node["names"]), self.label)

    def write_paragraph(self, node: nodes.Element) -> None:
        self.write_all(node)
        self.composer.paragraph()
        self.label = ""

    write_line = write_paragraph
    write_block_quote = write_line_block = write_definition = write_all

    def write_container(self, node: nodes.container) -> None:
        if title := node.get("title"):
            self.sink.head(title.rstrip(".") + ".")
        self.write_all(node)

    def write_rubric(self, node: nodes.rubric) -> None:
        self.composer.paragraph()
        self.sink.head(" ".join(node.astext().split()))

    def write_bullet_list(self, node: nodes.bullet_list) -> None:
        for item in node.children:
            self.sink.item()
            self.write_all(item)

    def write_enumerated_list(self, node: nodes.enumerated_list) -> None:
        for number, item in enumerate(node.children, node.get("start", 1)):
            self.sink.item(number)
            self.write_all(item)

    def write_definition_list(self, node: nodes.definition_list) -> None:
        for item in node.children:
            self.write_all(item)

    def write_term(self, node: nodes.term) -> None:
        """A term stands before its definition; "where" and the like go on with the text."""
        text = " ".join(node.astext().split())
        if text[:1].islower() and " " not in text or text.endswith((",", ":")):
            self.write_all(node)
            self.composer.write(" ")
        else:
            self.composer.paragraph()
            self.sink.head(text)

    def write_math_block(self, node: nodes.math_block) -> None:
        label = self.taken_label()
        self.composer.display(node.astext(), node["line"], label=node["label"] or label)

    # -- in a line -----------------------------------------------------------------------------

    def write_emphasis(self, node: nodes.Element) -> None:
        with self.composer.styled("emphasis"):
            self.write_all(node)

    write_title_reference = write_emphasis

    def write_strong(self, node: nodes.strong) -> None:
        with self.composer.styled("strong"):
            self.write_all(node)

    def write_literal(self, node: nodes.literal) -> None:
        with self.composer.styled("code"):
            self.composer.write(node.astext())

    def write_math(self, node: nodes.math) -> None:
        self.composer.formula(node.astext())

    def write_reference(self, node: nodes.reference) -> None:
        self.write_all(node)

    def write_problematic(self, node: nodes.problematic) -> None:
        self.composer.write(node.astext())

    def write_citation_reference(self, node: nodes.citation_reference) -> None:
        self.composer.cite(node.astext())

    def write_substitution_reference(self, node: nodes.substitution_reference) -> None:
        definition = self.substitutions.pop(node["refname"], None)
        if definition is None:
            definition = self.substitutions.pop(node.astext(), None)
        if definition is not None:
            self.write_all(definition)
            self.substitutions[definition["names"][0]] = definition
        elif _WORD.fullmatch(node.astext()):  # |Gromacs|, which the site defines elsewhere
            self.composer.write(node.astext())

    def write_inline(self, node: nodes.inline) -> None:
        """A role: what Sphinx shows of it, as far as one page tells."""
        role, text = node.get("role", ""), node.astext()
        kind = role.rpartition(":")[2]
        explicit = _EXPLICIT.match(text)
        if "cite" in role or kind in ("footcite", "p", "t"):
            self.composer.cite(text)
        elif kind == "numref" and explicit:
            self.refer(explicit[2], *re.split(r"%s|\{number\}", explicit[1], maxsplit=1))
        elif kind == "eq":
            self.refer(text, "(", ")")
        elif explicit and explicit[1].isdecimal():  # :ref:`12 <smith99>`: a number of a reference
            self.composer.cite(explicit[2])
        elif explicit:
            self.composer.write(explicit[1])
        elif kind in ("ref", "numref", "doc", "any"):
            self.refer(text)
        elif kind.startswith("raw"):
            return
        elif kind in _CODE_ROLES:
            with self.composer.styled("code"):
                name = text.rpartition(".")[2] if text.startswith("~") else text.lstrip("!.")
                self.composer.write(name)
        else:
            self.composer.write(text.partition(" (")[0] if kind == "abbr" else text)

    def refer(self, key: str, before: str = "", after: str = "") -> None:
        self.composer.write(before)
        self.sink.refer(key)
        self.composer.write(after)
