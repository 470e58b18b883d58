"""Noun phrases in prose, without a tagger: which words can name a quantity, where a name ends.

The nouns are the heads of the names of concepts (concepts.txt), in singular and plural. Prose
comes as tokens: words, punctuation, and formulas as one character each. A name is read forwards
from a place ("the mass of the particle") or backwards from a formula ("the mass $m$"); what is
doubtful is no name, because a wrong meaning is worse than none.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from topiceq.errors import CorpusError
from topiceq.remembering import remembering

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
    today now again itself themselves
    where's let's yields gives equals becomes plus minus times divided satisfy denote denotes call
    calls write writes mapping maps takes take assigns sends""".split()
)
# in front of a name they say nothing of it
LEADING = frozenset(
    """same first second third fourth other another new following above below given arbitrary
    corresponding resulting usual whole entire last next previous two three four several many few
    so-called well-known subsequent certain particular respective associated actual
    present current original exact unique suitable appropriate""".split()
)
# they name the writing, not what is written about; alone they say nothing
EMPTY = frozenset(
    """case equation expression formula condition inequality identity symbol notation letter
    fact form way result claim relation assumption choice example proof statement theorem lemma
    hypothesis question answer problem step section chapter figure table one thing kind sort
    idea reason sense note remark definition proposition corollary exercise subscript superscript
    contradiction consequence goal aim purpose method approach rest word name argument discussion
    paper book line page left right hand side top bottom pair triple tuple lot bit analog
    analogue shorthand item chapter appendix ref eq fig sec""".split()
)
# names only with more words, these in front of them or behind ("number of points"), those in front
COUNTING = frozenset("number value".split())
WEAK = frozenset("variable quantity term part factor object symbol unit".split())
# they end a name as words in -ed and -ing do: "vectors written in local coordinates"
PARTICIPLES = frozenset("written drawn given taken chosen known shown seen made held built".split())
# nor are those part of it that wait for a preposition: "velocity relative to the body"
POSTPOSED = frozenset(
    """relative parallel perpendicular proportional equal orthogonal tangential equivalent
    subject available necessary common similar independent prior next close relevant
    adjacent corresponding specific unique responsible inherent transverse""".split()
)
MORE_NOUNS = """week month year day hour minute season row column member centre center color colour
    parent child ancestor successor superset subset neighbour neighbourhood candidate camera
    vehicle landmark player agent firm worker household country patient unit item term part
    constructor composite marginal projector spacing length-scale timescale slot bin cell pixel
    number value variable quantity constant parameter index coefficient mass length
    width height depth amount rate size fraction share level distance position location time
    duration moment average mean sum product difference ratio price cost return income utility wage
    output input score reward loss risk count population sample observation outcome event feature
    label weight bias activation threshold step-size budget demand supply capital labor labour
    current voltage resistance user item query document token word sentence neuron layer head gate
    bar pdf cdf psd disc fibre arrow tracer tendency panel instant industry customer cut-off cutoff
    traveltime colatitude counterfactual topography lapse tune stream wedge minibatch prefactor
    scatter offset lifetime runtime bandwidth throughput
    buyer seller bidder trader bank asset bond stock contract individual host gene species molecule
    ion atom residue client server task job machine resource location region zone pixel frame
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
    isomorphism permutation parameter spectrum coefficient constant potential signal""".split()
)
# "the number of particles $N$" is all one name
COLLECTIVE = frozenset(
    """number set sequence family collection class space group algebra ring field category amount
    fraction proportion percentage rate ratio radius moment speed angle coefficient modulus centre
    center degree order density index matrix vector velocity mean sum share""".split()
)
# in front of a formula these may be verbs: "the function $f$ maps $x$", "set $x = 1$"
VERB_LIKE = frozenset(
    """set map state return output input sample measure estimate order limit cost result weight
    model scale power change label count value force point function place project plot sum move
    cover cut cause fit face test increase decrease integrate compute fix note cross contour use
    name factor range share form process index design trace study view show stress time pair
    transform product plus question claim bound partition""".split()
)
# alone behind "is" they may say how it is rather than what it is: "where $f$ is complex"
HOW = frozenset(
    """complex ideal integral normal prime constant square variable maximum minimum parallel flat
    characteristic invariant positive negative zero one odd even free open principal dual dense
    independent dependent individual local compact perfect dominant residual transverse transient
    singular diagonal exact present current unknown general universal fixed equivalent orthogonal
    function-like given adjoint inverse unit""".split()
)
NUMBERS = frozenset("two three four five six several both all".split())
# of "the density of the fluid $\rho$" the letter tells that it is the density
LETTERS = {
    name: frozenset(letters.split())
    for name, letters in {
        "mass": "m M", "density": r"\rho n", "temperature": r"T \theta", "pressure": "p P",
        "velocity": "v u V U", "speed": "v u c", "energy": r"E e U \epsilon \varepsilon",
        "momentum": "p P", "frequency": r"f \omega \nu \Omega", "wavelength": r"\lambda",
        "angle": r"\theta \phi \varphi \alpha \beta \psi \gamma", "length": "l L \\ell",
        "radius": "r R a", "charge": "q Q e", "volume": "V v", "area": "A S a", "height": "h H z",
        "width": r"w W \sigma \Gamma \Delta", "scatter": r"\sigma", "spread": r"\sigma",
        "dispersion": r"\sigma", "uncertainty": r"\sigma \delta \Delta", "bar": r"\sigma",
        "error": r"e \sigma \epsilon", "fraction": r"f x \phi \Omega \eta",
        "efficiency": r"\eta \epsilon",
        "decay": r"\lambda \gamma", "tension": r"T \sigma \gamma", "stress": r"\sigma \tau",
        "strain": r"\epsilon \varepsilon \gamma", "torque": r"\tau", "flux": r"F \Phi \phi",
        "phase": r"\phi \varphi \delta \theta", "time": r"t T \tau", "lifetime": r"\tau",
        "resistivity": r"\rho", "conductivity": r"\sigma \kappa k", "susceptibility": r"\chi",
        "depth": "d D h", "thickness": "d t h", "mean": r"\mu", "weight": "w W",
        "variance": r"\sigma", "deviation": r"\sigma", "viscosity": r"\mu \nu \eta",
        "amplitude": "A a", "period": "T P", "distance": "d r D R", "size": "n N",
        "order": "n p q k m", "degree": "d n k", "dimension": "d n D N m", "rank": "r k n",
        "number": "n N m M k K", "diameter": "d D", "position": "x r X", "probability": "p P q",
        "entropy": "S H", "redshift": "z", "luminosity": "L", "intensity": "I", "rate": "r k R",
    }.items()
}  # fmt: skip
OPEN_ENDED = frozenset("size form type order dimension length kind degree class".split())
PROPERTY_LEADS = frozenset("of with has have having".split())
WORD = re.compile(r"[^\W\d_](?:[\w’']|[-–](?=\w))*")
LONGEST = 12  # words of a name
BEFORE = 4  # words of a name before a formula
PREFIXES = ("sub", "super", "micro", "macro", "eigen", "hyper", "wave", "time", "length")
SUFFIXES = ("tion", "sion", "ity", "ness", "ment", "ance", "ence", "ure", "ysis", "ology")
# of words that say how something is
_HOW = re.compile(
    r".+(?:ed|ing|ly|al|ar|ary|ic|ous|ive|able|ible|ent|ant|est|ful|less|ian|oid|ose|like|er)"
)
_ADJECTIVE = re.compile(
    r".+(?:ed|al|ar|ary|ory|ic|ous|ive|able|ible|ent|ant|est|ful|less|ian|oid)|"
    r"(?:sub|super|non|semi|quasi|pseudo|multi|cross|self|pre|post)-?.+|[A-Z].*|"
    r"(?:mean|free|total|net|real|true|high|low|large|small|long|short|new|step|smooth|finite|"
    r"infinite|random|inverse|convex|simple|sparse|dense|hidden|joint|prior|inner|outer|upper|lower|"
    r"unit|left|right|single|double|dark|cold|hot|wet|dry|fine|coarse|raw|bulk|cross|half|full)"
)


