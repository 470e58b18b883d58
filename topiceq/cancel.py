"""Places where a long answer may be given up.

Whoever asks (the HTTP server) sets a question, `still wanted?`, around a call; the loops of the
tasks ask it between two pieces of work. Nothing happens where nobody has set one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class GivenUp(Exception):
    """The answer is no longer wanted; only the one who set the question sees this."""


@contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Give up, at the next place, once `wanted` says no."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def stop_if_unwanted() -> None:
    """Go on if the answer is still wanted."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise GivenUp
