"""similar: what is like a planted equation, and an index that is kept."""

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from planted import SYMBOLS, TOPICS, planted_config, planted_pairs, planted_tokens, random_pairs

from topiceq.api import TopicEq
from topiceq.article.equation.rules import SPECIAL
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import CorpusError, NotFitted, QuestionError, RunError, Unsupported
from topiceq.model.run import Run, new_run
from topiceq.questions import Similar, ask
from topiceq.tasks import similar as task
from topiceq.tasks.index import OVERLAP, Index, Ngrams, digest_of, learn, load_index
from topiceq.tasks.similar import build_index, distinct, spread
from topiceq.tasks.similar import similar as answer_similar


def similar(run: Run, index: Index, equation: str, **parameters: Any) -> Any:
    return answer_similar(run, index, ask(Similar, {"equation": equation} | parameters))


@pytest.fixture(scope="module")
def index(run: Run, corpus: Corpus) -> Index:
    return build_index(run, corpus)


@pytest.fixture
def folder(trained: Path, index: Index, tmp_path: Path) -> Path:
    """A run of its own, with the index."""
    shutil.copytree(trained, tmp_path / "te")
    index.save(tmp_path / "te")
    return tmp_path / "te"


def fields(corpus: Corpus) -> dict[str, str]:
    table = corpus.train.table
    return dict(zip(table["article"].to_pylist(), table["field"].to_pylist(), strict=True))


# -- what is found -----------------------------------------------------------------------------


def test_an_equation_of_the_corpus_finds_itself(run: Run, corpus: Corpus, index: Index) -> None:
    for row in corpus.train.table.slice(0, 200).to_pylist()[::20]:
        best = similar(run, index, row["equation"], count=3)
        assert best[0].equation == row["expanded"]
        assert best[0].score == pytest.approx(1, abs=0.01)
        assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)


def test_each_row_of_a_question_is_searched(run: Run, corpus: Corpus, index: Index) -> None:
    rows = [row["expanded"] for row in corpus.train.table.slice(0, 41).to_pylist()[::40]]
    best = similar(run, index, r" \\ ".join(rows), count=6)
    found = {near.equation: near for near in best}
    assert [found[row].row for row in rows] == [0, 1]
    assert all(found[row].score == pytest.approx(1, abs=0.01) for row in rows)
    assert [near.row for near in similar(run, index, rows[0], count=2)] == [None, None]


def test_results_say_where_they_stand(run: Run, corpus: Corpus, index: Index) -> None:
    row = corpus.train.table.slice(7, 1).to_pylist()[0]
    (found,) = similar(run, index, f"$${row['equation']}$$", count=1)
    assert (found.article, found.line) == (row["article"], row["line"])


@pytest.mark.parametrize("topic", range(TOPICS))
def test_neighbours_are_of_the_same_kind(
    topic: int, run: Run, corpus: Corpus, index: Index
) -> None:
    draw, kind = random.Random(100 + topic), fields(corpus)
    asked = [" ".join(planted_tokens(topic, draw.randrange(2), draw)) for _ in range(10)]
    found = [kind[one.article] for equation in asked for one in similar(run, index, equation)]
    assert found.count(f"field{topic}") >= 0.8 * len(found)


def test_a_renamed_twin_is_nearer_than_what_shares_its_letters() -> None:
    equations = [
        r"E = a ^ { 2 } + b ^ { 2 }",
        r"E = a b + a b ^ { x } - 2",
        r"F _ { a } = b \sin ( 2 E )",
        r"a b = b a",
    ]
    asked = r"y = z ^ { 2 } + x ^ { 2 }"
    tokens = Vocab([*SPECIAL, *sorted({t for e in [*equations, asked] for t in e.split()})])
    ids = [tokens.encode(equation.split()) for equation in [*equations, asked]]
    grams = Ngrams(tokens).table(np.concatenate(ids), np.cumsum([0, *map(len, ids)]))
    states = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
    theta = np.full((5, 2), 0.5, dtype=np.float32)
    index = Index.of(learn(grams, states, theta), "", pa.table({}), grams[:4], states[:4])
    found = index._overlap(index.likeness.overlap(grams[4]))
    assert found.argmax() == 0 and found[0] > 2 * found[1:].max()


