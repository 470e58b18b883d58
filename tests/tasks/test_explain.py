"""Meanings of symbols: those that were planted are found, and questions are answered or refused."""

from typing import Any

import numpy as np
import pytest
from planted import PHRASES, SYMBOLS, TOPICS, WORDS, planted_config

from topiceq.article.equation.normal import parse
from topiceq.article.equation.symbol import Symbol, occurrences
from topiceq.corpus.store import Corpus
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.lexicon import Source
from topiceq.model.run import Run
from topiceq.model.train import Training
from topiceq.questions import Explain, ask
from topiceq.tasks.explain import Alignments, Explained, Phrase, symbols_of
from topiceq.tasks.explain import explain as answer_explain
from topiceq.views.notebook import Glossary
from topiceq.views.shapes import explained_shape, phrase_shape


def explain(run: Run, symbol: str | None = None, **parameters: Any) -> Any:
    explained = answer_explain(run, ask(Explain, {"symbol": symbol} | parameters))
    return explained if symbol is None else explained[0].phrases


def symbols(latex: str) -> list[str]:
    return [symbol.latex for symbol in symbols_of(occurrences(parse(latex)))]


def said(run: Run, latex: str, **parameters: Any) -> dict[str, list[tuple[str, str]]]:
    """The symbols of an equation with their phrases and where those come from."""
    found = explain(run, equation=latex, **parameters)
    return {one.symbol: [(p.phrase, p.source) for p in one.phrases] for one in found}


# -- the context, then the lexicon, then nothing ----------------------------------------------


@pytest.mark.parametrize("topic", range(TOPICS))
def test_the_planted_meanings_are_found(run: Run, learned: list[int], topic: int) -> None:
    for number, symbol in enumerate(SYMBOLS):
        best, *others = explain(run, symbol, theta=learned[topic])
        assert (best.phrase, best.source) == (PHRASES[topic][number], "lexicon")
        assert all(best.p >= other.p for other in others) and 0.5 < best.p < 1


def test_a_context_tells_the_topic(run: Run) -> None:
    for topic in range(TOPICS):
        assert explain(run, "E", context=" ".join(WORDS[topic]))[0].phrase == PHRASES[topic][0]


def test_what_the_context_says_goes_first(run: Run) -> None:
    context = " ".join(WORDS[0]) + ", where $E$ is the fraction of frogs."
    (phrase,) = explain(run, "E", context=context)
    assert (phrase.phrase, phrase.source) == ("fraction of frogs", "text")
    assert phrase.sentence == context and 0.5 < phrase.p < 1
    found = said(run, r"E = \hat T", context=context)
    assert found["E"] == [("fraction of frogs", "text")]
    assert found[r"\hat { T }"][0] == (PHRASES[0][1], "lexicon")


def test_a_context_of_unknown_words_may_say_what_its_symbols_are(run: Run) -> None:
    found = said(run, "F = a", context="where $F$ is the fraction of frogs")
    assert found["F"] == [("fraction of frogs", "text")]


def test_a_text_that_says_it_twice_means_what_it_said_last(run: Run) -> None:
    context = "Here $E$ is the mass of a frog. Now $E$ denotes the number of frogs."
    assert [p.phrase for p in explain(run, "E", context=context)] == ["number of frogs"]


def test_an_answer_names_its_articles(run: Run, learned: list[int]) -> None:
    first, second = explain(run, "E", theta=learned[2])[0].articles
    assert first.article != second.article
    assert "$E$ is the elliptic curve" in first.sentence


def test_a_symbol_is_known_in_its_other_forms(run: Run, learned: list[int]) -> None:
    for form in ("E_0", r"\bar E", r"\mathbf{E}^2"):
        assert explain(run, form, theta=learned[1])[0].phrase == PHRASES[1][0]


def test_what_no_article_says_is_not_known(run: Run, learned: list[int]) -> None:
    assert explain(run, "a", theta=learned[0]) == []
    assert said(run, "E = a", theta=learned[0])["a"] == []
    assert explain(run, "=") == []


def test_every_symbol_is_asked_scripts_and_bounds_too(run: Run) -> None:
    found = said(run, r"E = \sum_{i=1}^n x_i e^{-\beta y} + k_B + \hbar")
    assert list(found) == ["E", "i", "n", "x _ { i }", r"\beta", "y", "k _ { B }", r"\hbar"]
    assert found["i"] == [("index", "index")]
    assert found["k _ { B }"] == [("Boltzmann constant", "constant")]
    assert found[r"\hbar"] == [("reduced Planck constant", "constant")]


def test_letters_of_unicode_are_those_of_latex(run: Run) -> None:
    found = explain(run, equation="ħ = ρ + 𝐱 + E", context="where $ρ$ is the density of red frogs")
    assert [one.symbol for one in found] == [r"\hbar", r"\rho", r"\mathbf { x }", "E"]
    assert found[1].phrases[0].phrase == "density of red frogs"


def test_the_symbols_of_all_rows(run: Run) -> None:
    rows = explain(run, equation=r"\begin{align} E &= a \\ F &= a + x \end{align}", theta=0)
    assert [one.symbol for one in rows] == ["E", "a", "F", "x"]
    assert rows == explain(run, equation="E = a F + x", theta=0)


