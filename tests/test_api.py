"""The public face: settings in, a model that can be saved and asked."""

from pathlib import Path

import numpy as np
import pytest

from topiceq import TopicEq
from topiceq.config import load_config
from topiceq.corpus.extract import extract
from topiceq.corpus.store import Corpus
from topiceq.errors import ConfigError, NotFitted, RunError

ARTICLES = Path(__file__).parents[1] / "examples" / "articles"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.build(extract(ARTICLES))


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> TopicEq:
    return TopicEq(load_config("debug")).fit(corpus)


def test_settings_by_their_short_names() -> None:
    model = TopicEq(topics=7, epochs=2)
    assert (model.config.model.topics, model.config.train.epochs) == (7, 2)
    assert repr(model) == "TopicEq(7 topics, te-lstm, not trained)"


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ConfigError, match="no setting 'topic'. Did you mean topics?"):
        TopicEq(topic=7)


def test_a_model_must_be_trained_before_it_is_asked() -> None:
    with pytest.raises(NotFitted, match=r"Call fit\(corpus\), or TopicEq.load\(RUN\)."):
        TopicEq().topics()


def test_topics_have_words_tokens_and_equations(model: TopicEq) -> None:
    found = model.topics(words=5, tokens=4, equations=2)
    assert len(found) == model.config.model.topics
    assert [topic.id for topic in found] == list(range(len(found)))
    for topic in found:
        assert (len(topic.words), len(topic.tokens), len(topic.equations)) == (5, 4, 2)
    assert sum(topic.share for topic in found) == pytest.approx(1, abs=1e-4)


def test_saved_and_loaded_it_is_the_same(model: TopicEq, tmp_path: Path) -> None:
    model.save(tmp_path / "run")
    again = TopicEq.load(tmp_path / "run")
    assert again.topics() == model.topics()
    for name, tensor in model.run.model.state_dict().items():
        assert np.array_equal(tensor.numpy(), again.run.model.state_dict()[name].numpy())


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run. Train one: topiceq train CORPUS -o"):
        TopicEq.load(tmp_path)


def test_steps_tell_how_topics_form(corpus: Corpus) -> None:
    epochs = [s for s in TopicEq(load_config("debug")).steps(corpus) if s.valid]
    assert epochs and all(-1 <= step.valid["npmi"] <= 1 for step in epochs if step.valid)
