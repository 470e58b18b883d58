"""How much of what was learned on top of another run is kept: ours, after Wortsman et al. 2022.

In go a model as it began and as it was trained further; out come weights on the way between them,
part by part: the topics by how likely they make the words of valid, then each decoder, given these,
by what it writes. A few articles are learned by heart long before all that they teach about others
is learned, and half of the way is mostly better than either end. So the share is the one nearest to
a half that valid cannot tell from the best: within one standard error over its articles. No part is
worse on valid than it began; where nothing that it learned helps, it stays as it was.
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
Parts = dict[str, tuple[nn.Module, nn.Module]]  # as trained, and as it began; by what each writes


def blend(model: JointModel, began: JointModel, valid: Encoded) -> dict[str, float]:
    """Move the weights of a model back towards where they began; the share that each part keeps."""
    shares: dict[str, float] = {}
    if model.learns_topics:
        assert model.theta and began.theta
        shares |= _blend({"words": (model.theta, began.theta)}, model, valid)
    was = dict(began.named_decoders())
    parts: Parts = {name: (decoder, was[name]) for name, decoder in model.named_decoders()}
    return shares | _blend(parts, model, valid) if parts else shares


def _blend(parts: Parts, model: JointModel, valid: Encoded) -> dict[str, float]:
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
        chosen[name] = share_of(gains, valid.articles)
        move(name, chosen[name])
    return chosen


def _between(began: Weights, trained: Weights, share: float) -> Weights:
    return {name: began[name].lerp(weight, share) if weight.is_floating_point() else weight
            for name, weight in trained.items()}  # fmt: skip


def share_of(log_prob: Array, articles: npt.NDArray[np.int32]) -> float:
    """The share nearest to a half that is as good as the best, and no worse than none at all.

    In go log-probabilities of the n pairs for each of the shares (5, n), and the pairs' articles.

    >>> articles = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> share_of(np.array([[-9.0] * 4, [-8.0] * 4, [-7.0] * 4, [-6.0] * 4, [-5.0] * 4]), articles)
    1.0
    >>> share_of(np.array([[-5.0] * 4, [-6.0] * 4, [-7.0] * 4, [-8.0] * 4, [-9.0] * 4]), articles)
    0.0
    """
    totals = log_prob.sum(1)
    behind = log_prob[totals.argmax()] - log_prob  # (5, n)
    by_article = np.stack([np.bincount(articles, row) for row in behind])  # (5, articles)
    error = by_article.std(1, ddof=1) * by_article.shape[1] ** 0.5 if by_article.shape[1] > 1 else 0
    is_good = (by_article.sum(1) <= error) & (totals >= totals[0])
    good = [n for n in range(len(SHARES)) if is_good[n]]
    return SHARES[min(good, key=lambda n: (abs(SHARES[n] - 0.5), -totals[n]))]
