r"""An equation as people type, paste or send it -> its rows in normal form, and what to doubt.

Bare LaTeX, between $..$, $$..$$, \(..\), \[..\], in a display environment, with definitions of its
own in front; in a fence or in HTML, as MathML, with entities; as plain mathematics in Unicode. Rows
of a display and lines are as many equations. What is none raises `QuestionError`.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from topiceq.article.commands import COUNTED, DISPLAYS, KNOWN
from topiceq.article.equation.fault import fault
from topiceq.article.equation.line import PUNCTUATION, ROW_ENDS, NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.equation.rows import equations
from topiceq.article.formulas import DISPLAY_LIMIT, read_formula
from topiceq.article.plain import WORD, is_plain, plain_latex
from topiceq.article.tex import clean, lex, units
from topiceq.errors import QuestionError

MAX_TOKENS = 2_000  # ours: ten times the longest equation that models are trained on
MAX_LINES = 200  # of one equation in a list of equations
SHOWN = 5  # names told in a warning
FORMULAS = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}  # what opens and closes them
FENCE = re.compile(r"\s*(?:```|~~~)[^\n]*\n(|.*?\S)\s*(?:```|~~~)\s*", re.S)
QUOTED = re.compile(r"\s*(`+)(?!`)(.+?)(?<!`)\1\s*|\s*\$`(.+?)`\$\s*", re.S)
WIKI = re.compile(
    r"\s*(?:<(math|tex|latex|chem)\b[^<>]*>(.*?)</\1\s*>|\[(tex|latex|math)\](.*?)\[/\3\]"
    r"|\$latex\s(.*?)\$)\s*+[.,;]?\s*", re.S | re.I
)  # fmt: skip
ARTICLE = re.compile(
    r"arxiv:\S+|(?:https?://)?arxiv\.org/\S+|\d{4}\.\d{4,5}(?:v\d+)?"
    r"|[^\s\\^{}=]+\.(?:tex|ipynb|md|rst|html?|pdf|zip|tar\.gz|tgz|tar)", re.I
)  # fmt: skip
MARKUP = re.compile(r"</[a-z][\w:-]*\s*>|<br\s*/?>|<img\s|<(?:\w+:)?m(?:ath|row|i|o|n|sup)\b", re.I)
ENTITY = re.compile(r"&(?:#\d+|#[xX][\da-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);")
DROPPED = frozenset("script style annotation annotation-xml title button svg".split())
CLASSES = re.compile(r"katex-html|eqno|ltx_tag\S*|ltx_eqn_eqno|mjx-char|MathJax_Preview|MJX_\S*")
FORMULA = frozenset("math mrow msup msub mfrac msqrt mi mo mn".split())
BREAKS = frozenset("br tr p div li dd".split())
LINE_SIGN = re.compile(r"[=<>≤≥≠≈≡∝∼→∈]|\\(?:leq?|geq?|neq?|approx|equiv|sim|propto|in|to)\b")
BEGINS = re.compile(r"\s*(?:\\begin\{(?P<name>[a-zA-Z]+\*?)\}|(?P<sign>\$\$|\\\[|```|~~~|<math\b))")
DEFINES = re.compile(
    r"\s*\\(?:re)?(?:newcommand|providecommand|def|let|DeclareMathOperator|gdef|edef|"
    r"newcolumntype|usepackage)"
)
NAMED = re.compile(r"\\(?:text\w*|mathrm|operatorname\*?|mbox|label|tag|begin|end|ref|eqref|mathit"
                   r"|mathsf|mathtt|mathbf|rm|bf)\s*\{[^{}]*\}|\\[a-zA-Z]+")  # fmt: skip
TWICE = re.compile(r"(?<!\\)\\\\([a-zA-Z]{2,})")
WORDS = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{4,}(?![A-Za-z])")
REASONS = {
    "multiline": "The equation breaks lines inside braces. Write what they hold in one line.",
    "diagram": "This is a diagram or a table, not an equation. Give one equation.",
    "macro_limit": "The equation does not end: one of its macros uses itself. Mend its definition.",
}


@dataclass(frozen=True)
class Typed:
    """An equation that was read: its rows in normal form, and what may not be meant so."""

    rows: tuple[tuple[str, ...], ...]  # the tokens of each
    warnings: tuple[str, ...] = ()

    @property
    def latex(self) -> str:
        """The normal form as LaTeX, its rows parted by a line break."""
        return r" \\ ".join(map(to_latex, self.rows))


@lru_cache(maxsize=256)  # one question is looked at more than once
def read_typed(text: str) -> Typed:
    r"""What somebody has typed: one equation, or each of those that several rows hold.

    >>> read_typed("E = mc²").rows
    (('E', '=', 'm', 'c', '^', '{', '2', '}'),)
    """
    if ARTICLE.fullmatch(text.strip()):
        name = text.strip()
        raise QuestionError(
            f"'{name}' is an article, not an equation. Type: topiceq annotate {name}"
        )
    latex, warnings = as_latex(text)
    rows = [row for row in _rows(latex, text) if row]
    if not rows:
        raise QuestionError("The equation is empty. Give LaTeX, such as 'E = m c ^ 2'.")
    if (size := sum(map(len, rows))) > MAX_TOKENS:
        raise _too_long(size)
    return Typed(tuple(map(tuple, rows)), (*warnings, *_misread(latex)))


def normal(equation: str) -> Typed:
    r"""The normal form of an equation as it was typed: equal where equations look equal.

    >>> normal("x^2_1").latex == normal("$x_1^{2}$").latex == "x _ { 1 } ^ { 2 }"
    True
    """
    return read_typed(equation)


# -- anything -> LaTeX ---------------------------------------------------------------------------


def as_latex(text: str) -> tuple[str, list[str]]:
    """LaTeX for what was typed, itself where it is that, and what was left out."""
    inner, warnings = _unwrapped(text), list[str]()
    if MARKUP.search(inner):
        inner, warnings = _from_markup(inner)
    elif ENTITY.search(inner):
        inner = html.unescape(html.unescape(inner))
        if MARKUP.search(inner):
            inner, warnings = _from_markup(inner)
    lines = _equation_lines(inner)
    if len(lines) > 1:
        bare = [_undelimited(line) for line in lines]
        return " \\\\ ".join(plain_latex(b) if is_plain(b) else b for b in bare), warnings
    return _one_line(inner) if inner == text else _one_line(inner.strip()), warnings


def _unwrapped(text: str) -> str:
    """The text without a fence, quotes or the tags of a wiki around it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if fence := FENCE.fullmatch(text):
        text = fence[1]
    elif quoted := QUOTED.fullmatch(text):
        text = quoted[2] or quoted[3]
    if (wiki := WIKI.fullmatch(text)) and not MARKUP.search(wiki[2] or wiki[4] or wiki[5]):
        text = html.unescape(wiki[2] or wiki[4] or wiki[5])
    return text


