"""A corpus and a run in, the run's lexicon out: definitions counted, weights fitted on valid.

Train articles fill the tables. The symbols that valid articles define are then asked for, each
without the sentence that defines it, and weights and probabilities are fitted to the answers.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.optimize import minimize

from topiceq.article.equation.symbol import Symbol, head
from topiceq.article.nouns import EMPTY, singular
from topiceq.article.prose import words as words_of
from topiceq.corpus.merging import core_words, merged, merged_words, plain_phrase
from topiceq.corpus.store import Corpus
from topiceq.errors import CorpusError
from topiceq.model.held_out import context_thetas
from topiceq.model.lexicon import (
    CERTAINTY,
    EVIDENCE,
    NAMES,
    USUAL,
    Array,
    Asked,
    Candidates,
    Doubles,
    Floats,
    Lexicon,
    Tables,
    Weights,
    forms,
    is_general,
    logit,
    packed,
    softmax,
)
from topiceq.model.lexicon_evidence import (
    DefinitionTable,
    affinities,
    companies,
    company,
    once,
    wordings,
)
from topiceq.model.lexicon_join import joined
from topiceq.model.run import Run

LEAST_ARTICLES = 2  # that use a phrase
STRONG = 0.88  # definitions that questions are made of
SOURCES = 2  # sentences kept of each entry
LONGEST = 140  # characters of one
PER_ARTICLE, PER_FIELD = 4, 60  # questions: those of people are not mostly of one field
ENOUGH = 200  # questions, to fit anything to them
SHORT = 25  # words of a sentence, as people type them
EVERY = 8  # of train definitions, how many the words of phrases are counted in
VERBOSE = 8  # words of a phrase


def build_lexicon(run: Run, corpus: Corpus) -> Lexicon:
    """The lexicon of a run, from the definitions of a corpus."""
    train = read_split(run, corpus, "train")
    if not len(train):
        raise CorpusError(
            f"The corpus '{corpus.path}' says nothing of symbols: no train article defines any. "
            "Extract and build it again."
        )
    lexicon = count_definitions(train, corpus.digest)
    return fitted(lexicon, read_split(run, corpus, "valid"))


def extended_lexicon(run: Run, corpus: Corpus, base: Lexicon) -> Lexicon:
    """The lexicon of the run that training went on from, with what a corpus of one's own says."""
    train = read_split(run, corpus, "train")
    known = {merged(phrase) for phrase in base.phrases}
    own = count_definitions(train, corpus.digest, known) if len(train) else None
    return joined(base, own, run.config.model.topics)


def read_split(run: Run, corpus: Corpus, split: str) -> DefinitionTable:
    """The definitions that a split's articles give, with theta of what stands around them."""
    table = DefinitionTable([], [], [], [], [], [], [], [], None)
    thetas: list[Floats] = []
    for batch in corpus.definitions():
        rows = list(_usable(batch, split))
        words = [_around(row, len(table) + at, split) for at, row in enumerate(rows)]
        for row in rows:
            table.symbols.append(row["symbol"])
            table.phrases.append(row["phrase"])
            table.articles.append(row["article"])
            table.fields.append(row["field"])
            table.sentences.append(row["sentence"])
            table.strengths.append(row["strength"])
            table.places.append(row["place"])
        if run.model.has_topics and rows:
            thetas.append(context_thetas(run.model, run.words, words))
        table.words.extend(words)
    return replace(table, theta=np.concatenate(thetas)) if thetas else table


def _around(row: dict[str, Any], at: int, split: str) -> list[str]:
    """The words around a definition; of a held-out one those of a question."""
    if split == "train":
        return [intern(word) for word in row["words"]]
    words = without(row["words"], row["sentence"])
    return words if _asks("context", at) else words[:SHORT]


def _usable(batch: pa.RecordBatch, split: str) -> Iterator[dict[str, Any]]:
    """The rows of a split whose symbol is one and whose phrase says something."""
    here = pa.compute.equal(batch["split"], split)
    for row in batch.filter(here).to_pylist():
        symbol, rest = head(row["tokens"])
        phrase = plain_phrase(row["phrase"])
        own = merged_words(phrase)
        if symbol and not rest and 0 < len(own) <= VERBOSE and own[-1] not in EMPTY:
            yield {**row, "symbol": symbol, "phrase": phrase}


