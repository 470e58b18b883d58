r"""The TeX expander: macros, their parameters, groups, and limits.

Tokens go in, unexpandable tokens come out of `Expander.next`. What defines macros is in
definitions.py, what chooses between branches in conditionals.py: both are tables of functions that
act on an expander. A macro that recurses or grows without end raises `MacroLimit` each time it is
used again, so it costs the equations that use it and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from topiceq.corpus.tex import PRIMITIVE, Runaway, Tokens

EXPANSION_LIMIT = 100_000  # tokens that one macro in the source may grow to, all in all
NO_VALUE = "\\-NoValue-"
TRUE, FALSE = "\\BooleanTrue", "\\BooleanFalse"

Primitive = Callable[["Expander"], None]


class MacroLimit(Exception):
    """A macro that recurses or grows without end."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter: its kind as in xparse (m o s t d g, and u for \\def's delimited ones)."""

    kind: str = "m"
    default: tuple[str, ...] = (NO_VALUE,)
    ends: tuple[str, ...] = ()  # opener and closer, the character of t, or the delimiter of u


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition: what must follow the name, the parameters, and the replacement."""

    params: tuple[Param, ...]
    body: tuple[str | int, ...]  # an int n stands for #n
    prefix: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, params: tuple[Param, ...], tokens: Sequence[str], prefix: tuple[str, ...] = ()
    ) -> "Macro":
        """A macro from the tokens of its body; a `#3` without a third parameter is nothing."""
        body = parse_body(tokens)
        return cls(params, tuple(i for i in body if isinstance(i, str) or i <= len(params)), prefix)

    def replaced(self, args: Sequence[Sequence[str]]) -> list[str]:
        """The body with its arguments in place."""
        out: list[str] = []
        for item in self.body:
            if isinstance(item, str):
                out.append(item)
            else:
                out.extend(args[item - 1])
        return out


@dataclass(frozen=True, slots=True)
class Environment:
    """An author's own environment."""

    begin: Macro
    end: Macro


@dataclass(slots=True)
class Scope:
    """A group: what to put back when it closes."""

    kind: str
    saved: list[tuple[str, Macro | None]] = field(default_factory=list)
    end: list[str] | None = None  # what \end of an author's environment expands to


def parse_body(tokens: Sequence[str]) -> tuple[str | int, ...]:
    """A replacement text with `#1` as the number 1 and `##` as `#`."""
    body: list[str | int] = []
    it = iter(tokens)
    for token in it:
        if token != "#":
            body.append(token)
            continue
        following = next(it, "")
        if following == "#":
            body.append("#")
        elif following[:1].isdigit():
            body.append(int(following[0]))
            if following[1:]:
                body.append(following[1:])
        elif following:
            body.extend(("#", following))
    return tuple(body)


