r"""What a macro means: its parameters, and a replacement in which their arguments have places."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from topiceq.corpus.macros.parameters import Param


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition: what must follow the name, the parameters, and the replacement."""

    params: tuple[Param, ...]
    body: tuple[str | int, ...]  # an int n stands for #n
    prefix: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...] | int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(_backwards(self.body)))

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
