"""The run folder: everything about one trained model, readable without training code.

    config.toml                          the settings, resolved
    words.txt tokens.txt phrases.txt     the vocabularies
    model.safetensors                    the weights, with the vocabularies' digests
    topics.json                          words, tokens and typical equations of each topic
    topics.toml                          labels and the like by hand, if there are any (steering.py)
    equations.safetensors                the encoder of equations (equation_encoder.py)
    history.jsonl                        the records of the loop (history.py)
    lexicon/                             what symbols mean, if the corpus says so (lexicon.py)
    record.json                          which TopicEq made it, and a self-test (record.py)
    scores.json                          numbers on held-out pairs, once there are any
    README.md                            a model card (card.py)
    state/                               what --resume needs (resume.py)

`Run.load` refuses a folder whose parts do not fit together, and says which.
"""

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from topiceq.article.equation.rules import SPECIAL
from topiceq.config import Config
from topiceq.corpus.vocab import Vocabularies
from topiceq.errors import ConfigError, CorpusError, RunError
from topiceq.files import (
    MAX_TOML,
    Kind,
    check_plain,
    parse_json,
    read_as,
    read_text,
    replacing,
    write_text,
)
from topiceq.model.card import card
from topiceq.model.decoders import Sizes
from topiceq.model.equation_encoder import EquationEncoder
from topiceq.model.history import read_history
from topiceq.model.joint import JointModel
from topiceq.model.lexicon import Lexicon, load_lexicon
from topiceq.model.record import Record
from topiceq.model.steering import read_changes, steered
from topiceq.model.topics import Floats, Topic, topics_of

WEIGHTS, EQUATIONS = "model.safetensors", "equations.safetensors"
Weights = Mapping[str, Tensor]


