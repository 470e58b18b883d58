"""Names of topics."""

import numpy as np
import pytest
from planted import PHRASES, random_pairs
from scipy.sparse import csr_matrix

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.model.run import Run
from topiceq.model.topics import CANDIDATES, fit, labels


def pairs_with(phrases: list[list[int]]) -> Encoded:
    pairs = random_pairs([4] * len(phrases))
    object.__setattr__(pairs, "phrases", csr_matrix(np.float32(phrases)))
    return pairs


THETA = np.float32([[1, 0], [1, 0], [0, 1]])
WORDS = [["heat", "boundary"], ["prime", "integers"]]


def test_a_topic_is_named_by_what_it_has_more_of() -> None:
    phrases = Vocab(["solution", "boundary condition", "prime number"])
    pairs = pairs_with([[1, 2, 0], [1, 1, 0], [1, 0, 2]])
    assert labels(THETA, pairs, phrases, WORDS) == ["boundary condition", "prime number"]


def test_the_larger_topic_chooses_first() -> None:
    phrases, told = Vocab(["number", "prime number"]), [[0, 2], [0, 2], [3, 0], [0, 1]]
    theta, same = np.float32([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]), [["x", "y"]] * 3
    assert labels(theta, pairs_with(told), phrases, same) == ["prime number", "x y", "number"]
    swapped = labels(theta[:, [1, 0, 2]], pairs_with(told), phrases, same)
    assert swapped == ["x y", "prime number", "number"]


def test_of_many_phrases_only_those_that_tell_most_are_looked_at() -> None:
    names = [f"a{n}" for n in range(CANDIDATES)]
    phrases, common = Vocab([*names, "heat boundary"]), [5] * CANDIDATES
    pairs = pairs_with([[*common, 4], [*common, 4], [1] * (CANDIDATES + 1)])
    assert labels(THETA, pairs, phrases, WORDS)[0] in names


def test_without_phrases_words_must_do() -> None:
    found = labels(THETA, pairs_with([[], [], []]), Vocab([]), WORDS)
    assert found == ["heat boundary", "prime integers"]


@pytest.mark.parametrize(
    ("phrase", "score"),
    [
        ("prime number", (0.3 + 1 / 2) * 3),
        ("prime integer", (0.3 + 1) * 3),
        ("prime", 0.3 + 1),
        ("non-prime", (0.3 + 1 / 2) * 3),
        ("boundary condition", 0.3 * 3),
    ],
)
def test_names_are_made_of_top_words(phrase: str, score: float) -> None:
    assert fit(phrase, WORDS[1]) == pytest.approx(score)


def test_a_name_of_top_words_wins_over_a_commoner_one() -> None:
    phrases = Vocab(["steady state", "heat boundary", "prime number"])
    pairs = pairs_with([[3, 2, 0], [3, 2, 0], [0, 0, 5]])
    assert labels(THETA, pairs, phrases, WORDS)[0] == "heat boundary"


def test_planted_topics_get_planted_names(run: Run, corpus: Corpus) -> None:
    names = [topic.label for topic in run.topics]
    assert len(set(names)) == len(names)
    assert set(names) <= {phrase for pair in PHRASES for phrase in pair}
