"""r(theta | equation): the topics of an equation at one look, without a decoder.

    h = tanh(b + sum of its n-grams' vectors / sqrt(their number))     r = softmax((W h + c) / T)

In go equations as token ids, one after the other; out come log r (n, K), and h (n, D), which tells
what is like what. ours, all of it. The n-grams are those that several train articles have, as
written or without names (ngrams.py), each once an equation. r is taught by theta of the context,
the frozen q's, on train pairs: to lower the cross-entropy is to lower KL(theta || r). Kept are the
weights that did best on valid, where the temperature T is found too. Of some equations it is shown
a part only, and beside them words and numbers, so that it learns what tells little. Letters: n
equations, K topics, D dimensions, F n-grams.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from math import ceil, inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from torch import Tensor, nn

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab, Vocabularies
from topiceq.files import check_plain, parse_json, replacing
from topiceq.model.held_out import halves, thetas
from topiceq.model.joint import JointModel
from topiceq.model.likelihood import Doubles, topic_log_probs
from topiceq.model.ngrams import ODD, Grams, Hashes, Ids, Ints, Ngrams

STEPS = 300  # at least: a small corpus is read more often
LOOKS = 6  # at valid, while it learns
SLOWEST = 0.05  # share of the learning rate that is left in the end
CHUNK = 20_000  # equations whose n-grams are counted at once
JUDGED = 300  # equations of valid by which the decoder's likelihood is weighed
IDLE, SILENT = 1_000, 0.95  # of so many words and numbers this share is not known to be about
GENTLE = 0.0005  # the learning rate with which an encoder goes on
LONGEST = 16  # tokens of an n-gram that a recipe may name
TINY = 1e-9

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Watch = Callable[[int, int], None]  # how many steps are done, of how many


@dataclass(frozen=True)
class Recipe:
    """What an encoder is made of and how it learns. All was chosen on valid (docs/results.md)."""

    written: tuple[int, ...] = (1, 2, 3, 4)  # lengths of n-grams as written
    nameless: tuple[int, ...] = (4,)  # and of those without names
    most: int = 65_536  # n-grams that have a vector: those of most articles
    articles: int = 5  # that an n-gram stands in, at least
    dimensions: int = 64
    cut: float = 0.2  # share of the equations of which a part is shown
    nothing: float = 0.05  # beside them, as a share: what is no equation, taught the prior
    epochs: int = 3
    lr: float = 0.002
    batch: int = 128
    seed: int = 0


class NgramTable:
    """The n-grams that have a vector, and where they stand in equations."""

    def __init__(self, tokens: Vocab, recipe: Recipe, known: Hashes) -> None:
        self.tokens, self.recipe, self.known = tokens, recipe, known  # (F,) ascending
        self.ngrams = Ngrams(tokens)

    @classmethod
    def learn(cls, tokens: Vocab, recipe: Recipe, train: Encoded) -> "NgramTable":
        """The n-grams that stand in most articles."""
        all_of = cls(tokens, recipe, np.zeros(0, np.uint64)).all
        parts = [_in_articles(train, all_of, start) for start in range(0, len(train), CHUNK)]
        known, places = np.unique(np.concatenate([h for h, _ in parts]), return_inverse=True)
        count = np.bincount(places, np.concatenate([n for _, n in parts]), len(known))
        least = min(recipe.articles, max(2, len(np.unique(train.articles)) // 20))
        best = np.argsort(-count, kind="stable")[: recipe.most]
        return cls(tokens, recipe, np.sort(known[best[count[best] >= least]]))

    def all(self, ids: Ids, offsets: Ints) -> Iterator[Grams]:
        """All n-grams of equations, one length after the other."""
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        yield from self.ngrams.written(ids, rows, self.recipe.written)
        if self.recipe.nameless:
            yield from self.ngrams.nameless(ids, rows, self.recipe.nameless)

    def numbers(self, hashes: Hashes) -> Ints:
        """Of each n-gram its place in the table; -1 if it is not there."""
        if not len(self.known):
            return np.full(len(hashes), -1)
        at = np.searchsorted(self.known, hashes).clip(max=len(self.known) - 1)
        return np.where(self.known[at] == hashes, at, -1)

    def bags(self, ids: Ids, offsets: Ints) -> csr_matrix:
        """The n-grams of equations, each once (n, F)."""
        found = [(rows, self.numbers(hashes)) for rows, hashes in self.all(ids, offsets)]
        rows, numbers = (np.concatenate(part) for part in zip(*found, strict=True))
        is_known = numbers >= 0
        places = rows[is_known], numbers[is_known]
        ones = np.ones(len(places[0]), dtype=np.float32)
        return _once(csr_matrix((ones, places), (len(offsets) - 1, len(self.known))))


def _in_articles(
    pairs: Encoded, all_of: Callable[[Ids, Ints], Iterator[Grams]], start: int
) -> tuple[Hashes, Ints]:
    """The n-grams of a chunk of equations, and in how many articles of it each stands."""
    offsets = pairs.offsets[start : start + CHUNK + 1]
    ids = pairs.tokens[offsets[0] : offsets[-1]]
    found = zip(*all_of(ids, offsets - offsets[0]), strict=True)
    rows, hashes = (np.concatenate(part) for part in found)
    articles = pairs.articles[start + rows].astype(np.uint64)
    _, first = np.unique(hashes + articles * ODD, return_index=True)
    known, count = np.unique(hashes[first], return_counts=True)
    return known, count


def gathered(bags: csr_matrix, sizes: Ints) -> csr_matrix:
    """From the n-grams of rows those of equations: so many rows each."""
    if (sizes == 1).all():
        return bags
    owners = np.repeat(np.arange(len(sizes)), sizes)
    ones = np.ones(len(owners), dtype=np.float32)
    return _once(
        csr_matrix((ones, (owners, np.arange(len(owners)))), (len(sizes), len(owners))) @ bags
    )


def _once(bags: csr_matrix) -> csr_matrix:
    bags.sum_duplicates()
    bags.data[:] = 1
    return bags


@dataclass(frozen=True)
class EquationEncoder:
    """r, ready to be asked."""

    table: NgramTable
    vectors: Floats  # (F, D)
    shift: Floats  # (D,) b
    weights: Floats  # (K, D) W
    bias: Floats  # (K,) c
    prior: Floats  # (K,) mean theta of train
    cross_entropy: float = inf  # of theta of the context with r, on valid
    temperature: float = 1.0
    least: float = 0.0  # nats that an equation tells, else nothing is known
    context_weight: float = 1.0  # of what a context tells beside an equation
    equation_weight: float = 1.0  # of what an equation tells beside a context
    encoder_weight: float = 1.0  # of r beside the decoder's likelihood
    likelihood_weight: float = 0.0  # of the likelihood beside r, times the root of the tokens

    def log_theta(self, ids: Ids, offsets: Ints) -> Floats:
        """log r of equations (n, K)."""
        return self.read(self.embed(ids, offsets))

    def embed(self, ids: Ids, offsets: Ints) -> Floats:
        """h of equations (n, D)."""
        return self.of_bags(self.table.bags(ids, offsets))

    def read(self, h: Floats) -> Floats:
        """From h (n, D) to log r (n, K)."""
        # by torch, whose threads are told: numpy's would round otherwise on another machine
        logits = (torch.from_numpy(h) @ torch.from_numpy(self.weights).T).numpy() + self.bias
        found: Floats = log_softmax(logits / np.float32(self.temperature), axis=1)
        return found

    def of_bags(self, bags: csr_matrix) -> Floats:
        """h of n-grams (n, F)."""
        sizes = np.diff(bags.indptr).clip(min=1).astype(np.float32)
        h: Floats = np.tanh(bags @ self.vectors / np.sqrt(sizes)[:, None] + self.shift)
        return h

    def evident(self, h: Floats) -> tuple[Floats, Bools]:
        """log r, and which tell anything; log of the prior where they do not."""
        log_r = self.read(h)
        is_known = self.evidence(log_r) >= self.least
        return np.where(is_known[:, None], log_r, np.log(self.prior.clip(TINY))), is_known

    def evidence(self, log_r: Floats) -> Floats:
        """How much equations tell: KL(r || prior), nats (n,)."""
        told: Floats = (np.exp(log_r) * (log_r - np.log(self.prior.clip(TINY)))).sum(1)
        return told

    def both(self, log_q: Floats, log_r: Floats) -> Floats:
        """What a context (.., K) and an equation (.., K) tell together: log q^a r^b p^(1-a-b)."""
        a, b = self.context_weight, self.equation_weight
        log_prior = np.log(self.prior.clip(TINY))
        found: Floats = log_softmax(a * log_q + b * log_r + (1 - a - b) * log_prior, axis=-1)
        return found.astype(np.float32)

    def beside(self, log_r: Floats, log_p: Doubles, lengths: Ints) -> Floats:
        """What r (n, K) and a decoder's log p(equation | k) (n, K) tell together, as log r."""
        log_prior = np.log(self.prior.clip(TINY))
        likely = log_p / np.sqrt(lengths.clip(min=1))[:, None]
        told = self.encoder_weight * (log_r - log_prior) + self.likelihood_weight * likely
        found: Floats = log_softmax(log_prior + told, axis=1)
        return found.astype(np.float32)

    # -- on disk -------------------------------------------------------------------------------

    def save(self, path: Path, belongs: dict[str, str]) -> None:
        """Write it in half precision, with what it belongs to."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        kept = {name: array.astype(np.float16) for name, array in arrays.items()}
        kept |= {"known": self.table.known, "prior": self.prior}
        about = self.facts | {"recipe": asdict(self.table.recipe)}
        with replacing(path, follow=False) as partial:
            partial.write_bytes(save(kept, belongs | {"about": json.dumps(about)}))

    @classmethod
    def load(
        cls, path: Path, tokens: Vocab, topics: int
    ) -> tuple["EquationEncoder", dict[str, str]]:
        """Read what `save` wrote, and what it belongs to; ValueError if it is damaged."""
        try:
            check_plain(path)
            with safe_open(path, "np") as file:
                belongs = dict(file.metadata() or {})
                arrays = {name: file.get_tensor(name) for name in file.keys()}
            about = parse_json(belongs.pop("about"))
            recipe = Recipe(**about["recipe"])
            recipe = replace(recipe, written=tuple(recipe.written), nameless=tuple(recipe.nameless))
            table = NgramTable(tokens, recipe, arrays["known"])
            full = {name: arrays[name].astype(np.float32) for name in (*ARRAYS, "prior")}
            own: dict[str, Any] = {name: float(about[name]) for name in CALIBRATED if name in about}
            _check(arrays["known"], full, own, topics, recipe)
            return cls(table, **full, **own), belongs
        except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name} cannot be read ({error})") from error

    @property
    def facts(self) -> dict[str, float]:
        """What was found on valid."""
        return {name: getattr(self, name) for name in CALIBRATED}


def _check(
    known: Hashes, arrays: dict[str, Floats], own: dict[str, float], topics: int, recipe: Recipe
) -> None:
    """ValueError for parts that do not belong together, or are no numbers."""
    size, lengths = recipe.dimensions, {*recipe.written, *recipe.nameless}
    shapes = {"vectors": (max(1, len(known)), size), "shift": (size,), "weights": (topics, size),
              "bias": (topics,), "prior": (topics,)}  # fmt: skip
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].shape}, not {shape}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has what is not a finite number")
    if known.dtype != np.uint64 or (known[1:] <= known[:-1]).any():
        raise ValueError("its n-grams are not in order")
    if not recipe.written or not lengths <= {*range(1, LONGEST + 1)}:
        raise ValueError(f"its n-grams have {sorted(lengths)} tokens, not 1 to {LONGEST}")
    if np.isnan([*own.values()]).any() or own.get("temperature", 1.0) <= 0:
        raise ValueError("what was found on valid are no numbers")


ARRAYS = ("vectors", "shift", "weights", "bias")  # kept in half precision
CALIBRATED = ("cross_entropy", "temperature", "least", "context_weight", "equation_weight",
              "encoder_weight", "likelihood_weight")  # fmt: skip


# -- taught --------------------------------------------------------------------------------------


class Taught(nn.Module):
    """The same as weights that learn."""

    def __init__(self, table: NgramTable, prior: Floats) -> None:
        super().__init__()
        self.table, self.prior = table, prior
        size, topics = table.recipe.dimensions, len(prior)
        self.vectors = nn.EmbeddingBag(max(1, len(table.known)), size, mode="sum")
        nn.init.normal_(self.vectors.weight, std=0.05)
        self.shift = nn.Parameter(torch.zeros(size))
        self.out = nn.Linear(size, topics)
        self.out.bias.data.copy_(torch.from_numpy(prior).clamp(min=TINY).log())

    def forward(self, ids: Ids, offsets: Ints) -> Tensor:
        """log r of equations (B, K)."""
        log_r: Tensor = self.out(self.embed(ids, offsets)).log_softmax(-1)
        return log_r

    def embed(self, ids: Ids, offsets: Ints) -> Tensor:
        """h of equations (B, D)."""
        bags = self.table.bags(ids, offsets)
        grams, starts = (torch.from_numpy(a.astype(np.int64)) for a in (bags.indices, bags.indptr))
        sizes = starts.diff().clamp(min=1).sqrt()[:, None]
        h: Tensor = torch.tanh(self.vectors(grams, starts[:-1]) / sizes + self.shift)
        return h

    def loss(self, ids: Ids, offsets: Ints, theta: Tensor) -> Tensor:
        """Cross-entropy of theta (B, K) with r."""
        nats: Tensor = -(theta * self(ids, offsets)).sum(1)
        return nats.mean()

    def encoder(self) -> EquationEncoder:
        """What has been learned so far."""
        weights = self.vectors.weight, self.shift, self.out.weight, self.out.bias
        kept = (weight.detach().numpy().astype(np.float16) for weight in weights)
        vectors, shift, out, bias = (weight.astype(np.float32) for weight in kept)
        return EquationEncoder(self.table, vectors, shift, out, bias, self.prior)


def taught_by(
    model: JointModel, corpus: Corpus, vocabularies: Vocabularies, *, watch: Watch | None = None
) -> EquationEncoder:
    """An encoder of equations for a model, from the train and valid pairs of a corpus."""
    train, valid = (split.encode(vocabularies) for split in (corpus.train, corpus.valid))
    taught = (train, thetas(model, train)), (valid, thetas(model, valid))
    encoder = teach(vocabularies, *taught, watch=watch)
    return with_likelihood(weighted(encoder, model, valid), model, valid, taught[1][1])


def teach(
    vocabularies: Vocabularies,
    train: tuple[Encoded, Floats],
    valid: tuple[Encoded, Floats],
    recipe: Recipe | None = None,
    *,
    watch: Watch | None = None,
) -> EquationEncoder:
    """An encoder of equations, from train and valid pairs with theta of their contexts."""
    recipe = recipe or Recipe()
    table = NgramTable.learn(vocabularies.tokens, recipe, train[0])
    with torch.random.fork_rng([]):
        torch.manual_seed(recipe.seed)
        best = best_of(Taught(table, train[1].mean(0)), vocabularies, train, valid, watch=watch)
    return calibrated(best, vocabularies, *valid)


def best_of(
    taught: Taught,
    vocabularies: Vocabularies,
    train: tuple[Encoded, Floats],
    valid: tuple[Encoded, Floats],
    *,
    start: EquationEncoder | None = None,
    watch: Watch | None = None,
) -> EquationEncoder:
    """What does best on valid while it learns, `start` among them."""
    seen = taught.table.bags(valid[0].tokens, valid[0].offsets)

    def loss(encoder: EquationEncoder) -> float:
        return cross_entropy(encoder.read(encoder.of_bags(seen)), valid[1])

    best, lowest = start, loss(start) if start else inf
    for _ in lessons(taught, vocabularies, *train, watch):
        encoder = taught.encoder()
        if start:
            encoder = replace(encoder, temperature=start.temperature)
        if (found := loss(encoder)) < lowest:
            best, lowest = encoder, found
    assert best is not None
    return replace(best, cross_entropy=round(lowest, 4))


def lessons(
    taught: Taught, vocabularies: Vocabularies, pairs: Encoded, theta: Floats, watch: Watch | None
) -> Iterator[None]:
    """Learn, with a stop for each look at valid."""
    recipe, rng = taught.table.recipe, np.random.default_rng(taught.table.recipe.seed)
    count = max(1, round(len(pairs) / recipe.batch))
    steps = max(STEPS, recipe.epochs * count)
    looks = {ceil(steps * look / LOOKS) for look in range(1, LOOKS + 1)}
    adam = torch.optim.Adam(taught.parameters(), lr=recipe.lr)
    for step in range(steps):
        if step % count == 0:
            batches = np.array_split(rng.permutation(len(pairs)), count)
        for group in adam.param_groups:
            group["lr"] = recipe.lr * (1 - (1 - SLOWEST) * step / steps)
        rows = batches[step % count]
        ids, offsets = parts(pairs, rows, recipe.cut, rng)
        idle = [nothing(vocabularies, rng) for _ in range(round(recipe.nothing * len(rows)))]
        ids = np.concatenate([ids, *idle])
        offsets = np.concatenate([offsets, offsets[-1] + np.cumsum([*map(len, idle)], dtype=int)])
        target = np.concatenate([theta[rows], np.tile(taught.prior, (len(idle), 1))])
        loss = taught.loss(ids, offsets, torch.from_numpy(target))
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        if watch:
            watch(step + 1, steps)
        if step + 1 in looks:
            yield


def nothing(vocabularies: Vocabularies, rng: np.random.Generator) -> Ids:
    """What is no equation: a number, or words read letter by letter."""
    words, tokens, _ = vocabularies
    if rng.random() < 0.3 or not len(words):
        text = str(round(float(10 ** rng.uniform(-2, 5)), int(rng.integers(5))))
    else:
        text = "".join(words[n] for n in rng.integers(len(words), size=rng.integers(1, 7)))
    return tokens.encode(text)


def parts(pairs: Encoded, rows: Ints, share: float, rng: np.random.Generator) -> tuple[Ids, Ints]:
    """The equations at `rows`, a share of them cut to a part of random length."""
    starts, lengths = pairs.offsets[rows], pairs.offsets[rows + 1] - pairs.offsets[rows]
    is_cut = rng.random(len(rows)) < share
    kept = np.where(is_cut, np.ceil(lengths ** rng.random(len(rows))), lengths).astype(np.int64)
    starts = starts + (rng.random(len(rows)) * (lengths - kept + 1)).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(kept)])
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], kept)
    return pairs.tokens[places], offsets


def cross_entropy(log_r: Floats, theta: Floats) -> float:
    """Of theta with r, the mean over equations, in nats."""
    return float(-(theta * log_r).sum(1, dtype=np.float64).mean())


def calibrated(
    encoder: EquationEncoder, vocabularies: Vocabularies, pairs: Encoded, theta: Floats
) -> EquationEncoder:
    """With the temperature under which r is nearest to theta, and how much equations must tell.

    Of half of the equations only a part is read: users' are shorter than those of a corpus.
    """
    rng = np.random.default_rng(encoder.table.recipe.seed + 1)
    h = encoder.embed(*parts(pairs, np.arange(len(pairs)), 0.5, rng))

    def loss(log_temperature: float) -> float:
        warm = replace(encoder, temperature=float(np.exp(log_temperature)))
        return cross_entropy(warm.read(h), theta)

    best = minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded")
    warm = replace(encoder, temperature=round(float(np.exp(best.x)), 4))
    idle = [nothing(vocabularies, rng) for _ in range(IDLE)]
    told = warm.log_theta(np.concatenate(idle), np.cumsum([0, *map(len, idle)]))
    least = np.quantile(warm.evidence(told), SILENT)
    return replace(warm, least=round(float(least), 4))


def weighted(encoder: EquationEncoder, model: JointModel, valid: Encoded) -> EquationEncoder:
    """With the weights under which half of a context and its equation tell most of the other half.

    What is to be told is theta of the words that neither has read.
    """
    log_r = encoder.log_theta(valid.tokens, valid.offsets)
    told, unread = (thetas(model, replace(valid, words=words)) for words in halves(valid))
    log_q = np.log(told.clip(TINY))

    def loss(weights: npt.NDArray[np.float64]) -> float:
        return cross_entropy(weigh(weights).both(log_q, log_r), unread)

    def weigh(weights: npt.NDArray[np.float64]) -> EquationEncoder:
        of_context, of_equation = (round(float(w), 4) for w in weights)
        return replace(encoder, context_weight=of_context, equation_weight=of_equation)

    best = minimize(loss, (0.7, 0.5), method="Nelder-Mead", bounds=[(0, 2), (0, 2)],
                    options={"xatol": 0.01, "fatol": 1e-4})  # fmt: skip
    return weigh(best.x)


def with_likelihood(
    encoder: EquationEncoder, model: JointModel, valid: Encoded, theta: Floats
) -> EquationEncoder:
    """With the weights under which r and the decoder's likelihood are nearest to theta together.

    ours: the likelihood counts as the root of the tokens, not each token as a witness of its own.
    """
    if not model.writers():
        return encoder
    rows = np.random.default_rng(0).permutation(len(valid))[:JUDGED]
    ids, offsets = parts(valid, rows, 0.0, np.random.default_rng(0))
    log_r, log_p = encoder.log_theta(ids, offsets), topic_log_probs(model, ids, offsets)

    def loss(weights: npt.NDArray[np.float64]) -> float:
        return cross_entropy(weigh(weights).beside(log_r, log_p, np.diff(offsets)), theta[rows])

    def weigh(weights: npt.NDArray[np.float64]) -> EquationEncoder:
        of_encoder, of_likelihood = (round(float(w), 4) for w in weights)
        return replace(encoder, encoder_weight=of_encoder, likelihood_weight=of_likelihood)

    best = minimize(loss, (0.8, 0.2), method="Nelder-Mead", bounds=[(0, 2), (0, 2)],
                    options={"xatol": 0.01, "fatol": 1e-4})  # fmt: skip
    return weigh(best.x)


# -- going on from another -----------------------------------------------------------------------


def taught_further(
    base: EquationEncoder, model: JointModel, corpus: Corpus, vocabularies: Vocabularies
) -> EquationEncoder:
    """The encoder of the run that training went on from, taught by a corpus of one's own.

    A small corpus has few of its n-grams: the others keep their vectors, and what all share stays
    as it is. How much it believes itself was found on more pairs than there are here, and stays,
    too.
    """
    train, valid = (split.encode(vocabularies) for split in (corpus.train, corpus.valid))
    theta = thetas(model, train)
    start = widened(base, vocabularies.tokens, train, theta)
    with torch.random.fork_rng([]):
        torch.manual_seed(start.table.recipe.seed)
        best = best_of(continued(start, len(base.prior)), vocabularies, (train, theta),
                       (valid, thetas(model, valid)), start=start)  # fmt: skip
    own = {name: getattr(start, name) for name in CALIBRATED if name != "cross_entropy"}
    return replace(best, **own)


def widened(base: EquationEncoder, tokens: Vocab, train: Encoded, theta: Floats) -> EquationEncoder:
    """The same encoder with room for n-grams of a corpus, and for topics that theta has more."""
    recipe = replace(base.table.recipe, lr=GENTLE)
    own = NgramTable.learn(tokens, recipe, train)
    table = NgramTable(tokens, recipe, np.union1d(base.table.known, own.known))
    vectors = np.zeros((len(table.known), recipe.dimensions), dtype=np.float32)
    vectors[table.numbers(base.table.known)] = base.vectors
    more = theta[:, len(base.prior) :].mean(0)
    prior = np.concatenate([base.prior, more]).astype(np.float32)
    rest = np.zeros((len(more), recipe.dimensions), dtype=np.float32)
    return replace(
        base,
        table=table,
        vectors=vectors,
        weights=np.concatenate([base.weights, rest]),
        bias=np.concatenate([base.bias, np.log(more.clip(TINY)).astype(np.float32)]),
        prior=prior / prior.sum(),
    )


def continued(start: EquationEncoder, old: int) -> Taught:
    """An encoder as weights of which those of n-grams learn, and those of topics behind the old."""
    taught = Taught(start.table, start.prior)
    taught.vectors.weight.data.copy_(torch.from_numpy(start.vectors))
    taught.shift.data.copy_(torch.from_numpy(start.shift))
    taught.out.weight.data.copy_(torch.from_numpy(start.weights))
    taught.out.bias.data.copy_(torch.from_numpy(start.bias))
    taught.shift.requires_grad_(False)
    is_new = torch.arange(len(start.prior)) >= old
    for weight, mask in ((taught.out.weight, is_new[:, None]), (taught.out.bias, is_new)):
        weight.register_hook(mask.__mul__)  # type: ignore[no-untyped-call]
    return taught
