"""infer: the planted topic is found, and nothing is said where nothing tells."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import TOPICS, WORDS, planted_tokens

from topiceq.errors import QuestionError, Unsupported
from topiceq.model.run import Run
from topiceq.questions import Infer, ask
from topiceq.tasks.infer import Inference, context_theta
from topiceq.tasks.infer import infer as answer_infer

GERMAN = "Der Hund des Nachbarn bellt laut, und die Katze schleicht leise davon."


def answer(run: Run, **parameters: Any) -> Inference:
    return answer_infer(run, ask(Infer, parameters))


def infer(run: Run, **parameters: Any) -> Any:
    return answer(run, **parameters).theta


def planted_equations(topic: int, count: int = 20, seed: int = 7) -> list[str]:
    draw = random.Random(seed * TOPICS + topic)
    return [" ".join(planted_tokens(topic, draw.randrange(2), draw)) for _ in range(count)]


@pytest.fixture
def unread(run: Run) -> Run:
    """A run of an earlier time: it has no encoder of equations."""
    return replace(run, equation_encoder=None)


def test_a_context_gives_theta_and_nothing_is_random(run: Run) -> None:
    found = answer(run, context=" ".join(WORDS[0]))
    assert found.theta.shape == (TOPICS,) and found.theta.dtype == np.float32
    assert found.theta.sum() == pytest.approx(1, abs=1e-5) and found.theta.max() > 0.6
    assert found.known == [True]
    assert np.array_equal(found.theta, infer(run, context=" ".join(WORDS[0])))
    assert np.array_equal(found.theta, context_theta(run, " ".join(WORDS[0])))


@pytest.mark.parametrize("topic", range(TOPICS))
def test_an_equation_gives_its_planted_topic(topic: int, run: Run, learned: list[int]) -> None:
    found = answer(run, equations=planted_equations(topic))
    assert found.theta.shape == (20, TOPICS) and found.theta.dtype == np.float32
    assert np.allclose(found.theta.sum(1), 1, atol=1e-5)
    assert np.mean(found.theta.argmax(1) == learned[topic]) >= 0.9
    assert all(found.known)


def test_one_equation_of_many_is_as_it_is_alone(run: Run) -> None:
    equations = ["E = a", *planted_equations(1), "E = a b c x y z a b c x y z " * 9]
    together = infer(run, equations=equations)
    for row, equation in enumerate(equations):
        assert np.allclose(together[row], infer(run, equation=equation), atol=1e-5)


def test_both_are_surer_than_each(run: Run, learned: list[int]) -> None:
    """Half of a context and an equation, where neither is clear."""
    right = {"context": [], "equation": [], "both": []}
    draw = random.Random(3)
    for topic in range(TOPICS):
        for equation in planted_equations(topic):
            part = " ".join(equation.split()[:6])
            words = [draw.choice(WORDS[topic]), draw.choice(WORDS[(topic + 1) % TOPICS])]
            asked = {"context": {"context": " ".join(words)}, "equation": {"equation": part}}
            for name, own in (asked | {"both": asked["context"] | asked["equation"]}).items():
                right[name].append(infer(run, **own).argmax() == learned[topic])
    shares = {name: np.mean(hits) for name, hits in right.items()}
    assert shares["both"] >= max(shares["context"], shares["equation"])


def test_what_tells_nothing_is_not_known(run: Run) -> None:
    for question in ({"equation": "y"}, {"context": GERMAN}, {"context": "unheard-of"}):
        found = answer(run, **question)
        assert found.known == [False]
        assert np.allclose(found.theta, run.shares, atol=1e-3)


def test_a_clear_equation_is_known_whatever_its_context(run: Run) -> None:
    equation = planted_equations(2, 1)[0]
    both = answer(run, equation=equation, context=GERMAN)
    assert both.known == [True]
    assert both.theta.argmax() == infer(run, equation=equation).argmax()


def test_all_rows_are_read_as_one_equation(run: Run, learned: list[int]) -> None:
    first, second = planted_equations(1, 2)
    found = answer(run, equation=rf"\begin{{align}} {first} \\ {second} \end{{align}}")
    assert found.theta.argmax() == learned[1]
    assert [row.equation for row in found.rows[0]] == [first, second]
    alone = infer(run, equations=[first, second])
    assert np.allclose([row.theta for row in found.rows[0]], alone, atol=1e-5)


def test_each_of_many_equations_may_have_rows(run: Run) -> None:
    many = answer(run, equations=[r"E = a \\ E = x", "E = a", "E &= a", "x^{2"])
    assert many.theta.shape == (4, TOPICS) and np.isnan(many.theta[3]).all()
    assert [len(rows) for rows in many.rows] == [2, 0, 0, 0]
    assert many.errors[3] is not None and not many.known[3]


def test_no_equations_give_no_rows(run: Run) -> None:
    assert infer(run, equations=[]).shape == (0, TOPICS)


def test_a_decoder_that_is_named_is_asked(run: Run) -> None:
    equation = planted_equations(0, 1)[0]
    named = infer(run, equation=equation, decoder="te-lstm")
    assert np.array_equal(named, infer(run, equation=equation, by="likelihood"))
    assert not np.allclose(named, infer(run, equation=equation), atol=1e-3)


def test_both_judge_together(run: Run, learned: list[int]) -> None:
    equations = planted_equations(3)
    found = infer(run, equations=equations, by="both")
    assert np.mean(found.argmax(1) == learned[3]) >= 0.9
    assert np.allclose(found.sum(1), 1, atol=1e-5)
    assert np.allclose(found[0], infer(run, equation=equations[0], by="both"), atol=1e-4)
    assert infer(run, equations=[], by="both").shape == (0, TOPICS)
    rows = answer(run, equation=r"E = a b \\ E = x y", by="both").rows[0]
    assert np.allclose(rows[0].theta, infer(run, equation="E = a b", by="both"), atol=1e-4)


def test_without_an_encoder_the_decoder_is_asked(unread: Run) -> None:
    equation = planted_equations(0, 1)[0]
    found = infer(unread, equation=equation)
    assert np.array_equal(found, infer(unread, equation=equation, by="likelihood"))
    with pytest.raises(Unsupported, match="no equation encoder. Teach it one: topiceq encoder"):
        infer(unread, equation=equation, by="encoder")


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "There is nothing to infer from. Give a context, an equation or both."),
        ({"equation": "E", "equations": ["E"]}, "Give one equation or a list of equations"),
        ({"context": ""}, "The context is empty."),
        ({"equation": "E", "by": "encoder", "decoder": "bag"}, "Leave out one of the two."),
        ({"equation": "E", "by": "guess"}, "by is not understood"),
    ],
)
def test_bad_questions_are_refused(question: dict[str, Any], message: str, run: Run) -> None:
    with pytest.raises(QuestionError) as error:
        infer(run, **question)
    assert message in str(error.value)
