"""Answers that are kept for the next time, in bounded memory whatever is asked.

functools.lru_cache bounds how many are kept and not how long they are: a server that strangers ask
about words of megabytes would keep megabytes of each.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

Answer = TypeVar("Answer")
More = ParamSpec("More")

LONGEST = 200  # characters of a text whose answer is kept


def remembering(
    count: int, longest: int = LONGEST
) -> Callable[[Callable[Concatenate[str, More], Answer]], Callable[Concatenate[str, More], Answer]]:
    """Keep the last `count` answers about texts of at most `longest` characters.

    >>> @remembering(2, longest=3)
    ... def shouted(text: str) -> str:
    ...     print("asked")
    ...     return text.upper()
    >>> shouted("abc"), shouted("abc"), shouted("abcd"), shouted("abcd")
    asked
    asked
    asked
    ('ABC', 'ABC', 'ABCD', 'ABCD')
    """

    def decorate(
        function: Callable[Concatenate[str, More], Answer],
    ) -> Callable[Concatenate[str, More], Answer]:
        kept = lru_cache(maxsize=count)(function)

        @wraps(function)
        def answer(text: str, /, *args: More.args, **kwargs: More.kwargs) -> Answer:
            ask = kept if len(text) <= longest else function
            return ask(text, *args, **kwargs)  # type: ignore[arg-type]

        return answer

    return decorate
