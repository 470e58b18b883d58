"""Trials of topics alone: where they start, and what the literature says makes them coherent.

In go a corpus; out come results/starts.json, measured on valid, and its section of docs/results.md.
Word vectors are those of research/peers.py. What a trial changes is here, not in topiceq/:

- what theta must write: a context's own words mixed with its passage's (pairs that stand near), or
  with those of the nearest contexts by embedding, after Hoyle, Goyal & Resnik 2020, whose teacher
  is a transformer;
- an encoder that begins with word vectors;
- topics and words as places in one space (Dieng, Ruiz & Blei 2020), and the same with the optimal
  transport of ECRTM (Wu et al. 2023), by which every topic must be the centre of some words.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Annotated

import numpy as np
import torch
from scipy.sparse import csr_matrix, diags_array
from torch import Tensor, nn

from research.entries import Entry, groups, keep, lines, made, read
from research.peers import Contexts, Floats, Ids, embedded
from topiceq.config import Config, load_config
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.model.batches import Batch
from topiceq.model.decoders import Sizes
from topiceq.model.held_out import thetas
from topiceq.model.nmf import in_passages
from topiceq.model.resume import noise
from topiceq.model.start import GivenTopics
from topiceq.model.teachers import SHARE, TEACHERS, taught
from topiceq.model.theta import Terms, Vae
from topiceq.model.topics import ranked, relevance, topics_of
from topiceq.model.train import Training
from topiceq.scores.coherence import TOP, coherence, stability

PRESET = "default"
TEMPERATURE = 0.2  # of distances between topics and words (ECRTM's)
TRANSPORT = 20.0  # of its optimal transport, and how much that weighs
CLUSTERS = 100.0
ROUNDS = 20  # of Sinkhorn's iteration
CHUNK = 500  # contexts that are compared with all others at once


# -- what theta must write -----------------------------------------------------------------------


def with_passages(corpus: Corpus) -> csr_matrix:
    """Own words, mixed with the mean of the passage's contexts (n, V)."""
    words = corpus.train.encoded.words
    together = in_passages(corpus.train.encoded)
    means = diags_array(1 / np.asarray(together.sum(1)).ravel()) @ together @ words
    return csr_matrix((1 - SHARE) * words + SHARE * (together.T @ means), dtype=np.float32)


def with_alike(corpus: Corpus) -> csr_matrix:
    """Own words, mixed with those of the contexts of other articles nearest by embedding (n, V)."""
    train = corpus.train.encoded
    given = Contexts(train, np.zeros(0, np.int64), corpus.words)
    return taught(train, alike(embedded(given.texts()), train))


def alike(vectors: Floats, pairs: Encoded) -> Ids:
    """The nearest pairs of other articles (n, TEACHERS)."""
    parts = []
    for start in range(0, len(pairs), CHUNK):
        near = vectors[start : start + CHUNK] @ vectors.T
        near[pairs.articles[start : start + CHUNK, None] == pairs.articles] = -1
        parts.append(np.argpartition(-near, TEACHERS, axis=1)[:, :TEACHERS])
    return np.concatenate(parts)


# -- topics and words as vectors -----------------------------------------------------------------


def word_vectors(words: Vocab) -> Tensor:
    """Pretrained unit vectors of words (V, D)."""
    return torch.from_numpy(np.asarray(embedded(list(words)), np.float32))


class Reading(Vae):
    """Its encoder begins with word vectors; the dimensions that they leave are at random."""

    def read(self, vectors: Tensor) -> "Reading":
        """Take the vectors, as large as the weights that they replace."""
        weight = self.encoder.first.weight.data
        width = min(vectors.shape[1], weight.shape[1])
        weight[:, :width] = vectors[:, :width] * (weight.std() / vectors.std())
        return self


