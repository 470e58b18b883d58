"""The encoder of equations: what it is made of, tried on valid, and how right its topics are.

In go a run and its corpus; out come results/encoder_trials.json and topics_of_equations.json, and
their sections of docs/results.md.
"""

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from research.entries import Entry, keep, largest, lines, read, run_name
from research.runs import encoded, identity, opened
from research.tables import LABELLED, TEST, drawn
from topiceq.corpus.encoded import Encoded, Rows
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocabularies
from topiceq.model.batches import pad
from topiceq.model.equation_encoder import (
    EquationEncoder,
    NgramTable,
    Recipe,
    Taught,
    cross_entropy,
    lessons,
)
from topiceq.model.held_out import thetas
from topiceq.model.ngrams import Ids, Ints
from topiceq.model.run import Run
from topiceq.scores.calibration import calibration, reliability
from topiceq.scores.fields import field_score, supervised
from topiceq.tasks.likelihood import flat, log_likelihoods, posterior

CHUNK = 500  # equations at once
LIKELY = 300  # test equations that are asked for by likelihood, which takes 0.2 s each
PLAIN = Recipe(nameless=())  # what trials differ from

Floats = npt.NDArray[np.float32]
Pairs = tuple[Encoded, Floats]  # with theta of their contexts


# -- trials ------------------------------------------------------------------------------------


class Hidden(Taught):
    """With a second layer."""

    def __init__(self, table: NgramTable, prior: Floats) -> None:
        super().__init__(table, prior)
        size = table.recipe.dimensions
        self.layer, self.out = nn.Linear(size, 256), nn.Linear(256, len(prior))

    def embed(self, ids: Ids, offsets: Ints) -> Tensor:
        """h of equations (B, 256)."""
        return torch.tanh(self.layer(super().embed(ids, offsets)))


class Recurrent(Taught):
    """A GRU over the tokens in place of n-grams."""

    def __init__(self, table: NgramTable, prior: Floats) -> None:
        super().__init__(table, prior)
        self.vectors = nn.EmbeddingBag(1, 1)
        self.tokens = nn.Embedding(len(table.tokens), 64)
        self.gru = nn.GRU(64, 96, bidirectional=True)
        self.out = nn.Linear(192, len(prior))

    def embed(self, ids: Ids, offsets: Ints) -> Tensor:
        """The mean state (B, 192)."""
        tokens = pad(ids, offsets, np.arange(len(offsets) - 1))  # (T, B)
        states, _ = self.gru(self.tokens(tokens))
        real = (tokens > 0)[..., None]
        mean: Tensor = (states * real).sum(0) / real.sum(0)
        return mean


class Convolution(Recurrent):
    """Windows of five tokens, the strongest of each kind."""

    def __init__(self, table: NgramTable, prior: Floats) -> None:
        super().__init__(table, prior)
        self.windows = nn.Conv1d(64, 192, 5, padding=2)

    def embed(self, ids: Ids, offsets: Ints) -> Tensor:
        """The strongest windows (B, 192)."""
        tokens = pad(ids, offsets, np.arange(len(offsets) - 1))
        found = self.windows(self.tokens(tokens).permute(1, 2, 0))  # (B, 192, T)
        strongest: Tensor = torch.relu(found).amax(-1)
        return strongest


class Dropped(Taught):
    """Dropout of one half on h."""

    def embed(self, ids: Ids, offsets: Ints) -> Tensor:
        """h, a half of it left out while it learns."""
        return nn.functional.dropout(super().embed(ids, offsets), 0.5, self.training)


class Smoothed(Taught):
    """A tenth of theta is spread over all topics."""

    def loss(self, ids: Ids, offsets: Ints, theta: Tensor) -> Tensor:
        """Cross-entropy of the smoother theta."""
        return super().loss(ids, offsets, 0.9 * theta + 0.1 / theta.shape[1])


Trial = tuple[Recipe, type[Taught]]
TRIALS: dict[str, Trial] = {
    "n-grams of 1 to 4 tokens, 64 dimensions": (PLAIN, Taught),
    "1 to 3 tokens": (replace(PLAIN, written=(1, 2, 3)), Taught),
    "and without names, 4": (replace(PLAIN, nameless=(4,)), Taught),
    "1 to 3 tokens; without names 3, 4, 5": (
        replace(PLAIN, written=(1, 2, 3), nameless=(3, 4, 5)), Taught
    ),
    "32 dimensions": (replace(PLAIN, dimensions=32), Taught),
    "128 dimensions": (replace(PLAIN, dimensions=128), Taught),
    "16,384 n-grams": (replace(PLAIN, most=16_384), Taught),
    "n-grams of 2 articles": (replace(PLAIN, articles=2), Taught),
    "no equation is cut": (replace(PLAIN, cut=0.0), Taught),
    "half of them are cut": (replace(PLAIN, cut=0.5), Taught),
    "nothing else is shown": (replace(PLAIN, nothing=0.0), Taught),
    "64 dimensions of half as many n-grams": (replace(PLAIN, most=32_768), Taught),
    "128 dimensions of half as many n-grams": (
        replace(PLAIN, most=32_768, dimensions=128), Taught
    ),
    "a second layer of 256": (PLAIN, Hidden),
    "dropout": (PLAIN, Dropped),
    "smoothed theta": (PLAIN, Smoothed),
    "GRU over tokens": (PLAIN, Recurrent),
    "convolution over tokens": (PLAIN, Convolution),
}  # fmt: skip


