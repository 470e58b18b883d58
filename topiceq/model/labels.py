"""A short name for each topic: the phrase of its contexts that tells most about it.

In go theta of the train pairs, their phrases, and the top words of the topics; out comes one label
for each topic, no two alike. ours: the paper names its topics by hand.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.vocab import Vocab

CANDIDATES = 40  # phrases looked at for each topic
LONGER = 3.0  # how much better a name of several words is than a single noun
AT_LEAST = 0.3  # what is left of a name none of whose words is a top word

Floats = npt.NDArray[np.float32]


def labels(
    theta: Floats, pairs: Encoded, phrases: Vocab, words: Sequence[Sequence[str]]
) -> list[str]:
    """The labels; large topics choose first, and without phrases two words must do."""
    scores = _gain(theta, pairs) if len(phrases) else np.zeros((theta.shape[1], 0))
    found: dict[int, str] = {}
    for topic in np.argsort(-theta.sum(0), kind="stable").tolist():
        best = np.argsort(-scores[topic], kind="stable")[:CANDIDATES].tolist()
        told = {phrases[m]: scores[topic, m] * fit(phrases[m], words[topic]) for m in best}
        free = {name: score for name, score in told.items()
                if score > 0 and name not in found.values()}  # fmt: skip
        found[topic] = max(free, key=free.__getitem__) if free else " ".join(words[topic][:2])
    return [found[topic] for topic in sorted(found)]


def _gain(theta: Floats, pairs: Encoded) -> npt.NDArray[np.float64]:
    """p(phrase | topic) log(p(phrase | topic) / p(phrase)) (K, M)."""
    by_topic = np.asarray((pairs.phrases.T @ theta).T, np.float64) + 1e-3
    p = by_topic / by_topic.sum(1, keepdims=True)
    gain: npt.NDArray[np.float64] = p * np.log(p * by_topic.sum() / by_topic.sum(0))
    return gain


def fit(phrase: str, words: Sequence[str]) -> float:
    """How well a phrase suits a topic with these top words: made of them, and not too general.

    >>> fit("boundary condition", ["boundary", "conditions"]) > fit("boundary", ["boundary"])
    True
    """
    parts = phrase.replace("-", " ").split()
    known = {word.removesuffix("s") for word in words}
    shared = sum(part.removesuffix("s") in known for part in parts) / len(parts)
    return (AT_LEAST + shared) * (LONGER if len(parts) > 1 else 1.0)
