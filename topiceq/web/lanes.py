"""Two lanes for work, so that a long answer does not keep a quick question waiting.

A lane is one thread that does one thing at a time; with two of them, two cores are busy and never
more. A lane with too much waiting refuses (`Busy`). Work whose asker has gone, or that takes too
long, is given up at its next pause (tasks/pause.py).
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from topiceq.errors import TopicEqError
from topiceq.tasks.pause import GivenUp, while_wanted

LOOK_SECONDS = 0.2  # between two looks whether the asker is still there

Answer = TypeVar("Answer")


class Busy(TopicEqError):
    """Too many questions are waiting."""


class TooSlow(TopicEqError):
    """The answer took longer than it may."""


class Lane:
    """One thread, and the work that waits for it."""

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
        ticket = _Ticket(self.seconds)
        submitted = self.pool.submit(ticket.run, work)
        self._add(1)
        submitted.add_done_callback(lambda _: self._add(-1))  # also if nobody waits any more
        future = asyncio.wrap_future(submitted)
        try:
            return await self._watch(future, ticket, gone)
        except GivenUp:
            if ticket.left:
                return None
            raise TooSlow(
                f"The answer took longer than {self.seconds:g} s. Ask for less at once."
            ) from None
        finally:
            ticket.left = True  # also if this coroutine is cancelled

    def _add(self, number: int) -> None:
        with self.lock:
            self.count += number

    async def _watch(
        self,
        future: "asyncio.Future[Answer]",
        ticket: "_Ticket",
        gone: Callable[[], Awaitable[bool]],
    ) -> Answer:
        while not future.done():
            await asyncio.wait([future], timeout=LOOK_SECONDS)
            if not future.done() and await gone():
                ticket.left = True
        return future.result()

    def _new_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix=f"topiceq-{self.name}")

    def close(self) -> None:
        """Let go of the thread and of what waits for it; the lane can be used again."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        self.pool = self._new_pool()


class _Ticket:
    """One piece of work: whether its asker has left, and when its time is over."""

    def __init__(self, seconds: float) -> None:
        self.left = False
        self.seconds = seconds

    def run(self, work: Callable[[], Answer]) -> Answer:
        if self.left:
            raise GivenUp
        end = time.monotonic() + self.seconds  # the wait in the queue does not count
        with while_wanted(lambda: not self.left and time.monotonic() < end):
            return work()
