"""Topics of equations against fields."""

import numpy as np
import pytest

from topiceq.scores.fields import field_score, majority_fields, supervised


def test_the_commonest_field_names_a_topic() -> None:
    topics = np.array([3, 3, 3, 1])
    assert majority_fields(topics, ["pde", "algebra", "pde", "algebra"]) == {1: "algebra", 3: "pde"}


def test_topics_that_follow_the_fields_score_one() -> None:
    topics, fields = np.array([0, 1, 2, 0]), ["a", "b", "c", "a"]
    score = field_score((topics, fields), (topics, fields))
    assert score.accuracy == 1.0 and score.nmi == pytest.approx(1.0)
    assert score.majority == 0.5


def test_a_topic_unseen_in_train_gets_the_commonest_field() -> None:
    score = field_score((np.array([0, 0]), ["a", "a"]), (np.array([7] * 4), [*"aaab"]))
    assert (score.accuracy, score.majority, score.nmi) == (0.75, 0.75, 0.0)


def test_the_reference_reads_the_order_of_tokens() -> None:
    rng = np.random.default_rng(0)
    tokens, fields = [], []
    for n in range(200):  # both fields have the same tokens, each in its own order
        middle = [str(token) for token in rng.permutation(6)]
        tokens.append([*middle, *(["x", "+"] if n % 2 else ["+", "x"])])
        fields.append("odd" if n % 2 else "even")
    score = supervised((tokens[:150], fields[:150]), (tokens[150:], fields[150:]))
    assert score.accuracy > 0.95 and score.majority == 0.5
