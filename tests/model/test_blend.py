"""What is kept of training on top of another run: on valid no part is worse than it began."""

from pathlib import Path

import numpy as np
import pytest
import torch
from planted import planted_config, planted_corpus

from topiceq.api import TopicEq
from topiceq.corpus.store import Corpus
from topiceq.model.blend import SHARES, blend, share_of
from topiceq.model.finetune import continued, finetune_config
from topiceq.model.held_out import log_probs
from topiceq.model.nmf import repositories
from topiceq.model.run import Run
from topiceq.model.train import Training

OWNERS = np.repeat(np.arange(4), 2)


def of_shares(*nats: float) -> np.ndarray:
    """Log-probabilities of eight pairs, each the same, under each share."""
    return np.repeat(np.array(nats)[:, None], len(OWNERS), 1)


@pytest.mark.parametrize(
    ("nats", "share"),
    [
        ((-5, -4, -3, -2, -1), 1.0),
        ((-1, -2, -3, -4, -5), 0.0),
        ((-3, -1, -2, -4, -5), 0.25),
        ((-2, -2, -2, -2, -2), 0.5),
    ],
)
def test_where_all_repositories_agree_it_is_the_best(nats: tuple[float, ...], share: float) -> None:
    assert share_of(of_shares(*nats), OWNERS) == share


def test_where_repositories_differ_it_is_the_one_nearest_to_a_half() -> None:
    gains = of_shares(-5, -4.9, -4.8, -4.7, -4.6)
    gains[4] += np.where(OWNERS == 0, 4, -1)  # one repository alone wants all of it
    assert gains.sum(1).argmax() == 4 and share_of(gains, OWNERS) == 0.5
    gains[2] -= 2  # so much worse than the best, everywhere, that it can be told
    assert share_of(gains, OWNERS) == 0.75


def test_it_is_none_where_half_is_worse_than_none() -> None:
    gains = of_shares(-5, -5.2, -5.1, -5.2, -5.3) + np.where(OWNERS % 2, 1, -1)
    gains[2] += np.where(OWNERS == 0, 0.3, 0)  # cannot be told from the best, and is worse
    assert share_of(gains, OWNERS) == 0.0


def test_one_repository_alone_decides_only_between_none_and_some() -> None:
    alone = np.zeros_like(OWNERS)
    assert share_of(of_shares(-5, -4, -3, -2, -1), alone) == 0.5
    assert share_of(of_shares(-5, -4, -6, -7, -8), alone) == 0.25
    assert share_of(of_shares(-1, -2, -3, -4, -5), alone) == 0.0


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("blend"), 200, articles=40)


@pytest.fixture(scope="module")
def base(corpus: Corpus) -> TopicEq:
    config = planted_config('model.decoders=["te-lstm", "alignment"]')
    return TopicEq(config).fit(corpus)


def spoilt(run: Run, name: str) -> Run:
    """With noise on the weights of one part."""
    torch.manual_seed(0)
    for key, weight in run.model.state_dict().items():
        if key.startswith(name) and weight.is_floating_point():
            weight += torch.randn_like(weight)
    return run


@pytest.mark.parametrize(
    ("part", "name"),
    [("theta.", "words"), ("decoders.te-lstm.", "te-lstm"), ("decoders.alignment.", "alignment")],
)
def test_a_part_that_got_worse_is_as_it_began(
    base: TopicEq, corpus: Corpus, part: str, name: str
) -> None:
    config = finetune_config(base.config, base.config)
    began, model = (continued(base.run, corpus, config) for _ in range(2))
    shares = blend(
        spoilt(model, part).model, began.model, corpus.valid.encoded, repositories(corpus.valid)
    )
    assert shares == {"words": 0.5, "te-lstm": 0.5, "alignment": 0.5} | {name: 0.0}
    for key, weight in began.model.state_dict().items():
        assert torch.equal(weight, model.model.state_dict()[key]), key


def test_no_part_is_worse_on_valid_and_a_resumed_training_ends_the_same(
    base: TopicEq, corpus: Corpus, tmp_path: Path
) -> None:
    config = finetune_config(base.config, planted_config("train.topic_epochs=0", "train.epochs=2"))
    whole = Training(corpus, config, folder=tmp_path / "whole", base=base.run)
    before = log_probs(whole.model, corpus.valid.encoded)
    assert len([step for step in whole.steps() if step.valid]) == 2
    after = log_probs(whole.model, corpus.valid.encoded)
    for name, likelihood in after.items():
        assert likelihood.perplexity <= before[name].perplexity * (1 + 1e-6), name
    assert whole.run.facts["shares"].keys() == after.keys()
    assert set(whole.run.facts["shares"].values()) <= set(SHARES)
    assert whole.run.facts["valid"]["words"] == pytest.approx(after["words"].perplexity)

    cut = Training(corpus, config, folder=tmp_path / "cut", base=base.run)
    steps = cut.steps()
    next(step for step in steps if step.valid)
    steps.close()
    again = Training(corpus, config, folder=tmp_path / "cut", base=base.run, resume=True)
    for _ in again.steps():
        pass
    assert again.run.facts["shares"] == whole.run.facts["shares"]
    kept = Run.load(tmp_path / "cut").model.state_dict()
    for key, weight in Run.load(tmp_path / "whole").model.state_dict().items():
        assert torch.equal(weight, kept[key]), key
