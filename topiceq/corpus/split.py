"""Train, valid or test: the split of each article.

In go articles with their fields, sizes and copies; out comes the number of each one's split. What
shares notation stays together: the articles of a repository, and copies of an article with all
that they lie with. In each field these are taken in the order of a hash of the seed and their name,
for test from its beginning, for valid from its end, as long as each brings the field nearer its
share; all others are train. So an article that is added moves only what lies in its own field, and
there only what the shares no longer have room for or now ask for.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

SPLITS = ("train", "valid", "test")
LARGE = 0.003  # of all pairs: an article that holds more is train, or it would be most of test
OWN = 10  # articles of a field that has shares of its own; smaller fields are dealt together
WIDE = 20  # articles of a field that is in every split, if need be by cutting a repository

_TRAIN, _VALID, _TEST = range(3)
_OLD_ARXIV = re.compile(r"[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")  # its slash is no folder

Integers = npt.NDArray[np.int64]
Shares = tuple[int, int, int]  # percent of train, valid and test


@dataclass(frozen=True)
class Articles:
    """What the split of an article depends on."""

    ids: Sequence[str]
    fields: Sequence[str]
    pairs: Integers  # of each, without duplicates
    copies: Integers  # the same number for articles that are copies


@dataclass(frozen=True)
class Bundle:
    """Articles that go to the same split, and their pairs by field."""

    name: str  # what is hashed
    articles: list[int]
    pairs: Counter[str]


def repository(id: str, field: str) -> str:
    """What an article shares its notation with: the folder behind its field, or itself.

    >>> repository("ml/d2l/chapter_1/index", "ml"), repository("d2l/chapter_1", "")
    ('d2l', 'd2l')
    >>> repository("ml/essay", "ml"), repository("hep-th/9901001", "")
    ('ml/essay', 'hep-th/9901001')
    """
    parts = id.split("/")
    below = parts[1:] if field == parts[0] else parts
    return below[0] if len(below) > 1 and not _OLD_ARXIV.fullmatch(id) else id


def split_of(name: str, split: Shares, seed: int | str) -> int:
    """The number of the split that the hash alone gives: 0 train, 1 valid, 2 test."""
    percent = _place(name, seed) * 100 >> 64  # 0 to 99
    return int(np.searchsorted(np.cumsum(split), percent, side="right"))


def _place(name: str, seed: int | str) -> int:
    """A number below 2^64 that stays whatever else there is."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "big")


def effective(pairs: Integers) -> float:
    """How many articles of equal size would be as different: 1 / sum of squared shares of pairs.

    >>> effective(np.array([5, 5, 5, 5])), round(effective(np.array([97, 1, 1, 1])), 2)
    (4.0, 1.06)
    """
    total = float(pairs.sum())
    return total**2 / float((pairs.astype(float) ** 2).sum()) if total else 0.0


def assign(articles: Articles, *, split: Shares, seed: int) -> npt.NDArray[np.int8]:
    """The number of each article's split."""
    deal = _Deal(articles, split, seed)
    deal.by_repository()
    deal.by_article()
    return deal.splits


