"""Splits by repository and article: balanced, without leaks, stable, and never empty."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from topiceq.corpus.split import SPLITS, Articles, Shares, assign, effective, repository, split_of

SPLIT: Shares = (80, 10, 10)


def articles(
    sizes: dict[str, int],
    fields: dict[str, str] | None = None,
    copies: list[set[str]] | None = None,
) -> Articles:
    """By id the pairs of each; the field is the first folder of an id that has one."""
    ids = list(sizes)
    numbers = {id: n for n, id in enumerate(ids)}
    groups = np.arange(len(ids))
    for group in copies or ():
        groups[[numbers[id] for id in group]] = min(numbers[id] for id in group)
    named = {id: id.split("/")[0] if "/" in id else "" for id in ids} | (fields or {})
    pairs = np.array([sizes[id] for id in ids], np.int64)
    return Articles(ids, [named[id] for id in ids], pairs, groups)


def dealt(given: Articles, split: Shares = SPLIT, seed: int = 0) -> dict[str, int]:
    splits = assign(given, split=split, seed=seed)
    return dict(zip(given.ids, splits.tolist(), strict=True))


def pairs_of(given: Articles, splits: dict[str, int], field: str | None = None) -> list[int]:
    counts = Counter[int]()
    for id, own, pairs in zip(given.ids, given.fields, given.pairs.tolist(), strict=True):
        counts[splits[id]] += pairs if field in (None, own) else 0
    return [counts[number] for number in range(3)]


def library(
    fields: int = 6, repositories: int = 12, chapters: int = 5, seed: int = 0
) -> dict[str, int]:
    """Fields of repositories of chapters, of very different sizes."""
    draw = np.random.default_rng(seed)
    return {
        f"field{f}/repo{f}-{r}/chapter{c}": int(draw.integers(1, 30)) * (1 + r % 4)
        for f in range(fields) for r in range(repositories) for c in range(chapters)
    }  # fmt: skip


# -- what lies together ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "field", "name"),
    [
        ("optimization/d2l-ai+d2l-en/chapter_1/index", "optimization", "d2l-ai+d2l-en"),
        ("ml/d2l-ai+d2l-en/chapter_2", "ml", "d2l-ai+d2l-en"),
        ("ml/essay", "ml", "ml/essay"),
        ("book/chapter", "", "book"),
        ("book/chapter", "math.AG", "book"),
        ("essay", "", "essay"),
        ("1902.06034", "cs.LG", "1902.06034"),
        ("hep-th/9901001", "", "hep-th/9901001"),
        ("math.AG/0601001v2", "", "math.AG/0601001v2"),
    ],
)
def test_the_repository_of_an_article(id: str, field: str, name: str) -> None:
    assert repository(id, field) == name


def test_a_repository_is_in_one_split_also_over_fields() -> None:
    sizes = library() | {f"field{f}/everywhere/chapter{c}": 7 for f in range(6) for c in range(4)}
    given = articles(sizes)
    for seed in range(5):
        splits = dealt(given, seed=seed)
        of_repository = defaultdict(set)
        for id, field in zip(given.ids, given.fields, strict=True):
            of_repository[repository(id, field)].add(splits[id])
        assert all(len(own) == 1 for own in of_repository.values())
        assert set(splits.values()) == {0, 1, 2}


def test_copies_are_in_one_split_with_what_they_lie_with() -> None:
    sizes = library()
    copies = [{"field0/repo0-1/chapter0", "field3/repo3-5/chapter2"}]
    for seed in range(5):
        splits = dealt(articles(sizes, copies=copies), seed=seed)
        joined = [s for id, s in splits.items() if "/repo0-1/" in id or "/repo3-5/" in id]
        assert len(joined) == 10 and len(set(joined)) == 1


# -- shares ---------------------------------------------------------------------------------------


def test_every_field_has_about_its_share_of_each_split() -> None:
    given = articles(library())
    for seed in range(5):
        splits = dealt(given, seed=seed)
        assert np.allclose(np.array(pairs_of(given, splits)) / given.pairs.sum(), [0.8, 0.1, 0.1],
                           atol=0.05)  # fmt: skip
        for field in set(given.fields):
            train, valid, test = pairs_of(given, splits, field)
            total = train + valid + test
            assert 0 < valid <= 0.2 * total and 0 < test <= 0.2 * total


@pytest.mark.parametrize(
    "split", [SPLIT, (0, 0, 100), (100, 0, 0), (0, 100, 0), (50, 0, 50), (10, 0, 90), (34, 33, 33)]
)
def test_shares_are_those_of_the_settings(split: Shares) -> None:
    given = articles({f"article{n}": 1 + n % 5 for n in range(400)})
    counts = np.array(pairs_of(given, dealt(given, split)))
    assert np.allclose(100 * counts / counts.sum(), split, atol=1)
    assert all(count == 0 for count, share in zip(counts, split, strict=True) if share == 0)


def test_large_articles_are_train_with_their_repository() -> None:
    sizes = library() | {"field0/tome/volume": 500, "field0/tome/errata": 3}
    given = articles(sizes)
    assert 500 > 0.003 * given.pairs.sum()
    for seed in range(10):
        splits = dealt(given, seed=seed)
        assert splits["field0/tome/volume"] == splits["field0/tome/errata"] == 0


def test_test_is_worth_many_articles() -> None:
    """One book with half of a field's pairs does not become half of test."""
    sizes = {f"field{f}/repo{f}-{n}": 5 for f in range(4) for n in range(500)}
    given = articles(sizes | {"field0/book": 2_500})
    for seed in range(5):
        splits = assign(given, split=SPLIT, seed=seed)
        assert effective(given.pairs[splits == 2]) > 150


