r"""Inline formulas as the subjects of sentences: which symbols they introduce.

`m`, `f(x)`, `E = m c^2` and `n > 0` introduce one symbol each, `x, y` and `x_1, \ldots, x_n`
several; `a + b` introduces none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from topiceq.article.commands import ARROW
from topiceq.article.equation.form import parse, to_latex
from topiceq.article.equation.normal import NotNormal
from topiceq.article.equation.rows import rows
from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens, head
from topiceq.article.nouns import backwards, forwards, is_formula, is_plural, singular

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


# -- ------------------------------------------------------------------------------------------
# What an article says about its own symbols: "where $m$ is the mass" -> m: mass.
# In go sentences with inline math between dollar signs; out come `Definition`s, each with its
# sentence. Found are definitions (X is the, X denotes, let X be, denote by X, .. denoted by X,
# also of several symbols at once), appositions (the density $\rho$) and maps ($f: X \to Y$). The
# rules would rather miss a definition than take a remark for one.


FIRST = 0xE100  # formulas are characters from here on: first those with a symbol, then others
MANY = 500  # formulas of a sentence that are looked at
# they name the whole of $y = x$ or $X > 1$, not the letter in front
LOCI = frozenset(
    """line plane surface curve constraint axis hyperplane boundary circle sphere ellipse type event
    locus path set level region interval substitution hyperbola parabola half-plane row
    column slice ansatz gauge limit regime root bound restriction requirement state ray prior
    distribution inclusion embedding equality congruence extension contour isotherm
    window""".split()
)
# they name what $F(X)$ is, not F
VALUES = frozenset(
    """image preimage value scheme subset set subspace subgroup module group ring space element
    point sheaf lattice ideal algebra vector category object number integer field variety
    complex fiber kernel cokernel quotient matrix entry coefficient""".split()
)
_MATH = re.compile(r"\$([^$]*)\$")
_S = f"[{chr(FIRST)}-{chr(FIRST + MANY - 1)}](?![-\\w’'])"
_LIST = rf"{_S}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+){_S})*"
_LEAD = r"\b(?:where|wherein|here|let|and|with|assume|assume that|suppose|suppose that)[,:]?\s+"
_VERB = (
    r"(?:is|are|be|being|denotes?|represents?|stands? for|designates?|refers? to|is called|"
    r"is known as|is defined as|is defined to be|is used to denote|will denote|shall denote)"
)
IS = re.compile(
    rf"(?P<lead>{_LEAD})?(?<![-\w])(?P<symbols>{_LIST})(?P<comma>\s*,)?\s+(?P<verb>{_VERB})\s+"
    r"(?:(?:also|again|now|simply|just|usually|respectively|both|all|,)\s+)*"
    r"(?P<article>the|an?|some|any|\w+[’']s)?\b",  # Newton's constant
    re.I,
)
BEHIND = re.compile(  # denote by $m$ the mass
    rf"\b(?:denote(?:s|d)?\s+(?:by|with)|write|call|by|define|with)\s+(?P<symbols>{_LIST})\s+"
    r"(?:we\s+(?:denote|mean)\s+|for\s+|as\s+|to\s+be\s+|being\s+)?(?P<article>the|an?)\b",
    re.I,
)
DENOTING = re.compile("denote|designated|represented", re.I)
BEFORE = re.compile(  # the mass is denoted by $m$
    rf"\s*,?\s+(?:(?:is|are|be|will\s+be)\s+)?(?:denoted|designated|represented)\s+(?:by|as|with)?\s*"
    rf"(?P<symbols>{_S})",
    re.I,
)
DENOTE = re.compile(  # denote the mass by $m$
    rf"\bdenote\s+(?P<name>(?:the|an?|its|their)\s+[^.;:,]*?)\s+(?:by|as|with)\s+(?P<symbols>{_S})",
    re.I,
)
_NAME = (
    r"(?P<name>(?:the|an?|its|their|our)\s+"
    r"(?:(?!\b(?:the|is|are)\b)[^.;:,()…]|\bof the\b|\bin the\b)+?)"
)
NAMED = re.compile(  # if the angular velocity is $\Omega$ and the mass is $m$
    r"\b(?P<lead>if|when|where|and|suppose|assume|suppose that|assume that)\s+"
    rf"{_NAME}\s+is\s+(?P<symbols>{_S})(?=\s*(?:[.,;:]|and\b|$))",
    re.I,
)
APPOSED = re.compile(rf"(?<=\s)(?P<symbols>{_S})")
# the words before a display: "The energy of the photon is", "has the Hamiltonian"
IS_DISPLAY = re.compile(
    r"(?:^|[.,;:]\s|\b(?:that|then|and|so|hence|thus|therefore|where|here|now)\s)\s*"
    rf"{_NAME}\s+(?:reads|becomes|equals|can be written(?: as)?|takes the form|is"
    r"(?: (?:then|therefore|thus|simply|now))?"
    r"(?: (?:given by|defined (?:by|as|to be)|equal to|just))?)\s*:?\s*$",
    re.I,
)
LEADS = re.compile(
    rf"\b(?:defines?|defined|introduces?|introduced|has|have|having|considers?|obtains?|gets?|computes?|"
    rf"calculates?|minimi[sz]es?|maximi[sz]es?)\s+{_NAME}\s*:?\s*$",
    re.I,
)
NAMELESS = frozenset(
    """rule law principle expansion decomposition series estimate bound approximation representation
    property system recurrence recursion equality transform transformation form""".split()
)
# what may stand before the subject of a sentence or a clause
OPENS = re.compile(
    r"(?:^|[,;:(–—…]|\b(?:and|or|but|that|then|so|thus|hence|since|because|as|if|when|therefore|where|"
    r"here|also|now|moreover|furthermore))\s*$",
    re.I,
)
OWNED = re.compile(r"\b(?:of|in|on|at|for|to|by|from|with|over|under)\s*$", re.I)
_SPLIT = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


@dataclass(frozen=True)
class Definition:
    """What a symbol is said to be, and where."""

    symbol: Symbol
    phrase: str  # may hold formulas between dollar signs
    sentence: str
    place: int  # the number of the sentence
    strength: int  # 2: said in so many words; 1: an apposition; 0: a map between sets


def led_in(before: str, tokens: Tokens, place: int) -> Definition | None:
    r"""What the words before a display say of the symbol that it begins with.

    >>> led_in("The energy of the photon is", ("E", "=", "h", r"\nu"), 0).phrase
    'energy of the photon'
    """
    masked = _Masked(before, place)
    for match in (*IS_DISPLAY.finditer(masked.text), *LEADS.finditer(masked.text)):
        words = _whole(match["name"])
        if words and not NAMELESS.intersection(word.lower() for word in words[-1:] + words[:1]):
            if symbol := _defined_by(tokens):
                return Definition(symbol, masked.restored(words), before + " …", place, 2)
    return None


def _defined_by(tokens: Tokens) -> Symbol | None:
    """The only symbol before the equals sign of a display's first row."""
    formula = introduced_by("", tuple(next(rows(tokens), ())))
    is_defined = len(formula.symbols) == 1 and formula.is_equation and not formula.is_value
    return formula.symbols[0] if is_defined else None