@dataclass
class Run:
    """One trained model with its vocabularies, topics and facts."""

    config: Config
    vocabularies: Vocabularies
    model: JointModel
    topics: list[Topic] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)  # how it was trained, for the card
    history: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[str, Any] = field(default_factory=dict)
    record: Record | None = None  # once training is over
    lexicon: Lexicon | None = None  # what symbols mean; its tables stay on the disk
    equation_encoder: EquationEncoder | None = None  # of a run with topics, once training is over
    _beta: Floats | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.words, self.tokens, self.phrases = self.vocabularies

    @property
    def beta(self) -> Floats:
        """The topics (K, V); computed once, when the training is over."""
        if self.model.training:
            return topics_of(self.model)
        if self._beta is None:
            self._beta = topics_of(self.model)
        return self._beta

    @property
    def shares(self) -> Floats:
        """What the corpus is about (K,); every topic alike while the training is not over."""
        shares = np.array([topic.share for topic in self.topics], dtype=np.float32)
        if not shares.any():
            shares = np.ones(self.config.model.topics, dtype=np.float32)
        shares /= shares.sum()
        return shares

    def save(self, folder: str | Path, *, half: bool = False) -> None:
        """Write the run; in half precision the weights take half the space."""
        folder = Path(folder)
        self.save_settings(folder)
        self.save_weights(folder, self.model.state_dict(), half=half)
        topics = {"topics": [asdict(topic) for topic in self.topics]}
        write_text(folder / "topics.json", json.dumps(topics, ensure_ascii=False, indent=1),
                   follow=False)  # fmt: skip
        if self.history:
            lines = (json.dumps(record) + "\n" for record in self.history)
            write_text(folder / "history.jsonl", "".join(lines), follow=False)
        self.save_equation_encoder(folder)
        self.save_record(folder)
        if self.lexicon is not None:
            self.lexicon.save(folder)
        self.save_scores(folder, self.scores)

    def save_settings(self, folder: Path) -> None:
        """Write what is known before training: settings and vocabularies."""
        folder.mkdir(parents=True, exist_ok=True)
        self.vocabularies.save(folder)
        write_text(folder / "config.toml", self.config.to_toml(), follow=False)

    def save_weights(self, folder: Path, weights: Weights, *, half: bool = False) -> None:
        """Write weights, with what they belong to."""
        kept = {n: t.half() if half and t.is_floating_point() else t for n, t in weights.items()}
        metadata = self.vocabularies.digests() | {"facts": json.dumps(self.facts)}
        with replacing(folder / WEIGHTS, follow=False) as partial:
            partial.write_bytes(save({n: t.cpu().contiguous() for n, t in kept.items()}, metadata))

    def save_equation_encoder(self, folder: Path) -> None:
        """Write the encoder of equations, with what it belongs to."""
        if self.equation_encoder:
            self.equation_encoder.save(folder / EQUATIONS, self.teacher())

    def teacher(self) -> dict[str, str]:
        """What an encoder of equations belongs to: the tokens that it reads, and a training."""
        training = json.dumps(self.facts, sort_keys=True).encode()
        return {"tokens": self.tokens.digest, "training": hashlib.sha256(training).hexdigest()}

    def save_record(self, folder: Path) -> None:
        """Write which TopicEq made the run, and its self-test."""
        if self.record:
            text = json.dumps(asdict(self.record), ensure_ascii=False, indent=1)
            write_text(folder / "record.json", text + "\n", follow=False)

    def check(self) -> None:
        """RunError if this TopicEq reads or judges equations differently than was recorded."""
        if self.record is None:
            raise RunError("This run has no record of how it was made. Train it again.")
        record = self.record
        if reason := record.misread() or record.misjudged(self.model, self.tokens):
            raise RunError(f"This run {reason}. Train it again, or use TopicEq {record.topiceq}.")

    def save_scores(self, folder: str | Path, scores: Mapping[str, Any]) -> None:
        """Write numbers on held-out pairs into the folder, and into its card.

        What was scored before on the same pairs and is not scored now is kept.
        """
        same = all(self.scores.get(name) == scores.get(name) for name in ("corpus", "split"))
        self.scores = {**(self.scores if same else {}), **scores}
        if scores:
            text = json.dumps(self.scores, indent=1) + "\n"
            write_text(Path(folder) / "scores.json", text, follow=False)
        write_text(Path(folder) / "README.md", card(self), follow=False)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu", whole: bool = True) -> "Run":
        """Read a run; RunError says what is wrong if it does not fit together.

        Unless `whole`, without what is made from the rest: to make a damaged lexicon again.
        """
        folder = Path(folder)
        if not (folder / "config.toml").is_file():
            raise RunError(f"'{folder}' is not a run. Train one: topiceq train CORPUS -o {folder}")
        config, vocabularies = read_settings(folder)
        weights, facts = _read_weights(folder, vocabularies)
        _check_shapes(folder, weights, _wanted(folder, config, vocabularies))
        run = new_run(config, vocabularies)
        run.facts = facts
        run.model.load_state_dict(weights)
        run.model.eval().to(device)
        changes = read_changes(folder, run.config.model.topics)
        run.topics = steered(_read_topics(folder, run), changes)
        run.history = _read_history(folder)
        if (folder / "scores.json").exists():
            run.scores = _read_as(dict[str, Any], folder / "scores.json")
        run.record = _read_record(folder)
        if whole:
            run.lexicon = load_lexicon(folder, run.config.model.topics)
            run.equation_encoder = _read_equation_encoder(folder, run)
        return run


def new_run(config: Config, vocabularies: Vocabularies) -> Run:
    """A run with untrained weights."""
    sizes = Sizes(*map(len, vocabularies))
    return Run(config, vocabularies, JointModel(config.model, sizes, config.research))


def read_settings(folder: Path) -> tuple[Config, Vocabularies]:
    """The settings and vocabularies of a folder."""
    try:
        config = Config.from_toml(read_text(folder / "config.toml", MAX_TOML), "config.toml")
        vocabularies = Vocabularies.load(folder)
    except (OSError, ValueError, ConfigError, CorpusError) as error:
        raise _misfit(folder, str(error)) from error
    if tuple(vocabularies.tokens)[: len(SPECIAL)] != SPECIAL:
        raise _misfit(folder, f"tokens.txt does not begin with {' '.join(SPECIAL)}")
    return config, vocabularies


def _wanted(folder: Path, config: Config, vocabularies: Vocabularies) -> Weights:
    """The weights that the settings ask for, without their memory: it may be more than there is."""
    try:
        with torch.device("meta"):
            return new_run(config, vocabularies).model.state_dict()
    except ConfigError as error:
        raise _misfit(folder, str(error)) from error


