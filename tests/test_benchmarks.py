"""The rules by which the benchmarks judge answers."""

import doctest
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(params=["claims", "known", "trained", "writing", "paper_tables"])
def script(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    yield _imported(request.param)


def _imported(name: str) -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_their_examples_are_true(script: ModuleType) -> None:
    assert doctest.testmod(script).failed == 0


def test_there_are_five_equations_of_each_of_twelve_fields() -> None:
    asked = _imported("known").questions("equations")
    assert len({one["name"] for one in asked}) == len(asked) == 60
    assert set(Counter(one["field"] for one in asked).values()) == {5}
    assert _imported("known").REPLACEMENTS < {one["name"] for one in asked}


def test_a_topic_has_the_field_of_most_contexts_about_it() -> None:
    theta = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.3, 0.0], [0.1, 0.9, 0.0]])
    fields = ["optics", "optics", "algebra", ""]  # the last article has none
    assert _imported("known").topic_fields(theta, fields) == ["optics", "", ""]


def test_accuracy_counts_the_first_topic_and_the_first_three() -> None:
    def answer(field: str, *told: str) -> dict[str, object]:
        return {"field": field, "topics": [{"field": one} for one in told]}

    answers = [answer("ml", "ml", "pde", "pde"), answer("pde", "ml", "ml", "rl")]
    found = _imported("known").accuracy(answers, ["ml", "ml", "rl", ""], {"pde": {"rl"}})
    assert (found["top1"], found["top3"], found["has_a_topic"]) == (0.5, 1.0, 2)
    assert found["chance_top1"] == round((2 / 4 + 1 / 4) / 2, 4)


@pytest.mark.parametrize(
    "phrase, meaning, right",
    [
        ("Christoffel symbols", "christoffel symbol", True),
        ("reduced Planck constant", "planck constant", True),
        ("constant of Planck", "planck constant", False),
        ("loss", "loss function", False),
        ("mass", "mas", False),
    ],
)
def test_a_phrase_is_right_if_the_meaning_stands_in_it(
    phrase: str, meaning: str, right: bool
) -> None:
    assert _imported("known").means(phrase, meaning) is right


def test_chance_deals_the_found_topics_out_at_random() -> None:
    near = np.array([[0], [1]])
    meant, found = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])
    hits, chance = _imported("writing").agreement(meant, found, near)
    assert (hits, chance) == (0.75, 0.5)


def test_a_claim_is_answered_from_what_was_left_of_two_runs() -> None:
    claims = _imported("claims")
    claim = next(one for one in claims.CLAIMS if one.name.endswith("TE-LSTM against LSTM"))
    run = {"corpus": "corpus", "topics": 50, "seed": 0, "corpus_digest": "d"}
    other = run | {"articles": {"log_prob": [-200.0, -100.0], "size": [100.0, 50.0]}}
    ours = run | {"articles": {"log_prob": [-190.0, -95.0], "size": [100.0, 50.0]}}
    found = claims.answer(claim, {0: ours}, {0: other})
    assert found["gap"] == pytest.approx(np.exp(-0.1) - 1) == found["low"] == found["high"]
    assert found["paper"] == pytest.approx(5.36 / 5.81 - 1)
    assert claims.answer(claim, {0: ours}, {0: run}) is None  # nothing was left of the other


def test_a_row_without_topics_is_compared_with_any_number_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claims = _imported("claims")

    def run(topics: int) -> dict[int, dict[str, object]]:
        parts = {"articles": {"log_prob": [-200.0], "size": [100.0]}}
        return {0: {"corpus": "corpus", "topics": topics, "corpus_digest": "d"} | parts}

    known = {("corpus", 50): {"LSTM": run(50)}, ("corpus", 100): {"TE-LSTM": run(100)}}
    monkeypatch.setattr(claims, "entries", lambda: known)
    (found,) = claims.answers()
    assert found["row"] == "equation perplexity, TE-LSTM against LSTM"
    assert found["topics"] == 100
    assert found["paper"] == pytest.approx(5.34 / 5.81 - 1)


def test_several_seeds_answer_a_claim_together() -> None:
    claims = _imported("claims")
    run = {"corpus": "quarter", "topics": 50, "corpus_digest": "d"}

    def row(*nats: float, npmi: float, error: float) -> dict[int, dict[str, object]]:
        scores = {"syntax": {"lstm": {"error": error, "sampled": 100}}}
        return {
            seed: run | {"articles": {"log_prob": [-value], "size": [100.0]}, "npmi": [npmi, npmi],
                         "scores": scores} for seed, value in enumerate(nats)
        }  # fmt: skip

    ours, other = row(180, 190, npmi=0.2, error=0.1), row(200, 200, 200, npmi=0.1, error=0.2)
    answers = {
        claim.score: claims.answer(claim, ours, other)
        for claim in claims.PAPER
        if claim.name.endswith(("TE-LSTM against LSTM", "TE-LSTM against context + BOW"))
    }
    assert {tuple(found["seeds"]) for found in answers.values()} == {(0, 1)}
    assert answers["perplexity"]["gap"] == pytest.approx(np.exp(-0.15) - 1)
    assert answers["perplexity"]["gaps"] == pytest.approx([np.exp(-0.2) - 1, np.exp(-0.1) - 1])
    assert answers["npmi"]["gap"] == pytest.approx(0.1)
    low, high = (answers["syntax"][end] for end in ("low", "high"))
    assert high - low == pytest.approx(2 * 1.96 * ((0.09 + 0.16) / 200) ** 0.5, abs=1e-5)