def _one_line(text: str) -> str:
    """LaTeX of one equation, which may be plain mathematics between dollar signs."""
    bare = _undelimited(text)
    return plain_latex(bare) if is_plain(bare) else text


def _undelimited(text: str) -> str:
    """The text without the formula signs around it and what a sentence puts behind them."""
    bare = text.strip().rstrip(".,; ")
    for opening, closing in reversed(FORMULAS.items()):
        if bare.startswith(opening) and bare.endswith(closing) and len(bare) > len(opening):
            return bare[len(opening) : -len(closing)].strip()
    return text.strip()


def _equation_lines(text: str) -> list[str]:
    """The lines, where each is an equation by itself; else the whole."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or "\\\\" in text or "\\begin" in text or DEFINES.match(text):
        return [text]
    bare = [line.strip() for line in lines]
    opened = [line in FORMULAS or line in FORMULAS.values() for line in bare]
    balanced = all(line.count("{") == line.count("}") and line.count("$") % 2 == 0 for line in bare)
    whole = all(LINE_SIGN.search(line) for line in bare) and "%" not in text
    return lines if balanced and whole and not any(opened) else [text]


# -- HTML and MathML -----------------------------------------------------------------------------


def _from_markup(text: str) -> tuple[str, list[str]]:
    """LaTeX for the formulas of HTML, each line of it an equation; text around them is left out."""
    from lxml import etree

    from topiceq.article import mathml

    root = etree.fromstring(text.encode(), etree.HTMLParser(encoding="utf-8"))
    if root is None:
        return "", []
    walk = _Markup()
    if mathml.is_shallow(root):
        walk.read(root)
    return walk.latex(), walk.warnings()


class _Markup:
    """Goes through HTML and keeps formulas, and what stands beside them."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, str]] = []  # kind (formula, text, break), LaTeX
        self.is_content = False

    def read(self, element: Any) -> None:
        from topiceq.article import mathml

        name, classes = mathml.name(element), (element.get("class") or "").split()
        if name in FORMULA or (element.get("type") or "").startswith("math/tex"):
            self.is_content |= any(mathml.name(e) in ("apply", "ci") for e in element.iter())
            latex = element.text if name == "script" else mathml.latex(element)
            self.parts.append(("formula", latex or ""))
            return
        if name in DROPPED or not name or any(map(CLASSES.fullmatch, classes)):
            return
        if name == "img" and element.get("alt"):
            self.parts.append(("formula", element.get("alt")))
        opening, closing = {"sup": ("^{", "}"), "sub": ("_{", "}")}.get(name, ("", ""))
        self.text(opening + (element.text or ""))
        for child in element:
            self.read(child)
            self.text(child.tail or "")
        self.text(closing)
        if name in BREAKS:
            self.parts.append(("break", "\n"))

    def text(self, text: str) -> None:
        if text:
            self.parts.append(("text", text))

    def latex(self) -> str:
        has_formula = any(kind == "formula" for kind, _ in self.parts)
        kept = [
            latex if kind != "text" else " ".join(latex.split()) if has_formula else latex
            for kind, latex in self.parts
            if kind != "text" or not (has_formula and re.search(r"\w", latex))
        ]
        kept = [part for part in kept if part.strip(" .,;:") or part == "\n"]
        return re.sub(r"\s*\n\s*", "\n", " ".join(kept) if has_formula else "".join(kept)).strip()

    def warnings(self) -> list[str]:
        has_formula = any(kind == "formula" for kind, _ in self.parts)
        around = " ".join(latex for kind, latex in self.parts if kind == "text")
        words = re.findall(r"[^\W\d_]{2,}", around)
        told = ["Content MathML is not read, only what MathML draws."] if self.is_content else []
        if has_formula and words:
            told.append(f"The text around the formula was left out: {some(words)}.")
        return told


