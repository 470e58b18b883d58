"""The default run, as it ships: small, named, and right about what everybody knows."""

import json

import pytest
from calling import call

from topiceq import TopicEq
from topiceq.api import PRETRAINED

QUANTUM = {"quantum", "hamiltonian", "operator", "operators", "states", "wave", "electron", "spin"}
SCHROEDINGER = r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi"


@pytest.fixture(scope="module")
def model() -> TopicEq:
    return TopicEq.load()


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in PRETRAINED.rglob("*")) <= 45_000_000


def test_every_topic_has_a_short_name_of_its_own(model: TopicEq) -> None:
    labels = [topic.label for topic in model.topics()]
    assert len(labels) == len(set(labels)) == 100
    assert max(len(label) for label in labels) <= 32


def test_the_card_names_sources_licences_and_scores() -> None:
    card = (PRETRAINED / "README.md").read_text(encoding="utf-8")
    sources = card.partition("## Sources")[2]
    assert sources.count("| CC-BY-SA-4.0 |") > 10 and sources.count("\n| ") > 150
    for title in ("Scores on held-out pairs", "Known equations", "Limits", "How to train it again"):
        assert f"## {title}" in card


def test_the_schroedinger_equation_is_quantum(model: TopicEq) -> None:
    theta = model.infer(equation=SCHROEDINGER)
    assert QUANTUM & set(model.topics(words=20)[int(theta.argmax())].words)


def test_symbols_mean_what_they_do_in_the_field(model: TopicEq) -> None:
    found = model.explain(equation=SCHROEDINGER)
    phrases = {one.symbol: [phrase.phrase for phrase in one.phrases] for one in found}
    assert any("hamiltonian" in phrase for phrase in phrases[r"\hat { H }"])


def test_it_writes_and_finds(model: TopicEq) -> None:
    (written,) = model.generate(context="The eigenvalues of a symmetric matrix are real.", seed=1)
    assert written.finished and len(written.tokens) > 3
    assert len(model.similar(SCHROEDINGER, count=5)) == 5


def test_verbs_use_it_without_a_run() -> None:
    done = call("infer", "--equation", SCHROEDINGER)
    assert done.code == 0
    assert json.loads(done.out)["topics"][0]["p"] > 0.1
    assert call("explain", "E", "--theta", "3").code == 0
    assert call("topics").code == 0
