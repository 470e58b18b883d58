"""One battery over every decoder, and each decoder against its formula written out."""

from itertools import product

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from scipy.sparse import csr_matrix
from torch import Tensor

from topiceq.article.equation.rules import END, PAD, START
from topiceq.config import ModelConfig
from topiceq.model.batches import Batch, pad, sparse
from topiceq.model.decoders import (
    DECODERS,
    Alignment,
    Bag,
    CatLstm,
    Decoder,
    MoeLstm,
    Sizes,
    TdLstm,
    TeLstm,
    Writer,
    dropout_mask,
)
from topiceq.model.moe import Mixed, Recurrence

K, H = 3, 5
WRITERS = [name for name, kind in DECODERS.items() if issubclass(kind, Writer)]
EQUATIONS = [[4, 5, 4], [3], [5, 5, 5, 4, 3], [4, 4]]
PHRASES = [[1, 0, 2, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3]]


def decoder(name: str, tokens: int = 6, **changes: object) -> Decoder:
    torch.manual_seed(0)
    given = {"topics": K, "state": H, "embedding": 4, "layers": 2, "symbols": 3, "dropout": 0.5}
    made = DECODERS[name](ModelConfig(**(given | changes)), Sizes(7, tokens, phrases=4))
    with torch.no_grad():
        for weight in made.parameters():
            weight.uniform_(-0.8, 0.8)
    return made.eval()


def writer(name: str, tokens: int = 6, **changes: object) -> Writer:
    made = decoder(name, tokens, **changes)
    assert isinstance(made, Writer)
    return made


def batch(equations: list[list[int]], phrases: list[list[int]] | None = None) -> Batch:
    flat = np.array([token for equation in equations for token in equation], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, equations)])
    counts = np.array(phrases or np.zeros((len(equations), 4)), dtype=np.float32)
    rectangle = pad(flat, offsets, np.arange(len(equations)))
    return Batch(sparse(csr_matrix((len(equations), 7))), rectangle, sparse(csr_matrix(counts)))


def thetas(count: int) -> Tensor:
    return torch.randn(count, K, generator=torch.Generator().manual_seed(1)).softmax(-1)


def stepped(made: Writer, equation: list[int], theta: Tensor) -> tuple[float, float]:
    """log p of the equation without and with its END, by `step`."""
    state, token, total = None, START, 0.0
    for target in [*equation, END]:
        without = total
        logits, state = made.step(torch.tensor([token]), state, theta)
        total += logits.log_softmax(-1)[0, target].item()
        token = target
    return without, total


# the battery


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name", WRITERS)
def test_probabilities_of_all_equations_sum_to_one(name: str, layers: int) -> None:
    """Those of two tokens that end within four, and the beginnings of those that do not."""
    made, theta = writer(name, tokens=5, layers=layers), thetas(1)
    equations = [list(one) for length in range(5) for one in product([3, 4], repeat=length)]
    log_p = made.log_prob(batch(equations), theta.expand(len(equations), K))
    unfinished = [stepped(made, one, theta)[0] for one in equations if len(one) == 4]
    still_open = sum(np.exp(one) for one in unfinished)
    ended = [p for p, one in zip(log_p.exp().tolist(), equations, strict=True) if len(one) < 4]
    assert sum(ended) + still_open == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("name", WRITERS)
def test_step_by_step_is_the_same_as_all_at_once(name: str, layers: int) -> None:
    made, theta = writer(name, layers=layers), thetas(len(EQUATIONS))
    together = made.log_prob(batch(EQUATIONS), theta)
    for n, equation in enumerate(EQUATIONS):
        assert stepped(made, equation, theta[n : n + 1])[1] == pytest.approx(
            together[n].item(), abs=1e-5
        )


@pytest.mark.parametrize("name", WRITERS)
def test_pad_and_start_are_never_written(name: str) -> None:
    logits, _ = writer(name).step(torch.tensor([START]), None, thetas(1))
    assert logits.shape == (1, 6)
    assert logits.isinf().tolist()[0] == [True, True, False, False, False, False]


@pytest.mark.parametrize("name", DECODERS)
def test_padding_and_neighbours_change_nothing(name: str) -> None:
    made, theta = decoder(name), thetas(len(EQUATIONS))
    one = batch(EQUATIONS, PHRASES)
    more = torch.full((3, len(one)), PAD)
    padded = Batch(one.words, torch.cat([one.tokens, more]), one.phrases)
    torch.testing.assert_close(made.log_prob(padded, theta), made.log_prob(one, theta))
    torch.testing.assert_close(made.size(padded), made.size(one))
    alone = made.log_prob(batch(EQUATIONS[:1], PHRASES[:1]), theta[:1])
    torch.testing.assert_close(alone, made.log_prob(one, theta)[:1])


