"""Settings: presets, overrides, the way to TOML and back, and what is said when they are wrong."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topiceq.config import (
    Config,
    CorpusConfig,
    ModelConfig,
    TrainConfig,
    dump_toml,
    load_config,
    preset_names,
)
from topiceq.errors import ConfigError


def test_defaults_are_the_papers_where_the_paper_gives_them() -> None:
    config = load_config()
    assert config.corpus.split == (80, 10, 10)
    assert (config.corpus.min_tokens, config.corpus.max_tokens) == (20, 150)
    assert (config.train.lr, config.train.batch, config.train.clip) == (0.002, 200, 1.0)
    assert (config.model.layers, config.model.dropout, config.model.encoder_units) == (2, 0.5, 300)


def test_the_paper_preset_has_the_papers_sizes() -> None:
    model = load_config("paper").model
    assert (model.topics, model.state, model.embedding, model.layers) == (100, 500, 500, 2)


def test_the_small_preset_has_the_default_model() -> None:
    small, default = load_config("small").model, Config().model
    assert small == default.model_copy(update={"dropout": small.dropout})


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_states_only_differences(name: str) -> None:
    text = (Path(__file__).parents[1] / "configs" / f"{name}.toml").read_text()
    defaults = Config().model_dump()
    for section, values in tomllib.loads(text).items():
        for key, value in values.items():
            assert defaults[section][key] != value, f"{section}.{key}"


def test_presets_are_listed() -> None:
    assert preset_names() == ["debug", "default", "demo", "finetune", "paper", "small"]


@pytest.mark.parametrize("name", [None, *preset_names()])
def test_toml_round_trip(name: str | None) -> None:
    config = load_config(name)
    assert Config.from_toml(config.to_toml()) == config


def test_a_file_keeps_the_defaults_it_does_not_mention(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[train]\nepochs = 3\n")
    assert load_config(file) == Config(train=TrainConfig(epochs=3))
    assert load_config(str(file), ["train.epochs=4"]).train.epochs == 4


@pytest.mark.parametrize(
    ("override", "section", "key", "value"),
    [
        ("model.topics=20", "model", "topics", 20),
        (" model.topics = 20 ", "model", "topics", 20),
        ("train.lr=1e-3", "train", "lr", 0.001),
        ("research.shuffled=true", "research", "shuffled", True),
        ("model.theta=lda", "model", "theta", "lda"),
        ('model.theta="none"', "model", "theta", "none"),
        ("model.decoders=te-lstm", "model", "decoders", ("te-lstm",)),
        ("model.decoders=te-lstm, alignment", "model", "decoders", ("te-lstm", "alignment")),
        ('model.decoders=["bag"]', "model", "decoders", ("bag",)),
        ("model.decoders=[]", "model", "decoders", ()),
        ("corpus.split=0/0/100", "corpus", "split", (0, 0, 100)),
        ("corpus.split=[98, 1, 1]", "corpus", "split", (98, 1, 1)),
        ("corpus.min_df=7", "corpus", "min_df", 7),
    ],
)
def test_overrides(override: str, section: str, key: str, value: object) -> None:
    config = Config().override([override])
    assert getattr(getattr(config, section), key) == value
    assert Config.from_toml(config.to_toml()) == config


def test_the_later_override_wins_and_the_original_stays() -> None:
    config = Config()
    assert config.override(["model.topics=2", "model.topics=3"]).model.topics == 3
    assert config.model.topics == 50


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model.topic=3", "There is no setting 'model.topic'. Did you mean 'model.topics'?"),
        ("topics=3", "There is no setting 'topics'. Did you mean 'model.topics'?"),
        ("modle.topics=3", "There is no setting 'modle.topics'. Did you mean 'model.topics'?"),
        ("model.topics", "'model.topics' changes no setting. Write section.key=value."),
        ("model.theta=gibbs", "model.theta = 'gibbs' is not allowed: Input should be 'vae', 'lda'"),
        (
            "model.topics=0",
            "model.topics = 0 is not allowed: Input should be greater than or equal",
        ),
        ("model.topics=many", "model.topics = 'many' is not allowed: Input should be a valid int"),
        ("model.dropout=1", "model.dropout = 1 is not allowed: Input should be less than 1."),
        ("train.lr=nan", "train.lr = nan is not allowed: Input should be a finite number"),
        ("corpus.split=80/10", "corpus.split = '80/10' is not allowed: train, valid and test are"),
        ("corpus.split=80/10/5", "percentages that sum to 100, as 80/10/10."),
        ("corpus.split=110/-10/0", "percentages that sum to 100, as 80/10/10."),
        (
            "corpus.min_tokens=200",
            "max_tokens = 150 is not allowed: it is below corpus.min_tokens.",
        ),
        ("corpus.split=7", "corpus.split = 7 is not allowed: train, valid and test are"),
    ],
)
def test_wrong_overrides_say_what_is_wrong(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(None, [override])
    assert message in str(error.value)


def test_sections_made_in_python_are_checked_too() -> None:
    with pytest.raises(ConfigError, match="'corpus.min_token'. Did you mean 'corpus.min_tokens'"):
        CorpusConfig(min_token=3)
    with pytest.raises(ConfigError, match="train.batch = 1 is not allowed"):
        TrainConfig(batch=1)


def test_wrong_toml_is_refused() -> None:
    with pytest.raises(ConfigError, match="There is no setting 'modle'. Did you mean 'model'?"):
        Config.from_toml("[modle]\ntopics = 3")
    with pytest.raises(ConfigError, match=r"model = 3 in the settings: write \[model\], then keys"):
        Config.from_toml("model = 3")
    with pytest.raises(ConfigError, match="the settings is not TOML"):
        Config.from_toml("topics: 3")


def test_an_unknown_preset_or_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        load_config("smal")
    assert str(error.value) == (
        "There is no preset 'smal'. Did you mean 'small'? Presets: debug, default, demo, finetune, "
        "paper, small; or give the path of a .toml file."
    )
    with pytest.raises(ConfigError, match="missing.toml' cannot be read"):
        load_config(tmp_path / "missing.toml")


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        ModelConfig().topics = 3  # type: ignore[misc]


values = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)


@given(st.dictionaries(st.from_regex(r"\A[a-z_]{1,9}\Z"), values | st.lists(values, max_size=3)))
def test_any_flat_section_survives_toml(section: dict[str, object]) -> None:
    assert tomllib.loads(dump_toml({"section": section})) == {"section": section}


def test_what_only_research_changes_is_found_where_it_was() -> None:
    config = Config.from_toml("[model]\ntopics = 3\nencoder = 'dense'\n[train]\npull = 2.0")
    assert (config.model.topics, config.research.encoder, config.research.pull) == (3, "dense", 2)
    with pytest.raises(ConfigError, match="'model.encoder'. Did you mean 'research.encoder'"):
        load_config(None, ["model.encoder=dense"])


def test_none_is_left_out() -> None:
    assert dump_toml({"corpus": {"seed": 0, "min_df": None}}) == "[corpus]\nseed = 0\n"
