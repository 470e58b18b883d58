"""topiceq topics: one, those about some words, other names, and theta of articles."""

import json
import shutil
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest
from calling import call
from planted import WORDS

from topiceq import TopicEq
from topiceq.corpus.store import Corpus


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def test_one_topic_whole(run: Path) -> None:
    topic = json.loads(call("topics", run, "2", "--json").out)
    assert topic["topic"] == 2 and len(topic["words"]) > 8
    done = call("topics", run, "9")
    assert done.err == "topiceq: Topic 9 does not exist. This run has topics 0 to 3.\n"


def test_topics_are_found_by_asking_the_model(run: Path) -> None:
    for words in WORDS:
        found = call("topics", run, "--find", " ".join(words[-2:]), "--json").out.splitlines()
        best = json.loads(found[0])
        assert set(best["words"]) <= set(words) and best["p"] > 0.9
    assert (
        "does not know any word of 'unheard-of'" in call("topics", run, "--find", "unheard-of").err
    )


def test_names_merged_and_hidden_topics_are_kept(run: Path) -> None:
    before = json.loads(call("infer", run, "E = a b", "--top", 4, "--json").out)["topics"]
    done = call("topics", run, "--rename", "1=blue things", "--merge", "2=1", "--hide", 3, "--json")
    shown = [json.loads(line) for line in done.out.splitlines()]
    assert [topic["topic"] for topic in shown] == [0, 1] and shown[1]["label"] == "blue things"
    after = json.loads(call("infer", run, "E = a b", "--top", 4, "--json").out)["topics"]
    p = {topic["topic"]: topic["p"] for topic in before}
    assert {t["topic"]: t["p"] for t in after}[1] == pytest.approx(p[1] + p[2], abs=2e-4)
    assert {t["topic"] for t in after} == {0, 1}
    model = TopicEq.load(run)
    model.save(run)
    assert TopicEq.load(run).topics()[1].label == "blue things"
    call("topics", run, "--unhide", 3, "--unhide", 2)
    assert len(call("topics", run, "--json").out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rename", "1"], "'1' is not understood. Write TOPIC=LABEL, such as 12=waves."),
        (["--merge", "1=x"], "'1=x' is not understood. Write TOPIC=TOPIC, such as 12=7."),
        (["--merge", "1=1"], "topics: topic 1 is merged into one that is merged itself."),
        (["--hide", "9"], "topics: topic 9 does not exist. This run has topics 0 to 3."),
        (["--articles", "c"], "--articles CORPUS and --out FILE go together."),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], message: str, run: Path) -> None:
    done = call("topics", run, *arguments)
    assert (done.code, done.err) == (1, f"topiceq: {message}\n")
    assert not (run / "topics.toml").exists()


def test_theta_of_articles(run: Path, corpus: Corpus, tmp_path: Path) -> None:
    for suffix, read in ((".parquet", pyarrow.parquet.read_table), (".csv", pyarrow.csv.read_csv)):
        out = tmp_path / f"theta{suffix}"
        done = call("topics", run, "--articles", corpus.path, "--out", out)
        table = read(out)
        assert json.loads(done.out) == {"out": str(out), "articles": table.num_rows}
        assert table.column_names == [
            "article",
            "field",
            "pairs",
            *(f"theta_{k}" for k in range(4)),
        ]
        rows = table.to_pylist()
        assert all(abs(sum(row[f"theta_{k}"] for k in range(4)) - 1) < 1e-3 for row in rows)
        assert sum(row["pairs"] for row in rows) == sum(
            map(len, (corpus.train, corpus.valid, corpus.test))
        )


def test_a_data_frame(run: Path) -> None:
    frame = TopicEq.load(run).topics().to_frame()
    assert list(frame.columns) == ["label", "share", "words", "tokens", "equations"]
    assert frame.index.tolist() == [0, 1, 2, 3]
