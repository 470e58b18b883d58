"""The joint model: one theta writes the words of a context and the equation inside it.

    eta ~ N(0, I_K)     theta = softmax(W_g eta + b_g)     (a logistic normal)
    w_n | theta ~ Mult(theta^T beta)     equation | theta ~ decoder(theta)

    ELBO = E_q[log p(C | theta)] - KL(q(eta | C) || p(eta)) + E_q[log p(equation | theta)]

In go batches of pairs; out come the terms of the ELBO in nats. The encoder q(eta | C) reads the
context only, never the equation (the experiment `research.encoder = "both"` apart). Letters: B
pairs, T tokens, K topics, V words, L symbols, M phrases, H state, N nonzero entries of sparse
counts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import cast

import torch
from torch import Tensor, nn

from topiceq.config import ModelConfig, ResearchConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError, Unsupported
from topiceq.model.batches import Batch, Counts
from topiceq.model.decoders import (
    DECODERS,
    Alignment,
    Decoder,
    Sizes,
    Writer,
    decoder_kind,
)
from topiceq.model.start import GivenTopics
from topiceq.model.theta import Dense, LdaTheta, Terms, ThetaSource, Vae, VaeOfBoth, word_log_prob


class JointModel(nn.Module):
    """theta from one source, and the decoders that it writes with."""

    def __init__(
        self, config: ModelConfig, sizes: Sizes, research: ResearchConfig | None = None
    ) -> None:
        super().__init__()
        self.config, self.research = config, research or ResearchConfig()
        check(config, self.research)
        self.theta = _theta(config, self.research, sizes)
        self.decoders = nn.ModuleDict(
            {name: decoder_kind(name)(config, sizes) for name in config.decoders}
        )

    def forward(
        self, batch: Batch, weights: Mapping[str, float], *, joint: bool = True
    ) -> tuple[Tensor, Terms]:
        """The loss, and its terms in nats a pair; without `joint` the decoders are left out.

        A term counts once unless `weights` says otherwise.
        """
        terms = self._terms(batch, joint)
        means = {name: nats.mean() for name, nats in terms.items()}
        loss = sum((weights.get(name, 1.0) * mean for name, mean in means.items()), torch.zeros(()))
        return loss, {name: mean.detach() for name, mean in means.items()}

    def _terms(self, batch: Batch, joint: bool) -> Terms:
        theta, terms = self.theta.draw(batch) if self.theta else (None, {})
        if not joint:
            return terms
        if self.theta and batch.other:  # a control: the equation gets another article's theta
            theta, _ = self.theta.draw(replace(batch, words=batch.other))
        if theta is not None:  # how strongly equations draw on it: 1 is the ELBO, 0 not at all
            pull = self.research.pull
            theta = pull * theta + (1 - pull) * theta.detach()
        return terms | {name: -d.log_prob(batch, theta) for name, d in self.named_decoders()}

    def named_decoders(self) -> Iterator[tuple[str, Decoder]]:
        """The decoders by name."""
        for name, module in self.decoders.items():
            yield name, cast(Decoder, module)

    def writers(self) -> dict[str, Writer]:
        """The decoders that write equations, by name: from theta if this model has one."""
        decoders, mixed = self.named_decoders(), self.theta is not None
        return {n: d for n, d in decoders if isinstance(d, Writer) and d.needs_theta == mixed}

    def writer(self, name: str | None = None, *, topical: bool = True) -> Writer:
        """The decoder of that name, or the first, that writes equations; `topical`: from theta."""
        writers = self.writers() if self.theta is not None or not topical else {}
        what = "writes equations from theta" if topical else "writes equations"
        if name is not None and name not in writers:
            raise Unsupported(
                f"This run has no decoder '{name}' that {what}. "
                f"It has: {', '.join(writers) or 'none'}. Train others with model.decoders = [..]."
            )
        if not writers:
            raise Unsupported(
                f"This run has no decoder that {what}. Train one with model.decoders = ['te-lstm']."
            )
        return writers[name] if name else next(iter(writers.values()))

    def aligners(self) -> dict[str, Alignment]:
        """The decoders that align symbols with phrases, by name."""
        return {name: d for name, d in self.named_decoders() if isinstance(d, Alignment)}

    def aligner(self) -> Alignment:
        """The first decoder that aligns symbols with phrases."""
        for decoder in self.aligners().values():
            return decoder
        raise Unsupported(
            "This run cannot explain symbols: it has no alignment decoder. Train one that has: "
            'topiceq train CORPUS -o RUN --set \'model.decoders=["te-lstm","alignment"]\''
        )

    @property
    def has_topics(self) -> bool:
        """Whether there are topics: distributions over words."""
        return isinstance(self.theta, Vae | LdaTheta)

    def require_topics(self) -> None:
        """Unsupported if there are none."""
        if not self.has_topics:
            raise Unsupported(
                "This model has no topics. Train one with model.theta = 'vae' or 'lda' "
                "and research.encoder = 'topics'."
            )

    @property
    def learns_topics(self) -> bool:
        """Whether there are topics that training moves."""
        return isinstance(self.theta, Vae)

    def topic_parameters(self) -> list[nn.Parameter]:
        """beta, W_g and b_g, which may have a learning rate of their own."""
        vae = self.theta
        return [vae.beta_logits, *vae.g.parameters()] if isinstance(vae, Vae) else []

    def encode(self, words: Counts) -> Tensor | None:
        """theta of contexts, deterministic; None if this model has no theta."""
        return self.theta.encode(words) if self.theta else None  # (B, K)

    def beta(self) -> Tensor | None:
        """The topics (K, V); None if this model has none."""
        return self.theta.beta() if self.theta else None

    def log_probs(self, batch: Batch, *, decoders: bool = True) -> dict[str, tuple[Tensor, Tensor]]:
        """Held-out log-probabilities of each pair and how many items each is about, by term."""
        theta, beta = self.encode(batch.words), self.beta()
        found = {}
        if theta is not None and beta is not None:
            found["words"] = word_log_prob(batch.words, theta, beta), batch.words.total()
        if batch.other:
            theta = self.encode(batch.other)
        for name, decoder in self.named_decoders() if decoders else ():
            found[name] = decoder.log_prob(batch, theta), decoder.size(batch)
        return found

    def start(self, train: Encoded, tokens: Vocab, given: GivenTopics | None) -> None:
        """Set what is better not left to chance: topics as given, biases from frequencies."""
        for _, decoder in self.named_decoders():
            decoder.start(train, tokens)
        if self.theta:
            self.theta.start(train, given)


def _theta(config: ModelConfig, research: ResearchConfig, sizes: Sizes) -> ThetaSource | None:
    if config.theta == "none":
        return None
    if config.theta == "lda":
        return LdaTheta(config, sizes)
    return ENCODERS[research.encoder](config, sizes)


ENCODERS: dict[str, type[ThetaSource]] = {"topics": Vae, "both": VaeOfBoth, "dense": Dense}


def check(config: ModelConfig, research: ResearchConfig) -> None:
    """Refuse settings that make no model."""
    for name in config.decoders:
        kind = decoder_kind(name)
        if config.theta == "none" and kind.needs_theta:
            free = ", ".join(name for name, kind in DECODERS.items() if not kind.needs_theta)
            raise ConfigError(f"'{name}' needs a theta: model.theta = 'none' goes with {free}.")
    if len(set(config.decoders)) < len(config.decoders):
        raise ConfigError(f"model.decoders = {list(config.decoders)} names a decoder twice.")
    dense = research.encoder == "dense"
    if not config.decoders and (config.theta == "none" or dense):
        raise ConfigError("model.decoders = [] needs topics: model.theta = 'vae' or 'lda'.")
    if research.encoder != "topics" and config.theta != "vae":
        raise ConfigError(f"research.encoder = '{research.encoder}' goes with model.theta = 'vae'.")


@contextmanager
def evaluating(model: nn.Module) -> Iterator[torch.device]:
    """Dropout and gradients off for a while; gives the device that the model is on."""
    training = model.training
    if training:  # to tell all of its parts takes as long as a short answer
        model.eval()
    try:
        with torch.no_grad():
            yield next(chain(model.parameters(), model.buffers())).device
    finally:
        if training:
            model.train()
