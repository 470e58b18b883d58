"""NMF: planted topics found, the same every time; contexts without words and few contexts."""

from pathlib import Path

import numpy as np
import pytest
from planted import TOPICS, WORDS, planted_corpus
from scipy.sparse import csr_matrix

from topiceq.corpus.store import Corpus
from topiceq.model.nmf import as_topics, factorise, inverse_frequency, nmf, passages, tf_idf


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted_corpus(tmp_path_factory.mktemp("nmf"), 200, articles=40)


def test_planted_topics_are_found(corpus: Corpus) -> None:
    given = as_topics(corpus.train.encoded, TOPICS)
    np.testing.assert_allclose(given.topics.sum(1), 1, rtol=1e-5)
    assert (given.topics > 0).all() and (given.alpha > 0).all()
    best = [{corpus.words[word] for word in np.argsort(-topic)[:10]} for topic in given.topics]
    assert sorted(map(sorted, best)) == sorted(map(sorted, WORDS))


def test_it_is_repeatable_and_kept_beside_the_corpus(corpus: Corpus) -> None:
    given, again = nmf(corpus, 3, seed=1), as_topics(corpus.train.encoded, 3, seed=1)
    assert np.array_equal(given.topics, again.topics) and np.array_equal(given.alpha, again.alpha)
    [kept] = (corpus.path / "nmf").iterdir()
    assert kept.name == "topics3-seed1-passage20-iterations150.safetensors"
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
    found = passages(train, 3)
    lengths = np.bincount(train.articles)
    assert found.shape[0] == sum(-(-n // 3) for n in lengths if n)
    assert found.sum() == train.words.sum()
    first = (train.articles == train.articles[0]).nonzero()[0][:3]
    assert np.array_equal(found[:1].toarray(), train.words[first].sum(0))
