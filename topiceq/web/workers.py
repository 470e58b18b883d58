"""Two workers, so that a long answer does not keep a quick question waiting.

A worker is a queue with one thread; with two of them, two cores are busy and never more. A worker
with too much waiting refuses (`Busy`). A job whose asker has gone, or that takes too long, is given
up at the next place where its work can end (topiceq/cancel.py).
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from topiceq.cancel import GivenUp, while_wanted
from topiceq.errors import TopicEqError

LOOK_SECONDS = 0.2  # between two looks whether the asker is still there

Answer = TypeVar("Answer")


class Busy(TopicEqError):
    """Too many questions are waiting."""


class TooSlow(TopicEqError):
    """The answer took longer than it may."""


class Worker:
    """One thread, and the jobs that wait for it."""

    def __init__(self, name: str, *, waiting: int, seconds: float) -> None:
        self.waiting, self.seconds = waiting, seconds
        self.name = name
        self.pool = self._new_pool()
        self.count = 0  # waiting or at work
        self.lock = threading.Lock()

    async def do(
        self, work: Callable[[], Answer], gone: Callable[[], Awaitable[bool]]
    ) -> Answer | None:
        """The answer; None if the asker has gone meanwhile."""
        if self.count >= self.waiting:
            raise Busy("Too many questions are waiting. Ask again in a few seconds.")
        job = _Job(self.seconds)
        submitted = self.pool.submit(job.run, work)
        self._add(1)
        submitted.add_done_callback(lambda _: self._add(-1))  # also if nobody waits any more
        future = asyncio.wrap_future(submitted)
        try:
            while not future.done():
                await asyncio.wait([future], timeout=LOOK_SECONDS)
                if not future.done() and await gone():
                    job.is_unwanted = True
            return future.result()
        except GivenUp:
            if job.is_unwanted:
                return None
            raise TooSlow(
                f"The answer took longer than {self.seconds:g} s. Ask for less at once."
            ) from None
        finally:
            job.is_unwanted = True  # also if this coroutine is cancelled

    def _add(self, number: int) -> None:
        with self.lock:
            self.count += number

    def _new_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix=f"topiceq-{self.name}")

    def close(self) -> None:
        """Let go of the thread and of what waits for it; the worker can be used again."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.pool = self._new_pool()


class _Job:
    """One piece of work: whether its asker has gone, and how long it may take."""

    def __init__(self, seconds: float) -> None:
        self.is_unwanted = False
        self.seconds = seconds

    def run(self, work: Callable[[], Answer]) -> Answer:
        if self.is_unwanted:
            raise GivenUp
        end = time.monotonic() + self.seconds  # the wait in the queue does not count
        with while_wanted(lambda: not self.is_unwanted and time.monotonic() < end):
            return work()
