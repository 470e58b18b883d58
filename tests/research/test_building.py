"""How build is measured: pairs that are no duplicates, and a line through two sizes."""

import json
from pathlib import Path

import pytest

from research.__main__ import main
from research.building import extrapolated
from topiceq.corpus.store import Corpus


def test_build_at_several_sizes(
    corpus: Corpus, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The larger size repeats the corpus, and nothing of that is a duplicate."""
    main(["build", str(corpus.path), "--sizes", "1000", "300", "--results", str(results)])
    kept = json.loads((results / "build.json").read_text())
    assert [row["pairs"] for row in kept["sizes"]] == [300, 1000]
    assert [row["left_out"] for row in kept["sizes"]] == [0, 0]
    assert all(row["megabytes"] > 20 for row in kept["sizes"])
    assert kept["extrapolated"]["pairs"] == 10_000_000
    assert "extrapolated" in capsys.readouterr().out


def test_the_line_through_the_two_largest_sizes() -> None:
    rows = [
        {"pairs": pairs, "processor_seconds": seconds, "megabytes": megabytes}
        for pairs, seconds, megabytes in ((1, 50, 50), (10, 4, 100), (30, 8, 100))
    ]
    assert extrapolated(rows, 130) == {"pairs": 130, "processor_seconds": 28, "megabytes": 100}


def test_what_articles_give_by_both_rules(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each display is a pair or dropped by the rule of one row; rows give more, and no less."""
    articles = Path(__file__).parents[2] / "examples" / "articles"
    out = tmp_path / "out"
    main(["sources", str(articles), "--out", str(out), "--jobs", "1", "--results", str(results)])
    kept = json.loads((results / "sources.json").read_text())
    paper, split = kept["paper"], kept["split"]
    assert paper["dropped"]["multiline"] > split["dropped"].get("multiline", 0)
    assert 0 < paper["pairs_extracted"] < split["pairs_extracted"]
    assert sum(paper["dropped_by_format"][".tex"].values()) == sum(paper["dropped"].values())
    assert sum(split["pairs"].values()) <= split["pairs_extracted"]
    assert "effective_articles" in capsys.readouterr().out
