"""The joint model: one theta writes the words of a context and the equation inside it.

    eta ~ N(0, I_K)     theta = softmax(W_g eta + b_g)     (a logistic normal)
    w_n | theta ~ Mult(theta^T beta)     equation | theta ~ decoder(theta)

    ELBO = E_q[log p(C | theta)] - KL(q(eta | C) || p(eta)) + E_q[log p(equation | theta)]

In go batches of pairs; out come the terms of the ELBO in nats. The encoder q(eta | C) reads the
context only, never the equation. Letters: B pairs, T tokens, K topics, V words, L symbols,
M phrases, H state, N nonzero entries of sparse counts.
"""

from collections.abc import Iterator, Mapping
from typing import cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError
from topiceq.model.alignment import Alignment, MixtureAlignment
from topiceq.model.batches import Batch, Counts
from topiceq.model.decoders import Bag, CatLstm, Decoder, Lstm, Sizes, TdLstm, TeLstm, Writer
from topiceq.model.lda import Lda
from topiceq.model.moe import MoeLstm
from topiceq.model.theta import Dense, LdaTheta, Terms, Theta, word_log_prob

DECODERS: dict[str, type[Decoder]] = {
    "te-lstm": TeLstm,
    "td-lstm": TdLstm,
    "moe-lstm": MoeLstm,
    "cat-lstm": CatLstm,
    "lstm": Lstm,
    "bag": Bag,
    "alignment": Alignment,
    "alignment-mixture": MixtureAlignment,
}


class Encoder(nn.Module):
    """q(eta | C): bag of words -> two layers -> the mean and log-variance of a Gaussian."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        units, topics = config.encoder_units, config.topics
        self.first = nn.EmbeddingBag(sizes.words, units, mode="sum")  # a V x units layer, sparse
        nn.init.normal_(self.first.weight, std=0.1)
        self.first_bias = nn.Parameter(torch.zeros(units))
        self.second = nn.Linear(units, units)
        self.mean, self.log_var = nn.Linear(units, topics), nn.Linear(units, topics)
        # ours: normalised without a learned scale, no topic can fall silent (component collapse)
        self.mean_norm = nn.BatchNorm1d(topics, affine=False)
        self.log_var_norm = nn.BatchNorm1d(topics, affine=False)
        # ours: a learned shift, without which the variance of q would always be about 1
        self.log_var_shift = nn.Parameter(torch.zeros(topics))

    def forward(self, words: Counts) -> tuple[Tensor, Tensor]:
        """The mean and the log-variance of q."""
        h = self._read(words)
        return self._mean(h), self.log_var_norm(self.log_var(h)) + self.log_var_shift  # (B, K)

    def draw(self, words: Counts) -> tuple[Tensor, Tensor]:
        """One reparameterised sample of eta (B, K), and the KL in closed form (B,)."""
        mean, log_var = self(words)
        return mean + torch.exp(0.5 * log_var) * torch.randn_like(mean), kl(mean, log_var)

    def posterior_mean(self, words: Counts) -> Tensor:
        """The mean alone."""
        return self._mean(self._read(words))

    def _read(self, words: Counts) -> Tensor:
        # ours: log(1 + count), so that a word repeated twenty times does not drown the others
        h = self.first(words.ids, words.offsets, per_sample_weights=words.counts.log1p())
        return torch.tanh(self.second(torch.tanh(h + self.first_bias)))  # (B, units)

    def _mean(self, h: Tensor) -> Tensor:
        mean: Tensor = self.mean_norm(self.mean(h))
        return mean  # (B, K)


class Vae(Theta):
    """The paper's theta: a logistic normal, inferred by the encoder."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = Encoder(config, sizes)
        self.g = nn.Linear(config.topics, config.topics)  # W_g, b_g
        # ours: each dimension of eta starts as one topic, so a start from LDA's topics is kept
        nn.init.eye_(self.g.weight)
        nn.init.zeros_(self.g.bias)
        self.beta_logits = nn.Parameter(0.1 * torch.randn(config.topics, sizes.words))

    def draw(self, words: Counts) -> tuple[Tensor, Terms]:
        """theta of one sample of eta, with -log p(C | theta), the KL and the diversity."""
        eta, nats = self.encoder.draw(words)
        theta = self.theta(eta)
        beta = self.beta()
        terms = {"words": -word_log_prob(words, theta, beta), "kl": nats}
        return theta, terms | {"diversity": diversity(beta)}

    def encode(self, words: Counts) -> Tensor:
        """theta = g(the posterior mean)."""
        return self.theta(self.encoder.posterior_mean(words))

    def theta(self, eta: Tensor) -> Tensor:
        """softmax(W_g eta + b_g)."""
        theta: Tensor = self.g(eta).softmax(-1)
        return theta  # (B, K)

    def beta(self) -> Tensor:
        """The topics, each a softmax over words."""
        return self.beta_logits.softmax(-1)  # (K, V)

    def start(self, train: Encoded, found: Lda | None) -> None:
        """ours: beta and b_g start from LDA, else beta from the words' frequencies plus noise."""
        if found is None:
            counts = torch.from_numpy(np.asarray(train.words.sum(0), dtype=np.float32)[0]) + 1
            self.beta_logits.data += (counts / counts.sum()).log()
        else:
            self.beta_logits.data.copy_(torch.from_numpy(found.topics).clamp(min=1e-9).log())
            log_alpha = torch.from_numpy(found.alpha).log()
            self.g.bias.data.copy_(log_alpha - log_alpha.mean())


