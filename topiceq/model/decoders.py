"""Decoders: p(equation | theta), one class for each row of the paper.

In go a `Batch` and theta (B, K); out comes the log-probability of each equation (B,), its END
counted. A decoder that writes from left to right also has `step`. PAD and START are never
written, so they have no place in the softmax.

    lstm       no topic at all
    te-lstm    theta in every gate of every layer               (the paper's model)
    td-lstm    a gate on the top output mixes theta in          (Lau, Baldwin, Cohn 2017)
    te-td-lstm both of them                                     (ours)
    cat-lstm   theta beside the top output                      (the paper's LSTM + LDA)
    moe-lstm   theta mixes the weight matrices themselves: moe.py
    bag        tokens without order
    alignment  phrases of the immediate context, from the bag s (L,) of the equation's symbols:
               softmax(A s + b). Without a topic A is one matrix (M, L); with one it is
               W_a diag(W_b theta) W_c, plus A_0 in the residual form.

A new one is a class here and a line in `DECODERS`; one of your own, in a package of your own, is a
class and an entry point of the group `topiceq.decoders` there:

    [project.entry-points."topiceq.decoders"]
    mine = "my_package:MyDecoder"
"""

from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.article.equation.rules import END, PAD
from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError
from topiceq.model.batches import Batch
from topiceq.model.moe import MoeLayer
from topiceq.model.symbols import Symbols

State = tuple[Tensor, ...]  # what a decoder remembers of B equations, each (B, ..)


class Sizes(NamedTuple):
    """How long the three vocabularies are."""

    words: int
    tokens: int
    phrases: int


class Decoder(nn.Module):
    """What theta writes beside the words of the context."""

    needs_theta = True

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__()
        self.config, self.sizes = config, sizes

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """log p(what this decoder writes | theta) of each pair."""
        raise NotImplementedError  # (B,)

    def size(self, batch: Batch) -> Tensor:
        """How many items the log-probability of each pair is about: perplexity is per item."""
        return (batch.targets != PAD).sum(0).float()  # (B,)

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """Set the weights that are better not left to chance, before training."""


class Writer(Decoder):
    """A decoder that writes an equation from left to right."""

    def step(
        self, token: Tensor, state: State | None, theta: Tensor | None
    ) -> tuple[Tensor, State | None]:
        """Read one token each (B,), and give the logits of the next (B, tokens).

        The state None is the beginning. Rows of a state are kept, left out or doubled as searches
        go on with other equations, so its tensors have one for each.
        """
        raise NotImplementedError


