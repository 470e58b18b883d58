"""Adam, with learning rates and clipped gradients apart for theta and for the decoders.

While the decoders are untrained, their gradient through theta is noise; clipped together with it,
the words' own gradient would vanish beside it.
"""

from math import isfinite

import torch
from torch import Tensor, nn

from topiceq.config import TrainConfig
from topiceq.model.joint import JointModel


class Optimiser:
    """Adam over all weights of a model."""

    def __init__(self, model: JointModel, settings: TrainConfig) -> None:
        self.clip = settings.clip
        self.parts = [list(part.parameters()) for part in (model.theta, model.decoders) if part]
        self.adam = _adam(_groups(model, settings))
        self.rates = [group["lr"] for group in self.adam.param_groups]

    def step(self, loss: Tensor, pace: float = 1.0) -> bool:
        """Move the weights down the gradient; False, and no move, if that is not finite."""
        for group, lr in zip(self.adam.param_groups, self.rates, strict=True):
            group["lr"] = lr * pace
        self.adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norms = [nn.utils.clip_grad_norm_(part, self.clip) for part in self.parts]
        if not all(isfinite(norm) for norm in norms):
            return False
        self.adam.step()
        return True


def _groups(model: JointModel, settings: TrainConfig) -> list[dict[str, object]]:
    """The encoder, the topics and the decoders, each with its learning rate."""
    topics = [weight for weight in model.topic_parameters() if weight.requires_grad]
    decoders = list(model.decoders.parameters())
    apart = {id(weight) for weight in (*topics, *decoders)}
    encoder = [weight for weight in model.parameters() if id(weight) not in apart]
    return [
        {"params": encoder, "lr": settings.lr},
        {"params": topics, "lr": settings.topic_lr},
        {"params": decoders, "lr": settings.decoder_lr or settings.lr},
    ]


def _adam(groups: list[dict[str, object]]) -> torch.optim.Adam:
    """Fused where this build of torch has it: 1.3 to 1.5 times as fast for the topics."""
    # LDA alone has no weights to learn, and Adam wants at least one
    groups = [group for group in groups if group["params"]] or [{"params": [torch.zeros(0)]}]
    try:
        return torch.optim.Adam(groups, fused=True)
    except RuntimeError:
        return torch.optim.Adam(groups)
