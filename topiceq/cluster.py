"""Shards of work done by many workers: processes of this machine, or those of a Dask cluster.

In: a function, and the shards that it is to be called with. Out: each shard with its result, in
order. A shard can be pickled, its name is its str(), and working on it twice is the same as once:
when a worker of a cluster dies, another one does its shard again.
"""

import json
import multiprocessing
import os
import re
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import uuid4

import topiceq
from topiceq.errors import Unsupported

if TYPE_CHECKING:
    from distributed import Client

SECONDS = 30  # until a cluster answers
AHEAD = 4  # shards that wait for each worker
PATIENCE = 60  # seconds until a cluster that gives no result is looked at
ALWAYS_AHEAD = 100  # shards that wait for a cluster, which may grow when it sees them

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ucx|wss?)://)?(?:[\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}")

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Pending(Protocol):
    """A result that is being made."""

    def result(self) -> Any: ...


Submit = Callable[[Callable[[Any], Any], Any], Pending]


def nothing_finished(shard: object) -> None:
    """What `finished` is where every shard has to be done."""


def results(
    work: Callable[[Shard], Result],
    shards: Iterable[Shard],
    *,
    finished: Callable[[Shard], Result | None] = nothing_finished,
    jobs: int | None = None,
    cluster: str | None = None,
) -> Iterator[tuple[Shard, Result]]:
    """What `work` gives for each shard, in their order; `finished` knows what need not be done.

    `cluster` is the address of a Dask scheduler, or the file that it wrote; without it, `jobs`
    processes of this machine work, by default one for each core. Few shards are held at a time.
    """
    waiting: deque[tuple[Shard, Pending]] = deque()
    todo = partial(_unless, finished, work)
    with _workers(jobs or os.cpu_count() or 1, cluster) as (submit, ahead):
        for shard in shards:
            result = finished(shard)
            waiting.append((shard, submit(todo, shard) if result is None else _Done(result)))
            while len(waiting) >= ahead():
                yield _first(waiting)
        while waiting:
            yield _first(waiting)


def _unless(
    finished: Callable[[Shard], Result | None], work: Callable[[Shard], Result], shard: Shard
) -> Result:
    """Runs on a worker: when one dies, Dask asks again for what it had done, too."""
    result = finished(shard)
    return work(shard) if result is None else result


class _Done:
    """A result that was there already."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self) -> Any:
        return self._value


def _first(waiting: deque[tuple[Any, Pending]]) -> tuple[Any, Any]:
    shard, pending = waiting.popleft()
    return shard, pending.result()


Workers = tuple[Submit, Callable[[], int]]


@contextmanager
def _workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """What takes a shard to a worker, and how many may wait."""
    if cluster is not None:
        with _connected(cluster) as client:
            yield partial(_send, client), lambda: _ahead(client)
    elif jobs == 1:
        yield lambda work, shard: _Done(work(shard)), lambda: 1
    else:
        with _processes(jobs) as pool:
            yield pool.submit, lambda: AHEAD * jobs


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    kind = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(kind)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise Unsupported(
                "A process was killed, perhaps for want of memory. What is finished is kept: "
                "run this again, with fewer --jobs."
            ) from None
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _end_with_parent() -> None:
    """Runs in a worker: one whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


# -- Dask --------------------------------------------------------------------------------------


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    """A connection to the scheduler; what was sent is called back when it is closed."""
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError:
        raise Unsupported(
            "--cluster needs Dask, which is not installed. Type: pip install 'topiceq[cluster]'"
        ) from None
    try:
        client = Client(_scheduler(address), timeout=SECONDS, set_as_default=False)
    except OSError as error:
        raise Unsupported(
            f"No Dask cluster answers at '{address}' ({' '.join(str(error).split())[:200]}). "
            "Start one: 'dask scheduler', and 'dask worker ADDRESS' on each machine."
        ) from None
    with client:
        try:
            yield client
        except KilledWorker as error:
            raise Unsupported(
                f"Shard {error.task.rpartition('-')[0]} was given up: every worker that had it "
                f"died, the last one {error.last_worker.address}. What is finished is kept: give "
                "the workers more memory and run this again."
            ) from None
        except (CancelledError, CommClosedError):
            raise Unsupported(
                f"The Dask cluster at '{address}' is gone. What is finished is kept: start it "
                "and run this again."
            ) from None


def _scheduler(text: str) -> str:
    """The address of a scheduler, which may stand in a file that it wrote.

    >>> _scheduler("tcp://10.0.0.5:8786")
    'tcp://10.0.0.5:8786'
    """
    address = text
    if os.path.isfile(text):
        with suppress(OSError, ValueError, LookupError, TypeError):
            address = str(json.loads(Path(text).read_text(encoding="utf-8"))["address"])
    if not _ADDRESS.fullmatch(address):
        raise Unsupported(
            f"'{text}' does not say where a Dask cluster is. Give the address of its scheduler, "
            "such as tcp://10.0.0.5:8786, or the file that it wrote."
        )
    return address


def _send(client: "Client", work: Callable[[Any], Any], shard: Any) -> Pending:
    key = f"{shard}-{uuid4().hex}"  # else Dask may take what was once done, and is gone, as done
    return _Sent(client, client.submit(_checked, topiceq.__version__, work, shard, key=key))


class _Sent:
    """A result that a worker of the cluster makes."""

    def __init__(self, client: "Client", future: Any) -> None:
        self._client = client
        self._future = future

    def result(self) -> Any:
        try:
            while not self._future.done():
                _wait(self._client, self._future)
            return self._future.result()
        except ModuleNotFoundError as error:
            raise Unsupported(
                f"A worker of the cluster cannot do its work: {error}. Install TopicEq "
                f"{topiceq.__version__} where the workers run."
            ) from None


def _wait(client: "Client", future: Any) -> None:
    """Wait for a while; a cluster that may grow may also be without workers for a time."""
    from distributed import wait

    with client.as_current(), suppress(TimeoutError):
        wait(future, timeout=PATIENCE)
        return
    if not client.nthreads():
        note = "The Dask cluster has no worker now; its shards wait for one. Ctrl-C gives up."
        warnings.warn(note, UserWarning, stacklevel=2)


def _checked(version: str, work: Callable[[Shard], Result], shard: Shard) -> Result:
    """Runs on a worker: another version might give another result."""
    if version != topiceq.__version__:
        raise Unsupported(
            f"A worker of the cluster has TopicEq {topiceq.__version__}, this is {version}. "
            "Install the same version everywhere."
        )
    return work(shard)


def _ahead(client: "Client") -> int:
    threads: dict[str, int] = client.nthreads()
    return max(ALWAYS_AHEAD, AHEAD * sum(threads.values()))
