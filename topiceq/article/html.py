r"""A page of HTML in, its pieces out.

Formulas are read where their TeX is still there: LaTeXML and ar5iv (`math@alttext`), Wikipedia,
MathJax and KaTeX (`annotation`), scripts of type math/tex, Sphinx's and pandoc's `class="math"`,
and `$$..$$`, `\[..\]`, `\(..\)`, `\begin{equation}` in the text; and where they are set as text:
Wikipedia's `class="texhtml"`, a single letter in italics with its scripts. MathML alone says
nothing that can be read back, and is left out, as is what surrounds an article: menus, tables,
references, code.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice

from lxml import etree

from topiceq.article import settings
from topiceq.article.commands import DISPLAYS
from topiceq.article.composer import Composer
from topiceq.article.pieces import Pieces
from topiceq.article.plain import plain_latex
from topiceq.article.source import Article

_LONG_TAG = re.compile(r"<[^<>]{10000,}>")  # no page of text; attributes take quadratic time
_DROPPED = frozenset(
    "head style script noscript template nav header footer aside table figure figcaption caption "
    "pre object iframe svg canvas form button select textarea audio video mjx-container "
    "todo".split()
)
_DROPPED_CLASSES = re.compile(
    r"(?:nav|navbar|navbox|navigation|toc|toctree-wrapper|table-of-contents|contents|sidebar|menu"
    r"|sphinxsidebar|wy-nav-side|wy-breadcrumbs|breadcrumbs?|footer|header|headerlink|eqno|references"
    r"|reference-list|reflist|bibliography|csl-bib-body|footnotes|footnote-ref|reference|caption"
    r"|mw-editsection|infobox|metadata|hatnote|catlinks|printfooter|noprint|thumb|highlight"
    r"|katex-html|mjx-chtml|MathJax|MathJax_\w+|mwe-math-fallback-image-\w+"
    r"|ltx_(?:bibliography|page_\w+|TOC|tag|note|figure|table|ERROR|authors|dates|keywords))"
)
_CODE = frozenset("function method class module attribute data exception staticmethod".split())
_DROPPED_ROLES = frozenset(("navigation", "search", "banner", "contentinfo", "doc-bibliography"))
_BLOCKS = frozenset(
    "p div section article main body blockquote ul ol dl dd dt li hr chapter center address "
    "details summary fieldset".split()
)
_STYLES = {"em": "emphasis", "i": "emphasis", "cite": "emphasis", "dfn": "emphasis",
           "strong": "strong", "b": "strong", "code": "code", "tt": "code", "kbd": "code",
           "samp": "code"}  # fmt: skip
_SCRIPTS = {"sub": "_", "sup": "^"}
_REFERENCE = re.compile(r"\\(?:eq)?ref\s?\{([^{}]{1,100})\}")  # which MathJax reads in text too
_HEADING = re.compile(r"h([1-6])")
_FORMULA = re.compile(
    r"\$\$(?P<dollars>[^$]+?)\$\$"
    r"|\\\[(?P<brackets>(?:(?!\\\[)[\s\S])+?)\\\]"
    r"|\\\((?P<inline>(?:(?!\\\()[\s\S])+?)\\\)"
    rf"|(?P<wrapped>\\begin\{{(?P<name>{'|'.join(map(re.escape, sorted(DISPLAYS)))})\}}"
    r"(?:(?!\\begin\{(?P=name)\})[\s\S])+?\\end\{(?P=name)\})"
    r"|(?<![\\$])\$(?P<dollar>(?![\s$])[^$]{1,1000}?(?<![\s\\]))\$(?![\d$])"
)
_SPACE = re.compile(r"(?<!\s)\s*\n\s*")
_WRAPPER = re.compile(r"\s*\{\\(?:display|text)style\b\s*+([\s\S]*)\}\s*")
_STYLE = re.compile(r"(?<!\s)\s*\\(?:display|text)style\b\s*")
_DELIMITED = re.compile(r"\s*(?:\\\[([\s\S]*)\\\]|\\\(([\s\S]*)\\\)|\$\$([\s\S]*)\$\$)\s*")


def read_html(article: Article, text: str, sink: Pieces) -> None:
    """Read a page; what its scripts tell MathJax or KaTeX defines macros."""
    parser = etree.HTMLParser(encoding="utf-8", remove_pis=True)
    shorter = _LONG_TAG.sub(lambda tag: "\n" * tag[0].count("\n"), text)
    root = etree.fromstring(shorter.encode(), parser)
    if root is None:  # nothing but space
        return
    composer = Composer(article, sink)
    for script in root.iter("script"):
        if not (script.get("type") or "").startswith("math/"):
            composer.define(settings.macros(script.text or ""))
    if title := " ".join(root.findtext(".//title", "").split()):
        sink.entitle(title)
    walk = _Walk(composer)
    walk.dollars = re.search("mathjax|katex", text, re.I) is not None
    walk.read(root)
    composer.flush()


class _Walk:
    """Goes through a page in reading order, without recursion."""

    def __init__(self, composer: Composer) -> None:
        self.composer = composer
        self.dollars = False  # whether single dollar signs may stand around formulas
        self.line = 1
        self.items: list[int] = []  # of the lists that are open
        self.scripts: set[etree._Element] = set()  # that a letter before them has taken
        self.open: list[tuple[etree._Element, AbstractContextManager[None]]] = []

    def read(self, root: etree._Element) -> None:
        walk = etree.iterwalk(root, events=("start", "end", "comment"))
        for event, element in walk:
            if event == "start":
                self.line = element.sourceline or self.line
                if self.start(element):
                    self.write(element.text)
                else:
                    walk.skip_subtree()
            else:
                if event == "end":
                    self.end(element)
                else:
                    self.line = element.sourceline or self.line
                self.write(element.tail)
        while self.open:
            self.open.pop()[1].__exit__(None, None, None)

    def start(self, element: etree._Element) -> bool:
        """Begin an element; False if nothing below it is to be read."""
        tag = element.tag
        if self.read_formula(element):
            return False
        if tag in _DROPPED or element in self.scripts or _is_aside(element):
            return False
        if tag in ("ol", "ul"):
            self.items.append(0)
        if tag == "li":
            self.composer.sink.item(self.number(element))
        elif tag in _BLOCKS:
            self.composer.paragraph()
        elif tag == "br":
            self.composer.write("\n")
        elif heading := _HEADING.fullmatch(tag):
            if not self.is_inside_heading():
                self.enter(element, self.composer.heading(int(heading[1]), element.get("id") or ""))
        elif tag in _STYLES:
            self.enter(element, self.composer.styled(_STYLES[tag]))
        return True

    def number(self, item: etree._Element) -> int | None:
        """The number of an item, if its list counts."""
        parent = item.getparent()
        if not self.items or parent is None or parent.tag != "ol":
            return None
        self.items[-1] += 1
        return self.items[-1]

    def end(self, element: etree._Element) -> None:
        if element.tag in ("ol", "ul") and self.items:
            self.items.pop()
        if self.open and self.open[-1][0] is element:
            self.open.pop()[1].__exit__(None, None, None)
        elif element.tag in _BLOCKS:
            self.composer.paragraph()

    def enter(self, element: etree._Element, context: AbstractContextManager[None]) -> None:
        context.__enter__()
        self.open.append((element, context))

    def is_inside_heading(self) -> bool:
        return any(_HEADING.fullmatch(element.tag) for element, _ in self.open)

    # -- formulas ------------------------------------------------------------------------------

    def read_formula(self, element: etree._Element) -> bool:
        """Read an element that is a formula; False if it is none."""
        tag, classes = element.tag, _classes(element)
        kind = element.get("type") or ""
        if tag == "math":
            self.put(_tex(element), is_display=_is_display(element))
        elif tag == "script" and kind.startswith("math/tex"):
            self.put(element.text or "", is_display="mode=display" in kind)
        elif tag == "table" and classes & {"ltx_equation", "ltx_equationgroup", "ltx_eqn_table"}:
            self.put(_rows(element), is_display=True)
        elif tag == "img" and classes & {"math", "tex"}:
            around = islice(element.iterancestors("div"), 1)
            self.put(
                element.get("alt") or "", is_display=any("math" in _classes(a) for a in around)
            )
        elif "texhtml" in classes and _is_only_text(element):
            self.put(set_as_text(element), is_display=False)
        elif tag in ("i", "var") and _is_letter(element):
            scripts = list(_scripts_behind(element))
            self.scripts.update(scripts)
            self.put("".join(map(set_as_text, (element, *scripts))), is_display=False)
        elif "math" in classes and tag in ("div", "span") and _is_only_text(element):
            latex = _undelimited("".join(_text(element)))
            self.put(latex, is_display=tag == "div" or "display" in classes)
        else:
            return False
        return True

    def put(self, latex: str, *, is_display: bool) -> None:
        wrapped = _WRAPPER.fullmatch(latex)
        latex = _STYLE.sub("", wrapped[1] if wrapped else latex, count=1)
        if not latex.strip():
            return
        if is_display and not self.is_inside_heading():
            self.composer.display(latex, self.line)
        else:
            self.composer.formula(latex)

    def write(self, text: str | None) -> None:
        """Text, with the formulas that stand in it as MathJax finds them."""
        if not text:
            return
        start, line = 0, self.line
        for match in _FORMULA.finditer(text):
            if match["dollar"] and not self.dollars:
                continue
            self.prose(text[start : match.start()])
            self.line = line + text.count("\n", 0, match.start())
            inner = next(
                filter(None, match.group("dollars", "brackets", "inline", "wrapped", "dollar"))
            )
            self.put(inner, is_display=match["inline"] is None and match["dollar"] is None)
            start = match.end()
        self.prose(text[start:])
        self.line = line + text.count("\n")

    def prose(self, text: str) -> None:
        parts = _REFERENCE.split(_SPACE.sub("\n", text))
        for i, part in enumerate(parts):
            (self.composer.sink.refer if i % 2 else self.composer.write)(part)


def _classes(element: etree._Element) -> set[str]:
    return set((element.get("class") or "").split())


def _is_aside(element: etree._Element) -> bool:
    """Whether an element is no part of the text: a menu, a list of references, a number."""
    if element.tag in ("body", "html"):
        return False
    names = (*_classes(element), element.get("id") or "")
    return (
        _is_signature(element)
        or any(map(_DROPPED_CLASSES.fullmatch, names))
        or element.get("role") in _DROPPED_ROLES
        or element.get("aria-hidden") == "true"
    )


def _is_signature(element: etree._Element) -> bool:
    """Whether an element is the head of a function's description, as Sphinx sets it."""
    parent = element.getparent()
    return element.tag == "dt" and parent is not None and not _CODE.isdisjoint(_classes(parent))


