"""Noun phrases in prose, without a tagger: which words can name a quantity, where a name ends.

The nouns are the heads of the names of concepts (concepts.txt), in singular and plural. A
phrase is read forwards from an article ("the mass of the particle") or backwards from a formula
("the mass $m$"); what is doubtful is no phrase, because a wrong meaning is worse than none.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path

from topiceq.errors import CorpusError

CONCEPTS = Path(__file__).with_name("concepts.txt")
# ending of the singular -> endings of the plural; the first ending that fits gives the forms.
# Several forms for one ending are all tried: one that is no word costs nothing.
_PLURALS = (
    ("mouse", ("mice",)),
    ("child", ("children",)),
    ("foot", ("feet",)),
    ("genus", ("genera",)),
    ("corpus", ("corpora", "corpuses")),
    ("criterion", ("criteria", "criterions")),
    ("phenomenon", ("phenomena",)),
    ("automaton", ("automata", "automatons")),
    ("mitochondrion", ("mitochondria",)),
    ("ganglion", ("ganglia",)),
    ("taxon", ("taxa",)),
    ("hedron", ("hedra", "hedrons")),
    ("series", ("series",)),
    ("species", ("species",)),
    ("sis", ("ses",)),  # basis, hypothesis, analysis
    ("xis", ("xes",)),  # axis
    ("ix", ("ices", "ixes")),  # matrix, prefix
    ("ex", ("ices", "exes")),  # vertex, index, simplex; complex
    ("um", ("a", "ums")),  # spectrum, momentum, maximum; vacuum
    ("us", ("i", "uses")),  # torus, radius, modulus; virus
    ("eau", ("eaux", "eaus")),  # plateau
    ("ma", ("mata", "mas")),  # lemma, schema
    ("a", ("ae", "as")),  # formula, supernova
    ("z", ("zes", "zzes")),  # quartz, quiz
    ("fe", ("ves", "fes")),  # half-life, knife
    ("f", ("ves", "fs")),  # sheaf, leaf, half; proof
    ("ay", ("ays",)),
    ("ey", ("eys",)),
    ("oy", ("oys",)),
    ("y", ("ies", "ys")),  # symmetry, category
    ("o", ("os", "oes")),  # ratio, echo
    ("ch", ("ches", "chs")),  # branch; epoch
    ("sh", ("shes",)),
    ("ss", ("sses",)),
    ("x", ("xes",)),  # flux
    ("s", ("ses", "sses", "s")),  # gas, bus; already a plural
    ("", ("s",)),
)


def plurals(word: str) -> list[str]:
    """The plural forms that prose may use for a singular word.

    >>> plurals("matrix"), plurals("field"), plurals("symmetry")
    (['matrices', 'matrixes'], ['fields'], ['symmetries', 'symmetrys'])
    """
    ending, forms = next(rule for rule in _PLURALS if word.endswith(rule[0]))
    return [word.removesuffix(ending) + form for form in forms]


def load_phrases(path: Path = CONCEPTS) -> list[str]:
    """The phrases of a text file, one a line, each once; empty lines and # comments are skipped."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"The phrases '{path}' cannot be read: {error}.") from error
    stripped = (" ".join(line.lower().split()) for line in lines)
    phrases = list(dict.fromkeys(line for line in stripped if line and not line.startswith("#")))
    if not phrases:
        raise CorpusError(f"'{path}' has no phrases. Write one a line, lower case, singular.")
    return phrases


