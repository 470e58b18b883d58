"""TopicEq: strings in, strings out; a thin face over the folders below.

model = TopicEq(topics=50).fit(corpus)
model.save("runs/te");  model = TopicEq.load("runs/te")
model.topics(words=8)
model.infer(equation=r"E = m c^2");  model.generate(7, count=5, seed=1)
model.index(corpus);  model.similar(r"E = m c^2")
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from topiceq.config import Config, ModelConfig, TrainConfig
from topiceq.corpus.store import Corpus, Split
from topiceq.errors import ConfigError, NotFitted, RunError, Unsupported
from topiceq.model.history import Step
from topiceq.model.run import Run
from topiceq.model.train import Training, Watch
from topiceq.scores.coherence import TOPS, distinct_share, topic_npmi
from topiceq.scores.sheet import Scores, score
from topiceq.tasks.annotate import Annotated, annotate
from topiceq.tasks.display import Equations, Inferred, Nearest, Phrases, Topics
from topiceq.tasks.explain import Glossary, explain
from topiceq.tasks.generate import Manner, generate
from topiceq.tasks.generate.samples import sampled_syntax
from topiceq.tasks.infer import infer
from topiceq.tasks.question import Theta
from topiceq.tasks.similar import Index, build_index, load_index, similar

PRETRAINED = Path(__file__).with_name("pretrained")  # the default run


class TopicEq:
    """One model: settings until it is fitted, then a run that can be asked."""

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        """Settings of model.* and train.* by their names: `TopicEq(topics=50, epochs=5)`."""
        self.config = _changed(config or Config(), settings)
        self._run: Run | None = None
        self._folder: Path | None = None  # that it was loaded from
        self._index: Index | None = None

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
    ) -> Iterator[Step]:
        """Train, giving a record for each step; with a folder, the run is written as it grows."""
        watch = coherence_on(corpus)
        training = Training(corpus, self.config, folder=folder, resume=resume, watch=watch)
        self._folder = self._index = None  # an index belongs to its weights
        self._run = training.run  # so that topics can be watched while they form
        yield from training.steps()

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

    def infer(
        self,
        *,
        context: str | None = None,
        equation: str | None = None,
        equations: Sequence[str] | None = None,
        decoder: str | None = None,
    ) -> npt.NDArray[np.float32]:
        """Probabilities of the topics: of a context, an equation or both (K,), of many (n, K)."""
        found = infer(
            self.run, context=context, equation=equation, equations=equations, decoder=decoder
        )
        return Inferred.of(found, self.topics())

    def generate(
        self,
        theta: Theta | None = None,
        *,
        context: str | None = None,
        to: Theta | None = None,
        steps: int = 5,
        prefix: str = "",
        count: int = 1,
        temperature: float = 1.0,
        top_p: float = 1.0,
        greedy: bool | None = None,
        beams: int = 0,
        max_tokens: int = 150,
        seed: int = 0,
        constrained: bool = True,
    ) -> Equations:
        """Equations from a topic, a mixture, a theta or a context.

        With `to` from `steps` points on the way there, greedily unless told otherwise; `beams`
        returns that many most probable ones. Unless `constrained` is False, all are well formed.
        """
        greedy = to is not None and not beams if greedy is None else greedy
        manner = Manner(temperature, top_p, greedy, beams, max_tokens, seed, constrained)
        found = generate(
            self.run, theta, context=context, to=to, steps=steps, prefix=prefix, count=count,
            manner=manner,
        )  # fmt: skip
        return Equations(found)

    @overload
    def explain(
        self,
        symbol: str,
        *,
        theta: Theta | None = None,
        equation: str | None = None,
        context: str | None = None,
        count: int = 5,
        paper_order: bool = False,
    ) -> Phrases: ...

    @overload
    def explain(
        self,
        symbol: None = None,
        *,
        theta: Theta | None = None,
        equation: str | None = None,
        context: str | None = None,
        count: int = 5,
        paper_order: bool = False,
    ) -> Glossary: ...

    def explain(
        self,
        symbol: str | None = None,
        *,
        theta: Theta | None = None,
        equation: str | None = None,
        context: str | None = None,
        count: int = 5,
        paper_order: bool = False,
    ) -> Phrases | Glossary:
        """What a symbol means, or every symbol of an equation: phrases, the best first.

        Under a topic or mixture, or under what a context and an equation are about.
        """
        found = explain(
            self.run,
            symbol,
            theta=theta,
            equation=equation,
            context=context,
            count=count,
            paper_order=paper_order,
        )
        return found if isinstance(found, Glossary) else Phrases(found)

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

    def similar(self, equation: str, *, count: int = 10) -> Nearest:
        """The nearest equations of the indexed corpus, best first."""
        return Nearest(similar(self.run, self._opened(), equation, count=count))

    def _opened(self) -> Index:
        """The index; from the folder of the run when it is first needed."""
        if self._index is None:
            if self._folder is None:
                raise Unsupported(
                    "This model has no index of equations. Make one: model.index(corpus)"
                )
            self._index = load_index(self._folder, self.run)
        return self._index

    def annotate(self, paper: str | Path, out: str | Path | None = None) -> Annotated:
        """An article with topics and meanings beside its equations; with `out`, also as a page."""
        annotated = annotate(self.run, paper)
        if out is not None:
            annotated.save(out)
        return annotated

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
    sections: dict[str, type[BaseModel]] = {"model": ModelConfig, "train": TrainConfig}
    homes = {key: name for name, kind in sections.items() for key in kind.model_fields}
    values = config.model_dump()
    for key, value in settings.items():
        if key not in homes:
            near = get_close_matches(key, homes, 1)
            hint = f" Did you mean {near[0]}?" if near else f" Settings: {', '.join(homes)}."
            raise ConfigError(f"There is no setting '{key}'.{hint}")
        values[homes[key]][key] = value
    return Config(**values)
