"""n-grams: what is written, and what is left of it without names."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import SPECIAL
from topiceq.corpus.vocab import Vocab
from topiceq.model.ngrams import WIDTH, Ngrams

TOKENS = Vocab([*SPECIAL, *r"{ } _ ^ = + 2 a b c x y z \alpha \beta \hat \mathbf \sin".split()])
HALF = WIDTH // 2


def table(*equations: str) -> csr_matrix:
    ids = [TOKENS.encode(equation.split()) for equation in equations]
    return Ngrams(TOKENS).table(np.concatenate(ids), np.cumsum([0, *map(len, ids)]))


def nameless(equation: str) -> set[int]:
    return {column for column in table(equation).indices.tolist() if column >= HALF}


def test_tokens_pairs_and_triples_count_once_each() -> None:
    written = [column for column in table("a + a + a").indices if column < HALF]
    assert len(written) == 6  # a, +, a +, + a, a + a, + a +


def test_equations_do_not_run_into_each_other() -> None:
    apart = table("a + b", "= c = a", "2")
    for row, equation in enumerate(("a + b", "= c = a", "2")):
        alone = table(equation)
        assert sorted(apart[row].indices) == sorted(alone.indices)


def test_order_matters() -> None:
    assert set(table("a + b").indices) != set(table("b + a").indices)


@pytest.mark.parametrize(
    "twin",
    [
        r"x ^ { 2 } + x = y",
        r"\alpha ^ { 2 } + \alpha = z",
        r"\mathbf { x } ^ { 2 } + \mathbf { x } = \hat { \beta }",
    ],
)
def test_a_renamed_twin_has_the_same_ngrams_without_names(twin: str) -> None:
    assert nameless(r"a ^ { 2 } + a = b") == nameless(twin)
    assert set(table(r"a ^ { 2 } + a = b").indices) != set(table(twin).indices)


@pytest.mark.parametrize(
    "other",
    [
        r"a + c = b",  # another name where it was the same
        r"a + \hat { a } = b",  # an accent makes another name
        r"a + \sin = b",  # a function is no name
        r"a = a + b",
    ],
)
def test_what_is_no_renaming_has_others(other: str) -> None:
    assert nameless(r"a + a = b") == nameless(r"\hat { c } + \hat { c } = x") != nameless(other)


def test_short_equations_have_few() -> None:
    assert table("a").nnz == 1
    assert not nameless("a + b") and len(nameless("a + b =")) == 1


def test_nothing_is_random() -> None:
    assert table(r"\hat { a } = b").indices.tolist() == table(r"\hat { a } = b").indices.tolist()
    assert nameless("a + a = b") == {36601, 40649}  # an index must mean the same next year
