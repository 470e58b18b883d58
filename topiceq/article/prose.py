r"""Prose in, sentences out; a sentence in, words out; `Text`: the sentences around each display.

Prose is text in which inline math stands between dollar signs and a display is one `DISPLAY`
character, followed by the full stop that ended it, if any. A paragraph ends a sentence, unless a
display beside its blank line goes on with it; so does a display before a capital letter. The rules
are checked against Eq. (3), Fig. 2, et al., initials, decimals, and sentences that begin or end
with a formula.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from topiceq.article.pieces import APART, Display, Heading, Piece, Prose

DISPLAY = "\ufffc"

ABBREVIATIONS = frozenset(
    "eq eqs eqn eqns fig figs sec secs sect ch chap chaps thm thms lem prop props cor def defn ref "
    "refs no nos vol vols pp p pg al cf e.g i.e eg ie viz w.r.t wrt s.t vs v approx ca dr mr mrs "
    "ms prof st ex exs app alg tab rem conj ed eds op cit ibid incl esp assoc dept univ proc "
    "trans phys rev lett jour comp acad sci amer soc ser appl bull ann phd ph.d const coeff temp "
    "freq max min avg seq et resp obs num art par obj mt ft lt gen col capt hon rep sen gov "
    "n.b equ equs".split()
)
# of journals and institutes; a word of its own in lower case
TITLES = frozenset("Phys Math Chem Astrophys Astron Nucl Mech Biol Opt Geophys Stat Int Ec".split())
MAY_END = frozenset("etc a.e a.s i.i.d iid resp q.e.d u.s u.k inc ltd co jr sr et.al".split())

UNITS = frozenset("K C F V A N W J T H sec min hr ft in max".split())  # behind a number

_BOUNDARY = re.compile(
    rf"\n\s*\n"
    rf"|[.!?](?:\$|[\"'”’)\]}}]+)?(?=[\s{DISPLAY}]|$)"
    rf"|{DISPLAY}[,;:]?(?=\s+(?:[A-Z][a-z]|[A-Z]\s|[“\"]?[A-Z][a-z]+))"
)
_LAST_WORD = re.compile(r"(?P<number>[$\d]\s?)?\b(?P<word>[^\W\d_][\w.’'-]{0,99})\.$")
_STARTS = re.compile(r"\s*[“\"'‘`(\[]*(?:[A-Z0-9$" + DISPLAY + r"…]|[^\x00-\x7f\W])")
# what no surname is: "in R. The", but "R. Penrose"
_OPENS = re.compile(
    r"\s+(?:The|This|That|These|Those|There|Then|Thus|Therefore|Hence|Here|However|For|From|In|If|It|Its"
    r"|Is|We|Our|You|Your|They|A|An|As|At|By|To|On|Of|So|Since|Such|Some|When|Where|While|Which|With|And"
    r"|But|Because|Note|Let|Now|All|Any|Each|Every|One|Two|Both|Not|No|Using|Suppose|Assume|Consider|Given"
    r"|Define|Moreover|Furthermore|Also|Similarly|Finally|First|Second|Next|Recall)\b"
)
_THAT_IS = re.compile(r"\b[iIeE]\.\s[eg]\.$")  # "i. e."
_INITIALS = re.compile(r"[A-Z]|(?:[A-Za-z]\.)+[A-Za-z]")
_MATH = re.compile(r"\$[^$]*\$")
_MATH_PARTS = re.compile(r"(\$[^$]*\$)")
_DOTS = re.compile(r"…(?:[\s./–-]*…)+")
_SPACE_BEFORE = re.compile(r" ([,.;:!?)])(?!\w)")  # but "the .xml file"
_SPACE_BEHIND = re.compile(r"([(\[]) (?=…)")
_GOES_ON = re.compile(DISPLAY + r"\.(?=\s+[a-z])")  # "is .. . where"
_EMPTY = re.compile(
    r"(?<=[\w)$…])\s+[(\[][\s,;]*[)\]]|(?<=\w\.)\.(?=\s|$)|(?<=,)(?<!,,)(?:\s*,)+(?=\s)"
    r"|\s?,(?=\s?\.(?:\s|$))|(?<=\()\s*[;,]\s*(?=[^\W\d_])"
)
_BULLET = re.compile(r"(?:[-–—*•▪◦·+#]+\s+)+")
_QUOTED = re.compile(r"`([^`']{1,80})'(?!\w)")
_WORD = re.compile(r"[a-z]+(?:[-'][a-z]+)*")
_HAS_WORD = re.compile(r"[^\W\d_]{2,}")
# characters of a sentence that are read around its displays, in all and for each at least: one with
# a thousand displays is no sentence, and would be read a thousand times
ALL_HALVES, LEAST_HALF = 500_000, 200


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end.

    >>> text = "By Eq. (3) we have $x = 1.5$. Then $y$ follows, see Smith et al. for more."
    >>> [text[a:b] for a, b in sentences(text)]
    ['By Eq. (3) we have $x = 1.5$.', 'Then $y$ follows, see Smith et al. for more.']
    """
    masked = _MATH.sub(_mask, text)
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(masked):
        if _ends_sentence(masked, start, match):
            _add(spans, text, start, match.end())
            start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _mask(match: re.Match[str]) -> str:
    """Hide what is inside a formula, but show whether it ends in a full stop."""
    inner = match[0]
    if len(inner) < 3:
        return inner
    last = inner[-2] if inner[-2] in ".!?" else "x"
    return "$" + "x" * (len(inner) - 3) + last + "$"


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    found = match[0]
    if found[0] == DISPLAY or found[0] == "\n" and not _goes_on(text, start, match):
        return True
    if found[0] == "\n":
        return False
    rest = text[match.end() : match.end() + 60]
    if not rest.strip():
        return True
    if not _STARTS.match(rest):
        return False
    if found[0] != ".":
        return True
    before = text[max(start, match.start() - 30) : match.start() + 1]
    if _THAT_IS.search(before):
        return False
    word = _LAST_WORD.search(before)
    if word is None or (word["number"] and word["word"] in UNITS):
        return True
    return _may_stand_last(word["word"], rest)


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a blank line stands only in the source, beside a display of the same sentence."""
    if "\f" in match[0]:
        return False
    before = text[max(start, match.start() - 30) : match.start()].rstrip()
    behind = text[match.end() : match.end() + 30].lstrip()[:1]
    if behind == DISPLAY:
        return before[-1:] not in ("", ".", "!", "?") or _never_ends(before)
    return before.rstrip(".,;:")[-1:] == DISPLAY and behind.islower()


def _never_ends(before: str) -> bool:
    """Whether a full stop belongs to an abbreviation that something follows: "i.e." """
    word = _LAST_WORD.search(before)
    return bool(
        _THAT_IS.search(before) or word and word["word"].lower().rstrip(".") in ABBREVIATIONS
    )


def _may_stand_last(word: str, rest: str) -> bool:
    """Whether a full stop behind this word can end a sentence."""
    low = word.lower().strip(".'’-")
    if low in MAY_END:
        return bool(re.match(r"\s+[“\"(]*[A-Z]", rest))
    if low in ABBREVIATIONS or word in TITLES:
        return False
    return not _INITIALS.fullmatch(word) or bool(_OPENS.match(rest))


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Keep a span without the white space around it, if anything is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def without_math(sentence: str) -> str:
    """A sentence with its formulas taken out."""
    return _MATH.sub(" ", sentence) if "$" in sentence else sentence


def has_words(sentence: str) -> bool:
    """Whether a sentence says anything beside its formulas."""
    return _HAS_WORD.search(without_math(sentence)) is not None


def tidy(sentence: str) -> str:
    """One line, single spaces, other displays as an ellipsis, quotes and dashes as printed."""
    if DISPLAY in sentence:
        sentence = _GOES_ON.sub(DISPLAY, sentence).replace(DISPLAY, " … ")
    parts = _MATH_PARTS.split(" ".join(sentence.split()))
    parts[::2] = [_typeset(part) for part in parts[::2]]
    text = "".join(parts)
    if "…" in text:
        text = _SPACE_BEHIND.sub(r"\1", _DOTS.sub("…", text))
    text = _SPACE_BEFORE.sub(r"\1", text).lstrip(",.;: ")
    return text if text[:1].isalnum() else text[_bullet_end(text) :]


def _typeset(text: str) -> str:
    """Quotes and dashes as TeX prints them."""
    dashes = text.replace("---", "—").replace("--", "–")
    quoted = dashes.replace("``", "“").replace("''", "”")
    return _EMPTY.sub("", _QUOTED.sub(r"‘\1’", quoted) if "`" in quoted else quoted)


def _bullet_end(text: str) -> int:
    """Behind the marks of a list that somebody has typed."""
    found = _BULLET.match(text)
    return found.end() if found else 0


def words(sentence: str) -> list[str]:
    """The words of a sentence: lower case, accents folded, formulas left out.

    >>> words("Schrödinger's equation with $x$ is a non-linear one.")
    ['schrodinger', 'equation', 'with', 'is', 'non-linear', 'one']
    """
    text = without_math(sentence).lower()
    if not text.isascii():
        text = _folded(text.translate(_PLAIN))
    found = _WORD.findall(text)
    if "'" in text:
        found = [word.removesuffix("'s").rstrip("'") for word in found]
    return [word for word in found if len(word) > 1]


_PLAIN = str.maketrans({"…": " ", "“": '"', "”": '"', "‘": "'", "’": "'", "–": " ", "—": " ",
                        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})  # fmt: skip


def _folded(text: str) -> str:
    """Letters without their accents; what has no plain letter is left out."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