@pytest.mark.parametrize("name", DECODERS)
def test_what_is_saved_is_what_is_loaded(name: str) -> None:
    made, other = decoder(name), decoder(name)
    with torch.no_grad():
        for weight in other.parameters():
            weight.zero_()
    other.load_state_dict(load(save(made.state_dict())))
    one, theta = batch(EQUATIONS, PHRASES), thetas(len(EQUATIONS))
    assert torch.equal(other.log_prob(one, theta), made.log_prob(one, theta))


@pytest.mark.parametrize("name", DECODERS)
def test_the_same_seed_gives_the_same_numbers(name: str) -> None:
    made, one, theta = decoder(name).train(), batch(EQUATIONS, PHRASES), thetas(len(EQUATIONS))
    torch.manual_seed(3)
    first = made.log_prob(one, theta)
    torch.manual_seed(3)
    assert torch.equal(made.log_prob(one, theta), first)


@pytest.mark.parametrize("name", DECODERS)
def test_every_weight_gets_a_finite_gradient(name: str) -> None:
    made, theta = decoder(name), thetas(len(EQUATIONS)).requires_grad_()
    if isinstance(made, Alignment):
        made.symbols.codes.copy_(torch.tensor([3, 4, 5]))
    (-made.log_prob(batch(EQUATIONS, PHRASES), theta).sum()).backward()
    for weight_name, weight in made.named_parameters():
        assert weight.grad is not None and weight.grad.isfinite().all(), weight_name
        assert weight.grad.abs().sum() > 0, weight_name
    reads_theta = True if isinstance(made, Alignment) else made.needs_theta
    assert (theta.grad is not None) == reads_theta


@pytest.mark.parametrize("name", DECODERS)
def test_the_size_is_what_perplexity_is_per(name: str) -> None:
    size = decoder(name).size(batch(EQUATIONS, PHRASES)).tolist()
    assert size == ([3, 0, 1, 4] if "alignment" in name else [4, 2, 6, 3])


@pytest.mark.parametrize("p", [0.5, 0.2])
def test_dropout_drops_its_share_and_keeps_the_mean(p: float) -> None:
    torch.manual_seed(0)
    mask = dropout_mask(torch.zeros(7, 101, 301), p)
    assert (mask == 0).float().mean().item() == pytest.approx(p, abs=0.005)
    assert mask.mean().item() == pytest.approx(1, abs=0.005)
    assert len(mask.unique()) == 2
    columns = mask.flatten()[: 8 * 20_000].view(-1, 8).mean(0)  # no byte is special
    assert columns.tolist() == pytest.approx([1.0] * 8, abs=0.03)


# each decoder against its formula


def gates(layer: torch.nn.LSTM) -> dict[str, tuple[Tensor, Tensor, Tensor]]:
    """W_x, W_h and b of each gate; torch keeps them in the order i, f, c~, o."""
    parts = (layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0 + layer.bias_hh_l0)
    return dict(zip("ifco", zip(*(part.chunk(4) for part in parts), strict=True), strict=True))


def test_te_lstm_is_the_six_equations() -> None:
    made = writer("te-lstm", tokens=9)
    assert isinstance(made, TeLstm)
    theta, equation = thetas(1)[0], [4, 8, 3, 6, 6, 5, 7]
    h = c = [torch.zeros(H)] * 2
    total = 0.0
    for token, target in zip([START, *equation], [*equation, END], strict=True):
        x = made.embedding.weight[token]
        for n, layer in enumerate(made.layers):
            assert isinstance(layer, torch.nn.LSTM)
            read = torch.cat([x, theta])

            def gate(name: str, layer=layer, read=read, h=h[n]) -> Tensor:  # type: ignore[no-untyped-def]
                w_x, w_h, b = gates(layer)[name]
                return w_x @ read + w_h @ h + b  # W [x_t; theta; h_{t-1}] + b

            i, f, o = (torch.sigmoid(gate(name)) for name in "ifo")
            c_new = f * c[n] + i * torch.tanh(gate("c"))
            h_new = o * torch.tanh(c_new)
            h, c = [*h[:n], h_new, *h[n + 1 :]], [*c[:n], c_new, *c[n + 1 :]]
            x = h_new
        p = torch.softmax(made.output.weight @ x + made.bias, -1)
        total += p[target - END].log().item()
    found = made.log_prob(batch([equation]), theta[None]).item()
    assert found == pytest.approx(total, abs=1e-5)


