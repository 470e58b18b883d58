"""What a context's theta tells of its words, and what of its equation, in nats.

    python benchmarks/told.py CORPUS [--topics 50]

Words: beside their frequencies in train, by the topics of the row "context only". Equations: LSTM
beside TE-LSTM. All on test, from results/coherence.json and equations.json, the mean over seeds.
The two weigh in theta as they stand here, so they say how far equations can move it. Writes
results/told.json.
"""

import argparse
import json
from math import log
from pathlib import Path
from statistics import mean

import numpy as np
from rows import CONTEXT, LSTM, TE, Row
from trained import RESULTS, commit, keep, read

from topiceq import Corpus
from topiceq.corpus.encoded import Encoded
from topiceq.model.held_out import perplexity


def unigram(train: Encoded, test: Encoded) -> float:
    """The perplexity of test's words by their frequencies in train."""
    seen, asked = (np.asarray(split.words.sum(0)).ravel() for split in (train, test))
    log_frequency = np.log((seen + 1) / (seen + 1).sum())
    return perplexity(float(asked @ log_frequency), float(asked.sum()))


def scores(table: str, row: Row, corpus: Corpus, topics: int) -> list[dict]:
    """What a table says of a row, for every seed."""
    which = (row.name, corpus.path.name, topics)
    entries = read(RESULTS / f"{table}.json")
    return [e["scores"] for e in entries if (e["row"], e["corpus"], e["topics"]) == which]


def nats(row: Row, corpus: Corpus, topics: int) -> float:
    """Of a test equation by the row's one decoder."""
    found = [score["equations"] for score in scores("equations", row, corpus, topics)]
    return mean(decoder["nats"] for one in found for decoder in one.values())


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--topics", type=int, default=50)
    told = parser.parse_args()
    corpus = Corpus.load(told.corpus)
    frequencies = unigram(corpus.train.encoded, corpus.test.encoded)
    topics = mean(s["word_perplexity"] for s in scores("coherence", CONTEXT, corpus, told.topics))
    words = float(corpus.test.encoded.words.sum() / len(corpus.test))
    alone, beside = (nats(row, corpus, told.topics) for row in (LSTM, TE))
    found = {
        "row": "theta",
        "corpus": corpus.path.name,
        "topics": told.topics,
        "seed": 0,
        "words": words,
        "word_perplexity": {"frequencies": frequencies, "topics": topics},
        "told_of_words": words * log(frequencies / topics),
        "nats_of_equations": {"LSTM": alone, "TE-LSTM": beside},
        "told_of_equations": alone - beside,
        "command": f"python benchmarks/told.py {told.corpus} --topics {told.topics}",
        "commit": commit(),
        "corpus_digest": corpus.digest,
    }
    print(json.dumps(found, indent=1))
    keep(RESULTS / "told.json", [found])


if __name__ == "__main__":
    main()
