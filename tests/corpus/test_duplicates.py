"""Pairs that say the same, and articles that are copies of one another."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import topiceq.corpus.duplicates as duplicates
from topiceq.corpus.duplicates import Firsts, Register, content_keys, firsts, related, take_census
from topiceq.corpus.pair import SCHEMA, Pair, write_pairs
from topiceq.corpus.parquet import batches_of

PairsFactory = Callable[..., list[Pair]]


def found(pairs: list[Pair], tmp_path: Path, files: int = 1) -> Firsts:
    """The firsts of pairs that lie in some files."""
    size = -(-len(pairs) // files)
    paths = [tmp_path / f"{n}.parquet" for n in range(files)]
    for n, path in enumerate(paths):
        write_pairs(path, pairs[n * size : (n + 1) * size])
    return firsts(take_census(paths, Register()), paths)


def keys(pair: Pair) -> tuple[int, int]:
    """Of the tokens, and with the immediate context."""
    (batch,) = batches_of([pair], SCHEMA)
    (equation,), (content,) = content_keys(batch)
    return equation, content


# -- pairs ----------------------------------------------------------------------------------------


def test_a_duplicate_has_the_same_tokens_and_immediate_context(pairs: PairsFactory) -> None:
    pair = pairs(1)[0]
    equation, content = keys(pair)
    assert keys(replace(pair, equation="y", before=["other", *pair.before[1:]])) == (
        equation,
        content,
    )
    for other in (
        replace(pair, before=[*pair.before[:-1], "other"]),
        replace(pair, after=["other", *pair.after[1:]]),
        replace(pair, before=[], after=[pair.before[-1]]),
        replace(pair, before=[], after=[]),
    ):
        assert keys(other)[0] == equation and keys(other)[1] != content
    for tokens in ([*pair.tokens, "x"], ["".join(pair.tokens)], []):
        assert keys(replace(pair, tokens=tokens))[0] != equation


def test_of_duplicates_the_first_is_kept(pairs: PairsFactory, tmp_path: Path) -> None:
    made = pairs(40, articles=8)
    copy = replace(made[0], id="copy", article="another", words=["other"], line=99)
    same = found([*made, copy, made[3]], tmp_path)
    assert (same.duplicates, same.near_duplicates) == (2, 0)
    assert same.kept.tolist() == [True] * 40 + [False] * 2
    assert same.exact[40:].tolist() == same.near[40:].tolist() == [0, 3]


def near(pair: Pair, share: float, id: str = "near") -> Pair:
    """The same equation with another immediate context and only a share of the words."""
    words = sorted(set(pair.words))
    kept = words[: round(share * len(words))]
    return replace(pair, id=id, before=[f"In {id}, say:"], words=kept)


def test_near_duplicates_share_the_equation_and_most_words(
    pairs: PairsFactory, tmp_path: Path
) -> None:
    made = pairs(12)
    same = found([*made, near(made[2], 0.8), near(made[5], 0.4, "far")], tmp_path)
    assert (same.duplicates, same.near_duplicates) == (0, 1)
    assert same.near[12:].tolist() == [2, 13]
    other = replace(near(made[2], 0.8), tokens=[*made[2].tokens, "x"])
    assert found([*made, other], tmp_path).near_duplicates == 0


def test_copies_of_a_near_duplicate_are_duplicates_of_what_is_kept(
    pairs: PairsFactory, tmp_path: Path
) -> None:
    made = pairs(5)
    another = near(made[1], 0.9)
    same = found([*made, another, replace(another, id="again")], tmp_path)
    assert (same.duplicates, same.near_duplicates) == (1, 1)
    assert same.near.tolist() == [0, 1, 2, 3, 4, 1, 1]
    assert same.exact.tolist() == [0, 1, 2, 3, 4, 5, 5]


def test_what_is_kept_is_compared_not_what_was_left_out(
    pairs: PairsFactory, tmp_path: Path
) -> None:
    """c is near b, and b near a, but c is not near a: a and c are kept."""
    pair = pairs(1)[0]
    words = [f"word{n}" for n in range(10)]
    chain = [
        replace(pair, id=f"{n}", before=[f"Sentence {n}"], words=words[start : start + 6])
        for n, start in enumerate((0, 1, 3))
    ]
    assert found(chain, tmp_path).near.tolist() == [0, 0, 2]


def test_files_and_groups_of_rows_make_no_difference(
    pairs: PairsFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = pairs(30)
    made += [near(pair, 0.7, f"near{n}") for n, pair in enumerate(made[:10])] + made[5:9]
    whole = found(made, tmp_path)
    assert (whole.duplicates, whole.near_duplicates) == (4, 10)
    monkeypatch.setattr("topiceq.corpus.parquet.ROWS", 4)
    apart = found(made, tmp_path, files=3)
    assert np.array_equal(whole.near, apart.near) and np.array_equal(whole.exact, apart.exact)


def test_comparisons_are_bounded(
    pairs: PairsFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = pairs(1)[0]
    apart = [
        replace(pair, id=f"{n}", before=[f"Sentence {n}"], words=[f"w{n}", f"v{n}"])
        for n in range(5)
    ]
    again = [near(each, 1.0, f"again{n}") for n, each in enumerate(apart)]
    assert found([*apart, *again], tmp_path).near_duplicates == 5
    monkeypatch.setattr(duplicates, "COMPARED", 3)
    assert found([*apart, *again], tmp_path).near_duplicates == 3


def test_the_register_numbers_articles_as_they_come(pairs: PairsFactory) -> None:
    register = Register()
    made = [replace(p, article=a, field=a[0]) for p, a in zip(pairs(4), "bacb", strict=True)]
    (batch,) = batches_of(made, SCHEMA)
    assert register.enter(batch).tolist() == [0, 1, 2, 0]
    assert register.enter(batch.slice(1)).tolist() == [1, 2, 0]
    assert (list(register.numbers), register.fields) == (["b", "a", "c"], ["b", "a", "c"])


# -- articles -------------------------------------------------------------------------------------


def groups(articles: list[list[int]]) -> list[int]:
    """The group of each article, given its contents."""
    numbers = [number for number, own in enumerate(articles) for _ in own]
    contents = np.array([content for own in articles for content in own], np.int64)
    return related(contents, np.array(numbers, np.int32), len(articles)).tolist()


def test_articles_that_share_half_their_pairs_are_related() -> None:
    assert groups([[1, 2, 3, 4, 5, 6], [1, 2, 11, 12]]) == [0, 0]
    assert groups([[1, 2, 3, 4, 5, 6], [1, 11, 12]]) == [0, 1]


def test_what_is_related_to_the_same_article_is_related() -> None:
    assert groups([[5, 6, 7], [20], [3, 4, 5, 6], [1, 2, 3, 4]]) == [0, 1, 0, 0]


def test_repeats_within_an_article_do_not_make_it_related() -> None:
    assert groups([[1, 1, 1, 2, 3, 4], [1, 11, 12]]) == [0, 1]


def test_articles_without_pairs_are_related_to_none() -> None:
    assert groups([[1, 2], [], [1, 2], []]) == [0, 1, 0, 3]


def test_groups_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    articles = [draw.integers(0, 60, size=3).tolist() for _ in range(40)]
    whole = groups(articles)
    assert len(set(whole)) < 40
    monkeypatch.setattr(duplicates, "_BLOCK", 3)
    monkeypatch.setattr(duplicates, "_EDGES", 2)
    assert groups(articles) == whole
