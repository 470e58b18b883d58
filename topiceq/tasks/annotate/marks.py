"""Marks in prose: what is emphasised, what is a head, what refers to something.

Prose that is shown keeps them as characters of Unicode's private area, which no text uses; prose
that is analysed must look as in a corpus, so `without` takes them out again.
"""

import re
from typing import NamedTuple


class Pair(NamedTuple):
    """What opens a mark, and what closes it."""

    opens: str
    closes: str

    def around(self, text: str) -> str:
        """The text between the marks."""
        return self.opens + text + self.closes


EMPHASIS, STRONG, CODE = (
    Pair("\ue000", "\ue001"),
    Pair("\ue002", "\ue003"),
    Pair("\ue004", "\ue005"),
)
HEAD = Pair("\ue006", "\ue007")  # the head of a theorem, a proof, an abstract
LABEL = Pair("\ue008", "\ue009")  # what stands before an item of a list
REFERENCE = Pair("\ue00a", "\ue00b")  # around the key of what is referred to
PAIRS = (EMPHASIS, STRONG, CODE, HEAD, LABEL, REFERENCE)

_ANY = re.compile("[\ue000-\ue00b]")
_ASIDE = re.compile("[\ue006\ue008][^\ue006-\ue009]*[\ue007\ue009]")  # heads and labels
_REFERENCE = re.compile("\ue00a[^\ue00b]*\ue00b")


def without(text: str) -> str:
    """The text as a corpus has it: no heads, no labels, an ellipsis for what is referred to.

    >>> without(HEAD.around("Lemma 1.") + " By " + REFERENCE.around("eq:a") + " it is "
    ...         + EMPHASIS.around("flat"))
    ' By … it is flat'
    """
    return _ANY.sub("", _REFERENCE.sub("…", _ASIDE.sub("", text)))
