r"""Alignment: p(phrase | symbols of the equation, theta), one more decoder.

In goes the bag s (L,) of an equation's symbols; out come the probabilities of the M phrases of its
immediate context, softmax(A s + b). Without a topic A is one matrix (M, L); with one it is
A(theta) = W_a diag(W_b theta) W_c. A symbol is a token that can mean something, alone or in a font
or under an accent: `\hat { H }` is one symbol, and so is `\mathbb { E }`.
"""

import re

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.config import ModelConfig
from topiceq.corpus.store import Encoded
from topiceq.corpus.vocab import UNK, Vocab
from topiceq.model.batches import Batch
from topiceq.model.decoders import Decoder, Sizes

# fonts and accents: with the one token that they hold they make a symbol of its own
MARKS = frozenset(
    r"""\hat \widehat \tilde \widetilde \bar \overline \underline \vec \overrightarrow \dot \ddot
    \check \breve \acute \grave \mathring \mathbb \mathcal \mathfrak \mathscr \mathbf \mathsf
    \mathrm \mathit \mathtt \boldsymbol \bm \mathbbm \mathds""".split()
)
# brackets, scripts, digits, punctuation, signs, and commands that only arrange other symbols
_ARRANGES = re.compile(
    r"""[{}()\[\]_^&~@\#$0-9,.;:!?'"`/=+<>-]
    | \\( [^a-zA-Z|]? | (left|right|[bB]igg?[lrm]?|begin|end)(?![a-zA-Z]).*
        | [lr](angle|brace|brack|vert|Vert|ceil|floor) | frac | sqrt | binom | substack | prime
        | (over|under)(set|brace) | stackrel | limits | nolimits | phantom | [lcvd]?dots | boxed
        | not | operatorname | x?(left|right)arrow | middle | hline | displaystyle | leq | geq )""",
    re.VERBOSE,
)


def is_symbol(token: str) -> bool:
    r"""Whether a token can mean something by itself.

    >>> [token for token in [r"\sigma", "E", "|", "{", "2", r"\left(", r"\hat"] if is_symbol(token)]
    ['\\sigma', 'E', '|']
    """
    return token not in MARKS and not _ARRANGES.fullmatch(token)