class Placed(Vae):
    """p(word | topic) ~ p(word) exp(-|word - topic|^2 / TEMPERATURE)."""

    def __init__(self, config: Config, sizes: Sizes, vectors: Tensor, pull: float = 0.0) -> None:
        super().__init__(config.model, sizes)
        self.pull = pull  # of the optimal transport
        self.vectors = nn.Parameter(vectors)
        self.places = nn.Parameter(torch.zeros(config.model.topics, vectors.shape[1]))
        self.beta_logits.requires_grad_(False)  # log p(word), the same in all rows

    def distances(self) -> Tensor:
        """|word - topic|^2."""
        return torch.cdist(self.places, self.vectors).square()  # (K, V)

    def beta(self) -> Tensor:
        """The topics."""
        return (self.beta_logits - self.distances() / TEMPERATURE).softmax(-1)  # (K, V)

    def start(self, train: Encoded, given: GivenTopics | None) -> None:
        """Topics begin in the middle of the words that were given to them."""
        assert given is not None
        super().start(train, given)
        counts = torch.from_numpy(np.asarray(train.words.sum(0), dtype=np.float32)[0]) + 1
        log_p = (counts / counts.sum()).log()
        self.beta_logits.data.copy_(log_p.expand_as(self.beta_logits))
        self.places.data.copy_(torch.from_numpy(given.topics) @ self.vectors.data)

    def draw(self, batch: Batch) -> tuple[Tensor, Terms]:
        """As ever, with the cost of carrying the words to the topics."""
        theta, terms = super().draw(batch)
        return theta, terms | ({"clusters": self.pull * transport(self.distances())}
                               if self.pull else {})  # fmt: skip


def transport(cost: Tensor) -> Tensor:
    """The cost of carrying equal shares of all words to equal shares of all topics."""
    with torch.no_grad():  # its derivative is the plan
        near = torch.exp(-TRANSPORT * cost)  # (K, V)
        topics, words = cost.shape
        u = near.new_full((topics,), 1 / topics)
        for _ in range(ROUNDS):
            v = 1 / words / (near.T @ u).clamp(min=1e-30)
            u = 1 / topics / (near @ v).clamp(min=1e-30)
        plan = u[:, None] * near * v
    return (plan * cost).sum()


# -- trials --------------------------------------------------------------------------------------


def plain(corpus: Corpus, config: Config, sizes: Sizes) -> Vae:
    """Ours."""
    return Vae(config.model, sizes)


def reading(corpus: Corpus, config: Config, sizes: Sizes) -> Vae:
    """With word vectors in the encoder."""
    return Reading(config.model, sizes).read(word_vectors(corpus.words))


def placed(corpus: Corpus, config: Config, sizes: Sizes) -> Vae:
    """Topics and words in one space."""
    return Placed(config, sizes, word_vectors(corpus.words))


def clustered(corpus: Corpus, config: Config, sizes: Sizes) -> Vae:
    """The same, and every topic the centre of some words."""
    return Placed(config, sizes, word_vectors(corpus.words), CLUSTERS)


@dataclass(frozen=True)
class Trial:
    """What is changed."""

    settings: tuple[str, ...] = ()
    theta: Callable[[Corpus, Config, Sizes], Vae] = plain
    taught: Callable[[Corpus], csr_matrix] | None = None


# as long as the config says that a start from frequencies needs
SCRATCH = ("research.start=frequency", "train.topic_lr=0.01", "train.kl_warmup=8000")
TRIALS = {
    "from NMF": Trial(),
    "from LDA": Trial(("research.start=lda",)),
    "from frequencies": Trial(SCRATCH),
    "from NMF, taught by passages": Trial(taught=with_passages),
    "from NMF, taught by contexts alike": Trial(taught=with_alike),
    "from NMF, word vectors in the encoder": Trial(theta=reading),
    "from NMF, topics as places": Trial(theta=placed),
    "from NMF, topics as places, clustered": Trial(theta=clustered),
}


class Alone(Training):
    """Topics trained alone, as a trial says; no encoder of equations and no lexicon."""

    def __init__(self, corpus: Corpus, config: Config, trial: Trial) -> None:
        super().__init__(corpus, config)
        self.trial = trial
        sizes = Sizes(*map(len, corpus.vocabularies))
        with noise(config.train.seed, 0, 0):
            self.model.theta = trial.theta(corpus, config, sizes)

    def _taught(self, train: Encoded) -> csr_matrix | None:
        return self.trial.taught(self.corpus) if self.trial.taught else None

    def _finish(self) -> None:
        if self.best:
            self.model.load_state_dict(self.best)
        self.model.eval()


