"""Long answers can be given up."""

import pytest

from topiceq.cancel import GivenUp, stop_if_unwanted, while_wanted


def test_nobody_asked() -> None:
    stop_if_unwanted()


def test_given_up_once_it_is_not_wanted() -> None:
    answers = iter([True, True, False, True])
    with pytest.raises(GivenUp), while_wanted(lambda: next(answers)):
        for _ in range(9):
            stop_if_unwanted()
    assert list(answers) == [True]


def test_only_inside_the_call() -> None:
    with while_wanted(lambda: False):
        with while_wanted(lambda: True):
            stop_if_unwanted()
        with pytest.raises(GivenUp):
            stop_if_unwanted()
    stop_if_unwanted()