def _read_weights(
    folder: Path, vocabularies: Vocabularies
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights in full precision, and the facts."""
    path = folder / WEIGHTS
    if not path.exists():
        raise RunError(
            f"The run '{folder}' has no weights yet: its first epoch is not over. "
            f"Go on: topiceq train CORPUS -o {folder} --resume"
        )
    try:
        check_plain(path)
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}
    except (OSError, SafetensorError) as error:
        raise _misfit(folder, f"{WEIGHTS} cannot be read ({error})") from error
    for name, digest in vocabularies.digests().items():
        if metadata.get(name) != digest:
            raise _misfit(folder, f"{name}.txt is not the one of the weights")
    full = {n: t.float() if t.dtype == torch.float16 else t for n, t in weights.items()}
    return full, _facts(folder, metadata.get("facts", "{}"))


def _facts(folder: Path, text: str) -> dict[str, Any]:
    """How a run was trained; what is shown of it must be tables."""
    try:
        facts = parse_json(text)
        if not all(isinstance(table, dict) for table in
                   (facts, facts.get("pairs", {}), facts.get("valid", {}))):  # fmt: skip
            raise ValueError("a table is missing")
    except (ValueError, AttributeError) as error:
        raise _misfit(folder, f"the facts in {WEIGHTS} are damaged ({error})") from error
    return dict(facts)


def _check_shapes(folder: Path, found: Weights, wanted: Weights) -> None:
    for name in sorted(found.keys() - wanted.keys()):
        raise _misfit(folder, f"{WEIGHTS} has '{name}', which config.toml has no place for")
    for name, tensor in wanted.items():
        if name not in found:
            raise _misfit(folder, f"'{name}' is missing from {WEIGHTS}")
        if found[name].shape != tensor.shape:
            shapes = f"{tuple(found[name].shape)}, but config.toml asks for {tuple(tensor.shape)}"
            raise _misfit(folder, f"'{name}' in {WEIGHTS} is {shapes}")
        if not found[name].isfinite().all():
            raise _misfit(folder, f"'{name}' in {WEIGHTS} has what is not a finite number")


def _read_record(folder: Path) -> Record | None:
    """The record, if there is one; what is read differently here is said at once."""
    if not (folder / "record.json").exists():
        return None
    record = _read_as(Record, folder / "record.json")
    if reason := record.misread():
        warnings.warn(
            f"The run '{folder}' {reason}. Equations become other tokens than it has learned. "
            f"Train it again, or use TopicEq {record.topiceq}.",
            UserWarning,
            stacklevel=4,
        )
    return record


def _read_equation_encoder(folder: Path, run: Run) -> EquationEncoder | None:
    """The encoder of equations; None in a run of an earlier time, or while it is trained."""
    path, again = folder / EQUATIONS, f"Teach it again: topiceq encoder {folder} CORPUS"
    if not path.exists():
        return None
    try:
        encoder, teacher = EquationEncoder.load(path, run.tokens, run.config.model.topics)
    except ValueError as error:
        raise RunError(f"In the run '{folder}' {error}. {again}") from error
    if teacher != run.teacher():
        raise RunError(f"In the run '{folder}' {EQUATIONS} belongs to another training. {again}")
    return encoder


def _read_topics(folder: Path, run: Run) -> list[Topic]:
    """The topics; none if the training is not over yet."""
    if not (folder / "topics.json").exists():
        return []
    read = _read_as(dict[str, list[Topic]], folder / "topics.json").get("topics", [])
    if read and len(read) != run.config.model.topics:
        topics = run.config.model.topics
        raise _misfit(folder, f"topics.json has {len(read)} topics, config.toml {topics}")
    for number, topic in enumerate(read):
        if topic.id != number or not 0 <= topic.share <= 1:
            raise _misfit(folder, f"topic {number} of topics.json is none")
        if foreign := set(topic.words).difference(run.words):
            raise _misfit(folder, f"topics.json has '{min(foreign)}', which words.txt has not")
    return read


def _read_history(folder: Path) -> list[dict[str, Any]]:
    try:
        return read_history(folder / "history.jsonl")
    except (OSError, ValueError) as error:
        raise _misfit(folder, f"history.jsonl cannot be read ({error})") from error


def _read_as(kind: type[Kind], path: Path) -> Kind:
    try:
        return read_as(kind, path)
    except (OSError, ValueError) as error:
        raise _misfit(path.parent, f"{path.name} cannot be read ({error})") from error


def _misfit(folder: Path, reason: str) -> RunError:
    end = "" if reason.endswith((".", "?")) else "."
    return RunError(f"The run '{folder}' does not fit together: {reason}{end}")
