r"""Inline formulas as the subjects of sentences: which symbols they introduce.

`m`, `f(x)`, `E = m c^2` and `n > 0` introduce one symbol each, `x, y` and `x_1, \ldots, x_n`
several; `a + b` introduces none.
"""

from dataclasses import dataclass
from functools import lru_cache

from topiceq.corpus.commands import ARROW
from topiceq.corpus.normal import NotNormal, parse, to_latex
from topiceq.tasks.explain.symbols import Symbol, Tokens, head

RELATIONS = frozenset(r": = \in \subset \subseteq > < \geq \leq \sim \equiv \neq".split())


@dataclass(frozen=True)
class Formula:
    """An inline formula, and the symbols that it introduces."""

    latex: str
    symbols: tuple[Symbol, ...]
    rest: Tokens = ()  # behind the only symbol
    is_applied: bool = False  # f(x)

    @property
    def is_equation(self) -> bool:
        """E = m c^2, x := y."""
        return self.rest[:1] in (("=",), (r"\equiv",)) or self.rest[:2] == (":", "=")

    @property
    def is_value(self) -> bool:
        """x = 1 is a value of x."""
        return self.rest[:1] == ("=",) and is_number(self.rest[1:])


@lru_cache(maxsize=1 << 14)
def introduced(latex: str) -> Formula:
    r"""The symbols that an inline formula can introduce: x; x and y of `x, y`; f of `f(x)`.

    >>> [s.latex for s in introduced(r"x_1, \hat y").symbols], introduced("x + y").symbols
    (['x _ { 1 }', '\\hat { y }'], ())
    """
    try:
        return introduced_by(latex, tuple(parse(latex)))
    except (NotNormal, RecursionError):
        return Formula(latex, ())


def introduced_by(latex: str, tokens: Tokens) -> Formula:
    """The same for a formula in normal form."""
    symbols: list[Symbol] = []
    while tokens:
        symbol, rest = head(tokens)
        if symbol is None:
            if not symbols or tokens[0] not in (r"\ldots", r"\cdots"):
                return Formula(latex, ())
            tokens = tokens[2:]  # x_1, \ldots, x_n
            continue
        symbols.append(symbol)
        after = _applied(rest)
        if not after or after[0] in RELATIONS and len(symbols) == 1:
            return Formula(latex, tuple(symbols), after, is_applied=after != rest)
        if after[0] != ",":
            return Formula(latex, ())
        tokens = after[1:]
    return Formula(latex, tuple(symbols))


def _applied(rest: Tokens) -> Tokens:
    """What is left behind the arguments of a function: `( x ) = y` -> `= y`."""
    if rest[:1] not in (("(",), (r"\left(",)):
        return rest
    depth = 0
    for at, token in enumerate(rest):
        depth += (token in ("(", r"\left(")) - (token in (")", r"\right)"))
        if depth == 0:
            return rest if is_number(rest[1:at]) else rest[at + 1 :]  # x(1) is a value of x
    return rest


def as_map(rest: Tokens) -> str:
    """`: X -> Y` in words."""
    arrows = [at for at, token in enumerate(rest) if token in ARROW]
    if rest[:1] != (":",) or len(arrows) != 1 or arrows[0] < 2 or "," in rest:
        return ""
    return f"map from ${to_latex(rest[1 : arrows[0]])}$ to ${to_latex(rest[arrows[0] + 1 :])}$"


def is_number(tokens: Tokens) -> bool:
    return all(token.isdigit() or token in ("-", "+", ".", r"\pm", r"\infty") for token in tokens)
