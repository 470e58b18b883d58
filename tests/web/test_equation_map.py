"""Equations as points: where their topics draw them, the same every time, computed once."""

from pathlib import Path

import numpy as np
import pytest

from topiceq import Corpus, TopicEq
from topiceq.errors import Unsupported
from topiceq.web.equation_map import LEVELS, Chart, equation_points

PLACES = np.array([[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]])
CHART = Chart(PLACES, np.array([0, 0, 3, 3]))


def test_what_is_about_one_topic_lies_there_and_a_mixture_between() -> None:
    assert CHART.place(np.eye(4)) == pytest.approx(PLACES)
    assert CHART.place(np.array([0.5, 0.5, 0, 0])) == pytest.approx([0.5, 0.2])
    nearer = CHART.place(np.array([0.8, 0.2, 0, 0]))[0]
    assert 0.2 < nearer < 0.3  # the larger one draws more than its share


def test_a_point_has_its_place_and_region_in_32_bits() -> None:
    theta = np.eye(4)[np.arange(400) % 4]
    points = CHART.points(theta)
    found = np.stack([points >> 18, points >> 4 & (LEVELS - 1)], axis=1) / (LEVELS - 1)
    assert np.abs(found - PLACES[np.arange(400) % 4]).max() < 0.1
    assert len(np.unique(found, axis=0)) == 400  # each can be seen
    assert (points & 15).tolist() == [0, 0, 1, 1] * 100
    assert (CHART.points(theta) == points).all()


@pytest.fixture
def model(trained: Path, corpus: Corpus) -> TopicEq:
    model = TopicEq.load(trained)
    model.index(corpus)
    return model


def test_points_are_computed_once_for_a_run_and_an_index(
    model: TopicEq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    index = model.search.index
    points = equation_points(model.run, index, CHART)
    (kept,) = (tmp_path / "topiceq" / "maps").iterdir()
    assert len(points) == len(index) and np.load(kept).tolist() == points.tolist()
    np.save(kept, np.zeros(len(index), np.uint32))
    assert not equation_points(model.run, index, CHART).any()  # not computed again
    moved = Chart(PLACES[::-1], CHART.regions)
    assert equation_points(model.run, index, moved).any()  # another map
    kept.write_bytes(b"torn")
    assert (equation_points(model.run, index, CHART) == points).all()


def test_without_a_place_to_keep_them_they_are_computed(
    model: TopicEq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(equation_points(model.run, model.search.index, CHART)) == len(model.search.index)


def test_a_run_that_reads_no_equations_says_so(model: TopicEq) -> None:
    model.run.equation_encoder = None
    with pytest.raises(Unsupported, match="This run has no equation encoder. Teach it one"):
        equation_points(model.run, model.search.index, CHART)
