"""moe-lstm: theta mixes the weight matrices of the LSTM (Wang et al. 2017, "Topic Compositional
Neural Language Model").

Each matrix of each gate, input and recurrent, is W(theta) = W_a diag(W_b theta) W_c with F = state
factors. W(theta) is never formed: W(theta) x = W_a ((W_b theta) * (W_c x)), with W_b theta once a
sequence, and the input's product for all places at once before the loop over t.
"""

import torch
from torch import Tensor, nn

from topiceq.model.decoders import Lstm

GATES = 4  # i, f, o, c~


class Mixed(nn.Module):
    """Four matrices W_a diag(W_b theta) W_c, one for each gate, applied together."""

    def __init__(self, inputs: int, topics: int, factors: int) -> None:
        super().__init__()
        self.w_a = nn.Parameter(torch.empty(GATES, factors, factors))  # (4, F, H), H = F
        self.w_b = nn.Parameter(torch.empty(topics, GATES * factors))
        self.w_c = nn.Parameter(torch.empty(inputs, GATES * factors))
        nn.init.uniform_(self.w_a, -(factors**-0.5), factors**-0.5)
        nn.init.normal_(self.w_b, 1.0, 0.3)  # ours: about 1, so that a mixture keeps x in scale
        nn.init.uniform_(self.w_c, -(inputs**-0.5), inputs**-0.5)

    def scale(self, theta: Tensor) -> Tensor:
        """W_b theta."""
        return theta @ self.w_b  # (B, 4 F)

    def forward(self, x: Tensor, scale: Tensor) -> Tensor:
        """W(theta) x for the four gates."""
        mixed = (x @ self.w_c) * scale  # (B, 4 F)
        by_gate = mixed.view(len(x), GATES, -1).transpose(0, 1)  # (4, B, F)
        return torch.bmm(by_gate, self.w_a)  # (4, B, H)


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
        scale = self.of_h.scale(theta)
        h, c = state or (x.new_zeros(x.shape[1], self.bias.shape[-1]),) * 2
        outputs = []
        # unbind, not of_x[t]: the gradient of an index is a whole array of zeros at every t
        for of_x in self._of_inputs(x, theta).unbind(1):  # (4, B, H)
            gates = of_x + self.of_h(h, scale)
            i, f, o = torch.sigmoid(gates[:3]).unbind(0)
            c = f * c + i * torch.tanh(gates[3])
            h = o * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs), (h, c)

    def _of_inputs(self, x: Tensor, theta: Tensor) -> Tensor:
        """The input's part of the gates, for all places at once."""
        length, size = x.shape[:2]
        scale = self.of_x.scale(theta).repeat(length, 1)  # (T B, 4 F)
        of_x: Tensor = self.of_x(x.flatten(0, 1), scale)  # (4, T B, H)
        return (of_x + self.bias).view(GATES, length, size, -1)  # (4, T, B, H)


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