@cache
def nouns() -> dict[str, str]:
    """The words that can be the head of a name, in singular and plural, each with its singular."""
    heads = sorted(set(MORE_NOUNS) | {_head(phrase.split()) for phrase in load_phrases()})
    forms = {form: head for head in heads for form in plurals(head) if len(form) >= len(head) - 1}
    return {head: head for head in heads} | forms | {"data": "data"}  # nobody says datum


@cache
def _concepts() -> frozenset[str]:
    return frozenset(load_phrases())


def _head(words: Sequence[str]) -> str:
    """The noun of a name: what stands before its first preposition.

    >>> _head("moment of inertia".split())
    'moment'
    """
    return words[head_place(words)]


def head_place(words: Sequence[str]) -> int:
    """Where the noun of a name stands."""
    before = [at for at, word in enumerate(words) if word in PREPOSITIONS and at > 0]
    return before[0] - 1 if before else len(words) - 1


@remembering(1 << 14)
def is_noun(word: str) -> bool:
    """Whether a word can be the head of a name."""
    word = word.lower().rpartition("-")[2]
    return len(word) > 1 and (word in nouns() or word.endswith(SUFFIXES) or bool(_stem(word)))


def _stem(word: str) -> str:
    """The noun that a word ends with: subgrid; none if it begins in no usual way."""
    stem = next((word[len(start) :] for start in PREFIXES if word.startswith(start)), "")
    return stem if len(stem) > 3 and stem in nouns() else ""