def encoder_trials(
    run: Path,
    corpus: Path,
    *,
    share: Annotated[float, "of the train pairs"] = 0.25,
    only: Annotated[tuple[str, ...], "trials whose name holds one of these"] = (),
) -> None:
    """What an encoder of equations is best made of: cross-entropy on valid, trial by trial.

    All learn from the same share of the train pairs, drawn once, in as many steps as on all; the
    lowest of six looks at valid counts. Writes results/encoder_trials.json.
    """
    torch.set_num_threads(1)
    loaded = Corpus.load(corpus)
    model = opened(run, loaded)
    rows = np.sort(np.random.default_rng(0).permutation(len(loaded.train))
                   [: round(share * len(loaded.train))])  # fmt: skip
    train, valid = (split.encode(model.run.vocabularies) for split in (loaded.train, loaded.valid))
    taught = chosen(train, rows), thetas(model.run.model, train)[rows]
    held_out = valid, thetas(model.run.model, valid)
    prior = cross_entropy(np.log(taught[1].mean(0)), held_out[1])
    for name, (recipe, kind) in TRIALS.items():
        if only and not any(part in name for part in only):
            continue
        recipe = replace(recipe, epochs=round(recipe.epochs / share))
        found = trial(kind, recipe, model.run.vocabularies, taught, held_out)
        entry = identity(model, run, loaded) | {"row": name, "pairs": len(rows), "prior": prior}
        keep("encoder_trials", [entry | found])
        print(f"{name:40} {found}", flush=True)


def chosen(pairs: Encoded, rows: Ints) -> Encoded:
    """Some of the pairs."""
    tokens, offsets = taken((pairs.tokens, pairs.offsets), rows)
    return replace(
        pairs,
        words=pairs.words[rows],
        order=taken(pairs.order, rows),
        tokens=tokens,
        offsets=offsets,
        phrases=pairs.phrases[rows],
        articles=np.asarray(pairs.articles)[rows],
    )


