"""generate: what a planted topic writes."""

from typing import Any

import numpy as np
import pytest
import torch
from planted import LETTERS, TOPICS, WORDS, next_letter, planted_config

from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.run import Run, new_run
from topiceq.questions import Generate, ask
from topiceq.tasks import generate as task
from topiceq.tasks.generate import Generated
from topiceq.tasks.generate import generate as answer_generate
from topiceq.tasks.likelihood import log_likelihoods
from topiceq.tasks.read import Equation

GREEDY = dict(greedy=True)


def generate(run: Run, theta: Any = None, **parameters: Any) -> list[Generated]:
    return answer_generate(run, ask(Generate, {"theta": theta} | parameters))


def regular(found: list[Generated], topic: int) -> float:
    """The share of letters that follow the grammar of a planted topic."""
    steps = [
        next_letter(topic, a) == b
        for one in found
        for a, b in zip(one.tokens, one.tokens[1:], strict=False)
        if a in LETTERS and b in LETTERS
    ]
    return float(np.mean(steps))


def equations(found: list[Generated]) -> list[str]:
    return [one.equation for one in found]


@pytest.mark.parametrize("topic", range(TOPICS))
def test_a_topic_writes_what_was_planted(topic: int, run: Run, learned: list[int]) -> None:
    found = generate(run, learned[topic], count=20)
    assert regular(found, topic) > 0.7
    assert all(regular(found, other) < 0.3 for other in range(TOPICS) if other != topic)
    assert all(one.finished and one.theta[learned[topic]] == 1 for one in found)


def test_a_context_writes_as_its_topic_does(run: Run, learned: list[int]) -> None:
    found = generate(run, context=" ".join(WORDS[2]), count=20)
    assert regular(found, 2) > 0.6
    assert found[0].theta.argmax() == learned[2]


def test_the_same_seed_gives_the_same_equations(run: Run) -> None:
    three = generate(run, 1, count=3, **dict(seed=7))
    assert generate(run, 1, count=3, **dict(seed=7)) == three
    five = generate(run, 1, count=5, **dict(seed=7))
    assert equations(five[:3]) == equations(three)
    assert generate(run, 1, count=3, **dict(seed=8)) != three
    assert len(set(equations(generate(run, 1, count=20)))) > 10


