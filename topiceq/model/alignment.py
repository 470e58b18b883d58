"""Alignment: p(phrase | symbols of the equation, theta), one more decoder.

In goes the bag s (L,) of an equation's symbols; out come the probabilities of the M phrases of its
immediate context, softmax(A s + b). Without a topic A is one matrix (M, L); with one it is
A(theta) = W_a diag(W_b theta) W_c, or A_0 + W_a diag(W_b theta) W_c in the residual form.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.model.batches import Batch
from topiceq.model.decoders import Decoder, Sizes
from topiceq.model.symbols import Symbols


class Alignment(Decoder):
    """Phrases of the immediate context, written by the equation's symbols and theta."""

    needs_theta = False

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.symbols = Symbols(config.symbols, sizes.tokens)
        self.bias = nn.Parameter(torch.zeros(sizes.phrases))
        mixed = config.theta != "none"
        plain = config.residual or not mixed
        self.a = nn.Linear(config.symbols, sizes.phrases, bias=False) if plain else None
        if mixed:  # F = K factors
            self.w_a = nn.Linear(config.topics, sizes.phrases, bias=False)
            self.w_b = nn.Linear(config.topics, config.topics, bias=False)
            self.w_c = nn.Linear(config.symbols, config.topics, bias=False)
            nn.init.normal_(self.w_b.weight, 1.0, 0.3)  # ours: about 1, whatever the mixture

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """The sum over the pair's phrases of log p(phrase | symbols, theta)."""
        log_p = self.phrase_log_probs(self.symbols.bag(batch.tokens), theta)
        phrases = batch.phrases
        return phrases.sum(phrases.counts * log_p[phrases.rows, phrases.ids])  # (B,)

    def size(self, batch: Batch) -> Tensor:
        """Perplexity is per phrase."""
        return batch.phrases.total()

    def phrase_log_probs(self, s: Tensor, theta: Tensor | None) -> Tensor:
        """log softmax(A(theta) s + b) for bags of symbols s (B, L); of one symbol, its one-hot."""
        # ours: s sums to 1, so that one symbol asks at the scale of a whole equation in training
        s = F.normalize(s, p=1, dim=-1)
        logits = self.bias.expand(len(s), -1)
        if self.a is not None:
            logits = logits + self.a(s)
        if theta is not None:
            logits = logits + self.w_a(self.w_b(theta) * self.w_c(s))
        return logits.log_softmax(-1)  # (B, M)

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """Choose the symbols; ours: the bias starts from the phrases' frequencies."""
        self.symbols.choose(train, tokens)
        counts = torch.from_numpy(np.asarray(train.phrases.sum(0), dtype=np.float32)[0]) + 1
        self.bias.data.copy_((counts / counts.sum()).log())
