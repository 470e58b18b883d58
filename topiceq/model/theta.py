"""Where theta comes from: the paper's encoder, LDA, or a control that is no mixture of topics.

In go the words of contexts as sparse counts; out comes theta (B, K).
"""

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix, diags_array
from scipy.sparse.linalg import norm, svds
from torch import Tensor, nn

from topiceq.article.equation.rules import PAD
from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.model.batches import Batch, Counts
from topiceq.model.decoders import Sizes
from topiceq.model.lda import fold_in
from topiceq.model.start import GivenTopics

Terms = dict[str, Tensor]  # nats of each pair (B,), by name


class ThetaSource(nn.Module):
    """A source of theta."""

    def draw(self, batch: Batch) -> tuple[Tensor, Terms]:
        """theta as training sees it, and the terms of the loss that belong to it."""
        return self.encode(batch.words), {}

    def encode(self, words: Counts) -> Tensor:
        """theta as everybody else sees it: deterministic."""
        raise NotImplementedError  # (B, K)

    def beta(self) -> Tensor | None:
        """The topics, K distributions over words; None if there are none."""
        return None  # (K, V)

    def start(self, train: Encoded, given: GivenTopics | None) -> None:
        """Set the weights that are better not left to chance, before training."""


def word_log_prob(words: Counts, theta: Tensor, beta: Tensor) -> Tensor:
    """log p(C | theta) = sum over n of log (theta^T beta)_{w_n}, at the words that occur only."""
    of_word = F.embedding(words.ids, beta.T.contiguous())  # (N, K); contiguous: 1.4 times as fast
    p = (of_word * theta.index_select(0, words.rows)).sum(-1)  # (N,)
    return words.sum(words.counts * p.clamp(min=1e-30).log())  # (B,)


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
        self.settled = False  # normalised by what was learned before, not by the batch

    def train(self, mode: bool = True) -> "Encoder":
        """A batch of one field would be spread over all of eta: a settled encoder keeps still."""
        super().train(mode)
        if self.settled:
            self.mean_norm.eval()
            self.log_var_norm.eval()
        return self

    def forward(self, words: Counts) -> tuple[Tensor, Tensor]:
        """The mean and the log-variance of q."""
        h = self._read(words)
        return self._mean(h), self.log_var_norm(self.log_var(h)) + self.log_var_shift  # (B, K)

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


class Vae(ThetaSource):
    """The paper's theta: a logistic normal, inferred by the encoder."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = Encoder(config, sizes)
        self.g = nn.Linear(config.topics, config.topics)  # W_g, b_g
        # ours: each dimension of eta starts as one topic, so a start from LDA's topics is kept
        nn.init.eye_(self.g.weight)
        nn.init.zeros_(self.g.bias)
        self.beta_logits = nn.Parameter(0.1 * torch.randn(config.topics, sizes.words))

    def draw(self, batch: Batch) -> tuple[Tensor, Terms]:
        """theta of one sample of eta, with -log p(C | theta), the KL and the diversity."""
        mean, log_var = self.posterior(batch)
        theta = self.theta(mean + torch.exp(0.5 * log_var) * torch.randn_like(mean))
        beta = self.beta()
        words = -word_log_prob(batch.taught or batch.words, theta, beta)
        return theta, {"words": words, "kl": kl(mean, log_var), "diversity": diversity(beta)}

    def posterior(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The mean and the log-variance of q (B, K), which reads the context only."""
        found: tuple[Tensor, Tensor] = self.encoder(batch.words)
        return found

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

    def start(self, train: Encoded, given: GivenTopics | None) -> None:
        """ours: beta and b_g start from given topics, else from word frequencies plus noise."""
        if given is None:
            counts = torch.from_numpy(np.asarray(train.words.sum(0), dtype=np.float32)[0]) + 1
            self.beta_logits.data += (counts / counts.sum()).log()
        else:
            self.beta_logits.data.copy_(torch.from_numpy(given.topics).clamp(min=1e-9).log())
            log_alpha = torch.from_numpy(given.alpha).log()
            self.g.bias.data.copy_(log_alpha - log_alpha.mean())


