"""How far topics that were told of equations are right: theta of the contexts is what is true.

In go probabilities of topics (n, K) and theta of the contexts (n, K); out come numbers. A topic
that is said with p is calibrated if on average the contexts are about it to that share: that is
what the cross-entropy asks for. Beside it stands how often the topic is the context's first, which
is a harder question: a text is about several topics.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topiceq.model.equation_encoder import cross_entropy

BINS = 15
TINY = 1e-30

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Calibration:
    """Of topics told of equations alone."""

    cross_entropy: float  # of theta of the context, nats an equation
    prior: float  # the same if nothing but the mean theta of train is known
    said: float  # mean probability of the first topic
    share: float  # mean theta of that topic in the context
    agreement: float  # share of equations whose first topic is the context's first
    error: float  # expected calibration error: |said - share|, by bins of what is said
    error_first: float  # the same of |said - agreement|
    known: float  # share of the equations that tell anything


@dataclass(frozen=True)
class Bin:
    """Equations whose first topic is said about as surely."""

    count: int
    said: float
    share: float
    agreement: float


def calibration(
    r: Floats, theta: Floats, prior: Floats, known: npt.NDArray[np.bool_]
) -> Calibration:
    """The scores of r (n, K) with theta of the contexts (n, K)."""
    found = reliability(r, theta)
    count = sum(one.count for one in found)
    first = r.argmax(1)
    return Calibration(
        cross_entropy=cross_entropy(np.log(r.clip(TINY)), theta),
        prior=cross_entropy(np.log(prior.clip(TINY)), theta),
        said=float(r.max(1).mean()),
        share=float(np.take_along_axis(theta, first[:, None], 1).mean()),
        agreement=float((first == theta.argmax(1)).mean()),
        error=sum(one.count * abs(one.said - one.share) for one in found) / count,
        error_first=sum(one.count * abs(one.said - one.agreement) for one in found) / count,
        known=float(known.mean()),
    )


def reliability(r: Floats, theta: Floats, bins: int = BINS) -> list[Bin]:
    """The reliability curve: what is said of the first topic beside what is true, bin by bin.

    >>> reliability(np.float32([[0.75, 0.25]] * 2), np.float32([[1, 0], [0.5, 0.5]]), 2)
    [Bin(count=2, said=0.75, share=0.75, agreement=1.0)]
    """
    first, said = r.argmax(1), r.max(1)
    share = np.take_along_axis(theta, first[:, None], 1)[:, 0]
    agrees = first == theta.argmax(1)
    place = np.minimum((said * bins).astype(np.int64), bins - 1)
    chosen = [place == number for number in range(bins)]
    return [
        Bin(int(own.sum()), *(float(x[own].mean()) for x in (said, share, agrees)))
        for own in chosen
        if own.any()
    ]
