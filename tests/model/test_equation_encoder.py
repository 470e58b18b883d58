"""The encoder of equations: it finds planted topics, knows how sure it is, and can be kept."""

import random
from pathlib import Path

import numpy as np
import pytest
from planted import TOPICS, planted_corpus, planted_tokens

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.model.equation_encoder import (
    EquationEncoder,
    NgramTable,
    Recipe,
    cross_entropy,
    gathered,
    parts,
    taught_further,
    teach,
    widened,
)
from topiceq.model.held_out import thetas
from topiceq.model.run import EQUATIONS, Run

Floats = np.ndarray


def planted_theta(pairs: Encoded, split: str, corpus: Corpus) -> Floats:
    """theta that is the planted topic, told by the field."""
    fields = corpus.split(split).column("field").to_pylist()
    return np.eye(TOPICS, dtype=np.float32)[[int(field[-1]) for field in fields]]


@pytest.fixture(scope="module")
def encoder(corpus: Corpus) -> EquationEncoder:
    train, valid = corpus.train.encoded, corpus.valid.encoded
    thetas = (planted_theta(train, "train", corpus), planted_theta(valid, "valid", corpus))
    return teach(corpus.vocabularies, (train, thetas[0]), (valid, thetas[1]))


def test_the_planted_topic_is_recovered(encoder: EquationEncoder, corpus: Corpus) -> None:
    test = corpus.test.encoded
    theta = planted_theta(test, "test", corpus)
    log_r = encoder.log_theta(test.tokens, test.offsets)
    assert np.allclose(np.exp(log_r).sum(1), 1, atol=1e-5)
    assert np.mean(log_r.argmax(1) == theta.argmax(1)) >= 0.95
    assert cross_entropy(log_r, theta) < 0.3 < np.log(TOPICS)


def test_it_is_as_sure_as_it_is_right(encoder: EquationEncoder, corpus: Corpus) -> None:
    """Equations of all lengths: the mean probability of the first topic is its accuracy."""
    draw = random.Random(1)
    topics = [draw.randrange(TOPICS) for _ in range(2_000)]
    cut = [planted_tokens(k, 0, draw)[: draw.randint(3, 9)] for k in topics]
    ids = [corpus.tokens.encode(tokens) for tokens in cut]
    offsets = np.cumsum([0, *map(len, ids)])
    r = np.exp(encoder.log_theta(np.concatenate(ids), offsets))
    right = np.mean(r.argmax(1) == topics)
    assert 0.4 < right < 0.95
    assert abs(right - r.max(1).mean()) < 0.1  # 450 pairs to learn from


def test_what_is_given_together_is_read_as_it_is_alone(encoder: EquationEncoder) -> None:
    ids = np.random.default_rng(0).integers(4, 14, 60).astype(np.int32)
    together = encoder.log_theta(ids, np.array([0, 1, 20, 20, 60]))
    for row, (start, end) in enumerate([(0, 1), (1, 20), (20, 20), (20, 60)]):
        alone = encoder.log_theta(ids[start:end], np.array([0, end - start]))
        assert np.allclose(together[row], alone[0], atol=1e-5)
    assert encoder.log_theta(ids[:0], np.array([0])).shape == (0, TOPICS)


def test_without_evidence_it_says_the_prior(encoder: EquationEncoder) -> None:
    nothing = encoder.embed(np.zeros(0, np.int32), np.array([0, 0]))
    log_r, is_known = encoder.evident(nothing)
    assert not is_known[0]
    assert np.allclose(np.exp(log_r[0]), encoder.prior, atol=1e-4)


def test_a_sure_expert_is_believed(encoder: EquationEncoder) -> None:
    sure, unsure = (np.log(np.float32(p)) for p in ([0.97, 0.01, 0.01, 0.01], encoder.prior))
    assert encoder.both(sure, unsure).argmax() == encoder.both(unsure, sure).argmax() == 0


def test_rows_are_one_equation_with_the_ngrams_of_all(encoder: EquationEncoder) -> None:
    ids = np.arange(4, 14, dtype=np.int32)
    rows = encoder.table.bags(ids, np.array([0, 5, 10]))
    both = gathered(rows, np.array([2]))
    assert both.shape[0] == 1
    assert set(both.indices) == set(rows.indices) and both.data.max(initial=1) == 1
    assert gathered(rows, np.array([0, 2, 0])).getnnz(1).tolist() == [0, both.nnz, 0]


def test_rare_ngrams_have_no_vector(corpus: Corpus) -> None:
    train = corpus.train.encoded
    many = NgramTable.learn(corpus.tokens, Recipe(), train)
    few = NgramTable.learn(corpus.tokens, Recipe(most=10), train)
    assert len(few.known) == 10 < len(many.known)
    assert set(few.known) <= set(many.known)


