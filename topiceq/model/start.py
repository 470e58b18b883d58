"""Topics that another method has found, for training to start from (or, with LDA, to keep).

They are kept beside the corpus, so that every row of a table starts from the same ones.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.errors import RunError
from topiceq.files import check_plain, replacing

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class GivenTopics:
    """What LDA or NMF has found."""

    topics: Array  # (K, V) distributions over words
    alpha: Array  # (K,) the prior of theta: how large each topic is


def kept_beside(corpus: Corpus, name: str, find: Callable[[], GivenTopics]) -> GivenTopics:
    """Topics by the name of how they were found: read if they are there, else found and kept."""
    path = (corpus.path / name).with_suffix(".safetensors")
    if path.exists():
        return _read(path, corpus.words)
    given = find()
    # a corpus that cannot be written only costs time: they are found again next time
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        with replacing(path, follow=False) as partial:
            # safetensors writes the memory as it lies: a transposed array would come back scrambled
            arrays = {"topics": np.ascontiguousarray(given.topics), "alpha": given.alpha}
            partial.write_bytes(save(arrays, metadata={"words": corpus.words.digest}))
    return given


def _read(path: Path, words: Vocab) -> GivenTopics:
    try:
        check_plain(path)
        with safe_open(path, "np") as file:
            theirs = (file.metadata() or {}).get("words")
            given = GivenTopics(file.get_tensor("topics"), file.get_tensor("alpha"))
        if theirs == words.digest:
            _check(given, len(words))
    except (OSError, ValueError, SafetensorError) as error:
        raise RunError(f"The topics '{path}' cannot be read: {error}. Remove it.") from error
    if theirs != words.digest:
        # in another order of the words they would be scrambled topics, without any error
        raise RunError(f"The topics '{path}' belong to words other than words.txt. Remove it.")
    return given


def _check(given: GivenTopics, words: int) -> None:
    if given.topics.shape != (len(given.alpha), words):
        raise ValueError(f"they are {given.topics.shape}, not ({len(given.alpha)}, {words})")
    if not (np.isfinite(given.topics).all() and np.isfinite(given.alpha).all()):
        raise ValueError("some are not finite numbers")
