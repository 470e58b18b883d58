"""How fast models are trained and how fast they answer.

Machines are noisy: what is compared takes turns, the best of the rounds counts, and only ratios
within one run of a verb mean anything.
"""

import os
import platform
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from scipy.sparse import random as random_sparse

from research.entries import Entry, report
from research.runs import encoded
from topiceq.api import TopicEq
from topiceq.config import Config, ModelConfig, load_config
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.model.batches import Batch, collate, equations_alone, pad
from topiceq.model.decoders import Sizes
from topiceq.model.joint import JointModel, evaluating
from topiceq.model.train import Optimiser, Training
from topiceq.questions import Generate
from topiceq.tasks.generate import write
from topiceq.tasks.likelihood import log_likelihoods
from topiceq.tasks.read import Equation

SIZES = Sizes(words=8_660, tokens=1_004, phrases=2_000)  # the paper's
BATCH, TOKENS, WORDS = 200, 63, 80  # pairs, tokens and words of each
DECODERS = ("lstm", "te-lstm", "td-lstm", "cat-lstm", "moe-lstm", "bag")
LENGTH = 64  # tokens of the equation that is asked about


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The shortest of several times."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return min(spent)


# -- training -----------------------------------------------------------------------------------


def speed(
    *,
    corpus: Annotated[Path | None, "one epoch of `small` is trained on it as well"] = None,
    rounds: int = 3,
    threads: Annotated[int, "of torch; 0: all cores"] = 0,
    presets: tuple[str, ...] = ("small", "paper"),
) -> None:
    """Speed of a training step, decoder by decoder, beside what the machine's arithmetic allows.

    The limit is three times the forward multiplications and additions of an equation model at the
    fastest matrix product that this machine makes in the same run. With --corpus, the memory of an
    epoch is measured too. Writes results/speed.json.
    """
    torch.set_num_threads(threads or torch.get_num_threads())
    found: Entry = {}
    if corpus:  # first: what comes later would raise this process's peak of memory
        found["epoch"] = epoch(Corpus.load(corpus), threads)
    report("speed", found | {
        "machine": {"cores": os.cpu_count(), "processor": platform.machine()},
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[0],
        "pairs": {"batch": BATCH, "tokens": TOKENS, "words": WORDS},
        "vocabularies": SIZES._asdict(),
        "training": {preset: decoders(preset, rounds) for preset in presets},
        "topics": topics(rounds),
    })  # fmt: skip


def pairs() -> Encoded:
    """Random pairs of the corpus's size; all equations are equally long."""
    rng = np.random.default_rng(0)
    share = WORDS / SIZES.words
    words = random_sparse(BATCH, SIZES.words, share, "csr", np.float32, random_state=rng)
    words.data[:] = 1
    phrases = random_sparse(BATCH, SIZES.phrases, 3e-4, "csr", np.float32, random_state=rng)
    return Encoded(
        words=words,
        order=(np.zeros(0, np.int32), np.zeros(BATCH + 1, np.int64)),
        tokens=rng.integers(4, SIZES.tokens, BATCH * TOKENS).astype(np.int32),
        offsets=np.arange(BATCH + 1) * TOKENS,
        phrases=phrases,
        articles=np.arange(BATCH, dtype=np.int32),
    )


def peak() -> float:
    """Operations a second of a large matrix product."""
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    return 2 * 1024**3 / seconds(lambda: a @ b, 10)


def forward_operations(name: str, config: ModelConfig) -> int:
    """Multiplications and additions for one token, theta's own products (one a sequence) aside."""
    h, inputs = config.state, [config.embedding] + [config.state] * (config.layers - 1)
    if name == "bag":
        return 0
    layers = sum(4 * h * (width + h) for width in inputs)
    if name == "moe-lstm":  # W_a ((W_b theta) (W_c x)), of the input and of the state
        layers = sum(4 * h * (width + h) + 2 * 4 * h * h for width in inputs)
    gate = 3 * h * h if name == "td-lstm" else 0
    return 2 * (layers + gate + h * (SIZES.tokens - 2))


def stepper(config: Config, batch: Batch) -> Callable[[], object]:
    """One training step: forward, backward, clipping, Adam."""
    torch.manual_seed(0)
    model = JointModel(config.model, SIZES).train()
    optimiser = Optimiser(model, config.train)
    weights = {"diversity": -config.train.diversity}
    return lambda: optimiser.step(model(batch, weights)[0])


def decoder_config(preset: str, name: str) -> Config:
    theta = "none" if name == "lstm" else "vae"
    return load_config(preset, [f"model.theta={theta}", f"model.decoders={name}"])


