"""How fast models are trained and how fast they answer.

Machines are noisy: what is compared takes turns, the best of the rounds counts, and only ratios
within one run of a verb mean anything.
"""

import os
import platform
import resource
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from scipy.sparse import random as random_sparse

from research.entries import NOT_RUN, Entry, lines, read_if, report
from topiceq.api import TopicEq
from topiceq.config import Config, ModelConfig, load_config
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.model.batches import Batch, collate
from topiceq.model.decoders import Sizes
from topiceq.model.joint import JointModel
from topiceq.model.train import Optimiser, Training
from topiceq.questions import Generate
from topiceq.tasks.generate import write

SIZES = Sizes(words=8_660, tokens=1_004, phrases=2_000)  # the paper's
BATCH, TOKENS, WORDS = 200, 63, 80  # pairs, tokens and words of each
DECODERS = ("lstm", "te-lstm", "td-lstm", "cat-lstm", "moe-lstm", "bag")


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
    article: Annotated[tuple[Path, ...], "some to annotate"] = (),
    threads: int = 1,
) -> None:
    """Speed of answers: infer, explain, similar, generate, annotate.

    All figures are of one run of this verb on one machine; read them as ratios. Questions are
    equations of test as their authors wrote them, and asked as a user does: what they are read with
    is in the time. Writes results/answers.json.
    """
    torch.set_num_threads(threads)
    warnings.simplefilter("ignore")  # of what is unusual in an equation
    began = time.perf_counter()
    model, loaded = TopicEq.load(run), Corpus.load(corpus)
    model.infer(equation="F = m a")
    found: Entry = {
        "threads": threads,
        "load": os.getloadavg()[0],
        "topics": model.run.config.model.topics,
        "state": model.run.config.model.state,
        "first_answer_seconds": round(time.perf_counter() - began, 2),
        "infer": inference(model, loaded),
        "explain_ms": milliseconds(lambda each: model.explain(equation=each), typed(loaded, 50)),
        "similar_ms": milliseconds(model.similar, typed(loaded, 50)),
        "generate": generation(model),
        "annotate": [annotation(model, path) for path in article],
    }
    report("answers", found)


def typed(corpus: Corpus, count: int) -> list[str]:
    """Equations of test as they were written, drawn by lot."""
    written = corpus.test.column("equation").to_pylist()
    return list(np.random.default_rng(0).permutation(np.array(written, object))[:count])


def milliseconds(ask: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    """What one question takes, after a first one that loads what is needed."""
    ask(asked[0])
    times = [1_000 * seconds(partial(ask, each)) for each in asked]
    median, most = np.quantile(times, (0.5, 0.95)).tolist()
    return {"median": round(median, 2), "p95": round(most, 2)}


def inference(model: TopicEq, corpus: Corpus) -> Entry:
    """One equation by the encoder and by the decoder's likelihood; ten thousand at once."""
    asked = typed(corpus, 10_000)
    by_encoder = milliseconds(lambda each: model.infer(equation=each), asked[:500])
    by_likelihood = milliseconds(
        lambda each: model.infer(equation=each, by="likelihood"), asked[:20]
    )
    many = seconds(lambda: model.infer(equations=asked), times=2)
    return {
        "encoder_ms": by_encoder,
        "likelihood_ms": by_likelihood,
        "ratio": round(by_likelihood["median"] / by_encoder["median"]),
        "ten_thousand_equations_per_second": round(len(asked) / many),
    }


def annotation(model: TopicEq, article: Path) -> Entry:
    """An article to a page."""
    took = seconds(lambda: model.annotate(article).html(), times=3)
    annotated = model.annotate(article)
    return {"article": article.name, "displays": len(annotated.notes), "seconds": round(took, 2),
            "kilobytes_of_html": round(len(annotated.html()) / 1000)}  # fmt: skip


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


def answers_shown() -> str:
    """What questions take, as a table."""
    found = read_if("answers")
    if found is None:
        return NOT_RUN
    infer, write = found["infer"], found["generate"]
    rows = [
        ["topics of an equation, by the encoder", both(infer["encoder_ms"])],
        ["the same by the decoder's likelihood", both(infer["likelihood_ms"])],
        ["10,000 equations at once", f"{infer['ten_thousand_equations_per_second']:,} a second"],
        ["meanings of its symbols", both(found["explain_ms"])],
        ["equations like it", both(found["similar_ms"])],
        ["equations written, 256 at once", f"{write['constrained_batch_256']} a second"],
    ]
    rows += [
        [f"an article of {one['displays']} displays annotated", f"{one['seconds']:.2f} s"]
        for one in found["annotate"]
    ]
    return lines(["question, on one thread", "time (95 % below)"], rows)


def both(times: dict[str, float]) -> str:
    return f"{times['median']:.1f} ms ({times['p95']:.1f})"
