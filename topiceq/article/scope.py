r"""Which definition of an article holds at a place of it, and what a display's glossary is made of.

In go the definitions of an article; `Definitions`, asked with a symbol and the number of a
sentence, gives the one that holds there: the nearest, those that are said outright before others.
x_i and x_j are the same symbol with another index; x_1 is not, but where the text says nothing of
x_1 it may, nearby, say what x is, or what x_i is, or x_2 and x_3 alike. Constants that the text
does not define have names of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from topiceq.article.constants import company, constant
from topiceq.article.definitions import APPOSED, COUNT, SAID, Definition
from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens
from topiceq.article.wording import MUTE

SENTENCES_BEHIND = 2  # sentences after a display that may still explain it: "where .."
LATER = 80  # sentences after it in which a definition may stand if there is none before
INHERITED = 30  # sentences over which x_i may be what is said of x
VAGUE = 40  # sentences by which "the constant" is farther away than what says more
OTHER_INDEX = 5  # sentences by which what is said of x_t is farther from x_{t+1}
INDICES = frozenset(r"i j k l m n t \mu \nu \rho \sigma \alpha \beta \lambda \kappa".split())


class Definitions:
    """The definitions of one article."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.known: dict[Symbol, list[Definition]] = defaultdict(list)
        self.alike: dict[Tokens, list[Definition]] = defaultdict(list)  # x_1 and x_i, by their x
        for definition in definitions:
            symbol = definition.symbol
            self.known[unindexed(symbol)].append(definition)
            if symbol.lower and not symbol.upper and _counts(symbol.lower):
                self.alike[symbol.base].append(definition)

    def find(self, symbol: Symbol, place: int, *, later: bool = True) -> Definition | None:
        """The definition of exactly this symbol, indices aside, that holds at a sentence.

        Where there is none before it, the nearest one behind it, unless that is not wanted.
        """
        known = self.known.get(unindexed(symbol), ())
        holding = [d for d in known if -SENTENCES_BEHIND <= place - d.place <= _reach(d.strength)]
        if not holding and later:
            holding = [d for d in known if 0 < d.place - place <= LATER]
        return min(holding, key=lambda d: (_distance(d, place) + OTHER_INDEX * (d.symbol != symbol),
                                           -d.place), default=None)  # fmt: skip

    def kin(self, form: Symbol, place: int) -> Definition | None:
        """What is said nearby of x_i, or of several of x_1, x_2, .., where x_3 is asked for."""
        if form.upper or not _counts(form.lower):
            return None
        near = [d for d in self.alike[form.base] if _distance(d, place) <= INHERITED]
        said = Counter(d.phrase for d in near)
        shared = [d for d in near if said[d.phrase] > 1 or INDICES.issuperset(d.symbol.lower)]
        return min(shared, key=lambda d: (_distance(d, place), -d.place), default=None)

    def glossary(self, found: Iterable[Occurrence], place: int) -> list["Entry"]:
        """The symbols of a display, each once, with their definitions where there are any.

        Labels (the B of k_B), words, and the e of e^x are there only if defined; labels of what is
        defined with them (the L of the distance D_L) are not.
        """
        forms: dict[Tokens, dict[Symbol, Role]] = {}
        found = list(found)
        beside = company(found)
        named = {one.symbol.lower for one in found if self.find(one.symbol, place)}
        for one in found:
            is_letter = len(one.symbol.base) == 1  # not the \\vec v of a projection
            if _role(one) == Role.LABEL and is_letter and one.symbol.base in named:
                continue
            own = forms.setdefault(one.symbol.base, {})
            own[one.symbol] = max(own.get(one.symbol, Role.LABEL), _role(one))
        return [entry for own in forms.values() for entry in self._entries(own, place, beside)]

    def entry(self, symbol: Symbol, place: int, beside: frozenset[str]) -> "Entry":
        """One symbol by itself, asked for at a sentence, in the company of others."""
        return self._entries({symbol: Role.QUANTITY}, place, beside)[0]

    def _entries(
        self, forms: dict[Symbol, "Role"], place: int, beside: frozenset[str]
    ) -> list["Entry"]:
        """The forms that are defined as they are, constants, then what is left under one name."""
        entries: dict[tuple[Symbol, Definition | None], Entry] = {}
        left: list[Symbol] = []
        for form in forms:
            name = constant(form, beside) if forms[form] == Role.QUANTITY else ""
            defined = self._defined(form, place, later=not name)
            if defined is None and name and not self.find(Symbol(form.base), place, later=False):
                plain = Symbol(form.base, form.lower)
                entries[plain, None] = Entry((plain,), None, name)
            elif defined is None:
                left.append(form)
            else:
                definition = self.find(defined, place)
                key = unindexed(defined), definition
                known = entries[key].forms if key in entries else ()
                entries[key] = Entry((*known, defined), definition)
        role = max((forms[form] for form in left), default=Role.LABEL)
        rest = self._rest(left, place) if left else []
        kept = [replace(entry, is_index=role == Role.INDEX and not entry.definition)
                for entry in rest if entry.definition or role > Role.LABEL]  # fmt: skip
        return [*entries.values(), *kept]

    def _defined(self, form: Symbol, place: int, *, later: bool) -> Symbol | None:
        """The symbol with its scripts, or with one of them, if the text says what that is."""
        return next((s for s in _scripted(form) if self.find(s, place, later=later)), None)

    def _rest(self, forms: Sequence[Symbol], place: int) -> list["Entry"]:
        """Forms that nothing is said of: they may be what is said of the plain symbol."""
        plain = Symbol(forms[0].base)
        definition = self.find(plain, place)
        lowers = list(dict.fromkeys(form.lower for form in forms))
        if definition is None:
            known = [(form, self.kin(form, place)) for form in forms]
            said = [Entry((form,), kin) for form, kin in known if kin]
            if said and len(said) == len(forms):
                return said
            return [Entry((Symbol(plain.base, lowers[0]) if len(lowers) == 1 else plain,), None)]
        heirs = [lower for lower in lowers if _inherits(lower, definition, place)]
        others = [Entry((Symbol(plain.base, low),), None) for low in lowers if low not in heirs]
        return [Entry((plain,), definition), *others] if heirs else others


