"""LDA: planted topics found, kept beside the corpus, refused when they belong to other words."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from planted import TOPICS, WORDS, planted_corpus
from safetensors.numpy import save_file

from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.model.batches import sparse
from topiceq.model.lda import fold_in, lda, sample


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("lda"), 200, articles=40)


def planted_topic(corpus: Corpus, topic: np.ndarray) -> int:  # type: ignore[type-arg]
    """Which planted topic the ten most probable words belong to; they must all agree."""
    best = {corpus.words[word] for word in np.argsort(-topic)[:10]}
    [match] = [k for k, own in enumerate(WORDS) if best == set(own)]
    return match


def test_planted_topics_are_found(corpus: Corpus) -> None:
    found = sample(corpus.train.encoded, TOPICS, iterations=100)
    assert found.topics.shape == (TOPICS, len(corpus.words))
    np.testing.assert_allclose(found.topics.sum(1), 1, rtol=1e-5)
    assert sorted(planted_topic(corpus, topic) for topic in found.topics) == list(range(TOPICS))


def test_sampling_is_repeatable(corpus: Corpus) -> None:
    one, other = (sample(corpus.train.encoded, 3, iterations=20, seed=5) for _ in range(2))
    assert np.array_equal(one.topics, other.topics) and np.array_equal(one.alpha, other.alpha)


def test_contexts_without_words_do_no_harm(corpus: Corpus) -> None:
    found = sample(corpus.train.encoded, TOPICS, iterations=20)
    topics, alpha = torch.from_numpy(found.topics), torch.from_numpy(found.alpha)
    empty = sparse(corpus.train.encoded.words[:2] * 0)
    theta = fold_in(empty, topics, alpha)
    torch.testing.assert_close(theta, (alpha / alpha.sum()).expand(2, -1))


def test_theta_agrees_with_the_sampler_s(corpus: Corpus) -> None:
    """tomotopy's own inference on held-out contexts is the reference."""
    found = sample(corpus.train.encoded, TOPICS, iterations=100)
    valid = corpus.valid.encoded
    topics, alpha = torch.from_numpy(found.topics), torch.from_numpy(found.alpha)
    theta = fold_in(sparse(valid.words), topics, alpha).numpy()
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-5)
    reference = _sampled_theta(corpus)
    assert np.abs(theta - reference).sum(1).mean() / 2 < 0.05


def _sampled_theta(corpus: Corpus) -> np.ndarray:  # type: ignore[type-arg]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import tomotopy
    model = tomotopy.LDAModel(k=TOPICS, seed=0)
    contexts = [np.split(ids, at[1:-1]) for ids, at in (corpus.train.encoded.order,)][0]
    for words in contexts:
        model.add_doc([str(word) for word in words])
    model.train(100, workers=1)
    ids, at = corpus.valid.encoded.order
    held_out = [model.make_doc([str(w) for w in words]) for words in np.split(ids, at[1:-1])]
    found, _ = model.infer(held_out, workers=1)
    return np.array(found)


def test_topics_are_kept_beside_the_corpus(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lda(corpus, 2, iterations=10)
    path = corpus.path / "lda" / "topics2-seed0-iterations10.safetensors"
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    monkeypatch.setitem(sys.modules, "tomotopy", None)  # no sampler, no sampling
    again = lda(corpus, 2, iterations=10)
    assert np.array_equal(again.topics, found.topics)


def test_topics_of_other_words_are_refused(corpus: Corpus) -> None:
    path = corpus.path / "lda" / "topics2-seed1-iterations10.safetensors"
    path.parent.mkdir(exist_ok=True)
    arrays = {"topics": np.zeros((2, 3), np.float32), "alpha": np.zeros(2, np.float32)}
    save_file(arrays, path, metadata={"words": "of another corpus"})
    with pytest.raises(RunError) as error:
        lda(corpus, 2, seed=1, iterations=10)
    wanted = f"The topics '{path}' belong to words other than words.txt. Remove it."
    assert str(error.value) == wanted


def test_damaged_topics_are_refused(corpus: Corpus) -> None:
    path = corpus.path / "lda" / "topics2-seed2-iterations10.safetensors"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"rubbish")
    with pytest.raises(RunError, match=r"topics2-seed2.* cannot be read: .*\. Remove it\.$"):
        lda(corpus, 2, seed=2, iterations=10)


def test_a_folder_that_cannot_be_written_costs_only_time(corpus: Corpus, tmp_path: Path) -> None:
    copy = Corpus.load(corpus.path)
    copy.path = tmp_path / "file"
    copy.path.write_text("no folder")
    assert lda(copy, 2, iterations=5).topics.shape[0] == 2
