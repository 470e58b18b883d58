"""Runs that a stranger has tampered with: refused with what is wrong, and nothing is executed."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import RunError, TopicEqError
from topiceq.model.history import History, TrainingStep
from topiceq.model.lexicon import load_lexicon, packed, unpacked
from topiceq.model.run import Run
from topiceq.model.train import Training

WEIGHTS, EQUATIONS = "model.safetensors", "equations.safetensors"
DEEP = "[" * 100_000


class Payload:
    """What a pickle would execute."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    """A run folder that a test may tamper with."""
    return shutil.copytree(trained, tmp_path / "run")


def read(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    with safe_open(path, "pt") as file:
        return {n: file.get_tensor(n).clone() for n in file.keys()}, dict(file.metadata())


def rewrite(path: Path, change: Callable[[dict[str, torch.Tensor], dict[str, str]], None]) -> None:
    tensors, metadata = read(path)
    change(tensors, metadata)
    save_file(tensors, path, metadata)


def refused(folder: Path) -> str:
    with pytest.raises(RunError) as error:
        Run.load(folder)
    return str(error.value)


# -- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [WEIGHTS, EQUATIONS])
def test_a_pickle_is_not_executed(copy: Path, tmp_path: Path, name: str) -> None:
    (copy / name).write_bytes(pickle.dumps(Payload(tmp_path / "mark")))
    assert f"{name} cannot be read" in refused(copy)
    torch.save({"a": Payload(tmp_path / "mark")}, copy / name)
    assert f"{name} cannot be read" in refused(copy)
    assert not (tmp_path / "mark").exists()


def test_a_state_that_is_a_pickle_is_not_executed(
    copy: Path, corpus: Corpus, tmp_path: Path
) -> None:
    config = Run.load(copy).config
    torch.save({"progress": Payload(tmp_path / "mark")}, copy / "state" / "state.pt")
    with pytest.raises(RunError, match=r"The state '.*' cannot be read"):
        next(iter(Training(corpus, config, folder=copy, resume=True).steps()))
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", [WEIGHTS, EQUATIONS])
def test_numbers_that_are_none(copy: Path, value: float, name: str) -> None:
    def change(tensors: dict[str, torch.Tensor], _: dict[str, str]) -> None:
        first = next(n for n, t in sorted(tensors.items()) if t.is_floating_point())
        tensors[first].view(-1)[0] = value

    rewrite(copy / name, change)
    assert "is not a finite number" in refused(copy)


@pytest.mark.parametrize("name", [WEIGHTS, EQUATIONS])
def test_a_header_that_promises_more_than_there_is(copy: Path, name: str) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]}})
    (copy / name).write_bytes(len(header).to_bytes(8, "little") + header.encode())
    assert f"{name} cannot be read" in refused(copy)
    (copy / name).write_bytes((1 << 60).to_bytes(8, "little") + header.encode())
    assert f"{name} cannot be read" in refused(copy)


@pytest.mark.parametrize("facts", ["{", "[1]", DEEP, '{"pairs": 3}', '{"valid": [1]}'])
def test_facts_that_are_none(copy: Path, facts: str) -> None:
    rewrite(copy / WEIGHTS, lambda _, metadata: metadata.update(facts=facts))
    assert f"the facts in {WEIGHTS} are damaged" in refused(copy)


@pytest.mark.parametrize("name", ["vectors", "shift", "weights", "bias", "prior", "known"])
def test_an_encoder_of_other_shapes(copy: Path, name: str) -> None:
    def change(tensors: dict[str, torch.Tensor], _: dict[str, str]) -> None:
        tensors[name] = torch.cat([tensors[name], tensors[name]])

    rewrite(copy / EQUATIONS, change)
    assert f"{EQUATIONS} cannot be read" in refused(copy)


def test_an_encoder_with_a_huge_recipe(copy: Path) -> None:
    def change(_: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
        about = json.loads(metadata["about"])
        about["recipe"]["dimensions"] = 1 << 40
        metadata["about"] = json.dumps(about)

    rewrite(copy / EQUATIONS, change)
    assert f"{EQUATIONS} cannot be read" in refused(copy)


# -- settings and vocabularies -------------------------------------------------------------------


@pytest.mark.parametrize("setting", ["topics", "state", "embedding", "encoder_units", "layers",
                                     "symbols"])  # fmt: skip
def test_settings_that_ask_for_more_than_any_memory(copy: Path, setting: str) -> None:
    lines = (copy / "config.toml").read_text().splitlines()
    changed = [f"{setting} = 1000000000" if line.startswith(f"{setting} = ") else line
               for line in lines]  # fmt: skip
    assert changed != lines
    (copy / "config.toml").write_text("\n".join(changed))
    assert f"model.{setting} = 1000000000 is not allowed" in refused(copy)


def test_a_thousand_decoders(copy: Path) -> None:
    text = (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(text.replace('    "bag",\n', '    "bag",\n' * 1_000))
    assert "model.decoders" in refused(copy)


@pytest.mark.parametrize("name", ["config.toml", "words.txt", "topics.json", "scores.json",
                                  "record.json", "history.jsonl", "topics.toml"])  # fmt: skip
def test_a_text_of_a_gigabyte_is_not_read(copy: Path, name: str) -> None:
    (copy / name).touch()
    os.truncate(copy / name, 1 << 30)  # takes no space
    assert "is larger than " in refused(copy)


@pytest.mark.parametrize("name", [WEIGHTS, EQUATIONS, "words.txt", "topics.json",
                                  "record.json", "lexicon/lexicon.json"])  # fmt: skip
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_is_not_read(copy: Path, name: str, kind: str) -> None:
    (copy / name).unlink()
    if kind == "pipe":
        os.mkfifo(copy / name)  # whoever opens it waits for ever
    elif kind == "device":
        (copy / name).symlink_to("/dev/zero")  # whoever reads it runs out of memory
    else:
        (copy / name).mkdir()
    assert "is not a plain file" in refused(copy) or kind == "folder"


@pytest.mark.parametrize("text", ["a = " + DEEP, "a" + ".a" * 100_000 + " = 1", "model = 3", "\0"])
def test_settings_that_are_no_settings(copy: Path, text: str) -> None:
    (copy / "config.toml").write_text(text)
    assert "does not fit together" in refused(copy)


@pytest.mark.parametrize("name", ["tokens", "words"])
def test_a_vocabulary_without_what_it_must_have(copy: Path, name: str) -> None:
    """The digests are those of what was tampered with."""
    items = list(Vocab.load(copy / f"{name}.txt"))
    changed = Vocab(["x" + item for item in items])
    changed.save(copy / f"{name}.txt")
    rewrite(copy / WEIGHTS, lambda _, metadata: metadata.update({name: changed.digest}))
    if name == "tokens":
        assert "tokens.txt does not begin with" in refused(copy)
    else:  # other words are another run; but its topics must be its own
        assert "does not fit together" in refused(copy)


# -- topics and the rest -------------------------------------------------------------------------


def change_topics(copy: Path, **changes: object) -> None:
    value = json.loads((copy / "topics.json").read_text())
    value["topics"][1] |= changes
    (copy / "topics.json").write_text(json.dumps(value))


@pytest.mark.parametrize(
    "changes",
    [{"id": 0}, {"id": "1"}, {"words": ["nobody"]}, {"words": "reda"}, {"words": [1]},
     {"share": float("nan")}, {"share": -1.0}, {"share": "1"}, {"label": 3}, {"tokens": [["a"]]},
     {"equations": [{}]}, {"equations": {"a": 1}}, {"equations": [1]}],
)  # fmt: skip
def test_topics_that_are_none(copy: Path, changes: dict[str, object]) -> None:
    change_topics(copy, **changes)
    assert "topics.json" in refused(copy)


@pytest.mark.parametrize("name", ["topics.json", "scores.json", "record.json", "history.jsonl"])
@pytest.mark.parametrize("text", ["{", "[1]", "3", "null", DEEP, '{"topics": 3}', "\udcff"])
def test_json_that_is_something_else(copy: Path, name: str, text: str) -> None:
    (copy / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    if (name, text) in [("scores.json", '{"topics": 3}'), ("history.jsonl", '{"topics": 3}')]:
        Run.load(copy)  # nobody asks for the names in these
    else:
        assert name in refused(copy)


@pytest.mark.parametrize(
    "text",
    ["[topics.1]\nlabel = 3", "topics = 3", "a = " + DEEP, "[topics.99]\nhidden = true",
     "[topics.x]\nhidden = true"],
)  # fmt: skip
def test_changes_that_are_none(copy: Path, text: str) -> None:
    (copy / "topics.toml").write_text(text)
    assert "topics.toml" in refused(copy)


def test_a_run_that_writes_elsewhere_by_links(copy: Path, tmp_path: Path) -> None:
    """What a link of a stranger's points to is not overwritten when scores are kept."""
    (tmp_path / "mine.txt").write_text("precious")
    (copy / "scores.json").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(TopicEqError):
        Run.load(copy).save_scores(copy, {"perplexity": {"te-lstm": 2.5}})
    assert (tmp_path / "mine.txt").read_text() == "precious"


