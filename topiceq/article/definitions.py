r"""What an article says about its own symbols: "where $m$ is the mass" -> m: mass.

In go sentences with inline math between dollar signs; out come `Definition`s, each with its
sentence and a strength. A sentence is read as tokens, each formula one of them; from every formula
(or list of formulas) the words behind it ("is the", "denotes", ": ") and those before it ("the
mass", "denoted by", "(") are compared with what definitions look like. A `Lexicon` of them, asked
with a symbol and the number of a sentence, gives the one that holds there.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from topiceq.article.commands import GREEK
from topiceq.article.constants import company, constant
from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens
from topiceq.article.introduced import Formula, as_map, introduced, introduced_by
from topiceq.article.nouns import (
    ARTICLES,
    HOW,
    LETTERS,
    NUMBERS,
    PREPOSITIONS,
    TOKEN,
    VERB_LIKE,
    Name,
    backwards,
    forwards,
    head_place,
    is_formula,
    is_inside,
    is_noun,
    is_plural,
    named,
    singular,
)

FIRST = 0xE100  # formulas are characters from here on
PADDING = 16
MANY = 2000  # formulas of a sentence that are looked at
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


def _phrases(*lines: str) -> dict[str, list[tuple[str, ...]]]:
    """Phrases of several words by their first one, the longest first."""
    table: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for phrase in sorted((tuple(p.split()) for line in lines for p in line.split(", ")), key=len):
        table[phrase[0]].insert(0, phrase)
    return dict(table)


# $m$ .. the mass
EQUATING = _phrases("is, are, be, being, will be")
NAMING = _phrases(
    "denote, denotes, denoting, represent, represents, representing, stand for, stands for",
    "designate, designates, refer to, refers to, indicates, signifies, symbolizes, means",
    "corresponds to, is called, are called, is known as, is defined as, is defined to be",
    "is used to denote, will denote, shall denote, is referred to as, is termed, is interpreted as",
    "can be interpreted as, is taken to be, is chosen to be, can be thought of as",
)
PLURAL_VERBS = frozenset(
    "are be being denote denoting represent representing stand designate refer will".split()
)
FILLERS = frozenset("also again now simply just usually respectively both here then still ,".split())
LEADS = frozenset("where wherein here let letting and with assume suppose if when whenever".split())
THAT = frozenset("assume suppose such assuming supposing".split())
OPENERS = frozenset(
    """, ; : ( – — … and or but that then so thus hence since because as if when therefore where
    here also now moreover furthermore let suppose assume while whereas""".split()
)
# denote by $m$ the mass
BEHIND = _phrases("we denote, we mean, we will denote, for, as, to be, being, to denote")
WRITERS = frozenset("write writing call calling define defining use using reserve let".split())
# the mass .. $m$
GIVEN = _phrases(  # read from the formula to the left
    "denoted by, denoted, denoted as, denoted with, designated by, represented by, designated",
    "say, called, labelled, labeled, written, written as, labelled by, labeled by, symbolized by",
)
EQUALS = _phrases("given by, defined as, defined by, defined to be, expressed as, equal to, then")
LINKS = frozenset(p[-1] for table in (GIVEN, EQUALS) for ps in table.values() for p in ps) | {
    "is", "are", "be", "by", "as", "with"
}  # fmt: skip
CLOSERS = frozenset(", . ; : ) where for if when which in and … with since so because".split())
# the words before a display: "The energy of the photon is", "has the Hamiltonian"
READS = _phrases(
    "reads, becomes, equals, can be written, can be written as, takes the form, is, is given by",
    "is then, is therefore, is thus, is simply, is now, is defined by, is defined as, is just",
    "is defined to be, is equal to, is then given by, is thus given by, is therefore given by",
)
INTRODUCES = frozenset(
    """define defines defined introduce introduces introduced has have having consider considers
    obtain obtains get gets compute computes calculate calculates""".split()
)
NAMELESS = frozenset(
    """rule law principle expansion decomposition series estimate bound approximation representation
    property system recurrence recursion equality transform transformation form part step
    m-step""".split()
)
SUBJECT_ARTICLES = frozenset("the a an its their our".split())
# what such a sentence begins with ends at a comma
SUBORDINATE = PREPOSITIONS | frozenset(
    """because if since when whenever while given let as although though once after before until
    unless where whereas then here thus hence so suppose assume assuming using taking""".split()
)
# they name the whole of $(x, y)$
TUPLES = frozenset(
    "point pair tuple interval space graph group triple structure vector category set".split()
)
WITHIN = frozenset("in inside by within under into".split())  # in the box, $x$,
ROWS = 3  # of a table, at least
SEPARATORS = frozenset(": = – — & | -".split())
BULLETS = frozenset("• - * | & ; –".split())
GREEK_NAMES = frozenset(token[1:].lower() for token in GREEK)  # alpha ($\\alpha$) says nothing
# $n$ points, but $x$ values
COUNTS = frozenset("n m k N M K d D p q r s l L T J I P Q R S B C".split())
COUNTED = frozenset("of with has have having contains into from among for are is by the".split())
UNCOUNTED = frozenset(
    """values coordinates components axes directions tests functions algebras electrons orbitals
    groups theories planes terms bands entries modes waves matrices rays""".split()
)


@dataclass(frozen=True)
class Definition:
    """What a symbol is said to be, and where."""

    symbol: Symbol
    phrase: str  # may hold formulas between dollar signs
    sentence: str
    place: int  # the number of the sentence
    strength: float  # how often what is said in this way is right, from 0 to 1


# shares that were right, by how it was said
SAID = 0.94  # where $m$ is the mass; $m$ denotes the mass; the mass is denoted by $m$
LISTED = 0.93  # $m$: mass
COUNT = 0.92  # $n$ particles
BRACKETED = 0.9  # the mass ($m$); $m$ (the mass)
SERIES = 0.89  # .. and velocity $v$
APPOSED = 0.88  # the mass $m$; of mass $m$
BARE = 0.83  # at time $t$
OWNED = 0.82  # the density of the fluid $\rho$
EQUATED = 0.81  # the mass is $m$; the mass, $m$,; $m$, the mass
LED_IN = 0.8  # the energy is, before a display
MAP = 0.7  # $f: X \to Y$
STRENGTHS = {
    "article": APPOSED, "property": APPOSED, "series": SERIES, "owner": OWNED, "bare": BARE
}  # fmt: skip


def led_in(before: str, tokens: Tokens, place: int) -> Definition | None:
    r"""What the words before a display say of the symbol that it begins with.

    >>> led_in("The energy of the photon is", ("E", "=", "h", r"\nu"), 0).phrase
    'energy of the photon'
    """
    formula = introduced_by("", tokens)
    if len(formula.symbols) != 1 or not formula.is_equation or formula.is_value:
        return None
    sentence = _Sentence(before, place)
    words = sentence.led_to()
    if not words or NAMELESS.intersection((words[-1].lower(), words[0].lower())):
        return None
    phrase = sentence.restored(words)
    return Definition(formula.symbols[0], phrase, before + " …", place, LED_IN)


def definitions(sentences: Sequence[str]) -> list[Definition]:
    """All definitions in the sentences of an article, in reading order."""
    return [
        definition
        for place, sentence in enumerate(sentences)
        if "$" in sentence
        for definition in _Sentence(sentence, place).definitions()
    ]


# -- a sentence -----------------------------------------------------------------------------------


class _Group(NamedTuple):
    """Formulas one after the other: $x$, $y$ and $z$."""

    start: int
    end: int
    places: list[int]


class _Claim(NamedTuple):
    strength: float
    symbol: Symbol
    words: list[str]


_MATH = re.compile(r"\$([^$]*)\$")


class _Sentence:
    """A sentence as tokens, in which formulas are one character each."""

    def __init__(self, sentence: str, place: int) -> None:
        self.sentence, self.place = sentence, place
        self.latex: list[str] = []
        self.tokens: list[str] = TOKEN.findall(_MATH.sub(self._mask, sentence))
        self.places = [at for at, token in enumerate(self.tokens) if is_formula(token)]
        # nothing behind the end, and so before the beginning too
        self.low = [*(token.lower() for token in self.tokens), *[""] * PADDING]
        self.said = False  # a definition stands before: ".., $v$ the velocity"

    def _mask(self, match: re.Match[str]) -> str:
        if len(self.latex) >= MANY:
            return "…"
        self.latex.append(match[1])
        return chr(FIRST + len(self.latex) - 1)

    def definitions(self) -> list[Definition]:
        """The strongest of each symbol."""
        best: dict[Symbol, _Claim] = {}
        for claim in self._claims():
            known = best.get(claim.symbol)
            if known is None or claim.strength > known.strength:
                best[claim.symbol] = claim
        return [
            Definition(c.symbol, self.restored(c.words), self.sentence, self.place, c.strength)
            for c in best.values()
        ]

    def _claims(self) -> Iterator[_Claim]:
        groups = list(self._groups())
        for group in groups:
            yield from self._behind(group)
            yield from self._before(group)
        if len(groups) >= ROWS:
            yield from self._tabled(groups)
        for at in self.places:
            yield from self._alone(self.tokens[at])

    def _groups(self) -> Iterator[_Group]:
        """The formulas of the sentence, those in a list together."""
        places: list[int] = []
        for at in self.places:
            if len(self.low[at]) > 1:  # $n$-dimensional
                continue
            if places and at - 1 != places[-1] + (self._joint(places[-1] + 1) or -1):
                yield _Group(places[0], places[-1] + 1, places)
                places = []
            places.append(at)
        if places:
            yield _Group(places[0], places[-1] + 1, places)

    def _joint(self, at: int) -> int:
        """How many tokens join two formulas here: 1 of "and", 2 of ", and"."""
        if self.low[at] == "," and self.low[at + 1] == "and":
            return 2
        return 1 if self.low[at] in (",", "and", "or") else 0

    def _formula(self, token: str) -> Formula:
        return introduced(self.latex[ord(token[0]) - FIRST])

    def _symbols(self, places: Iterable[int]) -> list[Symbol]:
        return [s for at in places for s in self._formula(self.tokens[at]).symbols]

    def restored(self, words: Sequence[str]) -> str:
        """A phrase with its formulas back in place."""
        return " ".join(
            f"${self.latex[ord(w[0]) - FIRST]}${w[1:]}" if is_formula(w) else w for w in words
        )

    # -- behind a formula ----------------------------------------------------------------------

    def _behind(self, group: _Group) -> Iterator[_Claim]:
        after = self.low[group.end]
        for pattern in PATTERNS.get(after, ()):
            for claim in pattern(self, group):
                self.said = True
                yield claim
        if self.low[group.places[-1] - 1] in COUNTED:
            yield from self._counted(group)

    def _verbed(self, group: _Group) -> Iterator[_Claim]:
        """Where $m$ is the mass; $m$ and $v$ denote the mass and the velocity."""
        comma = self.low[group.end] == ","
        at = group.end + comma
        naming, equating = self._match(NAMING, at), self._match(EQUATING, at)
        verb = max(naming, equating)
        if not verb or comma and self.low[group.start - 1] == ",":
            return  # the root of a matrix, $A$, is
        places = group.places
        if self.low[at] not in PLURAL_VERBS and len(places) > 1:  # on particle $i$, $r$ is
            if self.low[places[-1] - 1] != "," and self.low[group.start - 1] in PREPOSITIONS:
                return  # the number of rows of $A$ and $B$ is
            places = places[-1:]
        name_at = at + verb
        while self.low[name_at] in FILLERS:
            name_at += 1
        if any(self._formula(self.tokens[place]).is_value for place in places):
            return  # $x = 0$ is the boundary
        if naming == verb:
            is_said = not self._is_owned(places[0])
        else:
            is_said = self._is_equated(places, at, name_at)
        if is_said:
            yield from self._named(self._symbols(places), name_at)

    def _is_equated(self, places: list[int], verb: int, name_at: int) -> bool:
        """Whether "X is .." tells what X is, rather than something about it."""
        article, leads = self.low[name_at], self._leads(places[0])
        if not leads and not self._opens(places[0], article):
            return False  # the vertices of $K$ are
        if article == "the" or article.endswith(("'s", "’s")):
            return True
        if not leads or article in ARTICLES | NUMBERS or self.low[verb] in ("are", "be"):
            return leads
        name = forwards(self.tokens, name_at)
        words = [word.lower() for word in name.words]
        return bool(words) and words[head_place(words)] not in HOW

    def _opens(self, start: int, article: str) -> bool:
        """Whether a formula, or a name with it, begins a clause: the parameter $\\mu$ is the."""
        if not start or self.low[start - 1] in OPENERS:
            return True
        words = backwards(self.tokens, start).words if article == "the" else []
        at = start - len(words) - 1
        is_subject = bool(words) and self.low[at] in SUBJECT_ARTICLES
        return is_subject and (at == 0 or self.low[at - 1] in OPENERS)

    def _is_owned(self, start: int) -> bool:
        """Whether a formula belongs to what is spoken of: a statistic for the parameter $x$ is."""
        at = start - 1
        while at >= 0 and start - at < 5 and is_noun(self.low[at]):
            at -= 1
        at -= self.low[at] in ARTICLES
        return self.low[at] in PREPOSITIONS

    def _leads(self, start: int) -> bool:
        """Whether the words before a formula promise a definition: where, let, such that."""
        before = self.low[start - 1]
        if before in (",", ":"):
            return self.low[start - 2] in ("where", "here")
        return before in LEADS or before == "that" and self.low[start - 2] in THAT

    def _match(self, phrases: dict[str, list[tuple[str, ...]]], at: int) -> int:
        """How many tokens from here on are one of the phrases."""
        for phrase in phrases.get(self.low[at], ()):
            if tuple(self.low[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def _named(self, symbols: list[Symbol], at: int, strength: float = SAID) -> Iterator[_Claim]:
        if len(symbols) > 1:
            yield from self._several(symbols, at)
        elif symbols:
            is_article = self.low[at] in ("the", "a", "an")
            words = forwards(self.tokens, at, any_head=is_article).words
            if words and self.low[at] in NUMBERS:
                words = singular(words)
            if words:
                yield _Claim(strength, symbols[0], words)

    def _several(self, symbols: list[Symbol], at: int) -> Iterator[_Claim]:
        """$m$ and $v$ are the mass and the velocity; $x$ and $y$ are vectors."""
        names = [forwards(self.tokens, at)]
        while names[-1].words and len(names) < len(symbols) and (gap := self._joint(names[-1].end)):
            names.append(forwards(self.tokens, names[-1].end + gap))
        first = names[0].words
        if not first:
            return
        head = head_place([word.lower() for word in first])
        if is_plural(first[head].lower()) and not self._is_plural_name(names[1:]):
            yield from (_Claim(SAID, symbol, singular(first)) for symbol in symbols)
        elif len(names) > 1 and head < len(first) - 1 and not self._has_article(names[0]):
            # the error of calling and mapping
            yield from (_Claim(SAID, symbol, first[: head + 1]) for symbol in symbols)
        elif len(names) == len(symbols) and all(n.words for n in names) and self._closes(names[-1]):
            yield from (_Claim(SAID, s, n.words) for s, n in zip(symbols, names, strict=True))

    def _is_plural_name(self, names: Sequence[Name]) -> bool:
        """Whether names go on as those of several things: the masses and the velocities."""
        return bool(names) and all(name.words for name in names)

    def _has_article(self, name: Name) -> bool:
        """Whether what is joined to a name has an article of its own."""
        return self.low[name.end + self._joint(name.end)] in ARTICLES

    def _closes(self, name: Name) -> bool:
        """Whether no further name is joined to one."""
        gap = self._joint(name.end)
        return not gap or not forwards(self.tokens, name.end + gap).words

    def _written(self, group: _Group) -> Iterator[_Claim]:
        """Denote by $T$ the temperature; write $n$ for the number of; with $q$ the charge."""
        before, second = self.low[group.start - 1], self.low[group.start - 2]
        link = self._match(BEHIND, group.end)
        at = group.end + link
        has_article = self.low[at] in ("the", "a", "an")
        is_denoted = before in ("by", "with") and second in ("denote", "denotes", "denoted")
        is_meant = before == "by" and link > 1
        is_written = before in WRITERS and (link > 0 or before in ("call", "let", "define"))
        is_with = before == "with" and link <= 1
        goes_on = self.said and before in (",", "and") and link == 0 and len(group.places) == 1
        if not has_article:
            if before in WRITERS and self.low[group.end] == "for":
                yield from self._named(self._symbols(group.places), at)
            return
        if is_denoted or is_meant or is_written or is_with or before == "to" and second.startswith("refer"):
            yield from self._named(self._symbols(group.places), at)
        elif goes_on:
            name = forwards(self.tokens, at)
            if self.low[name.end] in CLOSERS | {""}:
                yield from self._named(self._symbols(group.places), at)

    def _listed(self, group: _Group) -> Iterator[_Claim]:
        """$p$: pressure, $p$ = pressure, and rows of tables."""
        separator, before = self.low[group.end], self.low[group.start - 1]
        is_number = separator == "number" and self.low[group.end + 1] == "of"
        if separator not in SEPARATORS and not is_number or len(group.places) > 1:
            return
        is_row = not before or before in BULLETS or before in (",", ".") and self.said
        is_equal = separator == "=" and not is_formula(before or " ")
        formula = self._formula(self.tokens[group.start])
        if (is_row or is_equal) and not formula.is_value and len(formula.symbols) == 1:
            name = forwards(self.tokens, group.end + (not is_number), any_head=is_row)
            if name.words:
                yield _Claim(LISTED, formula.symbols[0], name.words)

    def _explained(self, group: _Group) -> Iterator[_Claim]:
        """$n$ (number of points); $n$, the dimension of $y$."""
        in_brackets = self.low[group.end] == "("
        if not in_brackets and (
            self.low[group.end + 1] not in ARTICLES or self.low[0] in SUBORDINATE
        ):
            return  # For all $x$, the ..
        name = forwards(self.tokens, group.end + 1)
        closes = self.low[name.end] in ((")", ",", ";") if in_brackets else (",", ".", ";", ")", ""))
        if not name.words or not closes or not name.is_whole:
            return
        if not in_brackets and (
            self.low[group.start - 1] == "," or is_formula(self.low[name.end + 1])
        ):
            return  # the tensor, $R_i$, the scalar, $R$,
        formula = self._formula(self.tokens[group.places[-1]])
        if len(formula.symbols) == 1 and (not formula.rest or as_map(formula.rest)):
            strength = BRACKETED if in_brackets else EQUATED
            yield _Claim(strength, formula.symbols[0], name.words)

    def _counted(self, group: _Group) -> Iterator[_Claim]:
        """A system of $k$ coupled regions."""
        end = group.end
        while end < len(self.tokens) and end - group.end < 3 and is_inside(self.tokens[end]):
            if is_plural(self.low[end]) and is_noun(self.low[end]):
                break
            end += 1
        words = named(self.tokens[group.end : end + 1])
        if not words or not is_plural(words[-1].lower()) or words[-1].lower() in UNCOUNTED:
            return
        first = singular([self.low[group.end]])[0]
        formula = self._formula(self.tokens[group.places[-1]])
        if first in VERB_LIKE or len(formula.symbols) != 1 or formula.is_applied:
            return  # each row of $P$ sums to 1
        symbol = formula.symbols[0]
        if symbol.base[-1] in COUNTS and not symbol.upper:
            yield _Claim(COUNT, symbol, ["number", "of", *words])

    def _tabled(self, groups: Sequence[_Group]) -> Iterator[_Claim]:
        """The rows of a table in one line: $m$ Mass $v$ Velocity $q$ Electric charge."""
        ends = [*(group.start for group in groups[1:]), len(self.tokens)]
        rows = [
            (group, end)
            for group, end in zip(groups, ends, strict=True)
            if group.end < end and self.tokens[group.end][0].isupper()
        ]
        if len(rows) < ROWS or 2 * len(rows) < len(groups):
            return
        for group, end in rows:
            name, symbols = self._cell(group.end, end, any_head=True), self._symbols(group.places)
            if name and len(symbols) == 1:
                yield _Claim(LISTED, symbols[0], name)

    def _cell(self, start: int, end: int, *, any_head: bool = False) -> list[str]:
        """The name that takes all the tokens between two places."""
        name = forwards(self.tokens[start:end], 0, any_head=any_head)
        return name.words if name.end == end - start else []

    def _alone(self, token: str) -> Iterator[_Claim]:
        """$f: X \\to Y$; an $n$-dimensional space."""
        latex = self.latex[ord(token[0]) - FIRST]
        has_dimension = token[1:].lower() == "-dimensional"
        if not has_dimension and ":" not in latex and "colon" not in latex:
            return
        formula = introduced(latex)
        if len(formula.symbols) == 1 and has_dimension:
            yield _Claim(COUNT, formula.symbols[0], ["dimension"])
        elif len(formula.symbols) == 1 and (phrase := as_map(formula.rest)):
            yield _Claim(MAP, formula.symbols[0], phrase.split())

    # -- before a formula ----------------------------------------------------------------------

    def _before(self, group: _Group) -> Iterator[_Claim]:
        start, after = group.start, self.low[group.end]
        last = self.low[start - 1]
        if last == "(":
            if self.low[start - 2] in GREEK_NAMES:
                return
            if after in (")", ",", ";", "in", "="):
                yield from self._apposed(group, start - 1, BRACKETED)
        elif last == ",":
            if after in (",", ".", ";", ")", ""):
                yield from self._apposed(group, start - 1, EQUATED)
        elif last:
            yield from self._apposed(group, start, None)
            yield from self._given(group)

    def _apposed(self, group: _Group, end: int, strength: float | None) -> Iterator[_Claim]:
        """The density $\\rho$; the density ($\\rho$); the density, $\\rho$,."""
        words, kind, owned, lead = backwards(self.tokens, end)
        formula = self._formula(self.tokens[group.start])
        if not words or _is_locus(formula, words) or end < group.start and not _is_plain(formula):
            return
        if strength == EQUATED and (kind != "article" and not owned or lead in WITHIN):
            return
        plural = is_plural(words[-1].lower())
        places = group.places if plural and self._is_uniform(group) else group.places[:1]
        symbols = self._symbols(places)
        if not symbols or len(symbols) > 1 and not plural:
            return
        if formula.is_family and len(formula.symbols) > 1:
            if len(group.places) > 1 or singular(words)[-1].lower() in TUPLES:
                return
        if owned and symbols[0].base[-1] in LETTERS[owned[owned.index("of") - 1].lower()]:
            words, kind = owned, "owner"
        words = singular(words)
        yield from (_Claim(strength or STRENGTHS[kind], symbol, words) for symbol in symbols)

    def _is_uniform(self, group: _Group) -> bool:
        """Whether formulas in a list are of one kind: $x$ and $y$, but not $x$ and $f(x)$."""
        formulas = [self._formula(self.tokens[at]) for at in group.places]
        return len({(f.is_applied, bool(f.symbols)) for f in formulas}) == 1

    def _given(self, group: _Group) -> Iterator[_Claim]:
        """The mass is denoted by $m$; a point, say $x$; the mass is $m$; denote the mass by $m$."""
        if self.low[group.start - 1] not in LINKS:
            return
        symbols = self._symbols(group.places[:1])
        formula = self._formula(self.tokens[group.start])
        if len(symbols) != 1:
            return
        end, is_named = self._left_of(GIVEN, group.start), True
        if end == group.start:
            end, is_named = self._left_of(EQUALS, group.start), False
        verb = self.low[end - 1] in ("is", "are", "be")
        if verb:
            end -= 1
        elif self.low[end - 1] == "," and is_named:
            end -= 1
        if verb and (is_named or self._equates(group, formula)):
            words = self._subject(end)
            words = singular(words) if words and self.low[end] == "are" else words
            yield from ([_Claim(SAID if is_named else EQUATED, symbols[0], words)] if words else [])
        elif is_named and end < group.start:
            words = backwards(self.tokens, end).words
            yield from ([_Claim(SAID, symbols[0], words)] if words else [])
        elif self.low[group.start - 1] in ("by", "as", "with"):
            words = self._denoted(group.start - 1)
            yield from ([_Claim(SAID, symbols[0], words)] if words else [])

    def _equates(self, group: _Group, formula: Formula) -> bool:
        """Whether "the mass is $m$" ends with the formula."""
        closes = self.low[group.places[0] + 1] in CLOSERS | {""}
        return closes and not formula.is_value and (not formula.rest or formula.is_equation)

    def _left_of(self, phrases: dict[str, list[tuple[str, ...]]], end: int) -> int:
        """Where the phrase that ends at a token begins; the token itself without one."""
        for length in (4, 3, 2, 1):
            if end >= length and self._match(phrases, end - length) == length:
                return end - length
        return end

    def _subject(self, end: int) -> list[str]:
        """The name that a clause begins with and that ends at a token."""
        words: list[str] = []
        for at in range(end - 1, max(-1, end - 15), -1):
            if self.low[at] in SUBJECT_ARTICLES:
                name = forwards(self.tokens, at)
                if name.words and name.is_whole and name.end == end:
                    opens = at == 0 or self.low[at - 1] in OPENERS
                    words = name.words if opens else []
        return words

    def _denoted(self, end: int) -> list[str]:
        """Denote the mass by."""
        for at in range(end - 1, max(-1, end - 15), -1):
            if self.low[at] in ("denote", "denoting", "denotes"):
                return self._cell(at + 1, end)
        return []

    def led_to(self) -> list[str]:
        """What the sentence, which a display follows, says that the display is."""
        end = len(self.tokens)
        while end and self.low[end - 1] == ":":
            end -= 1
        verb = self._left_of(READS, end)
        if verb < end:
            return self._subject(verb)
        for at in range(end - 1, max(0, end - 15), -1):
            if self.low[at] in SUBJECT_ARTICLES and self.low[at - 1] in INTRODUCES:
                name = forwards(self.tokens, at)
                return name.words if name.is_whole and name.end == end else []
        return []


# what may come behind a formula that is defined, by the first token of it
PATTERNS: dict[str, list[Callable[[_Sentence, _Group], Iterator[_Claim]]]] = defaultdict(list)
for _words, _pattern in (
    ({*NAMING, *EQUATING, ","}, _Sentence._verbed),
    ({*BEHIND, "the", "a", "an"}, _Sentence._written),
    ({*SEPARATORS, "number"}, _Sentence._listed),
    ({",", "("}, _Sentence._explained),
):
    for _word in _words:
        PATTERNS[_word].append(_pattern)


def _is_plain(formula: Formula) -> bool:
    """Whether a formula says no more of its symbol than what it belongs to."""
    return formula.rest[:1] in ((), (":",), (r"\in",))


def _is_locus(formula: Formula, words: Sequence[str]) -> bool:
    """The line $y = x$, the image $f(X)$: the words are about the whole formula."""
    noun = words[-1].lower()
    if formula.is_applied:
        return noun in (LOCI if formula.rest else VALUES) or formula.symbols[0].is_word
    return formula.is_value or not _is_plain(formula) and noun in LOCI


# -- which definition holds at a place of the text ------------------------------------------------


SENTENCES_BEHIND = 2  # sentences after a display that may still explain it: "where .."
LATER = 40  # sentences after it in which a definition may stand if there is none before
INHERITED = 30  # sentences over which x_i may be what is said of x
INDICES = frozenset(r"i j k l m n t \mu \nu \rho \sigma \alpha \beta \lambda \kappa".split())


class Lexicon:
    """The definitions of one article."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.known: dict[Symbol, list[Definition]] = defaultdict(list)
        for definition in definitions:
            self.known[unindexed(definition.symbol)].append(definition)

    def find(self, symbol: Symbol, place: int, *, later: bool = True) -> Definition | None:
        """The definition of exactly this symbol, indices aside, that holds at a sentence.

        Where there is none before it, the nearest one behind it, unless that is not wanted.
        """
        known = self.known.get(unindexed(symbol), ())
        holding = [d for d in known if -SENTENCES_BEHIND <= place - d.place <= _reach(d.strength)]
        if not holding and later:
            holding = [d for d in known if 0 < d.place - place <= LATER]
        return min(holding, key=lambda d: (_distance(d, place), -d.place), default=None)

    def glossary(self, found: Iterable[Occurrence], place: int) -> list["Entry"]:
        """The symbols of a display, each once, with their definitions where there are any.

        Letters that stand only in scripts, words, and the e of e^x are there only if defined.
        """
        forms: dict[Tokens, dict[Symbol, bool]] = {}
        found = list(found)
        beside = company(found)
        for one in found:
            own = forms.setdefault(one.symbol.base, {})
            own[one.symbol] = own.get(one.symbol, True) and (one.in_script or _is_mute(one.symbol))
        return [entry for own in forms.values() for entry in self._entries(own, place, beside)]

    def _entries(
        self, forms: dict[Symbol, bool], place: int, beside: frozenset[str]
    ) -> list["Entry"]:
        """The forms that are defined as they are, constants, then what is left under one name."""
        entries: dict[Symbol, Entry] = {}
        left: list[Symbol] = []
        for form in forms:
            name = "" if forms[form] else constant(form, beside)
            defined = self._defined(form, place, later=not name)
            if defined is None and name and not self.find(Symbol(form.base), place, later=False):
                entries[form] = Entry((form,), None, name)
            elif defined is None:
                left.append(form)
            else:
                key = unindexed(defined)
                known = entries[key].forms if key in entries else ()
                entries[key] = Entry((*known, defined), self.find(defined, place))
        is_shown = not all(forms[form] for form in left)
        rest = self._rest(left, place) if left else []
        return [*entries.values(), *(entry for entry in rest if entry.definition or is_shown)]

    def _defined(self, form: Symbol, place: int, *, later: bool) -> Symbol | None:
        """The symbol with its scripts, or with one of them, if the text says what that is."""
        return next((s for s in _scripted(form) if self.find(s, place, later=later)), None)

    def _rest(self, forms: Sequence[Symbol], place: int) -> list["Entry"]:
        """Forms that nothing is said of: they may be what is said of the plain symbol."""
        plain = Symbol(forms[0].base)
        definition = self.find(plain, place)
        lowers = list(dict.fromkeys(form.lower for form in forms))
        if definition is None:
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


def _is_mute(symbol: Symbol) -> bool:
    """Whether a symbol is no question to the model."""
    return symbol.is_word or symbol.base == ("e",) and bool(symbol.upper)


def _reach(strength: float) -> int:
    """Sentences: a passing apposition far away is about something else."""
    return 10_000 if strength >= COUNT else 150 if strength >= APPOSED else 80


def _distance(definition: Definition, place: int) -> float:
    """In sentences; what is said outright counts for longer."""
    handicap = 60 * (SAID - definition.strength)
    return abs(place - definition.place) + handicap
