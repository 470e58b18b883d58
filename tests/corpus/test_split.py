"""Splits by article: stable, without leaks, duplicates once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from topiceq.corpus.pair import Pair, read_pairs
from topiceq.corpus.split import DUPLICATE, SPLITS, assign, content_key, split_of, write_splits
from topiceq.errors import CorpusError

PairsFactory = Callable[..., list[Pair]]

SPLIT = (80, 10, 10)


def by_split(pairs: list[Pair], folder: Path, seed: int = 0) -> dict[str, list[Pair]]:
    folder.mkdir(exist_ok=True)
    write_splits(pairs, folder, split=SPLIT, seed=seed)
    return {name: list(read_pairs(folder / f"{name}.parquet")) for name in SPLITS}


def assigned(articles: dict[str, list[int]], seed: int = 0) -> dict[str, set[int]]:
    """The splits in which each article's pairs land, given the keys of its pairs."""
    keys = [key for own in articles.values() for key in own]
    numbers = [number for number, own in enumerate(articles.values()) for _ in own]
    splits = assign(
        np.array(keys, dtype=np.uint64),
        np.array(numbers, dtype=np.int32),
        list(articles),
        split=SPLIT,
        seed=seed,
    )
    return {
        name: {int(s) for s, n in zip(splits, numbers, strict=True) if n == number}
        for number, name in enumerate(articles)
    }


def test_articles_stay_whole_and_all_pairs_are_there(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(200, articles=50)
    splits = by_split(made, tmp_path)
    owners = {name: {pair.article for pair in split} for name, split in splits.items()}
    assert not owners["train"] & owners["valid"] and not owners["train"] & owners["test"]
    assert not owners["valid"] & owners["test"]
    assert sorted(p.id for split in splits.values() for p in split) == sorted(p.id for p in made)


def test_adding_articles_moves_none(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(200, articles=50)
    before = by_split(made[:100], tmp_path / "half")
    after = by_split(made, tmp_path / "all")
    for name in SPLITS:
        assert {p.id for p in before[name]} <= {p.id for p in after[name]}


def test_the_seed_changes_the_split(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(200, articles=50)
    assert by_split(made, tmp_path / "a", seed=0) == by_split(made, tmp_path / "b", seed=0)
    assert by_split(made, tmp_path / "a", seed=0) != by_split(made, tmp_path / "b", seed=1)


@pytest.mark.parametrize("split", [SPLIT, (0, 0, 100), (100, 0, 0), (0, 100, 0), (50, 0, 50)])
def test_shares_are_kept(split: tuple[int, int, int]) -> None:
    counts = np.bincount([split_of(f"article{n}", split, 0) for n in range(4000)], minlength=3)
    assert np.allclose(counts / 40, split, atol=2.5)
    assert all(count == 0 for count, share in zip(counts, split, strict=True) if share == 0)


def test_the_hash_is_fixed() -> None:
    """Splits that others have published must not move with a new version."""
    chosen = [split_of(f"math/{n}", (34, 33, 33), 0) for n in range(12)]
    assert chosen == [1, 1, 0, 1, 1, 1, 1, 2, 0, 1, 2, 2]


def test_duplicates_are_kept_once_also_across_articles(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(40, articles=8)
    copy = replace(made[0], id="copy", article="another", words=["other"], line=99)
    counts = write_splits([*made, copy, made[3]], tmp_path, split=SPLIT, seed=0)
    assert counts["duplicate"] == 2 and sum(counts[name] for name in SPLITS) == 40
    ids = [p.id for name in SPLITS for p in read_pairs(tmp_path / f"{name}.parquet")]
    assert "copy" not in ids and len(set(ids)) == 40


def test_a_duplicate_has_the_same_tokens_and_immediate_context(pairs: PairsFactory) -> None:
    pair = pairs(1)[0]
    key = content_key(pair)
    assert content_key(replace(pair, equation="y", before=["other", *pair.before[1:]])) == key
    assert content_key(replace(pair, tokens=[*pair.tokens, "x"])) != key
    assert content_key(replace(pair, tokens=["".join(pair.tokens)])) != key
    assert content_key(replace(pair, before=[*pair.before[:-1], "other"])) != key
    assert content_key(replace(pair, after=["other", *pair.after[1:]])) != key


def apart(first: str) -> str:
    """A name that comes after `first` and would land in another split."""
    names = (f"z{number}" for number in range(1000))
    return next(n for n in names if split_of(n, SPLIT, 0) != split_of(first, SPLIT, 0))


def test_articles_that_share_half_their_pairs_share_a_split() -> None:
    other = apart("a")
    splits = assigned({"a": [1, 2, 3, 4, 5, 6], other: [1, 2, 11, 12]})
    assert splits[other] - {DUPLICATE} == splits["a"] == {split_of("a", SPLIT, 0)}


def test_articles_that_share_less_do_not() -> None:
    other = apart("a")
    splits = assigned({"a": [1, 2, 3, 4, 5, 6], other: [1, 11, 12]})
    assert splits[other] == {DUPLICATE, split_of(other, SPLIT, 0)}


def test_what_is_related_to_the_same_article_is_related() -> None:
    other = apart("a")
    splits = assigned({other: [5, 6, 7], "m": [3, 4, 5, 6], "a": [1, 2, 3, 4]})
    assert {s for own in splits.values() for s in own} == {split_of("a", SPLIT, 0), DUPLICATE}


def test_repeats_within_an_article_do_not_make_it_related() -> None:
    other = apart("a")
    splits = assigned({"a": [1, 1, 1, 2, 3, 4], other: [1, 11, 12]})
    assert splits[other] == {DUPLICATE, split_of(other, SPLIT, 0)}


def test_groups_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    articles = {f"a{n}": draw.integers(0, 60, size=3).tolist() for n in range(40)}
    whole = assigned(articles)
    monkeypatch.setattr("topiceq.corpus.split._BLOCK", 3)
    assert assigned(articles) == whole


def test_no_pairs_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="There are no pairs to build a corpus from"):
        write_splits([], tmp_path, split=SPLIT, seed=0)
