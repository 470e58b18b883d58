"""Commands that are killed and given again: what is looked at, and that a fault would be seen."""

import json
import shutil
from pathlib import Path

import pytest

from research import kills
from research.__main__ import main
from research.kills import Command, content, damage, differences, kills_shown
from topiceq.corpus import shards

ARTICLES = Path(__file__).parents[2] / "examples" / "articles"


def test_a_killed_extraction_is_given_again(
    results: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = {"extract": "--jobs 1", "extract, two processes": "--jobs 2"}
    few = {name: Command(f"extract ../articles -o pairs {jobs}") for name, jobs in words.items()}
    monkeypatch.setattr(kills, "COMMANDS", few)
    monkeypatch.setattr(kills, "small", lambda: monkeypatch.setattr(shards, "SHARD_BYTES", 20_000))
    shutil.copytree(ARTICLES / "ml", tmp_path / "articles" / "ml")
    (tmp_path / "base").mkdir()
    given = ["kills", str(ARTICLES), "--out", str(tmp_path), "--results", str(results)]
    main([*given, "--count", "4"])
    kept = json.loads((results / "kills.json").read_text())["kills"]
    assert [each["kill"] for each in kept] == [0, 1, 2, 3]
    for each in kept:
        assert not any(each[name] for name in ("lost", "half", "orphans", "code", "left", "other"))
    assert kills_shown().endswith("| all | 4 | 0 | 0 | 0 | 0 | 0 |")
    before = (results / "kills.json").stat()
    main([*given, "--count", "3"])
    assert (results / "kills.json").stat() == before  # what is there is not done again
    capsys.readouterr()


def test_what_is_lost_or_half_written_or_left_is_seen(tmp_path: Path) -> None:
    for name, text in (("kept", "a"), ("made", "b"), ("unit/x", "c"), ("unit/y", "d")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    wanted = content(tmp_path)
    before = {"kept": wanted["kept"], "made": "old"}
    command = Command("", units=("unit",))
    assert damage(tmp_path, command, before, wanted) == ([], [])
    assert differences(content(tmp_path), wanted) == ([], [])
    (tmp_path / "kept").unlink()
    (tmp_path / "made").write_text("half")
    (tmp_path / "unit" / "y").unlink()
    (tmp_path / ".hidden.partial").touch()
    assert damage(tmp_path, command, before, wanted) == (["kept"], ["made", "unit"])
    left = [".hidden.partial"], ["kept", "made", "unit/y"]
    assert differences(content(tmp_path), wanted) == left


def test_of_a_training_all_but_the_seconds_counts(tmp_path: Path) -> None:
    record = {"step": 1, "loss": 2.5, "seconds": 3.0, "valid": {"loss": 2.0}}

    def digest(**changes: object) -> dict[str, str]:
        (tmp_path / "history.jsonl").write_text(json.dumps(record | changes) + "\n")
        return content(tmp_path)

    assert digest() == digest(seconds=4.0) != digest(loss=2.6)
    (tmp_path / "history.jsonl").write_text('{"step"')
    assert content(tmp_path)["history.jsonl"].startswith("cannot be read")
    assert damage(tmp_path, Command("", trains="run"), {}, {}) == ([], ["history.jsonl"])