def _may_be_noun(word: str) -> bool:
    """Whether a word that no list has can be a noun where one must stand: "is the week"."""
    return len(word) > 2 and word.isalpha() and word not in STOPS and not _HOW.fullmatch(word)


def is_plural(word: str) -> bool:
    """Whether a noun is one in the plural, as far as its form tells."""
    one = _one(word)
    if one != word or word in nouns():
        return one != word
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def singular(words: Sequence[str]) -> list[str]:
    """A name in the plural as that of one thing: `paths` -> `path`."""
    at = head_place([word.lower() for word in words])
    front, hyphen, noun = words[at].rpartition("-")
    one = _one(noun.lower())
    is_one = one == noun.lower() and one not in nouns()
    return [*words[:at], words[at] if is_one else front + hyphen + one, *words[at + 1 :]]


def named(words: Sequence[str], *, any_head: bool = False) -> list[str]:
    """The words of a name without what says nothing in front; none if they name nothing."""
    words = list(words)
    while words and words[0].lower() in LEADING | ARTICLES | NUMBERS:
        if len(words) == 1 and words[0].lower() == "current":  # of electrons
            break
        words.pop(0)
    if not words:
        return []
    place = head_place([word.lower() for word in words])
    head = _one(words[place].lower())
    if head in EMPTY and not _is_concept(words):
        return []
    if place == 0 and head in WEAK or len(words) == 1 and head in COUNTING:
        return []
    return words if is_noun(head) or any_head and _may_be_noun(head) else []


def _is_concept(words: Sequence[str]) -> bool:
    """Whether several words are the name of a concept: differential forms."""
    return len(words) > 1 and " ".join(singular(words)).lower() in _concepts()


def _one(noun: str) -> str:
    """A noun in the singular."""
    if noun not in nouns() and (stem := _stem(noun)):
        return noun.removesuffix(stem) + nouns()[stem]
    return nouns().get(noun, noun)


# -- forwards -------------------------------------------------------------------------------------


class Name(NamedTuple):
    """A name in a list of tokens."""

    words: list[str]  # none: there is no name
    end: int  # the token behind it
    is_whole: bool  # nothing was cut off behind


def forwards(tokens: Sequence[str], at: int, *, any_head: bool = False) -> Name:
    """The name that begins at a token; `any_head`: where a noun must stand, any word may be one."""
    words: list[str] = []
    end = _behind_remark(tokens, at)
    while end < len(tokens) and len(words) < LONGEST:
        after = tokens[end + 1] if end + 1 < len(tokens) else ""
        if not _goes_on(words, tokens[end], after):
            break
        words.append(tokens[end])
        end = _behind_remark(tokens, end + 1) if len(words) == 1 else end + 1
    trimmed = _trimmed(words)
    return Name(named(trimmed, any_head=any_head), end, len(trimmed) == len(words))


