"""The joint model: one theta writes the words of a context and the equation inside it.

    eta ~ N(0, I_K)     theta = softmax(W_g eta + b_g)     (a logistic normal)
    w_n | theta ~ Mult(theta^T beta)     equation | theta ~ decoder(theta)

    ELBO = E_q[log p(C | theta)] - KL(q(eta | C) || p(eta)) + E_q[log p(equation | theta)]

In go batches of pairs; out come the terms of the ELBO in nats. The encoder q(eta | C) reads the
context only, never the equation. Letters: B pairs, T tokens, K topics, V words, L symbols,
M phrases, H state, N nonzero entries of sparse counts.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.store import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError
from topiceq.model.alignment import Alignment
from topiceq.model.batches import Batch, Counts
from topiceq.model.decoders import Bag, CatLstm, Decoder, Lstm, Sizes, TdLstm, TeLstm
from topiceq.model.lda import Lda
from topiceq.model.moe import MoeLstm
from topiceq.model.theta import LdaTheta, Terms, Theta, word_log_prob

DECODERS: dict[str, Callable[[ModelConfig, Sizes], Decoder]] = {
    "te-lstm": TeLstm,
    "td-lstm": TdLstm,
    "moe-lstm": MoeLstm,
    "cat-lstm": CatLstm,
    "lstm": Lstm,
    "bag": Bag,
    "alignment": Alignment,
}


class Encoder(nn.Module):
    """q(eta | C): bag of words -> two layers -> the mean and log-variance of a Gaussian."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        units, topics = config.encoder_units, config.topics
        self.first = nn.EmbeddingBag(sizes.words, units, mode="sum")  # a sparse V x units layer
        nn.init.normal_(self.first.weight, std=0.1)
        self.first_bias = nn.Parameter(torch.zeros(units))
        self.second = nn.Linear(units, units)
        self.mean, self.log_var = nn.Linear(units, topics), nn.Linear(units, topics)
        # ours: normalised without a learned scale, no topic can fall silent (component collapse)
        self.mean_norm = nn.BatchNorm1d(topics, affine=False)
        self.log_var_norm = nn.BatchNorm1d(topics, affine=False)

    def forward(self, words: Counts) -> tuple[Tensor, Tensor]:
        """The mean and the log-variance of q."""
        # ours: log(1 + count), so that a word repeated twenty times does not drown the others
        h = self.first(words.ids, words.offsets, per_sample_weights=words.counts.log1p())
        h = F.softplus(h + self.first_bias)
        h = F.softplus(self.second(h))  # (B, units)
        return self.mean_norm(self.mean(h)), self.log_var_norm(self.log_var(h))  # (B, K) each


class Vae(Theta):
    """The paper's theta: a logistic normal, inferred by the encoder."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = Encoder(config, sizes)
        self.g = nn.Linear(config.topics, config.topics)  # W_g, b_g
        self.beta_logits = nn.Parameter(0.1 * torch.randn(config.topics, sizes.words))

    def draw(self, words: Counts) -> tuple[Tensor, Terms]:
        """One reparameterised sample, with -log p(C | theta) and the KL in closed form."""
        mean, log_var = self.encoder(words)
        eta = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
        theta = self.theta(eta)
        words_nats = -word_log_prob(words, theta, self.beta())
        return theta, {"words": words_nats, "kl": kl(mean, log_var)}

    def encode(self, words: Counts) -> Tensor:
        """theta = g(the posterior mean)."""
        mean, _ = self.encoder(words)
        return self.theta(mean)

    def theta(self, eta: Tensor) -> Tensor:
        """softmax(W_g eta + b_g)."""
        return self.g(eta).softmax(-1)  # (B, K)

    def beta(self) -> Tensor:
        """The topics, each a softmax over words."""
        return self.beta_logits.softmax(-1)  # (K, V)
