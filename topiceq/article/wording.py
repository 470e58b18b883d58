r"""The words by which prose says what a symbol is: tables, without any logic.

Phrases of several words stand under their first one, the longest first; the rest are sets of single
words. definitions.py reads sentences with them.
"""

from collections import defaultdict

from topiceq.article.commands import GREEK
from topiceq.article.nouns import PREPOSITIONS

Phrases = dict[str, list[tuple[str, ...]]]

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


NUMBER_KINDS = frozenset("real complex natural rational integer whole prime".split())


def _phrases(*lines: str) -> Phrases:
    """Phrases of several words by their first one, the longest first."""
    table: Phrases = defaultdict(list)
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
BE = frozenset("is are be was were being will".split())
# between a verb and the rest of it they change nothing: "is usually denoted by"
ADVERBS = frozenset(
    """usually often commonly typically generally sometimes conventionally traditionally frequently
    customarily normally occasionally variously simply always just""".split()
)
PLURAL_VERBS = frozenset(
    "are be being denote denoting represent representing stand designate refer will".split()
)
FILLERS = frozenset(
    "also again now simply just usually respectively both here then still ,".split()
)
LEADS = frozenset("where wherein here let letting and with assume suppose if when whenever".split())
THAT = frozenset("assume suppose such assuming supposing".split())
OPENERS = frozenset(
    """, ; : ( – — … and or but that then so thus hence since because as if when therefore where
    here also now moreover furthermore let suppose assume while whereas""".split()
)
# denote by $m$ the mass
BEHIND = _phrases("we denote, we mean, we will denote, for, as, to be, being, to denote")
WRITERS = frozenset(
    "write writing writes call calling calls define defining use using uses reserve let".split()
)
DENOTES = frozenset("denote denotes denoted denoting".split())
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
# in front of a formula they say nothing of it: the variable $x$ is the position
MUTE = frozenset(
    """equation formula expression notation term variable quantity symbol parameter letter factor
    coefficient function constant number value""".split()
)
THESE = frozenset("the this these that which it what".split())
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
