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
from markupsafe import Markup

import topiceq
from topiceq.api import TopicEq
from topiceq.article.archive import OTHER_SUFFIXES
from topiceq.article.arxiv import article_id
from topiceq.article.equation.normal import to_latex
from topiceq.article.page import Reading
from topiceq.article.typed import as_latex, read_typed
from topiceq.errors import QuestionError, TopicEqError, Unsupported
from topiceq.model.topics import Topic
from topiceq.questions import Annotate, Explain, Infer, Normal, Question
from topiceq.tasks.annotate import annotate, read_article
from topiceq.tasks.read import read_rows
from topiceq.tasks.sources import link_of, source_of
from topiceq.views.mathml import NONE, in_rows, mathml
from topiceq.views.page import Page
from topiceq.views.shapes import Shape, answer_shape, normal_shape, similar_shape, topic_shape
from topiceq.web.equation_map import Chart, equation_points
from topiceq.web.topic_map import positions, regions, related, similarity, speaking_words

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
SUFFIXES = (".tar.gz", ".tgz", ".tar", ".gz", ".zip", ".tex", *OTHER_SUFFIXES)
SYMBOLS = 10  # of a topic, with their meanings
DELIMITERS = re.compile(r"(?<!\\)(?:\$\$?|\\[\[\]()])")
FOUND = 10  # topics that are about some words, as on the command line


