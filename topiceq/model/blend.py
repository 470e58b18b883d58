"""How much of what was learned on top of another run is kept: ours, after Wortsman et al. 2022.

In go a model as it began and as it was trained further; out come weights on the way between them,
part by part: the topics by how likely they make the words of valid, then each decoder, given these,
by what it writes. A few articles are learned by heart long before all that they teach about others
is learned, and half of the way is mostly better than either end. So the share is the one nearest to
a half that valid cannot tell from the best: within one standard error over its repositories, whose
articles share their notation; one alone tells nothing of others. No part is worse on valid than it
began; where half of what it learned does not help, and nothing that is surely better, it stays.
"""

import numpy as np
import numpy.typing as npt
from torch import Tensor, nn

from topiceq.corpus.encoded import Encoded
from topiceq.model.held_out import Array, log_probs
from topiceq.model.joint import JointModel
from topiceq.model.resume import cpu_copy

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
Weights = dict[str, Tensor]
Ints = npt.NDArray[np.int64]
Parts = dict[str, tuple[nn.Module, nn.Module]]  # as trained, and as it began; by what each writes


def blend(model: JointModel, began: JointModel, valid: Encoded, owners: Ints) -> dict[str, float]:
    """Move the weights of a model back towards where they began; the share that each part keeps.

    `owners` are the numbers of the repositories of the pairs (n,).
    """
    shares: dict[str, float] = {}
    if model.learns_topics:
        assert model.theta and began.theta
        shares |= _blend({"words": (model.theta, began.theta)}, model, valid, owners)
    was = dict(began.named_decoders())
    parts: Parts = {name: (decoder, was[name]) for name, decoder in model.named_decoders()}
    return shares | _blend(parts, model, valid, owners) if parts else shares


def _blend(parts: Parts, model: JointModel, valid: Encoded, owners: Ints) -> dict[str, float]:
    ends = {name: (cpu_copy(was.state_dict()), cpu_copy(now.state_dict()))
            for name, (now, was) in parts.items()}  # fmt: skip

    def move(name: str, share: float) -> None:
        began, trained = ends[name]
        parts[name][0].load_state_dict(_between(began, trained, share))

    tried = []
    for share in SHARES:
        for name in parts:
            move(name, share)
        tried.append(log_probs(model, valid, decoders="words" not in parts))
    chosen = {}
    for name in parts:
        gains = np.array([each[name].log_prob for each in tried])  # (shares, n)
        chosen[name] = share_of(gains, owners)
        move(name, chosen[name])
    return chosen


def _between(began: Weights, trained: Weights, share: float) -> Weights:
    return {name: began[name].lerp(weight, share) if weight.is_floating_point() else weight
            for name, weight in trained.items()}  # fmt: skip


def share_of(log_prob: Array, owners: Ints) -> float:
    """The share nearest to a half that is as good as the best, and no worse than none at all.

    In go log-probabilities of the n pairs for each of the shares (5, n), and whose the pairs are.

    >>> gains = np.repeat([[-9.0], [-8.0], [-7.0], [-6.0], [-5.0]], 4, axis=1)
    >>> share_of(gains, np.array([0, 0, 1, 1])), share_of(gains, np.array([0, 0, 0, 0]))
    (1.0, 0.5)
    >>> share_of(gains[::-1], np.array([0, 0, 1, 1]))
    0.0
    """
    totals = log_prob.sum(1)
    behind = log_prob[totals.argmax()] - log_prob  # (5, n)
    of_owner = np.stack([np.bincount(owners, row) for row in behind])  # (5, repositories)
    count = of_owner.shape[1]
    error = of_owner.std(1, ddof=1) * count**0.5 if count > 1 else np.inf
    is_good = (of_owner.sum(1) <= error) & (totals >= totals[0])
    good = [n for n in range(len(SHARES)) if is_good[n]]
    return SHARES[min(good, key=lambda n: (abs(SHARES[n] - 0.5), -totals[n]))]
