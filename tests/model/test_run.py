"""The run folder: what is saved is what is loaded, and what does not fit is refused."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from planted import planted_config
from safetensors.torch import load_file, save_file

from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.model.held_out import log_probs, thetas
from topiceq.model.run import Run, new_run


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    """A run folder that a test may damage."""
    return shutil.copytree(trained, tmp_path / "run")


def test_the_folder_is_complete(trained: Path) -> None:
    assert {path.name for path in trained.iterdir()} == {
        "README.md", "config.toml", "equations.safetensors", "history.jsonl", "lexicon",
        "model.safetensors", "phrases.txt", "record.json", "state", "tokens.txt", "topics.json",
        "words.txt",
    }  # fmt: skip


def test_save_and_load_are_identical_to_the_bit(run: Run, corpus: Corpus, tmp_path: Path) -> None:
    run.save(tmp_path / "again")
    again = Run.load(tmp_path / "again")
    mine, theirs = run.model.state_dict(), again.model.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    assert (again.config, again.words, again.topics) == (run.config, run.words, run.topics)
    assert (again.facts, again.history, again.scores) == (run.facts, run.history, run.scores)
    one, other = (log_probs(r.model, corpus.test.encoded) for r in (run, again))
    assert all((one[name].log_prob == other[name].log_prob).all() for name in one)


def test_half_precision_is_read_as_full(run: Run, corpus: Corpus, tmp_path: Path) -> None:
    run.save(tmp_path / "half", half=True)
    full, half = (tmp_path / "half" / "model.safetensors", run.model.state_dict())
    assert full.stat().st_size < 0.6 * sum(t.numel() * 4 for t in half.values())
    again = Run.load(tmp_path / "half")
    assert {t.dtype for t in again.model.parameters()} == {torch.float32}
    one, other = (log_probs(r.model, corpus.test.encoded) for r in (run, again))
    for name in one:
        assert one[name].perplexity == pytest.approx(other[name].perplexity, rel=0.005)


def test_theta_is_deterministic(run: Run, corpus: Corpus) -> None:
    one, other = (thetas(run.model, corpus.test.encoded, batch=size) for size in (500, 7))
    assert one.sum(1) == pytest.approx(1, abs=1e-5)
    assert abs(one - other).max() < 1e-5


def test_the_card_tells_the_run_s_facts(trained: Path, run: Run) -> None:
    card = (trained / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: topiceq\nlicense: apache-2.0\n")
    assert "# TopicEq: 4 topics + te-lstm + bag + alignment" in card
    assert f"| train pairs | {run.facts['pairs']['train']} |" in card
    assert f"| te-lstm | {run.facts['valid']['te-lstm']:.4g} |" in card
    assert all(topic.words[0] in card for topic in run.topics)


def test_scores_go_into_the_folder_and_the_card(copy: Path) -> None:
    Run.load(copy).save_scores(copy, {"perplexity": {"te-lstm": 2.5}})
    assert Run.load(copy).scores == {"perplexity": {"te-lstm": 2.5}}
    assert "| perplexity te-lstm | 2.5 |" in (copy / "README.md").read_text()


def test_a_run_without_topics_can_be_saved(corpus: Corpus, tmp_path: Path) -> None:
    config = planted_config("model.theta=none", "model.decoders=lstm")
    made = new_run(config, corpus.vocabularies)
    made.save(tmp_path / "run")
    assert Run.load(tmp_path / "run").topics == []
    assert "# TopicEq: no topics + lstm" in (tmp_path / "run" / "README.md").read_text()


# folders that do not fit together


def refused(folder: Path) -> str:
    with pytest.raises(RunError) as error:
        Run.load(folder)
    return str(error.value)


def misfit(folder: Path) -> str:
    return refused(folder).removeprefix(f"The run '{folder}' does not fit together: ")


def test_no_run(tmp_path: Path) -> None:
    wanted = f"'{tmp_path}' is not a run. Train one: topiceq train CORPUS -o {tmp_path}"
    assert refused(tmp_path) == wanted


def test_no_weights_yet(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    assert refused(copy) == (
        f"The run '{copy}' has no weights yet: its first epoch is not over. "
        f"Go on: topiceq train CORPUS -o {copy} --resume"
    )


def test_damaged_weights(copy: Path) -> None:
    content = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(content[: len(content) // 2])
    assert misfit(copy).startswith("model.safetensors cannot be read (")


def test_vocabularies_in_another_order(copy: Path) -> None:
    lines = (copy / "words.txt").read_text().splitlines()
    (copy / "words.txt").write_text("\n".join(reversed(lines)) + "\n")
    assert misfit(copy) == "words.txt is not the one of the weights."


def test_a_missing_vocabulary(copy: Path) -> None:
    (copy / "tokens.txt").unlink()
    assert misfit(copy).startswith(f"The vocabulary '{copy / 'tokens.txt'}' cannot be read")


def test_settings_that_ask_for_other_weights(copy: Path) -> None:
    text = (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(text.replace("state = 32", "state = 16"))
    assert misfit(copy) == (
        "'decoders.te-lstm.layers.0.weight_ih_l0' in model.safetensors is (128, 20), "
        "but config.toml asks for (64, 20)."
    )
    fewer = text.replace('    "alignment",\n', "")
    (copy / "config.toml").write_text(fewer)
    name = "'decoders.alignment.a.weight'"
    assert misfit(copy) == f"model.safetensors has {name}, which config.toml has no place for."
    more = text.replace('    "te-lstm",\n', '    "te-lstm",\n    "td-lstm",\n')
    (copy / "config.toml").write_text(more)
    assert misfit(copy) == "'decoders.td-lstm.bias' is missing from model.safetensors."


def test_settings_that_are_damaged(copy: Path) -> None:
    (copy / "config.toml").write_text("[model]\ntopcs = 3\n")
    assert misfit(copy) == "There is no setting 'model.topcs'. Did you mean 'model.topics'?"


def test_topics_of_another_run(copy: Path) -> None:
    topics = json.loads((copy / "topics.json").read_text())
    (copy / "topics.json").write_text(json.dumps({"topics": topics["topics"][:3]}))
    assert misfit(copy) == "topics.json has 3 topics, config.toml 4."


@pytest.mark.parametrize("name", ["topics.json", "scores.json"])
def test_damaged_json(copy: Path, name: str) -> None:
    (copy / name).write_text("{")
    assert misfit(copy).startswith(f"{name} cannot be read (")


def test_weights_of_another_version(copy: Path) -> None:
    path = copy / "model.safetensors"
    save_file(load_file(path), path)  # without the digests
    assert misfit(copy) == "words.txt is not the one of the weights."
