"""Where theta comes from: what every source can do, and the sources that are not learned.

In go the words of contexts as sparse counts; out comes theta (B, K). The paper's own source, the
encoder with its prior, is in joint.py.
"""

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix, diags_array
from scipy.sparse.linalg import norm, svds
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.model.batches import Counts
from topiceq.model.decoders import Sizes
from topiceq.model.lda import Lda, fold_in

Terms = dict[str, Tensor]  # nats of each pair (B,), by name


class Theta(nn.Module):
    """A source of theta."""

    def draw(self, words: Counts) -> tuple[Tensor, Terms]:
        """theta as training sees it, and the terms of the loss that belong to it."""
        return self.encode(words), {}

    def encode(self, words: Counts) -> Tensor:
        """theta as everybody else sees it: deterministic."""
        raise NotImplementedError  # (B, K)

    def beta(self) -> Tensor | None:
        """The topics, K distributions over words; None if there are none."""
        return None  # (K, V)

    def start(self, train: Encoded, found: Lda | None) -> None:
        """Set the weights that are better not left to chance, before training."""


def word_log_prob(words: Counts, theta: Tensor, beta: Tensor) -> Tensor:
    """log p(C | theta) = sum over n of log (theta^T beta)_{w_n}, at the words that occur only."""
    of_word = F.embedding(words.ids, beta.T.contiguous())  # (N, K); contiguous: 1.4 times as fast
    p = (of_word * theta.index_select(0, words.rows)).sum(-1)  # (N,)
    return words.sum(words.counts * p.clamp(min=1e-30).log())  # (B,)


class LdaTheta(Theta):
    """Topics of LDA, frozen; theta is folded in under them, the same way for every context."""

    log_topics: Tensor  # the logarithm also survives half precision
    alpha: Tensor

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.register_buffer("log_topics", torch.zeros(config.topics, sizes.words))
        self.register_buffer("alpha", torch.ones(config.topics))

    def start(self, train: Encoded, found: Lda | None) -> None:
        """Take over what LDA found."""
        assert found is not None
        self.log_topics.copy_(torch.from_numpy(found.topics).log())
        self.alpha.copy_(torch.from_numpy(found.alpha))

    def encode(self, words: Counts) -> Tensor:
        """The mean of theta given the words."""
        return fold_in(words, self.beta(), self.alpha)

    def beta(self) -> Tensor:
        """LDA's topics."""
        return self.log_topics.exp()


class Dense(Theta):
    """A control: the context as K numbers that are no mixture of topics (latent semantic analysis).

    They are fixed: learned for the equation they would know the contexts of train by heart. Their
    length is 1: LSTMs that get K numbers of variance 1 at every place learn worse than without.
    """

    projection: Tensor

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.register_buffer("projection", torch.zeros(sizes.words, config.topics))

    def start(self, train: Encoded, found: Lda | None) -> None:
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
