"""TopicEq: strings in, strings out; a thin face over the folders below.

model = TopicEq(topics=50).fit(corpus)
model.save("runs/te");  model = TopicEq.load("runs/te")
model.topics(words=8)
model.infer(equation=r"E = m c^2");  model.generate(7, count=5, seed=1)
model.index(corpus);  model.similar(r"E = m c^2")
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from topiceq.config import Config, ModelConfig, ResearchConfig, TrainConfig
from topiceq.corpus.store import Corpus, Split
from topiceq.errors import ConfigError, NotFitted, RunError, Unsupported
from topiceq.model.history import TrainingStep
from topiceq.model.run import Run
from topiceq.model.train import Training, Watch
from topiceq.questions import Annotate, Explain, Generate, Infer, Question, Similar, Theta, ask
from topiceq.scores.coherence import TOPS, distinct_share, topic_npmi
from topiceq.scores.score import Scores, score
from topiceq.tasks.annotate import annotate
from topiceq.tasks.explain import Meanings, explain
from topiceq.tasks.generate import generate, sampled_syntax
from topiceq.tasks.index import Index, load_index
from topiceq.tasks.infer import infer
from topiceq.tasks.similar import build_index, similar
from topiceq.views.notebook import Equations, Glossary, Inferred, Nearest, Phrases, Topics
from topiceq.views.page import Page

Verb = TypeVar("Verb", bound=Callable[..., Any])

PRETRAINED = Path(__file__).with_name("pretrained")  # the default run


def _takes(kind: type[Question], *positional: str) -> Callable[[Verb], Verb]:
    """Gives a verb the signature and the parameters of its question, for help() and notebooks."""

    def documented(verb: Verb) -> Verb:
        own = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
        lines = []
        for name, field in kind.model_fields.items():
            place = (
                Parameter.POSITIONAL_OR_KEYWORD if name in positional else Parameter.KEYWORD_ONLY
            )
            default = Parameter.empty if field.is_required() else field.default
            own.append(Parameter(name, place, default=default, annotation=field.annotation))
            lines.append(f"    {name}: {field.description}")
        own.sort(key=lambda parameter: parameter.kind)
        verb.__signature__ = Signature(own)  # type: ignore[attr-defined]
        verb.__doc__ = f"{inspect.getdoc(verb)}\n\n" + "\n".join(lines)
        return verb

    return documented


class TopicEq:
    """One model: settings until it is fitted, then a run that can be asked."""

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        """Settings by their names, without the section: `TopicEq(topics=50, epochs=5)`."""
        self.config = _changed(config or Config(), settings)
        self._run: Run | None = None
        self._folder: Path | None = None  # that it was loaded from
        self._index: Index | None = None
        self._meanings: Meanings | None = None

    @property
    def run(self) -> Run:
        """The trained run; NotFitted before there is one."""
        if self._run is None:
            raise NotFitted("This model is not trained. Call fit(corpus), or TopicEq.load(RUN).")
        return self._run

    def fit(self, corpus: Corpus) -> "TopicEq":
        """Train on a corpus."""
        for _ in self.steps(corpus):
            pass
        return self

    def steps(
        self, corpus: Corpus, *, folder: str | Path | None = None, resume: bool = False
    ) -> Iterator[TrainingStep]:
        """Train, giving a record for each step; with a folder, the run is written as it grows."""
        watch = coherence_on(corpus)
        training = Training(corpus, self.config, folder=folder, resume=resume, watch=watch)
        self._folder = self._index = None  # an index belongs to its weights
        self._run = training.run  # so that topics can be watched while they form
        for step in training.steps():
            self._meanings = None  # they belong to the weights too
            yield step

    def save(self, folder: str | Path, *, half: bool = False) -> None:
        """Write the run and its index to a folder; in half precision it takes half the space."""
        self.run.save(folder, half=half)
        if self.has_index():
            self._opened().save(folder)

    @classmethod
    def load(cls, folder: str | Path | None = None, *, device: str = "cpu") -> "TopicEq":
        """Read a run from its folder; without one, the pretrained default."""
        if folder is None and not PRETRAINED.is_dir():
            raise RunError(
                "TopicEq comes without a pretrained model here. "
                "Train one: topiceq train CORPUS -o RUN"
            )
        home = PRETRAINED if folder is None else Path(folder)
        run = Run.load(home, device=device)
        model = cls(run.config)
        model._run, model._folder = run, home
        return model

    def topics(self, *, words: int = 8, tokens: int = 8, equations: int = 3) -> Topics:
        """The topics, each with its words, characteristic tokens and typical equations."""
        return Topics(topic.short(words, tokens, equations) for topic in self.run.topics)

    @_takes(Infer)
    def infer(self, **parameters: Any) -> Inferred:
        """Probabilities of the topics: of a context, an equation or both (K,), of many (n, K).

        Where an equation has several rows, `rows` of the answer tells what each is about.
        """
        found = infer(self.run, ask(Infer, parameters))
        return Inferred.of(found.theta, self.run.topics, found.rows)

    @_takes(Generate, "theta")
    def generate(self, theta: Theta | None = None, **parameters: Any) -> Equations:
        """Equations from a topic, a mixture, a theta or a context.

        With `to` from `steps` points on the way there, greedily unless told otherwise; `beams`
        returns that many most probable ones. Unless `constrained` is False, all are well formed.
        """
        return Equations(generate(self.run, ask(Generate, {"theta": theta} | parameters)))

    @overload
    def explain(self, symbol: str, **parameters: Any) -> Phrases: ...
    @overload
    def explain(self, symbol: None = None, **parameters: Any) -> Glossary: ...
    @_takes(Explain, "symbol")
    def explain(self, symbol: str | None = None, **parameters: Any) -> Phrases | Glossary:
        """What a symbol means, or every symbol of an equation: phrases, the best first.

        Under a topic or mixture, or under what a context and an equation are about.
        """
        explained = explain(self.meanings, ask(Explain, {"symbol": symbol} | parameters))
        return Glossary(explained) if symbol is None else Phrases(explained[0].phrases)

    @_takes(Similar, "equation")
    def similar(self, equation: str, **parameters: Any) -> Nearest:
        """The nearest equations of the indexed corpus, best first."""
        question = ask(Similar, {"equation": equation} | parameters)
        return Nearest(similar(self.run, self._opened(), question))

    def annotate(
        self,
        article: str | Path,
        out: str | Path | None = None,
        *,
        cache: str | Path | None = None,
    ) -> Page:
        """An article with topics and meanings beside its equations; with `out`, also as a page.

        It is a path, or `arXiv:1902.06034`, which is fetched once and kept in the folder `cache`.
        """
        try:
            meanings = self.meanings
        except Unsupported:  # then only the text explains its symbols
            meanings = None
        folder = None if cache is None else str(cache)
        question = ask(Annotate, {"article": str(article), "cache": folder})
        annotated = annotate(self.run, question, meanings)
        page = Page(**vars(annotated))
        if out is not None:
            page.save(out)
        return page

    def answer(self, question: Question) -> Any:
        """The answer to any question, as the verb of its name gives it."""
        verb = getattr(self, type(question).__name__.lower())
        return verb(**{name: getattr(question, name) for name in type(question).model_fields})

    @property
    def meanings(self) -> Meanings:
        """What explains symbols; made once, for it takes longer than most questions."""
        if self._meanings is None:
            self._meanings = Meanings(self.run)
        return self._meanings

    def index(
        self,
        corpus: Corpus,
        *,
        count: int | None = None,
        folder: str | Path | None = None,
        watch: Callable[[int, int], None] | None = None,
    ) -> int:
        """Index the train split of a corpus for `similar`; returns how many equations it is.

        With `count` only so many, spread over the topics. `save` keeps the index with the run; with
        the folder of the run it is written at once. `watch` is told how many are read, of how many.
        """
        self._index = build_index(self.run, corpus, count=count, watch=watch)
        if folder is not None:
            self._index.save(folder)
        return len(self._index)

    def has_index(self) -> bool:
        """Whether `similar` has something to search."""
        try:
            return len(self._opened()) > 0
        except (Unsupported, RunError):
            return False

    def _opened(self) -> Index:
        """The index; from the folder of the run when it is first needed."""
        if self._index is None:
            if self._folder is None:
                raise Unsupported(
                    "This model has no index of equations. Make one: model.index(corpus)"
                )
            self._index = load_index(self._folder, self.run)
        return self._index

    def score(self, split: Split, *, syntax: int = 0, seed: int = 0) -> Scores:
        """Numbers on a split; with `syntax`, a LaTeX compiler also judges so many samples."""
        judged = {}
        if syntax:
            written = sampled_syntax(self.run, split, syntax, seed=seed)
            judged = {next(iter(self.run.model.writers())): written}
        return replace(score(self.run, split), syntax=judged)

    def __repr__(self) -> str:
        state = "trained" if self._run else "not trained"
        decoders = ", ".join(self.config.model.decoders) or "no decoder"
        return f"TopicEq({self.config.model.topics} topics, {decoders}, {state})"


def coherence_on(corpus: Corpus) -> Watch:
    """Numbers to watch while topics form: coherence on the valid split, and distinct words."""
    contexts = corpus.valid.encoded.order

    def watch(beta: npt.NDArray[np.float32]) -> dict[str, float]:
        top = np.argsort(-beta, axis=1, kind="stable")[:, : max(TOPS)]
        npmi = float(topic_npmi(top, contexts).mean())
        return {"npmi": npmi, "distinct_top10": distinct_share(top, 10)}

    return watch


def _changed(config: Config, settings: dict[str, Any]) -> Config:
    """Settings by their short names put into their sections."""
    sections: dict[str, type[BaseModel]] = {
        "model": ModelConfig, "train": TrainConfig, "research": ResearchConfig
    }  # fmt: skip
    homes = {key: name for name, kind in sections.items() for key in kind.model_fields}
    values = config.model_dump()
    for key, value in settings.items():
        if key not in homes:
            near = get_close_matches(key, homes, 1)
            hint = f" Did you mean {near[0]}?" if near else f" Settings: {', '.join(homes)}."
            raise ConfigError(f"There is no setting '{key}'.{hint}")
        values[homes[key]][key] = value
    return Config(**values)
