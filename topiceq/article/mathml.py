r"""Presentation MathML in, LaTeX out: `<msup><mi>x</mi><mn>2</mn></msup>` -> `x^{2}`.

The TeX that MathML was made from is taken where it is told (an annotation, alttext); else what is
drawn is written as LaTeX. Characters stay as they are: the normal form spells them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from topiceq.article.commands import LARGE, OPERATORS
from topiceq.article.equation.spelling import UNICODE

TEX = ("application/x-tex", "application/x-latex", "tex", "latex")
INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b\u200c\u200d\u2060\ufeff"))
ESCAPED = {"{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "_": r"\_",
           "\\": r"\backslash ", "‖": r"\| ", "∥": r"\| ", "~": r"\sim ", "^": r"\wedge ",
           ":=": ":=", "∇": r"\nabla "}  # fmt: skip
FONTS = {
    "normal": r"\mathrm", "bold": r"\mathbf", "bold-italic": r"\boldsymbol",
    "double-struck": r"\mathbb", "fraktur": r"\mathfrak", "bold-fraktur": r"\mathfrak",
    "script": r"\mathcal", "bold-script": r"\mathcal", "sans-serif": r"\mathsf",
    "monospace": r"\mathtt",
}  # fmt: skip
OVER = {
    **dict.fromkeys("^ˆ\u0302", r"\hat"), **dict.fromkeys("~˜∼\u0303", r"\tilde"),
    **dict.fromkeys("¯‾_―─\u0304\u0305−-", r"\bar"), **dict.fromkeys("→⃗⟶\u20d7", r"\vec"),
    **dict.fromkeys("˙.\u0307", r"\dot"), **dict.fromkeys("¨\u0308", r"\ddot"), "ˇ": r"\check",
    "˘": r"\breve", "´": r"\acute", "`": r"\grave", "˚": r"\mathring", "⏞": r"\overbrace",
}  # fmt: skip
UNDER = {**dict.fromkeys("_―─̲¯‾\u0332", r"\underline"), "⏟": r"\underbrace"}
WIDE = {r"\hat": r"\widehat", r"\tilde": r"\widetilde", r"\bar": r"\overline",
        r"\vec": r"\overrightarrow"}  # fmt: skip
NOTATIONS = {"box": r"\boxed", "radical": r"\sqrt", "top": r"\overline", "bottom": r"\underline"}
TALL = frozenset("mfrac mtable munderover munder mover msqrt mroot".split())
OPENING, CLOSING = frozenset("([{|‖⟨⌊⌈<"), frozenset(")]}|‖⟩⌋⌉>")
SKIPPED = frozenset(
    "annotation annotation-xml mprescripts none mphantom maligngroup malignmark".split()
)
NAMES = {name[1:]: name for name in OPERATORS}
DEEPEST = 100  # elements inside each other
LIMITS = {c for c, name in UNICODE.items() if name in LARGE} | set(
    "lim max min sup inf limsup liminf argmax argmin det gcd Pr".split()
)


def latex(math: Any) -> str:
    """The LaTeX of a `math` element of lxml; what it was made from, where that is told."""
    return told(math) or (drawn(math) if is_shallow(math) else "")


def is_shallow(element: Any) -> bool:
    """Whether an element is not nested deeper than anybody writes, and than can be read."""
    level = [element]
    for _ in range(DEEPEST):
        level = [child for each in level for child in each]
    return not level


def told(math: Any) -> str:
    """The TeX that MathML was made from, "" where it is not told."""
    for annotation in math.iter():
        if name(annotation) == "annotation" and annotation.get("encoding", "").lower() in TEX:
            return annotation.text or ""
    return math.get("alttext") or ""


def drawn(element: Any) -> str:
    """LaTeX for what an element draws."""
    return " ".join(_element(element).split())


def name(element: Any) -> str:
    """The name of an element without its prefix, "" of a comment."""
    tag = element.tag
    return re.sub(r"^(?:\{.*\}|\w+:)", "", tag).lower() if isinstance(tag, str) else ""


def _element(element: Any) -> str:
    kind = name(element)
    if not kind or kind in SKIPPED:
        return ""
    if kind in TOKENS:
        return TOKENS[kind](" ".join("".join(element.itertext()).translate(INVISIBLE).split()),
                            element)  # fmt: skip
    children = [child for child in element if name(child)]
    if kind in WRITTEN:
        size, write = WRITTEN[kind]
        parts = [_element(child) for child in children[:size]]
        return write(*parts, *[""] * (size - len(parts)))
    if kind in STRUCTURES:
        return STRUCTURES[kind](element, children)
    if kind == "semantics":
        return _element(children[0]) if children else ""
    return _row(children)


# -- what holds characters ----------------------------------------------------------------------


def _identifier(text: str, element: Any) -> str:
    font = FONTS.get(element.get("mathvariant", ""))
    if text in NAMES and font in (None, r"\mathrm"):
        return NAMES[text] + " "
    if len(text) > 1 and text.isalpha() and text.isascii():
        return (font or FONTS["normal"]) + f"{{{text}}}"
    if font and text[:1].isalpha():
        return f"{font}{{{text}}}"
    return _escaped(text)


def _operator(text: str, element: Any) -> str:
    if text in NAMES:
        return NAMES[text] + " "
    if len(text) > 2 and text.isascii() and text.isalpha():
        return rf"\operatorname{{{text}}}"
    return ESCAPED.get(text) or f" {_escaped(text)} "


def _text(text: str, element: Any) -> str:
    return rf"\text{{ {_escaped(text)} }}" if re.search(r"\w", text) else _escaped(text)


def _escaped(text: str) -> str:
    return "".join(ESCAPED.get(c, c) if c in r"{}%&#$_\ " else c for c in text)


TOKENS: dict[str, Callable[[str, Any], str]] = {
    "mi": _identifier,
    "mn": lambda text, _: _escaped(text.replace("\u00a0", "").replace(" ", "")),
    "mo": _operator,
    "mtext": _text,
    "ms": _text,
    "mspace": lambda _, element: r" \\ " if element.get("linebreak") == "newline" else " ",
}


# -- what is put together -----------------------------------------------------------------------


def _row(children: Sequence[Any], is_inside: bool = False) -> str:
    """Elements beside each other; brackets around what is tall grow, `{` and a table are cases."""
    kinds = [name(child) for child in children]
    if "mtable" in kinds and _sign(children, kinds.index("mtable") - 1) == "{":
        at = kinds.index("mtable")
        rest = children[at + 1 :]
        if not any(_sign(rest, i) in CLOSING for i in range(len(rest))):
            cases = _table(children[at], "cases")
            return _row(children[: at - 1]) + cases + _row(rest)
    first, last = _sign(children, 0), _sign(children, len(children) - 1)
    if len(children) > 2 and first in OPENING and last in CLOSING and _is_tall(children[1:-1]):
        inner = _row(children[1:-1], is_inside=True)
        if len(children) == 3 and first + last == "()" and _is_bare(children[1]):
            return inner.replace("{", r"\binom{", 1).replace(r" \atop ", "}{", 1)
        return rf"\left{_fence(children[0])}{inner}\right{_fence(children[-1])}"
    return "".join(
        _table(child, "matrix")
        if kind == "mtable" and (is_inside or _is_fenced(children, i))
        else _element(child)
        for i, (child, kind) in enumerate(zip(children, kinds, strict=True))
    )


def _sign(children: Sequence[Any], at: int) -> str:
    if not 0 <= at < len(children) or name(children[at]) != "mo":
        return ""
    return "".join(children[at].itertext()).strip()


def _is_fenced(children: Sequence[Any], at: int) -> bool:
    return bool(_sign(children, at - 1) in OPENING and _sign(children, at + 1) in CLOSING)


def _is_tall(children: Sequence[Any]) -> bool:
    return any(name(inner) in TALL for child in children for inner in child.iter())


def _fence(sign: Any) -> str:
    return _operator("".join(sign.itertext()).strip(), sign).strip() + " "


def _math(element: Any, children: Sequence[Any]) -> str:
    if element.tag and not children:  # MathJax and wikis write TeX in it
        return element.text or ""
    return _row(children)


def _fenced(element: Any, children: Sequence[Any]) -> str:
    opening, closing = element.get("open", "("), element.get("close", ")")
    signs = element.get("separators", ",").strip() or [""]
    parts = [_element(child) for child in children]
    inner = "".join(
        part + (signs[min(i, len(signs) - 1)] if i < len(parts) - 1 else "")
        for i, part in enumerate(parts)
    )
    left, right = ESCAPED.get(opening, opening), ESCAPED.get(closing, closing)
    if _is_tall(children):
        return rf"\left{left or '.'} {inner}\right{right or '.'} "
    return f"{left}{inner}{right}"


def _fraction(element: Any, children: Sequence[Any]) -> str:
    above, below, *_ = [*map(_element, children), "", ""]
    if _is_bare(element):
        return rf"{{{above} \atop {below}}}"
    return rf"\frac{{{above}}}{{{below}}}"


def _is_bare(element: Any) -> bool:
    """Whether it is a fraction without a line."""
    return name(element) == "mfrac" and element.get("linethickness", "")[:1] == "0"


def _scripts(element: Any, children: Sequence[Any]) -> str:
    """msub, msup, msubsup."""
    base, *scripts = [*children, *[None] * 3][:3]
    kind = name(element)
    lower, upper = (None, scripts[0]) if kind == "msup" else (scripts[0], scripts[1])
    return _base(base, upper is not None) + _lower(lower) + _upper(upper)


def _base(element: Any, has_upper: bool) -> str:
    if element is None:
        return "{}"
    text = _element(element).strip()
    kind, signs = name(element), list(element)
    is_bracket = bool(signs) and _sign(signs, len(signs) - 1) in CLOSING
    if kind in ("mi", "mn", "mo", "mtext") or is_bracket or kind == "msub" and has_upper:
        return text or "{}"
    return f"{{{text}}}" if len(text) != 1 else text


def _lower(element: Any) -> str:
    return "" if element is None else f"_{{{_element(element).strip()}}}"


def _upper(element: Any) -> str:
    if element is None:
        return ""
    text = _element(element).strip()
    if text and set(text) <= set("′'″‴"):
        primes = len(text) + text.count("″") + 2 * text.count("‴")
        return "^{" + r"\prime " * primes + "}"
    return f"^{{{text}}}"


def _stacked(element: Any, children: Sequence[Any]) -> str:
    """munder, mover, munderover: limits, accents, braces, or what stands above something."""
    base, *others = [*children, *[None] * 3][:3]
    over_only = name(element) == "mover"
    under, over = (None, others[0]) if over_only else (others[0], others[1])
    core = "" if base is None else "".join(base.itertext()).translate(INVISIBLE).strip()
    if core in LIMITS:
        return _base(base, True) + _lower(under) + _upper(over)
    text = "" if base is None else _element(base).strip()
    if text.startswith((r"\underbrace", r"\overbrace")):
        return text + _lower(under) + _upper(over)
    for mark, accents, command in ((under, UNDER, r"\underset"), (over, OVER, r"\overset")):
        if mark is not None:
            sign = "".join(mark.itertext()).translate(INVISIBLE).strip()
            accent = accents.get(sign)
            is_long = len(core) > 1
            if accent:
                text = f"{WIDE.get(accent, accent) if is_long else accent}{{{text}}}"
            elif drawn(mark):
                text = f"{command}{{{_element(mark).strip()}}}{{{text}}}"
    return text


def _multiscripts(element: Any, children: Sequence[Any]) -> str:
    kinds = [name(child) for child in children]
    before = kinds.index("mprescripts") if "mprescripts" in kinds else len(kinds)
    pre = _pairs(children[before + 1 :])
    return (f"{{}}{pre}" if pre else "") + _element(children[0]) + _pairs(children[1:before])


def _pairs(scripts: Sequence[Any]) -> str:
    texts = [_element(script).strip() for script in scripts]
    lower, upper = " ".join(filter(None, texts[::2])), " ".join(filter(None, texts[1::2]))
    return (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")


def _table(table: Any, environment: str) -> str:
    rows = [row for row in table if name(row) in ("mtr", "mlabeledtr")]
    cells = [
        [_row(list(cell)).strip() for cell in row if name(cell) == "mtd"]
        [name(row) == "mlabeledtr" :]
        for row in rows
    ]  # fmt: skip
    lines = r" \\ ".join(" & ".join(line) for line in cells)
    return rf"\begin{{{environment}}} {lines} \end{{{environment}}}"


def _enclosed(element: Any, children: Sequence[Any]) -> str:
    inner = _row(children)
    for notation in element.get("notation", "").split():
        if notation in NOTATIONS:
            return f"{NOTATIONS[notation]}{{{inner}}}"
    return inner


WRITTEN: dict[str, tuple[int, Callable[..., str]]] = {
    "mroot": (2, lambda base, index: rf"\sqrt[{index.strip()}]{{{base}}}"),
}
STRUCTURES: dict[str, Callable[[Any, Sequence[Any]], str]] = {
    "math": _math,
    "mfenced": _fenced,
    "mfrac": _fraction,
    "msqrt": lambda _, children: rf"\sqrt{{{_row(children)}}}",
    **dict.fromkeys(("msub", "msup", "msubsup"), _scripts),
    **dict.fromkeys(("munder", "mover", "munderover"), _stacked),
    "mmultiscripts": _multiscripts,
    "mtable": lambda table, _: _table(table, "aligned"),
    "menclose": _enclosed,
}
