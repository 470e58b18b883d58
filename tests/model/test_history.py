"""history.jsonl: records that survive, and what a resumed run cuts off."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from topiceq.model.history import History, TrainingStep, read_history


def step(number: int, **more: Any) -> TrainingStep:
    return TrainingStep(
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