def test_scores_are_those_of_the_definition(run: Run, corpus: Corpus, index: Index) -> None:
    pairs = corpus.train.encoded
    rows = distinct(pairs)
    theta = index.likeness.theta
    grams, states = task._read(run, pairs, rows, theta, None)
    weights, vectors = index.likeness.overlap(grams), index.likeness.vectors(grams, states)
    wanted = OVERLAP * (weights @ weights[3].T).toarray()[:, 0] + vectors @ vectors[3]
    assert np.allclose(index.scores(grams[3], states[3:4]), wanted, atol=0.01)
    assert wanted[3] == pytest.approx(1, abs=1e-3)


def test_equations_with_the_same_tokens_are_shown_once(run: Run, index: Index) -> None:
    found = [one.equation for one in similar(run, index, "E = a b c x y z", count=len(index))]
    assert len(found) == len(set(found)) == len(index)
    pairs = random_pairs([2, 2, 3])
    pairs.tokens[:] = [5, 6, 5, 6, 5, 6, 5]
    assert distinct(pairs).tolist() == [0, 2]


def test_more_than_there_are_is_all(run: Run, index: Index) -> None:
    assert len(similar(run, index, "E = a b", count=10_000)) == len(index)


def test_tokens_that_the_run_does_not_know(run: Run, index: Index) -> None:
    assert similar(run, index, r"E = a b \Omega", count=1)[0].score < 0.9


# -- building ----------------------------------------------------------------------------------


def test_fewer_are_spread_over_the_topics(run: Run, corpus: Corpus, index: Index) -> None:
    small, kind = build_index(run, corpus, count=20), fields(corpus)
    assert len(small) == 20
    kinds = [kind[article] for article in small.equations["article"].to_pylist()]
    assert all(4 <= kinds.count(f"field{topic}") <= 6 for topic in range(TOPICS))
    assert np.allclose(small.likeness.idf, index.likeness.idf)  # learned from all of them


def test_a_rare_topic_is_not_left_out() -> None:
    theta = np.eye(3, dtype=np.float32)[[0] * 50 + [1] * 3 + [2] * 50]
    chosen = theta[spread(theta, 13)].sum(0)
    assert chosen.tolist() == [5, 3, 5]
    assert spread(theta, 500).tolist() == list(range(103))


