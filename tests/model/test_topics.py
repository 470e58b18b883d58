"""Topics for people, and held-out numbers."""

from math import exp, isnan

import numpy as np
import pytest
import torch
from planted import planted_config, random_pairs

from topiceq.article.equation.rules import SPECIAL
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import Unsupported
from topiceq.model.batches import Batches
from topiceq.model.held_out import Likelihood, log_probs, perplexities, thetas
from topiceq.model.processes import team
from topiceq.model.run import Run, new_run
from topiceq.model.topics import characteristic, describe, top_words, topics_of, typical_rows

VOCAB = Vocab([*SPECIAL, *"abcde"])


def test_top_words_are_the_most_probable() -> None:
    beta = np.float32([[0.1, 0.6, 0.3], [0.4, 0.4, 0.2]])
    assert top_words(beta, Vocab(["a", "b", "c"]), 2) == [["b", "c"], ["a", "b"]]


def test_characteristic_tokens_are_those_a_topic_has_more_of() -> None:
    pairs = random_pairs([4] * 4)
    tokens = np.array([4, 4, 4, 5, 4, 4, 5, 5, 6, 4, 4, 5, 7, 7, 4, 5], dtype=np.int32)
    object.__setattr__(pairs, "tokens", tokens)
    theta = np.float32([[1, 0], [1, 0], [0, 1], [0, 1]])
    found = characteristic(theta, pairs, VOCAB, count=2)
    assert found[0][0] in (4, 5) and found[1].tolist() == [7, 6]


def test_specials_are_never_characteristic() -> None:
    pairs = random_pairs([4] * 4)
    object.__setattr__(pairs, "tokens", np.full(16, 3, dtype=np.int32))
    assert (characteristic(np.ones((4, 1), np.float32), pairs, VOCAB) > 3).all()


def test_brackets_and_digits_are_never_characteristic() -> None:
    tokens = Vocab([*SPECIAL, "{", "}", "2", "x", r"\left("])
    pairs = random_pairs([4] * 4)
    assert characteristic(np.ones((4, 1), np.float32), pairs, tokens).tolist() == [[7]]


def test_typical_pairs_are_of_different_articles() -> None:
    p = np.float32([0.9, 0.8, 0.7, 0.6])
    assert typical_rows(p, np.int32([5, 5, 6, 7]), count=2).tolist() == [0, 2]


def test_typical_equations_are_real_ones(run: Run, corpus: Corpus) -> None:
    columns = (corpus.train.column(name).to_pylist() for name in ("expanded", "article", "line"))
    real = set(zip(*columns, strict=True))
    for topic in run.topics:
        assert all((e.equation, e.article, e.line) in real for e in topic.equations)
        assert all(0.9 < e.p <= 1 for e in topic.equations)
    assert describe(run.model, corpus, run.vocabularies) == run.topics


def test_beta_is_computed_once_but_anew_while_it_is_trained(corpus: Corpus) -> None:
    made = new_run(planted_config(), corpus.vocabularies)
    before = made.beta
    for weight in made.model.topic_parameters():
        torch.nn.init.normal_(weight)
    made.model.eval()
    assert made.beta is made.beta and np.array_equal(made.beta, topics_of(made.model))
    assert not np.array_equal(made.beta, before)


def test_a_model_without_topics_says_so(corpus: Corpus) -> None:
    made = new_run(planted_config("model.theta=none", "model.decoders=lstm"), corpus.vocabularies)
    with pytest.raises(Unsupported) as error:
        topics_of(made.model)
    assert str(error.value).startswith("This model has no topics. Train one with model.theta = ")
    with pytest.raises(Unsupported, match="^This model has no theta"):
        thetas(made.model, corpus.test.encoded)


def test_perplexity_is_per_item() -> None:
    one = Likelihood(log_prob=np.array([-2.0, -4.0]), size=np.array([1.0, 2.0]))
    assert one.perplexity == pytest.approx(exp(2))
    assert isnan(Likelihood(np.zeros(2), np.zeros(2)).perplexity)
    assert Likelihood(np.array([-1e9]), np.array([1.0])).perplexity == exp(700)


def test_validation_adds_up_the_pairs(run: Run, corpus: Corpus) -> None:
    pairs = corpus.valid.encoded
    found = perplexities(run.model, Batches(pairs, batch=13), team())
    single = log_probs(run.model, pairs, batch=50)
    assert set(single) == set(found) - {"loss"}
    for name, likelihood in single.items():
        assert found[name] == pytest.approx(likelihood.perplexity, rel=1e-5)
    written = [likelihood.log_prob for name, likelihood in single.items() if name != "words"]
    assert found["loss"] == pytest.approx(-sum(one.mean() for one in written), rel=1e-5)
    assert set(perplexities(run.model, Batches(pairs, batch=50), team(), decoders=False)) == {
        "loss", "words"
    }  # fmt: skip


def test_scoring_leaves_the_model_as_it_was(run: Run, corpus: Corpus) -> None:
    run.model.train()
    log_probs(run.model, corpus.valid.encoded)
    assert run.model.training
    run.model.eval()
