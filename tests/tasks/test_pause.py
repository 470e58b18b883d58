"""Long answers can be given up."""

import pytest

from topiceq.tasks.pause import GivenUp, pause, while_wanted


def test_nobody_asked() -> None:
    pause()


def test_given_up_once_it_is_not_wanted() -> None:
    answers = iter([True, True, False, True])
    with pytest.raises(GivenUp), while_wanted(lambda: next(answers)):
        for _ in range(9):
            pause()
    assert list(answers) == [True]


def test_only_inside_the_call() -> None:
    with while_wanted(lambda: False):
        with while_wanted(lambda: True):
            pause()
        with pytest.raises(GivenUp):
            pause()
    pause()
