"""How growth is measured: what is no duplicate at any size, and a line through two of them."""

import json
from pathlib import Path

import pytest

from research.__main__ import main
from research.scale import extrapolated, scale_shown
from topiceq.corpus.shards import extract_shards
from topiceq.corpus.store import Corpus

ARTICLES = Path(__file__).parents[2] / "examples" / "articles"


def test_stages_at_several_sizes(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The larger size repeats the articles, and nothing of that is a duplicate."""
    extract_shards([ARTICLES], tmp_path / "pairs", jobs=1)
    corpus = Corpus.build(tmp_path / "pairs", path=tmp_path / "corpus")
    pairs = sum(corpus.counts[name] for name in ("train", "valid", "test"))
    given = ["scale", str(ARTICLES), str(corpus.path), "--out", str(tmp_path / "out")]
    given += ["--results", str(results), "--stages", "extract", "build"]
    main([*given, "--sizes", str(pairs), str(2 * pairs)])
    file = results / "scale.json"
    kept = json.loads(file.read_text())
    rows = {(row["stage"], row["size"]): row["pairs"] for row in kept["rows"]}
    assert rows["build", pairs] == pairs and rows["build", 2 * pairs] == 2 * pairs
    assert rows["extract", 2 * pairs] == 2 * rows["extract", pairs] > 0
    assert all(row["megabytes"] > 20 for row in kept["rows"])
    assert kept["at_goal"]["build"]["pairs"] == 10_000_000
    before = file.stat()
    main([*given, "--sizes", str(pairs)])
    assert file.stat() == before  # what is there is not measured again
    assert "at 10,000,000 |" in scale_shown() and scale_shown().count("| build |") == 1
    capsys.readouterr()


def test_a_stage_that_does_not_exist(results: Path) -> None:
    with pytest.raises(SystemExit, match="^There is no stage 'bulid'. There are: extract, build"):
        main(["scale", "x", "y", "--out", "z", "--stages", "bulid", "--results", str(results)])


def test_the_line_through_the_two_largest_sizes() -> None:
    rows = [
        {"pairs": pairs, "processor_seconds": seconds, "megabytes": megabytes}
        for pairs, seconds, megabytes in ((1, 50, 50), (10, 4, 100), (30, 8, 100))
    ]
    assert extrapolated(rows, 130) == {"pairs": 130, "processor_seconds": 28, "megabytes": 100}
