r"""The paper's topics of an equation: under which one would a decoder most likely write it?

    p(k | eq) = p(eq | theta = one-hot k) theta_k / sum over j of p(eq | theta = one-hot j) theta_j

In go equations and theta of their contexts, without which all topics are alike beforehand; out come
all K values. The most probable topic is the paper's answer. ours: the others, by Bayes' rule for an
equation of one topic. They are far too sure, for every token counts as a witness of its own: the
equation encoder answers better, and a hundred times as fast (infer.py). Of several rows p(eq |
theta) is the product over them. Nothing is random.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from topiceq.model.likelihood import Doubles, topic_log_probs
from topiceq.model.run import Run
from topiceq.tasks.read import Equation, Floats

TINY = 1e-30  # a topic that the encoder rules out may come back with a very clear equation

Ints = npt.NDArray[np.int64]


def posterior(log_p: Doubles, theta: Floats | None = None) -> Floats:
    """p(k | equation) (n, K), with theta as the prior, (K,) or (n, K), not a uniform one."""
    if theta is not None:
        log_p = log_p + np.log(theta.clip(TINY))
    found: Floats = np.exp(log_softmax(log_p, axis=1)).astype(np.float32)
    return found


def together(run: Run, log_p: Sequence[Doubles]) -> Doubles:
    """The log-likelihoods of equations (n, K) from those of their rows."""
    whole = np.zeros((len(log_p), run.config.model.topics))
    for place, rows in enumerate(log_p):
        whole[place] = rows.sum(0)
    return whole


def row_likelihoods(
    run: Run, equations: Sequence[Sequence[Equation]], decoder: str | None = None
) -> list[Doubles]:
    """log p(row | theta = one-hot k) of the rows of each equation (rows, K)."""
    log_p = log_likelihoods(run, [row for rows in equations for row in rows], decoder)
    ends = np.cumsum([len(rows) for rows in equations], dtype=np.int64).tolist()
    return [log_p[start:end] for start, end in pairwise([0, *ends])]


def log_likelihoods(run: Run, equations: Sequence[Equation], decoder: str | None = None) -> Doubles:
    """log p(equation | theta = one-hot k), every equation under every topic (n, K)."""
    return topic_log_probs(run.model, *flat(equations), decoder)


def flat(equations: Sequence[Equation]) -> tuple[npt.NDArray[np.int32], Ints]:
    """The ids of equations one after the other, and where each starts."""
    lengths = [len(equation.ids) for equation in equations]
    ids = [i for equation in equations for i in equation.ids]
    return np.array(ids, dtype=np.int32), np.cumsum([0, *lengths], dtype=np.int64)
