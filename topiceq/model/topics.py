"""Topics for people: the words, characteristic tokens, typical equations and the label of each.

In go a model and the corpus it was trained on; out come `Topic`s, which a run keeps in topics.json.
Words are listed by relevance (Sievert & Shirley 2014), not by p: `function` and `given` are
probable in every topic and name none. A label is the phrase of the topic's contexts that tells most
about it, no two alike. ours: the paper lists by p, and names its topics by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import UNK
from topiceq.article.equation.symbol import is_symbol
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus, Split
from topiceq.corpus.vocab import Vocab, Vocabularies
from topiceq.model.held_out import thetas
from topiceq.model.joint import JointModel, evaluating

CANDIDATES = 40  # phrases looked at for each topic
RELEVANCE = 0.6  # of log p beside log lift (theirs; on valid more coherent than 0.8, and than p)
LONGER = 3.0  # how much better a name of several words is than a single noun
TINY = 1e-12
AT_LEAST = 0.3  # what is left of a name none of whose words is a top word
WORDS, TOKENS, EQUATIONS = 20, 20, 10  # how many of each a topic keeps

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


def labels(
    theta: Floats,
    pairs: Encoded,
    phrases: Vocab,
    words: Sequence[Sequence[str]],
    before: Sequence[str] = (),
) -> list[str]:
    """The labels; large topics choose first, and without phrases two words must do.

    The first topics keep the labels that they had before.
    """
    scores = _gain(theta, pairs) if len(phrases) else np.zeros((theta.shape[1], 0))
    found = dict(enumerate(before))
    for topic in np.argsort(-theta.sum(0), kind="stable").tolist():
        if topic in found:
            continue
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


@dataclass(frozen=True)
class Typical:
    """An equation of the corpus, and how much of its context is about the topic."""

    equation: str  # with its author's macros expanded: it stands alone here
    article: str
    line: int
    p: float


@dataclass(frozen=True)
class Topic:
    """One topic, as people see it."""

    id: int
    label: str
    words: list[str]  # most probable first
    tokens: list[str]  # most characteristic first
    equations: list[Typical]  # most typical first
    share: float  # of the corpus
    hidden: bool = False  # by topics.toml: left out of lists and answers
    into: int | None = None  # by topics.toml: answers count it as this topic

    @property
    def is_shown(self) -> bool:
        """Whether it stands for itself in lists and answers."""
        return not self.hidden and self.into is None

    def short(self, words: int, tokens: int, equations: int) -> "Topic":
        """The topic with fewer of each."""
        return replace(
            self,
            words=self.words[:words],
            tokens=self.tokens[:tokens],
            equations=self.equations[:equations],
        )


def describe(
    model: JointModel, corpus: Corpus, known: Vocabularies, before: Sequence[Topic] = ()
) -> list[Topic]:
    """The topics of a model, with tokens and typical equations from the train split.

    Topics that had a name before, in the run that training went on from, keep it, and their tokens
    and equations: a small corpus has nothing typical of most of them.
    """
    pairs, beta = corpus.train.encode(known), topics_of(model)
    theta = thetas(model, pairs)
    words = top_words(relevance(beta, theta.mean(0)), known.words)
    tokens = characteristic(theta, pairs, known.tokens)
    equations = _typical(theta, corpus.train)
    names = labels(theta, pairs, known.phrases, words, [topic.label for topic in before])
    found = [
        Topic(
            id=k,
            label=names[k],
            words=words[k],
            tokens=[known.tokens[t] for t in tokens[k]],
            equations=equations[k],
            share=float(theta[:, k].mean()),
        )
        for k in range(len(words))
    ]
    kept = [replace(a, words=b.words, share=b.share) for a, b in zip(before, found, strict=False)]
    return kept + found[len(kept) :]


def topics_of(model: JointModel) -> Floats:
    """beta as an array (K, V)."""
    model.require_topics()
    with evaluating(model):
        beta = model.beta()
    assert beta is not None
    found: Floats = beta.cpu().numpy()
    return found


def relevance(beta: Floats, share: Floats, weight: float = RELEVANCE) -> Floats:
    """weight log p(w | k) + (1 - weight) log(p(w | k) / p(w)), with p(w) = share^T beta (K, V).

    >>> beta = np.float32([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]])
    >>> ranked(relevance(beta, np.float32([0.5, 0.5]), 0.2))[:, 0].tolist()
    [1, 2]
    """
    log_p, usual = np.log(beta + TINY), np.log(share @ beta + TINY)
    scores: Floats = log_p - np.float32(1 - weight) * usual
    return scores


def ranked(scores: Floats) -> Ints:
    """The words of each topic as ids (K, V), those of the highest scores first."""
    return np.argsort(-scores, axis=1, kind="stable")


def top_words(scores: Floats, words: Vocab, count: int = WORDS) -> list[list[str]]:
    """The words of each topic with the highest scores: p itself, or relevance."""
    best = ranked(scores)[:, :count]
    return [[words[word] for word in row] for row in best]


def characteristic(theta: Floats, pairs: Encoded, tokens: Vocab, count: int = TOKENS) -> Ints:
    """The tokens that a topic has more of than the corpus: (K, count) ids.

    Ordered by p(token | topic) log(p(token | topic) / p(token)): the lift alone would bring up
    tokens that occur once. Brackets, scripts, digits and the like tell people nothing.
    """
    telling = np.array([is_symbol(token) or token.startswith("\\begin{") for token in tokens])
    telling[: UNK + 1] = False
    ones = np.ones(len(pairs.tokens), dtype=np.float32)
    counts = csr_matrix((ones, pairs.tokens, pairs.offsets), shape=(len(pairs), len(tokens)))
    by_topic = (counts.T @ theta).T + 1e-6  # (K, tokens)
    p = by_topic / by_topic.sum(1, keepdims=True)
    overall = by_topic.sum(0) / by_topic.sum()
    lift = p * np.log(p / overall)
    lift[:, ~telling] = -np.inf
    return np.argsort(-lift, axis=1, kind="stable")[:, : min(count, int(telling.sum()))]


def _typical(theta: Floats, split: Split) -> list[list[Typical]]:
    names = split.column("article").to_pylist()
    _, sources = np.unique([source_of(name) for name in names], return_inverse=True)
    rows = [typical_rows(theta[:, k], sources) for k in range(theta.shape[1])]
    flat = np.concatenate(rows)
    equations, articles_, lines = (
        split.column(name).take(flat).to_pylist() for name in ("expanded", "article", "line")
    )
    found = iter(zip(equations, articles_, lines, strict=True))
    return [
        [Typical(*next(found), p=round(float(theta[row, k]), 4)) for row in of_topic]
        for k, of_topic in enumerate(rows)
    ]


def source_of(article: str) -> str:
    """Where an article comes from: the folder of its field and repository, or itself.

    >>> source_of("fluids/owner+notes/part2/pipes"), source_of("1902.06034")
    ('fluids/owner+notes', '1902.06034')
    """
    return "/".join(article.split("/")[:2])


def typical_rows(p: Floats, sources: Ints, count: int = EQUATIONS) -> Ints:
    """The pairs with most of a topic, one of each source.

    >>> typical_rows(np.float32([0.2, 0.9, 0.8, 0.5]), np.array([0, 1, 1, 2])).tolist()
    [1, 3, 0]
    """
    order = np.argsort(-p, kind="stable")
    _, first = np.unique(sources[order], return_index=True)
    return order[np.sort(first)[:count]]