# -- LaTeX -> rows -------------------------------------------------------------------------------


def _rows(latex: str, typed: str) -> list[list[str]]:
    size = len([unit for unit in units(lex(clean(latex))) if not unit.isspace()])
    if size > DISPLAY_LIMIT:
        raise _too_long(size)
    tokens: list[str] = []
    try:
        tokens, environment = without_delimiters(read_formula(latex))
        rows = equations(tokens, environment)
        if len(rows) < 2 and ROW_ENDS.isdisjoint(tokens):
            return [normal_form(tokens)]  # with all that it says beside the equation
        if broken := next((row.reason for row in rows if not row.tokens), ""):
            raise NotNormal(broken)
        return [row.tokens for row in rows]
    except NotNormal as reason:
        raise _unread(str(reason), typed, tokens or lex(clean(latex))) from None


def without_delimiters(tokens: Sequence[str], outer: str = "") -> tuple[list[str], str]:
    """A formula without what opens and closes it, if anything does, and its environment."""
    inner = _stripped([token for token in tokens if token])  # \begin{} leaves an empty name
    while True:
        end = len(inner)
        while end and inner[end - 1].strip() in PUNCTUATION:  # $x$, as it stood in a sentence
            end -= 1
        name = inner[2] if inner[:2] == ["\\begin", "{"] and len(inner) > 2 else ""
        if inner[:1] and inner[end - 1 : end] == [FORMULAS.get(inner[0])] and end > 1:
            inner = _stripped(inner[1 : end - 1])
        elif name in DISPLAYS | {"math"} and inner[end - 4 : end] == ["\\end", "{", name, "}"]:
            start = 7 if name in COUNTED else 4  # behind the {2} of alignat
            inner, outer = _stripped(inner[start : end - 4]), name
        else:
            return inner, outer


