r"""The symbols of an equation as a reader sees them: letters with their accents, fonts and scripts.

In go normal-form tokens; out come `Symbol`s. `\hat { H }`, `\mathbb { E }` and `T _ { \mu \nu }`
are one symbol each; digits, punctuation, relations and operators are none, nor is the d of an
integral. A name in letters, such as `\mathrm { R e }`, is one symbol too, marked as a word.

Of single tokens there are three kinds, each within the one before: `is_symbol`, what can mean
something by itself, operators too; `is_letter`, what a text may define; `is_renamable`, letters in
whose place another could stand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from topiceq.article.commands import which
from topiceq.article.equation.line import OPENERS, nucleus_end
from topiceq.article.equation.normal import to_latex

# fonts and accents: with the one token that they hold they make a symbol of its own
MARKS = which("mark")
# brackets, scripts, digits, punctuation, signs, and what gives delimiters a size
_ARRANGES = re.compile(
    r"""[{}()\[\]_^&~@\#$0-9,.;:!?'"`/=+<>-]
    | \\( [^a-zA-Z|]? | (left|right|[bB]igg?[lrm]?|begin|end)(?![a-zA-Z]).* | text\{-\} )""",
    re.VERBOSE,
)
_ARRANGING = which("arranges")
LETTERS = which("greek", "name")
RENAMABLE = LETTERS - which("fixed")
WORDS = which("word")
INTEGRALS = which("differential")  # where d x is no product

Tokens = tuple[str, ...]
# on the line; below a name; below an operator, running; elsewhere above or below something
Place = Literal["line", "index", "running", "script"]


def is_symbol(token: str) -> bool:
    r"""Whether a token can mean something by itself.

    >>> [token for token in [r"\sigma", "E", "|", "{", "2", r"\left(", r"\hat"] if is_symbol(token)]
    ['\\sigma', 'E', '|']
    """
    arranges = token in MARKS or token in _ARRANGING or _ARRANGES.fullmatch(token)
    return not arranges


def is_letter(token: str) -> bool:
    """Whether a token is a letter of some alphabet."""
    return token in LETTERS or len(token) == 1 and token.isalpha()


def is_renamable(token: str) -> bool:
    r"""Whether another letter could stand in a token's place.

    >>> [is_renamable(token) for token in ("x", r"\alpha", r"\partial", r"\nabla", "2", r"\sin")]
    [True, True, False, False, False, False]
    """
    return token in RENAMABLE or len(token) == 1 and token.isalpha()


@dataclass(frozen=True)
class Symbol:
    r"""A letter, marked or not, with what stands below and above it."""

    base: Tokens
    lower: Tokens = ()
    upper: Tokens = ()

    @property
    def tokens(self) -> Tokens:
        """In normal form."""
        lower = ("_", "{", *self.lower, "}") if self.lower else ()
        upper = ("^", "{", *self.upper, "}") if self.upper else ()
        return self.base + lower + upper

    @property
    def latex(self) -> str:
        return to_latex(self.tokens)

    @property
    def is_word(self) -> bool:
        r"""Whether it is a name of several letters: \mathrm { R e }."""
        return self.base[0] in WORDS and len(self.base) > 4

    @property
    def plainer(self) -> "Symbol | None":
        r"""The same with one thing less: no scripts, then one mark less; None if it is plain."""
        if self.lower or self.upper:
            return Symbol(self.base)
        return Symbol(self.base[2:-1]) if len(self.base) > 3 and not self.is_word else None


@dataclass(frozen=True)
class Occurrence:
    """A symbol at one place of an equation."""

    symbol: Symbol
    place: Place = "line"

    @property
    def in_script(self) -> bool:
        """Whether it stands above or below something."""
        return self.place != "line"


def occurrences(tokens: Sequence[str], place: Place = "line") -> Iterator[Occurrence]:
    r"""The symbols of an equation, wherever they stand, in reading order.

    >>> found = occurrences(r"\sum _ { i = 1 } ^ { n } x _ { i }".split())
    >>> [(one.symbol.latex, one.place) for one in found]
    [('i', 'running'), ('n', 'script'), ('x _ { i }', 'line'), ('i', 'index')]
    """
    tokens, at = list(tokens), 0
    while at < len(tokens):
        end = nucleus_end(tokens, at)
        nucleus = tuple(tokens[at:end])
        lower, upper, after = scripts(tokens, end)
        named = is_name(nucleus)
        if named and not _is_differential(tokens, at):
            yield Occurrence(Symbol(nucleus, lower, upper), place)
        elif len(nucleus) > 1 and not named and not _is_text(nucleus):
            yield from occurrences(_inside(nucleus), place)
        if named:
            yield from occurrences(lower, "index")
        else:
            yield from _bounds(lower, runs=not upper)
        yield from occurrences(upper, "script")
        at = after


def _bounds(lower: Tokens, *, runs: bool) -> Iterator[Occurrence]:
    r"""What stands below an operator, what runs first: the i of \sum_i, not the a of \int_a^b."""
    rest = head(lower)[1]
    runs = rest[:1] in (("=",), (r"\in",), (",",)) or runs and not rest
    for number, one in enumerate(occurrences(lower, "script")):
        yield Occurrence(one.symbol, "running") if runs and number == 0 else one


def head(tokens: Sequence[str]) -> tuple[Symbol | None, Tokens]:
    r"""The symbol that a formula begins with, and what is left of it.

    >>> head(("f", "_", "{", "1", "}", "=", "x"))
    (Symbol(base=('f',), lower=('1',), upper=()), ('=', 'x'))
    """
    tokens = list(tokens)
    end = nucleus_end(tokens, 0) if tokens else 0
    nucleus = tuple(tokens[:end])
    if not is_name(nucleus):
        return None, tuple(tokens)
    lower, upper, after = scripts(tokens, end)
    return Symbol(nucleus, lower, upper), tuple(tokens[after:])


def scripts(tokens: list[str], at: int) -> tuple[Tokens, Tokens, int]:
    """What stands below and above a nucleus that ends here, and where that ends."""
    found: dict[str, Tokens] = {}
    while tokens[at : at + 1] in (["_"], ["^"]):
        end = nucleus_end(tokens, at + 1) if at + 1 < len(tokens) else at + 1
        found[tokens[at]] = tuple(tokens[at + 2 : end - 1])
        at = end
    return found.get("_", ()), found.get("^", ()), at


def is_name(nucleus: Sequence[str]) -> bool:
    r"""Whether a nucleus is a letter, or one with marks, or a name in letters.

    >>> [is_name(n.split()) for n in ("x", "2", "=", r"\hat { H }", r"\hat { x + y }")]
    [True, False, False, True, False]
    """
    if len(nucleus) == 1:
        return is_letter(nucleus[0])
    if len(nucleus) < 4 or nucleus[1] != "{":
        return False
    inner = nucleus[2:-1]
    if nucleus[0] in WORDS and all(is_letter(token) for token in inner):
        return True
    return nucleus[0] in MARKS and (is_name(inner) or len(inner) == 1 and inner[0].isdigit())


def _is_text(nucleus: Tokens) -> bool:
    r"""Whether it is words rather than symbols: \mathrm { k - f o r m }."""
    letters = sum(map(is_letter, nucleus[2:-1]))
    return nucleus[0] in WORDS - {r"\mathbf"} and letters > 1


def _inside(nucleus: Tokens) -> Tokens:
    """The tokens in a group, between delimiters, or behind a command."""
    if nucleus[0] == r"\begin{array}":  # the columns are no symbols
        return nucleus[nucleus.index("}") + 1 : -1]
    return nucleus[1:-1] if nucleus[0] in OPENERS else nucleus[1:]


def _is_differential(tokens: list[str], at: int) -> bool:
    r"""Whether the d here is that of \int f d x or of d y / d x."""
    if tokens[at] != "d" and tuple(tokens[at : at + 4]) != (r"\mathrm", "{", "d", "}"):
        return False
    after = at + 1 if tokens[at] == "d" else at + 4
    if after < len(tokens) and tokens[after] == "^":
        after = scripts(tokens, after)[2]
    begins_name = after < len(tokens) and is_name(tokens[after : nucleus_end(tokens, after)])
    return tokens[at] != "d" or begins_name and (at == 0 or not INTEGRALS.isdisjoint(tokens))
