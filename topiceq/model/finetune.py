"""Training that goes on from another run, on a corpus of one's own: `topiceq train --from RUN`.

In go a run and a corpus; out comes a run to be trained further. Its vocabularies are the old ones
with the corpus's own items behind them, so every weight keeps its place and new rows come last.

    words     in the encoder they begin as nothing; in beta with one M step over the corpus, whose
              contexts the old encoder reads by the words that it knows
    tokens    as rarely seen ones: small random embeddings, the softmax's bias by their frequency
    phrases   by their frequency, whatever the symbols
    topics    new ones are NMF's of the corpus, as likely at first as an average topic

Frequencies are those in both corpora together, of which the old one had none of the new items.
Counted in the small one alone they took half of the phrases' probability everywhere.
"""

from math import log

import numpy as np
import torch
from torch import Tensor

from topiceq.article.equation.rules import END
from topiceq.config import Config
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab, Vocabularies
from topiceq.errors import ConfigError
from topiceq.model.decoders import Alignment, Lstm, log_frequency, phrase_frequency
from topiceq.model.held_out import thetas
from topiceq.model.nmf import as_topics, repositories
from topiceq.model.run import Run, new_run
from topiceq.model.theta import Vae

FREE = {"topics", "dropout"}  # of model.*: what may differ from the run that training goes on from
SMOOTH = 1e-9  # of a new word's probability in a topic that has none of it


def extended(old: Vocabularies, own: Vocabularies) -> Vocabularies:
    """The old items in their places, and behind them those that only the corpus has."""
    return Vocabularies(*(Vocab([*a, *(x for x in b if x not in a)])
                          for a, b in zip(old, own, strict=True)))  # fmt: skip


def finetune_config(base: Config, wanted: Config, new_topics: int = 0) -> Config:
    """The base's model with more topics, trained with the wanted settings."""
    model = base.model.model_copy(
        update={"topics": base.model.topics + new_topics, "dropout": wanted.model.dropout}
    )
    return Config(corpus=base.corpus, model=model, train=wanted.train, research=base.research)


def continued(base: Run, corpus: Corpus, config: Config) -> Run:
    """A run with the weights of the base, made ready for the corpus."""
    _check(base.config, config)
    run = new_run(config, extended(base.vocabularies, corpus.vocabularies))
    _copy(base.model.state_dict(), run.model.state_dict())
    _new_tokens_and_phrases(base, corpus, run)
    if isinstance(run.model.theta, Vae):
        _new_words(base, corpus, run)
        _new_topics(base, corpus, run)
    return run


def _check(base: Config, config: Config) -> None:
    """ConfigError where the settings ask for another model than the base is."""
    if base.model.theta == "lda":
        raise ConfigError("Topics of LDA are fixed: training cannot go on from such a run.")
    was, now = base.model.model_dump(), config.model.model_dump()
    for key in was.keys() - FREE:
        if was[key] != now[key]:
            raise ConfigError(
                f"model.{key} is {now[key]!r}, but the run that training goes on from has "
                f"{was[key]!r}. Leave it as it is, or train from the beginning."
            )
    if now["topics"] < was["topics"]:
        raise ConfigError(f"There are {was['topics']} topics; new ones can only be added.")


def _copy(old: dict[str, Tensor], new: dict[str, Tensor]) -> None:
    """Each weight into the corner that it had; where the encoder meets a new word, nothing."""
    for name, weight in new.items():
        given = old[name]
        if name.endswith("encoder.first.weight"):
            weight.zero_()
        if weight.ndim:
            weight[tuple(map(slice, given.shape))] = given
        else:
            weight.copy_(given)


def _new_tokens_and_phrases(base: Run, corpus: Corpus, run: Run) -> None:
    """What the softmaxes begin with: how often both corpora together have them."""
    pairs = corpus.train.encode(run.vocabularies)
    rare = log(len(pairs) / (len(pairs) + _pairs(base)))
    old = dict(base.model.named_decoders())
    for name, decoder in run.model.named_decoders():
        if isinstance(decoder, Lstm):
            first = len(base.tokens) - END
            decoder.bias.data[first:] = log_frequency(pairs, len(run.tokens))[first:] + rare
        if isinstance(decoder, Alignment):
            was, first = old[name], len(base.phrases)
            assert isinstance(was, Alignment)
            decoder.symbols.carry_on(was.symbols, run.tokens)
            more = phrase_frequency(pairs)[first:] + rare
            decoder.log_frequency[first:], decoder.bias.data[first:] = more, more
            for weight in decoder.of_phrases():
                weight.data[first:] = 0


def _pairs(base: Run) -> int:
    """How many pairs a run has learned from; none if it does not say so."""
    return int(base.facts.get("pairs", {}).get("train", 0))


def _new_words(base: Run, corpus: Corpus, run: Run) -> None:
    """One M step: how often a topic's share of both corpora has the new words, beside the old."""
    assert isinstance(run.model.theta, Vae)
    old, count = len(base.words), base.config.model.topics
    theta = thetas(base.model, corpus.train.encode(base.vocabularies))
    words = corpus.train.encode(run.vocabularies).words
    if words.shape[1] == old:
        return
    by_topic = np.asarray((words.T @ theta).T)  # (K, V)
    before = base.shares * _pairs(base) * by_topic.sum() / len(theta)  # (K,) words of the old one
    p = by_topic[:, old:] / np.maximum(by_topic.sum(1) + before, 1e-9)[:, None] + SMOOTH
    logits = run.model.theta.beta_logits.data
    known = logits[:count, :old].logsumexp(1, keepdim=True)
    logits[:count, old:] = known + torch.from_numpy(p).float().log()


def _new_topics(base: Run, corpus: Corpus, run: Run) -> None:
    """NMF's topics of the corpus behind the old ones, each with a dimension of eta of its own."""
    assert isinstance(run.model.theta, Vae)
    vae, count = run.model.theta, base.config.model.topics
    more = run.config.model.topics - count
    if not more:
        return
    train, owners = corpus.train.encode(run.vocabularies), repositories(corpus.train)
    given = as_topics(train, owners, more, seed=run.config.train.seed)
    vae.beta_logits.data[count:] = torch.from_numpy(given.topics).clamp(min=1e-9).log()
    weight = vae.g.weight.data
    weight[count:], weight[:, count:] = 0, 0
    weight[count:, count:] = torch.eye(more)
    vae.g.bias.data[count:] = vae.g.bias.data[:count].mean()