class Explorer:
    """A model, and what is computed of it once."""

    def __init__(self, model: TopicEq, name: str = "pretrained", *, fetches: bool = False) -> None:
        self.model, self.name, self.fetches = model, name, fetches
        model.prepare()
        self.beta = model.run.beta
        self.alike = similarity(self.beta)
        places = positions(self.alike)
        self.chart = Chart(places, regions(places, model.run.shares))
        self._told: dict[int, Shape] = {}  # topics that were asked for: the same for ever

    @cached_property
    def all_topics(self) -> list[Topic]:
        return self.model.topics(words=20, tokens=20, equations=10)

    @cached_property
    def _short_topics(self) -> list[Topic]:
        return self.model.topics()  # to make them takes as long as an answer

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
                "explain": run.lexicon is not None,
                "similar": self.model.has_index(),
                "fetch": self.fetches,
            },
        }

    def examples(self) -> list[Shape]:
        """Equations to begin with."""
        return [{"name": name, "equation": equation} for name, equation in EXAMPLES.items()]

    def topics(self) -> list[Shape]:
        """All topics, each with its place on the map."""
        return self._shorts

    def find(self, words: str) -> list[Shape]:
        """The topics that are about these words, best first."""
        try:
            p = self.model.find(words)
        except QuestionError:  # a word that is not known has no topics
            return []
        shown = [topic for topic in self._short_topics if topic.is_shown]
        best = sorted(shown, key=lambda topic: -p[topic.id])[:FOUND]
        return [topic_shape(topic) | {"p": round(float(p[topic.id]), 4)} for topic in best]

    @cached_property
    def map(self) -> bytes:
        """All equations of the index as points: 4 bytes each, the lowest first."""
        index = self.model.search.index
        return equation_points(self.model.run, index, self.chart).astype("<u4").tobytes()

    def equation(self, row: int) -> Shape:
        """An equation of the index, and where it stands."""
        search = self.model.search
        if not 0 <= row < len(search.index):
            raise QuestionError(f"The index has no equation {row}.")
        shape = similar_shape(search.hit(row, 1.0))
        return drawn({name: value for name, value in shape.items() if name != "score"})

    @cached_property
    def _shorts(self) -> list[Shape]:
        return [self._short(topic) for topic in self.all_topics if topic.is_shown]

    def _short(self, topic: Topic) -> Shape:
        shape = topic_shape(topic.short(8, 8, 0))
        del shape["equations"]
        x, y = self.chart.places[topic.id].round(4).tolist()
        drawn = [mathml(token, display=False) for token in shape["tokens"]]
        region = int(self.chart.regions[topic.id])
        return shape | {"tokens_mathml": drawn, "x": x, "y": y, "region": region}

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
                drawn(
                    {
                        "equation": e.equation,
                        "article": e.article,
                        "line": e.line,
                        "p": e.p,
                        "link": self._link(e.article, e.line),
                    }
                )
                for e in topic.equations
            ],  # fmt: skip
            "related": [
                {"topic": k, "label": topics[k].label, "similarity": alike} for k, alike in near
            ],
        }

    def _word(self, topic: int, word: str) -> Shape:
        p = self.beta[topic, self.model.run.words.index(word)]
        return {"word": word, "p": round(float(p), 5)}

    def _symbols(self, topic: Topic) -> list[Shape]:
        """The topic's characteristic symbols, with what they mean under it."""
        symbols: list[Shape] = []
        for token in topic.tokens:
            try:
                found = self.answer(Explain(symbol=token, theta=topic.id, count=3), page=True)
            except Unsupported:
                return []
            except QuestionError:  # brackets and the like are no symbols
                continue
            symbols += [self._sourced(found)] if found["phrases"] else []  # else nobody knows
        return symbols[:SYMBOLS]

    def render(self, typed: str, symbols: Mapping[str, int] = NONE) -> Shape:
        """An equation in normal form, drawn as it was typed."""
        rows = read_rows(typed, self.model.run.tokens)
        latex = " \\\\ ".join(row.latex for row in rows)
        return {"equation": latex, "mathml": as_typed(typed, symbols)}

    def labelled(self, typed: str, symbols: list[Shape]) -> Shape:
        """An equation whose symbols carry their numbers, and what each of them means."""
        numbers = {symbol["symbol"]: number for number, symbol in enumerate(symbols)}
        sourced = [self._sourced(symbol) for symbol in symbols]
        return self.render(typed, numbers) | {"symbols": sourced}

    def answer(self, question: Question, *, page: bool) -> Any:
        """The answer to a question; for the page, with what it draws."""
        if isinstance(question, Normal):
            return normal_shape(question)
        answer = self.model.answer(question)
        shape = answer_shape(question, answer, self._short_topics)
        if not page:
            return shape
        if isinstance(question, Infer) and question.equations is None:
            shape["all"] = [round(float(p), 5) for p in answer]
            shape["place"] = self.chart.place(answer).round(4).tolist()
            if question.context is not None:
                best = [topic["topic"] for topic in shape["topics"]]
                shape["speaks"] = {k: self._speaking(question.context, answer, k) for k in best}
        if isinstance(question, Explain) and question.symbol is None:
            return self.labelled(question.equation or "", shape)
        return [drawn(each) for each in shape] if isinstance(shape, list) else drawn(shape)

    @cached_property
    def _files(self) -> dict[str, str]:
        """The file of each article of the index."""
        if not self.model.has_index():
            return {}
        places = self.model.search.index.places.select(["article", "file"])
        known = places.group_by(["article", "file"]).aggregate([]).to_pylist()
        return {each["article"]: each["file"] for each in known}

    def _link(self, article: str, line: int = 0) -> str | None:
        """The address of an article, if it has one."""
        file = self._files.get(article)
        if file is None:
            return None
        return link_of(article, file, line, source_of(file, self.model.search.sources))

    def _sourced(self, symbol: Shape) -> Shape:
        """A symbol whose meanings say where their articles can be read."""
        for phrase in symbol["phrases"]:
            for article in phrase.get("articles", ()):
                if link := self._link(article["article"]):
                    article["link"] = link
        return drawn(symbol)

    def _speaking(self, context: str, theta: npt.NDArray[np.float32], topic: int) -> list[Shape]:
        spoken = speaking_words(context, self.model.run.words, theta, self.beta, topic)
        return [{"word": word, "p": p} for word, p in spoken]

    def read(self, name: str, content: bytes) -> Reading:
        """An uploaded article."""
        suffix = next((end for end in SUFFIXES if name.lower().endswith(end)), None)
        if suffix is None:
            raise QuestionError(f"This is no {', '.join(SUFFIXES)} file. Give one of these.")
        with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
            path = Path(folder, "article" + suffix)  # of the user's name only the end is used
            path.write_bytes(content)
            try:
                return read_article(Annotate(article=str(path)))
            except TopicEqError as error:  # of whose folders nobody needs to know
                text = str(error).replace(str(path), path.name).replace(folder, "")
                raise QuestionError(text) from None

    def read_from_arxiv(self, article: str) -> Reading:
        """An article of arXiv."""
        if not self.fetches:
            raise Unsupported(
                "This server fetches no articles. Give a file, or start it with "
                "topiceq serve --arxiv"
            )
        number = article_id(article)  # no path of this machine
        if number is None:
            raise QuestionError(f"'{article}' is no id of arXiv. Give one, such as 1902.06034.")
        return read_article(Annotate(article=f"arXiv:{number}"))

    def annotate(self, reading: Reading, *, as_json: bool) -> str | Shape:
        """An article that was read, annotated."""
        page = Page(**vars(annotate(self.model.run, reading)))
        return page.json() if as_json else page.html()


def as_typed(typed: str, symbols: Mapping[str, int] = NONE) -> Markup:
    """An equation drawn as it was typed, where that can be drawn; else its rows in normal form."""
    source = DELIMITERS.sub("", as_latex(typed)[0])
    rows = [to_latex(row) for row in read_typed(typed).rows]
    if len(rows) == 1 or "\\begin" in source:
        found = mathml(source, display=True, symbols=symbols)
        if found.startswith("<math"):
            return found
    joined = in_rows(" \\\\ ".join(rows), "gather*" if len(rows) > 1 else "")
    return mathml(joined, display=True, symbols=symbols)


def drawn(shape: Shape) -> Shape:
    """With the MathML of its equation or symbol."""
    for name in ("equation", "symbol"):
        if name in shape:
            return shape | {"mathml": mathml(shape[name], display=name == "equation")}
    return shape