def test_a_field_with_twenty_articles_is_in_all_splits_whatever_its_repositories() -> None:
    one = {f"geometry/planetmath/{n}": 3 for n in range(20)}
    two = {f"optics/{name}/{n}": 4 for name in ("labs", "notes") for n in range(10)}
    tome = {f"algebra/tome/{n}": 9 for n in range(25)} | {"algebra/tome/all": 900}
    given = articles(library() | one | two | tome)
    for seed in range(5):
        splits = dealt(given, seed=seed)
        for field in ("geometry", "optics", "algebra"):
            assert min(pairs_of(given, splits, field)) > 0
        assert splits["algebra/tome/all"] == 0


def test_only_where_a_field_has_too_few_repositories_is_one_cut() -> None:
    given = articles(library() | {f"geometry/planetmath/{n}": 3 for n in range(20)})
    splits = dealt(given)
    both = set()
    for id, field in zip(given.ids, given.fields, strict=True):
        own = {splits[other] for other in given.ids if f"/{repository(id, field)}/" in other}
        both |= {repository(id, field)} if {0, 2} <= own else set()
    assert both == {"planetmath"}


def test_articles_without_pairs_go_with_their_repository() -> None:
    sizes = library() | {"field0/repo0-0/preface": 0, "field0/alone": 0, "nothing": 0}
    splits = dealt(articles(sizes))
    assert splits["field0/repo0-0/preface"] == splits["field0/repo0-0/chapter0"]
    assert splits["field0/alone"] == split_of("field0/alone", SPLIT, 0)
    assert splits["nothing"] == split_of("nothing", SPLIT, 0)


# -- few articles ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5, 10, 19])
@pytest.mark.parametrize("form", ["{}", "thesis/{}", "notes/thesis/{}"])
def test_few_articles_are_in_all_splits(count: int, form: str) -> None:
    for seed in range(20):
        sizes = {form.format(n): int(np.random.default_rng(seed).integers(1, 200)) + n
                 for n in range(count)}  # fmt: skip
        given = articles(sizes)
        counts = pairs_of(given, dealt(given, seed=seed))
        assert min(counts) > 0 and counts[0] == max(counts)


def test_few_articles_of_very_different_size() -> None:
    given = articles({"book": 1_000, "a": 10, "b": 20, "c": 5})
    for seed in range(10):
        splits = dealt(given, seed=seed)
        assert splits["book"] == 0 and set(splits.values()) == {0, 1, 2}


def test_two_articles_and_copies_are_train() -> None:
    assert set(dealt(articles({"a": 5, "b": 5})).values()) == {0}
    assert set(dealt(articles({"a": 5, "b": 5, "c": 5}, copies=[{"a", "c"}])).values()) == {0}


def test_small_fields_are_dealt_together() -> None:
    given = articles({f"field{f}/essay{f}-{n}": 4 for f in range(30) for n in range(5)})
    counts = np.array(pairs_of(given, dealt(given)))
    assert np.allclose(counts / counts.sum(), [0.8, 0.1, 0.1], atol=0.01)


# -- stable ---------------------------------------------------------------------------------------


def moved(before: dict[str, int], after: dict[str, int]) -> set[str]:
    return {id for id, split in before.items() if after[id] != split}


def test_adding_an_article_moves_nothing_of_other_fields() -> None:
    sizes = library()
    before = dealt(articles(sizes))
    for n in range(20):
        after = dealt(articles(sizes | {f"field2/new{n}": 30 + n}))
        assert {id.split("/")[0] for id in moved(before, after)} <= {"field2"}


def test_adding_articles_moves_few() -> None:
    sizes = library()
    given = articles(sizes)
    before = dealt(given)
    shares = []
    for n in range(60):
        after = dealt(articles(sizes | {f"field{n % 6}/new{n}/chapter": 5 + n}))
        shares.append(sum(sizes[id] for id in moved(before, after)) / given.pairs.sum())
    assert np.mean(shares) < 0.01 and np.median(shares) == 0


def test_the_order_of_articles_makes_no_difference() -> None:
    sizes = library()
    shuffled = dict(sorted(sizes.items(), key=lambda item: item[0][::-1]))
    assert dealt(articles(sizes)) == dealt(articles(shuffled))


def test_the_seed_changes_the_split() -> None:
    given = articles(library())
    assert dealt(given, seed=0) == dealt(given, seed=0) != dealt(given, seed=1)


def test_the_hash_is_fixed() -> None:
    """Splits that others have published must not move with a new version."""
    chosen = [split_of(f"math/{n}", (34, 33, 33), 0) for n in range(12)]
    assert chosen == [1, 1, 0, 1, 1, 1, 1, 2, 0, 1, 2, 2]
    sizes = {f"math/repo{n}": 3 for n in range(24)}
    test = [id for id, split in dealt(articles(sizes)).items() if SPLITS[split] == "test"]
    assert test == ["math/repo9", "math/repo12"]


def test_no_articles() -> None:
    assert assign(articles({}), split=SPLIT, seed=0).tolist() == []
    assert effective(np.zeros(0, np.int64)) == 0.0
