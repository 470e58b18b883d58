"""Several processes: the same batches, the same gradient, the same run as one alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from planted import planted_config

from topiceq.corpus.store import Corpus
from topiceq.model.processes import Team, team
from topiceq.model.run import Run
from topiceq.model.train import Training

ROWS = {  # batches of uneven size, so that the two shares are uneven too
    "te": ("train.epochs=3", "train.topic_epochs=3", "train.batch=90"),
    "lstm": ("train.batch=31", "model.theta=none", "model.decoders=lstm"),
}
SCRIPT = """
import sys
from topiceq.config import load_config
from topiceq.corpus.store import Corpus
from topiceq.model.train import Training

for row in sys.argv[2:]:
    folder, *overrides = row.split()
    config = load_config("debug", ["research.start=lda", *overrides])
    for step in Training(Corpus.load(sys.argv[1]), config, folder=folder).steps():
        pass
"""


def test_alone_without_torchrun() -> None:
    alone = team()
    assert (alone.rank, alone.ranks, alone.leads) == (0, 1, True)
    model = torch.nn.Linear(2, 2)
    assert alone.wrap(model, partly=False) is model
    assert alone.sum(torch.ones(2)).tolist() == [1, 1]


def test_the_first_process_leads() -> None:
    assert not Team(rank=1, ranks=2, device=torch.device("cpu")).leads


@pytest.fixture(scope="module")
def two(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the runs that two processes trained."""
    folder = tmp_path_factory.mktemp("two")
    (folder / "script.py").write_text(SCRIPT)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    rows = [" ".join([str(folder / name), *overrides]) for name, overrides in ROWS.items()]
    done = subprocess.run(
        [*torchrun, "--nproc-per-node", "2", str(folder / "script.py"), str(corpus.path), *rows],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("row", "tolerance"),
    [
        ("lstm", 1e-4),  # nothing is random, so only rounding may differ
        ("te", 0.01),  # noise and batch-norm differ from process to process
    ],
)
def test_two_processes_learn_what_one_learns(
    corpus: Corpus, two: Path, row: str, tolerance: float
) -> None:
    steps = [s for s in Training(corpus, planted_config(*ROWS[row])).steps() if s.valid]
    records = [record for record in Run.load(two / row).history if record["valid"]]
    assert [record["step"] for record in records] == [step.step for step in steps]
    assert steps[-1].valid is not None
    for name, value in steps[-1].valid.items():
        assert records[-1]["valid"][name] == pytest.approx(value, rel=tolerance), name


def test_only_the_first_process_writes(two: Path) -> None:
    """Two writers would have left every record twice."""
    numbers = [(record["step"], bool(record["valid"])) for record in Run.load(two / "te").history]
    assert len(numbers) == len(set(numbers))
