"""An expander walked as the reader walks it: groups and environments act, nothing else does."""

from topiceq.article.macros.expander import Expander, MacroLimit
from topiceq.article.macros.packages import PRIMITIVES, latex_expander
from topiceq.article.tex import FILE_END, Runaway, clean, join, lex


def expander(source: str, *, math: bool = True, packages: bool = False) -> Expander:
    """An expander in front of a source."""
    tokens = [*lex(clean(source)), FILE_END]
    x = latex_expander(tokens) if packages else Expander(tokens, primitives=PRIMITIVES)
    x.math = math
    return x


def walk(x: Expander) -> tuple[list[str], int]:
    """The tokens that come out, and how many macros were given up."""
    out: list[str] = []
    given_up = 0
    while x.stack:
        try:
            token = x.next()
            if token == FILE_END:
                break
            if token in ("\\begin", "\\end"):
                name = x.name()
                if (x.begin if token == "\\begin" else x.end)(name):
                    continue
                out += [token, "{", name]
                token = "}"
            elif token == "{":
                x.open_scope("{")
            elif token == "}":
                x.close_scope("{")
            out.append(token)
        except MacroLimit:
            given_up += 1
        except Runaway:
            continue
    return out, given_up


def expand(source: str, *, math: bool = True, packages: bool = False) -> str:
    """What a source expands to, white space evened out."""
    tokens, _ = walk(expander(source, math=math, packages=packages))
    return " ".join(join(tokens).split())