ARTICLES = frozenset(
    "the a an its their his her our this that these those some any each every".split()
)
PREPOSITIONS = frozenset(
    "of in per between from at on under with to over along across around through within by into "
    "for associated inside outside near above onto upon toward towards without beyond among".split()
)
# words that no name goes across
STOPS = frozenset(
    """and or but nor if then when where which that who whose whom while as is are was were be been
    being has have had do does did can could may might must shall should will would let we you they
    he she it i one there here so thus hence because since such than whether not no only also both
    either neither respectively using used via unless until after before during against about
    defined given obtained denoted called known chosen found taken computed measured evaluated
    satisfying satisfies is-a i.e e.g cf see say namely whereas although though however therefore
    where's let's yields gives equals becomes plus minus times divided satisfy denote denotes call
    calls write writes mapping maps takes take assigns sends""".split()
)
FUNCTION_WORDS = ARTICLES | PREPOSITIONS
ENDS = STOPS | FUNCTION_WORDS  # what no name holds, read backwards
# in front of a name they say nothing of it
LEADING = frozenset(
    """same first second third fourth other another new following above below given arbitrary
    corresponding resulting usual whole entire last next previous two three four several many few
    so-called well-known certain particular specific respective associated actual
    present current original exact unique suitable appropriate""".split()
)
# they name the writing, not what is written about; alone they say nothing
EMPTY = frozenset(
    """case equation term expression formula condition inequality identity symbol notation letter
    fact form way result claim relation assumption choice example proof statement theorem lemma
    hypothesis question answer problem step section chapter figure table one thing kind sort part
    idea reason sense note remark definition proposition corollary exercise
    contradiction consequence goal aim purpose method approach rest word name argument discussion
    paper book line page left right hand side top bottom pair triple lot bit analog
    analogue""".split()
)
WEAK = frozenset("number value variable quantity".split())  # names only with more words
MORE_NOUNS = """number value variable quantity constant parameter index coefficient mass length
    width height depth amount rate size fraction share level distance position location time
    duration moment average mean sum product difference ratio price cost return income utility wage
    output input score reward loss risk count population sample observation outcome event feature
    label weight bias activation threshold step-size budget demand supply capital labor labour
    """.split()
# "of mass m", "with probability p", "has degree d": a property, without an article
PROPERTIES = frozenset(
    """mass charge radius length order degree dimension rank size temperature velocity speed energy
    momentum frequency wavelength width height depth area volume density mean variance genus index
    spin rate duration strength angle weight age level characteristic exponent amplitude period
    thickness diameter slope cardinality probability pressure curvature intensity distance capacity
    concentration viscosity luminosity redshift wavenumber codimension multiplicity norm""".split()
)
DEFINITE = frozenset("the its their his her our this that these those".split())
# of "the kernel of the map $f$" the map is f; of "the mass of the particle $m$" the mass is m
OBJECTS = frozenset(
    """function map morphism matrix operator set space graph group ring field manifold sequence
    series curve surface polynomial vector tensor algebra module ideal sheaf functor category
    variety scheme distribution measure variable process algorithm model network equation
    interval domain region point path subset subspace subgroup bundle complex lattice tree
    vertex edge node event estimator kernel integral basis state system homomorphism
    isomorphism permutation""".split()
)
OPEN_ENDED = frozenset("size form type order dimension length kind degree class".split())
PROPERTY_LEADS = frozenset("of with has have having".split())
WORD = re.compile(r"[^\W\d_](?:[\w’']|-(?=\w))*")
LONGEST = 12  # words of a name
SUFFIXES = ("tion", "sion", "ity", "ness", "ment", "ance", "ence", "ure", "ysis", "ology")


@cache
def nouns() -> dict[str, str]:
    """The words that can be the head of a name, in singular and plural, each with its singular."""
    heads = sorted(set(MORE_NOUNS) | {_head(phrase.split()) for phrase in load_phrases()})
    return {head: head for head in heads} | {
        form: head for head in heads for form in plurals(head) if len(form) > len(head) - 1
    }


def _head(words: Sequence[str]) -> str:
    """The noun of a name: what stands before its first preposition.

    >>> _head("moment of inertia".split())
    'moment'
    """
    return words[_head_place(words)]


def _head_place(words: Sequence[str]) -> int:
    before = [at for at, word in enumerate(words) if word in PREPOSITIONS and at > 0]
    return before[0] - 1 if before else len(words) - 1


def is_noun(word: str) -> bool:
    """Whether a word can be the head of a name."""
    word = word.lower().rpartition("-")[2]
    return word in nouns() or word.endswith(SUFFIXES)