def test_td_lstm_is_a_gate_on_the_top_output() -> None:
    made = decoder("td-lstm")
    assert isinstance(made, TdLstm)
    h, theta = torch.randn(H), thetas(1)[0]
    w_z, w_r, w_h = made.w.weight.chunk(3)
    b_z, b_r, b_h = made.w.bias.chunk(3)
    u_z, u_r = made.u.weight.chunk(2)
    z = torch.sigmoid(w_z @ theta + u_z @ h + b_z)
    r = torch.sigmoid(w_r @ theta + u_r @ h + b_r)
    c = torch.tanh(w_h @ theta + made.u_h.weight @ (r * h) + b_h)
    found = made.top(h[None], theta[None], torch.tensor([0]))[0]
    torch.testing.assert_close(found, (1 - z) * h + z * c)


def test_td_lstm_starts_with_open_gates() -> None:
    made = TdLstm(ModelConfig(topics=K, state=H), Sizes(7, 6, 4))
    assert made.w.bias.tolist() == [1.0] * (2 * H) + [0.0] * H


def test_cat_lstm_puts_theta_beside_the_output() -> None:
    made = decoder("cat-lstm")
    assert isinstance(made, CatLstm)
    h, theta = torch.randn(H), thetas(1)[0]
    weight = torch.cat([made.output.weight, made.of_theta.weight], -1)
    found = made._logits(h[None], theta[None], torch.tensor([0]))[0]
    torch.testing.assert_close(found, weight @ torch.cat([h, theta]) + made.bias)


def test_a_bag_has_no_order() -> None:
    made, theta = decoder("bag"), thetas(2)
    assert isinstance(made, Bag)
    there, back = made.log_prob(batch([[3, 4, 5], [5, 4, 3]]), theta[:1].expand(2, K))
    torch.testing.assert_close(there, back)
    p = theta[0] @ torch.softmax(made.gamma, -1)
    torch.testing.assert_close(there, p[[1, 2, 3, 0]].log().sum())


def test_moe_weights_are_a_product_of_three() -> None:
    torch.manual_seed(0)
    mixed, x, theta = Mixed(4, K, H), torch.randn(2, 4), thetas(2)
    found = mixed(x, mixed.scale(theta))
    for gate, n in product(range(4), range(2)):
        columns = slice(gate * H, gate * H + H)
        w_b_theta = theta[n] @ mixed.w_b[:, columns]
        w = mixed.w_a[gate].T @ torch.diag(w_b_theta) @ mixed.w_c[:, columns].T  # W(theta)
        torch.testing.assert_close(found[gate, n], w @ x[n])


def test_moe_weights_start_in_the_scale_of_an_lstm() -> None:
    torch.manual_seed(0)
    mixed, theta = Mixed(64, K, 64), thetas(1)
    found = mixed(torch.eye(64), mixed.scale(theta).expand(64, -1))
    stock = torch.nn.LSTM(64, 64).weight_ih_l0
    assert found.std().item() == pytest.approx(stock.std().item(), rel=0.2)


def test_moe_lstm_is_an_lstm_with_those_weights() -> None:
    made = decoder("moe-lstm", layers=1)
    assert isinstance(made, MoeLstm)
    layer, theta, x = made.layers[0], thetas(1), torch.randn(6, 1, 4)
    stock = torch.nn.LSTM(4, H)
    eye_x, eye_h = torch.eye(4), torch.eye(H)
    of_x = layer.of_x(eye_x, layer.of_x.scale(theta).expand(4, -1))  # columns of W(theta), by gate
    of_h = layer.of_h(eye_h, layer.of_h.scale(theta).expand(H, -1))
    order = [0, 1, 3, 2]  # ours i, f, o, c~; torch's i, f, c~, o
    with torch.no_grad():
        stock.weight_ih_l0.copy_(of_x[order].transpose(1, 2).reshape(4 * H, 4))
        stock.weight_hh_l0.copy_(of_h[order].transpose(1, 2).reshape(4 * H, H))
        stock.bias_ih_l0.copy_(layer.bias[order].flatten())
        stock.bias_hh_l0.zero_()
    torch.testing.assert_close(layer(x, theta, None)[0], stock(x)[0])


def test_the_gradient_of_the_moe_loop_is_right() -> None:
    torch.manual_seed(0)
    shapes = [(4, 3, 2, 3), (2, 12), (4, 3, 3), (3, 12), (2, 3), (2, 3)]
    inputs = [torch.randn(shape, dtype=torch.double, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(Recurrence.apply, inputs)
