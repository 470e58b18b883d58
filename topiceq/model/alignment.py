"""Alignment: p(phrase | symbols of the equation, theta), one more decoder.

In goes the bag s (L,) of an equation's symbols; out come the probabilities of the M phrases of its
immediate context, softmax(A s + b). Without a topic A is one matrix (M, L); with one it is
A(theta) = W_a diag(W_b theta) W_c, or A_0 + W_a diag(W_b theta) W_c in the residual form. The
mixture (ours) has the same A(theta), but each phrase is written by one of the symbols.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError
from topiceq.model.batches import Batch
from topiceq.model.decoders import Decoder, Sizes
from topiceq.model.symbols import Symbols


class Alignment(Decoder):
    """Phrases of the immediate context, written by all of the equation's symbols together."""

    needs_theta = False
    more_symbols = 0  # columns of A beyond the L symbols
    log_frequency: Tensor  # (M,) of the phrases in train: what a model without symbols would say

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        if not sizes.phrases:
            raise ConfigError(
                "The corpus has no phrases, so there is nothing to align. Leave alignment out of "
                "model.decoders, or build the corpus with other phrases."
            )
        self.symbols = Symbols(config.symbols, sizes.tokens)
        self.register_buffer("log_frequency", torch.zeros(sizes.phrases))
        self.bias = nn.Parameter(torch.zeros(sizes.phrases))
        columns, mixed = config.symbols + self.more_symbols, config.theta != "none"
        plain = config.residual or not mixed
        self.a = nn.Linear(columns, sizes.phrases, bias=False) if plain else None
        if mixed:  # F = K factors
            self.w_a = nn.Linear(config.topics, sizes.phrases, bias=False)
            self.w_b = nn.Linear(config.topics, config.topics, bias=False)
            self.w_c = nn.Linear(columns, config.topics, bias=False)
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
        # ours: s has length 1, so that one symbol asks at the scale of a whole equation in training
        return self._logits(F.normalize(s, dim=-1), theta).log_softmax(-1)  # (B, M)

    def _logits(self, s: Tensor, theta: Tensor | None) -> Tensor:
        logits = self.bias.expand(len(s), -1)
        if self.a is not None:
            logits = logits + self.a(s)
        if theta is not None:
            logits = logits + self.w_a(self.w_b(theta) * self.w_c(s))
        return logits  # (B, M)

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """Choose the symbols; ours: the bias starts from the phrases' frequencies."""
        self.symbols.choose(train, tokens)
        counts = torch.from_numpy(np.asarray(train.phrases.sum(0), dtype=np.float32)[0]) + 1
        self.log_frequency.copy_((counts / counts.sum()).log())
        self.bias.data.copy_(self.log_frequency)


class MixtureAlignment(Alignment):
    """ours: each phrase is written by one symbol, as in IBM's model 1, or by none of them.

    p(phrase) = sum over symbols of s_l softmax(A(theta)_l + b): what training fits is what a
    question about one symbol asks for. The last column of A stands for no symbol at all.
    """

    more_symbols = 1

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """As in the plain form; pairs without phrases cost nothing."""
        phrases = batch.phrases
        asked, rows = phrases.rows.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        s = F.pad(self.symbols.bag(batch.tokens)[asked], (0, 1), value=1.0)  # no symbol, once
        log_p = self._mixture(s, None if theta is None else theta[asked])
        return phrases.sum(phrases.counts * log_p[rows, phrases.ids])  # (B,)

    def phrase_log_probs(self, s: Tensor, theta: Tensor | None) -> Tensor:
        """log p(phrase) of bags of symbols s (B, L); of one symbol, its one-hot."""
        return self._mixture(F.pad(s, (0, 1)), theta)

    def _mixture(self, s: Tensor, theta: Tensor | None) -> Tensor:
        pairs, symbols = s.nonzero().unbind(1)  # (N,)
        one_each = F.one_hot(symbols, s.shape[1]).to(s.dtype)
        p = self._logits(one_each, None if theta is None else theta[pairs]).softmax(-1)  # (N, M)
        weights = F.normalize(s, p=1, dim=-1)[pairs, symbols]
        mixed = p.new_zeros(len(s), p.shape[1]).index_add(0, pairs, weights[:, None] * p)
        return mixed.clamp(min=1e-30).log()  # (B, M)
