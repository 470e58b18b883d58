r"""Questions as users type them -> what a run can read: equations, contexts, theta.

How an equation may be typed is told in article/typed.py; several rows are as many equations. A
context is prose, in LaTeX or plain; theta is a topic, a mixture {7: 0.5, 9: 0.5} or an array. What
cannot be read raises `QuestionError`; what was read otherwise than it may be meant, `doubts` tells.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from topiceq.article.equation.normal import to_latex
from topiceq.article.equation.rules import UNK
from topiceq.article.latex import read_prose
from topiceq.article.pieces import Prose
from topiceq.article.prose import DISPLAY, has_words, sentences, tidy, words
from topiceq.article.typed import read_typed
from topiceq.corpus.vocab import Vocab, stop_words
from topiceq.errors import QuestionError
from topiceq.model.run import Run
from topiceq.questions import Theta

SCAFFOLD = frozenset("{}_^")  # tokens that every equation has
PERCENT = re.compile(r"(?<=\d)(\s?)%")
TOLERANCE = 1e-4  # of the sum of weights: what rounding leaves

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Equation:
    """An equation as a question."""

    tokens: tuple[str, ...]  # in normal form
    ids: tuple[int, ...]  # of the run's tokens; UNK where the run does not know one

    @property
    def latex(self) -> str:
        """The equation as LaTeX."""
        return to_latex(self.tokens)


# -- equations ---------------------------------------------------------------------------------


def read_rows(text: str, tokens: Vocab) -> list[Equation]:
    """What a user has typed: one equation, or each of those that several rows hold."""
    rows = read_typed(text).rows
    ids = [tokens.encode(row).tolist() for row in rows]
    known = zip(chain(*ids), chain(*rows), strict=True)
    if not any(i != UNK and t not in SCAFFOLD for i, t in known):
        typed = _short(" \\\\ ".join(map(to_latex, rows)))
        raise QuestionError(
            f"This run does not know any token of the equation '{typed}'. "
            "Write it in standard LaTeX, with macros defined in front."
        )
    return [Equation(row, tuple(i)) for row, i in zip(rows, ids, strict=True)]


def _short(text: str, size: int = 60) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


# -- contexts ----------------------------------------------------------------------------------


def read_context(text: str, words: Vocab) -> csr_matrix:
    """The counts (1, V) of the words that the run knows; QuestionError if it knows none."""
    counts = read_words(text, words)[0]
    if not counts.nnz:
        raise QuestionError(
            f"This run does not know any word of the context '{_short(' '.join(text.split()))}'. "
            "Give a few sentences of English prose."
        )
    return counts


def read_words(text: str, words: Vocab) -> tuple[csr_matrix, bool]:
    """The counts (1, V) of the words that the run knows, and whether it knows most of them."""
    if not text.strip():
        raise QuestionError("The context is empty. Give a few sentences around the equation.")
    found = context_words(text)
    counts = np.bincount(words.encode(found), minlength=len(words)).astype(np.float32)
    spoken, strange = strange_words(found, words)
    return csr_matrix(counts[None]), 2 * len(strange) < len(spoken)


def strange_words(found: Sequence[str], words: Vocab) -> tuple[list[str], list[str]]:
    """Of words those that are no stop words, and of these those that the run does not know."""
    spoken = [word for word in found if word not in stop_words()]
    return spoken, [word for word in spoken if word not in words]


def context_words(text: str) -> list[str]:
    """The words of prose, by the rules by which the corpus reads articles."""
    return [word for sentence in context_sentences(text) for word in words(sentence)]


@lru_cache(maxsize=4)  # a question is read for its topics, for its symbols, and for doubts
def context_sentences(text: str) -> tuple[str, ...]:
    """The sentences of prose, as a reader would see them."""
    prose = PERCENT.sub(r"\1\\%", text)  # a plain 5% begins no comment
    pieces = read_prose(prose.replace("\0", " "))
    whole = "".join(p.text if isinstance(p, Prose) else f" {DISPLAY} " for p in pieces)
    found = [whole[start:end] for start, end in sentences(whole)]
    return tuple(tidy(each) for each in found if has_words(each))


# -- theta -------------------------------------------------------------------------------------


def read_theta(theta: Theta, run: Run) -> Floats:
    """A topic, a mixture or an array as theta (K,)."""
    run.model.require_topics()
    given = weights(theta, run)
    if not np.isfinite(given).all() or (given < 0).any():
        wrong = next(w for w in given if not np.isfinite(w) or w < 0)
        raise QuestionError(f"theta has a weight of {wrong:g}. Weights are numbers from 0 up.")
    if (total := float(given.sum())) == 0:
        raise QuestionError("theta is zero everywhere. Give at least one topic a weight.")
    return (given / total).astype(np.float32)


def weights(theta: Theta, run: Run) -> npt.NDArray[np.float64]:
    """The weights of all topics as they were given (K,)."""
    topics = run.config.model.topics
    weights = np.zeros(topics)
    if isinstance(theta, int | np.integer):
        weights[_topic(int(theta), topics)] = 1
    elif isinstance(theta, Mapping):
        for topic, weight in theta.items():
            weights[_topic(topic, topics)] = weight
    else:
        weights = np.asarray(theta, dtype=np.float64)
        if weights.shape != (topics,):
            shape = " x ".join(map(str, weights.shape)) or "no"
            raise QuestionError(f"theta has {shape} weights. This run has {topics} topics.")
    return weights


def _topic(topic: int, topics: int) -> int:
    if not 0 <= topic < topics:
        raise QuestionError(f"Topic {topic} does not exist. This run has topics 0 to {topics - 1}.")
    return topic
