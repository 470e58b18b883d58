"""The questions on symbols are found in their articles, answered, judged and counted."""

from pathlib import Path
from typing import Any

import pytest
from planted import PHRASES, WORDS

from research import meanings
from research.entries import Entry, questions
from topiceq.article.scope import Definitions
from topiceq.corpus.definition import defined_in
from topiceq.errors import CorpusError
from topiceq.model.run import Run

RED = " ".join(WORDS[0])
BODY = rf"""{RED}. Here $m$ is the frog mass. Also $m + v$ is large.
\[ E = m + v + \pi \] {RED}."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sources of one article in a repository of a field."""
    (tmp_path / "ponds" / "repo").mkdir(parents=True)
    text = rf"\documentclass{{article}}\begin{{document}}{BODY}\end{{document}}"
    (tmp_path / "ponds" / "repo" / "frogs.tex").write_text(text)
    return tmp_path


def asked(symbol: str, where: str, *meant: str) -> Entry:
    return {"article": "ponds/repo/frogs", "symbol": symbol, "where": where, "line": 2,
            "pair": "ponds/repo/frogs#0", "file": "ponds/repo/frogs.tex", "said": "text",
            "meanings": list(meant)}  # fmt: skip


def answered(run: Run, folder: Path, question: Entry, judged: Any = None) -> Entry:
    text = meanings.find_text(folder, question["article"])
    return meanings.answer(run, text, Definitions(defined_in(text)), question, judged or {})


def test_the_text_is_asked_where_the_symbol_stands(run: Run, folder: Path) -> None:
    found = answered(run, folder, asked("m", "display", "mass"))
    assert (found["text"], found["text_right"]) == ("frog mass", True)
    found = answered(run, folder, asked("m", "inline", "mass of a frog"))
    assert (found["text"], found["text_right"]) == ("frog mass", True)
    assert not answered(run, folder, asked("m", "inline", "toad"))["text_right"]


def test_others_are_asked_as_if_the_text_were_silent(run: Run, folder: Path) -> None:
    found = answered(run, folder, asked("E", "display", PHRASES[0][0]))
    assert found["text"] == "" and found["others"][0][0] == PHRASES[0][0]
    assert found["others"][0][2:] == [True, "lexicon"]
    pi = answered(run, folder, asked(r"\pi", "display", "pi"))["others"]
    assert len(pi) == 1 and pi[0][3] == "constant" and not pi[0][2]


def test_a_reader_may_accept_an_answer(run: Run, folder: Path) -> None:
    key = ("ponds/repo/frogs", "m", "frog mass")
    assert answered(run, folder, asked("m", "display", "toad"), {key: True})["text_right"]


def test_articles_that_are_not_there(folder: Path) -> None:
    with pytest.raises(CorpusError, match="^'ponds/repo/toads' is not in '.*'. Give the sources"):
        meanings.find_text(folder, "ponds/repo/toads")


def test_shares_and_calibration() -> None:
    def one(article: str, said: str, text: str, right: bool, *others: list[Any]) -> Entry:
        return {"article": article, "said": said, "text": text, "text_right": right,
                "is_index": False, "others": list(others)}  # fmt: skip

    answers = [
        one("a", "text", "mass", True, ["mass", 0.6, True, "lexicon"]),
        one("a", "text", "", False, ["slope", 0.6, False, "lexicon"]),
        one("b", "reader", "", False, ["x", 0.04, False, "lexicon"]),
        one("b", "reader", "", False, ["pi", 0, True, "constant"]),
    ]
    found = meanings.gold_scores(answers)
    assert found["finder"]["precision"][0] == 1 and found["finder"]["recall"][0] == 0.5
    assert found["silent"]["top1"][0] == 0.5 and found["silent"]["top1"][3] == 2
    assert found["not_known"] == 0.5
    assert found["sure"][:1] + found["sure"][3:] == [0.5, 2]
    assert found["calibration"][-1] == [0.6, 1.0, 2, 0.6, 0.5]
    assert meanings.share([], []) == [0.0, 0.0, 0.0, 0]


def test_the_questions_are_whole() -> None:
    asked = questions("meanings")
    known = {(one["article"], one["symbol"]) for one in asked}
    assert all((one["article"], one["symbol"]) in known for one in questions("judged"))
    assert {one["said"] for one in asked} <= {"text", "reader", "none"}