# -- the lexicon -----------------------------------------------------------------------------------


def change_table(copy: Path, name: str, change: Callable[[Any], Any]) -> None:
    path = copy / "lexicon" / f"{name}.npy"
    table = np.array(np.load(path))
    np.save(path, change(table))


TABLES = ["starts", "entries", "counts", "defining", "uses", "affinity", "word_starts", "word_ids",
          "idf", "sources", "sentence_starts", "sentences"]  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_a_pickle_is_not_executed(copy: Path, tmp_path: Path, name: str) -> None:
    objects = np.array([Payload(tmp_path / "mark")], dtype=object)
    np.save(copy / "lexicon" / f"{name}.npy", objects, allow_pickle=True)
    assert "is damaged" in refused(copy)
    (copy / "lexicon" / f"{name}.npy").write_bytes(pickle.dumps(Payload(tmp_path / "mark")))
    assert "is damaged" in refused(copy)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_promises_more_than_there_is(copy: Path, name: str) -> None:
    path = copy / "lexicon" / f"{name}.npy"
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<i4", "fortran_order": False, "shape": (1 << 40,)}
        )
    assert "is damaged" in refused(copy)


@pytest.mark.parametrize("name", ["starts", "entries", "word_starts", "word_ids", "sources",
                                  "sentence_starts"])  # fmt: skip
