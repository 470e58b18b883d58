r"""What an article says about its own symbols: "where $m$ is the mass" -> m: mass.

In go sentences with inline math between dollar signs; out come `Definition`s, each with its
sentence. Found are definitions (X is the, X denotes, let X be, denote by X, .. denoted by X, also
of several symbols at once), appositions (the density $\rho$) and maps ($f: X \to Y$). The rules
would rather miss a definition than take a remark for one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topiceq.tasks.explain.formula import Formula, as_map, introduced, introduced_by
from topiceq.tasks.explain.nouns import backwards, forwards, is_formula, is_plural, singular
from topiceq.tasks.explain.symbols import Symbol, Tokens

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
    formula = introduced_by("", tokens)
    if len(formula.symbols) != 1 or not formula.is_equation or formula.is_value:
        return None
    masked = _Masked(before, place)
    for match in (*IS_DISPLAY.finditer(masked.text), *LEADS.finditer(masked.text)):
        words = _whole(match["name"])
        if words and not NAMELESS.intersection(word.lower() for word in words[-1:] + words[:1]):
            return Definition(formula.symbols[0], masked.restored(words), before + " …", place, 2)
    return None


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
