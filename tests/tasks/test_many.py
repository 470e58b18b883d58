"""Files of equations: one row for each, in order, wherever and however often it is begun."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from planted import TOPICS, WORDS

import topiceq.arrow
from topiceq.api import TopicEq
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.run import Run
from topiceq.questions import InferFile, ask
from topiceq.tasks import many
from topiceq.tasks.many import infer_file

EQUATIONS = ["E = a b c", "x^{2", r"E = a \\ E = x", "", "E = x y z a", "E = z c", "E = b a"]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Parquet with several parts, and with other columns."""
    monkeypatch.setattr(many, "ROWS", 3)
    path = tmp_path / "formulas.parquet"
    columns = {"id": [f"f{n}" for n in range(7)], "equation": EQUATIONS, "year": [*range(7)]}
    pq.write_table(pa.table(columns), path, row_group_size=5)
    return path


def inferred(run: Path, source: Path, name: str = "topics.parquet", **parameters: Any) -> pa.Table:
    own = {name: parameters.pop(name) for name in ("jobs", "cluster") if name in parameters}
    output = source.with_name(name)
    question = ask(InferFile, {"input": str(source), "output": str(output)} | parameters)
    infer_file(run, question, **{"jobs": 1} | own)
    assert not list(output.parent.glob(".*.parts"))
    return pq.read_table(output)


def test_one_row_for_each(trained: Path, source: Path) -> None:
    found = inferred(trained, source, keep=["id"], top=2)
    assert found.column_names == ["row", "id", "known", "topics", "p", "labels", "error"]
    assert found["row"].to_pylist() == [*range(7)]
    assert found["id"].to_pylist() == [f"f{n}" for n in range(7)]
    errors = found["error"].to_pylist()
    assert [n for n, error in enumerate(errors) if error] == [1, 3]
    assert "does not parse" in errors[1] and "empty" in errors[3]
    assert found["topics"].to_pylist()[1] is found["known"].to_pylist()[3] is None
    assert all(len(k) == 2 for k in found["topics"].to_pylist() if k)


def test_the_answers_are_those_of_infer(trained: Path, source: Path) -> None:
    model = TopicEq.load(trained)
    found = inferred(trained, source, all_topics=True, top=1)
    for row in (0, 2, 4):
        theta = np.asarray(model.infer(equation=EQUATIONS[row]))
        assert np.allclose(found["theta"][row].as_py(), theta, atol=1e-5)
        assert found["topics"][row].as_py() == [theta.argmax()]
        label = model.topics()[int(theta.argmax())].label
        assert found["labels"][row].as_py() == [label]


def test_lines_of_text_and_of_json_are_read_too(trained: Path, source: Path) -> None:
    wanted = inferred(trained, source)
    text, lines = source.with_name("f.txt"), source.with_name("f.jsonl")
    text.write_text("".join(f"{equation}\n" for equation in EQUATIONS))
    rows = [json.dumps({"equation": equation, "n": n}) for n, equation in enumerate(EQUATIONS)]
    lines.write_text("\n".join(rows) + "\n")
    assert inferred(trained, text, "t.parquet").equals(wanted)
    with_n = inferred(trained, lines, "j.parquet", keep=["n"])
    assert with_n["n"].to_pylist() == [str(n) for n in range(7)]
    assert with_n.drop_columns("n").equals(wanted)