@pytest.mark.parametrize("number", [-1, 1_000_000])
def test_numbers_that_lead_outside_their_table(copy: Path, name: str, number: int) -> None:
    def change(table: Any) -> Any:
        table = table.astype(np.int64)
        table.reshape(-1)[len(table) // 2] = number
        return table

    change_table(copy, name, change)
    assert "is damaged" in refused(copy)


@pytest.mark.parametrize("name", TABLES)
def test_numbers_of_another_kind(copy: Path, name: str) -> None:
    change_table(copy, name, lambda table: table.astype("datetime64[s]"))
    assert "is damaged" in refused(copy)


def test_weights_of_the_lexicon_that_are_none(copy: Path) -> None:
    path = copy / "lexicon" / "lexicon.json"
    facts = json.loads(path.read_text())
    for wrong in (float("nan"), "many", [1], None):
        changed = {kind: weights | {"topic": wrong} for kind, weights in facts["weights"].items()}
        path.write_text(json.dumps(facts | {"weights": changed}))
        assert "is damaged" in refused(copy)
    path.write_text(DEEP)
    assert "is nested too deeply" in refused(copy)


def test_a_sentence_that_unpacks_to_any_size_is_cut(copy: Path) -> None:
    bomb = packed("a" * 100_000_000)
    assert len(bomb) < 200_000 and len(unpacked(bomb)) <= 100_000


def test_folders_behind_links_are_not_replaced(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    run = Run.load(copy)
    assert run.lexicon
    shutil.move(copy / "lexicon", tmp_path / "kept")
    (copy / "lexicon").symlink_to(tmp_path / "mine")
    (copy / "README.md").unlink()
    (copy / "README.md").symlink_to(tmp_path / "mine" / "thesis.tex")
    (copy / "history.jsonl").unlink()
    (copy / "history.jsonl").symlink_to(tmp_path / "mine" / "thesis.tex")
    shutil.copytree(tmp_path / "kept", tmp_path / "other" / "lexicon")
    run.lexicon = load_lexicon(tmp_path / "other", 4)
    run.save(copy)
    History(copy).add(TrainingStep(1, 1, 1, 1, 1, "joint", 1.0, {}, 1.0, 1.0))
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "precious"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    assert not (copy / "lexicon").is_symlink() and (copy / "lexicon" / "lexicon.json").exists()
    assert not list(copy.glob(".*"))
