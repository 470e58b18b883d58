"""The one command: its verbs, their arguments, and tables of rows made from end to end."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from research import entries, rows, tables
from research.__main__ import VERBS, call, main
from topiceq.corpus.store import Corpus


def test_help_lists_every_verb_with_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    listed = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()[2:]]
    assert [line[0] for line in listed[: len(VERBS)]] == list(VERBS)
    assert all(len(line[1]) > 20 for line in listed[: len(VERBS)])


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_tells_its_arguments(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([verb, "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: python -m research {verb} [-h]")
    assert "--results FOLDER" in shown


def test_parameters_of_a_verb_are_its_arguments(results: Path) -> None:
    given: list[Any] = []

    def verb(run: Path, other: Path | None = None, *, out: Path, seeds: tuple[int, ...] = (0,),
             rate: float | None = None) -> None:  # fmt: skip
        """What it does."""
        given.append((run, other, out, seeds, rate))

    call("verb", verb, shlex.split("a -o b"))
    call("verb", verb, shlex.split("a c --out b --seeds 1 2 --rate 0.5"))
    assert given[0] == (Path("a"), None, Path("b"), (0,), None)
    assert given[1] == (Path("a"), Path("c"), Path("b"), (1, 2), 0.5)
    with pytest.raises(SystemExit, match="2"):
        call("verb", verb, ["a"])


def test_what_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="'nothing' is not a corpus. Make one: topiceq build"):
        main(["quarter", "nothing", "-o", str(tmp_path)])


def test_an_entry_takes_the_place_of_an_older_one(results: Path) -> None:
    entry = {"row": "LSTM", "corpus": "corpus", "topics": 50, "seed": 0}
    entries.keep("parts", [entry | {"npmi": [1.0]}, entry | {"seed": 1}])
    entries.keep("parts", [entry | {"npmi": [2.0]}])
    assert entries.read("parts") == [entry | {"npmi": [2.0]}, entry | {"seed": 1}]


def test_tables_are_made_from_end_to_end(
    corpus: Corpus, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of two tables, what is measured of their runs, and claims."""
    monkeypatch.setattr(rows, "PRESET", "debug")
    monkeypatch.setattr(tables, "SAMPLES", 4)

    def research(verb: str, *words: str) -> None:
        chosen = [str(corpus.path), "--runs", str(tmp_path), "--topics", "4", "--threads", "1"]
        monkeypatch.setattr(sys, "argv", ["research", verb, *chosen, *words])
        main(sys.argv[1:])

    research("equations", "--rows", "lstm", "te-lstm")
    research("coherence", "--rows", "te-lstm", "--seeds", "0", "1")  # the first is read
    research("told")
    research("stability", "--seeds", "0", "1")
    main(["claims"])
    found = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    assert {name: len(kept) for name, kept in found.items()} == {
        "claims": 2, "coherence": 2, "equations": 2, "parts": 3, "stability": 1, "told": 1,
    }  # fmt: skip
    for entry in (entry for kept in found.values() for entry in kept):
        assert entry["command"].startswith("python -m research ")
        assert (entry["corpus"], entry["corpus_digest"]) == (corpus.path.name, corpus.digest)
    with pytest.raises(SystemExit, match="No row is called lda: lstm lstm-lda td-lstm"):
        research("equations", "--rows", "lda")
    with pytest.raises(SystemExit, match="has other settings or another corpus"):
        research("equations", "--rows", "te-lstm", "--dropout", "0.5")
