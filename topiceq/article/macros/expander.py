r"""The TeX expander: macros, their parameters, groups, and limits.

Tokens go in, unexpandable tokens come out of `Expander.next`. What commands do (define, choose,
repeat, ..) is in tables of functions that act on an expander: definitions.py, conditions.py,
expansion.py. A macro that recurses or grows without end raises `MacroLimit` each time it is used
again, so it costs the equations that use it, no more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field

from topiceq.article.commands import ARITY, NAMES
from topiceq.article.macros.tokens import PARAMETERS, PATIENCE, Param, Tokens, arguments
from topiceq.article.tex import FILE_END, PRIMITIVE, Runaway, is_letters

EXPANSION_LIMIT = 100_000  # tokens that one macro in the source may grow to, all in all
BODY_LIMIT = 20_000  # tokens of one definition
DEPTH_LIMIT = 100  # commands that expand what follows them, inside one another
SCOPE_LIMIT = 255  # groups inside one another, as in TeX
# what may ask for upright letters, spaces beside them, and tall brackets
UPRIGHT = frozenset(
    ["", *r"\mathrm \operatorname \mathop \nolimits \rm \ensuremath \xspace".split()]
    + r"\left \right { } \! \,".split()
)
EARNED = 10  # patience that reading one token of the source gives back


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition: what must follow the name, the parameters, and the replacement."""

    params: tuple[Param, ...]
    body: tuple[str | int, ...]  # an int n stands for #n
    prefix: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...] | int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(_backwards(self.body)))

    def prints_like(self, other: "Macro") -> bool:
        r"""Whether two differ at most in how they ask for upright letters: \mathrm, \operatorname.

        >>> dot = Macro((), ("\\mathrm", "{", "d", "}"))
        >>> dot.prints_like(Macro((), ("\\operatorname", "{", "d", "}")))
        True
        """
        return self.params == other.params and self._letters() == other._letters()

    def _letters(self) -> list[str | int]:
        shown = (p for p in self.body if isinstance(p, int) or p[0] != "%")
        parts = (p.removeprefix(PRIMITIVE).strip() if isinstance(p, str) else p for p in shown)
        return [part for part in parts if part not in UPRIGHT]

    @classmethod
    def of(
        cls, params: tuple[Param, ...], tokens: Sequence[str], prefix: tuple[str, ...] = ()
    ) -> "Macro":
        """A macro from the tokens of its body; a `#3` without a third parameter is nothing."""
        return cls.checked(params, parse_body(tokens), prefix)

    @classmethod
    def checked(
        cls, params: tuple[Param, ...], body: Iterable[str | int], prefix: tuple[str, ...] = ()
    ) -> "Macro":
        """A macro whose body asks for no parameter that it does not have."""
        count = sum(len(param.ends) if param.kind == "e" else 1 for param in params)
        return cls(params, tuple(i for i in body if isinstance(i, str) or i <= count), prefix)

    def replaced(self, args: Sequence[Sequence[str]]) -> list[str]:
        """The body with its arguments in place, the last token first."""
        out: list[str] = []
        for part in self.parts:
            out.extend(reversed(args[part - 1]) if isinstance(part, int) else part)
        return out

    def takes_argument(self) -> bool:
        """Whether it has parameters, or ends in a command that has some, or is the author's."""
        last = str(self.body[-1]).lstrip(PRIMITIVE) if self.body else ""
        return bool(self.params) or last in ARITY or last[:1] == "\\" and last not in NAMES

    def length(self, args: Sequence[Sequence[str]]) -> int:
        """How many tokens `replaced` would give."""
        return sum(len(args[p - 1]) if isinstance(p, int) else len(p) for p in self.parts)


def _backwards(body: Sequence[str | int]) -> Iterator[tuple[str, ...] | int]:
    """A body as it is put on the stack: its tokens in runs between its parameters."""
    run: list[str] = []
    for item in reversed(body):
        if isinstance(item, str):
            run.append(item)
        else:
            yield tuple(run)
            yield item
            run = []
    yield tuple(run)


def parse_body(tokens: Sequence[str]) -> tuple[str | int, ...]:
    """A replacement text with `#1` as the number 1 and `##` as `#`."""
    body: list[str | int] = []
    it = iter(tokens)
    for token in it:
        following = next(it, "") if token == "#" else ""
        if following == "#" or token != "#":
            body.append(token)
        elif following[:1] in tuple("123456789"):
            body.append(int(following[0]))
            body += [following[1:]] if following[1:] else []
        else:
            body += [token, following] if following else []
    return tuple(body)


@dataclass(frozen=True, slots=True)
class Environment:
    """An author's own environment."""

    begin: Macro
    end: Macro


Primitive = Callable[["Expander"], None]


class MacroLimit(Exception):
    """A macro that recurses or grows without end."""


