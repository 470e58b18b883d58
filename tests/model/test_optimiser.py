"""Adam: its learning rates, and gradients clipped apart."""

import numpy as np
import pytest
import torch
from planted import random_pairs

from topiceq.config import ModelConfig, TrainConfig
from topiceq.model.batches import collate
from topiceq.model.decoders import Sizes
from topiceq.model.joint import JointModel
from topiceq.model.train import Optimiser

PAIRS = random_pairs([3, 4, 5, 2, 6, 3])


def model(**changes: object) -> JointModel:
    torch.manual_seed(0)
    given = {"topics": 4, "state": 5, "embedding": 3, "encoder_units": 7}
    return JointModel(ModelConfig(**(given | changes)), Sizes(6, 9, 3))


def loss(made: JointModel) -> torch.Tensor:
    return made(collate(PAIRS, np.arange(6)), {})[0]


def rates(**settings: float) -> dict[str, float]:
    """The learning rate of every weight."""
    made = model()
    groups = Optimiser(made, TrainConfig(**settings)).adam.param_groups
    found = {id(weight): group["lr"] for group in groups for weight in group["params"]}
    return {name: found[id(weight)] for name, weight in made.named_parameters()}


def test_topics_and_decoders_have_learning_rates_of_their_own() -> None:
    found = rates(lr=0.1, topic_lr=0.3, decoder_lr=0.2)
    assert {n for n, rate in found.items() if rate == 0.3} == {
        "theta.beta_logits",
        "theta.g.weight",
        "theta.g.bias",
    }
    assert all((rate == 0.2) == name.startswith("decoders.") for name, rate in found.items())


def test_decoders_learn_as_fast_as_the_encoder_unless_told() -> None:
    found = rates(lr=0.1, topic_lr=0.3)
    assert {rate for name, rate in found.items() if name.startswith("decoders.")} == {0.1}


def test_the_pace_scales_all() -> None:
    made = model()
    optimiser = Optimiser(made, TrainConfig(lr=0.1, topic_lr=0.3, decoder_lr=0.2))
    for pace in (0.5, 1.0):
        assert optimiser.step(loss(made), pace)
        found = [group["lr"] for group in optimiser.adam.param_groups]
        assert found == pytest.approx([0.1 * pace, 0.3 * pace, 0.2 * pace])


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
