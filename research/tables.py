"""The tables of rows: each verb trains what is missing, measures, prints a line a run."""

from dataclasses import asdict, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_matrix

from research.entries import keep, read
from research.rows import (
    ALIGNMENT,
    EQUATIONS,
    FIELDS,
    FROM_SCRATCH,
    LONGER,
    LSTM,
    SLOWER,
    STABLE,
    STARTED,
    TE,
    Row,
)
from research.runs import Chosen, Trained, likeliest_topics
from topiceq.article.prose import words
from topiceq.corpus.store import Split
from topiceq.corpus.vocab import Vocab
from topiceq.model.held_out import halves, log_probs, thetas
from topiceq.model.topics import ranked, topics_of
from topiceq.scores.coherence import stability as of_two
from topiceq.scores.fields import field_score, supervised

SAMPLES = 5_000  # equations that the LaTeX compiler judges
TRAIN, TEST, LABELLED = 4_000, 2_000, 20_000  # equations drawn; LABELLED for the classifier
CHUNK = 500  # contexts at a time

Floats = npt.NDArray[np.floating]


def coherence(chosen: Chosen) -> None:
    """Table 1 of the paper: does reading equations make topics more coherent?

    NPMI on the test contexts (window of 20 words, top 5 to 20), and how many words are distinct.
    Most rows start from LDA's topics; some from scratch. One asks whether more is gained if
    equations weigh 20 times as much in theta. Writes results/coherence.json.
    """
    for done in chosen.trained([*STARTED, *FROM_SCRATCH]):
        entry, scores = done.entry, done.entry["scores"]["coherence"]
        keep("coherence", [entry])
        print(f"{entry['row']:36} seed {entry['seed']}  NPMI {scores['npmi_win20_top5_20']:.4f}"
              f"  distinct {scores['distinct_top10']:.2f}  paper {entry['paper'].get('npmi')}",
              flush=True)  # fmt: skip


def equations(chosen: Chosen) -> None:
    """Table 2 of the paper and the controls: does theta help to predict and write equations?

    Perplexity a token on the test equations, and the share of 5,000 sampled equations (temperature
    1, theta of test contexts, unconstrained) that a LaTeX compiler rejects. Writes
    results/equations.json.
    """
    for done in chosen.trained([*EQUATIONS, *LONGER, *SLOWER], syntax=SAMPLES):
        entry = done.entry
        keep("equations", [entry])
        (score,) = entry["scores"]["equations"].values()
        (written,) = entry["scores"]["syntax"].values()
        print(f"{entry['row']:36} seed {entry['seed']}  perplexity {score['perplexity']:.3f}"
              f"  syntax error {written['error']:.1%}", flush=True)  # fmt: skip


# -- symbols and phrases ------------------------------------------------------------------------


def alignment(chosen: Chosen) -> None:
    """The paper's alignment table: do topics tell what symbols mean?

    Perplexity a phrase on the phrases of the test equations' immediate contexts, beside the unigram
    model: without topics, with them (the paper's form) and with those of another article, and two
    forms of ours; the last row knows but one symbol, so there theta tells nearly all. Phrases stand
    in two of the ten sentences that theta is read off; `apart` is the perplexity with theta from
    the other eight. Writes results/alignment.json.
    """
    for done in chosen.trained(ALIGNMENT):
        entry = done.entry | {"apart": apart(done)}
        keep("alignment", [entry])
        (score,) = entry["scores"]["phrases"].values()
        print("{row:36} seed {seed}  perplexity {perplexity:.1f}  unigram {unigram:.1f}  apart "
              "{apart}  paper {paper}".format(**entry, **score), flush=True)  # fmt: skip


def apart(done: Trained) -> float | None:
    """Perplexity a phrase where theta has not read the phrases; None if it never has."""
    run, corpus = done.run, done.corpus
    if run.model.theta is None or run.config.research.theta_from == "other":
        return None
    pairs = replace(corpus.test.encoded, words=words_apart(corpus.test, corpus.words))
    (name,) = run.config.model.decoders
    return log_probs(run.model, pairs)[name].perplexity


def words_apart(split: Split, vocab: Vocab) -> csr_matrix:
    """Counts of the words of all sentences but the immediate context (n, V)."""
    far = (pair.before[:-1] + pair.after[1:] for pair in split.pairs())
    lists = [[word for sentence in sentences for word in words(sentence)] for sentences in far]
    ids, lengths = vocab.encode_lists(pa.array(lists, pa.list_(pa.string())))
    rows = np.repeat(np.arange(len(split)), lengths)
    return csr_matrix((np.ones(len(ids), np.float32), (rows, ids)), shape=(len(split), len(vocab)))


