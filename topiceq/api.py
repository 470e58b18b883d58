"""TopicEq: strings in, strings out; a thin face over the folders below.

model = TopicEq(topics=50).fit(corpus)
model.save("runs/te");  model = TopicEq.load("runs/te")
model.topics(words=8)
model.infer(equation=r"E = m c^2");  model.generate(7, count=5, seed=1)
model.index(corpus);  model.similar(r"E = m c^2")
"""

import inspect
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
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
from topiceq.corpus.vocab import Vocabularies
from topiceq.errors import ConfigError, NotFitted, RunError, Unsupported
from topiceq.hub import fetched, is_name, pushed
from topiceq.model.equation_encoder import taught_by
from topiceq.model.finetune import finetune_config
from topiceq.model.history import TrainingStep
from topiceq.model.lexicon import Lexicon
from topiceq.model.lexicon_build import build_lexicon
from topiceq.model.run import Run
from topiceq.model.steering import read_changes, write_changes
from topiceq.model.train import Training, Watch
from topiceq.questions import (
    Annotate,
    Explain,
    Generate,
    Infer,
    InferFile,
    Question,
    Similar,
    Theta,
    ask,
)
from topiceq.scores.coherence import TOPS, distinct_share, topic_npmi
from topiceq.scores.score import Scores, score
from topiceq.tasks.annotate import annotate, read_article
from topiceq.tasks.doubts import all_doubts
from topiceq.tasks.explain import Alignments, explain
from topiceq.tasks.find import find_topics
from topiceq.tasks.generate import generate, sampled_syntax
from topiceq.tasks.index import FOLDER, build_index
from topiceq.tasks.infer import infer
from topiceq.tasks.many import infer_file
from topiceq.tasks.similar import Search, similar
from topiceq.views.nomenclature import nomenclature, path_of
from topiceq.views.notebook import Equations, Glossary, Inferred, Nearest, Phrases, Topics
from topiceq.views.page import Page, write

Verb = TypeVar("Verb", bound=Callable[..., Any])

