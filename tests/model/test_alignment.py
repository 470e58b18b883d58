"""Alignment: how symbols are counted, and what is computed from them."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import SPECIAL
from topiceq.config import ModelConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError
from topiceq.model.batches import Batch, collate
from topiceq.model.decoders import Alignment, MixtureAlignment, Sizes
from topiceq.model.symbols import Symbols

EQUATIONS = [
    r"\hat { H } = E \mathrm { m a x }",
    r"E = \mathbb { E } [ H ]",
    r"E + m ^ { 2 } = \mathrm { d } m",
    r"\hat { m + 1 } = m",
]
TOKENS = Vocab([*SPECIAL, *sorted({t for e in EQUATIONS for t in e.split()} - {"\\mathbb"})])
K = 3


def encoded(equations: list[str], phrases: list[list[int]]) -> Encoded:
    ids = [TOKENS.encode(equation.split()) for equation in equations]
    n = len(equations)
    return Encoded(
        words=csr_matrix((n, 2), dtype=np.float32),
        order=(np.zeros(0, np.int32), np.zeros(n + 1, np.int64)),
        tokens=np.concatenate(ids),
        offsets=np.cumsum([0, *map(len, ids)]),
        phrases=csr_matrix(np.array(phrases, dtype=np.float32)),
        articles=np.arange(n, dtype=np.int32),
    )


TRAIN = encoded(EQUATIONS, [[2, 0], [0, 1], [0, 0], [1, 1]])


def alignment(symbols: int = 9, **changes: object) -> Alignment:
    torch.manual_seed(0)
    config = ModelConfig(topics=K, symbols=symbols, decoders=["alignment"], **changes)
    made = Alignment(config, Sizes(2, len(TOKENS), 2))
    made.start(TRAIN, TOKENS)
    return made


def whole() -> Batch:
    return collate(TRAIN, np.arange(len(TRAIN)))


def test_the_most_frequent_symbols_are_chosen() -> None:
    names = alignment(symbols=3).symbols.names(TOKENS)
    # m four times, E three times; H, \hat H and \mathrm d once: the first in order
    assert sorted(names) == [("E",), ("H",), ("m",)]
    assert set(alignment().symbols.names(TOKENS)) == {
        ("E",), ("H",), ("m",), ("\\hat", "{", "H", "}"), ("\\mathrm", "{", "d", "}")
    }  # fmt: skip


def test_symbols_are_counted_with_their_marks() -> None:
    made = alignment()
    names = made.symbols.names(TOKENS)
    counts = made.symbols.bag(whole().tokens)
    found = [
        {" ".join(name): int(n) for name, n in zip(names, row, strict=False) if n}
        for row in counts.tolist()
    ]
    assert found == [
        {r"\hat { H }": 1, "E": 1},
        {"E": 2, "H": 1},  # \mathbb is unknown, so the second E is a plain one
        {"E": 1, "m": 2, r"\mathrm { d }": 1},
        {"m": 2},
    ]


def test_an_unknown_mark_leaves_the_token() -> None:
    symbols = Symbols(2, len(TOKENS))
    symbols.choose(encoded(["E = H"], [[0, 0]]), TOKENS)
    counts = symbols.bag(whole().tokens)
    assert counts.sum(1).tolist() == [2, 3, 1, 0]


def test_the_baseline_is_one_matrix() -> None:
    made = alignment(theta="none")
    s = made.symbols.bag(whole().tokens)
    assert made.a is not None and not hasattr(made, "w_a")
    p = torch.softmax(s / s.norm(dim=1, keepdim=True) @ made.a.weight.T + made.bias, -1)
    wanted = (torch.from_numpy(TRAIN.phrases.toarray()) * p.log()).sum(-1)
    torch.testing.assert_close(made.log_prob(whole(), None), wanted)


@pytest.mark.parametrize("residual", [False, True])
def test_theta_makes_the_matrix(residual: bool) -> None:
    made = alignment(residual=residual)
    theta = torch.tensor([[0.2, 0.3, 0.5]])
    a = made.w_a.weight @ torch.diag(made.w_b(theta)[0]) @ made.w_c.weight  # (M, L)
    if residual:
        assert made.a is not None
        a = a + made.a.weight
    else:
        assert made.a is None
    one = torch.zeros(1, 9)
    one[0, 2] = 1
    wanted = torch.log_softmax(a[:, 2] + made.bias, -1)
    torch.testing.assert_close(made.phrase_log_probs(one, theta)[0], wanted)
    torch.testing.assert_close(made.phrase_log_probs(7 * one, theta)[0], wanted)


def test_it_starts_from_the_phrases_frequencies() -> None:
    made = alignment()
    nothing = made.phrase_log_probs(torch.zeros(1, 9), torch.full((1, K), 1 / K))
    assert nothing.exp().tolist()[0] == pytest.approx([4 / 7, 3 / 7])  # 3 and 2, each plus one


def test_a_corpus_without_phrases() -> None:
    with pytest.raises(ConfigError, match="^The corpus has no phrases, so there is nothing to al"):
        Alignment(ModelConfig(topics=K, decoders=["alignment"]), Sizes(2, len(TOKENS), 0))


def test_one_symbol_of_a_mixture_answers_for_itself() -> None:
    torch.manual_seed(0)
    config = ModelConfig(topics=K, symbols=9, decoders=["alignment-mixture"])
    made = MixtureAlignment(config, Sizes(2, len(TOKENS), 2))
    made.start(TRAIN, TOKENS)
    theta = torch.tensor([[0.2, 0.3, 0.5]])
    a = made.w_a.weight @ torch.diag(made.w_b(theta)[0]) @ made.w_c.weight  # (M, L + 1)
    p = torch.softmax(a.T + made.bias, -1)  # of each symbol, and of none
    for symbol in range(3):
        one = torch.zeros(1, 9)
        one[0, symbol] = 2
        torch.testing.assert_close(made.phrase_log_probs(one, theta)[0], p[symbol].log())
    s = made.symbols.bag(whole().tokens)
    mixed = (s @ p[:9] + p[9]) / (s.sum(1, keepdim=True) + 1)
    wanted = (torch.from_numpy(TRAIN.phrases.toarray()) * mixed.log()).sum(-1)
    torch.testing.assert_close(made.log_prob(whole(), theta.expand(4, K)), wanted)


def test_symbols_are_saved_with_the_weights() -> None:
    made = alignment()
    config = ModelConfig(topics=K, symbols=9, decoders=["alignment"])
    other = Alignment(config, Sizes(2, len(TOKENS), 2))
    other.load_state_dict(made.state_dict())
    theta = torch.full((4, K), 1 / K)
    assert torch.equal(other.log_prob(whole(), theta), made.log_prob(whole(), theta))
