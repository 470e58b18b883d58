"""TopicEq: strings in, strings out; a thin face over the folders below.

model = TopicEq(topics=50).fit(corpus)
model.save("runs/te");  model = TopicEq.load("runs/te")
model.topics(words=8)
"""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from topiceq.config import Config, ModelConfig, TrainConfig
from topiceq.corpus.store import Corpus
from topiceq.errors import ConfigError, NotFitted
from topiceq.model.history import Step
from topiceq.model.run import Run
from topiceq.model.topics import Topic
from topiceq.model.train import Training, Watch
from topiceq.scores.coherence import TOPS, distinct_share, topic_npmi


class TopicEq:
    """One model: settings until it is fitted, then a run that can be asked."""

    def __init__(self, config: Config | None = None, **settings: Any) -> None:
        """Settings of model.* and train.* by their names: `TopicEq(topics=50, epochs=5)`."""
        self.config = _changed(config or Config(), settings)
        self._run: Run | None = None

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
        yield from training.steps()
        self._run = training.run

    def save(self, folder: str | Path, *, half: bool = False) -> None:
        """Write the run to a folder; in half precision it takes half the space."""
        self.run.save(folder, half=half)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu") -> "TopicEq":
        """Read a run from its folder."""
        run = Run.load(folder, device=device)
        model = cls(run.config)
        model._run = run
        return model

    def topics(self, *, words: int = 8, tokens: int = 8, equations: int = 3) -> list[Topic]:
        """The topics, each with its words, characteristic tokens and typical equations."""
        return [topic.short(words, tokens, equations) for topic in self.run.topics]

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
