"""LDA by Gibbs sampling (tomotopy): its topics, and theta for any context under them.

In goes a corpus; out come K distributions over words and the prior alpha, kept beside the corpus
so that every row of a table starts from the same topics. theta is folded in by the same fixed-point
iteration for train, held-out contexts and questions, so a run needs no sampler to answer.
"""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from torch import Tensor

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.errors import RunError
from topiceq.files import replacing
from topiceq.model.batches import Counts

ITERATIONS = 200  # flat after 180 on 40,000 contexts (measured)
FOLDS = 30  # theta moves by less than 0.01 after these

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lda:
    """What Gibbs sampling found."""

    topics: Array  # (K, V) distributions over words
    alpha: Array  # (K,) the prior of theta


def lda(corpus: Corpus, topics: int, *, seed: int = 0, iterations: int = ITERATIONS) -> Lda:
    """LDA of the train split: read from beside the corpus if it is there, else sampled and kept."""
    path = corpus.path / "lda" / f"topics{topics}-seed{seed}-iterations{iterations}.safetensors"
    if path.exists():
        return _read(path, corpus.words.digest)
    found = sample(corpus.train.encoded, topics, seed=seed, iterations=iterations)
    # a corpus that cannot be written only costs time: LDA is sampled again next time
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as partial:
            arrays = {"topics": found.topics, "alpha": found.alpha}
            save_file(arrays, partial, metadata={"words": corpus.words.digest})
    return found


def sample(train: Encoded, topics: int, *, seed: int = 0, iterations: int = ITERATIONS) -> Lda:
    """Gibbs sampling on one thread, which makes the numbers the same every time."""
    model = _tomotopy().LDAModel(k=topics, seed=seed)
    ids, at = train.order
    for first, last in zip(at[:-1], at[1:], strict=True):
        if last > first:  # a context may have no word of the vocabulary
            model.add_doc([str(word) for word in ids[first:last]])
    model.train(iterations, workers=1)
    return Lda(_topics(model, topics, train.words.shape[1]), model.alpha.astype(np.float32))


def _tomotopy() -> Any:
    """Only sampling needs it; and importing it warns of a slip in its extension module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import tomotopy
    return tomotopy


def _topics(model: Any, topics: int, words: int) -> Array:
    """tomotopy numbers the words in its own order; back to ours."""
    columns = [int(word) for word in model.used_vocabs]
    found: Array = np.full((topics, words), 1e-10, dtype=np.float32)
    for topic in range(topics):
        found[topic, columns] = model.get_topic_word_dist(topic)
    found /= found.sum(1, keepdims=True)
    return found


def _read(path: Path, words: str) -> Lda:
    try:
        with safe_open(path, "np") as file:
            theirs = (file.metadata() or {}).get("words")
            found = Lda(file.get_tensor("topics"), file.get_tensor("alpha"))
    except (OSError, SafetensorError) as error:
        raise RunError(f"The LDA topics '{path}' cannot be read: {error}. Remove it.") from error
    if theirs != words:
        # in another order of the words they would be scrambled topics, without any error
        raise RunError(f"The LDA topics '{path}' belong to words other than words.txt. Remove it.")
    return found


def fold_in(words: Counts, topics: Tensor, alpha: Tensor, folds: int = FOLDS) -> Tensor:
    """E[theta | words] with the topics held fixed.

    Each word's expected topic is refreshed in turn with theta: the zero-order collapsed
    variational update (Asuncion et al. 2009), which follows Gibbs sampling closely.
    """
    of_word = topics.T.contiguous()  # (V, K)
    theta = (alpha / alpha.sum()).expand(len(words), -1)  # (B, K)
    for _ in range(folds):
        p = (F.embedding(words.ids, of_word) * theta.index_select(0, words.rows)).sum(-1)
        weights = words.counts / p.clamp(min=1e-30)  # (N,)
        sums = F.embedding_bag(
            words.ids, of_word, words.offsets, mode="sum", per_sample_weights=weights
        )
        theta = F.normalize(alpha + theta * sums, p=1, dim=-1)
    return theta
