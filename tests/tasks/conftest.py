"""What the planted run has learned, and one thread to ask it with."""

import pytest
import torch
from planted import TOPICS, WORDS

from topiceq.model.run import Run
from topiceq.questions import Infer
from topiceq.tasks.infer import infer


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Two threads only wait for each other where products are small."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def learned(run: Run) -> list[int]:
    """Which learned topic each planted topic is."""
    return learned_by(run)


def learned_by(run: Run) -> list[int]:
    found = [
        int(infer(run, Infer(context=" ".join(WORDS[t]))).theta.argmax()) for t in range(TOPICS)
    ]
    assert sorted(found) == list(range(TOPICS))
    return found


@pytest.fixture(scope="session")
def learned_by_mixture(mixture: Run) -> list[int]:
    return learned_by(mixture)