@dataclass(frozen=True)
class Entry:
    """A symbol of a display in the forms that it takes there, and what the text says of it."""

    forms: tuple[Symbol, ...]
    definition: Definition | None
    constant: str = ""  # what it is where no text says so
    is_index: bool = False  # and nothing is said of it


class Role(IntEnum):
    """What a symbol is there for, as far as its place tells."""

    LABEL = 0  # to tell one k from another: k_B
    INDEX = 1  # to count: x_i
    QUANTITY = 2  # to be something


def _role(one: Occurrence) -> Role:
    if _is_mute(one.symbol):
        return Role.LABEL
    if one.place in ("line", "script"):
        return Role.QUANTITY
    counts = one.symbol.base[-1] in INDICES and len(one.symbol.base) == 1
    return Role.INDEX if counts or one.place == "running" else Role.LABEL


def _scripted(form: Symbol) -> list[Symbol]:
    """A symbol with its scripts, with the lower one, with the upper one."""
    asked = (form, Symbol(form.base, form.lower), Symbol(form.base, (), form.upper))
    return [symbol for symbol in asked if symbol.lower or symbol.upper]


def unindexed(symbol: Symbol) -> Symbol:
    r"""The symbol with nameless indices: x_i and x_{j+1} are one, x_1 and x_B are others.

    >>> unindexed(Symbol(("x",), ("i",))) == unindexed(Symbol(("x",), ("j", "+", "1")))
    True
    """
    return Symbol(symbol.base, _nameless(symbol.lower), _nameless(symbol.upper))


def _nameless(script: Tokens) -> Tokens:
    bare = script[:-2] if script[-2:-1] in (("+",), ("-",)) else script
    return ("·",) * len(bare) if bare and INDICES.issuperset(bare) else script


def _inherits(lower: Tokens, definition: Definition, place: int) -> bool:
    """Whether x with this index is the x that was defined: x_i and x_0 nearby, x_max never."""
    if not lower:
        return True
    is_index = all(token in INDICES or token.isdigit() or token in "+-," for token in lower)
    return is_index and _distance(definition, place) <= INHERITED


def _counts(lower: Tokens) -> bool:
    """Whether an index tells one of many of a kind: none, x_1, x_i."""
    return all(token.isdigit() or token in INDICES for token in lower)


def _is_mute(symbol: Symbol) -> bool:
    """Whether a symbol is no question."""
    return symbol.is_word or symbol.base == ("e",) and bool(symbol.upper)


def _reach(strength: float) -> int:
    """Sentences: a passing apposition far away is about something else."""
    return 10_000 if strength >= COUNT else 150 if strength >= APPOSED else 80


def _is_vague(phrase: str) -> bool:
    """Whether a phrase says next to nothing: the constant, true values."""
    vague = MUTE - {"function"} | {"sequence"}
    return phrase in vague or phrase.endswith((" value", " quantity", " variable"))


def _distance(definition: Definition, place: int) -> float:
    """In sentences; what is said outright counts for longer, what says little for shorter."""
    handicap = 60 * (SAID - definition.strength) + VAGUE * _is_vague(definition.phrase)
    return abs(place - definition.place) + handicap
