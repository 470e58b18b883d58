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

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat, takewhile

from topiceq.article.commands import DELIMITERS, FONTS, KNOWN, MATRICES, SIZED, which
from topiceq.article.equation.line import (
    CLOSERS,
    OPENERS,
    PUNCTUATION,
    Line,
    is_nucleus,
    with_dots,
)
from topiceq.article.equation.mathtext import TEXTS
from topiceq.article.equation.nuclei import ACTIONS
from topiceq.article.equation.spelling import SYNONYMS, spelled
from topiceq.article.tex import PRIMITIVE, clean, lex
from topiceq.remembering import LONGEST

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

SPACE = "\\;"  # which no normal form keeps
WORD_FONTS = frozenset(TEXTS.values())
JOINING = frozenset(
    "if iff for and or nor where when whenever otherwise else then with without as is are be has "
    "have holds on in at by to of from since because let all any some each every unless while but "
    "so thus hence therefore given until between over under via per".split()
)
OPENS_WORDS = OPENERS | {"\\not", "_", "^", "[", "&", "\\\\", "\\hline", "~"}
CLOSES_WORDS = CLOSERS | PUNCTUATION | {"_", "^", "]", "&", "\\\\", "\\hline", "~"}

NORMAL_FORM = 2  # its version, raised when an equation gets other tokens: runs record it
# earlier versions that spell only a few equations otherwise (1: a hyphen was a minus, and
# \operatorname{lim} no \lim): runs made with them are used, and their self-test decides
READABLE = frozenset((1, NORMAL_FORM))


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
    r"""LaTeX for normal-form tokens, with space around words that are said between formulas.

    >>> to_latex(["x", "_", "{", "1", "}"])
    'x _ { 1 }'
    >>> to_latex(["0", *r"\mathrm { i f } x < 1".split()])
    '0 \\; \\mathrm { i f } \\; x < 1'
    """
    return " ".join(tokens if WORD_FONTS.isdisjoint(tokens) else _with_spaces(tokens))


def _with_spaces(tokens: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        end = _group_end(tokens, at + 1) if tokens[at] in WORD_FONTS else 0
        if not end or not _are_said(tokens[at + 2 : end - 1]):
            yield tokens[at]
            at += 1
            continue
        if at and tokens[at - 1] not in OPENS_WORDS:
            yield SPACE
        yield from tokens[at:end]
        if end < len(tokens) and tokens[end] not in CLOSES_WORDS:
            yield SPACE
        at = end


def _group_end(tokens: Sequence[str], at: int) -> int:
    """Behind the group that begins at a place; 0 if none does, or it is not closed."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i] == "{") - (tokens[i] == "}")
        if depth <= 0:
            return i + 1 if i > at else 0
    return 0


def _are_said(letters: Sequence[str]) -> bool:
    """Whether letters are several words, or one that joins formulas, and not a name."""
    word = "".join(letters)
    return "~" in letters or word[:1].lower() + word[1:] in JOINING


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
        while tokens[-2] == "~":
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
    # asked of all at once: remembering() would take as long as the spelling of one
    is_short = max(map(len, tokens), default=0) <= LONGEST
    spelling = _spelling if is_short else _spelling.__wrapped__
    spelled_out = list(chain.from_iterable(map(spelling, tokens, repeat(spaced))))
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
