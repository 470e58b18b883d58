"""Equations written for held-out contexts: what the syntax of a model's writing is judged by.

In go a run and a split; out come equations, each sampled at temperature 1 from the theta of one of
the split's contexts. They are unconstrained unless asked otherwise: the grammar would hide what
the model has not learned.
"""

from collections.abc import Sequence

import numpy as np

from topiceq.corpus.store import Split
from topiceq.model.held_out import thetas
from topiceq.model.run import Run
from topiceq.scores import compiler
from topiceq.scores.syntax import SyntaxScore, syntax_score
from topiceq.tasks.generate.writing import Generated, Manner, write


def samples(
    run: Run, split: Split, count: int, *, seed: int = 0, constrained: bool = False
) -> list[Generated]:
    """`count` equations, each for a context drawn from the split."""
    drawn = np.random.default_rng(seed).integers(len(split), size=count)
    theta = None
    if run.model.theta is not None:
        theta = thetas(run.model, split.encode(run.words, run.tokens, run.phrases))[drawn]
    manner = Manner(seed=seed, constrained=constrained)
    return write(run, theta, manner, streams=range(count))


def sampled_syntax(run: Run, split: Split, count: int, *, seed: int = 0) -> SyntaxScore:
    """What a LaTeX compiler says of `count` unconstrained samples."""
    compiler.program()  # before the work of writing them
    return judged(samples(run, split, count, seed=seed))


def judged(written: Sequence[Generated]) -> SyntaxScore:
    """What a LaTeX compiler says of equations that were written."""
    return syntax_score(
        [one.equation for one in written],
        [one.finished for one in written],
        [len(one.tokens) for one in written],
    )
