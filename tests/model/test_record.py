"""What a run records of how it was made, and what is said where it is read differently."""

import json
import shutil
from pathlib import Path

import pytest

from topiceq.api import PRETRAINED
from topiceq.article.equation.normal import NORMAL_FORM, READABLE
from topiceq.errors import RunError
from topiceq.model import record
from topiceq.model.run import Run


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    """A run folder that a test may damage."""
    return shutil.copytree(trained, tmp_path / "run")


def change(folder: Path, **changes: object) -> None:
    recorded = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    (folder / "record.json").write_text(json.dumps(recorded | changes))


@pytest.mark.parametrize("folder", [PRETRAINED, None])
def test_a_run_reads_and_judges_as_it_did(folder: Path | None, trained: Path) -> None:
    run = Run.load(folder or trained)
    assert run.record is not None and run.record.normal_form in READABLE
    assert all(test.tokens and test.topic is not None for test in run.record.tests)
    run.check()


def test_another_normal_form_is_said(copy: Path) -> None:
    change(copy, normal_form=0, topiceq="0.0.1")
    with pytest.warns(UserWarning) as said:
        run = Run.load(copy)
    assert str(said[0].message) == (
        f"The run '{copy}' was made by TopicEq 0.0.1 with normal form 0, here it is {NORMAL_FORM}. "
        "Equations become other tokens than it has learned. Train it again, or use TopicEq 0.0.1."
    )
    with pytest.raises(RunError, match=r"^This run was made by TopicEq 0.0.1 with normal form 0"):
        run.check()


def test_a_form_that_spells_little_otherwise_is_read(copy: Path) -> None:
    change(copy, normal_form=1)
    Run.load(copy).check()


def test_other_tokens_are_said(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "normal_form", lambda tokens: ["F", "=", "m", "a"])
    message = r", which read 'i\\hbar .*' as 'i .* \)', not as 'F = m a'. Equations become"
    with pytest.warns(UserWarning, match=message):
        Run.load(copy)


def test_another_topic_is_found_by_check(copy: Path) -> None:
    run = Run.load(copy)
    assert run.record is not None
    now = run.record.tests[0].topic
    tests = [vars(test) | {"topic": 99} for test in run.record.tests]
    change(copy, tests=tests)
    again = Run.load(copy)  # tokens alone are looked at
    with pytest.raises(RunError, match=rf"found topic 99 in 'i\\hbar .*', now finds {now}. Train"):
        again.check()


def test_a_record_is_kept_when_the_run_is_saved_again(copy: Path, tmp_path: Path) -> None:
    change(copy, topiceq="0.0.1")
    run = Run.load(copy)
    run.save(tmp_path / "again")
    assert Run.load(tmp_path / "again").record == run.record


def test_a_run_without_a_record_is_loaded_but_cannot_be_checked(copy: Path) -> None:
    (copy / "record.json").unlink()
    with pytest.raises(RunError, match="^This run has no record of how it was made. Train it "):
        Run.load(copy).check()
    (copy / "record.json").write_text("{}")
    with pytest.raises(RunError, match=r"record.json cannot be read \(topiceq: Field required"):
        Run.load(copy)
