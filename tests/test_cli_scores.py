"""topiceq score and compare."""

import io
import json
import shutil
from pathlib import Path

import pytest
from calling import call
from rich.console import Console

from topiceq.api import PRETRAINED
from topiceq.cli.model import comparison
from topiceq.config import Config
from topiceq.corpus.store import Corpus
from topiceq.model.run import new_run


@pytest.fixture
def own(trained: Path, tmp_path: Path) -> Path:
    """A copy of the planted run, which scores may be written into."""
    return Path(shutil.copytree(trained, tmp_path / "te"))


@pytest.fixture
def unseen(corpus: Corpus, tmp_path: Path) -> Path:
    """A corpus for evaluation alone: no train split, no vocabularies."""
    path = tmp_path / "unseen"
    Corpus.build(list(corpus.test.pairs()), split=(0, 0, 100), path=path)
    return path


def test_scores_are_shown_and_written_into_the_run(own: Path, corpus: Corpus) -> None:
    done = call("score", own, corpus.path, "--syntax", 20)
    found = json.loads(done.out)
    assert done.code == 0 and found == json.loads((own / "scores.json").read_text())
    assert (found["corpus"], found["split"]) == (corpus.digest, "test")
    assert found["equations"]["te-lstm"]["perplexity"] < found["equations"]["bag"]["perplexity"]
    assert found["phrases"]["alignment"]["unigram"] > 1
    assert found["syntax"]["te-lstm"]["sampled"] == 20
    assert "npmi_win20_top5_20" in (own / "README.md").read_text()


def test_a_score_that_is_not_asked_for_again_is_kept(own: Path, corpus: Corpus) -> None:
    call("score", own, corpus.path, "--syntax", 20)
    call("score", own, corpus.path)
    assert "syntax" in json.loads((own / "scores.json").read_text())
    call("score", own, corpus.path, "--split", "valid")
    assert "syntax" not in json.loads((own / "scores.json").read_text())


def test_a_run_that_writes_nothing_cannot_be_judged(tmp_path: Path, corpus: Corpus) -> None:
    config = Config().override(["model.decoders=[]", "model.topics=2"])
    new_run(config, corpus.vocabularies).save(tmp_path / "topics")
    done = call("score", tmp_path / "topics", corpus.path, "--syntax", 5)
    assert (done.code, done.out) == (1, "")
    assert "no decoder that writes equations" in done.err


def test_without_a_compiler_nothing_is_written_in_vain(
    own: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    done = call("score", own, corpus.path, "--syntax", 10**9)
    assert done.code == 1 and "pdflatex is not on PATH" in done.err


def test_articles_that_the_run_never_saw_are_scored_with_its_words(
    own: Path, corpus: Corpus, unseen: Path
) -> None:
    told, again = (json.loads(call("score", own, path).out) for path in (corpus.path, unseen))
    assert told.pop("corpus") != again.pop("corpus")
    assert told == again


def test_without_a_run_the_default_is_scored_and_left_as_it_is(unseen: Path) -> None:
    before = {path: path.read_bytes() for path in PRETRAINED.glob("*.*")}
    found = json.loads(call("score", unseen).out)
    assert found["pairs"] > 0 and "te-td-lstm" in found["equations"]
    assert {path: path.read_bytes() for path in PRETRAINED.glob("*.*")} == before


def test_people_get_a_table(own: Path, corpus: Corpus) -> None:
    shown = call("score", own, corpus.path, "--table").out
    assert "word_perplexity" in shown and "equations te-lstm perplexity" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "'nowhere' is not a corpus. Make one: topiceq build PAIRS -o nowhere\n"),
        (["a", "b", "c"], "Too many arguments: a b c. Give a run and one corpus.\n"),
    ],
)
def test_what_cannot_be_scored_is_said_in_a_line(arguments: list[str], said: str) -> None:
    done = call("score", *arguments)
    assert (done.code, done.err.removeprefix("topiceq: ")) == (1, said)


def test_runs_are_compared(own: Path, corpus: Corpus) -> None:
    call("score", own, corpus.path)
    (found,) = map(json.loads, call("compare", own).out.splitlines())
    assert (found["run"], found["topics"]) == (str(own), 4)
    assert {"npmi", "perplexity", "words", "phrases"} <= found["scores"].keys()


def test_the_table_of_runs_has_the_figures_of_the_paper_and_cuts_nothing() -> None:
    scores = {"npmi": 0.1214, "perplexity": 5.735, "words": 824.0, "syntax": 0.17}
    one = {"run": "runs/corpus-k50/te-lstm-s0", "row": "Ours (context + Eq LSTM)", "topics": 50,
           "corpus": "0123456789", "split": "test",
           "scores": scores, "paper": {"npmi": 0.097, "perplexity": 5.36}}  # fmt: skip
    shown = io.StringIO()
    Console(width=80, file=shown).print(comparison([one]))
    assert "0.1214" in shown.getvalue() and "(0.0970)" in shown.getvalue()
    assert "…" not in shown.getvalue() and "phrases" not in shown.getvalue().splitlines()[1]


def test_runs_on_different_pairs_are_not_compared_in_silence() -> None:
    one = {"run": "a", "row": "LSTM", "topics": 50, "scores": {"perplexity": 5.7}, "paper": {},
           "corpus": "0123456789", "split": "test"}  # fmt: skip
    shown = io.StringIO()
    Console(width=80, file=shown).print(comparison([one, one | {"split": "valid"}]))
    assert "on test of 01234567" in shown.getvalue() and "on valid of" in shown.getvalue()
    assert "cannot be compared" in " ".join(shown.getvalue().split())


def test_a_run_without_scores_cannot_be_compared(own: Path) -> None:
    (own / "scores.json").unlink(missing_ok=True)
    done = call("compare", own)
    assert done.code == 1
    assert f"'{own}' has no scores. Make them: topiceq score {own} CORPUS" in done.err
