"""What articles of all kinds give, by the rule of one row and by rows."""

import json
from pathlib import Path

import pytest

from research.__main__ import main


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