def test_batches_do_not_matter(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = equations(generate(run, 0, count=7))
    monkeypatch.setattr(task, "ROWS", 2)
    assert equations(generate(run, 0, count=7)) == whole


@pytest.mark.parametrize("manner", [dict(), dict(constrained=False), GREEDY, dict(beams=3)])
def test_logprob_is_that_of_the_model_alone(manner: dict[str, Any], run: Run) -> None:
    for one in generate(run, 2, prefix="E =", **manner):
        ids = tuple(run.tokens.encode(one.tokens).tolist())
        log_p = log_likelihoods(run, [Equation(one.tokens, ids)])[0]
        assert one.finished and one.logprob == pytest.approx(log_p[2], abs=1e-3)


def test_every_equation_begins_with_the_prefix(run: Run) -> None:
    for one in generate(run, 0, prefix=r"\hat T = a", count=10):
        assert one.tokens[:6] == ("\\hat", "{", "T", "}", "=", "a") and len(one.tokens) > 6
    for one in generate(run, 0, prefix=r"\hat", count=5):
        assert one.tokens[:2] == ("\\hat", "{") and one.tokens.count("}") == 1


def test_the_ends_of_an_interpolation_are_the_pure_topics(run: Run) -> None:
    path = generate(run, 0, to=3, steps=4, prefix="E =", **GREEDY)
    ends = [generate(run, topic, prefix="E =", **GREEDY)[0] for topic in (0, 3)]
    assert equations(path)[:: len(path) - 1] == equations(ends)
    assert [one.theta[3] for one in path] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    sampled = generate(run, 0, to=3, steps=2, count=3, greedy=False)
    assert equations(sampled[3:]) == equations(generate(run, 3, count=3))


def test_greedy_takes_the_likeliest_token_and_beams_find_better(run: Run) -> None:
    (greedy,) = generate(run, 1, **GREEDY)
    assert generate(run, 1, **dict(top_p=1e-9, best_of=1)) == [greedy]
    best = generate(run, 1, **dict(beams=4))
    assert len(best) == 4 and len(set(equations(best))) == 4
    assert [one.logprob for one in best] == sorted((one.logprob for one in best), reverse=True)
    assert best[0].logprob >= greedy.logprob


def test_a_low_temperature_is_safer(run: Run) -> None:
    cold, warm = (
        generate(run, 1, count=20, **dict(temperature=t, best_of=1, max_tokens=30))
        for t in (0.3, 3)
    )
    mean_cold, mean_warm = (
        np.mean([one.logprob / (len(one.tokens) + 1) for one in some]) for some in (cold, warm)
    )
    assert mean_cold > mean_warm + 0.5


def test_the_best_of_many_suits_its_topic_better(run: Run, learned: list[int]) -> None:
    bold = dict(temperature=2.0, top_p=1.0, max_tokens=30)
    first, best = (generate(run, learned[1], count=20, **dict(best_of=n), **bold) for n in (1, 16))
    assert regular(best, 1) > regular(first, 1) + 0.1


def test_only_what_is_written_by_lot_is_chosen_among_several() -> None:
    assert ask(Generate, {"theta": 1}).tries > 1 == Generate.plain(theta=1).tries
    assert ask(Generate, {"theta": 1, "beams": 3}).tries == 1
    assert ask(Generate, {"theta": 1, "greedy": True}).tries == 1


def test_the_grammar_closes_what_is_open_before_the_limit(run: Run) -> None:
    for one in generate(run, 0, prefix=r"\hat", count=20, **dict(max_tokens=8)):
        assert one.finished and len(one.tokens) <= 8
        assert one.tokens.count("{") == one.tokens.count("}")


def test_without_the_grammar_an_equation_may_be_broken_off(run: Run) -> None:
    manner = dict(max_tokens=5, constrained=False)
    found = generate(run, 0, prefix="E = a", count=20, **manner)
    assert not any(one.finished for one in found) and len(found[0].tokens) == 5
    assert not any(t.startswith("<") for one in found for t in one.tokens)
    beams = generate(run, 0, prefix="E = a", **dict(max_tokens=5, beams=3))
    assert all(one.finished for one in beams)


def test_unk_is_never_written(run: Run) -> None:
    run = new_run(run.config, run.vocabularies)
    decoder: Any = run.model.decoders["te-lstm"]
    with torch.no_grad():
        decoder.bias[1] = 20.0  # UNK is nearly certain
    for constrained in (True, False):
        manner = dict(max_tokens=20, constrained=constrained)
        found = generate(run, 0, count=5, **manner)
        assert not any("<unk>" in one.tokens for one in found)
        assert max(one.logprob for one in found) < -20  # the model itself thinks little of it


def test_a_run_without_topics_writes_without_theta(run: Run) -> None:
    config = planted_config("model.theta=none", 'model.decoders=["lstm"]')
    other = new_run(config, run.vocabularies._replace(phrases=Vocab([])))
    found = generate(other, count=3, **dict(max_tokens=10))
    assert len(found) == 3 and found[0].theta.shape == (0,)
    with pytest.raises(Unsupported, match="This model has no topics."):
        generate(other, 0)


def test_a_run_that_cannot_write_says_what_to_train(run: Run) -> None:
    config = planted_config('model.decoders=["alignment"]')
    other = new_run(config, run.vocabularies)
    with pytest.raises(Unsupported, match=r"Train one with model.decoders = \['te-lstm'\]."):
        generate(other, 0)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "There is nothing to write about. Give a topic, a theta or a context."),
        ({"theta": 120}, "Topic 120 does not exist. This run has topics 0 to 3."),
        ({"theta": 0, "to": 120}, "Topic 120 does not exist."),
        ({"theta": 0, "context": "x"}, "Give theta or a context, not both."),
        ({"theta": 0, "count": 0}, "count = 0 is not possible. It must be from 1 to 10,000."),
        (
            {"theta": 0, "to": 1, "steps": 1},
            "steps = 1 is not possible. It must be from 2 to 1,000.",
        ),
        ({"theta": 0, "count": 2, "greedy": True}, "count = 2 is not possible: greedy writes"),
        ({"theta": 0, "greedy": True, "beams": 2}, "greedy and beams exclude each other."),
        ({"theta": 0, "count": 2, "beams": 2}, "beams says how many to return"),
        ({"theta": 0, "prefix": "E }"}, "The prefix 'E }' cannot be completed: '}' closes"),
        (
            {"theta": 0, "prefix": r"\hat", "max_tokens": 2},
            r"The prefix '\hat' cannot be completed within 2 tokens. Raise max_tokens.",
        ),
        ({"theta": 0, "prefix": "E = a", "max_tokens": 3}, "within 3 tokens"),
    ],
)
def test_bad_questions_are_refused(question: dict[str, Any], message: str, run: Run) -> None:
    with pytest.raises(QuestionError) as error:
        generate(run, **question)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"temperature": 0.0},
            "temperature = 0.0 is not possible. It must be above 0 and at most 1,000.",
        ),
        ({"temperature": float("nan")}, "temperature = nan is not possible."),
        ({"top_p": 1.5}, "top_p = 1.5 is not possible. It must be above 0 and at most 1."),
        ({"beams": -1}, "beams = -1 is not possible. It must be from 0 to 100."),
        ({"max_tokens": 0}, "max_tokens = 0 is not possible. It must be from 1 to 2,000."),
        ({"seed": -1}, "seed = -1 is not possible. It must be from 0 to 2,147,483,647."),
    ],
)
def test_a_manner_that_is_impossible_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(QuestionError) as error:
        ask(Generate, settings)
    assert message in str(error.value)


def test_no_question_asks_for_more_than_any_memory(run: Run) -> None:
    """A thousand million equations were lists of as many numbers, and the end of a server."""
    with pytest.raises(QuestionError, match="This asks for 1,000,000,000 equations. At most 100,0"):
        generate(run, 1, to=2, steps=1_000, count=10_000, greedy=False, best_of=100)
    with pytest.raises(QuestionError, match="make count, steps or best_of smaller"):
        generate(run, 1, count=10_000, best_of=11)
