"""Meanings of symbols: those that were planted are found, and questions are answered or refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import PHRASES, SYMBOLS, TOPICS, WORDS, planted_config

from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences
from topiceq.corpus.store import Corpus
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.run import Run
from topiceq.model.train import Training
from topiceq.questions import Explain, ask
from topiceq.tasks.explain import Explained, Meanings, Phrase, symbols_of
from topiceq.tasks.explain import explain as answer_explain
from topiceq.views.notebook import Glossary
from topiceq.views.shapes import explained_shape, phrase_shape


def explain(run: Run, symbol: str | None = None, **parameters: Any) -> Any:
    explained = answer_explain(Meanings(run), ask(Explain, {"symbol": symbol} | parameters))
    return explained if symbol is None else explained[0].phrases


def symbols(latex: str) -> list[str]:
    return [symbol.latex for symbol in symbols_of(occurrences(parse(latex)))]


@pytest.mark.parametrize("paper_order", [False, True])
@pytest.mark.parametrize("topic", range(TOPICS))
def test_the_planted_meanings_are_found(
    mixture: Run, learned_by_mixture: list[int], topic: int, paper_order: bool
) -> None:
    for number, symbol in enumerate(SYMBOLS):
        best, *others = explain(
            mixture, symbol, theta=learned_by_mixture[topic], paper_order=paper_order
        )
        assert isinstance(best, Phrase)
        assert best.phrase == PHRASES[topic][number]
        assert (best.source, best.topic) == ("model", learned_by_mixture[topic])
        assert best.p is not None and best.p > 0.5 and len(others) == 4


def test_the_paper_orders_by_probability(run: Run) -> None:
    values = [p.p for p in explain(run, "E", theta=0, count=8, paper_order=True)]  # type: ignore[union-attr]
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]
    assert sum(values) == pytest.approx(1, abs=0.01)  # type: ignore[arg-type]


def test_a_context_tells_the_topic(mixture: Run) -> None:
    for topic in range(TOPICS):
        best = explain(mixture, "E", context=" ".join(WORDS[topic]), count=1)[0]
        assert isinstance(best, Phrase) and best.phrase == PHRASES[topic][0]


def test_every_symbol_of_an_equation(mixture: Run, learned_by_mixture: list[int]) -> None:
    found = explain(
        mixture, equation=r"\hat T_1 = E + a^2, 3", theta=learned_by_mixture[1], count=2
    )
    assert [one.symbol for one in found] == [r"\hat { T } _ { 1 }", "E", "a"]
    assert found[0].phrases[0].phrase == PHRASES[1][1]  # asked without its index
    assert found[1].phrases[0].phrase == PHRASES[1][0]
    assert all(len(one.phrases) == 2 for one in found)


def test_the_symbols_of_all_rows(run: Run) -> None:
    rows = explain(run, equation=r"\begin{align} E &= a \\ F &= a + x \end{align}", theta=0)
    assert [one.symbol for one in rows] == ["E", "a", "F", "x"]
    assert rows == explain(run, equation="E = a F + x", theta=0)


def test_an_equation_tells_its_topic_with_its_context(run: Run, learned: list[int]) -> None:
    found = explain(run, equation="E = a b", context=" ".join(WORDS[2]), count=1)
    assert found[0].phrases[0].topic == learned[2]


def test_without_any_hint_it_is_the_average(mixture: Run) -> None:
    found = {p.phrase for p in explain(mixture, "E", count=4)}  # type: ignore[union-attr]
    assert found == {both[0] for both in PHRASES}


def test_what_a_run_does_not_know_has_no_meaning(run: Run, learned: list[int]) -> None:
    found = explain(run, equation=r"E = \omega", theta=learned[0])
    assert [(one.symbol, bool(one.phrases)) for one in found] == [("E", True), (r"\omega", False)]  # type: ignore[union-attr]


def test_an_unknown_mark_leaves_the_letter(run: Run, learned: list[int]) -> None:
    plain = explain(run, "E", theta=learned[0])
    assert explain(run, r"\bar E_0", theta=learned[0]) == plain


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "There is nothing to explain. Give a symbol or an equation."),
        ({"symbol": "E + a"}, "'E + a' is not one symbol. Give one, such as 'E', '\\hat H' or "),
        ({"symbol": r"\omega a"}, "is not one symbol"),
        ({"symbol": r"\bar \alpha E"}, "is not one symbol"),
        ({"symbol": "E", "theta": 99}, "Topic 99 does not exist. This run has topics 0 to 3."),
        ({"symbol": "E", "theta": 1, "context": "reda"}, "Give theta or a context, not both"),
        ({"symbol": "E", "count": 0}, "count = 0 is not possible. It must be from 1 to 10,000."),
        ({"symbol": ""}, "The equation is empty"),
        ({"equation": r"E = \frac{a"}, "The equation does not parse"),
        ({"symbol": "E", "context": "   "}, "The context is empty"),
    ],
)
def test_questions_that_cannot_be_understood(
    run: Run, question: dict[str, object], message: str
) -> None:
    with pytest.raises(QuestionError) as caught:
        explain(run, **question)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_an_unknown_symbol_names_some_that_are_known(run: Run) -> None:
    with pytest.raises(QuestionError, match=r"^This run does not know the symbol '='. It knows "):
        explain(run, "=")


def test_without_an_alignment_decoder(corpus: Corpus) -> None:
    training = Training(corpus, planted_config("train.epochs=0", "train.topic_epochs=1"))
    for _ in training.steps():
        pass
    with pytest.raises(Unsupported) as caught:
        explain(training.run, "E")
    assert str(caught.value) == (
        "This run cannot explain symbols: it has no alignment decoder. Train one that has: "
        'topiceq train CORPUS -o RUN --set \'model.decoders=["te-lstm","alignment"]\''
    )


def test_the_baseline_has_no_topics(corpus: Corpus) -> None:
    config = planted_config("model.theta=none", 'model.decoders=["alignment"]', "train.epochs=3")
    training = Training(corpus, config)
    for _ in training.steps():
        pass
    best = explain(training.run, "E", count=1)[0]
    assert isinstance(best, Phrase) and best.topic is None and "topic" not in phrase_shape(best)
    with pytest.raises(Unsupported, match="has no topics"):
        explain(training.run, "E", theta=0)


def test_a_run_without_topics_json_yet(mixture: Run) -> None:
    found = explain(replace(mixture, topics=[]), "E", count=4)
    assert {p.phrase for p in found} == {both[0] for both in PHRASES}  # type: ignore[union-attr]


def test_answers_under_a_theta_are_probabilities(run: Run) -> None:
    theta = np.full(TOPICS, 1 / TOPICS, dtype=np.float32)
    answers = Meanings(run).under(theta)
    assert answers.p.sum(1) == pytest.approx(np.ones(len(answers.p)), abs=1e-4)


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"G_{\mu\nu} = 8\pi T_{\mu\nu}", [r"G _ { \mu \nu }", r"\pi", r"T _ { \mu \nu }"]),
        (r"x_1 + x_2", ["x"]),
        (r"\mathbb{E}[X] = \hat\mu, 2.5", [r"\mathbb { E }", "X", r"\hat { \mu }"]),
        (r"\sum_{i=1}^n e^{a_i} \le \max_k b", ["b"]),
        (r"\int_0^1 f(x)\,dx", ["f", "x"]),
        (r"\begin{array}{cc} a & b \end{array}", ["a", "b"]),
        (r"\mathrm{d}x / \mathrm{d}t + \mathrm{Re}", ["x", "t"]),
        (r"\text{k-form of } y", ["y"]),
        (r"\hat{\mathbf x}", [r"\hat { \mathbf { x } }"]),
        (r"\left(\frac{p}{q}\right)^{2}", ["p", "q"]),
    ],
)
def test_what_counts_as_a_symbol(latex: str, wanted: list[str]) -> None:
    assert symbols(latex) == wanted


def test_a_symbol_becomes_plainer_step_by_step() -> None:
    symbol: Symbol | None = Symbol((r"\hat", "{", r"\mathbf", "{", "x", "}", "}"), ("1",))
    steps = []
    while symbol := symbol.plainer if symbol else None:
        steps.append(symbol.latex)
    assert steps == [r"\hat { \mathbf { x } }", r"\mathbf { x }", "x"]


def test_json_says_where_a_meaning_comes_from() -> None:
    said = Phrase("mass", None, "text", sentence="where $m$ is the mass")
    guess = Phrase("slope", 0.25, topic=3)
    assert explained_shape(Explained("m", [said, guess])) == {
        "symbol": "m",
        "phrases": [
            {"phrase": "mass", "source": "text", "sentence": "where $m$ is the mass"},
            {"phrase": "slope", "p": 0.25, "source": "model", "topic": 3},
        ],
    }


def test_a_glossary_shows_itself_in_a_notebook() -> None:
    shown = Glossary([Explained("m", [Phrase("a < b", 0.25)])])._repr_html_()
    assert "<td><math><mi>m</mi></math></td><td>a &lt; b 25%</td>" in shown
