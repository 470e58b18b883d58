"""infer by likelihood, as in the paper: the planted topic is found."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import TOPICS, WORDS, planted_config, planted_tokens

from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import Unsupported
from topiceq.model import likelihood as task
from topiceq.model.run import Run, new_run
from topiceq.model.train import Training
from topiceq.questions import Infer, ask
from topiceq.tasks.infer import context_theta
from topiceq.tasks.infer import infer as answer_infer
from topiceq.tasks.likelihood import log_likelihoods
from topiceq.tasks.read import read_rows


def asked(**parameters: Any) -> Infer:
    return ask(Infer, {"by": "likelihood"} | parameters)


def infer(run: Run, **parameters: Any) -> Any:
    return answer_infer(run, asked(**parameters)).theta


def planted_equations(topic: int, count: int = 20) -> list[str]:
    draw = random.Random(topic)
    return [" ".join(planted_tokens(topic, draw.randrange(2), draw)) for _ in range(count)]


@pytest.mark.parametrize("topic", range(TOPICS))
def test_an_equation_gives_its_planted_topic(topic: int, run: Run, learned: list[int]) -> None:
    found = infer(run, equations=planted_equations(topic))
    assert found.shape == (20, TOPICS)
    assert np.allclose(found.sum(1), 1, atol=1e-5)
    assert np.mean(found.argmax(1) == learned[topic]) >= 0.9


def test_the_order_of_tokens_says_nothing_to_a_bag(run: Run) -> None:
    equations = [one for topic in range(TOPICS) for one in planted_equations(topic)]
    bag, te = (infer(run, equations=equations, decoder=name) for name in ("bag", "te-lstm"))
    assert bag.max(1).mean() < 0.6 < te.max(1).mean()


def test_a_bag_finds_the_topic_by_its_tokens(pairs: Any, phrase_file: Path) -> None:
    corpus = Corpus.build(pairs(240), config=planted_config().corpus, phrases=phrase_file)
    config = planted_config('model.decoders=["bag"]', "train.epochs=6", "train.topic_epochs=4")
    training = Training(corpus, config)
    for _ in training.steps():
        pass
    run = training.run
    topics = [f"{symbol} = {command} ^ 1 + {command} ^ 2 + x"
              for symbol, command in zip("EFGH", ["\\alpha", "\\beta", "\\gamma", "\\delta"],
                                         strict=True)]  # fmt: skip
    found = infer(run, equations=topics).argmax(1).tolist()
    for planted, topic in enumerate(found):
        own = [word for word in run.topics[topic].words if word.startswith(f"word{planted}")]
        assert len(own) >= 8


def test_one_equation_of_many_is_as_it_is_alone(run: Run) -> None:
    equations = ["E = a", *planted_equations(1), "E = a b c x y z a b c x y z " * 9]
    together = infer(run, equations=equations)
    for row, equation in enumerate(equations):
        assert np.allclose(together[row], infer(run, equation=equation), atol=1e-4)


def test_cutting_a_batch_changes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    equations = planted_equations(2, count=7)
    whole = infer(run, equations=equations)
    monkeypatch.setattr(task, "PLACES", 40)
    assert np.allclose(infer(run, equations=equations), whole, atol=1e-5)


def test_the_values_are_those_of_the_decoder(run: Run) -> None:
    equation = read_rows("E = a b c x", run.tokens)
    log_p = log_likelihoods(run, equation)
    alone = infer(run, equation="E = a b c x")
    assert np.allclose(np.exp(log_p[0] - log_p[0].max()) / np.exp(log_p[0] - log_p[0].max()).sum(),
                       alone, atol=1e-5)  # fmt: skip
    assert (log_p < 0).all()


def test_with_a_context_theta_is_the_prior(run: Run) -> None:
    context = " ".join(WORDS[3])
    theta = context_theta(run, context).astype(np.float64)
    alone, both = infer(run, equation="E = a b"), infer(run, equation="E = a b", context=context)
    assert np.allclose(both, alone * theta / (alone * theta).sum(), atol=1e-4)
    rows = infer(run, equations=["E = a b", "E = a"], context=context)
    assert np.allclose(rows[0], both, atol=1e-5)


def test_user_latex_is_read(run: Run) -> None:
    plain = infer(run, equation="E = a b c")
    written = infer(run, equation=r"\newcommand{\first}{E} \[ \first = a b c, \]")
    assert np.array_equal(plain, written)


def test_of_several_rows_the_likelihoods_are_multiplied(run: Run) -> None:
    first, second = (infer(run, equation=row).astype(np.float64) for row in ("E = a b", "F = x"))
    question = asked(equation=r"\begin{align} E &= a b \\ F &= x \end{align}")
    both = answer_infer(run, question)
    assert np.allclose(both.theta, first * second / (first * second).sum(), atol=1e-4)
    assert [row.equation for row in both.rows[0]] == ["E = a b", "F = x"]
    assert np.allclose([row.theta for row in both.rows[0]], [first, second], atol=1e-4)


def test_each_of_many_equations_may_have_rows(run: Run) -> None:
    many = answer_infer(run, asked(equations=[r"E = a \\ F = x", "E = a", "E &= a"]))
    assert many.theta.shape == (3, TOPICS)
    assert [len(rows) for rows in many.rows] == [2, 0, 0]
    assert np.allclose(many.theta[1], many.rows[0][0].theta, atol=1e-4)


def test_a_context_is_the_prior_of_the_rows_once(run: Run) -> None:
    question = {"equation": r"E = a b \\ F = x", "context": " ".join(WORDS[3])}
    theta = context_theta(run, question["context"]).astype(np.float64)
    alone = infer(run, equation=question["equation"]).astype(np.float64)
    assert np.allclose(infer(run, **question), alone * theta / (alone * theta).sum(), atol=1e-4)


def test_no_equations_give_no_rows(run: Run) -> None:
    assert infer(run, equations=[]).shape == (0, TOPICS)


@pytest.mark.parametrize(
    "settings",
    [["model.theta=none", 'model.decoders=["lstm"]'], ["research.encoder=dense"]],
)
def test_a_run_without_topics_cannot_tell(settings: list[str], run: Run) -> None:
    other = new_run(planted_config(*settings), run.vocabularies._replace(phrases=Vocab([])))
    for question in ({"equation": "E = a"}, {"context": WORDS[0][0]}):
        with pytest.raises(Unsupported, match="This model has no topics. Train one"):
            infer(other, **question)