class VaeOfBoth(Vae):
    """An experiment (Wu & Goodman 2018): in training q reads context and equation, as experts.

        q(eta | C, eq) ~ q(eta | C) e(eta | eq)      of a random half of the pairs q(eta | C) alone

    ours: e reads the equation as a bag of tokens. Everybody else gets q(eta | C), as ever, so that
    no held-out equation is predicted from itself.
    """

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.tokens = nn.Embedding(sizes.tokens, config.encoder_units, padding_idx=PAD)
        self.expert = nn.Linear(config.encoder_units, 2 * config.topics)
        # an expert that knows nothing yet hardly moves q
        nn.init.zeros_(self.expert.weight)
        nn.init.constant_(self.expert.bias, UNSURE)

    def posterior(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """q of the context, times the expert on the equation for a half of the pairs."""
        mean, log_var = super().posterior(batch)
        own, own_log_var = self._of_equation(batch.tokens)
        is_read = torch.rand(len(mean), 1, device=mean.device) < 0.5
        precision, more = torch.exp(-log_var), torch.exp(-own_log_var) * is_read
        both = precision + more
        return (precision * mean + more * own) / both, -both.log()

    def _of_equation(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        size = (tokens != PAD).sum(0)[:, None].sqrt()
        h = torch.tanh(self.tokens(tokens).sum(0) / size)  # (B, units)
        mean, log_var = self.expert(h).chunk(2, dim=-1)
        return mean - UNSURE, log_var  # (B, K)


UNSURE = 3.0  # log-variance of an expert that has not learned anything


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


class LdaTheta(ThetaSource):
    """Topics of LDA, frozen; theta is folded in under them, the same way for every context."""

    log_topics: Tensor  # the logarithm also survives half precision
    alpha: Tensor

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.register_buffer("log_topics", torch.zeros(config.topics, sizes.words))
        self.register_buffer("alpha", torch.ones(config.topics))

    def start(self, train: Encoded, given: GivenTopics | None) -> None:
        """Take over what LDA found."""
        assert given is not None
        self.log_topics.copy_(torch.from_numpy(given.topics).log())
        self.alpha.copy_(torch.from_numpy(given.alpha))

    def encode(self, words: Counts) -> Tensor:
        """The mean of theta given the words."""
        return fold_in(words, self.beta(), self.alpha)

    def beta(self) -> Tensor:
        """LDA's topics."""
        return self.log_topics.exp()


class Dense(ThetaSource):
    """A control: the context as K numbers that are no mixture of topics (latent semantic analysis).

    They are fixed: learned for the equation they would know the contexts of train by heart. Their
    length is 1: LSTMs that get K numbers of variance 1 at every place learn worse than without.
    """

    projection: Tensor

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.register_buffer("projection", torch.zeros(sizes.words, config.topics))

    def start(self, train: Encoded, given: GivenTopics | None) -> None:
        """The directions in which the contexts of train differ most, each scaled to variance 1."""
        size, words = train.words.shape
        idf = np.log(size / np.maximum(train.words.getnnz(0), 1))
        texts = csr_matrix(train.words, dtype=np.float64).log1p() @ diags_array(idf)
        texts = diags_array(1 / np.maximum(norm(texts, axis=1), 1e-9)) @ texts
        count = min(self.projection.shape[1], size - 1, words - 1)
        _, scale, directions = svds(texts, count, v0=np.ones(min(size, words)))
        kept = scale > 1e-6 * scale.max()  # a direction in which nothing differs tells nothing
        weights = idf[:, None] * (directions[kept] / scale[kept, None]).T * size**0.5
        self.projection[:, : kept.sum()] = torch.from_numpy(weights)

    def encode(self, words: Counts) -> Tensor:
        """Where the context lies, as a unit vector."""
        at = F.embedding_bag(
            words.ids,
            self.projection,
            words.offsets,
            mode="sum",
            per_sample_weights=words.counts.log1p(),
        )
        return F.normalize(at, dim=-1)  # (B, K)
