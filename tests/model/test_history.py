"""history.jsonl, files that are never half-written, and TensorBoard where there is one."""

import sys
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from topiceq.model.files import replacing, write_text
from topiceq.model.history import History, Step, read_history


def step(number: int, **more: Any) -> Step:
    return Step(
        step=number, epoch=1, epochs=2, batch=number, batches=9, phase="joint", loss=1.5,
        terms={"words": 1.0, "kl": 0.5}, tokens_per_second=100.0, seconds=0.1, **more,
    )  # fmt: skip


def test_records_survive_the_file(tmp_path: Path) -> None:
    history = History(tmp_path)
    steps = [step(1), step(2, valid={"loss": 3.0}, best=True)]
    for one in steps:
        history.add(one)
    assert read_history(tmp_path / "history.jsonl") == [asdict(one) for one in steps]


def test_a_resumed_run_cuts_off_what_it_will_do_again(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add(step(1))
    size = history.size
    history.add(step(2))
    History(tmp_path, size).add(step(3))
    assert [record["step"] for record in read_history(tmp_path / "history.jsonl")] == [1, 3]


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    history = History(None)
    history.add(step(1))
    assert history.size == 0 and read_history(tmp_path / "history.jsonl") == []


def test_tensorboard_gets_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, float, int]] = []

    class SummaryWriter:
        def __init__(self, folder: Path) -> None:
            assert folder == tmp_path / "tensorboard"

        def add_scalar(self, name: str, value: float, number: int) -> None:
            written.append((name, value, number))

    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = SummaryWriter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "tensorboard" or None)
    History(tmp_path).add(step(4, valid={"loss": 3.0}))
    assert written == [("train/words", 1.0, 4), ("train/kl", 0.5, 4), ("valid/loss", 3.0, 4)]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "first")
    with pytest.raises(ValueError, match="full"), replacing(path) as partial:
        partial.write_text("half of the sec")
        raise ValueError("full")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
