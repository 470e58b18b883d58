"""The state of a training that can be continued: weights, optimiser, and where it stands.

It is one file, state/state.pt, written whole or not at all. Noise depends on (seed, step, process)
alone and the order of batches on (seed, epoch), so no random state has to be kept, and a resumed
training gives the same numbers as one that was never interrupted.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from topiceq.config import Config
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocabularies
from topiceq.errors import RunError
from topiceq.files import replacing
from topiceq.model.run import read_settings

KEPT = ("seed", "batch", "topic_epochs")  # of train.*: what a resumed run cannot change


@dataclass
class Progress:
    """Where a training stands; all of it is plain numbers."""

    step: int = 0
    seconds: float = 0.0
    epoch: int = 0  # complete ones
    batch: int = 0  # done in this epoch, and so are the next three
    items: float = 0.0  # tokens, or words in the epochs of the topics alone
    busy: float = 0.0  # seconds
    sums: dict[str, float] = field(default_factory=dict)  # of the terms
    best: float = inf  # validation loss
    best_epoch: int = 0
    valid: dict[str, float] = field(default_factory=dict)  # all numbers at that epoch
    stale: int = 0  # epochs since then
    history: int = 0  # bytes of history.jsonl

    def add(self, terms: dict[str, float], items: float, seconds: float) -> None:
        """One step more."""
        for name, value in terms.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.step, self.batch, self.items = self.step + 1, self.batch + 1, self.items + items
        self.seconds, self.busy = self.seconds + seconds, self.busy + seconds

    def next_epoch(self, *, counts: bool, best: bool) -> None:
        """One epoch more; one that `counts` and is not the best makes the run staler."""
        self.epoch, self.batch, self.items, self.busy, self.sums = self.epoch + 1, 0, 0.0, 0.0, {}
        self.stale = 0 if best else self.stale + counts


def save_state(folder: Path, progress: Progress, corpus: str, **tensors: Any) -> None:
    """Write the state of a training on the corpus with that digest into the run folder."""
    path = _path(folder)
    path.parent.mkdir(exist_ok=True)
    with replacing(path, follow=False) as partial, partial.open("wb") as file:
        try:
            torch.save({"progress": asdict(progress), "corpus": corpus, **tensors}, file)
        except RuntimeError as error:  # torch's own words for a full disk
            raise (error.__context__ if isinstance(error.__context__, OSError) else error) from None


def load_state(folder: Path, corpus: str) -> dict[str, Any] | None:
    """Read the state; None if there is none, so the training starts from the beginning."""
    path = _path(folder)
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        known = {one.name for one in fields(Progress)}
        state["progress"] = Progress(**{n: v for n, v in state["progress"].items() if n in known})
    except Exception as error:  # torch raises whatever its unpickler stumbles on
        raise RunError(f"The state '{path}' cannot be read ({error}). Train again.") from error
    if state["corpus"] != corpus:
        raise RunError(f"The run '{folder}' was trained on other pairs. Give the same corpus.")
    return state


def _path(folder: Path) -> Path:
    return folder / "state" / "state.pt"


def check_folder(
    folder: Path, corpus: Corpus, wanted: Vocabularies, config: Config, resume: bool
) -> None:
    """A new run needs a new folder; a resumed one its own settings, corpus and vocabularies."""
    if folder.exists() and not folder.is_dir():
        raise RunError(f"'{folder}' is a file. Give the name of a folder.")
    if not (folder / "config.toml").exists():
        return
    if not resume:
        raise RunError(
            f"'{folder}' already holds a run. Add --resume to go on, or give another folder."
        )
    old, vocabularies = read_settings(folder)
    if vocabularies != wanted:
        raise RunError(f"The run '{folder}' was trained on another corpus than '{corpus.path}'.")
    for name, was, now in _differences(old, config):
        raise RunError(f"{name} is {now!r}, but the run '{folder}' was started with {was!r}.")


def _differences(old: Config, new: Config) -> Iterator[tuple[str, object, object]]:
    """The settings that a resumed run cannot change, and has changed."""
    before, after = old.model_dump(), new.model_dump()
    whole = [(section, key) for section in ("model", "research") for key in before[section]]
    for section, key in [*whole, *(("train", key) for key in KEPT)]:
        if before[section][key] != after[section][key]:
            yield f"{section}.{key}", before[section][key], after[section][key]


@contextmanager
def noise(seed: int, step: int, rank: int) -> Iterator[None]:
    """Randomness that depends on these three numbers alone; the caller's own is left untouched."""
    devices = range(torch.cuda.device_count())
    with torch.random.fork_rng(devices):
        torch.manual_seed(int(np.random.SeedSequence([seed, step, rank]).generate_state(1)[0]))
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is over: half a step would leave half-updated weights."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def cpu_copy(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights as they are now."""
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}
