"""The answers of the HTTP API: a question in, plain values out; no HTTP in here.

The shapes are those of the command line (tasks/answers.py), and every equation has its MathML
beside it, so that the page has nothing to convert.
"""

import re
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import topiceq
from topiceq.api import TopicEq
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.topics import Topic, topics_of
from topiceq.tasks.answers import best_topics, generated_shape, topic_shape
from topiceq.tasks.atlas import positions, related, similarity, speaking_words
from topiceq.tasks.mathml import mathml
from topiceq.tasks.question import read_equation
from topiceq.web import questions

Shape = dict[str, Any]

EXAMPLES = {
    "Schrödinger": r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi",
    "Bayes": r"P(A \mid B) = \frac{P(B \mid A) P(A)}{P(B)}",
    "Newton": r"F = m \frac{d^2 x}{d t^2}",
    "Einstein": r"R_{\mu\nu} - \frac{1}{2} R g_{\mu\nu} = \frac{8 \pi G}{c^4} T_{\mu\nu}",
    "LSTM gate": r"i_t = \sigma(W_i x_t + U_i h_{t-1} + b_i)",
    "Taylor": r"f(x) = \sum_{n=0}^{\infty} \frac{f^{(n)}(a)}{n!} (x - a)^n",
    "Navier-Stokes": r"\rho \left( \frac{\partial u}{\partial t} + u \cdot \nabla u \right)"
    r" = - \nabla p + \mu \nabla^2 u",
    "Central limit": r"\sqrt{n} \left( \bar X_n - \mu \right) \to N(0, \sigma^2)",
}
SUFFIXES = (".tar.gz", ".tgz", ".tar", ".gz", ".zip", ".tex")
SYMBOLS = 10  # of a topic, with their meanings


