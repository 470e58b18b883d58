r"""LaTeX in, MathML out, which browsers draw by themselves; the source if nothing can read it.

math-core is asked for the formula as written, then for its normal form, then leniently. What it
gives is not trusted: it is parsed, and only elements and attributes that draw formulas are kept.
With `symbols`, each place where one of them stands carries its number as `data-symbol`: a symbol is
drawn by itself, and the parts of the formula that are drawn alike are that symbol. So the source is
never touched, and `\hat H` is one symbol wherever it stands.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html.entities import html5
from itertools import accumulate
from types import MappingProxyType
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markupsafe import Markup
from math_core import LatexToMathML

from topiceq.article.equation.normal import parse, to_latex
from topiceq.article.tex import lex
from topiceq.remembering import remembering
from topiceq.views.simpler import ROWS, simpler

NONE: Mapping[str, int] = MappingProxyType({})
LONGEST = 20_000  # characters; a longer formula is shown as source
DEEPEST = 100  # groups inside one another: converters recurse without a limit, and crash

ELEMENTS = frozenset(
    """math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover
    munderover mmultiscripts mprescripts none mtable mtr mtd mpadded mphantom mstyle menclose
    merror""".split()
)
TEXT = frozenset("a b code em i span strong".split())  # in \text{..}; only what they say is kept
ATTRIBUTES = frozenset(
    """display displaystyle scriptlevel mathvariant stretchy fence form separator lspace rspace
    minsize maxsize symmetric largeop movablelimits accent accentunder linethickness width height
    depth voffset columnalign rowspacing columnspacing rowlines columnlines notation""".split()
)
PROPERTIES = frozenset(
    """text-align justify-items padding-left padding-right border-left border-right border-top
    border-bottom width""".split()
)
VALUE = re.compile(r"[\w.%#+ -]{1,60}")
ACCENTS = {"\u0332": "¯", "\u0302": "ˆ", "\u20d7": "→"}  # combining marks over one letter
LIFTED = dict.fromkeys("ˆ¯˜˙¨ˇ˚˘´`⃛", "-0.4em") | {"→": "0em"}  # where they are drawn
WIDE = {"˜": "\u0303", "\u0332": "‾"}  # that are drawn as long as what they stand above
FENCES = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉\u2063")
LOW = frozenset("mi mn mo mtext mspace".split())  # as high as a line
PRIMES = frozenset("′″‴⁗‵")

# a relation in a column of its own, as in eqnarray, goes to what follows it
_THREE = re.compile(
    r"&\s*(=|[<>]|:=|\\(?:[lg]eq?|approx|equiv|sim(?:eq)?|to|in|neq?|propto)\b)\s*&"
)
_CONTINUED = re.compile(r"(^|\\\\)\s*&\s*&")  # a row of eqnarray without a relation
_NESTING = re.compile(r"\\[{}\\]|[{}]|\\(?:left|begin|right|end)(?![a-zA-Z])")
_STEPS = {"{": 1, "\\left": 1, "\\begin": 1, "}": -1, "\\right": -1, "\\end": -1}
_STACKED = re.compile(rf"(?:\\[a-zA-Z]+\s*){{{DEEPEST}}}")  # \hat\hat..: groups without braces
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(\w+;)")  # XML has five, HTML has thousands
_IGNORED = ("lspace", "rspace", "stretchy", "displaystyle", "scriptlevel", "form")


def mathml(latex: str, *, display: bool, symbols: Mapping[str, int] = NONE) -> Markup:
    """A formula as MathML, or its source in <code>; it never raises.

    `symbols` are those to be marked, in LaTeX, each with its number.

    >>> print(mathml("x_1", display=False))
    <math><msub><mi>x</mi><mn>1</mn></msub></math>
    >>> print(mathml("x < y", display=False, symbols={"y": 0}))
    <math><mi>x</mi><mo>&lt;</mo><mi data-symbol="0">y</mi></math>
    """
    return _drawn(latex, display, tuple(symbols.items()))[0] or source(latex)


def how_drawn(latex: str) -> str:
    """How a display comes out: drawn, with unknown names in it (lenient), or undrawn."""
    return _drawn(latex, True, ())[1]


@remembering(1 << 13, longest=500)
def _drawn(latex: str, display: bool, symbols: tuple[tuple[str, int], ...]) -> tuple[Markup, str]:
    """MathML, or nothing; and how it was made."""
    if not _is_harmless(latex):
        return Markup(""), "undrawn"
    latex = simpler(latex)
    for convert in CONVERTERS:
        tree = _read(convert, latex, display)
        if tree is not None:
            alone = [(_read(convert, simpler(symbol), False), number) for symbol, number in symbols]
            if numbers := {_look(_inner(s)): str(number) for s, number in alone if s is not None}:
                _mark(tree, numbers)
            how = "lenient" if convert is _leniently else "drawn"
            return Markup(ElementTree.tostring(tree, encoding="unicode")), how
    return Markup(""), "undrawn"


def source(latex: str) -> Markup:
    """The source of a formula as HTML."""
    return Markup("<code>{}</code>").format(latex.strip())


def in_rows(latex: str, environment: str) -> str:
    r"""The body of a display environment as one formula: rows of `align` in `aligned`.

    >>> in_rows(r"a &= b \\ c &= d", "align*")
    '\\begin{aligned}a &= b \\\\ c &= d\\end{aligned}'
    """
    rows = ROWS.get(environment.rstrip("*")) or _rows_of(latex)
    if rows == "aligned":
        latex = _THREE.sub(r"&\1 ", latex)
    if environment.startswith(("eqnarray", "IEEE", "sub")):
        latex = _CONTINUED.sub(r"\1 &", latex)
    return f"\\begin{{{rows}}}{latex}\\end{{{rows}}}" if rows else latex


def _rows_of(latex: str) -> str:
    """The rows that a formula has though its environment has none: MathJax and Sphinx take them."""
    depth, ends = 0, False
    for token in lex(latex) if "&" in latex or "\\\\" in latex else ():
        depth += _STEPS.get(token, 0)
        if token == "&" and depth == 0:
            return "aligned"
        ends |= token == "\\\\" and depth == 0
    return "gathered" if ends else ""


def _is_harmless(latex: str) -> bool:
    """Whether converters can be trusted not to run out of stack."""
    if len(latex) > LONGEST or _STACKED.search(latex):
        return False
    steps = (_STEPS.get(brace, 0) for brace in _NESTING.findall(latex))
    return max(accumulate(steps), default=0) <= DEEPEST


# -- converters ----------------------------------------------------------------------------------

Convert = Callable[[str, bool], str]


@cache
def _math_core(lenient: bool) -> LatexToMathML:
    return LatexToMathML(macros={}, ignore_unknown_commands=lenient, fancy_error=False)


def _as_written(latex: str, display: bool) -> str:
    return _math_core(False).convert_with_local_state(latex, displaystyle=display)


def _in_normal_form(latex: str, display: bool) -> str:
    return _as_written(to_latex(parse(latex)), display)


def _leniently(latex: str, display: bool) -> str:
    """Commands that nobody knows stand there by their names; braces left open are closed."""
    braces = [token for token in lex(latex) if token in "{}"]
    latex += "}" * (braces.count("{") - braces.count("}"))
    return _math_core(True).convert_with_local_state(latex, displaystyle=display)


CONVERTERS: tuple[Convert, ...] = (_as_written, _in_normal_form, _leniently)


def _read(convert: Convert, latex: str, display: bool) -> Element | None:
    """What a converter gives, cleaned; None if it gives nothing, or what is no formula."""
    try:
        text = convert(latex, display)
        text = _ENTITY.sub(lambda match: html5[match[1]], text)
        return _clean(ElementTree.fromstring(text)) if text.startswith("<math") else None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic in math-core is no Exception
        return None


def _clean(element: Element) -> Element | None:
    """A copy that only draws; None if there is anything in it that no formula has."""
    tag = element.tag.rpartition("}")[2]
    if tag not in ELEMENTS:
        return None
    copy = Element("mrow" if tag == "merror" else tag)  # a name that nobody knows is no error
    copy.attrib = {n: v for n, v in element.items() if n in ATTRIBUTES and VALUE.fullmatch(v)}
    if style := _style(element.get("style", "")):
        copy.set("style", style)
    if tag == "mtext" and {child.tag for child in element} <= TEXT:
        copy.text = "".join(element.itertext())
        return copy
    copy.text = element.text
    for child in element:
        cleaned = _clean(child)
        if cleaned is None or (child.tail or "").strip():
            return None
        copy.append(cleaned)
    _lift_accent(copy)
    _keep_fences_small(copy)
    return _lower_primes(copy)


def _lift_accent(element: Element) -> None:
    """Set the accent of one letter just above it: browsers draw accents into the letter.

    Its box is as high as what is seen of it, so that scripts stand where they stand without it.
    """
    if element.tag == "munder" and element[1].text in WIDE:
        element[1].text = WIDE[element[1].text]
    if element.tag != "mover" or len(element) != 2 or not element.get("accent"):
        return
    letter, accent = element
    sign = ACCENTS.get(accent.text or "", accent.text or "")
    if len(letter.text or "") != 1 or len(letter):
        if accent.text in WIDE:
            accent.text = WIDE[accent.text]
            accent.set("stretchy", "true")
        return
    if sign not in LIFTED:
        return
    accent.text = sign
    accent.attrib = {"stretchy": "false"}
    small = Element("mstyle", {"scriptlevel": "2"}) if sign == "→" else accent
    if small is not accent:
        small.append(accent)
    box = Element("mpadded", {"voffset": LIFTED[sign], "height": "0.2em"})
    box.append(small)
    element[1] = box


def _keep_fences_small(element: Element) -> None:
    """Around what is as high as a line fences need not grow; if they may, they take more room."""
    if element.tag != "mrow" or len(element) < 3:
        return
    first, *inner, last = element
    fences = [sign for sign in (first, last) if sign.tag == "mo" and sign.text in FENCES]
    if len(fences) == 2 and all(map(_is_low, inner)):
        for sign in fences:
            sign.attrib.setdefault("stretchy", "false")


def _is_low(element: Element) -> bool:
    if element.tag in ("msub", "msup", "mrow"):
        return all(map(_is_low, element))
    return element.tag in LOW


def _lower_primes(element: Element) -> Element:
    """Set primes on the line: they are raised by themselves, and would stand too high as scripts.

    What stands below or above the letter beside them stays there: f′ with the script 2 of f'^2.
    """
    if element.tag not in ("msup", "msubsup"):
        return element
    upper = element[-1]
    signs = list(upper) if upper.tag == "mrow" else [upper]
    primes = [sign for sign in signs if sign.tag == "mo" and (sign.text or "") in PRIMES]
    if not primes or signs[: len(primes)] != primes:
        return element
    letter = element[0]
    if element.tag == "msubsup":
        letter = Element("msub")
        letter.extend(list(element)[:2])
    row = Element("mrow")
    row.append(letter)
    for prime in primes:
        prime.attrib = {"lspace": "0", "rspace": "0"}
        row.append(prime)
    rest = signs[len(primes) :]
    if not rest:
        return row
    raised = Element("msup")
    script = Element("mrow")
    script.extend(rest)
    raised.extend((row, script if len(rest) > 1 else rest[0]))
    return raised


def _style(style: str) -> str:
    """The declarations that align and rule tables; an author's colours would not suit the page."""
    pairs = [declaration.partition(":") for declaration in style.split(";")]
    kept = [(name.strip(), value.strip()) for name, _, value in pairs if VALUE.fullmatch(value)]
    return ";".join(f"{name}:{value}" for name, value in kept if name in PROPERTIES)