class Expander(Tokens):
    """A stack of tokens on which macros are expanded as they come up."""

    primitives: Mapping[str, Primitive] = {}
    math = False  # whether \ifmmode holds

    def __init__(self, tokens: Sequence[str] = (), macros: Mapping[str, Macro] = {}) -> None:
        super().__init__(tokens)
        self.defaults = macros
        self.macros = dict(macros)
        self.environments: dict[str, Environment] = {}
        self.scopes: list[Scope] = []
        self.explosive: set[str] = set()
        self.floor = len(self.stack)
        self.spent = 0

    def next(self) -> str:
        """The next token that cannot be expanded; Runaway at the end of all tokens."""
        stack, macros, primitives = self.stack, self.macros, self.primitives
        while stack:
            token = stack.pop()
            macro = macros.get(token)
            if macro is not None:
                self.expand(token, macro)
                continue
            act = primitives.get(token)
            if act is None:
                return token
            act(self)
        raise Runaway

    def expand(self, name: str, macro: Macro) -> None:
        """Put what a macro stands for in front."""
        if name in self.explosive:
            raise MacroLimit(name)
        if len(self.stack) < self.floor:
            self.floor, self.spent = len(self.stack), 0
        try:
            replaced = macro.replaced(self.arguments(macro)) if macro.params else macro.body
        except Runaway:
            return  # TeX would stop here; without its arguments the macro is nothing
        self.spent += len(replaced) + 1
        if self.spent > EXPANSION_LIMIT:
            self.explode(name)
        self.stack.extend(reversed(replaced))  # type: ignore[arg-type]

    def explode(self, name: str) -> None:
        """Give up on a macro and on everything it has left in front of the source."""
        self.explosive.add(name)
        del self.stack[self.floor :]
        self.spent = 0
        raise MacroLimit(name)

    def arguments(self, macro: Macro) -> list[list[str]]:
        """Read what a macro's parameters ask for."""
        for token in macro.prefix:
            if not self._at([token]) and not self.take(token[0]):
                raise Runaway
        return [self.parameter(param) for param in macro.params]

    def parameter(self, param: Param) -> list[str]:
        """Read one argument."""
        kind = param.kind
        if kind == "m":
            return self.argument()
        if kind == "u":
            return self.delimited(param.ends) if param.ends != ("{",) else self._up_to_brace()
        if kind in "st":
            return [TRUE if self.take(param.ends[0]) else FALSE]
        return self._optional_parameter(param)

    def _optional_parameter(self, param: Param) -> list[str]:
        opener, closer = param.ends
        if opener == "[":
            found = self.optional()
            return list(param.default) if found is None else found
        if not self.peek().startswith(opener):
            return list(param.default)
        self.take(opener)
        if opener == "{":
            return self.balanced()
        return self._bracketed(opener, closer)

    def _bracketed(self, opener: str, closer: str) -> list[str]:
        """Up to the closer that matches, where both are ordinary characters."""
        out: list[str] = []
        depth = 1
        while True:
            token = self.character()
            if token == "{":
                out += ["{", *self.balanced(), "}"]
                continue
            depth += -1 if token == closer else token == opener
            if depth == 0:
                return out
            out.append(token)

    def _up_to_brace(self) -> list[str]:
        out = []
        while self.peek() != "{":
            out.append(self.character())
        return out

    def define(self, name: str, macro: Macro | None, *, everywhere: bool = False) -> None:
        """Give a name its meaning, until the group closes or for good."""
        if self.scopes and not everywhere:
            self.scopes[-1].saved.append((name, self.macros.get(name)))
        self.explosive.discard(name)
        if macro is None:
            self.macros.pop(name, None)
        else:
            self.macros[name] = macro

    def meaning(self, name: str) -> Macro:
        r"""What `\let` copies: the macro, or the original meaning of the name."""
        known = self.macros.get(name)
        if known is not None:
            return known
        keep = name[0] != "\\" or name in self.primitives
        return Macro((), (name if keep else PRIMITIVE + name,))

    def is_default(self, name: str) -> bool:
        """Whether a name has the meaning that a common package gives it, not the author's."""
        return name in self.defaults and self.macros.get(name) is self.defaults[name]

    def open_scope(self, kind: str) -> Scope:
        """Begin a group: a brace, or an environment by its name."""
        self.scopes.append(Scope(kind))
        return self.scopes[-1]

    def close_scope(self, kind: str) -> Scope | None:
        """End the innermost group of this kind and all that stayed open in it."""
        if not any(scope.kind == kind for scope in reversed(self.scopes)):
            return None
        while True:
            scope = self.scopes.pop()
            for name, old in reversed(scope.saved):
                if old is None:
                    self.macros.pop(name, None)
                else:
                    self.macros[name] = old
            if scope.kind == kind:
                return scope

    def begin(self, name: str) -> bool:
        """Open an environment; whether it was one of the author's own, now expanded."""
        scope = self.open_scope(name)
        environment = self.environments.get(name)
        if environment is None:
            return False
        try:
            args = self.arguments(environment.begin)
        except Runaway:
            args = [[]] * len(environment.begin.params)
        scope.end = environment.end.replaced(args)
        self.expand("\\begin " + name, Macro((), tuple(environment.begin.replaced(args))))
        return True

    def end(self, name: str) -> bool:
        """Close an environment; whether it was one of the author's own, now expanded."""
        scope = self.close_scope(name)
        if scope is None or scope.end is None:
            return False
        self.expand("\\end " + name, Macro((), tuple(scope.end)))
        return True

    def expanded(self, tokens: Sequence[str]) -> list[str]:
        """All of some tokens, expanded on their own."""
        outer, floor = self.stack, self.floor
        self.stack, self.floor = list(reversed(tokens)), 0
        out = []
        try:
            while self.stack:
                out.append(self.next())
        except Runaway:
            pass
        finally:
            self.stack, self.floor = outer, floor
        return out
