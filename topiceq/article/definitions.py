r"""What an article says about its own symbols: "where $m$ is the mass" -> m: mass.

In go sentences with inline math between dollar signs; out come `Definition`s, each with its
sentence and a strength. A sentence is read as tokens, each formula one of them; from every formula
(or list of formulas) the words behind it ("is the", "denotes", ": ") and those before it ("the
mass", "denoted by", "(") are compared with what definitions look like (wording.py). The rules would
rather miss one than take a remark for one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from topiceq.article.equation.symbol import Symbol, Tokens
from topiceq.article.introduced import Formula, as_map, introduced, introduced_by
from topiceq.article.nouns import (
    ARTICLES,
    HOW,
    LETTERS,
    NUMBERS,
    OBJECTS,
    OPEN_ENDED,
    PREPOSITIONS,
    PROPERTIES,
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
from topiceq.article.sentence import FAR, Group, Sentence
from topiceq.article.wording import (
    BE,
    BEHIND,
    BULLETS,
    CLOSERS,
    COUNTED,
    COUNTS,
    DENOTES,
    EQUALS,
    EQUATING,
    FILLERS,
    GIVEN,
    GREEK_NAMES,
    INTRODUCES,
    LEADS,
    LINKS,
    LOCI,
    MUTE,
    NAMELESS,
    NAMING,
    NUMBER_KINDS,
    OPENERS,
    PLURAL_VERBS,
    READS,
    ROWS,
    SEPARATORS,
    SUBJECT_ARTICLES,
    SUBORDINATE,
    THAT,
    THESE,
    TUPLES,
    UNCOUNTED,
    VALUES,
    WITHIN,
    WRITERS,
)


@dataclass(frozen=True)
class Definition:
    """What a symbol is said to be, and where."""

    symbol: Symbol
    phrase: str  # may hold formulas between dollar signs
    sentence: str
    place: int  # the number of the sentence
    strength: float  # about how often what is said in this way is right, from 0 to 1


# about the share that is right, by how it was said: read off samples of some forty each, then set
# apart so that the surer way wins
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
    sentence = _Reading(before, place)
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
        for definition in _Reading(sentence, place).definitions()
    ]


# -- a sentence -----------------------------------------------------------------------------------


class _Claim(NamedTuple):
    strength: float
    symbol: Symbol
    words: list[str]


class _Reading(Sentence):
    """What a sentence says of the symbols in it."""

    def __init__(self, sentence: str, place: int) -> None:
        super().__init__(sentence)
        self.sentence, self.place = sentence, place
        self.said = False  # a definition stands before: ".., $v$ the velocity"
        self.denoted = False  # something is denoted before: ".., and the phase by $x$"

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
        groups = list(self.groups())
        for group in groups:
            yield from self._behind(group)
            yield from self._before(group)
        if len(groups) >= ROWS:
            yield from self._tabled(groups)
        for at in self.formulas:
            yield from self._alone(self.tokens[at])

    # -- behind a formula ----------------------------------------------------------------------

    def _behind(self, group: Group) -> Iterator[_Claim]:
        after = self.low[group.end]
        for pattern in PATTERNS.get(after, ()):
            for claim in pattern(self, group):
                self.said = True
                yield claim
        if self.low[group.places[-1] - 1] in COUNTED:
            yield from self._counted(group)

    def _verbed(self, group: Group) -> Iterator[_Claim]:
        """Where $m$ is the mass; $m$ and $v$ denote the mass and the velocity."""
        comma = self.low[group.end] == ","
        at = self._behind_unit(group.end) + comma
        naming, equating = self.match(NAMING, at), self.match(EQUATING, at)
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
        if any(self.formula(place).is_value for place in places):
            return  # $x = 0$ is the boundary
        if naming == verb:
            goes_with = self.low[places[0] - 1] == "with" and self.low[at].endswith("ing")
            is_said = goes_with or not self._is_owned(places[0])
        else:
            is_said = self._is_equated(places, at, name_at)
        if is_said:
            yield from self._named(self.symbols(places), name_at, many=self.low[at] == "are")

    def _behind_unit(self, at: int) -> int:
        """Behind a remark in brackets: $P$ (in Pa) is the pressure."""
        if self.low[at] != "(" or ")" not in self.low[at : at + 6]:
            return at
        return self.low.index(")", at) + 1

    def _is_equated(self, places: list[int], verb: int, name_at: int) -> bool:
        """Whether "X is .." tells what X is, rather than something about it."""
        article, leads = self.low[name_at], self._leads(places[0])
        if not leads and not self._opens(places[0], article):
            return False  # the vertices of $K$ are
        is_named = article in ("a", "an") and self._is_mute(places[0])
        if article == "the" or article.endswith(("'s", "’s")) or is_named:
            return True
        if not leads or article in ARTICLES | NUMBERS or self.low[verb] in ("are", "be"):
            return leads
        name = forwards(self.tokens, name_at)
        words = [word.lower() for word in name.words]
        return bool(words) and words[head_place(words)] not in HOW

    def _opens(self, start: int, article: str) -> bool:
        """Whether a formula, or a name with it, begins a clause: the parameter $\\mu$ is the."""
        start -= self.low[start - 1] == "the"
        if not start or self.low[start - 1] in OPENERS:
            return True
        if self._is_mute(start):
            at = start - 2 - (self.low[start - 3] == "in")
            return at == 0 or self.low[at - 1] in OPENERS
        if self.low[start - 1] in THESE and self.low[start - 2] == "in":  # in it $p$ is the
            return True
        words = backwards(self.tokens, start).words if article == "the" else []
        at = start - len(words) - 1
        is_subject = bool(words) and self.low[at] in SUBJECT_ARTICLES
        return is_subject and (at == 0 or self.low[at - 1] in OPENERS)

    def _is_mute(self, start: int) -> bool:
        """Whether the noun before a formula says nothing: the constant $a$ is a measure of."""
        noun = singular([self.low[start - 1]])[0] if self.low[start - 1] else ""
        return noun in MUTE and self.low[start - 2] in THESE

    def _is_owned(self, start: int) -> bool:
        """Whether a formula belongs to what is spoken of: a statistic for the parameter $x$ is."""
        at = start - 1
        while at >= 0 and start - at < 5 and is_noun(self.low[at]):
            at -= 1
        at -= self.low[at] in ARTICLES
        return self.low[at] in PREPOSITIONS

    def _leads(self, start: int) -> bool:
        """Whether the words before a formula promise a definition: where, let, such that."""
        start -= self.low[start - 1] == "the"
        before = self.low[start - 1]
        if before in (",", ":"):
            return self.low[start - 2] in ("where", "here")
        return before in LEADS or before == "that" and self.low[start - 2] in THAT

    def _named(
        self, symbols: list[Symbol], at: int, strength: float = SAID, *, many: bool = False
    ) -> Iterator[_Claim]:
        if len(symbols) > 1:
            yield from self._several(symbols, at)
        elif symbols:
            is_article = self.low[at] in ("the", "a", "an")
            words = forwards(self.tokens, at, any_head=is_article).words
            if words and (many or not is_article):  # two random numbers, vectors
                words = singular(words)
            if words:
                yield _Claim(strength, symbols[0], words)

    def _several(self, symbols: list[Symbol], at: int) -> Iterator[_Claim]:
        """$m$ and $v$ are the mass and the velocity; $x$ and $y$ are vectors."""
        names = [forwards(self.tokens, at, any_head=True)]
        while names[-1].words and len(names) < len(symbols):
            behind = self._behind_unit(names[-1].end)
            if not (gap := self.joint(behind)):
                break
            names.append(forwards(self.tokens, behind + gap, any_head=True))
        if len(names) < len(symbols):  # not a word for each: then it must be a name
            names = [forwards(self.tokens, at), *names[1:]]
        first = names[0].words
        if not first:
            return
        head = head_place([word.lower() for word in first])
        goes_on = len(names) > 1 and all(name.words for name in names)  # masses and velocities
        if is_plural(first[head].lower()) and not goes_on:
            yield from (_Claim(SAID, symbol, singular(first)) for symbol in symbols)
        elif len(names) > 1 and head < len(first) - 1 and not self._has_article(names[0]):
            # the error of calling and mapping
            one = singular(first[: head + 1])
            yield from (_Claim(SAID, symbol, one) for symbol in symbols)
        elif len(names) == len(symbols) and all(n.words for n in names) and self._closes(names[-1]):
            yield from (_Claim(SAID, s, n.words) for s, n in zip(symbols, names, strict=True))

    def _has_article(self, name: Name) -> bool:
        """Whether what is joined to a name has an article of its own."""
        return self.low[name.end + self.joint(name.end)] in ARTICLES

    def _closes(self, name: Name) -> bool:
        """Whether no further name is joined to one."""
        gap = self.joint(name.end)
        return not gap or not forwards(self.tokens, name.end + gap).words

    def _written(self, group: Group) -> Iterator[_Claim]:
        """Denote by $T$ the temperature; write $n$ for the number of; with $q$ the charge."""
        link = self.match(BEHIND, group.end)
        at = group.end + link
        if self.low[at] in ("the", "a", "an"):
            is_said = self._promises(group.start, link) or link == 0 and self._leaves_out(group)
        else:
            is_said = self.low[group.start - 1] in WRITERS and self.low[group.end] == "for"
        if is_said:
            places = group.places if link or not self._leaves_out(group) else group.places[-1:]
            yield from self._named(self.symbols(places), at)

    def _promises(self, start: int, link: int) -> bool:
        """Whether the words before a formula are those of "denote by $T$ the"."""
        second, before = self.low[start - 2], self.low[start - 1]
        if before == "by":
            follows = second in ("and", ",") and self.denoted
            self.denoted |= link > 1 or second in DENOTES
            return link > 1 or second in DENOTES or follows
        if before == "with":
            return link <= 1
        if before == "given" and not link:
            return self.low[start + 1] in ("a", "an")
        if before == "to":
            return second in ("refer", "refers", "referring")
        return before in WRITERS and (link > 0 or before in ("call", "let", "define"))

    def _leaves_out(self, group: Group) -> bool:
        """Whether a verb is left out: where $m$ is the mass and $v$ the velocity; • $v$ a speed"""
        last = group.places[-1]
        before = self.low[last - 1]
        opens = before in BULLETS or not before
        follows = before in (",", "and") and (
            self.said or "with" in self.low[max(0, last - FAR) : last]
        )
        closes = self.low[forwards(self.tokens, group.end).end] in (*CLOSERS, "and", "")
        return (opens or follows) and closes

    def _listed(self, group: Group) -> Iterator[_Claim]:
        """$p$: pressure, $p$ = pressure, and rows of tables."""
        separator, before = self.low[group.end], self.low[group.start - 1]
        is_number = separator == "number" and self.low[group.end + 1] == "of"
        if separator not in SEPARATORS and not is_number or len(group.places) > 1:
            return
        is_row = not before or before in BULLETS or before in (",", ".") and self.said
        is_equal = separator == "=" and not is_formula(before or " ")
        formula = self.formula(group.start)
        if (is_row or is_equal) and not formula.is_value and len(formula.symbols) == 1:
            behind = group.end + (not is_number)
            behind += separator == self.low[behind] == "-"  # two of them are a dash
            name = forwards(self.tokens, behind, any_head=is_row)
            if name.words:
                yield _Claim(LISTED, formula.symbols[0], name.words)

    def _explained(self, group: Group) -> Iterator[_Claim]:
        """$n$ (number of points); $n$, the dimension of $y$."""
        in_brackets = self.low[group.end] == "("
        name = forwards(self.tokens, group.end + 1)
        if not name.words or not name.is_whole:
            return
        if in_brackets and self.low[name.end] not in (")", ",", ";"):
            return
        if not in_brackets and not self._is_aside(group, name):
            return
        formula = self.formula(group.places[-1])
        if len(formula.symbols) == 1 and (not formula.rest or as_map(formula.rest)):
            strength = BRACKETED if in_brackets else EQUATED
            yield _Claim(strength, formula.symbols[0], name.words)

    def _is_aside(self, group: Group, name: Name) -> bool:
        """Whether a name between commas is about the formula before it."""
        has_verb = self.low[0] in PREPOSITIONS and not BE.isdisjoint(self.low[: group.start])
        if self.low[group.end + 1] not in ARTICLES or self.low[0] in SUBORDINATE and not has_verb:
            return False  # For all $x$, the ..
        if self.low[group.start - 1] == "," or is_formula(self.low[name.end + 1]):
            return False  # the tensor, $R_i$, the scalar, $R$,
        return self.low[name.end] in (",", ".", ";", ")", "")

    def _counted(self, group: Group) -> Iterator[_Claim]:
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
        formula = self.formula(group.places[-1])
        if first in VERB_LIKE or len(formula.symbols) != 1 or formula.is_applied:
            return  # each row of $P$ sums to 1
        symbol = formula.symbols[0]
        if symbol.base[-1] in COUNTS and not symbol.upper:
            yield _Claim(COUNT, symbol, ["number", "of", *words])

    def _tabled(self, groups: Sequence[Group]) -> Iterator[_Claim]:
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
            name, symbols = self.cell(group.end, end, any_head=True), self.symbols(group.places)
            if name and len(symbols) == 1:
                yield _Claim(LISTED, symbols[0], name)

    def _alone(self, token: str) -> Iterator[_Claim]:
        """$f: X \\to Y$; an $n$-dimensional space."""
        latex = self.latex_of(token)
        has_dimension = token[1:].lower() == "-dimensional"
        if not has_dimension and ":" not in latex and "colon" not in latex:
            return
        formula = introduced(latex)
        if len(formula.symbols) == 1 and has_dimension:
            yield _Claim(COUNT, formula.symbols[0], ["dimension"])
        elif len(formula.symbols) == 1 and (phrase := as_map(formula.rest)):
            yield _Claim(MAP, formula.symbols[0], phrase.split())

    # -- before a formula ----------------------------------------------------------------------

    def _before(self, group: Group) -> Iterator[_Claim]:
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
        elif last == ":":
            are_plain = not any(self.formula(at).rest for at in group.places)
            if are_plain and len(self.symbols(group.places)) > 1:  # the frequencies: $f$ and $g$
                yield from self._apposed(group, start - 1, EQUATED)
        elif last == "of":
            yield from self._measured(group)
        elif last:
            yield from self._apposed(group, start, None)
            yield from self._given(group)

    def _apposed(self, group: Group, end: int, strength: float | None) -> Iterator[_Claim]:
        """The density $\\rho$; the density ($\\rho$); the density, $\\rho$,."""
        words, kind, owned, lead = backwards(self.tokens, end)
        formula = self.formula(group.start)
        if not words or _is_locus(formula, words):
            return
        if end < group.start and not _is_plain(formula):
            if self.low[0] in SUBORDINATE or lead in BE or not _tells(formula, words):
                return
        if strength == EQUATED and (kind != "article" and not owned or lead in WITHIN):
            return
        plural = is_plural(words[-1].lower())
        places = group.places if plural and self._is_uniform(group) else group.places[:1]
        symbols = self.symbols(places)
        if not symbols or len(symbols) > 1 and not plural:
            return
        if formula.is_family and len(formula.symbols) > 1:
            if len(group.places) > 1 or singular(words)[-1].lower() in TUPLES:
                return
        if owned and _owns(owned, words, symbols[0], is_aside=strength == EQUATED):
            words, kind = owned, "owner"
        elif strength == EQUATED and kind != "article":
            return
        words = singular(words)
        yield from (_Claim(strength or STRENGTHS[kind], symbol, words) for symbol in symbols)

    def _measured(self, group: Group) -> Iterator[_Claim]:
        """A distance of $d$."""
        words, kind, _, _ = backwards(self.tokens, group.start - 1)
        symbols, at = self.symbols(group.places), group.start - 2 - len(words)
        is_property = bool(words) and words[-1].lower() in PROPERTIES - OPEN_ENDED
        if kind == "article" and is_property and len(symbols) == 1:
            if self.low[at] in ("a", "an") and not self.formula(group.start).is_value:
                yield _Claim(BARE, symbols[0], words)

    def _is_uniform(self, group: Group) -> bool:
        """Whether formulas in a list are of one kind: $x$ and $y$, but not $x$ and $f(x)$."""
        formulas = [self.formula(at) for at in group.places]
        return len({(f.is_applied, bool(f.symbols)) for f in formulas}) == 1

    def _given(self, group: Group) -> Iterator[_Claim]:
        """The mass is denoted by $m$; a point, say $x$; the mass is $m$; denote the mass by $m$."""
        formula = self.formula(group.start)
        if self.low[group.start - 1] not in LINKS or len(formula.symbols) != 1:
            return
        words, strength = self._name_given(group, formula)
        if words:
            yield _Claim(strength, formula.symbols[0], words)

    def _name_given(self, group: Group, formula: Formula) -> tuple[list[str], float]:
        end = self.left_of(GIVEN, group.start)
        if end < group.start:
            self.denoted |= self.low[group.start - 1] == "by"
            if self.low[end - 1] in ("is", "are", "be"):
                return self.subject(end - 1 - (self.low[end - 2] == "will")), SAID
            return backwards(self.tokens, end - (self.low[end - 1] == ",")).words, SAID
        end = self.left_of(EQUALS, group.start) - 1
        if self.low[end] not in ("is", "are", "be"):
            return self._denoted(group.start - 1), SAID
        words = self.subject(end) if self._equates(group, formula) else []
        return singular(words) if words and self.low[end] == "are" else words, EQUATED

    def _equates(self, group: Group, formula: Formula) -> bool:
        """Whether "the mass is $m$" ends with the formula."""
        closes = self.low[group.places[0] + 1] in CLOSERS | {""}
        return closes and not formula.is_value and (not formula.rest or formula.is_equation)

    def _denoted(self, end: int) -> list[str]:
        """Denote the mass by; .. denoted by $m$, and the speed by."""
        if self.low[end] not in ("by", "as", "with"):
            return []
        for at in range(end - 1, max(-1, end - FAR), -1):
            if self.low[at] in ("denote", "denoting", "denotes"):
                return self.cell(at + 1, end)
            if self.denoted and self.low[at] in SUBJECT_ARTICLES:
                return self.cell(at, end) if self.low[at - 1] in ("and", ",") else []
        return []

    def led_to(self) -> list[str]:
        """What the sentence, which a display follows, says that the display is."""
        end = len(self.tokens)
        while end and self.low[end - 1] == ":":
            end -= 1
        verb = self.left_of(READS, end)
        if verb < end:
            return self.subject(verb)
        for at in range(end - 1, max(0, end - FAR), -1):
            if self.low[at] in SUBJECT_ARTICLES and self.low[at - 1] in INTRODUCES:
                name = forwards(self.tokens, at)
                return name.words if name.is_whole and name.end == end else []
        return []


# what may come behind a formula that is defined, by the first token of it
PATTERNS: dict[str, list[Callable[[_Reading, Group], Iterator[_Claim]]]] = defaultdict(list)
for _words, _pattern in (
    ({*NAMING, *EQUATING, ",", "("}, _Reading._verbed),
    ({*BEHIND, "the", "a", "an"}, _Reading._written),
    ({*SEPARATORS, "number"}, _Reading._listed),
    ({",", "("}, _Reading._explained),
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
        if noun == "number" and len(words) > 1 and words[-2].lower() not in NUMBER_KINDS:
            return False  # the chromatic number $\\chi(G)$
        return noun in (LOCI if formula.rest else VALUES) or formula.symbols[0].is_word
    return formula.is_value or not _is_plain(formula) and noun in LOCI


def _tells(formula: Formula, words: Sequence[str]) -> bool:
    """The energy, $E = m c^2$, is that of E; the equation, $E = m c^2$, is not."""
    noun, is_one = words[-1].lower(), formula.is_equation and not formula.is_value
    return is_one and noun not in NAMELESS | LOCI | MUTE and not is_plural(noun)


def _owns(owned: Sequence[str], owner: Sequence[str], symbol: Symbol, *, is_aside: bool) -> bool:
    """Whether a letter is the density rather than the fluid of "the density of the fluid"."""
    of = owned.index("of")
    noun, letter = owned[of - 1].lower(), symbol.base[-1]
    is_each = owned[of + 1].lower() in ("each", "every")  # the mass of each body $x_i$
    if letter in LETTERS.get(noun, ()):
        return True
    if letter.lower() == owner[-1][0].lower() or is_plural(owner[-1].lower()):
        return False
    is_aside &= owner[-1].lower() not in OBJECTS
    return letter.lower() == noun[0] or is_aside or is_each and bool(symbol.lower)
