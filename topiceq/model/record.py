r"""record.json: which TopicEq made a run, and a self-test of how it read and judged equations.

A run knows equations as tokens of the normal form. Where another version reads other tokens, its
answers are wrong without any error; so the tokens are compared whenever a run is loaded, and the
topics, which take longer, when asked for.
"""

from dataclasses import dataclass

import numpy as np
import torch

from topiceq import __version__
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import NORMAL_FORM, READABLE, normal_form
from topiceq.article.tex import lex
from topiceq.corpus.vocab import Vocab
from topiceq.model.batches import equations_alone, pad
from topiceq.model.joint import JointModel, evaluating

EQUATIONS = (
    r"i\hbar \frac{\partial}{\partial t} \Psi(x, t) = \hat H \Psi(x, t)",
    r"\mathbb E[X|Y] = \sum_{i=1}^n x_i {p(x_i, y) \over p(y)} \leq \max_i x_i,",
    r"f'(x)^2_k \ne \left( \begin{array}{cc} a & b \\ c & d \end{array} \right) \sqrt[3]{\bf v}",
)


@dataclass(frozen=True)
class Tested:
    """An equation, and what the run made of it when it was trained."""

    equation: str
    tokens: str  # of the normal form
    topic: int | None  # the likeliest; None if the run cannot tell


@dataclass(frozen=True)
class Record:
    """What made a run, and its self-test."""

    topiceq: str  # version
    normal_form: int  # version
    tests: list[Tested]

    @classmethod
    def of(cls, model: JointModel, vocab: Vocab) -> "Record":
        """The record of a model that has just been trained, with its vocabulary of tokens."""
        read = [(equation, _tokens(equation)) for equation in EQUATIONS]
        tests = [Tested(equation, ts, _topic(model, vocab, ts)) for equation, ts in read]
        return cls(__version__, NORMAL_FORM, tests)

    def misread(self) -> str:
        """How this TopicEq reads equations differently; empty if it does not."""
        made = f"was made by TopicEq {self.topiceq}"
        if self.normal_form not in READABLE:
            return f"{made} with normal form {self.normal_form}, here it is {NORMAL_FORM}"
        for test in self.tests:
            if (now := _tokens(test.equation)) != test.tokens:
                return f"{made}, which read '{test.equation}' as '{test.tokens}', not as '{now}'"
        return ""

    def misjudged(self, model: JointModel, vocab: Vocab) -> str:
        """How the model judges equations differently; empty if it does not."""
        for test in self.tests:
            if (now := _topic(model, vocab, test.tokens)) != test.topic:
                return f"found topic {test.topic} in '{test.equation}', now finds {now}"
        return ""


def _tokens(equation: str) -> str:
    try:
        return " ".join(normal_form(lex(equation)))
    except NotNormal as reason:
        return f"nothing ({reason})"


def _topic(model: JointModel, vocab: Vocab, tokens: str) -> int | None:
    """The topic under which the equation is likeliest."""
    if not model.has_topics or not model.writers():
        return None
    ids, topics = vocab.encode(tokens.split()), model.config.topics
    with evaluating(model) as device:
        rows = np.zeros(topics, dtype=np.int64)  # the same equation under every topic
        batch = equations_alone(pad(ids, np.array([0, len(ids)]), rows)).to(device)
        log_p = model.writer().log_prob(batch, torch.eye(topics, device=device))
    return int(log_p.argmax())
