"""The paper's alignment table: do topics tell what symbols mean?

    python benchmarks/alignment.py CORPUS --runs RUNS [--topics 50] [--seeds 0 1 2] [--rows ..]

Perplexity a phrase on the phrases of the test equations' immediate contexts, beside the unigram
model: without topics, with them (the paper's form) and with those of another article, and two forms
of ours; the last row knows but one symbol, so there theta tells nearly all. Phrases stand in two of
the ten sentences that theta is read off; `apart` is the perplexity with theta from the other eight.
Writes results/alignment.json.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
from rows import ALIGNED, ALIGNED_OTHER, ALONE, MIXTURE, ONE_SYMBOL, RESIDUAL
from scipy.sparse import csr_matrix
from trained import RESULTS, Trained, keep, table

from topiceq import Corpus
from topiceq.corpus.prose import words
from topiceq.corpus.store import Split
from topiceq.corpus.vocab import Vocab
from topiceq.model.held_out import log_probs

ROWS = [ALONE, ALIGNED, ALIGNED_OTHER, RESIDUAL, MIXTURE, ONE_SYMBOL]


def words_apart(split: Split, vocab: Vocab) -> csr_matrix:
    """Counts of the words of all sentences but the immediate context (n, V)."""
    far = (pair.before[:-1] + pair.after[1:] for pair in split.pairs())
    lists = [[word for sentence in one for word in words(sentence)] for one in far]
    ids, lengths = vocab.encode_lists(pa.array(lists, pa.list_(pa.string())))
    rows = np.repeat(np.arange(len(split)), lengths)
    ones = np.ones(len(ids), np.float32)
    return csr_matrix((ones, (rows, ids)), shape=(len(split), len(vocab)))


def apart(done: Trained, corpus: Corpus) -> float | None:
    """Perplexity a phrase where theta has not read the phrases; None if it never has."""
    run = done.run()
    if run.model.theta is None or run.config.model.theta_from == "other":
        return None
    pairs = replace(corpus.test.encoded, words=words_apart(corpus.test, corpus.words))
    (name,) = run.config.model.decoders
    return log_probs(run.model, pairs)[name].perplexity


def main() -> None:
    """Train what is missing; print a line for each row."""
    for done in table(ROWS, __doc__, results="alignment.json"):
        entry = done.entry | {"apart": apart(done, Corpus.load(done.corpus))}
        keep(RESULTS / "alignment.json", [entry])
        (score,) = entry["scores"]["phrases"].values()
        print("{row:36} seed {seed}  perplexity {perplexity:.1f}  unigram {unigram:.1f}  apart "
              "{apart}  paper {paper}".format(**entry, **score), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
