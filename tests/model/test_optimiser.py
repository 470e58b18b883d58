"""Adam: its learning rates, and gradients clipped apart."""

import numpy as np
import pytest
import torch
from planted import random_pairs

from topiceq.config import ModelConfig, TrainConfig
from topiceq.model.batches import collate
from topiceq.model.decoders import Sizes
from topiceq.model.joint import JointModel
from topiceq.model.optimiser import Optimiser

PAIRS = random_pairs([3, 4, 5, 2, 6, 3])


def model(**changes: object) -> JointModel:
    torch.manual_seed(0)
    given = {"topics": 4, "state": 5, "embedding": 3, "encoder_units": 7}
    return JointModel(ModelConfig(**(given | changes)), Sizes(6, 9, 3))


def loss(made: JointModel) -> torch.Tensor:
    return made(collate(PAIRS, np.arange(6)), {})[0]


def test_topics_have_a_learning_rate_of_their_own() -> None:
    made = model()
    adam = Optimiser(made, TrainConfig(lr=0.1, topic_lr=0.3)).adam
    rates = {id(w): group["lr"] for group in adam.param_groups for w in group["params"]}
    assert len(rates) == len(list(made.parameters()))
    slow = {name for name, weight in made.named_parameters() if rates[id(weight)] == 0.3}
    assert slow == {"theta.beta_logits", "theta.g.weight", "theta.g.bias"}


def test_the_pace_scales_both() -> None:
    made = model()
    optimiser = Optimiser(made, TrainConfig(lr=0.1, topic_lr=0.3))
    for pace in (0.5, 1.0):
        assert optimiser.step(loss(made), pace)
        rates = [group["lr"] for group in optimiser.adam.param_groups]
        assert rates == pytest.approx([0.1 * pace, 0.3 * pace])


def test_a_loud_decoder_does_not_silence_the_words() -> None:
    """Each part's gradient is clipped to the norm by itself."""
    made = model()
    optimiser = Optimiser(made, TrainConfig(clip=0.5))
    total = loss(made) + 1e6 * made.decoders["te-lstm"].bias.sum()
    assert optimiser.step(total)
    for part in (made.theta, made.decoders):
        gradients = [weight.grad.norm() for weight in part.parameters()]
        assert torch.stack(gradients).norm().item() == pytest.approx(0.5, rel=1e-3)


def test_a_gradient_that_is_not_finite_moves_nothing() -> None:
    made = model()
    before = [weight.detach().clone() for weight in made.parameters()]
    optimiser = Optimiser(made, TrainConfig())
    assert not optimiser.step(loss(made) * torch.inf)
    assert all(map(torch.equal, before, made.parameters()))


def test_lda_alone_has_nothing_to_learn() -> None:
    Optimiser(model(theta="lda", decoders=[]), TrainConfig())