def test_parts_are_parts() -> None:
    tokens, offsets = np.arange(30, dtype=np.int32), np.array([0, 10, 30])
    pairs = Encoded(*[None] * 2, tokens, offsets, *[None] * 2)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    whole = parts(pairs, np.array([1, 0]), 0.0, rng)
    assert whole[0].tolist() == [*range(10, 30), *range(10)]
    for _ in range(20):
        ids, at = parts(pairs, np.array([0, 1]), 1.0, rng)
        for start, end, low, high in ((at[0], at[1], 0, 10), (at[1], at[2], 10, 30)):
            part = ids[start:end].tolist()
            assert part and part == list(range(part[0], part[0] + len(part)))
            assert low <= part[0] and part[-1] < high


def test_the_same_seed_teaches_the_same(encoder: EquationEncoder, corpus: Corpus) -> None:
    train, valid = corpus.train.encoded, corpus.valid.encoded
    thetas = (planted_theta(train, "train", corpus), planted_theta(valid, "valid", corpus))
    again = teach(corpus.vocabularies, (train, thetas[0]), (valid, thetas[1]))
    assert np.array_equal(again.vectors, encoder.vectors)
    assert again.temperature == encoder.temperature


# -- of a run ----------------------------------------------------------------------------------


def test_training_teaches_one(run: Run, corpus: Corpus) -> None:
    encoder = run.equation_encoder
    assert encoder is not None
    test = corpus.test.encoded
    theta, log_r = thetas(run.model, test), encoder.log_theta(test.tokens, test.offsets)
    assert np.mean(log_r.argmax(1) == theta.argmax(1)) >= 0.9
    assert 0 < encoder.context_weight <= 2 and 0 < encoder.equation_weight <= 2


def test_it_is_kept_with_its_run(run: Run, tmp_path: Path) -> None:
    for half in (False, True):
        run.save(tmp_path / "kept", half=half)
        kept, own = Run.load(tmp_path / "kept").equation_encoder, run.equation_encoder
        assert kept is not None and own is not None
        ids, offsets = np.arange(4, 14, dtype=np.int32), np.array([0, 4, 10])
        assert np.array_equal(kept.log_theta(ids, offsets), own.log_theta(ids, offsets))
        assert kept.table.recipe == own.table.recipe


def test_that_of_another_training_is_refused(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path)
    assert run.equation_encoder is not None
    run.equation_encoder.save(tmp_path / EQUATIONS, run.teacher() | {"training": "another"})
    with pytest.raises(RunError, match="belongs to another training. Teach it again: topiceq enc"):
        Run.load(tmp_path)
    (tmp_path / EQUATIONS).write_bytes(b"nonsense")
    with pytest.raises(RunError, match="equations.safetensors cannot be read"):
        Run.load(tmp_path)


def test_a_run_of_an_earlier_time_has_none(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path)
    (tmp_path / EQUATIONS).unlink()
    assert Run.load(tmp_path).equation_encoder is None


# -- going on ------------------------------------------------------------------------------------


def test_it_goes_on_with_a_small_corpus_and_keeps_what_it_knew(
    encoder: EquationEncoder, run: Run, corpus: Corpus, tmp_path: Path
) -> None:
    small = planted_corpus(tmp_path / "small", 60, articles=12, seed=5)
    further = taught_further(encoder, run.model, small, run.vocabularies)
    assert set(encoder.table.known) <= set(further.table.known)
    assert (further.weights == encoder.weights).all() and (further.shift == encoder.shift).all()
    assert further.least == encoder.least and further.temperature == encoder.temperature
    pairs = small.valid.encode(run.vocabularies)
    theta = thetas(run.model, pairs)
    before, after = (e.log_theta(pairs.tokens, pairs.offsets) for e in (encoder, further))
    assert cross_entropy(after, theta) <= cross_entropy(before, theta) + 1e-3
    test = corpus.test.encoded
    known = planted_theta(test, "test", corpus)
    found = further.log_theta(test.tokens, test.offsets)
    assert np.mean(found.argmax(1) == known.argmax(1)) >= 0.9


def test_topics_that_are_new_have_a_place_behind_the_old(
    encoder: EquationEncoder, corpus: Corpus
) -> None:
    train = corpus.train.encoded
    theta = np.full((len(train), TOPICS + 1), 0.2, dtype=np.float32)
    wider = widened(encoder, corpus.tokens, train, theta)
    test = corpus.test.encoded
    before = encoder.log_theta(test.tokens, test.offsets)
    after = wider.log_theta(test.tokens, test.offsets)
    assert after.shape == (len(test), TOPICS + 1) and np.allclose(
        np.exp(after).sum(1), 1, atol=1e-4
    )
    assert np.allclose(after[:, 0] - after[:, 1], before[:, 0] - before[:, 1], atol=1e-3)
    assert wider.prior.sum() == pytest.approx(1, abs=1e-5) and wider.prior[-1] > 0.1
