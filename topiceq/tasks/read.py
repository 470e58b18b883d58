r"""Questions as users type them -> what a run can read: equations, contexts, theta.

An equation may be bare LaTeX, between $..$, $$..$$, \(..\), \[..\] or in a display environment,
with definitions of its own in front; several rows are as many equations. A context is prose, in
LaTeX or plain; theta is a topic, a mixture {7: 0.5, 9: 0.5} or an array. What cannot be read raises
`QuestionError`.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from topiceq.article.commands import COUNTED, DISPLAYS
from topiceq.article.equation.fault import fault
from topiceq.article.equation.line import PUNCTUATION, ROW_ENDS, NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.equation.rows import equations
from topiceq.article.equation.rules import UNK
from topiceq.article.formulas import DISPLAY_LIMIT, read_formula
from topiceq.article.latex import read_prose
from topiceq.article.pieces import Prose
from topiceq.article.prose import DISPLAY, has_words, sentences, tidy, words
from topiceq.article.tex import clean, lex, units
from topiceq.corpus.vocab import Vocab
from topiceq.errors import QuestionError
from topiceq.model.run import Run
from topiceq.questions import Theta

MAX_TOKENS = 2_000  # ours: ten times the longest equation that models are trained on
FORMULAS = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}  # what opens and closes them
SCAFFOLD = frozenset("{}_^")  # tokens that every equation has
PERCENT = re.compile(r"(?<=\d)(\s?)%")
TOLERANCE = 1e-4  # what rounding leaves

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
    rows = [row for row in _rows(text) if row]
    if not rows:
        raise QuestionError("The equation is empty. Give LaTeX, such as 'E = m c ^ 2'.")
    if (size := sum(map(len, rows))) > MAX_TOKENS:
        raise _too_long(size)
    ids = [tokens.encode(row).tolist() for row in rows]
    known = zip(chain(*ids), chain(*rows), strict=True)
    if not any(i != UNK and t not in SCAFFOLD for i, t in known):
        typed = _short(" \\\\ ".join(map(to_latex, rows)))
        raise QuestionError(
            f"This run does not know any token of the equation '{typed}'. "
            "Write it in standard LaTeX, with macros defined in front."
        )
    return [Equation(tuple(row), tuple(i)) for row, i in zip(rows, ids, strict=True)]


def _rows(text: str) -> list[list[str]]:
    size = len([unit for unit in units(lex(clean(text))) if not unit.isspace()])
    if size > DISPLAY_LIMIT:
        raise _too_long(size)
    tokens: list[str] = []
    try:
        tokens, environment = without_delimiters(read_formula(text))
        rows = equations(tokens, environment)
        if len(rows) < 2 and ROW_ENDS.isdisjoint(tokens):
            return [normal_form(tokens)]  # with all that it says beside the equation
        if broken := next((row.reason for row in rows if not row.tokens), ""):
            raise NotNormal(broken)
        return [row.tokens for row in rows]
    except NotNormal as reason:
        raise _unread(str(reason), text, tokens or lex(clean(text))) from None


def without_delimiters(tokens: Sequence[str], outer: str = "") -> tuple[list[str], str]:
    """A formula without what opens and closes it, if anything does, and its environment."""
    inner = _stripped([token for token in tokens if token])  # \begin{} leaves an empty name
    end = len(inner)
    while end and inner[end - 1].strip() in PUNCTUATION:  # $x$, as it stood in a sentence
        end -= 1
    if inner[:1] and inner[end - 1 : end] == [FORMULAS.get(inner[0])] and end > 1:
        return without_delimiters(inner[1 : end - 1], outer)
    name = inner[2] if inner[:2] == ["\\begin", "{"] and len(inner) > 2 else ""
    if name in DISPLAYS | {"math"} and inner[end - 4 : end] == ["\\end", "{", name, "}"]:
        start = 7 if name in COUNTED else 4  # behind the {2} of alignat
        return without_delimiters(inner[start : end - 4], name)
    return inner, outer


def _stripped(tokens: Sequence[str]) -> list[str]:
    places = [i for i, token in enumerate(tokens) if token.strip()]
    return list(tokens[places[0] : places[-1] + 1]) if places else []


REASONS = {
    "multiline": "The equation breaks lines inside braces. Write what they hold in one line.",
    "diagram": "This is a diagram or a table, not an equation. Give one equation.",
    "macro_limit": "The equation does not end: one of its macros uses itself. Mend its definition.",
}


def _unread(reason: str, text: str, tokens: Sequence[str]) -> QuestionError:
    if reason in REASONS:
        return QuestionError(REASONS[reason])
    wrong = fault(tokens)
    message = f"The equation does not parse: {wrong.why}. Mend the LaTeX there."
    return QuestionError(message, wrong.position(text))


def _too_long(size: int) -> QuestionError:
    return QuestionError(f"The equation has {size:,} tokens; at most {MAX_TOKENS:,} are read.")


def _short(text: str, size: int = 60) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


# -- contexts ----------------------------------------------------------------------------------


def read_context(text: str, words: Vocab) -> csr_matrix:
    """The counts (1, V) of the words that the run knows."""
    if not text.strip():
        raise QuestionError("The context is empty. Give a few sentences around the equation.")
    ids = words.encode(context_words(text))
    if not len(ids):
        raise QuestionError(
            f"This run does not know any word of the context '{_short(' '.join(text.split()))}'. "
            "Give a few sentences of English prose."
        )
    counts = np.bincount(ids, minlength=len(words)).astype(np.float32)
    return csr_matrix(counts[None])


def context_words(text: str) -> list[str]:
    """The words of prose, by the rules by which the corpus reads articles."""
    prose = PERCENT.sub(r"\1\\%", text)  # a plain 5% begins no comment
    pieces = read_prose(prose.replace("\0", " "))
    whole = "".join(p.text if isinstance(p, Prose) else f" {DISPLAY} " for p in pieces)
    found = [whole[start:end] for start, end in sentences(whole)]
    return [word for each in found if has_words(each) for word in words(tidy(each))]


# -- theta -------------------------------------------------------------------------------------


def read_theta(theta: Theta, run: Run) -> Floats:
    """A topic, a mixture or an array as theta (K,)."""
    run.model.require_topics()
    weights = _weights(theta, run.config.model.topics)
    if not np.isfinite(weights).all() or (weights < 0).any():
        wrong = next(w for w in weights if not np.isfinite(w) or w < 0)
        raise QuestionError(f"theta has a weight of {wrong:g}. Weights are numbers from 0 up.")
    total = float(weights.sum())
    if total == 0:
        raise QuestionError("theta is zero everywhere. Give at least one topic a weight.")
    if abs(total - 1) > TOLERANCE:
        note = f"The weights of theta sum to {total:.4g}; they were divided by that."
        warnings.warn(note, UserWarning, stacklevel=2)
    return (weights / total).astype(np.float32)


def _weights(theta: Theta, topics: int) -> npt.NDArray[np.float64]:
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