# -- fields -------------------------------------------------------------------------------------


def fields(chosen: Chosen) -> None:
    """Topics of equations alone against the fields of their articles.

    Test equations without their contexts: argmax over k of log p(equation | theta = one-hot k), for
    te-lstm and for the bag of tokens, mapped to fields by train equations; and a classifier that is
    told the fields. Equations are drawn at random, 4,000 from train and 2,000 from test, since
    every one is read under all K topics. Writes results/fields.json.
    """
    for done in chosen.trained(FIELDS):
        train, test = drawn(done.corpus.train, TRAIN), drawn(done.corpus.test, TEST)
        topics = (likeliest_topics(done.run, tokens) for tokens, _ in (train, test))
        found = {done.row.name: field_score(*zip(topics, (train[1], test[1]), strict=True))}
        if done.row == TE:
            found["told the fields"] = supervised(drawn(done.corpus.train, LABELLED), test)
        keep("fields", [done.identity(name) | {"scores": asdict(s)} for name, s in found.items()])
        print(found, flush=True)


def drawn(split: Split, count: int, seed: int = 0) -> tuple[list[list[str]], list[str]]:
    """Tokens and fields of random equations; an article without field is left out."""
    fields = np.array(split.column("field").to_pylist(), dtype=object)
    known = np.flatnonzero([bool(field) for field in fields])
    rows = np.random.default_rng(seed).permutation(known)[:count]
    return split.column("tokens").take(rows).to_pylist(), fields[rows].tolist()


# -- topics of several seeds --------------------------------------------------------------------


def stability(chosen: Chosen) -> None:
    """Do the topics of one seed come back with another?

    Of rows whose runs are finished, every two seeds: topics are matched one to one by their top ten
    words. Writes results/stability.json.
    """
    for row in chosen.of(STABLE):
        runs = chosen.finished(row)
        top_words = [ranked(topics_of(done.run.model)) for done in runs]
        found = [of_two(*both) for both in combinations(top_words, 2)]
        if not found:
            continue
        entry = runs[0].identity(row.name) | {
            "seed": None,  # a row has one entry, whichever its seeds
            "seeds": [done.entry["seed"] for done in runs],
            "matched": [both.matched for both in found],
            "overlap": [both.overlap for both in found],
        }
        keep("stability", [entry])
        print(f"{row.name:20} matched {entry['matched']}  overlap {entry['overlap']}", flush=True)


# -- what theta tells ---------------------------------------------------------------------------


def told(chosen: Chosen) -> None:
    """What theta tells of words that it has not read, and of the equation, in nats a context.

    Words: TE-LSTM's run reads theta off every second word of a test context and predicts the
    others; how much better than their frequencies in train. Equations: how much better TE-LSTM is
    than LSTM with the same seed, by results/equations.json. Writes results/told.json.
    """
    for done in chosen.finished(TE):
        unread, of_words = told_of_words(done)
        of_equation = nats(LSTM, done) - nats(TE, done)
        scores = {"words": unread, "told_of_words": of_words, "told_of_equations": of_equation}
        keep("told", [done.identity("theta") | scores])
        print(scores, flush=True)


def told_of_words(done: Trained) -> tuple[float, float]:
    """How many words of a context theta has not read, and how many nats of them it saves."""
    model, test, train = done.run.model, done.corpus.test.encoded, done.corpus.train.encoded
    read_words, others = halves(test)
    beta = model.beta()
    assert beta is not None
    found = log_prob(others, thetas(model, replace(test, words=read_words)), beta.detach().numpy())
    seen, unread = (np.asarray(words.sum(0)).ravel() for words in (train.words, others))
    by_frequency = float(unread @ np.log((seen + 1) / (seen + 1).sum()))
    return float(others.sum()) / len(test), (found - by_frequency) / len(test)


def log_prob(words: csr_matrix, theta: Floats, beta: Floats) -> float:
    """Of all the words."""
    starts = range(0, len(theta), CHUNK)
    parts = [(words[i : i + CHUNK], theta[i : i + CHUNK] @ beta) for i in starts]
    return float(sum(counts.multiply(np.log(p)).sum() for counts, p in parts))


def nats(row: Row, like: Trained) -> float:
    """Of a test equation, by the row's run with the same corpus, topics and seed."""
    same = {"row": row.name} | {name: like.entry[name] for name in ("corpus", "topics", "seed")}
    (found,) = (entry for entry in read("equations") if same.items() <= entry.items())
    (decoder,) = found["scores"]["equations"].values()
    return float(decoder["nats"])
