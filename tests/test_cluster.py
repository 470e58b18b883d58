"""Shards of work in processes of this machine and on a Dask cluster, whose workers may die."""

import builtins
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from topiceq import cluster
from topiceq.cluster import results
from topiceq.errors import CorpusError, Unsupported


@dataclass(frozen=True)
class Piece:
    """A shard whose worker is killed in the middle as often as it says."""

    number: int
    folder: Path
    deaths: int = 0

    def __str__(self) -> str:
        return f"{self.number:08d}"


def doubled(piece: Piece) -> int:
    attempts = piece.folder / f"{piece}.attempts"
    with open(attempts, "ab") as file:
        file.write(b".")
    if attempts.stat().st_size <= piece.deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    attempts.with_suffix(".done").touch()
    return 2 * piece.number


def done(piece: Piece) -> int | None:
    return 2 * piece.number if (piece.folder / f"{piece}.done").exists() else None


def refuses(piece: Piece) -> int:
    raise CorpusError(f"Piece {piece} is bad.")


def late(piece: Piece) -> int:
    raise TimeoutError("late")


def lacks(piece: Piece) -> int:
    raise ModuleNotFoundError("No module named 'topiceq.new'")


def pieces(folder: Path, deaths: dict[int, int] | None = None) -> list[Piece]:
    return [Piece(number, folder, (deaths or {}).get(number, 0)) for number in range(12)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_processes_of_this_machine(tmp_path: Path, jobs: int) -> None:
    todo = pieces(tmp_path)
    assert list(results(doubled, todo, jobs=jobs)) == [(each, 2 * each.number) for each in todo]


def test_what_is_finished_is_not_done(tmp_path: Path) -> None:
    found = results(doubled, pieces(tmp_path), finished=lambda p: -1 if p.number else None, jobs=1)
    assert [result for _, result in found] == [0] + [-1] * 11
    assert len(list(tmp_path.glob("*.attempts"))) == 1


def test_a_killed_process_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="A process was killed, perhaps for want of memory. What"):
        list(results(doubled, pieces(tmp_path, {5: 1}), jobs=2))


PARENT = """
import os, time
from topiceq.cluster import results
def work(shard):
    time.sleep(0.3)
    return os.getpid()
for _, pid in results(work, range(4), jobs=2):
    print(pid, flush=True)
    time.sleep(60 if _ == 3 else 0)
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_end_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = {int(parent.stdout.readline()) for _ in range(4)}
    assert len(workers) == 2 and all(map(is_alive, workers))
    parent.kill()
    parent.communicate()
    until = time.monotonic() + 60
    while any(map(is_alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))


def test_few_shards_are_held(tmp_path: Path) -> None:
    drawn: list[int] = []

    def drawing() -> Iterator[Piece]:
        for piece in pieces(tmp_path):
            drawn.append(piece.number)
            yield piece

    found = results(doubled, drawing(), jobs=1)
    next(found)
    assert drawn == [0]


def test_a_worker_that_dies_costs_its_shard_once_more(dask: str, tmp_path: Path) -> None:
    todo = pieces(tmp_path, {3: 1, 7: 2})
    found = list(results(doubled, todo, finished=done, cluster=dask))
    assert found == [(each, 2 * each.number) for each in todo]
    attempts = {int(path.stem): path.stat().st_size for path in tmp_path.glob("*.attempts")}
    assert attempts == dict.fromkeys(range(12), 1) | {3: 2, 7: 3}


def test_a_shard_that_kills_every_worker_is_given_up(dask: str, tmp_path: Path) -> None:
    todo = [Piece(7, tmp_path, deaths=99)]
    message = "^Shard 00000007 was given up: every worker that had it died, the last one tcp://"
    with pytest.raises(Unsupported, match=message):
        list(results(doubled, todo, cluster=dask))


def test_a_cluster_without_workers_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.05)
    with LocalCluster(
        n_workers=0, threads_per_worker=1, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
    ) as empty:  # fmt: skip
        found = results(doubled, pieces(tmp_path)[:1], cluster=empty.scheduler_address)
        with pytest.warns(UserWarning, match="^The Dask cluster has no worker now; its shards"):
            growing = threading.Timer(0.3, empty.scale, (1,))
            growing.start()
            assert [result for _, result in found] == [0]
        growing.join()


def test_work_that_takes_longer_is_waited_for(
    dask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.001)
    found = results(doubled, pieces(tmp_path), cluster=dask)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # there may be no worker, right after a test
        assert [result for _, result in found] == list(range(0, 24, 2))
    with pytest.raises(TimeoutError, match="^late$"):
        list(results(late, pieces(tmp_path), cluster=dask))


def test_the_scheduler_s_file_is_an_address(dask: str, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(f'{{"address": "{dask}"}}')
    assert [found for _, found in results(doubled, [Piece(4, tmp_path)], cluster=str(file))] == [8]


def test_errors_of_the_work_are_its_own(dask: str, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="^Piece 00000000 is bad.$"):
        list(results(refuses, pieces(tmp_path), cluster=dask))
    with pytest.raises(Unsupported, match="cannot do its work: No module .*Install TopicEq"):
        list(results(lacks, pieces(tmp_path), cluster=dask))


def test_workers_of_another_version(
    dask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("topiceq.__version__", "9.9")
    with pytest.raises(Unsupported, match=r"has TopicEq .*, this is 9.9. Install the same version"):
        list(results(doubled, pieces(tmp_path), cluster=dask))


def test_an_address_at_which_nobody_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "SECONDS", 0.2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unsupported, match=f"^No Dask cluster answers at '{address}' .*Start one"):
        list(results(doubled, pieces(tmp_path), cluster=address))


@pytest.mark.parametrize("wrong", ["", "cluster", "ftp://x:1", "tcp://", "tcp://x:port"])
def test_what_is_no_address(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(Unsupported, match=f"^'{wrong}' does not say where a Dask cluster is. Give"):
        list(results(doubled, pieces(tmp_path), cluster=wrong))


@pytest.mark.parametrize("text", ["rubbish", "[1]", "{}", '{"address": null}'])
def test_what_is_no_scheduler_s_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "scheduler.json").write_text(text)
    with pytest.raises(Unsupported, match="scheduler.json' does not say where a Dask cluster is"):
        list(results(doubled, pieces(tmp_path), cluster=str(tmp_path / "scheduler.json")))


def test_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def refusing(name: str, *rest: Any) -> Any:
        if name.startswith("distributed"):
            raise ImportError(name)
        return importing(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refusing)
    message = (
        r"--cluster needs Dask, which is not installed. Type: pip install 'topiceq\[cluster\]'"
    )
    with pytest.raises(Unsupported, match=message):
        list(results(doubled, pieces(tmp_path), cluster="tcp://127.0.0.1:1"))
    assert "distributed" in sys.modules