class _Deal:
    """Articles being dealt: at first all are in the largest split, mostly train."""

    def __init__(self, articles: Articles, split: Shares, seed: int) -> None:
        self.articles, self.seed, self.fields = articles, seed, _pooled(articles)
        self.rest = max(range(3), key=lambda number: split[number])
        self.dealt = [n for n in (_TEST, _VALID, _TRAIN) if split[n] and n != self.rest]
        self.splits = np.full(len(articles.ids), self.rest, np.int8)
        total = _by_field(self.fields, articles.pairs)
        self.quotas = {n: {f: split[n] / 100 * total[f] for f in total} for n in self.dealt}
        self.taken: dict[int, Counter[str]] = {n: Counter() for n in self.dealt}
        # only of train can large articles be a part like others
        self.is_large = _is_large(articles, 1 - split[self.rest] / 100) & (self.rest == _TRAIN)
        self.repositories = self._bundles(_repositories(articles), _names(articles))
        self.copies = self._bundles(articles.copies, articles.ids)
        for bundle in self.repositories:
            if not bundle.pairs:
                self.splits[bundle.articles] = split_of(bundle.name, split, seed)

    def by_repository(self) -> None:
        """Give each split its share of every field in whole repositories without large articles."""
        for number in self.dealt:
            for field, bundles in _in_fields(self.repositories):
                self._fill(number, field, bundles)

    def by_article(self) -> None:
        """Where a field has too few repositories, take articles out of them; copies together."""
        wide = self._wide()
        for field, bundles in _in_fields(self.copies):
            for number in self._missing(field) if field in wide else ():
                self._fill(number, field, bundles)
                if number in self._missing(field):
                    self._take_nearest(number, field, bundles)

    def _wide(self) -> set[str]:
        """The fields that must be in every split: at least the one with the most articles."""
        count = _count(self.fields, self.articles.pairs)
        most = max(count, key=lambda field: (count[field], field), default="")
        return {field for field in count if count[field] >= WIDE} or {most}

    def _bundles(self, groups: Integers, names: Sequence[str]) -> list[Bundle]:
        """Articles of the same group together, in the order of a hash of their first name."""
        members: dict[int, list[int]] = defaultdict(list)
        for article, group in enumerate(groups.tolist()):
            members[group].append(article)
        made = [
            Bundle(min(names[article] for article in own), own, self._pairs(own))
            for own in members.values()
        ]
        return sorted(made, key=lambda bundle: (_place(bundle.name, self.seed), bundle.name))

    def _pairs(self, articles: list[int]) -> Counter[str]:
        return +_by_field([self.fields[each] for each in articles], self.articles.pairs[articles])

    def _fill(self, number: int, field: str, bundles: Sequence[Bundle]) -> None:
        """Take what brings the split nearer its share of the field; leave some to the others."""
        fit = [b for b in self._small(bundles) if b.pairs[field] <= 2 * self.quotas[number][field]]
        left = len(fit)
        # valid from the end: so none has to give back what the share of the other grows by
        for bundle in fit[::-1] if number == _VALID else fit:
            if self.taken[number][field] and left <= len(self._missing(field)):
                return
            if self._brings_nearer(number, field, bundle):
                self._take(number, bundle)
                left -= 1

    def _brings_nearer(self, number: int, field: str, bundle: Bundle) -> bool:
        """Nearer the field's share, and in no other field beyond twice the share."""
        quotas, taken = self.quotas[number], self.taken[number]
        if taken[field] + bundle.pairs[field] / 2 > quotas[field]:
            return False
        return all(taken[f] + pairs <= 2 * quotas[f] for f, pairs in bundle.pairs.items())

    def _take_nearest(self, number: int, field: str, bundles: Sequence[Bundle]) -> None:
        """Take what is nearest in size to the share, if that leaves some to the others."""
        free = [bundle for bundle in bundles if self._is_free(bundle)]
        quota = self.quotas[number][field]
        if len(free) > len(self._missing(field)):
            choice = self._small(free) or free
            self._take(number, min(choice, key=lambda bundle: abs(bundle.pairs[field] - quota)))

    def _take(self, number: int, bundle: Bundle) -> None:
        self.splits[bundle.articles] = number
        self.taken[number].update(bundle.pairs)

    def _missing(self, field: str) -> list[int]:
        """The splits that the field is not in yet."""
        return [number for number in self.dealt if not self.taken[number][field]]

    def _is_free(self, bundle: Bundle) -> bool:
        return bool((self.splits[bundle.articles] == self.rest).all())

    def _small(self, bundles: Iterable[Bundle]) -> list[Bundle]:
        """Those that are not taken yet and have no large article."""
        return [b for b in bundles if self._is_free(b) and not self.is_large[b.articles].any()]


def _in_fields(bundles: Iterable[Bundle]) -> list[tuple[str, list[Bundle]]]:
    """The fields in alphabetical order, each with the bundles that have pairs in it."""
    found: dict[str, list[Bundle]] = defaultdict(list)
    for bundle in bundles:
        for field in bundle.pairs:
            found[field].append(bundle)
    return sorted(found.items())


def _by_field(fields: Sequence[str], pairs: Integers) -> Counter[str]:
    total: Counter[str] = Counter()
    for field, count in zip(fields, pairs.tolist(), strict=True):
        total[field] += count
    return total


def _pooled(articles: Articles) -> list[str]:
    """The field of each article; empty where the field has too few for shares of its own."""
    count = _count(articles.fields, articles.pairs)
    return [field if count[field] >= OWN else "" for field in articles.fields]


def _count(fields: Sequence[str], pairs: Integers) -> Counter[str]:
    """The articles of each field that have pairs."""
    return Counter(field for field, own in zip(fields, pairs.tolist(), strict=True) if own)


def _is_large(articles: Articles, held_out: float) -> npt.NDArray[np.bool_]:
    """The articles with more than `LARGE` of all pairs.

    Of few articles each has more: the limit is doubled until those below it have twice the pairs
    that are held out.
    """
    total, limit = articles.pairs.sum(), LARGE
    while articles.pairs[articles.pairs <= limit * total].sum() < min(2 * held_out, 1) * total:
        limit *= 2
    return np.asarray(articles.pairs > limit * total)


def _names(articles: Articles) -> list[str]:
    """The repository of each article."""
    return [repository(id, field) for id, field in zip(articles.ids, articles.fields, strict=True)]


def _repositories(articles: Articles) -> Integers:
    """A number for each article: that of its repository, joined with those that hold its copies."""
    numbers: dict[str, int] = {}
    own = [numbers.setdefault(name, len(numbers)) for name in _names(articles)]
    return _components(np.array(own, np.int64), articles.copies)


def _components(ones: Integers, others: Integers) -> Integers:
    """Numbers for what is joined by being equal in one or the other."""
    shape = int(ones.max(initial=-1)) + 1, int(others.max(initial=-1)) + 1
    size = sum(shape)
    edges = coo_matrix((np.ones(len(ones), np.int8), (ones, others + shape[0])), (size, size))
    labels = connected_components(edges, directed=False)[1]
    return np.asarray(labels[ones], np.int64)