def definitions(sentences: Sequence[str]) -> list[Definition]:
    """All definitions in the sentences of an article, in reading order."""
    found: list[Definition] = []
    for place, sentence in enumerate(sentences):
        if "$" in sentence:
            found += _Masked(sentence, place).definitions()
    return found


class _Masked:
    """A sentence whose formulas are one character each."""

    def __init__(self, sentence: str, place: int) -> None:
        self.sentence, self.place = sentence, place
        self.formulas: dict[str, Formula] = {}
        self.text = " ".join(_MATH.sub(self._mask, sentence).split())

    def _mask(self, match: re.Match[str]) -> str:
        formula = introduced(match[1])
        number = len(self.formulas)
        if number >= MANY:
            return "…"
        character = chr(FIRST + number + (0 if formula.symbols else MANY))
        self.formulas[character] = formula
        return character

    def definitions(self) -> list[Definition]:
        """The strongest first, so that an apposition does not repeat what was said better."""
        found: dict[Symbol, Definition] = {}
        for strength, some in ((2, self._said()), (1, self._apposed()), (0, self._maps())):
            for symbol, phrase in some:
                one = Definition(symbol, phrase, self.sentence, self.place, strength)
                found.setdefault(symbol, one)
        return list(found.values())

    # -- in so many words ----------------------------------------------------------------------

    def _said(self) -> Iterator[tuple[Symbol, str]]:
        for match in IS.finditer(self.text):
            if self._is_definition(match):
                yield from self._named(self._symbols(match["symbols"]), match)
        for match in BEHIND.finditer(self.text):
            yield from self._named(self._symbols(match["symbols"]), match)
        if DENOTING.search(self.text):  # few sentences hold one, and the patterns take long
            for match in BEFORE.finditer(self.text):
                yield from self._one(match, backwards(self.text + " ", match.start() + 1))
            for match in DENOTE.finditer(self.text):
                yield from self._one(match, forwards(match["name"], 0))
        yield from self._supposed()

    def _supposed(self) -> Iterator[tuple[Symbol, str]]:
        """If the mass is $m$ and the velocity is $v$."""
        end = -1
        for match in NAMED.finditer(self.text):
            goes_on = match["lead"].lower() == "and"
            if goes_on and self.text[max(0, end) : match.start()].strip():
                continue
            end = match.end()
            if not self.formulas[match["symbols"]].rest:
                yield from self._one(match, _whole(match["name"]))

    def _is_definition(self, match: re.Match[str]) -> bool:
        """Whether "X is .." tells what X is, rather than something about it."""
        before = self.text[: match.start()][-20:]
        verb, article = match["verb"].lower(), (match["article"] or "").lower()
        if match["comma"] and before.rstrip().endswith(","):
            return False  # the root of a matrix, $A$, is
        if not verb.startswith(("is", "are", "be")) or verb.startswith("is "):
            return OWNED.search(before) is None
        if not match["lead"] and not OPENS.search(before):
            return False  # the vertices of $K$ are
        if article == "the" or article.endswith(("'s", "’s")):
            asked = (self.formulas.get(character) for character in match["symbols"])
            return not any(formula and formula.is_value for formula in asked)
        return bool(match["lead"]) and (bool(article) or verb in ("are", "be"))

    def _named(self, symbols: list[Symbol], match: re.Match[str]) -> Iterator[tuple[Symbol, str]]:
        start = match.start("article") if match["article"] else match.end()
        if len(symbols) > 1:
            yield from self._several(symbols, start)
            return
        yield from self._one(match, forwards(self.text, start))

    def _several(self, symbols: list[Symbol], start: int) -> Iterator[tuple[Symbol, str]]:
        """$m$ and $v$ are the mass and the velocity; $x$ and $y$ are vectors."""
        clause = re.split(r"[.;:()]|,?\s+respectively|,?\s+where\b", self.text[start:])[0]
        parts = [forwards(part, 0) for part in _SPLIT.split(clause)[: len(symbols)]]
        if len(parts) == len(symbols) and all(parts) and len(_SPLIT.split(clause)) == len(parts):
            yield from zip(symbols, map(self.restored, parts), strict=True)
        elif parts and parts[0] and is_plural(parts[0][_noun_place(parts[0])]):
            phrase = self.restored(singular(parts[0]))
            yield from ((symbol, phrase) for symbol in symbols)

    def _one(self, match: re.Match[str], words: list[str]) -> Iterator[tuple[Symbol, str]]:
        symbols = self._symbols(match["symbols"])
        if words and len(symbols) == 1:
            yield symbols[0], self.restored(words)

    # -- beside a formula ----------------------------------------------------------------------

    def _apposed(self) -> Iterator[tuple[Symbol, str]]:
        """The density $\\rho$."""
        for match in APPOSED.finditer(self.text):
            symbols = self._symbols(match["symbols"])
            words = backwards(self.text, match.start())
            if not words or is_plural(words[-1]) != (len(symbols) > 1):
                continue
            if not self._is_locus(match, words):
                phrase = self.restored(singular(words))
                yield from ((symbol, phrase) for symbol in symbols)

    def _is_locus(self, match: re.Match[str], words: list[str]) -> bool:
        """The line $y = x$, the image $f(X)$: the words are about the whole formula."""
        formula, noun = self.formulas[match[0]], words[-1].lower()
        if formula.is_applied:
            return noun in VALUES or formula.symbols[0].is_word
        return formula.is_value or formula.rest[:1] not in ((), (":",), (r"\in",)) and noun in LOCI

    def _maps(self) -> Iterator[tuple[Symbol, str]]:
        for formula in self.formulas.values():
            if len(formula.symbols) == 1 and (phrase := as_map(formula.rest)):
                yield formula.symbols[0], phrase

    def _symbols(self, characters: str) -> list[Symbol]:
        found = [self.formulas[c] for c in characters if c in self.formulas]
        return [symbol for formula in found for symbol in formula.symbols]

    def restored(self, words: Sequence[str]) -> str:
        """A phrase with its formulas back in place."""
        return " ".join(
            f"${self.formulas[w[0]].latex}${w[1:]}" if is_formula(w) else w for w in words
        )


def _whole(name: str) -> list[str]:
    """The words of a name, if all of it is one."""
    words = forwards(name, 0)
    return words if words and name.split()[-1] == words[-1] else []


def _noun_place(words: Sequence[str]) -> int:
    return next((at - 1 for at, word in enumerate(words) if word in ("of", "in", "on") and at), -1)


# -- ------------------------------------------------------------------------------------------
# Which of an article's definitions holds for a symbol at a place of the text.
# In go the definitions of `evidence`; asked with a symbol and the number of a sentence, out comes
# the one that is nearest before it or just behind it. x_i and x_j are the same symbol with
# another index; x_1 is not, but where the text says nothing of x_1 it may say what x is.


SENTENCES_BEHIND = 2  # sentences after a display that may still explain it: "where .."
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
    return -SENTENCES_BEHIND <= place - definition.place <= REACH[definition.strength]


def _distance(definition: Definition, place: int) -> int:
    return abs(place - definition.place) + HANDICAPS[definition.strength]