def test_a_context_may_stand_in_another_column(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.parquet"
    prose = [" ".join(WORDS[k]) for k in range(TOPICS)]
    pq.write_table(pa.table({"tex": ["E = a"] * TOPICS, "text": prose}), path)
    model = TopicEq.load(trained)
    both = inferred(trained, path, column="tex", context_column="text", all_topics=True)
    for row, context in enumerate(prose):
        wanted = np.asarray(model.infer(equation="E = a", context=context))
        assert np.allclose(both["theta"][row].as_py(), wanted, atol=1e-5)


def test_parts_that_a_process_left_which_was_killed_at_its_end_go(
    trained: Path, source: Path
) -> None:
    whole = inferred(trained, source)
    folder = source.with_name(".topics.parquet.parts")
    folder.mkdir()
    (folder / "00000000.parquet").touch()
    assert inferred(trained, source).equals(whole) and not folder.exists()


def test_it_goes_on_where_it_was_stopped(
    trained: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, done = many.work, []

    def stopped(part: many.Part) -> Any:
        if part.first >= 5 and len(done) < 3:
            raise KeyboardInterrupt
        done.append(part.first)
        return work(part)

    monkeypatch.setattr(many, "work", stopped)
    with pytest.raises(KeyboardInterrupt):
        inferred(trained, source)
    assert done == [0, 3] and not source.with_name("topics.parquet").exists()
    done.append(-1)
    whole = inferred(trained, source)
    assert done == [0, 3, -1, 5]
    assert len(whole) == 7
    inferred(trained, source)
    assert done == [0, 3, -1, 5]  # it is there already
    inferred(trained, source, top=1)
    assert len(done) == 7  # something else was asked


def test_processes_and_clusters_write_the_same(trained: Path, source: Path, dask: str) -> None:
    alone = inferred(trained, source, "one.parquet")
    assert inferred(trained, source, "two.parquet", jobs=2).equals(alone)
    assert inferred(trained, source, "dask.parquet", cluster=dask).equals(alone)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("formulas.parquet", {"column": "tex"}, "has no column 'tex'. It has: id, equation, year."),
        ("formulas.parquet", {"keep": ["field"]}, "has no column 'field'."),
        ("formulas.docx", {}, "is no kind of file that is read. Give one of: .parquet, .jsonl,"),
        ("nowhere.parquet", {}, "cannot be read"),
        ("empty.txt", {}, "The input has no rows."),
    ],
)
def test_what_cannot_be_read_is_said_at_once(
    name: str, parameters: dict[str, Any], message: str, trained: Path, source: Path
) -> None:
    source.with_name("empty.txt").touch()
    with pytest.raises(QuestionError) as error:
        inferred(trained, source.with_name(name), **parameters)
    assert message in str(error.value)
    assert not source.with_name("topics.parquet").exists()


# -- Arrow -------------------------------------------------------------------------------------


def test_a_table_gets_its_topics(trained: Path) -> None:
    table = pa.table({"equation": EQUATIONS, "n": range(7)})
    found = topiceq.arrow.infer(table, trained, top=1)
    assert found.column_names == ["equation", "n", "known", "topics", "p", "labels", "error"]
    assert found.select(["equation", "n"]).equals(table)
    batches = topiceq.arrow.infer_batches(table.to_batches(max_chunksize=3), trained, top=1)
    assert pa.Table.from_batches(list(batches)).equals(found)
    with pytest.raises(QuestionError, match="There is no column 'tex'. There are: equation, n."):
        topiceq.arrow.infer(table, trained, column="tex")


def test_with_pandas(run: Run, trained: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"equation": ["E = a b c", "E = x"]})
    table = pa.Table.from_pandas(frame, preserve_index=False)
    found = topiceq.arrow.infer(table, trained, top=2).to_pandas()
    assert list(found.columns[:2]) == ["equation", "known"] and len(found["topics"][0]) == 2


def test_with_duckdb(trained: Path) -> None:
    import duckdb

    table = duckdb.sql("select 'E = a b c' as equation").arrow().read_all()
    found = topiceq.arrow.infer(table, trained)  # noqa: F841  # by its name in the query
    assert duckdb.sql("select topics[1] from found").fetchall()[0][0] in range(TOPICS)


def test_a_model_that_was_not_saved_cannot_be_shared(run: Run, source: Path) -> None:
    model = TopicEq()
    model._run = run
    with pytest.raises(Unsupported, match="Save and load it"):
        model.infer_file(source, source.with_name("x.parquet"))