def taken(flat: Rows, rows: Ints) -> Rows:
    """Some rows of flat ids.

    >>> [a.tolist() for a in taken((np.array([7, 8, 9]), np.array([0, 1, 3])), np.array([1]))]
    [[8, 9], [0, 2]]
    """
    ids, at = flat
    lengths = at[rows + 1] - at[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(offsets[-1]) + np.repeat(at[rows] - offsets[:-1], lengths)
    return ids[places], offsets


def trial(
    kind: type[Taught], recipe: Recipe, vocabularies: Vocabularies, train: Pairs, valid: Pairs
) -> Entry:
    """What one kind of encoder reaches on valid, and what it takes."""
    began = time.process_time()
    table = NgramTable.learn(vocabularies.tokens, recipe, train[0])
    torch.manual_seed(recipe.seed)
    taught, looks = kind(table, train[1].mean(0)), []
    for _ in lessons(taught, vocabularies, *train, None):
        looks.append(round(cross_entropy(told(taught, valid[0]), valid[1]), 4))
    weights = sum(weight.numel() for weight in taught.parameters())
    return {"valid": min(looks), "looks": looks, "weights": weights,
            "cpu_seconds": round(time.process_time() - began)}  # fmt: skip


def told(taught: Taught, pairs: Encoded) -> Floats:
    """log r of all pairs (n, K)."""
    found = []
    taught.eval()
    with torch.no_grad():
        for start in range(0, len(pairs), CHUNK):
            offsets = pairs.offsets[start : start + CHUNK + 1]
            ids = pairs.tokens[offsets[0] : offsets[-1]]
            found.append(taught(ids, offsets - offsets[0]).numpy())
    taught.train()
    return np.concatenate(found)


def trials_shown() -> str:
    """The trials, the best first."""
    entries = sorted(read("encoder_trials"), key=lambda entry: float(entry["valid"]))
    rows = [[e["row"], f"{e['valid']:.3f}", f"{e['weights']:,}", str(e["cpu_seconds"])]
            for e in entries]  # fmt: skip
    return lines(["encoder", "cross-entropy on valid", "weights", "CPU seconds"], rows)


# -- how right it is ---------------------------------------------------------------------------


def topics_of_equations(
    run: Path,
    corpus: Path,
    *,
    likely: Annotated[int, "test equations asked for by likelihood; 0: none"] = LIKELY,
) -> None:
    """How right the topics of equations alone are, on test: calibration, agreement, fields.

    True is theta of the context. Beside the encoder: the mean theta of train, and on so many random
    equations the decoder's likelihood (if the run has one). Fields: the first topic's majority
    field in train, beside a classifier that is told the fields. Writes
    results/topics_of_equations.json.
    """
    torch.set_num_threads(1)
    loaded = Corpus.load(corpus)
    model = opened(run, loaded)
    assert model.run.equation_encoder is not None, "the run has no encoder of equations"
    test = loaded.test.encode(model.run.vocabularies)
    theta = thetas(model.run.model, test)
    entry = identity(model, run, loaded) | of_encoder(model.run.equation_encoder, test, theta)
    entry |= {"fields": of_fields(model.run, loaded)}
    if likely and model.run.model.writers():
        entry["likelihood"] = of_likelihood(model.run, loaded, theta, likely)
        entry["likely"] = likely
    keep("topics_of_equations", [entry])
    print(entry, flush=True)


def of_encoder(encoder: EquationEncoder, test: Encoded, theta: Floats) -> Entry:
    """Its scores on test, and the reliability curve."""
    log_r, known = encoder.evident(encoder.embed(test.tokens, test.offsets))
    r = np.exp(log_r)
    scores = asdict(calibration(r, theta, encoder.prior, known))
    curve = [asdict(one) for one in reliability(r, theta)]
    return {"encoder": scores, "reliability": curve, "calibrated": encoder.facts}


def of_likelihood(run: Run, corpus: Corpus, theta: Floats, count: int) -> Entry:
    """The same scores on some test equations, of the decoder's likelihood, the encoder, both."""
    rows = np.random.default_rng(0).permutation(len(corpus.test))[:count]
    asked = encoded(run, corpus.test.column("tokens").take(rows).to_pylist())
    log_p, encoder = log_likelihoods(run, asked), run.equation_encoder
    assert encoder is not None
    log_r, lengths = encoder.log_theta(*flat(asked)), np.diff(flat(asked)[1])
    found = {
        "likelihood": posterior(log_p),
        "encoder": np.exp(log_r),
        "both": np.exp(encoder.beside(log_r, log_p, lengths)),
    }
    every = np.ones(count, dtype=bool)
    scores = {who: calibration(p, theta[rows], encoder.prior, every) for who, p in found.items()}
    return {who: asdict(own) for who, own in scores.items()}


def of_fields(run: Run, corpus: Corpus) -> Entry:
    """The field of test equations by their first topic, and by who is told the fields."""
    encoder = run.equation_encoder
    assert encoder is not None
    train, test = drawn(corpus.train, LABELLED), drawn(corpus.test, TEST)
    topics = [
        encoder.log_theta(*flat(encoded(run, tokens))).argmax(1) for tokens, _ in (train, test)
    ]
    own = field_score((topics[0], train[1]), (topics[1], test[1]))
    told_fields = supervised(train, test)
    return {"encoder": asdict(own), "told the fields": asdict(told_fields)}


def topics_shown() -> str:
    """The scores of the encoder, and of who else was asked about fewer equations."""
    rows = []
    for entry in read("topics_of_equations"):
        name, likely = run_name(entry), entry.get("likelihood", {})
        rows.append([f"{name}: encoder", *_scores(entry["encoder"])])
        rows += [[f"{name}: {who}, of {entry['likely']} equations", *_scores(own)]
                 for who, own in likely.items()]  # fmt: skip
    heads = ["", "cross-entropy", "prior alone", "said", "share", "agrees", "calibration error"]
    return lines(heads, rows)


def _scores(own: Entry) -> list[str]:
    numbers = [f"{own[name]:.2f}" for name in ("cross_entropy", "prior")]
    shares = [f"{own[name]:.0%}" for name in ("said", "share", "agreement")]
    return [*numbers, *shares, f"{own['error']:.3f} ({own['error_first']:.3f})"]


def fields_shown() -> str:
    """The fields of equations by the encoder's topics, and by who is told them."""
    rows = [
        [f"{run_name(entry)}: {who}", f"{own['accuracy']:.3f}", f"{own['nmi']:.3f}",
         f"{own['majority']:.3f}"]
        for entry in read("topics_of_equations") for who, own in entry["fields"].items()
    ]  # fmt: skip
    return lines(["", "accuracy", "NMI", "commonest field"], rows)


def reliability_shown() -> str:
    """The reliability curve of the run with most topics."""
    entry = largest(read("topics_of_equations"))
    rows = [[str(one["count"]), *(f"{one[name]:.2f}" for name in ("said", "share", "agreement"))]
            for one in (entry or {}).get("reliability", ())]  # fmt: skip
    return lines(["equations", "said", "share", "agrees"], rows)
