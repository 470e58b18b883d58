r"""Parameters of macros: how they are declared, and how their arguments are read.

Declared as `[2][default]` of \newcommand, as the parameter text `#1/#2;` of \def, or as the letters
`s o m O{x} t+ d() e{^_} g` of \NewDocumentCommand; read from the tokens behind the macro's name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topiceq.corpus.macros.tokens import Tokens
from topiceq.corpus.tex import FILE_END, Runaway, join, lex, split, units

NO_VALUE = "\\-NoValue-"
TRUE, FALSE = "\\BooleanTrue", "\\BooleanFalse"
PARAMETERS = 9  # as in TeX
TEXT_LIMIT = 60  # tokens between \def\name and its body


@dataclass(frozen=True, slots=True)
class Param:
    r"""One parameter, by its kind.

    m: one argument; u: up to a delimiter, U: also across blank lines; o: optional, in `ends`;
    g: optional, in braces; t: one token that may be there; e: tokens that may each bring an
    argument; b: the body of the environment `ends`.
    """

    kind: str = "m"
    default: tuple[str, ...] = (NO_VALUE,)
    ends: tuple[str, ...] = ()


def arguments(x: Tokens, params: Sequence[Param]) -> list[list[str]]:
    """What the parameters ask for, in order."""
    found: list[list[str]] = []
    for param in params:
        if param.kind == "m":
            found.append(x.argument())
        elif param.kind == "e":
            found += _embellishments(x, param)
        else:
            found.append(_READERS[param.kind](x, param))
    return found


def _optional(x: Tokens, param: Param) -> list[str]:
    opener, closer = param.ends
    if opener == "[":
        found = x.optional()
        return list(param.default) if found is None else found
    return x.between(opener, closer) if x.take(opener) else list(param.default)


def _in_braces(x: Tokens, param: Param) -> list[str]:
    return x.argument() if x.peek() == "{" else list(param.default)


def _up_to(x: Tokens, param: Param) -> list[str]:
    if param.ends != ("{",):
        return x.delimited(param.ends, across=param.kind == "U")
    found = []
    while x.peek() != "{":
        found.append(x.character())
    return found


def _token(x: Tokens, param: Param) -> list[str]:
    return [TRUE if x.take(param.ends[0]) else FALSE]


def _embellishments(x: Tokens, param: Param) -> list[list[str]]:
    found = {mark: list(param.default) for mark in param.ends}
    while mark := next((each for each in param.ends if x.take(each)), ""):
        found[mark] = x.argument()
    return list(found.values())


def _body(x: Tokens, param: Param) -> list[str]:
    r"""Up to the \end of an environment, which stays."""
    end = ("\\end", "{", *param.ends, "}")
    found = x.delimited(end, across=True)
    x.push(end)
    return found


_READERS: dict[str, Callable[[Tokens, Param], list[str]]] = {
    "o": _optional, "g": _in_braces, "u": _up_to, "U": _up_to, "t": _token, "b": _body,
}  # fmt: skip


def number(tokens: Sequence[str] | None) -> int:
    """How many parameters some tokens ask for; ValueError if they are no number."""
    return min(max(int(join(tokens)), 0), PARAMETERS) if tokens else 0


def counted(x: Tokens) -> tuple[Param, ...]:
    r"""`[2][default]` of \newcommand."""
    count = number(x.optional())
    default = x.optional()
    if default is None or count == 0:
        return (Param(),) * count
    return (_bracket(default),) + (Param(),) * (count - 1)


def with_defaults(x: Tokens) -> tuple[Param, ...]:
    r"""`[3][1=x, 3=y]` of \newcommandx: parameters with a default are optional."""
    count = number(x.optional())
    defaults = dict(
        join(part).split("=", 1) for part in split(x.optional() or []) if "=" in join(part)
    )
    known = {int(name): lex(value) for name, value in defaults.items() if name.strip().isdigit()}
    return tuple(_bracket(known[i]) if i in known else Param() for i in range(1, count + 1))


def parameter_text(x: Tokens, kind: str = "u") -> tuple[tuple[str, ...], tuple[Param, ...]]:
    r"""The parameter text of \def: what must come first, then each parameter's delimiter."""
    tokens = x.stack[: -TEXT_LIMIT - 1 : -1]
    if "{" not in tokens or FILE_END in tokens[: tokens.index("{")]:
        raise Runaway
    texts: list[list[str]] = [[]]
    while x.stack[-1] != "{":
        token = x.stack.pop()
        if token != "#":
            texts[-1] += units([token]) if token[0] not in "%\n" else []
        elif x.stack[-1] == "{":
            texts[-1].append("{")
        else:
            x.character()
            texts.append([])
    prefix, *delimiters = texts
    params = tuple(Param(kind, ends=tuple(each)) if each else Param() for each in delimiters)
    return tuple(each for each in prefix if not each.isspace()), params[:PARAMETERS]


def specified(letters: Sequence[str], environment: str = "") -> tuple[Param, ...]:
    r"""The parameters of \NewDocumentCommand: `s o m O{1} t+ d() e{^_} g`, and `b` for a body."""
    x = Tokens(letters)
    params: list[Param] = []
    while x.peek() and len(params) < PARAMETERS:
        letter = x.character()
        if letter in _LETTERS:
            params.append(_LETTERS[letter](x))
        elif letter == "b":
            params.append(Param("b", ends=(environment,)))
        elif letter == ">":  # a processor of the argument
            x.argument()
    return tuple(params)


def _bracket(default: Sequence[str]) -> Param:
    return Param("o", tuple(default), ("[", "]"))


def _in_ends(x: Tokens) -> Param:
    return Param("o", ends=(x.character(), x.character()))


def _in_ends_with_default(x: Tokens) -> Param:
    ends = (x.character(), x.character())
    return Param("o", tuple(x.argument()), ends)


def _embellished(x: Tokens) -> Param:
    return Param("e", ends=tuple(dict.fromkeys(each for each in units(x.argument()) if each > " ")))


def _embellished_with_default(x: Tokens) -> Param:
    param = _embellished(x)
    x.argument()
    return param


_LETTERS: dict[str, Callable[[Tokens], Param]] = {
    "m": lambda x: Param(),
    "v": lambda x: Param(),
    "o": lambda x: Param("o", ends=("[", "]")),
    "O": lambda x: _bracket(x.argument()),
    "s": lambda x: Param("t", ends=("*",)),
    "t": lambda x: Param("t", ends=(x.character(),)),
    "g": lambda x: Param("g"),
    "G": lambda x: Param("g", tuple(x.argument())),
    "d": _in_ends,
    "r": _in_ends,
    "D": _in_ends_with_default,
    "R": _in_ends_with_default,
    "e": _embellished,
    "E": _embellished_with_default,
    "u": lambda x: Param("u", ends=tuple(units(x.argument()))),
    "l": lambda x: Param("u", ends=("{",)),
}
