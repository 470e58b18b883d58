"""LDA by Gibbs sampling (tomotopy): its topics, and theta for any context under them.

In goes a corpus; out come K distributions over words and the prior alpha. theta is folded in by the
same fixed-point iteration for train, held-out contexts and questions, so a run needs no sampler to
answer.
"""

import warnings
from typing import Any

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.model.batches import Counts
from topiceq.model.start import Array, GivenTopics, kept_beside

ITERATIONS = 200  # flat after 180 on 40,000 contexts (measured)
FOLDS = 30  # theta moves by less than 0.01 after these


def lda(corpus: Corpus, topics: int, *, seed: int = 0, iterations: int = ITERATIONS) -> GivenTopics:
    """LDA of the train split: read from beside the corpus if it is there, else sampled and kept."""
    return kept_beside(
        corpus,
        f"lda/topics{topics}-seed{seed}-iterations{iterations}",
        lambda: sample(corpus.train.encoded, topics, seed=seed, iterations=iterations),
    )


def sample(
    train: Encoded, topics: int, *, seed: int = 0, iterations: int = ITERATIONS
) -> GivenTopics:
    """Gibbs sampling on one thread, which makes the numbers the same every time."""
    model = _tomotopy().LDAModel(k=topics, seed=seed)
    ids, at = train.order
    for first, last in zip(at[:-1], at[1:], strict=True):
        if last > first:  # a context may have no word of the vocabulary
            model.add_doc([str(word) for word in ids[first:last]])
    model.train(iterations, workers=1)
    return GivenTopics(_topics(model, topics, train.words.shape[1]), model.alpha.astype(np.float32))


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
