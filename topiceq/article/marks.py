"""Marks in prose: what a page sets in another way, and a corpus reads as if it were not there.

They are characters of Unicode's private area, which no text uses. Prose that is analysed must look
as in a corpus, so `without` takes them out again.
"""

import re
from typing import NamedTuple


class Mark(NamedTuple):
    """What opens a mark, and what closes it."""

    opens: str
    closes: str

    def around(self, text: str) -> str:
        """The text between the marks."""
        return self.opens + text + self.closes


EMPHASIS, STRONG, CODE = (
    Mark("\ue000", "\ue001"),
    Mark("\ue002", "\ue003"),
    Mark("\ue004", "\ue005"),
)
HEAD = Mark("\ue006", "\ue007")  # the head of a theorem, a proof, an abstract
LABEL = Mark("\ue008", "\ue009")  # what stands before an item of a list
REFERENCE = Mark("\ue00a", "\ue00b")  # around the key of what is referred to, and how
CITATION = Mark("\ue00c", "\ue00d")  # around how works are cited, what stands beside, their keys
FLOAT = Mark("\ue00e", "\ue00f")  # around the number of a figure or a table
MARKS = (EMPHASIS, STRONG, CODE, HEAD, LABEL, REFERENCE, CITATION, FLOAT)
PARTED = "\ue010"  # between the parts of a reference or citation
READ = "…"  # begins a citation that is part of the sentence

_ANY = re.compile("[\ue000-\ue010]")
_ASIDE = re.compile(
    "[\ue006\ue008][^\ue006-\ue009]*[\ue007\ue009]|\ue00c(?!…)[^\ue00d]*\ue00d|\ue00e[^\ue00f]*\ue00f"
)  # heads, labels, citations that are not read, floats
_REFERENCE = re.compile("\ue00a[^\ue00b]*\ue00b|\ue00c…[^\ue00d]*\ue00d")


def without(text: str) -> str:
    """The text as a corpus has it: no heads, no labels, an ellipsis for what is referred to.

    >>> without(HEAD.around("Lemma 1.") + " By " + REFERENCE.around("eq:a") + " it is "
    ...         + EMPHASIS.around("flat") + CITATION.around("" + PARTED + "knuth"))
    ' By … it is flat'
    """
    return _ANY.sub("", _REFERENCE.sub("…", _ASIDE.sub("", text)))
