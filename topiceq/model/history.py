"""history.jsonl: one record of the loop a line.

In go records of steps; a line is written whole or not at all, and a resumed run first cuts off what
it is about to do again.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topiceq.files import parse_json, read_text


@dataclass(frozen=True)
class TrainingStep:
    """What happened in one step, or, where `valid` is set, in one epoch."""

    step: int  # steps so far
    epoch: int  # from 1
    epochs: int  # at most, in all
    batch: int  # of the epoch, from 1
    batches: int  # in an epoch
    phase: str  # "topics": the context alone; "joint": with the decoders
    loss: float
    terms: dict[str, float]  # of the loss, nats a pair; means over the epoch where `valid` is set
    tokens_per_second: float
    seconds: float  # of training so far, interruptions left out
    valid: dict[str, float] | None = None  # perplexities and the like on the valid split
    best: bool = False  # whether these weights are the best so far


class History:
    """The file of records; without a folder, nothing is written."""

    def __init__(self, folder: Path | None, size: int = 0) -> None:
        self.path = folder / "history.jsonl" if folder else None
        if self.path:
            if self.path.is_symlink():  # what it points to is not ours
                self.path.unlink()
            self.path.touch()
            os.truncate(self.path, size)

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self.path.stat().st_size if self.path else 0

    def add(self, step: TrainingStep) -> None:
        """Append one record."""
        if self.path:
            line = json.dumps(asdict(step)) + "\n"
            with self.path.open("ab", buffering=0) as file:
                file.write(line.encode())


def read_history(path: Path) -> list[dict[str, Any]]:
    """The records of a run, oldest first; none if there is no file, ValueError if it is another."""
    if not path.exists():
        return []
    records = [parse_json(line) for line in read_text(path).splitlines()]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("a line holds no record")
    return records
