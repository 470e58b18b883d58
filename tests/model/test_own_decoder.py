"""A decoder of another package: named by an entry point, trained, kept and loaded."""

import json
from pathlib import Path

import pytest
from calling import call

from topiceq.corpus.store import Corpus
from topiceq.errors import ConfigError
from topiceq.model.decoders import decoder_kind
from topiceq.model.run import Run

SOURCE = """
from topiceq.model.decoders import Bag

class Mine(Bag):
    pass
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that lies where pip would have put it."""
    (tmp_path / "my_decoders.py").write_text(SOURCE)
    about = tmp_path / "my_decoders-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-decoders\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[topiceq.decoders]\nmine = my_decoders:Mine\nnone = my_decoders:SOURCE\nod = json:dumps\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    decoder_kind.cache_clear()


def test_it_is_trained_and_loaded_by_its_name(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = ("-c", "debug", "--set", "model.decoders=mine", "--set", "research.start=lda")
    done = call("train", corpus.path, "-o", out, *settings, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out.splitlines()[-1])["valid"]["mine"] > 1
    assert type(Run.load(out).model.writer()).__name__ == "Mine"
    written = call("generate", out, "--theta", 0, "--json")
    assert json.loads(written.out)["equation"]


def test_what_is_no_decoder_is_told() -> None:
    with pytest.raises(ConfigError, match=r"There is no decoder 'nix'\. Decoders: .*bag.*, mine"):
        decoder_kind("nix")
    with pytest.raises(ConfigError, match="The decoder 'none' cannot be imported: "):
        decoder_kind("none")
    with pytest.raises(ConfigError, match=r"The decoder 'od' \(json:dumps\) is no class of"):
        decoder_kind("od")