class Lstm(Writer):
    """embedding -> LSTM layers -> softmax(W_y h_t + b_y); the other LSTMs change one place each."""

    needs_theta = False

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.embedding = nn.Embedding(sizes.tokens, config.embedding)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        self.layers = nn.ModuleList(
            self.layer(config.state if n else config.embedding) for n in range(config.layers)
        )
        self.bias = nn.Parameter(torch.zeros(sizes.tokens - END))
        self.output = nn.Linear(config.state, len(self.bias), bias=False)

    def layer(self, inputs: int) -> nn.Module:
        """One layer that reads `inputs` values at each place."""
        return nn.LSTM(inputs, self.config.state)

    def feed(
        self, layer: nn.Module, x: Tensor, theta: Tensor | None, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run one layer over x (T, B, .)."""
        if len(x) == 1 and state is not None and not self.training:
            # writing, token by token: the same cell without what a whole sequence needs,
            # 2.5 times as fast for one equation
            assert isinstance(layer, nn.LSTM)
            h, c = torch.lstm_cell(x[0], state, *layer.all_weights[0])
            return h[None], (h, c)
        stacked = None if state is None else (state[0][None], state[1][None])
        h, (last_h, last_c) = layer(x, stacked)
        return h, (last_h[0], last_c[0])

    def top(self, h: Tensor, theta: Tensor | None, rows: Tensor) -> Tensor:
        """From the top layer's h_t (N, H) of equations `rows` (N,) to the softmax's input."""
        return h

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """The sum over t of log p(y_t | y_<t, theta)."""
        h, _ = self._read(batch.inputs, None, theta)  # (T, B, H)
        targets = batch.targets.reshape(-1)  # (T B,)
        places = (targets != PAD).nonzero()[:, 0]  # the softmax is dear: no padding in it
        rows = places % len(batch)
        logits = self._logits(h.flatten(0, 1).index_select(0, places), theta, rows)
        nats = F.cross_entropy(logits, targets[places] - END, reduction="none")
        return -nats.new_zeros(len(batch)).index_add(0, rows, nats)  # (B,)

    def step(
        self, token: Tensor, state: State | None, theta: Tensor | None
    ) -> tuple[Tensor, State | None]:
        """One token further; the state is h and c of each layer."""
        h, state = self._read(token[None], state, theta)
        logits = self._logits(h[0], theta, torch.arange(len(token), device=token.device))
        return F.pad(logits, (END, 0), value=-torch.inf), state

    def _read(
        self, tokens: Tensor, state: State | None, theta: Tensor | None
    ) -> tuple[Tensor, State]:
        h, after = self.embedding(tokens), list[Tensor]()
        for n, layer in enumerate(self.layers):
            own = (state[2 * n], state[2 * n + 1]) if state else None
            h, last = self.feed(layer, h, theta, own)
            h = self._drop(h)
            after += last
        return h, tuple(after)

    def _drop(self, h: Tensor) -> Tensor:
        if not self.training or not self.config.dropout:
            return h
        return h * dropout_mask(h, self.config.dropout)

    def _logits(self, h: Tensor, theta: Tensor | None, rows: Tensor) -> Tensor:
        return F.linear(self.top(h, theta, rows), self.output.weight, self.bias)

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """ours: the softmax starts from the frequencies of the tokens."""
        self.bias.data.copy_(log_frequency(train, len(tokens)))


class TeLstm(Lstm):
    """i, f, o = sigmoid(W [x_t; h_{t-1}; theta] + b), c~ = tanh(W_c [x_t; h_{t-1}; theta] + b_c).

    A stock LSTM fed [x_t; theta] computes just that, at the library's speed.
    """

    needs_theta = True

    def layer(self, inputs: int) -> nn.Module:
        """ours: theta enters every layer."""
        return nn.LSTM(inputs + self.config.topics, self.config.state)

    def feed(
        self, layer: nn.Module, x: Tensor, theta: Tensor | None, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """x_t becomes [x_t; theta]."""
        assert theta is not None
        beside = theta.expand(len(x), *theta.shape)  # (T, B, K)
        return super().feed(layer, torch.cat([x, beside], -1), theta, state)


class CatLstm(Lstm):
    """p(y_t | y_<t) = softmax(W [h_t; theta] + b): the recurrence does not see theta."""

    needs_theta = True

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.of_theta = nn.Linear(config.topics, sizes.tokens - END, bias=False)

    def _logits(self, h: Tensor, theta: Tensor | None, rows: Tensor) -> Tensor:
        assert theta is not None  # W [h; theta] = W_1 h + W_2 theta, the latter once an equation
        of_theta: Tensor = self.of_theta(theta)
        return super()._logits(h, theta, rows) + of_theta.index_select(0, rows)


class TdLstm(Lstm):
    """A gate on the top output h; the recurrence does not see theta.

    z, r = sigmoid(W_{z,r} theta + U_{z,r} h + b)    c = tanh(W_h theta + U_h (r h) + b_h)
    h' = (1 - z) h + z c
    """

    needs_theta = True

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.w = nn.Linear(config.topics, 3 * config.state)  # z, r, c
        self.u = nn.Linear(config.state, 2 * config.state, bias=False)  # z, r
        self.u_h = nn.Linear(config.state, config.state, bias=False)
        nn.init.ones_(self.w.bias[: 2 * config.state])  # b_z, b_r start at 1 (Lau 2017)
        nn.init.zeros_(self.w.bias[2 * config.state :])

    def top(self, h: Tensor, theta: Tensor | None, rows: Tensor) -> Tensor:
        """The gate, on the places that are not padding."""
        assert theta is not None
        size = self.config.state
        of_theta = self.w(theta).index_select(0, rows)  # (N, 3 H)
        z, r = torch.sigmoid(of_theta[:, : 2 * size] + self.u(h)).chunk(2, -1)
        c = torch.tanh(of_theta[:, 2 * size :] + self.u_h(r * h))
        return (1 - z) * h + z * c


class TeTdLstm(TeLstm, TdLstm):
    """ours: theta in every gate of every layer, and td-lstm's gate on the top output."""


class MoeLstm(Lstm):
    """An LSTM each of whose weights is a mixture over topics."""

    needs_theta = True

    def layer(self, inputs: int) -> nn.Module:
        """ours: theta mixes every layer, as it enters every layer of te-lstm."""
        return MoeLayer(inputs, self.config.topics, self.config.state)

    def feed(
        self, layer: nn.Module, x: Tensor, theta: Tensor | None, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The layer takes theta as it is."""
        h, last = layer(x, theta, state)
        return h, last


class Bag(Writer):
    """y_t ~ Mult(theta^T gamma), END one of the tokens: what is left without order."""

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        self.gamma = nn.Parameter(0.1 * torch.randn(config.topics, sizes.tokens - END))

    def log_probs(self, theta: Tensor) -> Tensor:
        """log theta^T gamma."""
        return (theta @ self.gamma.softmax(-1)).log()  # (B, tokens)

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """The sum over t of log p(y_t | theta)."""
        assert theta is not None
        real = (batch.targets != PAD).T  # (B, T)
        places = torch.where(real, batch.targets.T - END, 0)
        return (self.log_probs(theta).gather(1, places) * real).sum(-1)  # (B,)

    def step(
        self, token: Tensor, state: State | None, theta: Tensor | None
    ) -> tuple[Tensor, State | None]:
        """The next token does not depend on the last."""
        assert theta is not None
        return F.pad(self.log_probs(theta), (END, 0), value=-torch.inf), state

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """ours: gamma starts from the frequencies of the tokens, plus noise."""
        self.gamma.data += log_frequency(train, len(tokens))


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

    def of_phrases(self) -> list[Tensor]:
        """The weights with a row for each phrase, without the bias."""
        rows = [self.a, self.w_a if self.config.theta != "none" else None]
        return [layer.weight for layer in rows if layer is not None]

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """Choose the symbols; ours: the bias starts from the phrases' frequencies."""
        self.symbols.choose(train, tokens)
        self.log_frequency.copy_(phrase_frequency(train))
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


DECODERS: dict[str, type[Decoder]] = {
    "te-lstm": TeLstm,
    "td-lstm": TdLstm,
    "te-td-lstm": TeTdLstm,
    "moe-lstm": MoeLstm,
    "cat-lstm": CatLstm,
    "lstm": Lstm,
    "bag": Bag,
    "alignment": Alignment,
    "alignment-mixture": MixtureAlignment,
}


GROUP = "topiceq.decoders"


@cache
def decoder_kind(name: str) -> type[Decoder]:
    """The class of a decoder: of this table, or of another package that is installed."""
    if name in DECODERS:
        return DECODERS[name]
    own = {each.name: each for each in entry_points(group=GROUP)}
    if name not in own:
        raise ConfigError(
            f"There is no decoder '{name}'. Decoders: {', '.join([*DECODERS, *own])}."
        )
    try:
        kind = own[name].load()
    except Exception as error:  # whatever a package of somebody else raises
        raise ConfigError(f"The decoder '{name}' cannot be imported: {error}.") from error
    if not (isinstance(kind, type) and issubclass(kind, Decoder)):
        raise ConfigError(f"The decoder '{name}' ({own[name].value}) is no class of Decoder.")
    return kind


def dropout_mask(like: Tensor, p: float) -> Tensor:
    """0 with probability p, else 1 / (1 - p).

    ours: p in steps of 1/256, and eight places from one random number. On a CPU it is six times as
    fast as torch's own, which took a twentieth of a training step.
    """
    dropped = round(256 * p)
    numbers = torch.empty(-(-like.numel() // 8), dtype=torch.int64, device=like.device)
    bytes_ = numbers.random_(-(2**63), None).view(torch.uint8)[: like.numel()].view(like.shape)
    return (bytes_ >= dropped).to(like.dtype).mul_(256 / (256 - dropped))


def widened(config: ModelConfig, sizes: Sizes) -> ModelConfig:
    """A control: the plain LSTM with a state so wide that it has as many weights as te-lstm."""

    def weights(kind: type[Decoder], state: int) -> int:
        with torch.device("meta"):  # shapes without memory
            made = kind(config.model_copy(update={"state": state}), sizes)
        return sum(weight.numel() for weight in made.parameters())

    target = weights(TeLstm, config.state)
    states = range(config.state, 2 * config.state + config.topics)
    state = min(states, key=lambda state: abs(weights(Lstm, state) - target))
    changes = {"theta": "none", "decoders": ("lstm",), "state": state}
    return ModelConfig(**(config.model_dump() | changes))


def log_frequency(train: Encoded, tokens: int) -> Tensor:
    """log p(token) in train's equations, END included, PAD and START left out; add-one smoothed."""
    counts = torch.bincount(torch.from_numpy(train.tokens).long(), minlength=tokens).float() + 1
    counts[END] = len(train.articles) + 1
    return (counts[END:] / counts[END:].sum()).log()  # (tokens - 2,)


def phrase_frequency(train: Encoded) -> Tensor:
    """log p(phrase) in train's immediate contexts, add-one smoothed."""
    counts = torch.from_numpy(np.asarray(train.phrases.sum(0), dtype=np.float32)[0]) + 1
    return (counts / counts.sum()).log()  # (M,)
