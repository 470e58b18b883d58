"""Peers: topics that other packages find in the same contexts, beside ours.

In go a corpus, its train contexts as words, and runs of ours; out come results/peers.json and its
section of docs/results.md. Every method has a process of its own, on one thread, so that time and
memory are its own. BERTopic and FASTopic are no dependencies: `pip install bertopic fastopic
wordllama` where this is run. What embeds contexts is wordllama (vectors of word pieces, averaged),
whose 256 dimensions come with its wheel: both would else fetch sentence transformers from a hub.
"""

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from research.encoder import chosen
from research.entries import Entry, groups, keep, lines, made, read
from research.runs import row_name
from topiceq.api import TopicEq
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.model.lda import ITERATIONS, sample
from topiceq.model.nmf import as_topics, repositories
from topiceq.model.topics import ranked, relevance, topics_of
from topiceq.scores.coherence import coherence

TOP = 25  # words of a topic that are scored
MINUTES = 20  # of a processor that a method may take
SEED = 0  # of the contexts that are drawn
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}

Floats = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Contexts:
    """What every method is given."""

    pairs: Encoded
    owners: Ids  # the repositories of the pairs
    words: Vocab

    def texts(self) -> list[str]:
        """Each context's words of the vocabulary, in reading order."""
        ids, at = self.pairs.order
        return [
            " ".join(self.words[word] for word in ids[first:last])
            for first, last in zip(at[:-1], at[1:], strict=True)
        ]


def contexts_of(corpus: Corpus, count: int) -> Contexts:
    """The train contexts, or so many of them, the same ones for every method."""
    train, owners = corpus.train.encoded, repositories(corpus.train)
    if count and count < len(train):
        rows = np.sort(np.random.default_rng(SEED).permutation(len(train))[:count])
        train, owners = chosen(train, rows), owners[rows]
    return Contexts(train, owners, corpus.words)


# -- methods -----------------------------------------------------------------------------------


def lda(given: Contexts, topics: int, seed: int) -> Floats:
    """tomotopy's LDA by Gibbs sampling."""
    return sample(given.pairs, topics, seed=seed).topics


def ctm(given: Contexts, topics: int, seed: int) -> Floats:
    """tomotopy's correlated topic model."""
    import tomotopy

    model = tomotopy.CTModel(k=topics, seed=seed)
    for text in given.texts():
        if text:
            model.add_doc(text.split())
    model.train(ITERATIONS, workers=1)
    beta = np.zeros((topics, len(given.words)))
    columns = given.words.encode(list(model.used_vocabs))
    for topic in range(topics):
        beta[topic, columns] = model.get_topic_word_dist(topic)
    return beta