def starts(
    corpus: Path,
    *,
    topics: int = 100,
    seeds: tuple[int, ...] = (0,),
    epochs: Annotated[int, "half of them at the full rate; from frequencies thrice"] = 4,
    only: Annotated[tuple[str, ...], "trials whose name holds one of these"] = (),
) -> None:
    """Where topics start and what makes them coherent: on valid, context only, trial by trial.

    NPMI by probability and by relevance, the share of distinct words, perplexity a word, and of the
    seeds of this call how many topics come back. Writes results/starts.json.
    """
    torch.set_num_threads(1)
    loaded = Corpus.load(corpus)
    for name, trial in TRIALS.items():
        if only and not any(part in name for part in only):
            continue
        orders = []
        for seed in seeds:
            entry, order = tried(loaded, trial, topics, seed, epochs)
            orders.append(order)
            found = [asdict(stability(*both)) for both in combinations(orders, 2)]
            entry |= {"row": name, "matched": [both["matched"] for both in found]}
            keep("starts", [entry])
            print(entry, flush=True)


def tried(corpus: Corpus, trial: Trial, topics: int, seed: int, epochs: int) -> tuple[Entry, Ids]:
    """Train topics; their scores on valid, and the order of the words in each (K, TOP)."""
    epochs *= 3 if trial.settings == SCRATCH else 1
    config = load_config(PRESET, [
        "model.decoders=[]", f"model.topics={topics}", f"train.seed={seed}", "train.threads=1",
        f"train.topic_epochs={epochs // 2}", f"train.epochs={epochs - epochs // 2}",
        *trial.settings,
    ])  # fmt: skip
    began = time.process_time()
    training = Alone(corpus, config, trial)
    steps = [step.valid for step in training.steps() if step.valid]
    spent = time.process_time() - began
    beta = topics_of(training.model)
    share = thetas(training.model, corpus.train.encoded).mean(0)
    valid = corpus.valid.encoded.order
    by_p, by_relevance = ranked(beta), ranked(relevance(beta, share))
    entry = {
        "corpus": corpus.path.name, "topics": topics, "seed": seed, "epochs": epochs,
        "coherence": asdict(coherence(by_p, valid)),
        "coherence_by_relevance": asdict(coherence(by_relevance, valid)),
        "word_perplexity": min(step["words"] for step in steps), "cpu_seconds": round(spent),
        **made(), "corpus_digest": corpus.digest,
    }  # fmt: skip
    return entry, by_relevance[:, :TOP]


# -- shown ---------------------------------------------------------------------------------------


def starts_shown() -> str:
    """A table of each corpus and K: means over seeds."""
    heads = ["topics", "seeds", "NPMI", "by relevance", "distinct words, top 10",
             "perplexity a word", "topics that come back"]  # fmt: skip
    return "\n\n".join(
        lines(heads, [_row(name, entries) for name in TRIALS if _of(name, entries)])
        for entries in groups(read("starts")).values()
    ) or lines(heads, [])  # fmt: skip


def _of(name: str, entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry["row"] == name]


def _row(name: str, entries: list[Entry]) -> list[str]:
    own = _of(name, entries)
    npmi = [mean(e[order]["npmi_win20_top5_20"] for e in own)
            for order in ("coherence", "coherence_by_relevance")]  # fmt: skip
    distinct = mean(e["coherence_by_relevance"]["distinct_top10"] for e in own)
    matched = max((e["matched"] for e in own), key=len)
    return [name, str(len(own)), *(f"{value:.4f}" for value in npmi), f"{distinct:.2f}",
            f"{mean(e['word_perplexity'] for e in own):.0f}",
            f"{mean(matched):.0%}" if matched else ""]  # fmt: skip
