r"""The role of a token in an equation: what it opens, closes, asks for or carries.

In goes a token of the normal form, out comes its role; "" if the grammar never lets it through.
Tokens of one role are interchangeable: wherever one of them may stand, all may. A token that is
alone in its role names it: `{`, `\\`, `\begin{cases}`.
"""

from string import ascii_letters, digits, punctuation

from topiceq.article.commands import (
    ACCENTS,
    ALPHABETS,
    ARITY,
    DELIMITERS,
    KNOWN,
    LARGE,
    LIMITED,
    MATRICES,
    NAMED,
    OTHER,
    SIZED,
    names,
)
from topiceq.article.equation.spelling import SYNONYMS

# what every vocabulary of tokens begins with
PAD, START, END, UNK = 0, 1, 2, 3
SPECIAL = ("<pad>", "<start>", "<end>", "<unk>")
NEVER = ""
FINISH = SPECIAL[END]
SYMBOL, COLUMN, BRACKET, TEXTUAL = "symbol", "column", "bracket", "textual"
LIMITS_OPERATOR, OPERATOR = "operator with limits", "operator"
ACCENT, ALPHABET, BOLD, STACK = "accent", "alphabet", "\\boldsymbol", "\\substack"
ONE, TWO, THREE, ROOT, COPIED = "one", "two", "three", "root", "copied"
OVERSET, ARROW = "overset", "arrow"
LEFT, MIDDLE, RIGHT = "\\left", "\\middle", "\\right"
BEGINS = {name: f"\\begin{{{name}}}" for name in MATRICES}
ENDS = {name: f"\\end{{{name}}}" for name in MATRICES}

_FENCES = names("left middle right")
_ALONE = frozenset(
    ("\\dots", "{", "}", "_", "^", "[", "]", "*", "|", "&", "\\\\", "\\hline", "\\not", "\\limits")
) | {"\\nolimits", BOLD, STACK, FINISH, *BEGINS.values(), *ENDS.values()}  # fmt: skip
_OPERATORS = LARGE | NAMED - names("bmod")  # \bmod is set as one, but takes no \limits
# amsmath looks for more of them in their argument, to set the outer above the inner
_NESTING = names("hat check breve acute grave tilde bar vec dot ddot mathring")
# their argument is set in all four sizes of mathematics, of which one is printed
_COPIED = names(
    "overrightarrow overleftarrow overleftrightarrow "
    "underrightarrow underleftarrow underleftrightarrow"
)

_BY_TOKEN: dict[str, str] = {
    **dict.fromkeys(set(ascii_letters + digits + punctuation) - set("\\#$%'"), SYMBOL),
    **dict.fromkeys(KNOWN - ARITY.keys() - SIZED - OTHER, SYMBOL),
    **{size + d: BRACKET if d == "]" else SYMBOL for size in SIZED - _FENCES for d in DELIMITERS},
    **{fence + d: fence for fence in _FENCES for d in DELIMITERS},
    **dict.fromkeys("lcr", COLUMN),
    **dict.fromkeys(_OPERATORS, OPERATOR),
    **dict.fromkeys(_OPERATORS & LIMITED, LIMITS_OPERATOR),
    **dict.fromkeys(names("l L pounds mathsterling"), TEXTUAL),
    **dict.fromkeys(ACCENTS, ONE),
    **dict.fromkeys(_NESTING, ACCENT),
    **dict.fromkeys(names("operatorname operatorname* mathop boxed pmod pod"), ONE),
    **dict.fromkeys(_COPIED, COPIED),
    **dict.fromkeys(ALPHABETS, ALPHABET),
    **dict.fromkeys(names("frac binom"), TWO),
    **dict.fromkeys(names("overset underset"), OVERSET),
    **dict.fromkeys(names("xrightarrow xleftarrow"), ARROW),
    "\\overunderset": THREE, "\\sqrt": ROOT,
    **{token: token for token in _ALONE},
}  # fmt: skip
ROLES = {token: name for token, name in _BY_TOKEN.items() if token not in SYNONYMS}


def role(token: str) -> str:
    r"""The role of a token.

    >>> role("x"), role("\\sum"), role("\\frac"), role("\\bigl("), role("\\mymacro")
    ('symbol', 'operator with limits', 'two', 'symbol', '')
    """
    return ROLES.get(token, NEVER)
