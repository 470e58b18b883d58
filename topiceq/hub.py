"""Runs on the Hugging Face hub: a folder there, or from there into the user's cache.

Only files that a run has are fetched, by name, and none of them is code or a pickle: weights are
safetensors, tables NumPy arrays without objects and Parquet, all else is text. So loading a run of
somebody else executes nothing of theirs. huggingface_hub comes with the extra `hub`; it finds the
address of the hub, the user's token and the cache by its own settings (HF_ENDPOINT, HF_TOKEN,
HF_HOME).
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from topiceq.errors import RunError, Unsupported

FILES = [
    "config.toml", "words.txt", "tokens.txt", "phrases.txt", "model.safetensors", "topics.json",
    "topics.toml", "equations.safetensors", "history.jsonl", "record.json", "scores.json",
    "README.md", "lexicon/*.npy", "lexicon/*.txt", "lexicon/lexicon.json", "similar/*.parquet",
    "similar/index.json",
]  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def is_name(name: str | Path) -> bool:
    """Whether it can only be the name of a run on the hub: `user/name`, and nothing here.

    >>> is_name("user/name"), is_name("runs/a/b"), is_name(Path("user/name"))
    (True, False, False)
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return False
    return not (Path(name).exists() or Path(name).parent.is_dir())


def fetched(name: str, revision: str | None = None) -> Path:
    """The folder of a run from the hub: fetched once, and again if it is another there."""
    hub = _hub(f"'{name}' is no run here. To load it from the hub")
    with _told(f"'{name}' is no run here, and cannot be had from the hub"):
        path = Path(hub.snapshot_download(name, revision=revision, allow_patterns=FILES))
    if not (path / "config.toml").is_file():
        raise RunError(f"'{name}' on the hub is not a run of TopicEq: it has no config.toml.")
    return path


def pushed(folder: Path, name: str, *, private: bool = False, message: str | None = None) -> str:
    """Put the run in a folder on the hub, in place of what was there of another; its address."""
    hub = _hub("To put a run on the hub")
    with _told(f"The run cannot be put on the hub as '{name}'"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that Parquet may be meant as a dataset
        api = hub.HfApi()
        api.create_repo(name, private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=name, folder_path=folder, allow_patterns=FILES, delete_patterns=FILES,
            commit_message=message or "A run of TopicEq",
        )  # fmt: skip
    return str(done.commit_url)


def _hub(what: str) -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise Unsupported(f"{what}, type: pip install 'topiceq[hub]'") from None
    return huggingface_hub


@contextmanager
def _told(what: str) -> Iterator[None]:
    """RunError for whatever the hub or the network says."""
    try:
        yield
    except Exception as error:  # it raises its HTTP client's errors, which change with its version
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise RunError(f"{what}: {first.rstrip('.')}.") from error
