"""What stands around the phrases of a lexicon: topics, words, other symbols.

In go the definitions of train articles, each with the number of its phrase (-1: of none); out come
the tables that a lexicon asks: how much more often than elsewhere something stands around a phrase,
as logarithms in steps. An article counts once for each phrase.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences
from topiceq.model.lexicon import LEAST_WORDS, PRIOR, STEP, Array, Floats, forms

SMOOTHING = 2.0  # articles about everything that each phrase has beforehand, of topics
NEIGHBOURS = 5  # sentences on each side whose symbols keep a definition company
FORMULAS = 12  # of its own sentence that are looked at
VOCABULARY = 10_000  # words
COMMON = 0.35  # of all definitions: a word that stands around more tells nothing
TELLING = 1.2  # a logarithm that is worth being kept
LETTERS = 128


@dataclass(frozen=True)
class DefinitionTable:
    """Definitions of one split, as columns."""

    symbols: list[Symbol]
    phrases: list[str]  # plain
    articles: list[str]
    fields: list[str]
    sentences: list[str]
    strengths: list[float]
    places: list[int]  # numbers of sentences
    words: list[list[str]]  # around each; of held-out ones without its sentence, as they are asked
    theta: Floats | None  # (definitions, K)

    def __len__(self) -> int:
        return len(self.symbols)


def once(train: DefinitionTable, of_phrase: Array, count: int) -> csr_matrix:
    """The share of each definition in its phrase, an article being one (phrases, definitions)."""
    articles = {name: number for number, name in enumerate(dict.fromkeys(train.articles))}
    own = np.array([articles[name] for name in train.articles])
    known = np.flatnonzero(of_phrase >= 0)
    _, pair, times = np.unique(
        of_phrase[known] * len(articles) + own[known], return_inverse=True, return_counts=True
    )
    shares = 1 / times[pair]
    return csr_matrix((shares, (of_phrase[known], known)), shape=(count, len(train)))


def affinities(share: csr_matrix, theta: Floats | None) -> Array:
    """log of p(topic | phrase) / prior in steps (phrases, K)."""
    if theta is None:
        return np.zeros((share.shape[0], 0), dtype=np.int8)
    prior = theta.mean(0, dtype=np.float64) + 1e-6
    mass = np.asarray(share.sum(1)).reshape(-1, 1) + SMOOTHING
    return _steps(np.log((share @ theta + SMOOTHING * prior) / mass / prior))


def _steps(logs: Array) -> Array:
    steps: Array = np.clip(np.round(logs / STEP), -127, 127).astype(np.int8)
    return steps


def wordings(
    share: csr_matrix, words: Sequence[Sequence[str]], uses: Array
) -> tuple[list[str], dict[str, Array]]:
    """By words: the phrases around which each stands, with log(1 + articles / expected)."""
    times = Counter(word for some in words for word in set(some) if len(word) > 1)
    rare = {word: count for word, count in times.items() if count <= COMMON * len(words)}
    vocabulary = sorted(word for word, _ in Counter(rare).most_common(VOCABULARY))
    there = _incidence(words, vocabulary)
    expected = PRIOR * np.asarray(there.mean(0)).ravel()
    counts = (share @ there).tocoo()
    logs = np.log1p(counts.data / expected[counts.col])
    kept = (logs >= TELLING) & (uses[counts.row] >= LEAST_WORDS)
    steps = np.minimum(np.round(logs[kept] / STEP), 255)
    by_word = csr_matrix(
        (steps, (counts.col[kept], counts.row[kept])), shape=(len(vocabulary), len(uses))
    )
    by_word.sort_indices()
    return vocabulary, {
        "wording_starts": by_word.indptr.astype(np.uint32),
        "wording_phrases": by_word.indices.astype(np.uint16 if len(uses) < 65_536 else np.uint32),
        "wording_steps": by_word.data.astype(np.uint8),
    }


def _incidence(sets: Sequence[Sequence[str]], names: Sequence[str]) -> csr_matrix:
    """1 where a set has a name (sets, names)."""
    number = {name: at for at, name in enumerate(names)}
    found = [sorted({number[one] for one in some if one in number}) for some in sets]
    ends = np.cumsum([0, *map(len, found)])
    ids = np.fromiter((at for some in found for at in some), np.int32, ends[-1])
    ones = np.ones(len(ids), dtype=np.float32)
    return csr_matrix((ones, ids, ends), shape=(len(sets), len(names)))


def companies(table: DefinitionTable) -> list[list[str]]:
    """The letters that keep each definition company: of its sentence, or defined nearby."""
    own = [forms(symbol)[2] for symbol in table.symbols]
    by_article: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for article, place, letter in zip(table.articles, table.places, own, strict=True):
        by_article[article][place].add(letter)
    found = []
    for at, (article, place) in enumerate(zip(table.articles, table.places, strict=True)):
        around = range(place - NEIGHBOURS, place + NEIGHBOURS + 1)
        defined = by_article[article]
        letters = _letters(table.sentences[at]).union(*(defined.get(n, ()) for n in around))
        found.append(sorted(letters - {own[at]}))
    return found


@lru_cache(maxsize=1 << 14)
def _letters(sentence: str) -> frozenset[str]:
    """The letters of a sentence's formulas."""
    formulas = sentence.split("$")[1::2][:FORMULAS]
    return frozenset(letter for latex in formulas for letter in _letters_of(latex))


@lru_cache(maxsize=1 << 16)
def _letters_of(latex: str) -> frozenset[str]:
    try:
        return frozenset(forms(one.symbol)[2] for one in occurrences(parse(latex)))
    except (NotNormal, RecursionError):
        return frozenset()


def company(share: csr_matrix, beside: Sequence[Sequence[str]]) -> tuple[list[str], Array]:
    """log of p(letter | phrase) / p(letter) in steps (phrases, letters)."""
    times = Counter(letter for some in beside for letter in some)
    letters = sorted(letter for letter, _ in times.most_common(LETTERS))
    there = _incidence(beside, letters)
    expected = np.asarray(there.mean(0)).ravel() + 1e-6
    mass = np.asarray(share.sum(1)).reshape(-1, 1) + PRIOR
    counts = np.asarray((share @ there).todense())
    return letters, _steps(np.log((counts + PRIOR * expected) / mass / expected))
