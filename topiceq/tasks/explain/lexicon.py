r"""Which of an article's definitions holds for a symbol at a place of the text.

In go the definitions of `evidence`; asked with a symbol and the number of a sentence, out comes the
one that is nearest before it or just behind it. x_i and x_j are the same symbol with another index;
x_1 is not, but where the text says nothing of x_1 it may say what x is.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from topiceq.tasks.explain.evidence import Definition
from topiceq.tasks.explain.symbols import Occurrence, Symbol, Tokens

BEHIND = 2  # sentences after a display that may still explain it: "where .."
HANDICAPS = {2: 0, 1: 3, 0: 30}  # sentences, by strength: what is said outright counts for longer
REACH = {2: 10_000, 1: 150, 0: 150}  # sentences; an apposition far away is about something else
INDICES = frozenset(r"i j k l m n t \mu \nu \rho \sigma \alpha \beta \lambda \kappa".split())


class Lexicon:
    """The definitions of one article."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.known: dict[Symbol, list[Definition]] = defaultdict(list)
        for definition in definitions:
            self.known[unindexed(definition.symbol)].append(definition)

    def find(self, symbol: Symbol, place: int) -> Definition | None:
        """The definition of exactly this symbol, indices aside, that holds at a sentence."""
        near = [d for d in self.known.get(unindexed(symbol), ()) if _reaches(d, place)]
        return min(near, key=lambda d: (_distance(d, place), -d.place), default=None)

    def glossary(self, found: Iterable[Occurrence], place: int) -> list["Entry"]:
        """The symbols of a display, each once, with their definitions where there are any.

        Letters that stand only in scripts, words, and the e of e^x are there only if defined.
        """
        forms: dict[Tokens, dict[Symbol, bool]] = {}
        for one in found:
            own = forms.setdefault(one.symbol.base, {})
            own[one.symbol] = own.get(one.symbol, True) and (one.in_script or _is_mute(one.symbol))
        return [entry for own in forms.values() for entry in self._entries(own, place)]

    def _entries(self, forms: dict[Symbol, bool], place: int) -> list["Entry"]:
        """The forms that are defined as they are, then what is left under one name."""
        entries: dict[Symbol, Entry] = {}
        left: list[Symbol] = []
        for form in forms:
            defined = next((s for s in _scripted(form) if self.find(s, place)), None)
            if defined is None:
                left.append(form)
            else:
                key = unindexed(defined)
                known = entries[key].forms if key in entries else ()
                entries[key] = Entry((*known, defined), self.find(defined, place))
        rest = self._rest(left, place) if left else None
        if rest and (rest.definition or not all(forms[form] for form in left)):
            return [*entries.values(), rest]
        return list(entries.values())

    def _rest(self, forms: Sequence[Symbol], place: int) -> "Entry":
        plain = Symbol(forms[0].base)
        definition = self.find(plain, place)
        lowers = {form.lower for form in forms}
        if definition is None and len(lowers) == 1:
            return Entry((Symbol(plain.base, *lowers),), None)
        return Entry((plain,), definition)


@dataclass(frozen=True)
class Entry:
    """A symbol of a display in the forms that it takes there, and what the text says of it."""

    forms: tuple[Symbol, ...]
    definition: Definition | None


def _scripted(form: Symbol) -> list[Symbol]:
    """A symbol with its scripts, with the lower one, with the upper one."""
    asked = (form, Symbol(form.base, form.lower), Symbol(form.base, (), form.upper))
    return [symbol for symbol in asked if symbol.lower or symbol.upper]


def unindexed(symbol: Symbol) -> Symbol:
    r"""The symbol with nameless indices: x_i and x_{j+1} are one, x_1 and x_B are others.

    >>> unindexed(Symbol(("x",), ("i",))) == unindexed(Symbol(("x",), ("j", "+", "1")))
    True
    """
    lower = symbol.lower[:-2] if symbol.lower[-2:-1] in (("+",), ("-",)) else symbol.lower
    if lower and INDICES.issuperset(lower):
        return Symbol(symbol.base, ("·",) * len(lower), symbol.upper)
    return symbol


def _is_mute(symbol: Symbol) -> bool:
    """Whether a symbol is no question to the model."""
    return symbol.is_word or symbol.base == ("e",) and bool(symbol.upper)


def _reaches(definition: Definition, place: int) -> bool:
    return -BEHIND <= place - definition.place <= REACH[definition.strength]


def _distance(definition: Definition, place: int) -> int:
    return abs(place - definition.place) + HANDICAPS[definition.strength]