def without(words: list[str], sentence: str) -> list[str]:
    """The words around a definition without those of its own sentence."""
    own = words_of(sentence)
    for at in range(len(words) - len(own) + 1):
        if words[at : at + len(own)] == own:
            return words[:at] + words[at + len(own) :]
    return words


# -- counting ---------------------------------------------------------------------------------


def count_definitions(train: DefinitionTable, digest: str, known: Collection[str] = ()) -> Lexicon:
    """The tables of a lexicon, and the usual weights.

    Phrases that are `known` need not be used by several articles.
    """
    keys = [merged(phrase) for phrase in train.phrases]
    by_phrase: dict[str, set[str]] = defaultdict(set)
    for key, article in zip(keys, train.articles, strict=True):
        by_phrase[key].add(article)
    kept = sorted(key for key, articles in by_phrase.items()
                  if len(articles) >= LEAST_ARTICLES or key in known)  # fmt: skip
    numbers = {key: number for number, key in enumerate(kept)}
    of_phrase = np.array([numbers.get(key, -1) for key in keys])
    phrases = _surfaces(train, of_phrase, len(kept))
    names, entries = _entries(train, of_phrase)
    words, word_tables = _words(train, phrases)
    uses = np.array([len(by_phrase[key]) for key in kept], dtype=np.uint32)
    share = once(train, of_phrase, len(kept))
    vocabulary, wording_tables = wordings(share, train.words, uses)
    letters, company_table = company(share, companies(train))
    articles, sources = _sources(train, of_phrase, names, entries)
    return Lexicon(
        dict(zip(NAMES, (names, phrases, words, articles, vocabulary, letters), strict=True)),
        Tables(
            **entries,
            **word_tables,
            **sources,
            **wording_tables,
            affinity=affinities(share, train.theta),
            company=company_table,
            uses=uses,
        ),
        USUAL,
        {"corpus": digest, "definitions": len(train)},
    )


def _surfaces(train: DefinitionTable, of_phrase: Array, count: int) -> list[str]:
    """Each phrase as most articles write it, in the singular."""
    wordings: list[Counter[str]] = [Counter() for _ in range(count)]
    for phrase, number in zip(train.phrases, of_phrase.tolist(), strict=True):
        if number >= 0:
            wordings[number][" ".join(singular(phrase.split()))] += 1
    return [max(some, key=lambda w: (some[w], -len(w), w)) for some in wordings]


def _entries(train: DefinitionTable, of_phrase: Array) -> tuple[list[str], dict[str, Array]]:
    """How many articles give each phrase to each symbol, in each of its forms."""
    said: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    by: dict[str, set[str]] = defaultdict(set)
    for symbol, phrase, article in zip(
        train.symbols, of_phrase.tolist(), train.articles, strict=True
    ):
        for name in forms(symbol):
            by[name].add(article)
            if phrase >= 0:
                said[name][phrase].add(article)
    names = sorted(said)
    rows = [(p, len(articles)) for name in names for p, articles in sorted(said[name].items())]
    starts = np.cumsum([0, *(len(said[name]) for name in names)])
    table = np.array(rows).reshape(-1, 2)
    return names, {
        "starts": starts.astype(np.uint32),
        "entries": table[:, 0].astype(np.uint32),
        "counts": np.minimum(table[:, 1], 65_535).astype(np.uint16),
        "defining": np.array([len(by[name]) for name in names], dtype=np.uint32),
    }


def _words(train: DefinitionTable, phrases: Sequence[str]) -> tuple[list[str], dict[str, Array]]:
    """The words of the phrases, and how rare each is in what stands around definitions."""
    own = [sorted(set(merged_words(phrase))) for phrase in phrases]
    words = sorted({word for some in own for word in some})
    number = {word: at for at, word in enumerate(words)}
    seen = np.zeros(len(words))
    sample = train.words[::EVERY]
    for some in sample:
        parts = {part for word in set(some) for part in merged_words(word)}
        seen[[number[part] for part in parts if part in number]] += 1
    return words, {
        "word_starts": np.cumsum([0, *map(len, own)]).astype(np.uint32),
        "word_ids": np.array([number[w] for some in own for w in some], dtype=np.uint32),
        "idf": np.log((len(sample) + 1) / (seen + 1)).astype(np.float32) + np.float32(0.05),
    }


