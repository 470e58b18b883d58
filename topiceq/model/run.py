"""The run folder: everything about one trained model, readable without training code.

    config.toml                          the settings, resolved
    words.txt tokens.txt phrases.txt     the vocabularies
    model.safetensors                    the weights, with the vocabularies' digests
    topics.json                          words, tokens and typical equations of each topic
    history.jsonl                        the records of the loop (history.py)
    scores.json                          numbers on held-out pairs, once there are any
    README.md                            a model card (card.py)
    state/                               what --resume needs (state.py)

`Run.load` refuses a folder whose parts do not fit together, and says which.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from topiceq.config import Config
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError, CorpusError, RunError
from topiceq.model.card import card
from topiceq.model.decoders import Sizes
from topiceq.model.files import replacing, write_text
from topiceq.model.history import read_history
from topiceq.model.joint import JointModel
from topiceq.model.topics import Topic, Typical

VOCABULARIES = ("words", "tokens", "phrases")
WEIGHTS = "model.safetensors"
Weights = Mapping[str, Tensor]


@dataclass
class Run:
    """One trained model with its vocabularies, topics and facts."""

    config: Config
    words: Vocab
    tokens: Vocab
    phrases: Vocab
    model: JointModel
    topics: list[Topic] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)  # how it was trained, for the card
    history: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[str, Any] = field(default_factory=dict)

    def save(self, folder: str | Path, *, half: bool = False) -> None:
        """Write the run; in half precision the weights take half the space."""
        folder = Path(folder)
        self.save_settings(folder)
        self.save_weights(folder, self.model.state_dict(), half=half)
        topics = {"topics": [asdict(topic) for topic in self.topics]}
        write_text(folder / "topics.json", json.dumps(topics, ensure_ascii=False, indent=1))
        if self.history:
            lines = (json.dumps(record) + "\n" for record in self.history)
            write_text(folder / "history.jsonl", "".join(lines))
        self.save_scores(folder, self.scores)

    def save_settings(self, folder: Path) -> None:
        """Write what is known before training: settings and vocabularies."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in VOCABULARIES:
            with replacing(folder / f"{name}.txt") as partial:
                getattr(self, name).save(partial)
        write_text(folder / "config.toml", self.config.to_toml())

    def save_weights(self, folder: Path, weights: Weights, *, half: bool = False) -> None:
        """Write weights, with what they belong to."""
        kept = {n: t.half() if half and t.is_floating_point() else t for n, t in weights.items()}
        metadata = {name: getattr(self, name).digest for name in VOCABULARIES}
        metadata["facts"] = json.dumps(self.facts)
        with replacing(folder / WEIGHTS) as partial:
            save_file({n: t.cpu().contiguous() for n, t in kept.items()}, partial, metadata)

    def save_scores(self, folder: str | Path, scores: Mapping[str, Any]) -> None:
        """Write numbers on held-out pairs into the folder, and into its card.

        What was scored before on the same pairs and is not scored now is kept.
        """
        same = all(self.scores.get(name) == scores.get(name) for name in ("corpus", "split"))
        self.scores = {**(self.scores if same else {}), **scores}
        if scores:
            write_text(Path(folder) / "scores.json", json.dumps(self.scores, indent=1) + "\n")
        write_text(Path(folder) / "README.md", card(self))

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu") -> "Run":
        """Read a run; RunError says what is wrong if it does not fit together."""
        folder = Path(folder)
        if not (folder / "config.toml").is_file():
            raise RunError(f"'{folder}' is not a run. Train one: topiceq train CORPUS -o {folder}")
        run = read_settings(folder)
        weights, run.facts = _read_weights(folder, run)
        _check_shapes(folder, weights, run.model.state_dict())
        run.model.load_state_dict(weights)
        run.model.eval().to(device)
        run.topics = _read_topics(folder, run.config.model.topics)
        run.history = read_history(folder / "history.jsonl")
        run.scores = _read_json(folder / "scores.json") if (folder / "scores.json").exists() else {}
        return run


def new_run(config: Config, words: Vocab, tokens: Vocab, phrases: Vocab) -> Run:
    """A run with untrained weights."""
    sizes = Sizes(len(words), len(tokens), len(phrases))
    return Run(config, words, tokens, phrases, JointModel(config.model, sizes))


def read_settings(folder: Path) -> Run:
    """The run of a folder with untrained weights: its settings and vocabularies."""
    try:
        config = Config.from_toml((folder / "config.toml").read_text(encoding="utf-8"))
        return new_run(config, *(Vocab.load(folder / f"{name}.txt") for name in VOCABULARIES))
    except (OSError, ConfigError, CorpusError) as error:
        raise _misfit(folder, str(error)) from error


def _read_weights(folder: Path, run: Run) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights in full precision, and the facts."""
    path = folder / WEIGHTS
    if not path.exists():
        raise RunError(
            f"The run '{folder}' has no weights yet: its first epoch is not over. "
            f"Go on: topiceq train CORPUS -o {folder} --resume"
        )
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}
    except (OSError, SafetensorError) as error:
        raise _misfit(folder, f"{WEIGHTS} cannot be read ({error})") from error
    for name in VOCABULARIES:
        if metadata.get(name) != getattr(run, name).digest:
            raise _misfit(folder, f"{name}.txt is not the one of the weights")
    full = {n: t.float() if t.dtype == torch.float16 else t for n, t in weights.items()}
    return full, json.loads(metadata.get("facts", "{}"))


def _check_shapes(folder: Path, found: Weights, wanted: Weights) -> None:
    for name in sorted(found.keys() - wanted.keys()):
        raise _misfit(folder, f"{WEIGHTS} has '{name}', which config.toml has no place for")
    for name, tensor in wanted.items():
        if name not in found:
            raise _misfit(folder, f"'{name}' is missing from {WEIGHTS}")
        if found[name].shape != tensor.shape:
            shapes = f"{tuple(found[name].shape)}, but config.toml asks for {tuple(tensor.shape)}"
            raise _misfit(folder, f"'{name}' in {WEIGHTS} is {shapes}")


def _read_topics(folder: Path, topics: int) -> list[Topic]:
    """The topics; none if the training is not over yet."""
    if not (folder / "topics.json").exists():
        return []
    read = [_topic(**topic) for topic in _read_json(folder / "topics.json")["topics"]]
    if read and len(read) != topics:
        raise _misfit(folder, f"topics.json has {len(read)} topics, config.toml {topics}")
    return read


def _topic(equations: list[dict[str, Any]], **values: Any) -> Topic:
    return Topic(**values, equations=[Typical(**equation) for equation in equations])


def _read_json(path: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _misfit(path.parent, f"{path.name} cannot be read ({error})") from error
    return read


def _misfit(folder: Path, reason: str) -> RunError:
    end = "" if reason.endswith((".", "?")) else "."
    return RunError(f"The run '{folder}' does not fit together: {reason}{end}")
