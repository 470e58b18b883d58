"""Judged searches: the figures by hand, and made-up indexes of any size."""

import json

import numpy as np
import pytest

from research import similar as module
from research.similar import HERE, dcg, digest, synthetic
from topiceq.corpus.store import Corpus
from topiceq.tasks.index import build_index


def test_every_question_has_judgements_of_its_own() -> None:
    questions, judged = module._questions()
    assert len(questions) == len(judged) == len(set(questions)) == 50
    texts = [(HERE / "questions" / f"{kind}.jsonl").read_text(encoding="utf-8")
             for kind in ("similar", "relevance")]  # fmt: skip
    names = [[json.loads(line)["name"] for line in text.splitlines()] for text in texts]
    assert names[0] == names[1]
    assert {grade for grades in judged for grade in grades.values()} == {0, 1, 2, 3}
    assert min(len(grades) for grades in judged) >= 10


def test_figures_are_those_of_the_definitions() -> None:
    scores = np.array([[0.1, 0.9, 0.5]])
    judged = [{"b": 1, "c": 3}]
    ndcg, precision, unknown = module._figures(["a", "b", "c"], scores, judged)
    assert ndcg[0] == pytest.approx(dcg([1, 3, 0]) / dcg([3, 1]))
    assert (precision[0], unknown) == (0.1, 1)


def test_a_made_up_index_has_as_many_equations_as_wanted(corpus: Corpus) -> None:
    index = build_index([corpus])
    for size in (50, len(index) + 200):
        made = synthetic(index, size)
        assert len(made) == size == len({digest(made.equation(row)) for row in range(size)})
        assert made.equation(3) == index.equation(3)