def plain_nmf(given: Contexts, topics: int, seed: int) -> Floats:
    """scikit-learn's NMF of contexts as sublinear tf-idf."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfTransformer

    texts = TfidfTransformer(sublinear_tf=True).fit_transform(given.pairs.words)
    found: Floats = NMF(topics, init="nndsvd", random_state=seed).fit(texts).components_
    return found


def our_nmf(given: Contexts, topics: int, seed: int) -> Floats:
    """What our training starts from."""
    return as_topics(given.pairs, given.owners, topics, seed=seed).topics


def bertopic(given: Contexts, topics: int, seed: int) -> Floats:
    """BERTopic: UMAP, HDBSCAN, clusters merged to so many, words by class-based tf-idf."""
    from bertopic import BERTopic
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    texts = given.texts()
    model = BERTopic(
        # its own settings, and a seed
        umap_model=UMAP(n_components=5, min_dist=0.0, metric="cosine", random_state=seed),
        vectorizer_model=CountVectorizer(vocabulary=list(given.words), analyzer=str.split),
        nr_topics=topics + 1,  # one is what belongs to none
        language="multilingual",  # "english" would take hyphens out of words
    )
    model.fit(texts, embeddings=embedded(texts))
    found: Floats = model.c_tf_idf_.toarray()[model._outliers :]
    return found


def fastopic(given: Contexts, topics: int, seed: int) -> Floats:
    """FASTopic: topics by optimal transport between embeddings."""
    import torch
    from fastopic import FASTopic

    class Counted:
        """In place of its own tokeniser."""

        def preprocess(self, texts: list[str]) -> dict[str, Any]:
            return {"train_bow": given.pairs.words, "vocab": list(given.words)}

    torch.manual_seed(seed)
    np.random.seed(seed)
    texts = given.texts()
    model = FASTopic(topics, Counted(), doc_embed_model=object(),
                     low_memory=True, low_memory_batch_size=2_000)  # fmt: skip
    model.fit(texts, preset_doc_embeddings=embedded(texts))
    found: Floats = model.get_beta()
    return found


def embedded(texts: list[str]) -> Floats:
    """Contexts as unit vectors."""
    import wordllama

    # it looks for its tokeniser in a folder of another name, and finds it as if it were a cache
    inside = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=inside, disable_download=True)
    found: Floats = model.embed(texts, norm=True)
    return found


@dataclass(frozen=True)
class Method:
    """Who finds topics, by which function, of which package."""

    find: Callable[[Contexts, int, int], Floats]  # scores (K, V), the best word of a topic highest
    package: str


METHODS = {
    "tomotopy LDA": Method(lda, "tomotopy"),
    "tomotopy CTM": Method(ctm, "tomotopy"),
    "scikit-learn NMF": Method(plain_nmf, "scikit-learn"),
    "BERTopic": Method(bertopic, "bertopic"),
    "FASTopic": Method(fastopic, "fastopic"),
    "ours: the NMF start": Method(our_nmf, "scikit-learn"),
}


# -- measured ----------------------------------------------------------------------------------


def peers(
    corpus: Path,
    *,
    runs: Annotated[tuple[Path, ...], "of ours; this corpus's test split must be new to them"] = (),
    topics: int = 100,
    seeds: tuple[int, ...] = (0,),
    contexts: Annotated[int, "of train that are drawn for the methods; 0: all"] = 0,
    only: Annotated[tuple[str, ...], "methods whose name holds one of these; - for none"] = (),
) -> None:
    """Topics of other packages beside ours: NPMI on test, distinct words, time, memory.

    A method that takes over 20 minutes of a processor, or fails, is an entry that says so. Seconds
    of a processor and of a clock, of the whole method from words to topics; megabytes at the most,
    with those of Python and the corpus. Writes results/peers.json.
    """
    loaded = Corpus.load(corpus)
    os.environ |= ONE_THREAD  # for the processes that are started
    names = [name for name in METHODS if not only or any(part in name for part in only)]
    for seed in seeds:
        for name in names:
            found = measured(corpus, name, topics, seed, contexts)
            told(loaded, f"{name}{_drawn(contexts)}", topics, seed, found)
    for run in runs:
        for row, found in of_run(run, loaded):
            told(loaded, row, found.pop("topics"), 0, found)


def _drawn(contexts: int) -> str:
    return f", {contexts:,} contexts" if contexts else ""


def told(corpus: Corpus, row: str, topics: int, seed: int, found: Entry) -> None:
    """Score what was found on test (unless it has been), keep and print it."""
    entry = {"row": row, "corpus": corpus.path.name, "topics": topics, "seed": seed}
    if "words" in found:
        found |= scored(np.array(found.pop("words")), corpus.test.encoded)
    keep("peers", [entry | found | made() | {"corpus_digest": corpus.digest}])
    print(entry | found, flush=True)


def scored(words: Ids, test: Encoded) -> Entry:
    """How many topics there are, and how coherent on test."""
    return {"found": len(words), "scores": asdict(coherence(words, test.order))}


def measured(corpus: Path, name: str, topics: int, seed: int, contexts: int) -> Entry:
    """What a method finds in a process of its own, and what it takes."""
    here, there = (spawned := get_context("spawn")).Pipe(duplex=False)
    process = spawned.Process(target=work, args=(corpus, name, topics, seed, contexts, there))
    process.start()
    there.close()
    try:
        found: Entry = here.recv()
    except EOFError:
        process.join()
        found = {"failed": why_ended(process.exitcode or 0)}
    process.join()
    return found | {"load": round(os.getloadavg()[0], 1)}


def why_ended(code: int) -> str:
    """Why a process has said nothing.

    >>> why_ended(-9), why_ended(1)
    ('ended by signal 9', 'ended with code 1')
    """
    if code == -signal.SIGXCPU:
        return f"over {MINUTES} minutes of a processor"
    return f"ended by signal {-code}" if code < 0 else f"ended with code {code}"


def work(corpus: Path, name: str, topics: int, seed: int, contexts: int, out: Connection) -> None:
    """In the process of a method."""
    resource.setrlimit(resource.RLIMIT_CPU, (60 * MINUTES, 60 * MINUTES))
    out.send(found_by(METHODS[name], contexts_of(Corpus.load(corpus), contexts), topics, seed))


def found_by(method: Method, given: Contexts, topics: int, seed: int) -> Entry:
    """The best words of each topic, and what it took; or why there are none."""
    began, clock = sum(os.times()[:4]), time.monotonic()
    try:
        of_package = version(method.package)  # first: it may not be installed
        words = top(method.find(given, topics, seed)).tolist()
    except Exception as error:  # a peer's failure is a result, whatever it raises
        return {"failed": f"{type(error).__name__}: {error}"}
    return {
        "contexts": len(given.pairs),
        "version": of_package,
        "cpu_seconds": round(sum(os.times()[:4]) - began, 1),
        "seconds": round(time.monotonic() - clock, 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "words": words,
    }


def of_run(run: Path, corpus: Corpus) -> Iterator[tuple[str, Entry]]:
    """A run of ours, words in the order of probability and in the one that people see.

    A run of an earlier build of the corpus is judged by the words that it knows.
    """
    model = TopicEq.load(run)
    test = corpus.test.encode(model.run.vocabularies)
    beta = topics_of(model.run.model)
    facts = {"topics": len(beta), "same_corpus": model.run.facts["corpus"] == corpus.digest}
    orders = {"by probability": beta, "as shown": relevance(beta, model.run.shares)}
    for order, scores in orders.items():
        name = row_name(model) or "topics alone"
        yield f"ours: {name}, {order}", facts | scored(top(scores), test)


def top(scores: Floats) -> Ids:
    """The best words of each topic as ids (K, TOP)."""
    return ranked(np.asarray(scores, np.float32))[:, :TOP]


# -- shown -------------------------------------------------------------------------------------


def peers_shown() -> str:
    """A table of each corpus and K, the most coherent first, means over seeds."""
    return "\n\n".join(
        lines(HEADS, [_row(own) for own in _by_row(entries)])
        for entries in groups(read("peers")).values()
    ) or lines(HEADS, [])  # fmt: skip


HEADS = ["topics of", "contexts", "seeds", "NPMI", "distinct words, top 10", "processor s", "MB"]


def _by_row(entries: list[Entry]) -> list[list[Entry]]:
    rows: dict[str, list[Entry]] = {}
    for entry in entries:
        rows.setdefault(entry["row"], []).append(entry)
    return sorted(rows.values(), key=lambda own: -(_mean(own, "npmi_win20_top5_20") or -1.0))


def _row(own: list[Entry]) -> list[str]:
    first = own[0]
    name = first["row"].partition(", ")[0] if "contexts" in first["row"] else first["row"]
    npmi, distinct = _mean(own, "npmi_win20_top5_20"), _mean(own, "distinct_top10")
    if npmi is None or distinct is None:
        return [name, "", str(len(own)), first["failed"], "", "", ""]
    took = [f"{mean(e[key] for e in own):,.0f}" if key in first else ""
            for key in ("cpu_seconds", "megabytes")]  # fmt: skip
    number = f"{first['contexts']:,}" if "contexts" in first else "all"
    name += f" ({first['found']} topics)" if first["found"] != first["topics"] else ""
    return [name, number, str(len(own)), f"{npmi:.4f}", f"{distinct:.2f}", *took]


def _mean(own: list[Entry], score: str) -> float | None:
    values = [entry["scores"][score] for entry in own if "scores" in entry]
    return mean(values) if values else None