def decoders(preset: str, rounds: int) -> dict[str, dict[str, float]]:
    """Every decoder's step; the topics are trained with it, as in a real run."""
    batch = collate(pairs(), np.arange(BATCH))
    steppers = {name: stepper(decoder_config(preset, name), batch) for name in DECODERS}
    peaks, best = [peak()], {name: seconds(step) for name, step in steppers.items()}  # warm-up
    best = dict.fromkeys(best, float("inf"))
    for _ in range(rounds):
        peaks.append(peak())
        best = {name: min(best[name], seconds(step)) for name, step in steppers.items()}
    items = BATCH * (TOKENS + 1)
    found = {}
    for name, took in best.items():
        config = decoder_config(preset, name).model
        limit = max(peaks) / (3 * forward_operations(name, config)) if name != "bag" else 0
        found[name] = {
            "tokens_per_second": round(items / took),
            "share_of_limit": round(items / took / limit, 3) if limit else 0.0,
            "time_over_lstm": round(took / best["lstm"], 3),
        }
    return found | {"peak": {"gflops": round(max(peaks) / 1e9, 1)}}


def topics(rounds: int) -> dict[str, float]:
    """Contexts a second of the topics alone."""
    step = stepper(load_config("small", ["model.decoders=[]"]), collate(pairs(), np.arange(BATCH)))
    return {"contexts_per_second": round(BATCH / seconds(step, 10 * rounds))}


def epoch(corpus: Corpus, threads: int) -> dict[str, float]:
    """One joint epoch of `small` on a real corpus, and the most memory that it took."""
    overrides = ["train.epochs=1", "train.topic_epochs=0", f"train.threads={threads}"]
    *_, last = Training(
        corpus, load_config("small", [*overrides, "research.start=frequency"])
    ).steps()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "pairs": len(corpus.train),
        "minutes": round(last.seconds / 60, 2),
        "tokens_per_second": round(last.tokens_per_second),
        "megabytes": round(most / 1024),
    }


# -- answers ------------------------------------------------------------------------------------


def answers(
    run: Path,
    corpus: Path,
    *,
    article: Annotated[Path | None, "one to annotate"] = None,
    threads: int = os.cpu_count() or 1,
) -> None:
    """Speed of answers: infer, generate, annotate.

    All figures are of one run of this verb on one machine; read them as ratios. `one by one` asks
    for the topics of an equation one topic at a time, as a loop would. Writes results/answers.json.
    """
    torch.set_num_threads(threads)
    began = time.perf_counter()
    model = TopicEq.load(run)
    loaded = time.perf_counter() - began
    found: Entry = {
        "threads": threads,
        "load": os.getloadavg()[0],
        "topics": model.run.config.model.topics,
        "state": model.run.config.model.state,
        "load_seconds": round(loaded, 2),
        "infer": inference(model, Corpus.load(corpus)),
        "generate": generation(model),
    }
    if article:
        began = time.perf_counter()
        annotated = model.annotate(article)
        found["annotate"] = {
            "seconds": round(time.perf_counter() - began, 2),
            "kilobytes_of_html": round(len(annotated.html()) / 1000),
        }
    report("answers", found)


def real_equations(model: TopicEq, corpus: Corpus, count: int) -> list[Equation]:
    """From test; the first is about as long as the mean of the paper's."""
    tokens = corpus.test.column("tokens").to_pylist()
    tokens.sort(key=lambda own: abs(len(own) - LENGTH))
    others = np.random.default_rng(0).permutation(np.array(tokens, object))[: count - 1]
    return encoded(model.run, [tokens[0], *others])


def one_by_one(model: TopicEq, equation: Equation) -> None:
    """Every topic in a batch of its own."""
    topics, decoder = model.run.config.model.topics, model.run.model.writer()
    ids, ends = np.array(equation.ids, np.int32), np.array([0, len(equation.ids)])
    with evaluating(model.run.model):
        for theta in torch.eye(topics):
            decoder.log_prob(equations_alone(pad(ids, ends, np.array([0]))), theta[None])


def inference(model: TopicEq, corpus: Corpus) -> dict[str, float]:
    """One equation under all topics, both ways; and a thousand at once."""
    equations = real_equations(model, corpus, 1_000)
    together = seconds(lambda: log_likelihoods(model.run, equations[:1]))
    apart = seconds(lambda: one_by_one(model, equations[0]))
    many = seconds(lambda: log_likelihoods(model.run, equations))
    return {
        "one_equation_seconds": round(together, 4),
        "one_by_one_seconds": round(apart, 4),
        "ratio": round(apart / together, 1),
        "thousand_equations_per_second": round(len(equations) / many, 1),
    }


def generation(model: TopicEq) -> dict[str, float]:
    """Equations a second, alone and 256 at once, with and without the grammar."""
    topics = model.run.config.model.topics
    found = {}
    for batch in (1, 256):
        theta = np.eye(topics, dtype=np.float32)[np.arange(batch) % topics]
        for name, constrained in (("constrained", True), ("unconstrained", False)):
            question = Generate.plain(constrained=constrained)
            writing = partial(write, model.run, theta, question, streams=range(batch))
            took = seconds(writing, times=3)  # the first also makes the tables of the grammar
            found[f"{name}_batch_{batch}"] = round(batch / took, 1)
    found["cost_of_the_grammar"] = round(
        found["unconstrained_batch_256"] / found["constrained_batch_256"] - 1, 3
    )
    return found
