"""Phrases that say the same, whoever wrote them: one key for all their wordings.

`the masses of the particles` and `particle mass` have one key, and so have `colour` and `color`,
`wave-function` and `wave function`. Of a phrase with formulas in it, `the number of points in $A$`,
the words are left that say something without them.
"""

import re

from topiceq.article.nouns import (
    ARTICLES,
    COLLECTIVE,
    LEADING,
    NUMBERS,
    OPEN_ENDED,
    PREPOSITIONS,
    is_plural,
    nouns,
)
from topiceq.corpus.phrases import split_words
from topiceq.remembering import remembering

_FORMULA = re.compile(r"\$[^$]*\$\S*")
_MARKUP = re.compile(r"<[^>]{0,200}>|&\w+;|!!|[{}\\]")
_DROPPED = ARTICLES | LEADING | NUMBERS | frozenset("so called your my own".split())
# British and other spellings; what is no word of either kind does no harm in a key
_SPELLINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"is(e|ed|es|er|ing|ation)$", r"iz\1"),
        (r"ys(e|ed|er|ing)$", r"yz\1"),
        (r"our(?=$|ed|ing|hood|al|able)", "or"),
        (r"(?<=[a-z]{2})([tb])re$", r"\1er"),
        (r"logue$", "log"),
        (r"ae", "e"),
        (r"ll", "l"),
        (r"^grey", "gray"),
    )
)


@remembering(1 << 17)
def plain_phrase(phrase: str) -> str:
    """A phrase without formulas, markup and articles; empty if nothing is left.

    >>> plain_phrase("the number of points of order $k$"), plain_phrase("$n$-dimensional space")
    ('number of points', 'space')
    """
    words = _FORMULA.sub(" ", _MARKUP.sub(" ", phrase)).split()
    while words and words[0].lower() in _DROPPED:
        words.pop(0)
    while words and words[-1].lower() in PREPOSITIONS | ARTICLES:
        words.pop()
    while len(words) > 2 and words[-1].lower() in OPEN_ENDED and words[-2].lower() == "of":
        words = words[:-2]
    return " ".join(words)


@remembering(1 << 17)
def merged(phrase: str) -> str:
    """The key that all wordings of a phrase share.

    >>> merged("the masses of the particles"), merged("Particle mass"), merged("neighbour colour")
    ('particlemass', 'particlemass', 'neighborcolor')
    """
    return "".join(merged_words(phrase))


@remembering(1 << 17)
def merged_words(phrase: str) -> tuple[str, ...]:
    """The words of that key, the noun last.

    >>> merged_words("the masses of the heavy particles")
    ('heavy', 'particle', 'mass')
    """
    parts: list[list[str]] = [[]]
    for word in split_words(plain_phrase(phrase)):
        if word in PREPOSITIONS:
            parts.append([])
        elif word not in ARTICLES and word.isalnum():
            parts[-1].append(_spelled(word))
    return tuple(word for part in reversed(parts) for word in part)


def core_words(phrase: str) -> tuple[str, ...]:
    """The words without what hangs on the noun, where the noun says enough without it.

    >>> core_words("continuous function on a closed interval"), core_words("number of points")
    (('continuous', 'function'), ('point', 'number'))
    """
    words = plain_phrase(phrase).split()
    end = next((at for at, word in enumerate(words) if at and word in PREPOSITIONS), len(words))
    core = merged_words(" ".join(words[:end]))
    return merged_words(phrase) if not core or core[-1] in COLLECTIVE else core


@remembering(1 << 15)
def _spelled(word: str) -> str:
    known = nouns()
    one = known.get(word, word[:-1] if is_plural(word) else word)
    if one == word and word.endswith("s") and known.get(word[:-1]) == word[:-1]:
        one = word[:-1]  # "particles" heads a concept, too
    for pattern, plain in _SPELLINGS:
        one = pattern.sub(plain, one)
    return one
