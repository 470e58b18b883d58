"""similar: what is like a planted equation, where it stands, and only where it is wanted."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from planted import TOPICS, planted_tokens

from topiceq.api import TopicEq
from topiceq.corpus.pair import Pair
from topiceq.corpus.store import Corpus
from topiceq.errors import QuestionError, RunError, Unsupported
from topiceq.model.run import Run
from topiceq.questions import Similar, ask
from topiceq.tasks.index import build_index
from topiceq.tasks.similar import Search
from topiceq.tasks.similar import similar as answer_similar


def similar(search: Search, equation: str, **parameters: Any) -> Any:
    return answer_similar(search, ask(Similar, {"equation": equation} | parameters))


@pytest.fixture(scope="module")
def search(corpus: Corpus) -> Search:
    return Search(build_index([corpus]))


@pytest.fixture(scope="module")
def rows(corpus: Corpus) -> list[Pair]:
    return list(corpus.train.pairs())


def of(*equations: str, **columns: list[Any]) -> Search:
    """An index of a few equations, in an article each."""
    from topiceq.tasks.index import _part, merged

    count = len(equations)
    names = [f"article{n}" for n in range(count)]
    given = {"article": names, "field": [""] * count, "file": [f"{n}.tex" for n in names],
             "section": [""] * count, "line": list(range(1, count + 1))} | columns  # fmt: skip
    given["tokens"] = [equation.split() for equation in equations]
    given["line"] = pa.array(given["line"], pa.int32())
    return Search(merged([_part(pa.RecordBatch.from_pydict(given))]))


# -- what is found -----------------------------------------------------------------------------


def test_an_equation_of_the_corpus_finds_itself(search: Search, rows: list[Pair]) -> None:
    for pair in rows[:200:20]:
        best = similar(search, pair.equation, count=3)
        assert best[0].equation == " ".join(pair.tokens)
        assert best[0].score == pytest.approx(1, abs=1e-5)
        assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)


def test_each_row_of_a_question_is_searched(search: Search, rows: list[Pair]) -> None:
    asked = [rows[n].expanded for n in (0, 40)]
    best = similar(search, r" \\ ".join(asked), count=6)
    found = {near.equation: near for near in best}
    assert [found[" ".join(rows[n].tokens)].row for n in (0, 40)] == [0, 1]
    assert [near.row for near in similar(search, asked[0], count=2)] == [None, None]


def test_results_say_where_they_stand(search: Search, rows: list[Pair]) -> None:
    (found,) = similar(search, f"$${rows[7].equation}$$", count=1)
    assert (found.article, found.file, found.line, found.field) == (
        rows[7].article, rows[7].file, rows[7].line, rows[7].field
    )  # fmt: skip
    assert (found.title, found.licence, found.link) == ("", "", None)


@pytest.mark.parametrize("topic", range(TOPICS))
def test_neighbours_are_of_the_same_kind(topic: int, search: Search) -> None:
    draw = random.Random(100 + topic)
    asked = [" ".join(planted_tokens(topic, draw.randrange(2), draw)) for _ in range(10)]
    found = [one.field for equation in asked for one in similar(search, equation)]
    assert found.count(f"field{topic}") >= 0.8 * len(found)


def test_a_renamed_twin_is_nearer_than_what_shares_its_letters() -> None:
    search = of("E = a ^ { 2 } + b ^ { 2 }", "E = a b + a b ^ { x } - 2", "y z = z x",
                "F _ { a } = b \\sin ( 2 E )")  # fmt: skip
    found = similar(search, "y = z ^ { 2 } + x ^ { 2 }")
    assert found[0].article == "article0" and found[0].score > 2 * found[1].score


def test_the_size_of_delimiters_makes_no_difference() -> None:
    search = of(r"E = h \left( n + \frac { 1 } { 2 } \right)", "E = h ( n + m )", "x = y z")
    best = similar(search, r"E = h (n + \frac{1}{2})")
    assert best[0].article == "article0" and best[0].score == pytest.approx(1, abs=1e-5)


def test_the_same_equation_is_shown_once_with_its_places() -> None:
    search = Search(build_index_of_two())
    (found, other) = similar(search, "E = m c ^ 2")
    assert (found.equation, found.places, found.article) == ("E = m c ^ { 2 }", 2, "article0")
    assert other.places == 1


def build_index_of_two() -> Any:
    from topiceq.tasks.index import merged

    return merged([of("E = m c ^ { 2 }", "E = m c ^ { 2 }", "F = m a").index])


def test_more_than_there_are_is_all(search: Search) -> None:
    assert len(similar(search, "E = a b", count=10_000)) == len(search.index)


def test_tokens_that_the_index_does_not_know(search: Search) -> None:
    assert similar(search, r"E = a b \Omega", count=1)[0].score < 0.95
    with pytest.raises(QuestionError, match="does not know any token"):
        similar(search, r"\Omega \Xi")


# -- only some ---------------------------------------------------------------------------------


def test_only_a_field(search: Search, rows: list[Pair]) -> None:
    other = next(pair.field for pair in rows if pair.field != rows[0].field)
    found = similar(search, rows[0].equation, field=other.upper(), count=20)
    assert {near.field for near in found} == {other} and len(found) == 20
    with pytest.raises(QuestionError, match=r"has no field 'tea'. There are: field0, field1"):
        similar(search, "E = a", field="tea")


def test_only_some_articles(search: Search, rows: list[Pair]) -> None:
    wanted = rows[-1].article
    found = similar(search, rows[0].equation, article=wanted[2:], count=500)
    assert {near.article for near in found} == {wanted}
    assert len(found) < len(search.index)
    with pytest.raises(QuestionError, match="The index has no article 'nowhere'."):
        similar(search, "E = a", article="nowhere")


def test_the_place_that_is_shown_is_one_that_is_wanted() -> None:
    search = Search(build_index_of_two())
    (found,) = similar(search, "E = m c^2", article="article1")
    assert (found.article, found.places) == ("article1", 1)


# -- the public face ---------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, -3])
def test_a_count_below_one_is_refused(search: Search, count: int) -> None:
    with pytest.raises(QuestionError, match=f"count = {count} .* It must be from 1 to 10,000."):
        similar(search, "E = a", count=count)


def test_what_is_no_equation_is_refused(search: Search) -> None:
    with pytest.raises(QuestionError, match="The equation is empty."):
        similar(search, " ")


def test_without_an_index_it_says_what_to_type(trained: Path) -> None:
    model = TopicEq.load(trained)
    assert not model.has_index()
    with pytest.raises(Unsupported, match=f"Make one: topiceq index CORPUS --run {trained}"):
        model.similar("E = a")
    with pytest.raises(Unsupported, match="'nowhere' is no index"):
        TopicEq.load(trained, index=["nowhere"]).similar("E = a")
    with pytest.raises(Unsupported, match=r"Make one: model.index\(corpus\)"):
        TopicEq().similar("E = a")


def test_an_index_lives_with_the_model_until_it_is_saved(
    run: Run, corpus: Corpus, tmp_path: Path
) -> None:
    model = TopicEq(run.config)
    model._run = run
    with pytest.raises(Unsupported, match=r"Make one: model.index\(corpus\)"):
        model.similar("E = a")
    count = model.index(corpus)
    assert model.has_index() and len(model.similar("E = a", count=3)) == 3
    assert model.index(corpus) == count  # the same articles again
    model.save(tmp_path / "run", half=True)
    again = TopicEq.load(tmp_path / "run")
    assert again.similar("E = a") == model.similar("E = a")
    (tmp_path / "run" / "similar" / "places.parquet").write_bytes(b"")
    with pytest.raises(RunError, match="cannot be used"):
        TopicEq.load(tmp_path / "run").similar("E = a")


def test_several_indexes_are_searched_together(trained: Path, tmp_path: Path) -> None:
    of("E = m c ^ { 2 }", "F = m a").index.save(tmp_path / "one")
    of("V = I R", "E = m c ^ { 2 }", article=["b0", "b1"]).index.save(tmp_path / "two")
    model = TopicEq.load(trained, index=[tmp_path / "one", tmp_path / "two"])
    best, *_ = model.similar("E = mc^2")
    assert (best.places, best.score) == (2, pytest.approx(1, abs=1e-5))
    assert {near.article for near in model.similar("V = I R")} >= {"b0", "article1"}
    assert np.isclose(model.similar("V = I R")[0].score, 1)
    digests = {Search.open(tmp_path / name).index.digest for name in ("one", "two")}
    assert Search.open(tmp_path / "one", tmp_path / "two").index.digest not in digests