class Explorer:
    """A model, and what is computed of it once."""

    def __init__(self, model: TopicEq, name: str = "pretrained") -> None:
        self.model, self.name = model, name
        self.beta: npt.NDArray[np.float32] = topics_of(model.run.model)
        self.alike = similarity(self.beta)
        self.places = positions(self.alike)
        self._told: dict[int, Shape] = {}  # topics that were asked for: the same for ever

    @cached_property
    def all_topics(self) -> list[Topic]:
        return self.model.topics(words=20, tokens=20, equations=10)

    def about(self) -> Shape:
        """What model this is, and what it can do."""
        run = self.model.run
        return {
            "name": self.name,
            "version": topiceq.__version__,
            "topics": run.config.model.topics,
            "decoders": list(run.config.model.decoders),
            "pairs": run.facts.get("pairs", {}).get("train", 0),
            "can": {
                "generate": bool(run.model.writers()),
                "explain": any(name.startswith("alignment") for name in run.model.decoders),
                "similar": self.model.has_index(),
            },
        }

    def examples(self) -> list[Shape]:
        """Equations to begin with."""
        return [{"name": name, "equation": equation} for name, equation in EXAMPLES.items()]

    def topics(self) -> list[Shape]:
        """All topics, each with its place on the map."""
        return self._shorts

    @cached_property
    def _shorts(self) -> list[Shape]:
        return [self._short(topic) for topic in self.all_topics]

    def _short(self, topic: Topic) -> Shape:
        shape = topic_shape(topic.short(8, 8, 0))
        del shape["equations"]
        x, y = self.places[topic.id]
        drawn = [mathml(token, display=False) for token in shape["tokens"]]
        return shape | {"tokens_mathml": drawn, "x": round(float(x), 4), "y": round(float(y), 4)}

    def topic(self, number: int) -> Shape:
        """Everything about one topic."""
        topics = self.all_topics
        if not 0 <= number < len(topics):
            raise QuestionError(
                f"Topic {number} does not exist. This run has topics 0 to {len(topics) - 1}."
            )
        if number not in self._told:
            self._told[number] = self._whole(topics[number])
        return self._told[number]

    def _whole(self, topic: Topic) -> Shape:
        topics, near = self.all_topics, related(self.alike, topic.id)
        return self._short(topic) | {
            "weights": [self._word(topic.id, word) for word in topic.words],
            "symbols": self._symbols(topic),
            "equations": [
                drawn({"equation": e.equation, "article": e.article, "line": e.line, "p": e.p})
                for e in topic.equations
            ],
            "related": [
                {"topic": k, "label": topics[k].label, "similarity": alike} for k, alike in near
            ],
        }

    def _word(self, topic: int, word: str) -> Shape:
        p = self.beta[topic, self.model.run.words.index(word)]
        return {"word": word, "p": round(float(p), 5)}

    def _symbols(self, topic: Topic) -> list[Shape]:
        """The topic's characteristic symbols, with what they mean under it."""
        found = []
        for token in topic.tokens:
            try:
                phrases = self.model.explain(token, theta=topic.id, count=3)
            except Unsupported:
                return []
            except QuestionError:  # brackets and the like are no symbols
                continue
            found.append(symbol_shape(token, phrases))
        return found[:SYMBOLS]

    def render(self, question: questions.Render) -> Shape:
        """An equation in normal form, drawn."""
        equation = read_equation(question.equation, self.model.run.tokens)
        return {"equation": equation.latex, "mathml": mathml(question.equation, display=True)}

    def infer(self, question: questions.Infer) -> Shape | list[Shape]:
        """The topics of what was asked about."""
        found = self.model.infer(
            context=question.context, equation=question.equation, equations=question.equations
        )
        if question.equations is not None:
            rows = zip(question.equations, found, strict=True)
            return [self._inferred(theta, question, equation) for equation, theta in rows]
        return self._inferred(found, question, question.equation)

    def _inferred(
        self, theta: npt.NDArray[np.float32], question: questions.Infer, equation: str | None
    ) -> Shape:
        best = best_topics(theta, self.model.topics(), question.top)
        shape: Shape = {"topics": best, "all": [round(float(p), 5) for p in theta]}
        if equation is not None:
            shape |= drawn({"equation": equation})
        if question.context is not None:
            shape["speaks"] = {
                str(topic["topic"]): self._speaking(question.context, theta, topic["topic"])
                for topic in best
            }
        return shape

    def _speaking(self, context: str, theta: npt.NDArray[np.float32], topic: int) -> list[Shape]:
        words = self.model.run.words
        found = speaking_words(context, words, theta, self.beta, topic)
        return [{"word": word, "p": p} for word, p in found]

    def generate(self, question: questions.Generate) -> list[Shape]:
        """Equations for a topic, a mixture or a context."""
        if question.topic is not None and question.theta is not None:
            raise QuestionError("Give a topic or theta, not both.")
        found = self.model.generate(
            question.topic if question.theta is None else question.theta,
            **question.model_dump(exclude={"topic", "theta"}),
        )
        return [drawn(generated_shape(one)) for one in found]

    def explain(self, question: questions.Explain) -> list[Shape]:
        """What symbols mean."""
        if question.symbol is not None:
            found = self.model.explain(
                question.symbol,
                theta=question.theta,
                context=question.context,
                count=question.count,
            )
            return [symbol_shape(question.symbol, found)]
        asked = self.model.explain(**question.model_dump(exclude={"symbol"}))
        return [symbol_shape(one.symbol, one.phrases) for one in asked]

    def similar(self, question: questions.Similar) -> list[Shape]:
        """Equations of the corpus that are like one."""
        found = self.model.similar(question.equation, count=question.count)
        return [
            drawn({"equation": one.equation, "article": one.article, "line": one.line,
                   "score": round(one.score, 4)})
            for one in found
        ]  # fmt: skip

    def annotate(self, name: str, content: bytes, *, as_json: bool) -> str | Shape:
        """An uploaded article, annotated."""
        suffix = next((end for end in SUFFIXES if name.lower().endswith(end)), None)
        if suffix is None:
            raise QuestionError(f"This is no {', '.join(SUFFIXES)} file. Give one of these.")
        with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
            path = Path(folder, "article" + suffix)  # of the user's name only the end is used
            path.write_bytes(content)
            annotated = self.model.annotate(path)
        return annotated.json() if as_json else annotated.html()


def drawn(shape: Shape) -> Shape:
    """With the MathML of its equation."""
    return shape | {"mathml": mathml(shape["equation"], display=True)}


def symbol_shape(symbol: str, phrases: Any) -> Shape:
    """A symbol with its meanings."""
    told = [{"phrase": one.phrase, "p": round(one.p, 4), "source": one.source} for one in phrases]
    return {"symbol": symbol, "mathml": mathml(symbol, display=False), "phrases": told}


def position(message: str, text: str) -> int | None:
    r"""Where in a text a message points to: behind the part that it quotes.

    >>> position("'}' closes nothing, behind 'x^{2}'. Mend the LaTeX there.", "x ^{2} }")
    6
    """
    quoted = re.search(r"behind '…?(.+?)'\.", message)
    if not quoted:
        return None
    letters = [re.escape(letter) for letter in quoted[1] if not letter.isspace()]
    found = re.search(r"\s*".join(letters), text)
    return found.end() if found else None


def texts(question: object) -> Mapping[str, str]:
    """The texts of a question that may hold LaTeX."""
    names = ("equation", "prefix", "symbol")
    found = {name: getattr(question, name, None) for name in names}
    return {name: text for name, text in found.items() if text}