def _stripped(tokens: Sequence[str]) -> list[str]:
    places = [i for i, token in enumerate(tokens) if token.strip()]
    return list(tokens[places[0] : places[-1] + 1]) if places else []


def _unread(reason: str, text: str, tokens: Sequence[str]) -> QuestionError:
    if reason in REASONS:
        return QuestionError(REASONS[reason])
    wrong = fault(tokens)
    message = f"The equation does not parse: {wrong.why}. Mend the LaTeX there."
    return QuestionError(message, wrong.position(text))


def _too_long(size: int) -> QuestionError:
    return QuestionError(f"The equation has {size:,} tokens; at most {MAX_TOKENS:,} are read.")


# -- what may not be meant so --------------------------------------------------------------------


def _misread(latex: str) -> Iterator[str]:
    """Words that were read letter by letter, as LaTeX reads them; backslashes that are two."""
    if twice := [name for name in TWICE.findall(latex) if "\\" + name in KNOWN]:
        yield (f"`\\\\{twice[0]}` was read as the end of a row and letters. If it was escaped, "
               f"write `\\{twice[0]}`.")  # fmt: skip
    bare = NAMED.sub(" ", clean(latex))
    words = [w for w in WORDS.findall(bare) if "\\" + w not in KNOWN and not WORD.fullmatch(w)]
    if not words:
        return
    if len(words) > 2 and sum(map(len, words)) > len(re.findall(r"\S", bare)) / 2:
        yield f"This does not look like LaTeX: {some(words)} are words. Give prose as a context."
    else:
        were = "were" if len(set(words)) > 1 else "was"
        yield f"{some(words)} {were} read letter by letter. Write names as \\mathrm{{..}}."


def some(names: Iterable[str]) -> str:
    r"""A few names between backquotes.

    >>> some(["a", "b", "a"])
    '`a`, `b`'
    """
    different = list(dict.fromkeys(names))
    more = f" and {len(different) - SHOWN} more" if len(different) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in different[:SHOWN]) + more


# -- many equations ------------------------------------------------------------------------------


def equations_of(lines: Iterable[str]) -> Iterator[str]:
    r"""The equations of a file: one a line, but for displays, fences and MathML of several lines.

    >>> list(equations_of(["a = b", "", r"\begin{align}", "c &= d", r"\end{align}", "e"]))
    ['a = b', '\\begin{align}\nc &= d\n\\end{align}', 'e']
    """
    waiting = _Lines(lines)
    while waiting.more():
        line = waiting.take()
        if line.strip():
            yield "\n".join([line, *_rest_of_display(line, waiting)])


class _Lines:
    """Lines that can be looked at before they are taken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.source, self.seen = iter(lines), list[str]()

    def more(self, count: int = 1) -> bool:
        while len(self.seen) < count:
            try:
                self.seen.append(next(self.source).rstrip("\r\n"))
            except StopIteration:
                return False
        return True

    def take(self, count: int = 1) -> str:
        taken, self.seen = self.seen[:count], self.seen[count:]
        return "\n".join(taken)


def _rest_of_display(line: str, waiting: _Lines) -> list[str]:
    """The lines up to the end of a display that begins in one line and ends in a later one."""
    begun = BEGINS.match(line)
    if not begun or begun["name"] and begun["name"] not in DISPLAYS | {"math"}:
        return []
    sign = begun["sign"]
    ends = {"\\[": "\\]", "<math": "</math>"}
    end = f"\\end{{{begun['name']}}}" if begun["name"] else ends.get(sign, sign)
    if end in line[begun.end() :]:
        return []
    is_fence = sign in ("```", "~~~")
    for count in range(1, MAX_LINES):
        if not waiting.more(count):
            return []
        last = waiting.seen[count - 1]
        if end in last:
            return [waiting.take(count)]
        if not is_fence and (not last.strip() or BEGINS.match(last)):
            return []
    return []
