"""The command: parse, call, print."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import topiceq

ARTICLES = Path(__file__).parents[1] / "examples" / "articles"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "topiceq", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pairs") / "pairs"
    done = run("extract", ARTICLES, "-o", out, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["pairs"] > 200 and summary["articles"] >= 24
    assert "multiline" not in summary["reasons"]  # each row is an equation
    assert done.stderr == ""
    return out


def test_extract_build_stats(pairs: Path, tmp_path: Path) -> None:
    built = run("build", pairs, "-o", tmp_path / "corpus")
    assert json.loads(built.stdout)["pairs"]["train"] > 100
    stats = run("stats", tmp_path / "corpus")
    assert json.loads(stats.stdout)["vocabularies"]["words"] > 100
    table = run("stats", tmp_path / "corpus", "--table")
    assert "Most frequent in train" in table.stdout


def test_build_extracts_first_if_it_is_given_articles(tmp_path: Path) -> None:
    built = run("build", ARTICLES / "ml", "-o", tmp_path / "c", "--split", "0/0/100", "--json")
    pairs = json.loads(built.stdout)["pairs"]
    assert pairs["test"] > 10 and pairs["train"] == 0


def test_what_was_dropped_can_be_read(tmp_path: Path) -> None:
    out, file = tmp_path / "pairs", tmp_path / "dropped.jsonl"
    by_the_paper = ("--set", "corpus.rows=paper", "--explain-dropped", file)
    assert run("extract", ARTICLES / "ml", "-o", out, *by_the_paper).returncode == 0
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {"reason", "article", "file", "line", "equation"} == set(rows[0])
    assert "multiline" in {row["reason"] for row in rows}


def test_settings_are_printed_and_changed() -> None:
    assert "topics = 100" in run("config", "paper").stdout
    assert "topics = 7" in run("config", "--set", "model.topics=7").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extract", "no/such/path", "-o", "x"], "no/such/path"),
        (["stats", "no/such/corpus"], "no/such/corpus"),
        (["config", "--set", "model.topic=7"], "topics"),
        (["config", "nonsense"], "nonsense"),
        (["build", "no/such/path", "-o", "x"], "no/such/path"),
    ],
)
def test_known_errors_are_one_line_and_exit_1(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == 1
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith("topiceq: ") and message in done.stderr


def test_wrong_usage_exits_2() -> None:
    assert run("extract").returncode == 2
    assert run("nonsense").returncode == 2


def test_help_tells_every_verb() -> None:
    text = run("--help").stdout
    assert all(verb in text for verb in ("extract", "build", "stats", "config"))


def test_train_and_topics(pairs: Path, tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus", tmp_path / "run"
    assert run("build", pairs, "-o", corpus).returncode == 0
    trained = run("train", corpus, "-o", out, "-c", "debug")
    assert trained.returncode == 0, trained.stderr
    records = [json.loads(line) for line in trained.stdout.splitlines()]
    assert records[-1]["valid"]["te-lstm"] > 1
    rows = [json.loads(line) for line in run("topics", out, "--words", 3).stdout.splitlines()]
    assert [row["topic"] for row in rows] == list(range(len(rows)))
    assert all(len(row["words"]) == 3 for row in rows)
    again = run("train", corpus, "-o", out, "-c", "debug")
    assert again.returncode == 1 and "Add --resume to go on" in again.stderr


def test_the_version_and_completion() -> None:
    assert run("--version").stdout == f"topiceq {topiceq.__version__}\n"
    assert "--install-completion" in run("--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [["infer"], ["infer", "x^{"], ["explain"], ["topics", "no/run"], ["serve", "no/run"],
     ["generate", "--theta", "7", "--beams", "2", "--greedy"], ["score", "no", "c"]],
)  # fmt: skip
def test_wrong_usage_is_told_before_torch_is_imported(arguments: list[str]) -> None:
    code = (
        "import sys, topiceq.cli; sys.argv[1:] = sys.argv[2:]\n"
        "try: topiceq.cli.main()\n"
        "except SystemExit as end: print(end.code, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, "-", *arguments], capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["1 False"], done
