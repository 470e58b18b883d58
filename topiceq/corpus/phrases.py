"""Finding names of concepts in prose: phrases from a list, counted in sentences.

In go a list of phrases (one a line, lower case, singular) and sentences; out come the phrases that
the sentences hold, singular or plural, longest match first, without overlaps. Upper case, accents,
possessives and hyphens make no difference; inline math and punctuation end a phrase.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from topiceq.article.nouns import plurals
from topiceq.corpus.vocab import Vocab, most_frequent

_MATH = re.compile(r"\$[^$]*\$")
_POSSESSIVE = re.compile(r"['’`]s?\b|['’`]")
# written with and without a hyphen, and never a word of their own: "non-linear" is no "linear"
_PREFIX = re.compile(
    r"\b(anti|auto|bi|co|counter|hyper|infra|inter|meta|micro|multi|non|pre|pseudo|quasi|re|semi|"
    r"sub|super|trans|ultra|uni)-(?=\w)"
)
_WORD_OR_MARK = re.compile(r"[^\W_]+|[^\w\s\-‐‑–—]")
_BREAK = " | "  # what inline math leaves behind: a mark that no phrase contains

_PREPOSITIONS = frozenset("of in on at by for with to from over under between".split())


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a sentence, in the one spelling that is compared.

    >>> split_words("By Noether's theorem, the $k$ non-linear Schrödinger equations hold.")[:6]
    ['by', 'noether', 'theorem', ',', 'the', '|']
    """
    text = _MATH.sub(_BREAK, text).lower()
    if not text.isascii():
        text = _without_accents(text)
    text = _POSSESSIVE.sub("", text)
    if "-" in text:  # most sentences have none, and the search for prefixes is the slowest part
        text = _PREFIX.sub(r"\1", text)
    return _WORD_OR_MARK.findall(text)


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ø", "o"))
    return "".join(part for part in parts if not unicodedata.combining(part))


class Matcher:
    """Finds the phrases of a list in sentences, in one pass over a tree of words.

    >>> Matcher(["random matrix", "random matrix theory", "moment of inertia"]).find(
    ...     "Random-matrix theory, random matrices and moments of inertia")
    ['random matrix theory', 'random matrix', 'moment of inertia']
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        self._tree: dict[str, Any] = {}  # word -> tree; "" -> the phrase that ends here
        spelled = [(phrase, split_words(phrase)) for phrase in phrases]
        for phrase, words in spelled:
            self._add(words, phrase)
        # after all singulars, so that "base" in the list is not lost to the plural of "basis"
        for phrase, words in spelled:
            for form in _plural_forms(words):
                self._add(form, phrase)

    def _add(self, words: list[str], phrase: str) -> None:
        tree = self._tree
        for word in words:
            tree = tree.setdefault(word, {})
        if words:
            tree.setdefault("", phrase)

    def find(self, text: str) -> list[str]:
        """The phrases in the text, as they are written in the list, in reading order."""
        words = split_words(text)
        found: list[str] = []
        at = 0
        while at < len(words):
            phrase, length = self._longest(words, at)
            if phrase:
                found.append(phrase)
            at += length
        return found

    def _longest(self, words: list[str], start: int) -> tuple[str, int]:
        """The longest phrase that starts here and its length; ("", 1) if there is none."""
        tree, phrase, length = self._tree, "", 1
        for at in range(start, len(words)):
            if words[at] not in tree:
                break
            tree = tree[words[at]]
            if "" in tree:
                phrase, length = tree[""], at - start + 1
        return phrase, length


def _plural_forms(words: list[str]) -> Iterator[list[str]]:
    """The phrase with its last word in the plural, and the noun before the first preposition."""
    places = {len(words) - 1}
    places |= {at - 1 for at, word in enumerate(words) if word in _PREPOSITIONS and at > 0}
    for at in sorted(place for place in places if place >= 0):
        for form in plurals(words[at]):
            yield [*words[:at], form, *words[at + 1 :]]


def phrase_vocab(sentences: Iterable[str], matcher: Matcher, size: int = 2_000) -> Vocab:
    """The `size` phrases that occur most often in the sentences (paper: 2,000)."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(matcher.find(sentence))
    return Vocab(most_frequent(counts, size))