class JointModel(nn.Module):
    """theta from one source, and the decoders that it writes with."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        check(config)
        self.config, self.sizes = config, sizes
        self.theta = _theta(config, sizes)
        self.decoders = nn.ModuleDict({n: DECODERS[n](config, sizes) for n in config.decoders})

    def forward(
        self, batch: Batch, weights: Mapping[str, float], *, joint: bool = True, pull: float = 1.0
    ) -> tuple[Tensor, Terms]:
        """The loss, and its terms in nats a pair; without `joint` the decoders are left out.

        A term counts once unless `weights` says otherwise. `pull` is how strongly equations draw
        on theta: 1 is the ELBO, 0 leaves theta to the words.
        """
        terms = self._terms(batch, joint, pull)
        means = {name: nats.mean() for name, nats in terms.items()}
        loss = sum((weights.get(name, 1.0) * mean for name, mean in means.items()), torch.zeros(()))
        return loss, {name: mean.detach() for name, mean in means.items()}

    def _terms(self, batch: Batch, joint: bool, pull: float) -> Terms:
        theta, terms = self.theta.draw(batch.words) if self.theta else (None, {})
        if not joint:
            return terms
        if self.theta and batch.other:  # a control: the equation gets another article's theta
            theta, _ = self.theta.draw(batch.other)
        if theta is not None:
            theta = pull * theta + (1 - pull) * theta.detach()
        return terms | {name: -d.log_prob(batch, theta) for name, d in self.named_decoders()}

    def named_decoders(self) -> Iterator[tuple[str, Decoder]]:
        """The decoders by name."""
        for name, module in self.decoders.items():
            yield name, cast(Decoder, module)

    def writers(self) -> dict[str, Writer]:
        """The decoders that can write an equation, by name."""
        return {name: d for name, d in self.named_decoders() if isinstance(d, Writer)}

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

    def start(self, train: Encoded, tokens: Vocab, found: Lda | None) -> None:
        """Set what is better not left to chance: topics from LDA, biases from frequencies."""
        for _, decoder in self.named_decoders():
            decoder.start(train, tokens)
        if self.theta:
            self.theta.start(train, found)


def _theta(config: ModelConfig, sizes: Sizes) -> Theta | None:
    if config.theta == "none":
        return None
    if config.theta == "lda":
        return LdaTheta(config, sizes)
    return Vae(config, sizes) if config.encoder == "topics" else Dense(config, sizes)


def check(config: ModelConfig) -> None:
    """Refuse settings that make no model."""
    for name in config.decoders:
        if name not in DECODERS:
            raise ConfigError(f"There is no decoder '{name}'. Decoders: {', '.join(DECODERS)}.")
        if config.theta == "none" and DECODERS[name].needs_theta:
            free = ", ".join(name for name, kind in DECODERS.items() if not kind.needs_theta)
            raise ConfigError(f"'{name}' needs a theta: model.theta = 'none' goes with {free}.")
    if len(set(config.decoders)) < len(config.decoders):
        raise ConfigError(f"model.decoders = {list(config.decoders)} names a decoder twice.")
    if not config.decoders and (config.theta == "none" or config.encoder == "dense"):
        raise ConfigError("model.decoders = [] needs topics: model.theta = 'vae' or 'lda'.")
    if config.encoder == "dense" and config.theta != "vae":
        raise ConfigError("model.encoder = 'dense' goes with model.theta = 'vae'.")


def kl(mean: Tensor, log_var: Tensor) -> Tensor:
    """KL(N(mean, diag exp log_var) || N(0, I))."""
    return 0.5 * (mean.square() + log_var.exp() - 1 - log_var).sum(-1)  # (B,)


def diversity(vectors: Tensor) -> Tensor:
    """Mean minus variance of the angles between the vectors (Xie, Deng, Xing 2015).

    >>> round(diversity(torch.eye(3)).item(), 4)  # all at right angles
    1.5708
    """
    if len(vectors) < 2:
        return vectors.new_zeros(())
    unit = F.normalize(vectors, dim=-1)
    cosine = (unit @ unit.T).abs().clamp(max=1 - 1e-6)  # the gradient of arccos is infinite at 1
    i, j = torch.triu_indices(len(vectors), len(vectors), 1)
    angles = torch.arccos(cosine[i, j])  # each i != j once: mean and variance are the same
    return angles.mean() - angles.var(correction=0)