def is_plural(word: str) -> bool:
    """Whether a noun is one in the plural, as far as its form tells."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def singular(words: Sequence[str]) -> list[str]:
    """A name in the plural as that of one thing: `paths` -> `path`."""
    at = _head_place([word.lower() for word in words])
    return [*words[:at], nouns().get(words[at].lower(), words[at]), *words[at + 1 :]]


def named(words: Sequence[str]) -> list[str]:
    """The words of a name without what says nothing in front; none if they name nothing."""
    words = list(words)
    while words and words[0].lower() in LEADING | ARTICLES:
        words.pop(0)
    head = _head([word.lower() for word in words]) if words else ""
    alone = len(words) == 1
    if not words or head in EMPTY or not is_noun(head) or alone and head in WEAK:
        return []
    return words


def forwards(text: str, at: int) -> list[str]:
    """The name that begins at a place, as words; a formula is one character."""
    words: list[str] = []
    end = at
    tokens = list(islice(_TOKEN.finditer(text, at), LONGEST + 1))
    for found, following in zip_longest(tokens[:LONGEST], tokens[1:]):
        after = following[0] if following else ""
        if text[end : found.start()].strip() or not _goes_on(words, found[0], after):
            break
        words.append(found[0])
        end = found.end()
    return named(_trimmed(words))


def _goes_on(words: list[str], word: str, after: str) -> bool:
    """Whether a name can have one more word; `after` is what comes behind it."""
    low = word.lower()
    if low in STOPS:
        return False
    behind = words[-1].lower() if words else ""
    if low in ARTICLES:
        return not words or behind in PREPOSITIONS
    if is_formula(word) and len(word) == 1:  # the velocity of particle $i$
        in_tail = any(w.lower() in PREPOSITIONS for w in words)
        return in_tail or is_noun(after) or not any(map(is_noun, words))
    return low not in PREPOSITIONS or bool(words) and behind not in FUNCTION_WORDS


def _trimmed(words: list[str]) -> list[str]:
    """Without what hangs on behind: "the force acting on it" is a force."""
    words = list(words)
    while words and (words[-1].lower() in FUNCTION_WORDS or _is_bare(words)):
        words.pop()
    if "between" in words:  # "and" ends a name, so one of the two is missing
        words = words[: words.index("between")]
    tail = next((at for at, w in enumerate(words) if w.lower() in PREPOSITIONS), len(words))
    for at in range(1, tail):
        if is_noun(words[at - 1]) and words[at].endswith(("ing", "ed")) and not _is_head(words, at):
            return words[:at]
    return words


def _is_bare(words: list[str]) -> bool:
    """Whether the last word waits for something: "a matrix of size", "the states labelled"."""
    before, last = [word.lower() for word in words[-2:]] if len(words) > 1 else ("", "")
    if before == "of":
        return last in OPEN_ENDED
    return len(words) > 2 and last.endswith("ed") and not is_noun(last)


def _is_head(words: list[str], at: int) -> bool:
    return at + 1 < len(words) and is_noun(words[at + 1]) and words[at + 1] not in PREPOSITIONS


def backwards(text: str, end: int) -> list[str]:
    """The name that ends at a place: behind an article, or a property behind "of" or "with"."""
    words: list[str] = []
    before = _just_before(text, end)
    while before and _is_inside(before[0]):
        words.insert(0, before.pop(0))
    if before and is_formula(before[0]):  # the $n$ by $n$ matrix
        before.pop(0)
    if not 0 < len(words) <= 4 or not before or not is_noun(words[-1]):
        return []
    lead, noun = before[0].lower(), words[-1].lower()
    if lead in PROPERTY_LEADS and noun in PROPERTIES and len(words) < 3:
        return named(words)
    if lead in DEFINITE and before[1:2] == ["of"] and nouns().get(noun, noun) not in OBJECTS:
        return []  # the density of the fluid $\\rho$
    return named(words) if lead in ARTICLES else []


def _just_before(text: str, end: int) -> list[str]:
    """The words before a place with nothing but space between them, the nearest first."""
    words: list[str] = []
    for found in reversed(list(_TOKEN.finditer(text, max(0, end - 100), end))):
        gap = text[found.end() : end]
        if gap.strip() or not gap:
            break
        words.append(found[0])
        end = found.start()
    return words


def _is_inside(word: str) -> bool:
    """Whether a word can be part of a name, read backwards."""
    if is_formula(word):
        return len(word) > 1  # $n$-dimensional
    return word.lower() not in ENDS


def is_formula(word: str) -> bool:
    """Whether a word stands for a formula: a character of Unicode's private area."""
    return "\ue100" <= word[:1] <= "\uf8ff"


_TOKEN = re.compile(r"[\ue100-\uf8ff](?:-\w[\w-]*)?|" + WORD.pattern)
