r"""Symbols: the tokens of an equation that can mean something, and how to count them.

In go equations as token ids; out comes the bag s (B, L) of the L symbols that are most frequent in
train. A symbol is one token, alone or in a font or under an accent: `\hat { H }` is one symbol, and
so is `\mathbb { E }`. The letters of a spelled-out word, `\mathrm { m a x }`, are none.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from topiceq.article.equation.rules import END, PAD, UNK
from topiceq.article.equation.symbol import MARKS, is_symbol
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab


class Symbols(nn.Module):
    """The L symbols of a model: buffers without weights, saved with it."""

    codes: Tensor
    marks: Tensor
    opens: Tensor
    closes: Tensor
    text: Tensor

    def __init__(self, symbols: int, tokens: int) -> None:
        super().__init__()
        self.tokens = tokens
        # code = mark * tokens + token, ascending; the mark is PAD where there is none
        self.register_buffer("codes", torch.full((symbols,), tokens**2))
        for name in ("marks", "opens", "closes", "text"):  # which tokens they are
            self.register_buffer(name, torch.zeros(tokens, dtype=torch.bool))

    def bag(self, equations: Tensor) -> Tensor:
        """How often each symbol occurs in the equations (T, B)."""
        alone, marked = self._codes(equations)
        numbers = torch.where(self._number(marked) >= 0, self._number(marked), self._number(alone))
        known = numbers >= 0
        pairs = torch.arange(equations.shape[1], device=equations.device).expand_as(numbers)
        bag = torch.zeros(equations.shape[1], len(self.codes), device=equations.device)
        return bag.index_put((pairs[known], numbers[known]), bag.new_ones(()), accumulate=True)

    def _codes(self, equations: Tensor) -> tuple[Tensor, Tensor]:
        """At each place the code of the token alone, and with its mark; -1 where it has none."""
        before = F.pad(equations, (0, 0, 2, 0), value=PAD)[:-2]
        opened = F.pad(self.opens[equations], (0, 0, 1, 0))[:-1]  # `{` just before
        closed = F.pad(self.closes[equations], (0, 0, 0, 1))[1:]  # `}` just after
        held = self.marks[before] & opened & closed
        marked = torch.where(held, before * self.tokens + equations, -1)
        word = self._inside(self.text[before] & opened, self.closes[equations])
        return torch.where(word & ~held, -1, equations), marked

    def _inside(self, first: Tensor, last: Tensor) -> Tensor:
        """The places from each `first` to the next `last`."""
        places = torch.arange(len(first), device=first.device)[:, None].expand_as(first)
        since = [torch.where(edge, places, -1).cummax(0).values for edge in (first, last)]
        return since[0] > since[1]

    def _number(self, codes: Tensor) -> Tensor:
        """The number of a symbol; -1 if it is not among the L."""
        numbers = torch.searchsorted(self.codes, codes).clamp(max=len(self.codes) - 1)
        return torch.where(self.codes[numbers] == codes, numbers, -1)

    def _learn_kinds(self, tokens: Vocab) -> None:
        kinds = {"marks": MARKS, "opens": {"{"}, "closes": {"}"}, "text": {r"\mathrm"}}
        for name, kind in kinds.items():
            self.get_buffer(name).copy_(torch.tensor([token in kind for token in tokens]))

    def carry_on(self, old: "Symbols", tokens: Vocab) -> None:
        """Take over the symbols of a smaller vocabulary, whose tokens come first in this one."""
        self._learn_kinds(tokens)
        marks, alone = old.codes // old.tokens, old.codes % old.tokens
        unused = old.codes == old.tokens**2
        self.codes.copy_(torch.where(unused, self.tokens**2, marks * self.tokens + alone))

    def choose(self, train: Encoded, tokens: Vocab) -> None:
        """Take the most frequent symbols of train."""
        self._learn_kinds(tokens)
        meaningful = torch.tensor([is_symbol(token) for token in tokens])
        meaningful[: UNK + 1] = False
        line = _one_line(train)
        alone, marked = self._codes(line)
        codes = torch.where(marked >= 0, marked, alone)[meaningful[line]]
        found, counts = np.unique(codes[codes >= 0].numpy(), return_counts=True)
        best = np.sort(found[np.argsort(-counts, kind="stable")[: len(self.codes)]])
        self.codes.fill_(self.tokens**2)
        self.codes[: len(best)] = torch.from_numpy(best)

    def names(self, tokens: Vocab) -> list[tuple[str, ...]]:
        r"""The symbols as tokens, in the order of `bag`: ("E",) or ("\\mathbb", "{", "E", "}")."""
        codes = self.codes[self.codes < self.tokens**2].tolist()
        parts = [divmod(code, self.tokens) for code in codes]
        return [(tokens[m], "{", tokens[t], "}") if m else (tokens[t],) for m, t in parts]


def _one_line(train: Encoded) -> Tensor:
    """All equations one below the other, END between them: (tokens, 1)."""
    pair = np.repeat(np.arange(len(train)), np.diff(train.offsets))
    line = np.full((len(train.tokens) + len(train), 1), END, dtype=np.int64)
    line[np.arange(len(pair)) + pair, 0] = train.tokens
    return torch.from_numpy(line)
