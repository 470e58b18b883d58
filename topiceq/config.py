"""Settings: four frozen sections, TOML presets, and `section.key=value` overrides.

In goes the name of a preset (or the path of a TOML file) and overrides; out comes one `Config`
whose values are all checked. Every default below carries its source. An unknown name or a value
that is not allowed is a `ConfigError`, also when a section is made in Python.
"""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import tomli_w
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from topiceq.errors import ConfigError
from topiceq.files import MAX_TOML, parse_toml, read_text

Count = Annotated[int, Field(ge=1)]
Size = Annotated[int, Field(ge=1, le=100_000)]  # of a table; far above what any memory holds
Natural = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, lt=1)]


_SPLIT_FORM = "train, valid and test are percentages that sum to 100, as 80/10/10"


class _Checked(BaseModel):
    """A frozen pydantic model that says what is wrong in our own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **values: Any) -> None:
        for name in values:
            if name not in type(self).model_fields:
                raise ConfigError(_no_such(self._prefix() + name, self._own_names()))
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError(self._message(error, values)) from None

    @classmethod
    def _prefix(cls) -> str:
        return cls.__name__.removesuffix("Config").lower() + "."

    @classmethod
    def _own_names(cls) -> list[str]:
        return [cls._prefix() + key for key in cls.model_fields]

    def _message(self, error: ValidationError, values: dict[str, Any]) -> str:
        first = error.errors()[0]
        name = str(first["loc"][0])
        reason = first["msg"].removeprefix("Value error, ")
        return f"{self._prefix()}{name} = {values[name]!r} is not allowed: {reason}."


class CorpusConfig(_Checked):
    """From articles to a corpus."""

    min_tokens: Count = 20  # of an equation (paper)
    max_tokens: Count = 150  # of an equation (paper)
    rows: Literal["paper", "split"] = "split"  # a display of several: none, or each (ours: each)
    sentences: Count = 5  # before the equation, and as many after it (paper)
    split: tuple[int, int, int] = (80, 10, 10)  # percent of pairs: train, valid, test (paper)
    seed: int = 0  # of the split (ours)
    token_vocab: Count = 1_000  # most frequent tokens of train (paper)
    phrase_vocab: Count = 2_000  # most frequent phrases of train's immediate contexts (paper)
    min_df: Count | None = None  # None: max(5, pairs / 4000) (paper: 100 of 400K; ours: scaled)

    @field_validator("max_tokens")
    @classmethod
    def _check_range(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("min_tokens", value):
            raise ValueError("it is below corpus.min_tokens")
        return value

    @field_validator("split", mode="before")
    @classmethod
    def _read_split(cls, value: object) -> object:
        parts = value.split("/") if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or len(parts) != 3:
            raise ValueError(_SPLIT_FORM)
        return tuple(parts)

    @field_validator("split")
    @classmethod
    def _check_split(cls, value: tuple[int, int, int]) -> tuple[int, int, int]:
        if min(value) < 0 or sum(value) != 100:
            raise ValueError(_SPLIT_FORM)
        return value


class ModelConfig(_Checked):
    """Where theta comes from and what it writes."""

    topics: Size = 50  # K (paper: 50 and 100)
    theta: Literal["vae", "lda", "none"] = "vae"  # full model (paper)
    decoders: tuple[str, ...] = ("te-lstm",)  # full model (paper)
    encoder_units: Size = 300  # (paper)
    state: Size = 256  # (ours: half the paper's 500, what two CPU cores train in hours)
    embedding: Size = 256  # (ours: the paper gives none)
    layers: Annotated[int, Field(ge=1, le=64)] = 2  # (paper)
    dropout: Share = 0.5  # on each layer (paper)
    symbols: Size = 200  # L, of the alignment (paper)
    residual: bool = False  # alignment A_0 + W_a diag(W_b theta) W_c (ours: off, as in the paper)

    @field_validator("decoders", mode="before")
    @classmethod
    def _read_decoders(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value


class TrainConfig(_Checked):
    """The loop."""

    lr: Rate = 0.002  # Adam (paper)
    lr_end: Annotated[float, Field(gt=0, le=1)] = 1.0  # share of lr left in the end (paper: all)
    topic_lr: Rate = 0.002  # of beta, W_g, b_g (ours; 0.01 with start = "frequency")
    decoder_lr: Rate | None = None  # of the decoders; None: lr (paper: one rate for all)
    batch: Annotated[int, Field(ge=2)] = 200  # (paper); batch-norm needs two pairs
    clip: Rate = 1.0  # norm of the gradient (paper)
    epochs: Natural = 20  # (ours: the paper gives none; early stopping ends most runs)
    topic_epochs: Natural = 4  # topics alone, before the joint training (ours: measured)
    kl_warmup: Natural = 1_500  # steps until the KL counts in full (ours; 8_000 for "frequency")
    diversity: Weight = 50.0  # lambda, in nats a pair (ours: the paper gives none; measured)
    patience: Count = 3  # epochs without a better validation loss (ours)
    seed: int = 0  # (ours)
    threads: Natural = 0  # of the CPU; 0: all cores (ours)


class ResearchConfig(_Checked):
    """What only experiments change: controls, and a row of the paper."""

    encoder: Literal["topics", "both", "dense"] = "topics"  # (paper); ours: both, a control
    theta_from: Literal["own", "other"] = "own"  # (paper); other article's theta: a control (ours)
    start: Literal["nmf", "lda", "frequency"] = "nmf"  # of beta (ours: in order of coherence)
    pull: Weight = 1.0  # of the equations on theta; 1 is the ELBO (paper)
    teachers: Literal["none", "near", "random"] = "none"  # whose words theta writes too (ours)
    shuffled: bool = False  # tokens of training equations in random order (paper: one row)


class Config(_Checked):
    """All settings of a run.

    >>> Config().override(["model.topics=20"]).model.topics
    20
    """

    corpus: CorpusConfig = CorpusConfig()
    model: ModelConfig = ModelConfig()
    train: TrainConfig = TrainConfig()
    research: ResearchConfig = ResearchConfig()

    @classmethod
    def _prefix(cls) -> str:
        return ""

    @classmethod
    def names(cls) -> list[str]:
        """All settings as `section.key`."""
        sections = (CorpusConfig, ModelConfig, TrainConfig, ResearchConfig)
        return [name for section in sections for name in section._own_names()]

    def override(self, overrides: Iterable[str]) -> "Config":
        """A new Config with some `section.key=value` changed; the later of two wins."""
        changed = self.model_dump(exclude_none=True)
        for override in overrides:
            section, key, value = _parse(override)
            changed[section][key] = value
        return Config(**changed)

    def to_toml(self) -> str:
        """As TOML; a setting that is None is left out."""
        return dump_toml(self.model_dump())

    @classmethod
    def from_toml(cls, text: str, name: str = "the settings") -> Self:
        """From TOML; what is not mentioned keeps its default."""
        try:
            values = parse_toml(text)
        except ValueError as error:
            raise ConfigError(f"{name} is not TOML: {error}.") from None
        for section, keys in values.items():
            if section in cls.model_fields and not isinstance(keys, dict):
                raise ConfigError(f"{section} = {keys!r} in {name}: write [{section}], then keys.")
        for section in ("model", "train"):  # where runs of an earlier time have them
            for key in ResearchConfig.model_fields.keys() & values.get(section, {}).keys():
                values.setdefault("research", {})[key] = values[section].pop(key)
        return cls(**values)


def load_config(preset: str | Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """The settings of a preset (by name), of a TOML file (by path), or the defaults; then changed.

    A name without folder and ending is a preset; anything else is a path.
    """
    if preset is None:
        return Config().override(overrides)
    path = _find(preset)
    try:
        text = read_text(path, MAX_TOML)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The settings '{path}' cannot be read: {error}.") from error
    return Config.from_toml(text, f"'{path}'").override(overrides)


def preset_names() -> list[str]:
    """The presets that come with TopicEq."""
    return sorted(path.stem for path in _presets().glob("*.toml"))


def _presets() -> Path:
    """topiceq/presets/ where the package is installed, configs/ in the repository."""
    installed = Path(__file__).with_name("presets")
    return installed if installed.is_dir() else Path(__file__).parents[1] / "configs"


def _find(preset: str | Path) -> Path:
    if isinstance(preset, Path) or "/" in preset or preset.endswith(".toml"):
        return Path(preset)
    path = _presets() / f"{preset}.toml"
    if path.is_file():
        return path
    close = difflib.get_close_matches(preset, preset_names(), 1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise ConfigError(
        f"There is no preset '{preset}'.{hint} Presets: {', '.join(preset_names())}; "
        "or give the path of a .toml file."
    )


def _parse(override: str) -> tuple[str, str, object]:
    name, equals, text = override.partition("=")
    name, text = name.strip(), text.strip()
    if not equals:
        raise ConfigError(f"'{override}' changes no setting. Write section.key=value.")
    if name not in Config.names():
        raise ConfigError(_no_such(name, Config.names()))
    section, _, key = name.partition(".")
    return section, key, _value(text)


def _value(text: str) -> object:
    """A TOML value, or the text itself where it is none: `model.theta=lda` needs no quotes."""
    try:
        parsed = parse_toml(f"value = {text}")
    except ValueError:
        return text
    return parsed["value"]


def _no_such(name: str, known: list[str]) -> str:
    elsewhere = [other for other in known if other.rpartition(".")[2] == name.rpartition(".")[2]]
    close = elsewhere or difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean '{close[0]}'?" if close else f"Settings: {', '.join(known)}."
    return f"There is no setting '{name}'. {hint}"


def dump_toml(sections: Mapping[str, Mapping[str, object]]) -> str:
    """Flat sections as TOML; what is None is left out."""
    return tomli_w.dumps(
        {name: {k: v for k, v in keys.items() if v is not None} for name, keys in sections.items()}
    )
