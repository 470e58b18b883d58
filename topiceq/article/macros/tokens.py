r"""A stack of tokens, and the ways TeX takes arguments from it.

What breaks off raises `Runaway` and leaves the tokens as they were. Reading in vain costs patience:
a source that makes us do it again and again is read in ever shorter pieces.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from topiceq.article.tex import COMMANDS, FILE_END, Runaway, is_blank_line, join, lex, split, units

ARGUMENT_LIMIT = 50_000  # tokens; a longer argument is a brace that was never closed
DELIMITED_LIMIT = 5_000
BRACKET_LIMIT = 2_000
PATIENCE = 1_000_000  # tokens that one source may make us read in vain, or write by its macros
SHORT_OF_PATIENCE = 30  # tokens of an argument that are always read


class Tokens:
    """A stack of tokens with the next one last."""

    def __init__(self, tokens: Sequence[str] = ()) -> None:
        self.stack = list(reversed(tokens))
        self.patience = PATIENCE

    def push(self, tokens: Sequence[str]) -> None:
        """Put tokens in front of the rest."""
        self.stack.extend(reversed(tokens))

    def skip_space(self) -> None:
        """Drop white space, line ends and comments in front, but no blank line."""
        stack = self.stack
        while stack:
            token = stack[-1]
            if token[0] > " " and token[0] != "%":
                return
            rest = "" if token[0] == "%" else token.lstrip()
            if rest == token or (not rest and token.count("\n") > 1):
                return
            stack.pop()
            if rest:
                stack.append(rest)

    def peek(self) -> str:
        """The next token that is not white space, left in place; empty at the end."""
        self.skip_space()
        return self.stack[-1] if self.stack else ""

    def character(self) -> str:
        """Take one token as TeX would: a control sequence or a single character."""
        token = self.peek()
        if not token or token == FILE_END or token[0] == "\n":
            raise Runaway  # a blank line ends the paragraph, and with it the argument
        self.stack.pop()
        if len(token) > 1 and token[0] not in COMMANDS:
            self.stack.append(token[1:])
            return token[0]
        return token

    def take(self, text: str) -> bool:
        """Take one given character or control sequence if it comes next, after white space."""
        token = self.peek()
        if token != text and (token[:1] != text or text in COMMANDS):
            return False
        self.stack.pop()
        if token != text:
            self.stack.append(token[1:])
        return True

    def balanced(self) -> list[str]:
        """Tokens up to the closer of a brace already taken; on failure all stay in place."""
        return self._taken(self._closing("{", "}", ARGUMENT_LIMIT))

    def _closing(self, opener: str, closer: str, limit: int) -> int:
        """Where on the stack the closer is that matches an opener already taken."""
        stack, depth, braces, at = self.stack, 1, 0, len(self.stack)
        for token in islice(reversed(stack), self._limit(limit)):
            at -= 1
            if token == closer:
                depth -= braces == 0
                if depth == 0:
                    return at
            elif token == opener:
                depth += braces == 0
            elif token == "{":
                braces += 1
            elif token == "}":
                braces -= 1
                if braces < 0:
                    break
            elif token == FILE_END or (limit < ARGUMENT_LIMIT and is_blank_line(token)):
                break
        self.patience -= len(stack) - at
        raise Runaway

    def _taken(self, at: int) -> list[str]:
        """Take the tokens in front of a place on the stack, and drop the one there."""
        taken = self.stack[:at:-1]
        del self.stack[at:]
        return taken

    def between(self, opener: str, closer: str) -> list[str]:
        """As `balanced`, for ordinary characters: tokens up to `)` where a `(` has been taken."""
        stack, depth, braces = self.stack, 1, 0
        taken: list[str] = []
        limit = self._limit(BRACKET_LIMIT)
        while stack and len(taken) < limit:
            token = stack.pop()
            braces += (token == "{") - (token == "}")
            if token == FILE_END or braces < 0 or is_blank_line(token):
                stack.append(token)
                break
            if braces == 0 and token[0] not in COMMANDS and (closer in token or opener in token):
                at = min(i for i in (token.find(closer), token.find(opener)) if i >= 0)
                depth += -1 if token[at] == closer else 1
                stack += [token[at + 1 :]] if token[at + 1 :] else []
                taken += [token[:at]] if at else []
                if depth == 0:
                    return taken
                token = token[at]
            taken.append(token)
        self._put_back(taken)
        raise Runaway

    def _limit(self, limit: int) -> int:
        return min(limit, max(self.patience, SHORT_OF_PATIENCE))

    def _put_back(self, taken: list[str]) -> None:
        self.patience -= len(taken)
        self.stack.extend(reversed(taken))

    def argument(self) -> list[str]:
        """One undelimited argument: a group without its braces, or one token."""
        if self.peek() == "{":
            brace = self.stack.pop()
            try:
                return self.balanced()
            except Runaway:
                self.stack.append(brace)
                raise
        token = self.character()
        if token == "}":
            self.stack.append(token)
            raise Runaway
        return [token]

    def optional(self) -> list[str] | None:
        """The argument in brackets, if one comes next."""
        if self.peek() != "[":
            return None
        bracket = self.stack.pop()
        try:
            return self._taken(self._closing("[", "]", BRACKET_LIMIT))
        except Runaway:
            self.stack.append(bracket)
            return None

    def delimited(self, end: Sequence[str], *, across: bool = False) -> list[str]:
        r"""Tokens up to a delimiter, as `\def\a#1;{...}` asks for; across blank lines if \long."""
        stack, depth = self.stack, 0
        taken: list[str] = []
        limit = self._limit(DELIMITED_LIMIT)
        while stack and stack[-1] != FILE_END and len(taken) < limit:
            if depth == 0 and self._may_be(end[:1]) and self.take_all(end):
                return unbraced(taken)
            if not across and is_blank_line(stack[-1]):
                break
            token = stack.pop()
            place = token.find(end[0], 1) if depth == 0 and token[0] not in COMMANDS else -1
            if place > 0:
                stack.append(token[place:])
                token = token[:place]
            depth += (token == "{") - (token == "}")
            taken.append(token)
        self._put_back(taken)
        raise Runaway

    def _may_be(self, first: Sequence[str]) -> bool:
        """Whether the next token can be the beginning of a delimiter."""
        token = self.stack[-1]
        return not first or token[0] == first[0][0] or token[0].isspace()

    def take_all(self, text: Sequence[str]) -> bool:
        """Take several characters and control sequences if exactly they come next."""
        stack = self.stack
        at, offset = len(stack) - 1, 0
        for each in text:
            token = stack[at][offset:] if at >= 0 else FILE_END
            if each.isspace() and token[0].isspace():
                length = len(token) - len(token.lstrip())
            elif token == each or (token[0] == each and each not in COMMANDS):
                length = len(each)
            else:
                return False
            at, offset = (at - 1, 0) if length == len(token) else (at, offset + length)
        rest = stack[at][offset:] if offset else ""
        del stack[at if offset else at + 1 :]
        stack += [rest] if rest else []
        return True

    def name(self) -> str:
        """The argument as plain text: a file, an environment, a class."""
        return join(self.argument()).strip()


def unbraced(tokens: list[str]) -> list[str]:
    """TeX drops the braces of a delimited argument that is one group."""
    if len(tokens) < 2 or tokens[0] != "{" or tokens[-1] != "}":
        return tokens
    depth = 0
    for token in tokens[1:-1]:
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return tokens
    return tokens[1:-1]


# -- parameters: how they are declared, and how their arguments are read --------------------------


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
    "t": lambda x: Param("t", ends=tuple(units(x.argument()))[:1]),
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