def test_a_megabyte_of_context(run: Run) -> None:
    context = ("The " + " ".join(WORDS[0]) + " is. ") * 12_000 + "where $E$ is the frog mass."
    assert explain(run, "E", context=context[-1_000_000:])[0].phrase == "frog mass"


def test_markup_is_no_meaning(run: Run) -> None:
    context = "where $E$ is the <b>fraction</b> of <script>alert(1)</script> frogs"
    for phrase in explain(run, "E", context=context):
        shown = Glossary([Explained("E", [phrase])])._repr_html_()
        assert "<script" not in shown and "<b>" not in shown


def test_a_run_without_a_lexicon(mixture: Run) -> None:
    from dataclasses import replace

    with pytest.raises(Unsupported) as caught:
        explain(replace(mixture, lexicon=None), "E")
    assert str(caught.value) == (
        "This run has no lexicon of symbols. Make one: topiceq lexicon RUN CORPUS"
    )


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
        ({"symbol": "E", "by": "guess"}, "by is not understood: Input should be 'lexicon' or"),
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


# -- the paper's alignment --------------------------------------------------------------------


@pytest.mark.parametrize("topic", range(TOPICS))
def test_the_planted_meanings_are_aligned(
    mixture: Run, learned_by_mixture: list[int], topic: int
) -> None:
    for number, symbol in enumerate(SYMBOLS):
        best, *others = explain(mixture, symbol, theta=learned_by_mixture[topic], by="alignment")
        assert best.phrase == PHRASES[topic][number]
        assert (best.source, best.topic) == ("alignment", learned_by_mixture[topic])
        assert best.p is not None and best.p > 0.5 and len(others) == 4


def test_alignments_are_ordered_by_probability(run: Run) -> None:
    values = [p.p for p in explain(run, "E", theta=0, count=8, by="alignment")]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(1, abs=0.01)


def test_symbols_on_the_line_are_aligned(mixture: Run, learned_by_mixture: list[int]) -> None:
    found = explain(
        mixture, equation=r"\hat T_1 = E + a^2, 3", theta=learned_by_mixture[1], count=2,
        by="alignment",
    )  # fmt: skip
    assert [one.symbol for one in found] == [r"\hat { T } _ { 1 }", "E", "a"]
    assert found[0].phrases[0].phrase == PHRASES[1][1]  # asked without its index
    assert found[1].phrases[0].phrase == PHRASES[1][0]
    assert all(len(one.phrases) == 2 for one in found)


def test_without_any_hint_the_alignment_is_the_average(mixture: Run) -> None:
    found = {p.phrase for p in explain(mixture, "E", count=4, by="alignment")}
    assert found == {both[0] for both in PHRASES}


def test_without_an_alignment_decoder(corpus: Corpus) -> None:
    training = Training(corpus, planted_config("train.epochs=0", "train.topic_epochs=1"))
    for _ in training.steps():
        pass
    with pytest.raises(Unsupported) as caught:
        explain(training.run, "E", by="alignment")
    assert str(caught.value) == (
        "This run cannot explain symbols: it has no alignment decoder. Train one that has: "
        'topiceq train CORPUS -o RUN --set \'model.decoders=["te-lstm","alignment"]\''
    )


def test_the_baseline_has_no_topics(corpus: Corpus) -> None:
    config = planted_config("model.theta=none", 'model.decoders=["alignment"]', "train.epochs=3")
    training = Training(corpus, config)
    for _ in training.steps():
        pass
    best = explain(training.run, "E", count=1, by="alignment")[0]
    assert isinstance(best, Phrase) and best.topic is None and "topic" not in phrase_shape(best)
    by_count = explain(training.run, "E")
    assert {p.phrase for p in by_count} <= {both[0] for both in PHRASES}
    with pytest.raises(Unsupported, match="has no topics"):
        explain(training.run, "E", theta=0)


def test_alignments_under_a_theta_are_probabilities(run: Run) -> None:
    theta = np.full(TOPICS, 1 / TOPICS, dtype=np.float32)
    aligned = Alignments(run).under(theta)
    assert aligned.p.sum(1) == pytest.approx(np.ones(len(aligned.p)), abs=1e-4)


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
    said = Phrase("mass", 0.94, "text", sentence="where $m$ is the mass")
    guess = Phrase("slope", 0.25, "lexicon", articles=(Source("a", "the slope $m$"),))
    assert explained_shape(Explained("m", [said, guess, Phrase("index", None, "index")])) == {
        "symbol": "m",
        "phrases": [
            {"phrase": "mass", "p": 0.94, "source": "text", "sentence": "where $m$ is the mass"},
            {"phrase": "slope", "p": 0.25, "source": "lexicon",
             "articles": [{"article": "a", "sentence": "the slope $m$"}]},
            {"phrase": "index", "source": "index"},
        ],
    }  # fmt: skip


def test_a_glossary_shows_itself_in_a_notebook() -> None:
    known, unknown = Explained("m", [Phrase("a < b", 0.25, "lexicon")]), Explained("x", [])
    shown = Glossary([known, unknown])._repr_html_()
    assert "<td><math><mi>m</mi></math></td><td>a &lt; b 25%</td>" in shown
    assert "<td>not known</td>" in shown