def _is_letter(element: etree._Element) -> bool:
    """Whether it is one letter and nothing else, as a page sets a symbol."""
    text = (element.text or "").strip()
    return len(text) == 1 and text.isalpha() and not len(element)


def _scripts_behind(element: etree._Element) -> Iterator[etree._Element]:
    """The scripts that stand right behind a letter."""
    while not element.tail and (element := element.getnext()) is not None:
        if element.tag not in _SCRIPTS:
            return
        yield element


def set_as_text(element: etree._Element) -> str:
    """LaTeX for mathematics that is set as text, in italics and scripts."""
    parts = [plain_latex(element.text or "")]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(set_as_text(child))
        parts.append(plain_latex(child.tail or ""))
    inner = "".join(parts)
    sign = _SCRIPTS.get(element.tag) or (r"\mathbf" if element.tag == "b" else "")
    return f"{sign}{{{inner}}}" if sign else inner


def _tex(math: etree._Element) -> str:
    """The TeX that MathML was made from, "" where it is not told."""
    for annotation in math.iter("annotation"):
        if annotation.get("encoding") in ("application/x-tex", "TeX", "LaTeX"):
            return annotation.text or ""
    return math.get("alttext") or ""


def _is_display(math: etree._Element) -> bool:
    if math.get("display") == "block" or math.get("mode") == "display":
        return True
    parent = math
    for _ in range(3):  # spans around it
        parent = parent.getparent()
        if parent is None:
            return False
        if {"katex-display", "mwe-math-element-block"} & _classes(parent):
            return True
        if parent.tag == "dd":  # how Wikipedia indents a display
            alone = sum(1 for _ in islice(parent, 4)) < 4
            return alone and not re.search(r"\w", "".join(_text(parent)))
    return False


def _text(element: etree._Element) -> Iterator[str]:
    """The text of an element, without its formulas and numbers."""
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and child.tag not in ("math", "img", "sup"):
            if "eqno" not in _classes(child):
                yield from _text(child)
        yield child.tail or ""


def _undelimited(latex: str) -> str:
    delimited = _DELIMITED.fullmatch(latex)
    return next(filter(None, delimited.groups()), "") if delimited else latex


def _is_only_text(element: etree._Element) -> bool:
    return not any(isinstance(child.tag, str) and child.tag in ("math", "img", "script")
                   for child in element.iter())  # fmt: skip


def _rows(table: etree._Element) -> str:
    r"""What LaTeXML sets in a table: a row for each \\ and a cell for each &."""
    rows = []
    for row in table.iter("tr"):
        cells = [_STYLE.sub("", _tex(math), count=1) for math in row.iter("math")]
        if any(cell.strip() for cell in cells):
            rows.append(" & ".join(cells))
    if len(rows) == 1:
        return rows[0].replace(" & ", " ")
    return "\\begin{align}" + " \\\\\n".join(rows) + "\\end{align}"