# -- symbols -------------------------------------------------------------------------------------


def _mark(element: Element, numbers: Mapping[str, str]) -> None:
    """Number the parts that look like a symbol; of two inside one another, the larger one."""
    number = numbers.get(_look(element))
    if number is not None:
        element.set("data-symbol", number)
        return
    children = list(element)
    if element.tag == "msubsup" and (number := numbers.get(_without_upper(element))):
        for child in children[:2]:
            child.set("data-symbol", number)
        children = children[2:]
    for child in children:
        _mark(child, numbers)


def _without_upper(element: Element) -> str:
    """What x_1 looks like in x_1^2."""
    lower = Element("msub")
    lower.extend(list(element)[:2])
    return _look(lower)


def _inner(tree: Element) -> Element:
    """What is inside <math>, without rows around it."""
    while tree.tag in ("math", "mrow") and len(tree) == 1:
        tree = tree[0]
    return tree


def _look(element: Element) -> str:
    """What decides whether two parts are drawn alike: no spacing, no rows of one part."""
    parts = [child for child in element if child.tag != "mspace" or child.attrib]
    if element.tag in ("mrow", "math", "mstyle") and len(parts) == 1:
        return _look(parts[0])
    kept = [f"{n}={v}" for n, v in sorted(element.items()) if n not in _IGNORED]
    inside = "".join(map(_look, parts)) or (element.text or "").strip()
    return f"<{element.tag} {' '.join(kept)}>{inside}</>"