_COMMON = frozenset(
    "the of and to in is that for we with by be as are this it on can which an at from have".split()
)


def is_english(tokens: list[str]) -> bool:
    """Whether words are English prose: about a third of it are these words."""
    if len(tokens) < 20:
        return True
    return sum(word in _COMMON for word in tokens) >= 0.12 * len(tokens)


# -- the sentences around displays ----------------------------------------------------------------


class Text:
    """The text of one article, with the places of its displays and headings."""

    def __init__(self, id: str, pieces: Sequence[Piece]) -> None:
        self.id = id
        self.displays: list[tuple[int, Display]] = []
        self.headings: list[tuple[int, str]] = [(-1, "")]
        self._words: dict[str, list[str]] = {}
        self._tidy: dict[int, str] = {}
        parts: list[str] = []
        length = 0
        for piece in pieces:
            part = self._part(piece, length)
            parts.append(part)
            length += len(part)
        self.text = "".join(parts)

    def _part(self, piece: Piece, place: int) -> str:
        if isinstance(piece, Prose):
            return piece.text.replace(DISPLAY, " ")
        if isinstance(piece, Heading):
            self.headings.append((place, piece.text))
            return APART
        self.displays.append((place, piece))
        return DISPLAY + ("." if ends_sentence(piece) else "")

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each sentence begins and ends."""
        return sentences(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each sentence begins."""
        return [start for start, _ in self.spans]

    @cached_property
    def beginning(self) -> list[str]:
        """The first words, which tell the language."""
        return words(self.text[:5_000])

    def section(self, place: int) -> str:
        """The last heading before a place."""
        return self.headings[bisect_right(self.headings, (place, "")) - 1][1]

    def context(self, place: int, count: int) -> tuple[list[str], list[str]]:
        """The sentences before and after a display, the halves of its own among them."""
        own = self.own(place)
        left, right = self.halves(place)
        before = self._some(left, range(own - 1, -1, -1), count)
        after = self._some(right, range(own + 1, len(self.spans)), count)
        return before[::-1], after

    def halves(self, place: int) -> tuple[str, str]:
        """The sentence of a display before it and after it; of one with many displays, a part."""
        start, end = self.spans[self.own(place)]
        shared = bisect_right(self.places, end) - bisect_left(self.places, start)
        reach = max(LEAST_HALF, ALL_HALVES // max(1, shared))
        return (
            self.text[max(start, place - reach) : place],
            self.text[place + 1 : min(end, place + 1 + reach)].lstrip("."),
        )

    @cached_property
    def places(self) -> list[int]:
        """Where each display stands."""
        return [place for place, _ in self.displays]

    def own(self, place: int) -> int:
        """The number of the sentence that a display stands in."""
        return bisect_right(self.starts, place) - 1

    def words(self, sentence: str) -> list[str]:
        """The words of a sentence, which neighbouring displays share."""
        known = self._words.get(sentence)
        if known is None:
            known = self._words[sentence] = words(sentence)
        return known

    def _some(self, half: str, others: range, count: int) -> list[str]:
        """The half of the sentence that a display cuts, if it has words, and its neighbours."""
        found = [tidy(half)] if has_words(half) else []
        for i in others:
            if len(found) == count:
                break
            if sentence := self.sentence(i):
                found.append(sentence)
        return found

    def sentence(self, number: int) -> str:
        """A sentence as a reader would see it; empty if it has no words of its own."""
        known = self._tidy.get(number)
        if known is None:
            start, end = self.spans[number]
            text = self.text[start:end]
            known = self._tidy[number] = tidy(text) if has_words(text) else ""
        return known


def ends_sentence(display: Display) -> bool:
    """Whether a display closes with a full stop."""
    tokens = display.tokens
    for at in range(len(tokens) - 1, -1, -1):
        bare = tokens[at].strip()
        if bare and bare != "}" and not bare.startswith("\\"):
            return bare[-1] in ".?!" and not (bare == "." and tokens[at - 1] == "\\right")
    return False
