"""A folder of results for every test that writes or reads some."""

from pathlib import Path

import pytest

from research import entries


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of research/results."""
    monkeypatch.setattr(entries, "RESULTS", tmp_path / "results")
    entries.RESULTS.mkdir()
    return entries.RESULTS
