"""NMF: planted topics found, the same every time; contexts without words and few contexts."""

from pathlib import Path

import numpy as np
import pytest
from planted import TOPICS, WORDS, planted_corpus
from scipy.sparse import csr_matrix

from topiceq.corpus.store import Corpus
from topiceq.model.nmf import (
    BALANCE,
    METHOD,
    as_topics,
    balanced,
    factorise,
    in_passages,
    inverse_frequency,
    nmf,
    repositories,
    tf_idf,
    unevenness,
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("nmf"), 200, articles=40)


def test_planted_topics_are_found(corpus: Corpus) -> None:
    given = as_topics(corpus.train.encoded, repositories(corpus.train), TOPICS)
    np.testing.assert_allclose(given.topics.sum(1), 1, rtol=1e-5)
    assert (given.topics > 0).all() and (given.alpha > 0).all()
    best = [{corpus.words[word] for word in np.argsort(-topic)[:10]} for topic in given.topics]
    assert sorted(map(sorted, best)) == sorted(map(sorted, WORDS))


def test_it_is_repeatable_and_kept_beside_the_corpus(corpus: Corpus) -> None:
    given = nmf(corpus, 3, seed=1)
    again = as_topics(corpus.train.encoded, repositories(corpus.train), 3, seed=1)
    assert np.array_equal(given.topics, again.topics) and np.array_equal(given.alpha, again.alpha)
    [kept] = (corpus.path / "nmf").iterdir()
    assert kept.name == f"topics3-seed1-{METHOD}.safetensors"
    assert np.array_equal(nmf(corpus, 3, seed=1).topics, given.topics)


def test_more_topics_than_contexts(corpus: Corpus) -> None:
    counts = csr_matrix(np.eye(3, 5, dtype=np.float32))
    w, h = factorise(tf_idf(counts, inverse_frequency(counts)), 4)
    assert w.shape == (3, 4) and h.shape == (4, 5)


def test_contexts_are_weighted_as_usual() -> None:
    counts = csr_matrix(np.array([[1, 1, 0], [np.e, 0, 0], [0, 0, 0]], dtype=np.float32))
    idf = inverse_frequency(counts)
    np.testing.assert_allclose(idf, np.log([4 / 3, 2, 4]) + 1, rtol=1e-6)
    texts = tf_idf(counts, idf).toarray()
    np.testing.assert_allclose(np.linalg.norm(texts, axis=1), [1, 1, 0], atol=1e-6)
    assert texts[0, 1] > texts[0, 0]


def test_a_folder_that_cannot_be_written_costs_only_time(corpus: Corpus, tmp_path: Path) -> None:
    copy = Corpus.load(corpus.path)
    copy.path = tmp_path / "file"
    copy.path.write_text("no folder")
    assert nmf(copy, 2).topics.shape[0] == 2


def test_passages_are_neighbours_of_one_article(corpus: Corpus) -> None:
    train = corpus.train.encoded
    found = csr_matrix(in_passages(train, 3) @ train.words)
    lengths = np.bincount(train.articles)
    assert found.shape[0] == sum(-(-n // 3) for n in lengths if n)
    assert found.sum() == train.words.sum()
    first = (train.articles == train.articles[0]).nonzero()[0][:3]
    assert np.array_equal(found[:1].toarray(), train.words[first].sum(0))


def test_words_that_all_repositories_use_alike_weigh_less() -> None:
    rows = [[3, 3, 0, 0], [2, 0, 2, 0], [4, 0, 0, 0], [1, 0, 1, 0]]
    owners = np.array([0, 1, 2, 1])
    weights = unevenness(csr_matrix(np.array(rows, dtype=np.float32)), owners)
    assert 0 < weights[0] < weights[1] == pytest.approx(weights[2])
    assert weights[3] == 0  # nobody uses it


def test_of_one_repository_all_words_weigh_alike() -> None:
    words = csr_matrix(np.array([[3, 1], [2, 0]], dtype=np.float32))
    assert unevenness(words, np.array([0, 0])).tolist() == [1, 1]


def test_among_many_repositories_a_word_of_few_makes_no_topic() -> None:
    words = np.zeros((60, 2), dtype=np.float32)
    words[:4, 0] = words[:5, 1] = 1
    few, enough = unevenness(csr_matrix(words), np.arange(60))
    assert few == 0 and enough > 0


def test_large_repositories_are_scaled_down() -> None:
    scales = balanced(np.array([0, 0, 0, 0, 1, 1, 2, 2, 3, 3]))
    assert scales[0] < scales[4] == scales[6] == 1
    # all of a repository together: its size to a power below 1
    assert 4 * scales[0] ** 2 == pytest.approx(2 * 2 ** (1 - BALANCE))
