"""Postings: the same cosines as by hand, however they are packed, and a cache that is checked."""

import os
from pathlib import Path

import numpy as np
import pytest

from topiceq.corpus.store import Corpus
from topiceq.model.ngrams import WIDTH
from topiceq.tasks import postings as module
from topiceq.tasks.index import Index, build_index, load_index
from topiceq.tasks.postings import Postings, Reader, postings_of


@pytest.fixture(scope="module")
def index(corpus: Corpus) -> Index:
    return build_index([corpus])


def by_hand(index: Index) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The cosine of every two equations."""
    table = np.zeros((len(index), WIDTH))
    for row in range(len(index)):
        table[row, Reader(index.tokens).of(index.equation(row))] = 1
    table = table[:, table.any(0)]
    weighted = table * np.log((1 + len(index)) / (1 + table.sum(0)))
    unit = weighted / np.linalg.norm(weighted, axis=1, keepdims=True)
    cosines: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = unit @ unit.T
    return cosines


@pytest.mark.parametrize(("block", "common"), [(1 << 16, 16), (64, 3), (128, 10_000), (64, 1)])
def test_scores_are_those_of_the_definition(
    block: int, common: int, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    monkeypatch.setattr(module, "COMMON", common)
    monkeypatch.setattr(module, "READ", 50)
    made, wanted = Postings.of(index), by_hand(index)
    for row in range(0, len(index), 37):
        asked = Reader(index.tokens).of(index.equation(row))
        assert np.allclose(made.cosines(asked), wanted[row], atol=1e-5)


def test_what_the_index_does_not_know_is_like_nothing(index: Index) -> None:
    made = Postings.of(index)
    unknown = np.flatnonzero(made.have == 0)[:5]
    assert not made.cosines(unknown).any()
    assert not made.cosines(unknown[:0]).any()


def test_they_are_kept_in_the_users_cache(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    index.save(tmp_path / "index")
    opened = load_index(tmp_path / "index")
    made = postings_of(opened)
    (home,) = (tmp_path / "cache" / "topiceq" / "similar").iterdir()
    again = postings_of(opened)
    assert isinstance(again.lows, np.memmap)
    assert np.array_equal(made.lows, again.lows) and np.array_equal(made.lengths, again.lengths)
    for damaged in (b"", b"nothing"):
        (home / "lows.npy").write_bytes(damaged)
        assert np.array_equal(postings_of(opened).lows, made.lows)
    np.save(home / "starts.npy", made.starts[:, ::-1])
    assert np.array_equal(postings_of(opened).starts, made.starts)


def test_a_cache_that_cannot_be_written_costs_only_time(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    index.save(tmp_path / "index")
    assert len(postings_of(load_index(tmp_path / "index")).lengths) == len(index)


def test_the_cache_keeps_the_latest_few(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number in range(module.KEPT + 2):
        home = tmp_path / "topiceq" / "similar" / str(number)
        module._keep(home, Postings.of(index))
        assert home.is_dir()
    assert len(list((tmp_path / "topiceq" / "similar").iterdir())) == module.KEPT


def test_what_was_just_kept_stays_whatever_the_clock_says(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    home = tmp_path / "topiceq" / "similar"
    for number in range(module.KEPT + 1):
        module._keep(home / str(number), Postings.of(index))
        os.utime(home / str(number), (4e9, 4e9 + number))  # before the clock was set back
    assert (home / str(module.KEPT)).is_dir()