def _behind_remark(tokens: Sequence[str], at: int) -> int:
    """Behind a remark in brackets: "the (small) probability"."""
    if list(tokens[at : at + 1]) != ["("] or ")" not in tokens[at : at + 5]:
        return at
    end = tokens.index(")", at) + 1
    return end if end < len(tokens) and tokens[end][0].isalpha() else at


def _goes_on(words: list[str], word: str, after: str) -> bool:
    """Whether a name can have one more word; `after` is what comes behind it."""
    low = word.lower()
    if low in STOPS or not (word[0].isalpha() or is_formula(word)):
        return False
    behind = words[-1].lower() if words else ""
    if low in ARTICLES:
        return not words or behind in PREPOSITIONS
    if is_formula(word) and len(word) == 1:  # the velocity of particle $i$
        in_tail = any(w.lower() in PREPOSITIONS for w in words)
        return in_tail or is_noun(after) or not any(map(is_noun, words))
    return low not in PREPOSITIONS or bool(words) and behind not in PREPOSITIONS | ARTICLES


def _trimmed(words: list[str]) -> list[str]:
    """Without what hangs on behind: "the force acting on it" is a force."""
    words = list(words)
    while words and (words[-1].lower() in PREPOSITIONS | ARTICLES or _is_bare(words)):
        words.pop()
    if "between" in words:  # "and" ends a name, so one of the two is missing
        words = words[: words.index("between")]
    tail = next((at for at, w in enumerate(words) if w.lower() in PREPOSITIONS), len(words))
    for at in range(1, tail):
        ends = words[at].endswith(("ing", "ed")) and not _is_head(words, at)
        hangs = at == tail - 1 < len(words) - 1 and words[at] in POSTPOSED
        if (is_noun(words[at - 1]) or is_formula(words[at - 1])) and (
            ends or hangs or words[at] in PARTICIPLES
        ):
            return words[:at]
    return words


def _is_bare(words: list[str]) -> bool:
    """Whether the last word waits for something: "a matrix of size", "the states labelled"."""
    before, last = [word.lower() for word in words[-2:]] if len(words) > 1 else ("", "")
    if before == "of":
        return last in OPEN_ENDED
    if is_formula(before) and last.endswith(("ing", "ed")):  # a surface $S$ enclosing
        return True
    return len(words) > 2 and last.endswith("ed") and not is_noun(last)


def _is_head(words: list[str], at: int) -> bool:
    return at + 1 < len(words) and is_noun(words[at + 1]) and words[at + 1] not in PREPOSITIONS


# -- backwards ------------------------------------------------------------------------------------


class Before(NamedTuple):
    """A name that ends where a formula begins, and how sure it is one of that formula."""

    words: list[str]
    kind: str  # article, property, series, bare
    owned: list[str] = []  # of "the density of the fluid" the density
    lead: str = ""  # the word before the name, its article aside


NOTHING = Before([], "bare")


def backwards(tokens: Sequence[str], end: int) -> Before:
    """The name that ends at a token, in as many words as surely belong to it."""
    at = end
    while at > 0 and end - at <= BEFORE and is_inside(tokens[at - 1]):
        at -= 1
    words = list(tokens[at:end])
    if not 0 < len(words) <= BEFORE or not is_noun(words[-1]):
        return NOTHING
    lead_at = at - 2 if at > 1 and is_formula(tokens[at - 1]) else at - 1  # the $n \times n$ matrix
    lead = tokens[lead_at].lower() if lead_at >= 0 else ""
    if lead in ARTICLES:
        return _behind_article(tokens, lead_at, words)
    if lead in PROPERTY_LEADS and words[-1].lower() in PROPERTIES and len(words) < 3:
        return _whole_of(tokens, lead_at, words) or Before(named(words), "property")
    if lead in ("of", "per") and (whole := _whole_of(tokens, lead_at, words)):
        return whole
    return _bare(tokens, lead_at, words)


