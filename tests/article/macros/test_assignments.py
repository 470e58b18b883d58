r"""Assignments are read and forgotten."""

import pytest
from expanding import expand


@pytest.mark.parametrize(
    "source",
    [
        r"\baselineskip=12pt plus 1pt minus .5pt x",
        r"\baselineskip 12pt x",
        r"\penalty-100 x",
        r"\penalty100x",
        r"\postdisplaypenalty=10000x",
        r"\arraycolsep=\z@ x",
        r"\arraycolsep=.5\jot x",
        r"\thinmuskip = 2mu x",
        r"\newcount\n\n=3\advance\n by 1\advance\n-2 x",
        r"\newdimen\d\d=1true in x",
        r"\advance\d by \e x",
    ],
)
def test_values_do_not_print(source: str) -> None:
    assert expand(source) == "x"


def test_a_number_does_not_swallow_the_command_behind_it() -> None:
    assert expand(r"\penalty100\alpha") == r"\alpha"


def test_a_length_that_is_not_assigned_is_nothing() -> None:
    assert expand(r"a\arraycolsep+b") == "a+b"
