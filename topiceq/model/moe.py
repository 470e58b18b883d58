"""moe-lstm: theta mixes the weight matrices of the LSTM (Wang et al. 2017, "Topic Compositional
Neural Language Model").

Each matrix of each gate, input and recurrent, is W(theta) = W_a diag(W_b theta) W_c with F = state
factors. W(theta) is never formed: W(theta) x = W_a ((W_b theta) * (W_c x)), with W_b theta once a
sequence, and the input's product for all places at once before the loop over t.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

GATES = 4  # i, f, o, c~


class Mixed(nn.Module):
    """Four matrices W_a diag(W_b theta) W_c, one for each gate, applied together.

    ours: W_a and W_c are learned F^(1/4) times as large as they are used. Adam moves each learned
    number by about its rate, so after a while the entries of either matrix are about r, and those
    of their product sqrt(F) r^2: at a rate that suits an LSTM's one matrix the product runs away.
    """

    def __init__(self, inputs: int, topics: int, factors: int) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.empty(GATES, factors, factors))  # (4, F, H), H = F
        self.w_b = nn.Parameter(torch.empty(topics, GATES * factors))
        self.c = nn.Parameter(torch.empty(inputs, GATES * factors))
        self.larger: float = factors**0.25
        # ours: so that the product of the two starts in the scale of a stock LSTM's one matrix
        _uniform(self.a, self.larger * (3 / factors) ** 0.5)
        nn.init.normal_(self.w_b, 1.0, 0.3)  # ours: about 1, so that a mixture keeps x in scale
        _uniform(self.c, self.larger * inputs**-0.5)

    @property
    def w_a(self) -> Tensor:
        """From factors to gates."""
        return self.a / self.larger  # (4, F, H)

    @property
    def w_c(self) -> Tensor:
        """From inputs to factors."""
        return self.c / self.larger  # (inputs, 4 F)

    def scale(self, theta: Tensor) -> Tensor:
        """W_b theta."""
        return theta @ self.w_b  # (B, 4 F)

    def forward(self, x: Tensor, scale: Tensor) -> Tensor:
        """W(theta) x for the four gates."""
        return torch.bmm(_by_gate((x @ self.w_c) * scale), self.w_a)  # (4, B, H)


class MoeLayer(nn.Module):
    """One LSTM layer whose weights are mixed by theta."""

    def __init__(self, inputs: int, topics: int, state: int) -> None:
        super().__init__()
        self.of_x, self.of_h = Mixed(inputs, topics, state), Mixed(state, topics, state)
        self.bias = nn.Parameter(torch.zeros(GATES, 1, state))

    def forward(
        self, x: Tensor, theta: Tensor, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Run over x (T, B, inputs)."""
        h, c = state or (x.new_zeros(x.shape[1], self.bias.shape[-1]),) * 2
        of_x, scale = self._of_inputs(x, theta), self.of_h.scale(theta)
        weights = self.of_h.w_a, self.of_h.w_c
        outputs, c = Recurrence.apply(of_x, scale, *weights, h, c)  # type: ignore[no-untyped-call]
        return outputs, (outputs[-1], c)

    def _of_inputs(self, x: Tensor, theta: Tensor) -> Tensor:
        """The input's part of the gates, for all places at once."""
        length, size = x.shape[:2]
        scale = self.of_x.scale(theta).repeat(length, 1)  # (T B, 4 F)
        of_x: Tensor = self.of_x(x.flatten(0, 1), scale)  # (4, T B, H)
        return (of_x + self.bias).view(GATES, length, size, -1)  # (4, T, B, H)


class Recurrence(torch.autograd.Function):
    """The loop over t, with a gradient of its own.

    What torch would derive adds up the gradients of the weights step by step and fills an array of
    zeros for every slice; here they are one product each, after the loop. It is 3 times as fast.
    """

    @staticmethod
    def forward(
        ctx: Any, of_x: Tensor, scale: Tensor, w_a: Tensor, w_c: Tensor, h: Tensor, c: Tensor
    ) -> tuple[Tensor, Tensor]:
        """h_1 .. h_T (T, B, H) and c_T, from W_x x_t + b (4, T, B, H) and the first h, c."""
        length = of_x.shape[1]
        gates, hs, cs = torch.empty_like(of_x), [h], [c]
        us = scale.new_empty(length, *scale.shape)  # W_c h_{t-1}
        for t in range(length):
            torch.mm(h, w_c, out=us[t])
            g = torch.baddbmm(of_x[:, t], _by_gate(us[t] * scale), w_a)  # (4, B, H)
            g[:3].sigmoid_()
            g[3].tanh_()
            i, f, o, c_new = g
            c = f * c + i * c_new
            h = o * torch.tanh(c)
            gates[:, t] = g
            hs.append(h)
            cs.append(c)
        outputs = torch.stack(hs[1:])
        ctx.save_for_backward(gates, us, torch.stack(hs[:-1]), torch.stack(cs), scale, w_a, w_c)
        return outputs, c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_outputs: Tensor, d_c: Tensor) -> tuple[Tensor, ...]:
        """The gradient, from the last place to the first."""
        gates, us, hs, cs, scale, w_a, w_c = ctx.saved_tensors
        d_gates, d_us = torch.empty_like(gates), torch.empty_like(us)
        d_h, d_scale = torch.zeros_like(hs[0]), torch.zeros_like(scale)
        for t in reversed(range(len(us))):
            d_g, d_c = _cell_gradient(gates[:, t], cs[t], cs[t + 1], d_h + d_outputs[t], d_c)
            d_mixed = torch.bmm(d_g, w_a.transpose(1, 2)).transpose(0, 1).flatten(1)  # (B, 4 F)
            d_us[t] = d_mixed * scale
            d_scale += d_mixed * us[t]
            d_h = d_us[t] @ w_c.T
            d_gates[:, t] = d_g
        mixed = _by_gate((us * scale).flatten(0, 1))  # (4, T B, F)
        d_w_a = torch.bmm(mixed.transpose(1, 2), d_gates.flatten(1, 2))
        d_w_c = hs.flatten(0, 1).T @ d_us.flatten(0, 1)
        return d_gates, d_scale, d_w_a, d_w_c, d_h, d_c


def _uniform(weight: Tensor, width: float) -> None:
    nn.init.uniform_(weight, -width, width)


def _by_gate(mixed: Tensor) -> Tensor:
    return mixed.view(len(mixed), GATES, -1).transpose(0, 1)  # (B, 4 F) as (4, B, F)


def _cell_gradient(
    gates: Tensor, c_before: Tensor, c: Tensor, d_h: Tensor, d_c: Tensor
) -> tuple[Tensor, Tensor]:
    """Of the gates before sigmoid and tanh (4, B, H), and of c_{t-1}."""
    i, f, o, c_new = gates
    tanh_c = torch.tanh(c)
    d_c = d_c + d_h * o * (1 - tanh_c.square())
    d_gates = torch.stack([d_c * c_new, d_c * c_before, d_h * tanh_c, d_c * i])
    d_gates[:3] *= gates[:3] * (1 - gates[:3])
    d_gates[3] *= 1 - c_new.square()
    return d_gates, d_c * f
