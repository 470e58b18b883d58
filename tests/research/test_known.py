"""The rules by which answers about equations and symbols are judged, and how they are shown."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from research import known
from research.entries import questions


def test_there_are_five_equations_of_each_of_twelve_fields() -> None:
    asked = questions("equations")
    assert len({question["name"] for question in asked}) == len(asked) == 60
    assert set(Counter(question["field"] for question in asked).values()) == {5}
    assert {question["name"] for question in asked} > known.REPLACEMENTS


def test_a_topic_has_the_field_of_most_contexts_about_it() -> None:
    theta = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.7, 0.3, 0.0], [0.1, 0.9, 0.0]])
    fields = ["optics", "optics", "algebra", ""]  # the last article has none
    assert known.topic_fields(theta.astype(np.float32), fields) == ["optics", "", ""]


def test_accuracy_counts_the_first_topic_and_the_first_three() -> None:
    def answer(field: str, *of_topics: str) -> dict[str, object]:
        return {"field": field, "topics": [{"field": own} for own in of_topics]}

    answers = [answer("ml", "ml", "pde", "pde"), answer("pde", "ml", "ml", "rl")]
    found = known.accuracy(answers, ["ml", "ml", "rl", ""], {"pde": {"rl"}})
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
    assert known.means(phrase, meaning) is right


def test_a_verdict_is_shown_for_the_words_that_were_read(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(name: str, *words: str) -> dict[str, object]:
        best = {"topic": 3, "words": words, "p": 0.5}
        return {"name": name, "equation": "P(A|B)", "topics": [best]}

    answers = [answer("Bayes", "prior", "data"), answer("Newton", "force")]
    table = {"row": "TE-LSTM", "same_taylor": True, "equations": answers}
    entry = {"row": "TE-LSTM", "theta": "vae", "topics": 50, "inference": [table]}
    (results / "paper_tables.json").write_text(json.dumps([entry]))
    verdict = {"equation": "Bayes", "words": "prior data", "verdict": "right"}
    monkeypatch.setattr(known, "questions", lambda name: [verdict])
    page = known.paper_equations_shown()
    assert r"| Bayes | $`P(A\vert B)`$ | prior data (0.50): **right** |" in page
    assert "force (0.50): **not read yet** |" in page