def _behind_article(tokens: Sequence[str], lead_at: int, words: list[str]) -> Before:
    article, before = tokens[lead_at].lower(), tokens[lead_at - 1].lower() if lead_at else ""
    how = words[-1].lower() in HOW - OBJECTS - {"prime"} and (
        len(words) == 1 or words[-1] != "current"
    )
    if _is_verb(article, words) or how:
        return NOTHING
    is_each = article in ("each", "every")
    if (
        not is_each
        and article not in DEFINITE
        or before != "of"
        or lead_at < 2
        or not is_noun(tokens[lead_at - 2])
    ):
        return Before(named(words), "article", lead=before)
    owned = [*_modified(tokens, lead_at - 1), "of", tokens[lead_at], *words]
    kind = "article" if is_each or _one(words[-1]) in OBJECTS else "bare"
    return Before(named(words), kind, named(owned), before)


def _is_verb(article: str, words: Sequence[str]) -> bool:
    """The complete graph covers $Y$."""
    last = words[-1].lower()
    if not is_plural(last) or len(words) < 2 or not is_noun(words[-2]):
        return False
    return article in ("a", "an", "each", "every") or _one(last) in VERB_LIKE


def _whole_of(tokens: Sequence[str], of: int, words: list[str]) -> Before | None:
    """The number of particles $N$, the moment of inertia $I$, the mass per unit length $m$."""
    if tokens[of] not in ("of", "per") or of < 1:
        return None
    noun = tokens[of - 1].lower()
    if tokens[of] == "per" and is_noun(noun) and (of > 1 or noun not in VERB_LIKE):
        return Before(named([*_modified(tokens, of), "per", *words]), "article")
    whole = " ".join([noun, "of", *words]).lower()
    if _one(noun) in COLLECTIVE and is_plural(words[-1].lower()) or whole in _concepts():
        return Before(named([*_modified(tokens, of), "of", *words]), "article")
    return None


def _modified(tokens: Sequence[str], end: int) -> list[str]:
    """A noun that ends here with its adjectives."""
    at = end - 1
    while at > 0 and end - at < 3 and is_modifier(tokens[at - 1]):
        at -= 1
    return list(tokens[at:end])


def _bare(tokens: Sequence[str], lead_at: int, words: list[str]) -> Before:
    """At time $t$, graph $G$; in a series: the mass $m$ and velocity $v$."""
    at = len(words) - 1
    opens = lead_at < 0 and not is_noun(words[0])  # "Consider graph $G$"
    while at > opens and (is_modifier(words[at - 1]) or _is_concept(words[at - 1 :])):
        at -= 1
    lead = words[at - 1].lower() if at else tokens[lead_at].lower() if lead_at >= 0 else ""
    noun = _one(words[-1].lower())
    if at == len(words) - 1:
        is_verb = noun in VERB_LIKE and (lead not in PREPOSITIONS or lead == "to")
        if is_verb or words[-1].lower() in HOW:
            return NOTHING
    in_series = at == 0 and lead in ("and", ",") and _behind_formula(tokens, lead_at)
    return Before(named(words[at:]), "series" if in_series else "bare")


def _behind_formula(tokens: Sequence[str], at: int) -> bool:
    """Whether "and", "," or ", and" at a token stands behind a formula."""
    at -= 2 if tokens[at] == "and" and tokens[at - 1] == "," else 1
    return at >= 0 and is_formula(tokens[at])


@remembering(1 << 14)
def is_modifier(word: str) -> bool:
    """Whether a word can stand before the noun of a name."""
    low = word.lower()
    if low in STOPS or low in LEADING or low in VERB_LIKE or low in PREPOSITIONS or low in ARTICLES:
        return False
    return is_noun(word) or _ADJECTIVE.fullmatch(word) is not None


@remembering(1 << 14)
def is_inside(word: str) -> bool:
    """Whether a word can be part of a name, read backwards."""
    if is_formula(word):
        return len(word) > 1  # $n$-dimensional
    return word[0].isalpha() and word.lower() not in STOPS | ARTICLES | PREPOSITIONS


def is_formula(word: str) -> bool:
    """Whether a word stands for a formula: a character of Unicode's private area."""
    return "\ue100" <= word < "\uf900"


# words, formulas with what hangs on them, numbers, signs; quotation marks are left out
TOKEN = re.compile(
    rf"[\ue100-\uf8ff](?:[’']?\w+|-\w[\w-]*)?|{WORD.pattern}|\d+(?:[.,]\d+)*|[^\s\w\"“”`‘’']"
)