def test_batches_change_nothing(
    run: Run, corpus: Corpus, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(task, "READ", 37)
    again = build_index(run, corpus, watch=lambda done, total: seen.append((done, total)))
    assert seen[0] == (37, len(index)) and seen[-1] == (len(index), len(index))
    assert again.equations.equals(index.equations)
    asked = [similar(run, one, "E = a b c x y", count=5) for one in (index, again)]
    scores = [[found.score for found in answer] for answer in asked]
    assert np.allclose(*scores, atol=0.01)


def test_a_run_without_a_state_cannot(corpus: Corpus) -> None:
    for override, message in [
        ('model.decoders=["bag"]', "it has no decoder with a state. Train one with"),
        ('model.theta="none"', "This model has no topics. Train one with"),
    ]:
        lstm = () if "bag" in override else ('model.decoders=["lstm"]',)
        run = new_run(planted_config(override, *lstm), corpus.vocabularies)
        with pytest.raises(Unsupported, match=message):
            build_index(run, corpus)


def test_any_decoder_with_a_state_will_do(corpus: Corpus) -> None:
    config = planted_config('model.decoders=["bag", "td-lstm"]')
    run = new_run(config, corpus.vocabularies)
    assert similar(run, build_index(run, corpus, count=30), "E = a b c", count=1)


def test_a_corpus_without_train_is_refused(run: Run, tmp_path: Path) -> None:
    corpus = Corpus.build(planted_pairs(40, 4), split=(0, 0, 100), path=tmp_path / "corpus")
    with pytest.raises(CorpusError, match="has no equations in train to index."):
        build_index(run, corpus)


@pytest.mark.parametrize("count", [0, -3])
def test_a_count_below_one_is_refused(run: Run, corpus: Corpus, index: Index, count: int) -> None:
    message = f"count = {count} is not possible. It must be "
    with pytest.raises(QuestionError, match=message + "from 1 to 10,000."):
        similar(run, index, "E = a", count=count)
    with pytest.raises(QuestionError, match=message + "1 or more."):
        build_index(run, corpus, count=count)


def test_what_is_no_equation_is_refused(run: Run, index: Index) -> None:
    with pytest.raises(QuestionError, match="The equation is empty."):
        similar(run, index, " ")


# -- on disk -----------------------------------------------------------------------------------


def test_kept_it_answers_the_same(folder: Path, run: Run, index: Index) -> None:
    kept = load_index(folder, run)
    assert isinstance(kept.vectors, np.memmap) and kept.vectors.dtype == np.int8
    asked = f"{SYMBOLS[1]} = a b c x y z a b"
    for one, other in zip(similar(run, index, asked), similar(run, kept, asked), strict=True):
        assert one == other
    assert not list(folder.glob(".similar*"))


def test_half_precision_keeps_the_index(folder: Path, tmp_path: Path) -> None:
    model = TopicEq.load(folder)
    model.save(tmp_path / "half", half=True)
    half = TopicEq.load(tmp_path / "half")
    assert half.similar("E = a b c")[0].article == model.similar("E = a b c")[0].article


def test_an_index_of_other_weights_is_refused(folder: Path, corpus: Corpus) -> None:
    other = new_run(planted_config(), corpus.vocabularies)
    other.save(folder)
    model = TopicEq.load(folder)
    message = f"similar' belongs to other weights. Make it again: topiceq index {folder} CORPUS"
    with pytest.raises(RunError, match=message):
        model.similar("E = a")
    assert not model.has_index()
    assert model.index(corpus, count=50, folder=folder) == 50
    assert TopicEq.load(folder).has_index()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index.json", b'{"version": 99, "digest": ""}'),
        ("index.json", b"{"),
        ("vectors.npy", b"nothing"),
        ("vectors.npy", None),
        ("equations.parquet", b"nothing"),
    ],
)
def test_a_damaged_index_is_refused(
    name: str, content: bytes | None, folder: Path, run: Run
) -> None:
    if content is None:
        (folder / "similar" / name).unlink()
    else:
        (folder / "similar" / name).write_bytes(content)
    with pytest.raises(RunError, match=r"similar' is damaged \(.*\). Make it again: topiceq index"):
        load_index(folder, run)


def test_parts_of_two_indexes_are_refused(folder: Path, run: Run, index: Index) -> None:
    np.save(folder / "similar" / "scales.npy", index.scales[1:])
    with pytest.raises(RunError, match="its parts do not belong together"):
        load_index(folder, run)


def test_what_cannot_be_written_is_said(index: Index, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="file/similar' cannot be written: "):
        index.save(tmp_path / "file")


def test_digests_tell_weights_apart(run: Run, corpus: Corpus) -> None:
    other = new_run(run.config, corpus.vocabularies)
    assert digest_of(run) == digest_of(run) != digest_of(other)


# -- the public face ---------------------------------------------------------------------------


def test_without_an_index_it_says_what_to_type(trained: Path) -> None:
    model = TopicEq.load(trained)
    assert not model.has_index()
    message = f"The run '{trained}' has no index of equations. Make one: topiceq index {trained} "
    with pytest.raises(Unsupported, match=message):
        model.similar("E = a")
    with pytest.raises(NotFitted):
        TopicEq().similar("E = a")


def test_an_index_lives_with_the_model_until_it_is_saved(
    run: Run, corpus: Corpus, tmp_path: Path
) -> None:
    model = TopicEq(run.config)
    model._run = run
    with pytest.raises(Unsupported, match=r"Make one: model.index\(corpus\)"):
        model.similar("E = a")
    assert model.index(corpus, count=40) == 40
    assert model.has_index() and len(model.similar("E = a", count=3)) == 3
    model.save(tmp_path / "run")
    assert TopicEq.load(tmp_path / "run").similar("E = a") == model.similar("E = a")
