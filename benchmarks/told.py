"""What theta tells of words that it has not read, and of the equation, in nats a context.

    python benchmarks/told.py CORPUS --runs RUNS [--topics 50] [--seeds 0]

Words: TE-LSTM's run reads theta off every second word of a test context and predicts the others;
how much better than their frequencies in train. Equations: how much better TE-LSTM is than LSTM
with the same seed, by results/equations.json. Writes results/told.json.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from rows import LSTM, TE, Row
from scipy.sparse import csr_matrix
from trained import RESULTS, Trained, arguments, finished, identity, keep, read

from topiceq import Corpus
from topiceq.corpus.encoded import Encoded
from topiceq.model.held_out import thetas

Floats = npt.NDArray[np.floating]
CHUNK = 500  # contexts at a time


def halves(pairs: Encoded) -> tuple[csr_matrix, csr_matrix]:
    """The words of each context in turn: the first, third, .. and the second, fourth, .."""
    ids, at = pairs.order
    rows = np.repeat(np.arange(len(pairs)), np.diff(at))
    second = (np.arange(len(ids)) - at[rows]) % 2 == 1
    return _counts(pairs, rows[~second], ids[~second]), _counts(pairs, rows[second], ids[second])


def _counts(pairs: Encoded, rows: npt.NDArray[np.int64], ids: npt.NDArray[np.int32]) -> csr_matrix:
    return csr_matrix((np.ones(len(ids), np.float32), (rows, ids)), shape=pairs.words.shape)


def log_prob(words: csr_matrix, theta: Floats, beta: Floats) -> float:
    """Of all the words."""
    starts = range(0, len(theta), CHUNK)
    parts = [(words[i : i + CHUNK], theta[i : i + CHUNK] @ beta) for i in starts]
    return float(sum(counts.multiply(np.log(p)).sum() for counts, p in parts))


def told_of_words(done: Trained, corpus: Corpus) -> tuple[float, float]:
    """How many words of a context theta has not read, and how many nats of them it saves."""
    model, test = done.run().model, corpus.test.encoded
    read_words, others = halves(test)
    beta = model.beta()
    assert beta is not None
    found = log_prob(others, thetas(model, replace(test, words=read_words)), beta.detach().numpy())
    seen, asked = (np.asarray(one.sum(0)).ravel() for one in (corpus.train.encoded.words, others))
    by_frequency = float(asked @ np.log((seen + 1) / (seen + 1).sum()))
    return float(others.sum()) / len(test), (found - by_frequency) / len(test)


def nats(row: Row, like: Trained) -> float:
    """Of a test equation, by the row's run with the same corpus, topics and seed."""
    same = ("corpus", "topics", "seed")
    (found,) = (
        entry
        for entry in read(RESULTS / "equations.json")
        if entry["row"] == row.name and all(entry[name] == like.entry[name] for name in same)
    )
    (decoder,) = found["scores"]["equations"].values()
    return float(decoder["nats"])


def main() -> None:
    """Measure, print, and keep the result."""
    told = arguments(__doc__).parse_args()
    corpus = Corpus.load(told.corpus)
    for seed in told.seeds:
        done = finished(TE, corpus, told.runs, topics=told.topics, seed=seed, dropout=told.dropout)
        if done is None:
            continue
        words, of_words = told_of_words(done, corpus)
        of_equation = nats(LSTM, done) - nats(TE, done)
        scores = {"words": words, "told_of_words": of_words, "told_of_equations": of_equation}
        keep(RESULTS / "told.json", [identity("theta", done) | scores])
        print(scores, flush=True)


if __name__ == "__main__":
    main()