@dataclass(slots=True)
class Scope:
    """A group: what to put back when it closes."""

    kind: str
    saved: dict[str, Macro | None] | None = None
    end: list[str] | None = None  # what \end of an author's environment expands to


class Expander(Tokens):
    """A stack of tokens on which macros are expanded as they come up."""

    math = False  # whether \ifmmode holds
    lend: Callable[[str], Macro | None] | None = None  # where else a definition may be found

    def __init__(
        self,
        tokens: Sequence[str] = (),
        macros: Mapping[str, Macro] = {},
        environments: Mapping[str, Environment] = {},
        primitives: Mapping[str, Primitive] = {},
    ) -> None:
        super().__init__(tokens)
        self.defaults = macros
        self.macros = dict(macros)
        self.environments = dict(environments)
        self.primitives = primitives
        self.scopes: list[Scope] = []
        self.level = 0  # so many groups no brace closes: they were open before this file
        self.explosive: set[str] = set()
        self.guesses: AbstractSet[str] = frozenset()  # names whose default meaning is a guess
        self.settled: set[str] = set()  # those of them whose meaning is known by now
        self.floor = len(self.stack)  # below it on the stack lies source that nothing has touched
        self.untouched = len(self.stack)  # so many tokens are source, not what macros left
        self.spent = 0
        self.depth = 0

    def at_source(self) -> bool:
        """Whether the next token stands in the source, and was not left by a macro."""
        return len(self.stack) <= self.untouched

    # -- expansion -----------------------------------------------------------------------------

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

    def following(self) -> str:
        """As `next`, but within the file; what comes behind a command belongs to it."""
        token = self.next()
        if token == FILE_END:
            self.stack.append(token)
            raise Runaway
        return token

    def expand(self, name: str, macro: Macro) -> None:
        """Put what a macro stands for in front."""
        stack = self.stack
        if len(stack) < self.floor:
            self.advance()
        if name in self.guesses and name not in self.settled:
            macro = self.settle(name, macro)
        if name in self.explosive:
            self.give_up(name)
        if not macro.params and not macro.prefix:
            self.spend(len(macro.body), name)
            stack += macro.parts[0]  # type: ignore[arg-type]
            return
        try:
            args = self.arguments(macro)
        except Runaway:
            return  # TeX would stop here; without its arguments the macro is nothing
        self.spend(macro.length(args), name)
        stack += macro.replaced(args)

    def settle(self, name: str, macro: Macro) -> Macro:
        """What others beside the article define, where the default meaning is a guess.

        A default that prints the same stays: whether authors write a word as an operator or
        upright tells nothing about an equation, and one spelling is easier to learn.
        """
        self.settled.add(name)
        lent = self.lend(name) if self.lend and self.is_default(name) else None
        if lent is not None and not lent.prints_like(macro):
            self.macros[name] = macro = lent
        return macro

    def arguments(self, macro: Macro) -> list[list[str]]:
        """Read what a macro's parameters ask for."""
        if macro.prefix or macro.params[:1] and macro.params[0].kind in "uU":
            self.skip_space()  # TeX drops it behind a control word
            if not self.take_all(macro.prefix):
                raise Runaway
        size, following = len(self.stack), self.stack[-1] if self.stack else ""
        found = arguments(self, macro.params)
        if following[:1].isspace() and not self.math and {p.kind for p in macro.params} == {"o"}:
            if following.isspace() and len(self.stack) == size - 1:
                self.stack.append(" ")  # looking for a bracket drops space, which is printed
            elif self.stack[-1:] == [following.lstrip()]:
                self.stack[-1] = following
        return found

    def advance(self) -> None:
        """Note how far the source has been read; each macro in it starts afresh."""
        size = len(self.stack)
        self.patience = min(self.patience + EARNED * (self.floor - size), PATIENCE)
        self.floor, self.spent = size, 0

    def spend(self, count: int, name: str = "") -> None:
        """Account for tokens that are about to be put in front; MacroLimit if they are too many."""
        self.spent += count + 1
        self.patience -= count + 1
        if self.spent > EXPANSION_LIMIT:
            self.explosive.add(name)
            self.give_up(name)
        if self.patience < 0:
            self.give_up(name)
        if self.floor:  # not aside from the source
            self.untouched = min(self.untouched, len(self.stack))

    def give_up(self, name: str) -> None:
        """Drop everything that a macro has left in front of the source."""
        del self.stack[self.floor :]
        self.spent = 0
        raise MacroLimit(name)

    def write(self, tokens: Sequence[str], name: str = "") -> None:
        """Put tokens in front that a command, or an environment by its name, has made."""
        if len(self.stack) < self.floor:
            self.advance()
        if name in self.explosive:
            self.give_up(name)
        self.spend(len(tokens), name)
        self.stack.extend(reversed(tokens))

    @contextmanager
    def aside(self, tokens: Sequence[str]) -> Iterator[None]:
        """Work on some tokens alone, as if nothing came behind them."""
        outer, floor = self.stack, self.floor
        self.stack, self.floor = list(reversed(tokens)), 0
        try:
            yield
        finally:
            self.stack, self.floor = outer, floor

    def expanded(self, tokens: Sequence[str]) -> list[str]:
        """All of some tokens, expanded on their own."""
        out: list[str] = []
        with self.aside(tokens):
            try:
                while self.stack:
                    out.append(self.next())
            except Runaway:
                pass
        return out

    # -- meanings ------------------------------------------------------------------------------

    def define(self, name: str, macro: Macro | None, *, everywhere: bool = False) -> None:
        """Give a name its meaning, until the group closes or for good."""
        if macro is not None:
            if len(macro.body) > BODY_LIMIT:
                return
            self.patience -= len(macro.body)
        if everywhere:
            for scope in self.scopes:
                if scope.saved:
                    scope.saved.pop(name, None)
        elif self.scopes:
            scope = self.scopes[-1]
            if scope.saved is None:
                scope.saved = {}
            scope.saved.setdefault(name, self.macros.get(name))
        self._set(name, macro)

    def _set(self, name: str, macro: Macro | None) -> None:
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

    def borrow(self, tokens: Sequence[str]) -> bool:
        """Define what nobody has defined and others have; whether there was anything."""
        if self.lend is None:
            return False
        before = len(self.macros)
        for at, name in enumerate(tokens):
            if name[0] != "\\" or name in NAMES or name in self.macros or name in self.primitives:
                continue
            has_argument = tokens[at + 1 : at + 2] == ["{"] and tokens[at + 2 : at + 3] != ["}"]
            macro = self.lend(name) if is_letters(name) else None
            if macro and (not has_argument or macro.takes_argument()):  # else it means another
                self.macros[name] = macro
                self.borrow([str(item) for item in macro.body if str(item)[:3] == "\\if"])
        return len(self.macros) > before

    def is_default(self, name: str) -> bool:
        """Whether a name has the meaning that a common package gives it, not the author's."""
        return name in self.defaults and self.macros.get(name) is self.defaults[name]

    # -- groups and environments ---------------------------------------------------------------

    def open_scope(self, kind: str) -> Scope:
        """Begin a group: a brace, or an environment by its name."""
        scope = Scope(kind)
        self.scopes.append(scope)
        if len(self.scopes) > SCOPE_LIMIT:
            del self.scopes[0]
        return scope

    def keep_scopes(self, count: int) -> None:
        """Go on with so many groups: what the others define stays until the one around closes."""
        for scope in self.scopes[count:]:
            if count and scope.saved:
                outer = self.scopes[count - 1]
                outer.saved = scope.saved | (outer.saved or {})
        del self.scopes[count:]

    def close_scope(self, kind: str) -> Scope | None:
        """End the innermost group of this kind and all that stayed open in it."""
        scopes, level = self.scopes, self.level if kind == "{" else 0
        if len(scopes) <= level:
            return None
        if scopes[-1].kind != kind and all(s.kind != kind for s in scopes[level:]):
            return None
        while True:
            scope = scopes.pop()
            for name, old in (scope.saved or {}).items():
                self._set(name, old)
            if scope.kind == kind:
                return scope

    def begin(self, name: str) -> bool:
        """Open an environment; whether it was one of the author's own, now expanded."""
        scope = self.open_scope(name)
        environment = self.environments.get(name) or self.environment_of_commands(name)
        if environment is None:
            return False
        try:
            args = self.arguments(environment.begin)
        except Runaway:
            args = [[]] * PARAMETERS
        if environment.begin.length(args) + environment.end.length(args) > EXPANSION_LIMIT:
            self.give_up(name)
        scope.end = environment.end.replaced(args)[::-1]
        self.write(environment.begin.replaced(args)[::-1], "\\begin " + name)
        return True

    def environment_of_commands(self, name: str) -> Environment | None:
        r"""An environment that the author made by defining \name and \endname."""
        begin, end = self.macros.get("\\" + name), self.macros.get("\\end" + name)
        if begin is None or end is None or self.is_default("\\end" + name):
            return None
        return Environment(Macro((), ("\\" + name,)), Macro((), ("\\end" + name,)))

    def end(self, name: str) -> bool:
        """Close an environment; whether it was one of the author's own, now expanded."""
        scope = self.close_scope(name)
        if scope is None or scope.end is None:
            return False
        self.write(scope.end, "\\end " + name)
        return True


def primitive(act: Primitive) -> Primitive:
    """A command of TeX or LaTeX; if what follows it breaks off, it is passed over."""

    def tolerant(x: Expander) -> None:
        if x.depth >= DEPTH_LIMIT:
            x.give_up("depth")
        x.depth += 1
        try:
            act(x)
        except (Runaway, ValueError):
            pass
        finally:
            x.depth -= 1

    return tolerant
