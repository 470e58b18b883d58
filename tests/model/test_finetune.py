"""Training that goes on from a run: nothing is lost, new items and topics are learned."""

from pathlib import Path

import numpy as np
import pytest
import torch
from planted import TOPICS, planted_config, planted_corpus

from topiceq.api import TopicEq
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab, Vocabularies
from topiceq.errors import ConfigError
from topiceq.model.batches import Batches
from topiceq.model.finetune import continued, extended, finetune_config
from topiceq.model.held_out import perplexities, thetas
from topiceq.model.processes import team
from topiceq.model.run import Run, new_run
from topiceq.model.train import Training


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("finetune"), 200, articles=40)


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> TopicEq:
    return TopicEq(planted_config('model.decoders=["te-lstm", "alignment"]')).fit(corpus)


def without(run: Run, corpus: Corpus, words: int, tokens: int, phrases: int) -> Run:
    """A run of the corpus that does not know the last items of each vocabulary."""
    known = Vocabularies(
        *(
            Vocab([*v][:-n])
            for v, n in zip(corpus.vocabularies, (words, tokens, phrases), strict=True)
        )
    )

    smaller = new_run(run.config, known)
    weights = run.model.state_dict()
    for name, weight in smaller.model.state_dict().items():
        given = weights[name]
        weight.copy_(given[tuple(map(slice, weight.shape))] if weight.ndim else given)
    for name, decoder in smaller.model.named_decoders():
        if name == "alignment":
            decoder.symbols.choose(  # type: ignore[union-attr, operator]
                corpus.train.encode(known), known.tokens
            )
    smaller.model.eval()
    return smaller


def test_vocabularies_keep_their_places(corpus: Corpus) -> None:
    old = Vocabularies(*(Vocab([*v][:5]) for v in corpus.vocabularies))
    both = extended(old, corpus.vocabularies)
    for was, own, now in zip(old, corpus.vocabularies, both, strict=True):
        assert [*now][:5] == [*was] and set(now) == set(own)


def test_nothing_new_nothing_changed(model: TopicEq, corpus: Corpus) -> None:
    again = continued(model.run, corpus, finetune_config(model.config, model.config))
    for name, weight in model.run.model.state_dict().items():
        assert torch.equal(weight, again.model.state_dict()[name]), name


def test_new_items_leave_old_answers_alone(model: TopicEq, corpus: Corpus) -> None:
    base = without(model.run, corpus, words=4, tokens=3, phrases=2)
    run = continued(base, corpus, finetune_config(base.config, base.config))
    run.model.eval()
    pairs = corpus.valid.encode(base.vocabularies)
    before = thetas(base.model, pairs)
    after = thetas(run.model, corpus.valid.encode(run.vocabularies))
    np.testing.assert_allclose(before, after, atol=1e-5)  # a new word begins as nothing
    beta = run.beta
    np.testing.assert_allclose(beta.sum(1), 1, rtol=1e-4)
    assert (beta[:, -4:] > 0).all() and beta[:, -4:].max() > 1e-3


def test_new_topics_come_last(model: TopicEq, corpus: Corpus) -> None:
    config = finetune_config(model.config, model.config, new_topics=2)
    run = continued(model.run, corpus, config)
    assert run.beta.shape[0] == TOPICS + 2
    assert torch.equal(
        run.model.theta.beta_logits[:TOPICS],  # type: ignore[union-attr, index]
        model.run.model.theta.beta_logits,  # type: ignore[union-attr, arg-type]
    )


def test_it_learns_what_it_did_not_know(model: TopicEq, corpus: Corpus, tmp_path: Path) -> None:
    base = without(model.run, corpus, words=4, tokens=3, phrases=2)
    base.topics, base.lexicon = model.run.topics, model.run.lexicon
    base.equation_encoder = model.run.equation_encoder
    config = finetune_config(base.config, planted_config("train.topic_epochs=0"), 1)
    training = Training(corpus, config, folder=tmp_path / "run", base=base)
    pairs = Batches(corpus.valid.encode(training.run.vocabularies), batch=20)
    first = perplexities(training.model, pairs, team())
    last = [step.valid for step in training.steps() if step.valid][-1]
    assert last["te-lstm"] < first["te-lstm"]
    labels = [topic.label for topic in training.run.topics]
    assert labels[:TOPICS] == [topic.label for topic in base.topics] and len(labels) == TOPICS + 1
    kept = Run.load(tmp_path / "run")
    assert kept.vocabularies == training.run.vocabularies
    assert kept.lexicon is not None and kept.equation_encoder is not None
    assert kept.equation_encoder.prior.shape == (TOPICS + 1,)


def test_another_model_is_refused(model: TopicEq, corpus: Corpus) -> None:
    other = planted_config('model.decoders=["te-lstm", "alignment"]', "model.state=16")
    with pytest.raises(ConfigError, match=r"model.state is 16, but the run that training goes on"):
        continued(model.run, corpus, other)
    fewer = planted_config('model.decoders=["te-lstm", "alignment"]', "model.topics=2")
    with pytest.raises(ConfigError, match="new ones can only be added"):
        continued(model.run, corpus, fewer)