def _sources(
    train: DefinitionTable, of_phrase: Array, names: Sequence[str], entries: dict[str, Array]
) -> tuple[list[str], dict[str, Array]]:
    """For each entry of a letter the clearest sentences, of different articles."""
    number = {name: at for at, name in enumerate(names)}
    best: dict[int, dict[str, tuple[float, int]]] = defaultdict(dict)
    for at, (symbol, phrase) in enumerate(zip(train.symbols, of_phrase.tolist(), strict=True)):
        if phrase < 0:
            continue
        letter = number[forms(symbol)[2]]
        start, end = entries["starts"][letter : letter + 2].tolist()
        entry = start + int(np.searchsorted(entries["entries"][start:end], phrase))
        # clearer, and shorter, is better
        rank = (-train.strengths[at] + len(train.sentences[at]) / 2_000, at)
        known = best[entry].get(train.articles[at])
        best[entry][train.articles[at]] = min(rank, known) if known else rank
    chosen = [(e, at) for e in sorted(best) for _, at in sorted(best[e].values())[:SOURCES]]
    articles = sorted({train.articles[at] for _, at in chosen})
    place = {name: at for at, name in enumerate(articles)}
    blobs = [packed(excerpt(train.sentences[at], train.phrases[at])) for _, at in chosen]
    return articles, {
        "sources": np.array([(e, place[train.articles[at]]) for e, at in chosen], dtype=np.uint32)
        .reshape(-1, 2),
        "sentence_starts": np.cumsum([0, *map(len, blobs)]).astype(np.uint32),
        "sentences": np.frombuffer(b"".join(blobs), dtype=np.uint8),
    }  # fmt: skip


_PARTS = re.compile(r"\$[^$]*\$\S*|\S+")


def excerpt(sentence: str, phrase: str) -> str:
    """So much of a sentence as fits, with the phrase in it; formulas stay whole.

    >>> excerpt("where $m$ is the mass", "mass")
    'where $m$ is the mass'
    """
    if len(sentence) <= LONGEST:
        return sentence
    parts = _PARTS.findall(sentence)
    last = phrase.split()[-1].lower()
    start = next((at for at, part in enumerate(parts) if part.lower().startswith(last)), 0)
    end, size = start, 0
    while size < LONGEST and (start > 0 or end < len(parts)):
        if end < len(parts) and (start == 0 or end - start < 6):
            size, end = size + len(parts[end]) + 1, end + 1
        elif start > 0:
            start, size = start - 1, size + len(parts[start - 1]) + 1
            if size < LONGEST * 0.7 or end >= len(parts):
                continue
            size, end = size + len(parts[end]) + 1, end + 1
    shown = " ".join(parts[start:end])[: 2 * LONGEST]
    return "… " * (start > 0) + shown + " …" * (end < len(parts))


# -- fitting ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """A held-out symbol, asked for."""

    found: Candidates
    table: Doubles  # (phrases, 7)
    right: Array  # which phrases are right (phrases,)
    phrase: str
    asked: Asked
    symbol: Symbol


def fitted(lexicon: Lexicon, valid: DefinitionTable) -> Lexicon:
    """The lexicon with weights that answer best for what valid articles say."""
    weights, facts = dict(lexicon.weights), dict(lexicon.facts)
    for kind in weights:
        trials = list(_trials(lexicon, valid, kind))
        if len(trials) >= ENOUGH:
            weights[kind] = calibrated(ranking(trials, weights[kind]), trials, lexicon)
            facts["questions"] = len(trials)
    return Lexicon(lexicon.names, lexicon.tables, weights, facts)


