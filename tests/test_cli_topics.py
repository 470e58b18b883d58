"""topiceq topics: one, those about some words, other names, and theta of articles."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

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
        (["--articles", "c"], "--articles CORPUS needs --out FILE, or --by year or field."),
        (["--out", "x.csv"], "--out goes with --articles CORPUS."),
        (["--articles", "c", "--by", "day"], "--by 'day' is not possible. It is year or field."),
        (
            ["--articles", "c", "--out", "x.svg"],
            "'x.svg' is none of .parquet, .csv. Give one of these.",
        ),
    ],
)  # fmt: skip
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
            "year",
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


def test_fields_and_years_over_time(run: Path, corpus: Corpus, tmp_path: Path) -> None:
    by_field = call("topics", run, "--articles", corpus.path, "--by", "field", "--json")
    rows = [json.loads(line) for line in by_field.out.splitlines()]
    assert [row["topic"] for row in rows] == list(range(4))
    fields = [f"field{n}" for n in range(4)]
    best = [max(rows, key=lambda row: row["field"][f])["topic"] for f in fields]
    assert sorted(best) == [0, 1, 2, 3]  # each planted field has a topic of its own

    unknown = call("topics", run, "--articles", corpus.path, "--by", "year")
    assert unknown.code == 1 and "has a year. Give dates: --dates FILE" in unknown.err
    dates = tmp_path / "dates.csv"
    names = sorted(set(corpus.train.column("article").to_pylist()))
    dates.write_text("".join(f"{name},{2000 + n % 3}-01-02\n" for n, name in enumerate(names)))
    asked = ("topics", run, "--articles", corpus.path, "--by", "year", "--dates", dates)
    assert list(json.loads(call(*asked, "--json").out.splitlines()[0])["year"]) == [
        "2000", "2001", "2002"]  # fmt: skip
    assert "2001" in call(*asked, "--table").out
    plot = tmp_path / "years.svg"
    call(*asked, "--out", plot)
    drawn = ElementTree.fromstring(plot.read_text())
    assert len(drawn.findall("{*}polyline")) == 4
    call(*asked, "--out", tmp_path / "years.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "years.parquet")
    assert table.column_names[:3] == ["year", "articles", "theta_0"] and table.num_rows == 3


def test_what_people_made_of_topics_is_saved_with_the_run(run: Path, tmp_path: Path) -> None:
    call("topics", run, "--rename", "1=blue things", "--hide", 2)
    TopicEq.load(run).save(tmp_path / "copy")
    again = TopicEq.load(tmp_path / "copy").topics()
    assert again[1].label == "blue things" and again[2].hidden