class Alignment(Decoder):
    """Phrases of the immediate context, written by the equation's symbols and theta."""

    needs_theta = False
    symbols: Tensor
    parts: Tensor

    def __init__(self, config: ModelConfig, sizes: Sizes) -> None:
        super().__init__(config, sizes)
        topics, symbols = config.topics, config.symbols
        self.bias = nn.Parameter(torch.zeros(sizes.phrases))
        mixed = config.theta != "none"
        self.a = None
        if config.residual or not mixed:
            self.a = nn.Linear(symbols, sizes.phrases, bias=False)  # A, or A_0 (ours)
            nn.init.zeros_(self.a.weight)
        if mixed:  # F = K factors
            self.w_a = nn.Linear(topics, sizes.phrases, bias=False)
            self.w_b = nn.Linear(topics, topics, bias=False)
            self.w_c = nn.Linear(symbols, topics, bias=False)
            nn.init.normal_(self.w_b.weight, 1.0, 0.3)  # ours: about 1, whatever the mixture
        # symbol = mark * tokens + token, ascending; mark is PAD where there is none
        self.register_buffer("symbols", torch.full((symbols,), sizes.tokens**2))
        # is a mark; is `{`; is `}`; is the mark of spelled-out text
        self.register_buffer("parts", torch.zeros(4, sizes.tokens, dtype=torch.bool))

    def log_prob(self, batch: Batch, theta: Tensor | None) -> Tensor:
        """The sum over the pair's phrases of log p(phrase | symbols, theta)."""
        log_p = self.phrase_log_probs(self.bag(batch.tokens), theta)
        phrases = batch.phrases
        return phrases.sum(phrases.counts * log_p[phrases.rows, phrases.ids])  # (B,)

    def size(self, batch: Batch) -> Tensor:
        """Perplexity is per phrase."""
        return batch.phrases.total()

    def phrase_log_probs(self, s: Tensor, theta: Tensor | None) -> Tensor:
        """log softmax(A(theta) s + b) for bags of symbols s (B, L); one symbol is its one-hot."""
        # ours: s sums to 1, so that one symbol asks at the scale of a whole equation in training
        s = F.normalize(s, p=1, dim=-1)
        logits = self.bias.expand(len(s), -1)
        if self.a is not None:
            logits = logits + self.a(s)
        if theta is not None:
            logits = logits + self.w_a(self.w_b(theta) * self.w_c(s))
        return logits.log_softmax(-1)  # (B, M)

    def bag(self, tokens: Tensor) -> Tensor:
        """How often each of the L symbols occurs in the equations (T, B)."""
        alone, marked = self._codes(tokens)
        numbers = torch.where(self._number(marked) >= 0, self._number(marked), self._number(alone))
        known = numbers >= 0
        columns = torch.arange(tokens.shape[1], device=tokens.device).expand_as(numbers)
        s = self.bias.new_zeros(tokens.shape[1], len(self.symbols))
        return s.index_put((columns[known], numbers[known]), s.new_ones(()), accumulate=True)

    def _codes(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """For each place, the token as a symbol alone, and with its mark; -1 where it is none."""
        is_mark, is_open, is_close, is_text = self.parts[:, tokens]  # (T, B) each
        opens = F.pad(is_open, (0, 0, 1, 0))[:-1]  # whether `{` is just before
        closes = F.pad(is_close, (0, 0, 0, 1))[1:]  # whether `}` is just after
        before = F.pad(tokens, (0, 0, 2, 0))[:-2]
        held = opens & closes & self.parts[0][before]
        marked = torch.where(held, before * self.sizes.tokens + tokens, -1)
        # \mathrm { m a x }: the letters of a spelled-out word are no symbols
        place = torch.arange(len(tokens), device=tokens.device)[:, None].expand_as(tokens)
        text = opens & self.parts[3][before]
        opened = torch.where(text, place, -1).cummax(0).values
        closed = torch.where(is_close, place, -1).cummax(0).values
        spelled = opened > closed
        return torch.where(spelled & ~held, -1, tokens), marked

    def _number(self, codes: Tensor) -> Tensor:
        """The number of a symbol; -1 if it is not among the L."""
        numbers = torch.searchsorted(self.symbols, codes.contiguous())
        numbers = numbers.clamp(max=len(self.symbols) - 1)
        return torch.where(self.symbols[numbers] == codes, numbers, -1)

    def start(self, train: Encoded, tokens: Vocab) -> None:
        """Choose the L most frequent symbols; ours: the bias starts from the phrases' frequencies."""
        kinds = (MARKS, {"{"}, {"}"}, {r"\mathrm"})
        self.parts.copy_(torch.tensor([[token in kind for token in tokens] for kind in kinds]))
        self.symbols.fill_(self.sizes.tokens**2)
        found = self._frequent(train, torch.tensor([is_symbol(token) for token in tokens]))
        self.symbols[: len(found)] = found
        counts = torch.from_numpy(np.asarray(train.phrases.sum(0), dtype=np.float32)[0]) + 1
        self.bias.data.copy_((counts / counts.sum()).log())

    def _frequent(self, train: Encoded, meaningful: Tensor) -> Tensor:
        """The most frequent symbols of train, ascending."""
        meaningful[: UNK + 1] = False
        # all equations one after the other, END between them
        places = np.repeat(np.arange(len(train)), np.diff(train.offsets)) + np.arange(len(train.tokens))
        line = torch.full((len(train.tokens) + len(train), 1), 2)
        line[torch.from_numpy(places), 0] = torch.from_numpy(train.tokens).long()
        alone, marked = self._codes(line)
        codes = torch.where(marked >= 0, marked, alone)
        codes = codes[(codes >= 0) & meaningful[line]]
        found, counts = codes.unique(return_counts=True)
        best = counts.argsort(descending=True, stable=True)[: len(self.symbols)]
        return found[best].sort().values

    def symbol_tokens(self, tokens: Vocab) -> list[tuple[str, ...]]:
        r"""The L symbols as tokens: ("E",) or ("\\mathbb", "{", "E", "}")."""
        known = self.symbols[self.symbols < self.sizes.tokens**2].tolist()
        pairs = [divmod(code, self.sizes.tokens) for code in known]
        return [(tokens[m], "{", tokens[t], "}") if m else (tokens[t],) for m, t in pairs]
