r"""\ifthenelse and its little language."""

import pytest
from expanding import expand


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        (r"\equal{a}{a}", True),
        (r"\equal{a}{b}", False),
        (r"\equal{}{}", True),
        (r"\NOT\equal{a}{b}", True),
        (r"\not \equal{a}{a}", False),
        (r"\NOT\NOT\equal{a}{a}", True),
        (r"\equal{a}{b} \OR \equal{a}{a}", True),
        (r"\equal{a}{b} \AND \equal{a}{a}", False),
        (r"\equal{a}{b}\or\equal{a}{a}\and\equal{c}{c}", True),
        (r"\equal{a}{a} \OR \( \equal{a}{b} \AND \equal{a}{b} \)", True),
        (r"\NOT \( \equal{a}{b} \OR \equal{a}{a} \)", False),
        (r"1 < 2", True),
        (r"3 = 4", False),
        (r"3 > 2 \AND 2 > 1", True),
        (r"\isodd{3}", True),
        (r"\isodd{x}", False),
        (r"\isundefined{\nobody}", True),
        (r"\isundefined\alpha", False),
        (r"\isempty{}", True),
        (r"\boolean{unheard}", False),
        (r"\lengthtest{1pt < 2pt}", False),
        (r"\)", False),
        ("", False),
    ],
)
def test_tests(test: str, holds: bool) -> None:
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}.") == ("yes." if holds else "no.")


def test_arguments_and_macros_are_expanded() -> None:
    source = r"\newcommand\a[2][]{\ifthenelse{\equal{#1}{}}{f(#2)}{f_{#1}(#2)}}"
    assert expand(source + r"\a x\a[n]x") == "f(x)f_{n}(x)"
    assert expand(r"\def\mode{draft}\ifthenelse{\equal{\mode}{draft}}{d}{f}") == "d"


def test_booleans() -> None:
    source = r"\newboolean{b}\def\a{\ifthenelse{\boolean{b}}{t}{f}}"
    assert expand(source + r"\a\setboolean{b}{true}\a") == "ft"


def test_a_long_chain_is_no_recursion() -> None:
    test = r"\NOT" * 10_001 + r"\equal{a}{b}"
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}") == "yes"
    test = r"\(" * 10_000 + r"\equal{a}{a}" + r"\)" * 10_000
    assert expand(rf"\ifthenelse{{{test}}}{{yes}}{{no}}") == "yes"
