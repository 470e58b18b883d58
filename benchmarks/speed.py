"""Speed of a training step, decoder by decoder, beside what the machine's arithmetic allows.

    python benchmarks/speed.py [--corpus CORPUS] [--rounds 3] [-o benchmarks/results/speed.json]

The limit is three times the forward multiplications and additions of an equation model at the
fastest matrix product that this machine makes in the same run. Machines are noisy, so decoders
take turns, the best of the rounds counts, and only ratios within one run mean anything. With
--corpus, one epoch of the `small` preset is trained on it as well, with the memory that it takes.
"""

import argparse
import json
import os
import platform
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import random as random_sparse
from trained import commit, seconds

from topiceq.config import Config, ModelConfig, load_config
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.model.batches import Batch, collate
from topiceq.model.decoders import Sizes
from topiceq.model.joint import JointModel
from topiceq.model.optimiser import Optimiser
from topiceq.model.train import Training

SIZES = Sizes(words=8_660, tokens=1_004, phrases=2_000)  # the paper's
BATCH, TOKENS, WORDS = 200, 63, 80  # pairs, tokens and words of each
DECODERS = ("lstm", "te-lstm", "td-lstm", "cat-lstm", "moe-lstm", "bag")


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
    *_, last = Training(corpus, load_config("small", [*overrides, "model.start=frequency"])).steps()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "pairs": len(corpus.train),
        "minutes": round(last.seconds / 60, 2),
        "tokens_per_second": round(last.tokens_per_second),
        "megabytes": round(most / 1024),
    }


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, as one object."""
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    found: dict[str, Any] = {}
    if arguments.corpus:  # first: what comes later would raise this process's peak of memory
        found["epoch"] = epoch(Corpus.load(arguments.corpus), arguments.threads)
    return found | {
        "commit": commit(),
        "machine": {"cores": os.cpu_count(), "processor": platform.machine()},
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[0],
        "pairs": {"batch": BATCH, "tokens": TOKENS, "words": WORDS},
        "vocabularies": SIZES._asdict(),
        "training": {preset: decoders(preset, arguments.rounds) for preset in arguments.presets},
        "topics": topics(arguments.rounds),
    }


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--presets", nargs="+", default=["small", "paper"])
    parser.add_argument("-o", type=Path, default=Path(__file__).parent / "results" / "speed.json")
    arguments = parser.parse_args()
    found = measure(arguments)
    print(json.dumps(found, indent=1))
    arguments.o.parent.mkdir(exist_ok=True)
    arguments.o.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
