r"""Equation in, normal-form tokens out: one spelling for one picture.

    x^2_1                ->  x _ { 1 } ^ { 2 }
    {a \over b}          ->  \frac { a } { b }
    \text{if}, {\rm if}  ->  \mathrm { i f }
    \left ( x \right )   ->  \left( x \right)          (a delimiter is one token with its command)

Scripts are braced, the lower one first; labels, tags, spacing, sizes and the punctuation at the end
are dropped; groups without scripts and environments of one row dissolve. `normal_form` is
idempotent, and `to_latex` gives LaTeX that prints the same equation, spacing and sizes apart.
What holds several rows has none; rows.py cuts it into its equations.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, repeat, takewhile

from topiceq.article.commands import DELIMITERS, FONTS, KNOWN, MATRICES, SIZED, which
from topiceq.article.equation.line import PUNCTUATION, Line, is_nucleus, with_dots
from topiceq.article.equation.mathtext import TEXTS
from topiceq.article.equation.nuclei import ACTIONS
from topiceq.article.equation.spelling import SYNONYMS, spelled
from topiceq.article.tex import PRIMITIVE, clean, lex

# ours: im2markup has one token for each name of a glyph, and splits \sin, \lim into letters
# other ways to write a token, and the tokens of the normal form that are two or more of the source
SPELLINGS: dict[str, tuple[str, ...]] = {
    **{name: (same,) for name, same in SYNONYMS.items()},
    **{size + d: (size, d) for size in SIZED for d in DELIMITERS},
    **{
        f"\\{side}{{{name}}}": ("\\" + side, "{", *name, "}")
        for side in ("begin", "end")
        for name in MATRICES
    },
    **dict.fromkeys(("\\operatorname*", "\\operatornamewithlimits"), ("\\operatorname", "*")),
    "\\bgroup": ("{",), "\\begingroup": ("{",), "\\egroup": ("}",), "\\endgroup": ("}",),
    "\\sp": ("^",), "\\sb": ("_",), "\\AA": ("\\mathring", "{", "A", "}"),
    "\\aa": ("\\mathring", "{", "a", "}"),
}  # fmt: skip
NEGATIVE = which("negative")
SPACED = frozenset(TEXTS) | {PRIMITIVE + command for command in TEXTS}

NORMAL_FORM = 1  # its version, raised when an equation gets other tokens: runs record it


def normal_form(tokens: Sequence[str]) -> list[str]:
    r"""The normal form of an expanded equation; `NotNormal` with the reason if there is none.

    >>> normal_form(lex(r"x^2_1 = {a \over b},"))
    ['x', '_', '{', '1', '}', '^', '{', '2', '}', '=', '\\frac', '{', 'a', '}', '{', 'b', '}']
    """
    return _without_punctuation(whole_form(tokens))


def whole_form(tokens: Sequence[str]) -> list[str]:
    """The normal form with the punctuation at its end."""
    line = Line(characters(tokens), ACTIONS)
    line.rows()
    line.expect("")
    return with_dots(line.out)


def to_latex(tokens: Sequence[str]) -> str:
    r"""LaTeX for normal-form tokens.

    >>> to_latex(["x", "_", "{", "1", "}"])
    'x _ { 1 }'
    """
    return " ".join(tokens)


def parse(latex: str) -> list[str]:
    """The normal form of LaTeX source that holds no macros of an author's own."""
    return normal_form(lex(clean(latex)))


def undefined(tokens: Sequence[str]) -> list[str]:
    r"""The tokens of a normal form that LaTeX cannot print: commands that nobody has defined.

    >>> undefined(parse(r"\frac{\myvector{x}}{\left(2\right)}"))
    ['\\myvector']
    """
    return [
        token
        for token in tokens
        if not token.isascii() or token[0] == "\\" and token not in KNOWN and token not in SPELLINGS
    ]


def _without_punctuation(tokens: list[str]) -> list[str]:
    r"""The tokens without punctuation at the end, nor at the end of words or a \boxed there."""
    while tokens and tokens[-1] in PUNCTUATION:
        tokens.pop()
    while tokens[-1:] == ["}"] and tokens[-2] in PUNCTUATION and _ends_in_words(tokens):
        del tokens[-2]
    if tokens[:1] == ["\\boxed"] and is_nucleus(tokens):
        tokens[2:] = [*_without_punctuation(tokens[2:-1]), "}"]
    return tokens


def _ends_in_words(tokens: Sequence[str]) -> bool:
    r"""Whether the tokens end in \mathrm { .. } or another font, with something in it."""
    start = len(tokens) - 1 - tokens[::-1].index("{")
    is_last = "}" not in tokens[start:-1]  # and not closed before the end
    return start > 0 and tokens[start - 1] in FONTS and len(tokens) - start > 3 and is_last


def characters(tokens: Sequence[str]) -> list[str]:
    """One token per character and command, each in one spelling; spaces only where text is."""
    spaced = not SPACED.isdisjoint(tokens)
    spelled_out = list(chain.from_iterable(map(_spelling, tokens, repeat(spaced))))
    return spelled_out if NEGATIVE.isdisjoint(spelled_out) else _without_overlays(spelled_out)


def _without_overlays(tokens: list[str]) -> list[str]:
    r"""`-\!\!\int` is an integral with a bar through it, not minus an integral."""
    return [t for i, t in enumerate(tokens) if t != "-" or not _is_overlay(tokens[i + 1 : i + 5])]


def _is_overlay(following: list[str]) -> bool:
    moved = list(takewhile(lambda t: t in NEGATIVE or t == " ", following))
    return sum(t in NEGATIVE for t in moved) > 1


@lru_cache(maxsize=1 << 16)
def _spelling(token: str, spaced: bool) -> Sequence[str]:
    if token[:1] == PRIMITIVE:
        token = token[1:]
    if not token:  # \begin{} has an empty name
        return ()
    if token[0] == "\\":
        return SPELLINGS.get(token) or (token,)
    if token[0] == "%" or token == "$$":
        return ()
    run = " ".join(f"|{token}|".split())[1:-1] if spaced else "".join(token.split())
    return run if run.isascii() else spelled(run)
