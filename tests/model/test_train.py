"""Training on planted data: what it finds, and what it does when something goes wrong."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from planted import LETTERS, PHRASES, SYMBOLS, TOPICS, WORDS, planted_config, planted_corpus

from topiceq.corpus.store import Corpus
from topiceq.errors import ConfigError, CorpusError, RunError
from topiceq.model.decoders import Alignment
from topiceq.model.held_out import log_probs, thetas
from topiceq.model.history import TrainingStep
from topiceq.model.processes import Team
from topiceq.model.run import Run
from topiceq.model.train import Training


def train(corpus: Corpus, *overrides: str) -> tuple[Run, list[TrainingStep]]:
    training = Training(corpus, planted_config(*overrides))
    steps = list(training.steps())
    return training.run, steps


def perplexity(run: Run, corpus: Corpus) -> float:
    [name] = run.config.model.decoders
    return log_probs(run.model, corpus.test.encoded)[name].perplexity


def planted(run: Run) -> list[int]:
    """Which planted topic each topic of the run is; all its ten words must agree."""
    best = [set(topic.words[:10]) for topic in run.topics]
    return [next(k for k, own in enumerate(WORDS) if set(own) == words) for words in best]


# what the paper claims, on data where it must hold


def test_planted_topics_are_recovered(run: Run) -> None:
    assert sorted(planted(run)) == list(range(TOPICS))


def test_held_out_contexts_get_their_topic(run: Run, corpus: Corpus) -> None:
    theta = thetas(run.model, corpus.test.encoded)
    fields = corpus.test.column("field").to_pylist()
    found = [f"field{planted(run)[k]}" for k in theta.argmax(1)]
    assert np.mean([one == other for one, other in zip(found, fields, strict=True)]) == 1.0


def test_topics_have_typical_equations_of_their_own(run: Run, corpus: Corpus) -> None:
    columns = (corpus.train.column(name).to_pylist() for name in ("article", "field"))
    fields = dict(zip(*columns, strict=True))
    for topic, k in zip(run.topics, planted(run), strict=True):
        assert len(topic.equations) == 10
        assert {fields[equation.article] for equation in topic.equations} == {f"field{k}"}
        assert topic.label in {phrase for pair in PHRASES for phrase in pair}
    assert sum(topic.share for topic in run.topics) == pytest.approx(1, abs=1e-3)


def best_phrases(run: Run, beside: Sequence[str]) -> list[list[str]]:
    """What the planted symbols mean under each planted topic, with other symbols beside them."""
    made = run.model.decoders[run.config.model.decoders[-1]]
    assert isinstance(made, Alignment)
    names = [" ".join(name) for name in made.symbols.names(run.tokens)]
    s = torch.zeros(len(SYMBOLS), run.config.model.symbols)
    for row, symbol in zip(s, SYMBOLS, strict=True):
        row[[names.index(name) for name in (symbol, *beside)]] = 1
    theta = torch.eye(TOPICS)[np.argsort(planted(run))]
    best = [made.phrase_log_probs(s, row.expand(len(s), -1)).argmax(1) for row in theta]
    return [[run.phrases[int(phrase)] for phrase in row] for row in best]


def test_the_planted_phrase_is_the_most_probable(run: Run, mixture: Run) -> None:
    assert best_phrases(run, LETTERS) == PHRASES
    assert best_phrases(mixture, []) == PHRASES


@pytest.mark.xfail(strict=True, reason="the default's alignment is trained on whole equations")
def test_the_default_knows_what_a_symbol_means_alone(run: Run) -> None:
    assert best_phrases(run, []) == PHRASES


def test_topics_help_equations_and_order_matters(corpus: Corpus) -> None:
    budget = ("train.epochs=10", "train.topic_epochs=4")
    te, _ = train(corpus, *budget)
    lstm, _ = train(corpus, "model.theta=none", "model.decoders=lstm", *budget)
    mixed, _ = train(corpus, "research.shuffled=true", *budget)
    other, _ = train(corpus, "research.theta_from=other", *budget)
    with_topic, without = perplexity(te, corpus), perplexity(lstm, corpus)
    assert with_topic < 0.92 * without
    assert perplexity(mixed, corpus) > 1.5 * without  # shuffling hurts
    assert perplexity(other, corpus) > 0.97 * without  # a wrong theta is no help


@pytest.mark.parametrize(
    "row",
    [
        ("model.decoders=[]",),
        ("model.decoders=bag",),
        ("model.decoders=td-lstm",),
        ("model.decoders=moe-lstm",),
        ("model.theta=lda", "model.decoders=cat-lstm"),
        ("model.theta=none", "model.decoders=alignment"),
        ("model.decoders=alignment", "model.residual=true"),
        ("model.theta=none", "model.decoders=alignment-mixture"),
        ("research.encoder=dense",),
        ("research.encoder=both",),
        ("research.teachers=near",),
        ("research.teachers=random",),
        ("research.start=frequency",),
    ],
    ids="/".join,
)
def test_every_row_trains(corpus: Corpus, row: tuple[str, ...]) -> None:
    run, steps = train(corpus, *row, "train.epochs=2")
    before, after = [step.valid for step in steps if step.valid][-2:]
    fixed = {"words"} if "model.theta=lda" in row else set()
    assert all(after[name] < before[name] for name in before.keys() - fixed)
    assert all(after[name] == before[name] for name in fixed)
    assert {"loss", *run.config.model.decoders} <= before.keys() == after.keys()
    assert len(run.topics) == (0 if run.model.beta() is None else TOPICS)


def test_lda_alone_takes_no_steps(corpus: Corpus) -> None:
    run, steps = train(corpus, "model.theta=lda", "model.decoders=[]")
    assert steps == [] and len(run.topics) == TOPICS


# the records


def test_steps_tell_where_the_training_stands(corpus: Corpus) -> None:
    seen: list[np.ndarray] = []  # type: ignore[type-arg]

    def watch(beta: np.ndarray) -> dict[str, float]:  # type: ignore[type-arg]
        seen.append(beta)
        return {"coherence": 0.5}

    config = planted_config("train.epochs=2", "train.topic_epochs=1", "train.batch=100")
    steps = list(Training(corpus, config, watch=watch).steps())
    batches = -(-len(corpus.train) // 100)
    assert len(steps) == 3 * (batches + 1)
    assert [step.phase for step in steps if step.valid] == ["topics", "joint", "joint"]
    assert [step.step for step in steps if step.valid] == [batches, 2 * batches, 3 * batches]
    assert {(step.epochs, step.batches) for step in steps} == {(3, batches)}
    assert [len(beta) for beta in seen] == [TOPICS] * 3
    last = steps[-1]
    assert last.valid is not None and last.valid["coherence"] == 0.5
    assert set(last.valid) == {"loss", "words", "te-lstm", "coherence"}
    assert set(last.terms) == {"words", "kl", "diversity", "te-lstm"}
    assert last.tokens_per_second > 0 and last.seconds > 0
    assert steps[0].terms.keys() == {"words", "kl", "diversity"} and steps[0].valid is None


def test_topics_alone_are_trained_as_long_as_with_a_decoder(corpus: Corpus) -> None:
    for decoders in ("", "bag"):
        same = ("train.epochs=2", "train.topic_epochs=5", "train.patience=1")
        _, steps = train(corpus, f"model.decoders={decoders}", *same)
        assert steps[-1].epoch > 5
        assert not any(step.best for step in steps if step.epoch <= 5)


def test_the_best_weights_are_kept(corpus: Corpus) -> None:
    overrides = ("model.theta=none", "model.decoders=lstm", "train.lr=0.05", "train.patience=2")
    run, steps = train(corpus, *overrides, "train.epochs=30")
    valid = [step.valid["loss"] for step in steps if step.valid]
    assert len(valid) == int(np.argmin(valid)) + 1 + 2  # stopped two epochs after the best
    assert [step.epoch for step in steps if step.best][-1] == int(np.argmin(valid)) + 1
    found = log_probs(run.model, corpus.valid.encoded)["lstm"].log_prob
    assert -found.mean() == pytest.approx(min(valid), rel=1e-6)
    assert run.facts["epochs"] == int(np.argmin(valid)) + 1


def test_the_learning_rate_falls_evenly(corpus: Corpus) -> None:
    config = planted_config("train.lr=0.01", "train.lr_end=0.1", "train.epochs=2")
    training = Training(corpus, config)
    rates = []
    for step in training.steps():
        if not step.valid:
            rates.append(training.optimiser.adam.param_groups[0]["lr"])
    epoch = len(rates) // 3
    assert rates[: epoch + 1] == [0.01] * (epoch + 1)  # topics alone
    assert np.diff(rates[epoch:]) == pytest.approx(-0.009 / (2 * epoch))


def test_the_same_seed_gives_the_same_numbers(corpus: Corpus) -> None:
    one, first = train(corpus, "model.dropout=0.3")
    other, second = train(corpus, "model.dropout=0.3")
    third = train(corpus, "model.dropout=0.3", "train.seed=1")[1]
    assert [step.loss for step in first] == [step.loss for step in second]
    assert [step.loss for step in first] != [step.loss for step in third]
    mine, theirs = one.model.state_dict(), other.model.state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_the_caller_s_randomness_and_threads_are_left_alone(corpus: Corpus) -> None:
    torch.manual_seed(5)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    train(corpus, "train.epochs=1", "train.threads=1")
    assert torch.equal(torch.get_rng_state(), state) and torch.get_num_threads() == threads


# what goes wrong


def test_a_loss_that_is_not_finite_stops_the_training(corpus: Corpus, tmp_path: Path) -> None:
    config = planted_config("train.epochs=2", "train.topic_epochs=0")
    training = Training(corpus, config, folder=tmp_path / "run")
    steps = training.steps()
    for _ in range(5):
        next(steps)
    good = {name: value.clone() for name, value in training.model.state_dict().items()}
    training.model.decoders["te-lstm"].bias.register_hook(lambda gradient: gradient * torch.nan)
    with pytest.raises(RunError) as error:
        next(steps)
    assert str(error.value).startswith("Step 6: the loss or its gradient is not finite (words ")
    assert str(error.value).endswith(
        "The weights of step 5 are kept. Train with a smaller train.lr, topic_lr or decoder_lr."
    )
    kept = Training(corpus, config, folder=tmp_path / "run", resume=True)
    assert kept.state is not None and kept.state["progress"].step == 5
    weights = {n: v for n, v in kept.state["model"].items() if "norm" not in n}
    assert all(torch.equal(weights[name], good[name]) for name in weights)


def test_too_few_pairs(tmp_path: Path) -> None:
    few = planted_corpus(tmp_path, 20, articles=2)
    with pytest.raises(CorpusError) as error:
        Training(few, planted_config())
    assert str(error.value).endswith(
        "Training needs two or more in train and in valid: build from more articles."
    )


def test_too_many_processes(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    many = Team(rank=0, ranks=10, device=torch.device("cpu"))
    monkeypatch.setattr("topiceq.model.train.team", lambda: many)
    with pytest.raises(ConfigError) as error:
        next(Training(corpus, planted_config()).steps())
    assert str(error.value) == (
        "Batches of 15 pairs are too small for 10 processes, which need two pairs each. "
        "Raise train.batch, or start fewer processes."
    )


def test_a_folder_that_holds_a_run_is_not_overwritten(corpus: Corpus, trained: Path) -> None:
    with pytest.raises(RunError) as error:
        Training(corpus, planted_config(), folder=trained)
    wanted = f"'{trained}' already holds a run. Add --resume to go on, or give another folder."
    assert str(error.value) == wanted


def test_a_file_is_no_folder(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError) as error:
        Training(corpus, planted_config(), folder=tmp_path / "run")
    assert str(error.value) == f"'{tmp_path / 'run'}' is a file. Give the name of a folder."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("model.state=16", "model.state is 16, but the run '{}' was started with 32."),
        ("train.seed=1", "train.seed is 1, but the run '{}' was started with 0."),
    ],
)
def test_a_resumed_run_keeps_its_settings(
    corpus: Corpus, trained: Path, change: str, message: str
) -> None:
    same = 'model.decoders=["te-lstm", "bag", "alignment"]', "model.residual=true"
    config = planted_config(*same, "train.topic_epochs=4", change)
    with pytest.raises(RunError) as error:
        Training(corpus, config, folder=trained, resume=True)
    assert str(error.value) == message.format(trained)


def test_a_resumed_run_keeps_its_corpus(trained: Path, tmp_path: Path) -> None:
    another = planted_corpus(tmp_path, 200, articles=40, seed=3)
    with pytest.raises(RunError) as error:
        Training(another, planted_config(), folder=trained, resume=True)
    wanted = f"The run '{trained}' was trained on another corpus than '{another.path}'."
    assert str(error.value) == wanted
