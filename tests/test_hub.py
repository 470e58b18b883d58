"""Runs go to a hub and come back; what is not a run's file stays there."""

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from hub_server import create_hub

from topiceq import Corpus, TopicEq
from topiceq.errors import RunError, Unsupported

sys.path.append(str(Path(__file__).with_name("web")))

from serving import served  # noqa: E402


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    """A hub in place of the real one, with a cache of its own."""
    constants = pytest.importorskip("huggingface_hub.constants")
    app = create_hub()
    with served(app) as address:
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        for name, value in {
            "ENDPOINT": address, "HF_HUB_CACHE": str(tmp_path / "cache"),
            "HUGGINGFACE_CO_URL_TEMPLATE": address + "/{repo_id}/resolve/{revision}/{filename}",
            "HF_HUB_DISABLE_XET": True, "HF_HUB_DISABLE_PROGRESS_BARS": True,
        }.items():  # fmt: skip
            monkeypatch.setattr(constants, name, value)
        monkeypatch.chdir(tmp_path)
        yield app


def test_a_run_goes_there_and_comes_back(hub: FastAPI, trained: Path, corpus: Corpus) -> None:
    model = TopicEq.load(trained)
    model.index(corpus)
    address = model.push_to_hub("me/planted")
    assert "/me/planted/commit/" in address
    again = TopicEq.load("me/planted")
    assert np.array_equal(again.infer(equation="E = a b"), model.infer(equation="E = a b"))
    assert again.similar("E = a b c", count=2) == model.similar("E = a b c", count=2)
    assert again.explain("E", theta=1) == model.explain("E", theta=1)


def test_what_is_no_part_of_a_run_is_not_fetched(hub: FastAPI, trained: Path) -> None:
    TopicEq.load(trained).push_to_hub("me/planted")
    files: dict[str, bytes] = hub.state.repositories["me/planted"]
    evil = pickle.dumps(print)
    files |= {"state/state.pt": evil, "modeling_topiceq.py": b"import os", "lexicon/x.pkl": evil}
    hub.state.asked.clear()
    TopicEq.load("me/planted")
    assert {"config.toml", "model.safetensors"} <= set(hub.state.asked)
    assert not {"state/state.pt", "modeling_topiceq.py", "lexicon/x.pkl"} & set(hub.state.asked)


def test_arrays_that_hold_objects_are_refused(hub: FastAPI, trained: Path, tmp_path: Path) -> None:
    TopicEq.load(trained).push_to_hub("me/planted")
    np.save(tmp_path / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    files: dict[str, bytes] = hub.state.repositories["me/planted"]
    files["lexicon/counts.npy"] = (tmp_path / "evil.npy").read_bytes()
    with pytest.raises(RunError, match="The lexicon '.*' is damaged"):
        TopicEq.load("me/planted")


def test_a_new_run_takes_the_place_of_the_old(hub: FastAPI, trained: Path) -> None:
    model = TopicEq.load(trained)
    model.push_to_hub("me/planted")
    files: dict[str, bytes] = hub.state.repositories["me/planted"]
    files["lexicon/old.npy"] = files["notes.md"] = b"mine"
    model.push_to_hub("me/planted")
    assert "notes.md" in files and "lexicon/old.npy" not in files


def test_what_is_wrong_is_told(hub: FastAPI, tmp_path: Path, monkeypatch: Any) -> None:
    with pytest.raises(RunError, match="'me/none' is no run here, and cannot be had from the hub"):
        TopicEq.load("me/none")
    hub.state.repositories["me/other"] = {"README.md": b"text"}
    with pytest.raises(RunError, match="'me/other' on the hub is not a run of TopicEq"):
        TopicEq.load("me/other")
    (tmp_path / "runs").mkdir()
    with pytest.raises(RunError, match="'runs/none' is not a run. Train one"):
        TopicEq.load("runs/none")  # a path: the folder is here
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(Unsupported, match=r"type: pip install 'topiceq\[hub\]'"):
        TopicEq.load("me/planted")
