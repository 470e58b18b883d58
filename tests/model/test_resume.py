"""Interruptions: after Ctrl-C, a closed loop or kill -9, --resume gives the numbers of a training
that was never interrupted."""

import json
import multiprocessing
import os
import random
import signal
import time
from itertools import islice
from pathlib import Path

import pytest
import torch
from planted import planted_config

from topiceq.config import Config
from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.model.resume import Progress, load_state, noise, save_state, uninterrupted
from topiceq.model.run import Run
from topiceq.model.train import Training


def config(*overrides: str) -> Config:
    return planted_config("train.epochs=2", "model.dropout=0.2", *overrides)


def finish(corpus: Corpus, folder: Path, resume: bool = True) -> Run:
    for _ in Training(corpus, config(), folder=folder, resume=resume).steps():
        pass
    return Run.load(folder)


@pytest.fixture(scope="module")
def whole(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A training that was never interrupted."""
    return finish(corpus, tmp_path_factory.mktemp("whole") / "run", resume=False)


def same_numbers(one: Run, other: Run) -> bool:
    mine, theirs = one.model.state_dict(), other.model.state_dict()
    timeless = [
        [{k: v for k, v in record.items() if "second" not in k} for record in run.history]
        for run in (one, other)
    ]
    weights = all(torch.equal(mine[name], theirs[name]) for name in mine)
    return weights and timeless[0] == timeless[1]


@pytest.mark.parametrize("steps", [0, 1, 28, 29, 30, 47, 87])
def test_a_closed_loop_goes_on_exactly(
    corpus: Corpus, whole: Run, tmp_path: Path, steps: int
) -> None:
    """28 steps are an epoch: before, at and after its end, and after the last."""
    generator = Training(corpus, config(), folder=tmp_path / "run").steps()
    assert len(list(islice(generator, steps))) == steps
    generator.close()
    assert same_numbers(finish(corpus, tmp_path / "run"), whole)


def test_ctrl_c_waits_for_the_step_and_saves(corpus: Corpus, whole: Run, tmp_path: Path) -> None:
    training = Training(corpus, config(), folder=tmp_path / "run")
    steps = training.steps()
    list(islice(steps, 40))
    hook = training.model.decoders["te-lstm"].bias.register_hook(
        lambda _: os.kill(os.getpid(), signal.SIGINT)  # in the middle of the step
    )
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    hook.remove()
    state = load_state(tmp_path / "run", corpus.digest)
    assert state is not None and state["progress"].step == 40  # 39 before it, the 40th complete
    assert same_numbers(finish(corpus, tmp_path / "run"), whole)


def test_a_finished_run_can_be_trained_further(corpus: Corpus, whole: Run, tmp_path: Path) -> None:
    run = finish(corpus, tmp_path / "run", resume=False)
    more = Training(corpus, config("train.epochs=3"), folder=tmp_path / "run", resume=True)
    steps = [step for step in more.steps() if step.valid]
    assert [step.epoch for step in steps] == [4]
    assert len(Run.load(tmp_path / "run").history) > len(run.history)


# kill -9


def train_on(corpus: Path, folder: Path) -> None:
    """In a process of its own; the state is written after every step."""
    training = Training(Corpus.load(corpus), config(), folder=folder, resume=True, save_seconds=0.0)
    for _ in training.steps():
        pass


def check_files(folder: Path, corpus: Corpus) -> None:
    """Whatever exists is complete."""
    load_state(folder, corpus.digest)
    if (folder / "model.safetensors").exists():
        Run.load(folder)
    if (folder / "history.jsonl").exists():
        for line in (folder / "history.jsonl").read_text().splitlines():
            json.loads(line)


def wait_for(path: Path, changes: int) -> None:
    """Until the file has been replaced so many times."""
    seen = None
    while changes:
        now = path.stat().st_mtime_ns if path.exists() else None
        changes, seen = changes - (now != seen), now
        time.sleep(0.001)


def test_kill_9_ten_times(corpus: Corpus, whole: Run, tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["topiceq.model.train", "torch._dynamo"])
    draw, folder = random.Random(0), tmp_path / "run"
    for kill in range(11):
        process = context.Process(target=train_on, args=(corpus.path, folder))
        process.start()
        if kill < 10:
            wait_for(folder / "state" / "state.pt", draw.randint(1, 8))  # of 91 times in all
            time.sleep(draw.uniform(0, 0.03))
            process.kill()
        process.join()
        assert process.exitcode == (-signal.SIGKILL if kill < 10 else 0)
        check_files(folder, corpus)
    assert same_numbers(Run.load(folder), whole)


# the parts


def test_noise_depends_on_its_numbers_alone() -> None:
    def drawn(*numbers: int) -> float:
        with noise(*numbers):
            return torch.rand(()).item()

    torch.manual_seed(7)
    first = torch.rand(()).item()
    torch.manual_seed(7)
    assert drawn(0, 1, 0) == drawn(0, 1, 0)
    assert len({drawn(0, 1, 0), drawn(0, 2, 0), drawn(1, 1, 0), drawn(0, 1, 1)}) == 4
    assert torch.rand(()).item() == first


def test_ctrl_c_comes_after_the_block() -> None:
    done, before = False, signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done = True
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)  # which ignores it where the tests run in the background


def test_progress_survives_the_file(tmp_path: Path) -> None:
    progress = Progress(step=3, sums={"words": 1.5}, best=2.0)
    save_state(tmp_path, progress, "digest", weights=torch.ones(2))
    state = load_state(tmp_path, "digest")
    assert state is not None and state["progress"] == progress
    assert torch.equal(state["weights"], torch.ones(2))
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["state.pt"]


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "state.pt").write_bytes(b"rubbish")
    with pytest.raises(RunError, match=r"^The state '.*state.pt' cannot be read \("):
        load_state(tmp_path, "")


def test_the_state_of_other_pairs_is_refused(tmp_path: Path) -> None:
    save_state(tmp_path, Progress(), "digest")
    with pytest.raises(RunError) as error:
        load_state(tmp_path, "another")
    wanted = f"The run '{tmp_path}' was trained on other pairs. Give the same corpus."
    assert str(error.value) == wanted


def test_no_state_means_the_beginning(tmp_path: Path) -> None:
    assert load_state(tmp_path, "") is None
