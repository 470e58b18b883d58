r"""An inline formula in, the symbols that it introduces out: x of `x > 0`, f of `f(x) = y`.

A text says what a symbol is beside a formula that begins with it; `a + b` introduces nothing.
"""

from dataclasses import dataclass, replace

from topiceq.article.commands import ARROW
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import parse, to_latex
from topiceq.article.equation.symbol import Symbol, Tokens, head, scripts
from topiceq.remembering import remembering

RELATIONS = frozenset(r": = \in \subset \subseteq > < \geq \leq \sim \equiv \neq".split())

MEMBERS = frozenset(r"\in \subset \subseteq > < \geq \leq".split())  # of x, y \in V
PLAIN = {r"\colon": ":", r"\dots": r"\ldots"}
MOST = 50  # symbols that one formula introduces
BRACKETS = {"(": ")", r"\left(": r"\right)", r"\{": r"\}", r"\left\{": r"\right\}"}


@dataclass(frozen=True)
class Formula:
    r"""An inline formula, and the symbols that it introduces.

    `m`, `f(x)`, `E = m c^2` and `n > 0` introduce one symbol each, `x, y` and `x_1, \ldots, x_n`
    several; `a + b` introduces none.
    """

    latex: str
    symbols: tuple[Symbol, ...]
    rest: Tokens = ()  # behind the only symbol
    is_applied: bool = False  # f(x)
    is_family: bool = False  # (x_n)

    @property
    def is_equation(self) -> bool:
        """E = m c^2, x := y."""
        return self.rest[:1] in (("=",), (r"\equiv",)) or self.rest[:2] == (":", "=")

    @property
    def is_value(self) -> bool:
        """x = 1 is a value of x, and so is x > 4; x > 0 is any x."""
        if self.rest[:1] in ((">",), ("<",)):
            return is_number(self.rest[1:]) and self.rest[1:] not in (("0",), ("1",))
        return self.rest[:1] == ("=",) and is_number(self.rest[1:])


@remembering(1 << 14)
def introduced(latex: str) -> Formula:
    r"""The symbols that an inline formula can introduce: x; x and y of `x, y`; f of `f(x)`.

    >>> [s.latex for s in introduced(r"x_1, \hat y").symbols], introduced("x + y").symbols
    (['x _ { 1 }', '\\hat { y }'], ())
    """
    try:
        return introduced_by(latex, tuple(PLAIN.get(token, token) for token in parse(latex)))
    except (NotNormal, RecursionError):
        return Formula(latex, ())


def introduced_by(latex: str, tokens: Tokens) -> Formula:
    """The same for a formula in normal form."""
    if inner := _family(tokens):
        return replace(introduced_by(latex, inner), is_family=True)
    symbols: list[Symbol] = []
    while tokens:
        symbol, rest = head(tokens)
        if symbol is None:
            if not symbols or tokens[0] not in (r"\ldots", r"\cdots"):
                return Formula(latex, ())
            tokens = tokens[2:]  # x_1, \ldots, x_n
            continue
        symbols.append(symbol)
        if len(symbols) > MOST:
            break
        after = _applied(rest)
        if len(symbols) > 1 and not set(symbol.base).isdisjoint(symbols[0].lower):
            return Formula(latex, (symbols[0],))  # x_n, n > 0
        if not after or after[0] in (RELATIONS if len(symbols) == 1 else MEMBERS):
            return Formula(latex, tuple(symbols), after, is_applied=after != rest)
        if after[0] != ",":
            return Formula(latex, ())
        tokens = after[1:]
    return Formula(latex, tuple(symbols) if len(symbols) <= MOST else ())


def _family(tokens: Tokens) -> Tokens:
    r"""What is between the brackets of `( x _ n )` and `\{ x _ i \} _ { i = 1 } ^ n`."""
    end = _closing(tokens)
    inner, after = tokens[1 : end - 1], scripts(list(tokens), end)[2]
    is_one = end > 0 and after == len(tokens) and not (inner and inner[0] in BRACKETS)
    return inner if is_one and not is_number(inner) else ()


def _applied(rest: Tokens) -> Tokens:
    """What is left behind the arguments of a function: `( x ) = y` -> `= y`."""
    end = _closing(rest)
    return rest if is_number(rest[1 : end - 1]) else rest[end:]  # x(1) is a value of x


def _closing(tokens: Tokens) -> int:
    """Behind the bracket that closes the first one; 0 if there is none."""
    opens = tokens[0] if tokens else ""
    closes = BRACKETS.get(opens)
    depth = 0
    for at, token in enumerate(tokens if closes else ()):
        depth += (token == opens) - (token == closes)
        if depth == 0:
            return at + 1
    return 0


def as_map(rest: Tokens) -> str:
    """`: X -> Y` in words."""
    arrows = [at for at, token in enumerate(rest) if token in ARROW]
    if rest[:1] != (":",) or len(arrows) != 1 or arrows[0] < 2 or "," in rest:
        return ""
    return f"map from ${to_latex(rest[1 : arrows[0]])}$ to ${to_latex(rest[arrows[0] + 1 :])}$"


def is_number(tokens: Tokens) -> bool:
    return all(token.isdigit() or token in ("-", "+", ".", r"\pm", r"\infty") for token in tokens)