def _trials(lexicon: Lexicon, valid: DefinitionTable, kind: str) -> Iterator[Trial]:
    order = list(range(len(valid)))
    random.Random(0).shuffle(order)
    per_article, per_field = Counter[str](), Counter[str]()
    narrow, beside = Narrower(lexicon), companies(valid)
    for at in (at for at in order if valid.strengths[at] >= STRONG and _asks(kind, at)):
        per_article[valid.articles[at]] += 1
        if (
            per_article[valid.articles[at]] > PER_ARTICLE
            or per_field[valid.fields[at]] >= PER_FIELD
        ):
            continue
        per_field[valid.fields[at]] += 1
        theta = None if valid.theta is None or kind == "alone" else valid.theta[at]
        words = valid.words[at] if kind in ("context", "sentence") else ()
        symbol, letters = valid.symbols[at], beside[at] if at % 4 > 1 else ()  # or without equation
        asked = lexicon.under(theta, words, letters)
        if asked.kind == kind and (found := asked.candidates(symbol)):
            is_right = np.isin(found.phrases, narrow.right(valid.phrases[at]))
            table = asked.features(found, forms(symbol)[2])
            yield Trial(found, table, is_right, valid.phrases[at], asked, symbol)


def _asks(kind: str, at: int) -> bool:
    """Whether a definition is asked for in a way: every second with a context, or a sentence."""
    return kind not in ("context", "sentence") or (kind == "context") == bool(at % 2)


class Narrower:
    """Which phrases of a lexicon say what another phrase says, or the same with less."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.number: dict[str, int] = {}
        self.by_noun: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for at, phrase in enumerate(lexicon.phrases):
            words = merged_words(phrase)
            self.number["".join(words)] = at
            self.by_noun[words[-1]].append((at, words))

    def right(self, phrase: str) -> list[int]:
        whole, core = merged_words(phrase), core_words(phrase)
        same = {self.number.get("".join(words), -1) for words in (whole, core)} - {-1}
        general = {
            at for words in (whole, core) for at, own in self.by_noun[words[-1]]
            if is_general(own, words)
        }  # fmt: skip
        return sorted(same | general)


def ranking(trials: Sequence[Trial], weights: Weights) -> Weights:
    """The weights under which what is right has the largest share."""
    known = [trial for trial in trials if trial.right.any()]
    table = np.concatenate([trial.table for trial in known])
    is_right = np.concatenate([trial.right for trial in known])
    starts = np.cumsum([0, *(len(trial.right) for trial in known[:-1])])
    of = np.repeat(np.arange(len(known)), [len(trial.right) for trial in known])

    def loss(w: Doubles) -> tuple[float, Doubles]:
        scores = table @ w
        scores -= np.maximum.reduceat(scores, starts)[of]
        e = np.exp(scores)
        total, good = np.add.reduceat(e, starts), np.add.reduceat(e * is_right, starts)
        pull = e / total[of] - e * is_right / good[of]
        gradient = pull @ table / len(known) + 0.002 * w
        return float(np.log(total / good).mean() + 0.001 * w @ w), gradient

    found = minimize(loss, weights.evidence, jac=True, method="L-BFGS-B").x
    return replace(weights, **dict(zip(EVIDENCE, found.tolist(), strict=True)))


def calibrated(weights: Weights, trials: Sequence[Trial], lexicon: Lexicon) -> Weights:
    """The step from shares to how often answers with such shares are right."""
    rows, labels = [], []
    for trial in trials:
        share = softmax(trial.table @ weights.evidence)
        best = np.argsort(-share, kind="stable")[:40]
        kept, shares = trial.asked._gathered(trial.found.phrases[best], share[best])
        more = [np.log1p(trial.found.form_articles), np.log1p(trial.found.letter_articles)]
        for at, odds in list(zip(kept, logit(shares), strict=True))[:5]:
            rows.append([1.0, odds, *more])
            labels.append(bool(trial.right[best[at]]))
    x, y = np.array(rows), np.array(labels, dtype=np.float64)

    def loss(w: Doubles) -> tuple[float, Doubles]:
        s = 1 / (1 + np.exp(-(x @ w[1:])))
        p = np.clip(w[0] * s, 1e-9, 1 - 1e-9)
        by_p = (p - y) / (p * (1 - p)) / len(y)
        gradient = np.array([by_p @ s, *(x.T @ (by_p * w[0] * s * (1 - s)) + 1e-3 * w[1:])])
        likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
        return float(5e-4 * w[1:] @ w[1:] - likelihood.mean()), gradient

    start = np.array([0.9, 0.0, 1.0, 0.0, 0.0])
    bounds = [(0.3, 0.99), *[(None, None)] * 4]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return replace(weights, **dict(zip(CERTAINTY, found.tolist(), strict=True)))