PART = 200  # of many equations that are answered at once
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
        self._indexes: tuple[Path, ...] = ()  # in place of the one of the folder
        self._search: Search | None = None
        self._alignments: Alignments | None = None

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
        self,
        corpus: Corpus,
        *,
        folder: str | Path | None = None,
        resume: bool = False,
        base: "TopicEq | None" = None,
        new_topics: int = 0,
    ) -> Iterator[TrainingStep]:
        """Train, giving a record for each step; with a folder, the run is written as it grows.

        With a base, training goes on from that model, with `new_topics` more; of the settings those
        of `train` count, and the model is the base's.
        """
        if base:
            self.config = finetune_config(base.config, self.config, new_topics)
        started = base.run if base else None
        training = Training(corpus, self.config, folder=folder, resume=resume, base=started)
        training.watch = coherence_on(corpus, training.run.vocabularies)
        self._folder = self._search = None
        self._run = training.run  # so that topics can be watched while they form
        for step in training.steps():
            self._alignments = None  # they belong to the weights too
            yield step

    def save(self, folder: str | Path, *, half: bool = False) -> None:
        """Write the run and its index to a folder; in half precision it takes half the space."""
        self.run.save(folder, half=half)
        if self._folder and (changes := read_changes(self._folder, self.config.model.topics)):
            write_changes(Path(folder), changes)
        if self.has_index():
            self._opened().index.save(Path(folder) / FOLDER)

    def push_to_hub(self, name: str, *, private: bool = False, message: str | None = None) -> str:
        """Put the run on the Hugging Face hub as "user/name" (extra `hub`); its address there.

        Its model card, lexicon and index go with it. Who may do so is told by the token that
        `hf auth login` keeps, or HF_TOKEN.
        """
        with tempfile.TemporaryDirectory(prefix="topiceq-") as folder:
            self.save(folder)
            return pushed(Path(folder), name, private=private, message=message)

    @classmethod
    def load(
        cls,
        folder: str | Path | None = None,
        *,
        device: str = "cpu",
        index: Sequence[str | Path] = (),
        whole: bool = True,
        revision: str | None = None,
    ) -> "TopicEq":
        """Read a run from its folder; without one, the pretrained default.

        "user/name" that is no folder here is a run on the Hugging Face hub (extra `hub`), of which
        `revision` is a branch, a tag or a commit. It is kept in that hub's cache. Nothing in a run
        is executed, wherever it comes from.

        Unless `whole`, without lexicon and encoder of equations, which can be made again.

        `index` names the indexes that `similar` searches, together, in place of the run's own;
        "default" is that of the pretrained default.
        """
        if folder is None and not PRETRAINED.is_dir():
            raise RunError(
                "TopicEq comes without a pretrained model here. "
                "Train one: topiceq train CORPUS -o RUN"
            )
        home = PRETRAINED if folder is None else _home(folder, revision)
        run = Run.load(home, device=device, whole=whole)
        model = cls(run.config)
        model._run, model._folder = run, home
        own = PRETRAINED / FOLDER
        model._indexes = tuple(own if name == "default" else Path(name) for name in index)
        return model

    def topics(self, *, words: int = 8, tokens: int = 8, equations: int = 3) -> Topics:
        """The topics, each with its words, characteristic tokens and typical equations."""
        return Topics(topic.short(words, tokens, equations) for topic in self.run.topics)

    def find(self, text: str) -> "npt.NDArray[np.float32]":
        """How probable each topic is for a few words (K,): `model.find("neural network")`."""
        return find_topics(self.run, text)

    @_takes(Infer)
    def infer(self, **parameters: Any) -> Inferred:
        """Probabilities of the topics: of a context, an equation or both (K,), of many (n, K).

        Where an equation has several rows, `rows` of the answer tells what each is about. Of many,
        `errors` tells which cannot be read: their numbers are NaN.
        """
        answer: Inferred = said(self.answer(ask(Infer, parameters)))
        return answer

    def infer_file(
        self,
        input: str | Path,
        output: str | Path,
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        watch: Callable[[int, int], None] | None = None,
        **parameters: Any,
    ) -> dict[str, int]:
        """Topics of a file of equations (Parquet, .jsonl, .txt) as Parquet, a row for each.

        The parameters are those of `topiceq infer --input`: column, context_column, keep,
        all_topics, by, top. It can be stopped and gone on with; `jobs` processes of this machine
        work, or a Dask cluster. The answer: how many rows, how many are not known, and how many
        cannot be read. `watch` is told the first and the last while it works.
        """
        if self._folder is None:
            raise Unsupported("Other processes read the model from its folder. Save and load it.")
        given = {"input": str(input), "output": str(output)} | parameters
        question = ask(InferFile, given)
        return infer_file(self._folder, question, jobs=jobs, cluster=cluster, watch=watch)

    @_takes(Generate, "theta")
    def generate(self, theta: Theta | None = None, **parameters: Any) -> Equations:
        """Equations from a topic, a mixture, a theta or a context.

        With `to` from `steps` points on the way there, greedily unless told otherwise; `beams`
        returns that many most probable ones. Unless `constrained` is False, all are well formed.
        """
        answer: Equations = said(self.answer(ask(Generate, {"theta": theta} | parameters)))
        return answer

    @overload
    def explain(self, symbol: str, **parameters: Any) -> Phrases: ...
    @overload
    def explain(self, symbol: None = None, **parameters: Any) -> Glossary: ...
    @_takes(Explain, "symbol")
    def explain(self, symbol: str | None = None, **parameters: Any) -> Phrases | Glossary:
        """What a symbol means, or every symbol of an equation: phrases, the best first.

        What the context says goes first; then what articles say that are about the same. Without
        phrases, a symbol is not known.
        """
        question = ask(Explain, {"symbol": symbol} | parameters)
        answer: Phrases | Glossary = said(self.answer(question))
        return answer

    @_takes(Similar, "equation")
    def similar(self, equation: str, **parameters: Any) -> Nearest:
        """The nearest equations of the index, best first."""
        question = ask(Similar, {"equation": equation} | parameters)
        answer: Nearest = said(self.answer(question))
        return answer

    def annotate(
        self,
        article: str | Path,
        out: str | Path | None = None,
        *,
        cache: str | Path | None = None,
        glossary: str | Path | None = None,
    ) -> Page:
        """An article with topics and meanings beside its equations; with `out`, also as a page.

        It is a path, or `arXiv:1902.06034`, which is fetched once and kept in the folder `cache`.
        `glossary` is a file for its nomenclature, in LaTeX, CSV or JSON by its suffix.
        """
        terms = None if glossary is None else path_of(glossary)
        folder = None if cache is None else str(cache)
        question = ask(Annotate, {"article": str(article), "cache": folder})
        page = Page(**vars(annotate(self.run, read_article(question))))
        if out is not None:
            page.save(out)
        if terms is not None:
            write(terms, nomenclature(page, terms.suffix))
        return page

    def answer(self, question: Question) -> Any:
        """The answer to any question, with `warnings`: what of it may not be meant so."""
        answer: Any
        match question:
            case Infer(equations=[_, *_] as equations) if len(equations) > PART:
                return self._in_parts(question, equations)
            case Infer():
                found = infer(self.run, question)
                answer = Inferred.of(
                    found.theta, self.run.topics, found.rows, found.errors, found.known
                )
            case Generate():
                answer = Equations(generate(self.run, question))
            case Explain():
                explained = explain(self.run, question, self._aligned(question))
                whole = question.symbol is None
                answer = Glossary(explained) if whole else Phrases(explained[0].phrases)
            case Similar():
                answer = Nearest(similar(self._opened(), question))
            case _:
                raise TypeError(f"{type(question).__name__} has no answer of its own.")
        tokens = self._opened().index.tokens if isinstance(question, Similar) else None
        answer.warnings = all_doubts(question, self.run, tokens)
        return answer

    def _in_parts(self, question: Infer, equations: Sequence[str]) -> Inferred:
        """The answer about many equations, some at a time: what was read is looked at twice."""
        cut = [equations[start : start + PART] for start in range(0, len(equations), PART)]
        parts = [self.answer(question.model_copy(update={"equations": some})) for some in cut]
        about = ("rows", "errors", "known", "warnings")
        rows, errors, known, warned = (
            [each for part in parts for each in getattr(part, name)] for name in about
        )
        whole = Inferred.of(np.concatenate(parts), self.run.topics, rows, errors, known)
        whole.warnings = warned
        return whole

    def _aligned(self, question: Explain) -> Alignments | None:
        """The paper's decoder, if it is asked; made once, for that takes longer than an answer."""
        if question.by == "alignment" and self._alignments is None:
            self._alignments = Alignments(self.run)
        return self._alignments

    def lexicon(self, corpus: Corpus, *, folder: str | Path | None = None) -> Lexicon:
        """Make the lexicon of symbols for `explain` and `annotate` from what a corpus says of them.

        `fit` does it by itself where the corpus has definitions. `save` keeps it with the run; with
        the folder of the run it is written at once.
        """
        self.run.lexicon = build_lexicon(self.run, corpus)
        if folder is not None:
            self.run.lexicon.save(Path(folder))
        return self.run.lexicon

    def index(
        self,
        *origins: Corpus | str | Path,
        manifest: str | Path | None = None,
        folder: str | Path | None = None,
        watch: Callable[[int], None] | None = None,
    ) -> int:
        """Add corpora, or folders of pairs, to what `similar` searches; returns its equations.

        Articles that are there already are replaced. A manifest tells licences and addresses (see
        tasks/sources.py). `save` keeps the index with the run; with the folder of the run it is
        written at once. `watch` is told how many equations are read.
        """
        into = self._opened().index if self.has_index() else None
        index = build_index(origins, into=into, manifest=manifest, watch=watch)
        self._search = Search(index)
        if folder is not None:
            index.save(Path(folder) / FOLDER)
        return len(index)

    def teach(
        self,
        corpus: Corpus,
        *,
        folder: str | Path | None = None,
        watch: Callable[[int, int], None] | None = None,
    ) -> dict[str, float]:
        """Teach the run an encoder of equations, as training does in the end; what it has learned.

        The corpus is the run's own, or one like it. `save` keeps the encoder with the run; with the
        folder of the run it is written at once. `watch` is told how many steps are done, of all.
        """
        self.run.model.require_topics()
        vocabularies = self.run.vocabularies
        encoder = taught_by(self.run.model, corpus, vocabularies, watch=watch)
        self.run.equation_encoder = encoder
        if folder is not None:
            self.run.save_equation_encoder(Path(folder))
        return encoder.facts

    def has_index(self) -> bool:
        """Whether `similar` has something to search."""
        try:
            return len(self._opened().index) > 0
        except (Unsupported, RunError):
            return False

    @property
    def search(self) -> Search:
        """The index that `similar` searches; Unsupported without one."""
        return self._opened()

    def prepare(self) -> None:
        """Make now what the first question would wait for: what a search of the index needs."""
        if self.has_index():
            self._opened().postings  # noqa: B018

    def _opened(self) -> Search:
        """What is searched; from the folders of the indexes when it is first needed."""
        if self._search is None:
            if self._folder is None:
                raise Unsupported(
                    "This model has no index of equations. Make one: model.index(corpus)"
                )
            own = self._folder / FOLDER
            if not self._indexes and not own.is_dir():
                raise Unsupported(
                    f"The run '{self._folder}' has no index of equations. Make one: "
                    f"topiceq index CORPUS --run {self._folder}"
                )
            self._search = Search.open(*(self._indexes or [own]))
        return self._search

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


def _home(folder: str | Path, revision: str | None) -> Path:
    """The folder of a run, which may have to be fetched."""
    if is_name(folder):
        return fetched(str(folder), revision)
    return Path(folder)


def said(answer: Any) -> Any:
    """The answer of a verb, its warnings said as Python says them."""
    many = isinstance(answer, Inferred) and answer.errors
    told = answer.warnings
    if many:
        broken, strange = sum(map(bool, many)), sum(map(bool, told))
        size, told = len(many), []
        if broken:
            told.append(f"{broken:,} of {size:,} equations cannot be read; `errors` tells why.")
        if strange:
            told.append(f"{strange:,} of {size:,} equations have `warnings`.")
    for text in told:
        warnings.warn(text, UserWarning, stacklevel=3)
    return answer


def coherence_on(corpus: Corpus, known: Vocabularies) -> Watch:
    """Numbers to watch while topics form: coherence on the valid split, and distinct words."""
    contexts = corpus.valid.encode(known).order

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
