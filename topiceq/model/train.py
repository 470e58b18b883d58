"""Training: a generator of `TrainingStep` records.

In go a corpus and settings; out come records, and in the end a `Run` with the weights that were
best on the valid split, or, on top of another run, on the way to them. Topics are trained first,
alone and cheaply; then, with the decoders, the whole ELBO. It can be interrupted at any moment and
resumed with the same numbers, and shared between processes by torchrun.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_matrix
from torch import Tensor, nn

from topiceq.config import Config, TrainConfig
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocabularies
from topiceq.errors import ConfigError, CorpusError, RunError
from topiceq.files import alone, told
from topiceq.model.batches import Batch, Batches, shuffled
from topiceq.model.blend import blend
from topiceq.model.equation_encoder import EquationEncoder, taught_by, taught_further
from topiceq.model.finetune import continued, extended
from topiceq.model.held_out import perplexities
from topiceq.model.history import History, TrainingStep, read_history
from topiceq.model.joint import JointModel
from topiceq.model.lda import lda
from topiceq.model.lexicon import Lexicon
from topiceq.model.lexicon_build import build_lexicon, extended_lexicon
from topiceq.model.nmf import nmf, repositories
from topiceq.model.processes import team
from topiceq.model.record import Record
from topiceq.model.resume import (
    Progress,
    check_folder,
    cpu_copy,
    load_state,
    noise,
    save_state,
    uninterrupted,
)
from topiceq.model.run import Run, new_run
from topiceq.model.start import GivenTopics
from topiceq.model.teachers import at_random, nearest, taught
from topiceq.model.theta import Vae
from topiceq.model.topics import describe, topics_of

Watch = Callable[[npt.NDArray[np.float32]], Mapping[str, float]]  # numbers from beta (K, V)

RECORD_STEPS = 10  # between two lines of history.jsonl


class Optimiser:
    """Adam over all weights of a model, with gradients clipped apart for theta and the decoders.

    While the decoders are untrained, their gradient through theta is noise; clipped together with
    it, the words' own gradient would vanish beside it.
    """

    def __init__(self, model: JointModel, settings: TrainConfig) -> None:
        self.clip = settings.clip
        self.parts = [list(part.parameters()) for part in (model.theta, model.decoders) if part]
        self.adam = _adam(_groups(model, settings))
        self.rates = [group["lr"] for group in self.adam.param_groups]

    def step(self, loss: Tensor, pace: float = 1.0) -> bool:
        """Move the weights down the gradient; False, and no move, if that is not finite."""
        for group, lr in zip(self.adam.param_groups, self.rates, strict=True):
            group["lr"] = lr * pace
        self.adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norms = [nn.utils.clip_grad_norm_(part, self.clip) for part in self.parts]
        if not all(isfinite(norm) for norm in norms):
            return False
        self.adam.step()
        return True


def _groups(model: JointModel, settings: TrainConfig) -> list[dict[str, object]]:
    """The encoder, the topics and the decoders, each with its learning rate."""
    topics = [weight for weight in model.topic_parameters() if weight.requires_grad]
    decoders = list(model.decoders.parameters())
    apart = {id(weight) for weight in (*topics, *decoders)}
    encoder = [weight for weight in model.parameters() if id(weight) not in apart]
    return [
        {"params": encoder, "lr": settings.lr},
        {"params": topics, "lr": settings.topic_lr},
        {"params": decoders, "lr": settings.decoder_lr or settings.lr},
    ]


def _adam(groups: list[dict[str, object]]) -> torch.optim.Adam:
    """Fused where this build of torch has it: 1.3 to 1.5 times as fast for the topics."""
    # LDA alone has no weights to learn, and Adam wants at least one
    groups = [group for group in groups if group["params"]] or [{"params": [torch.zeros(0)]}]
    try:
        return torch.optim.Adam(groups, fused=True)
    except RuntimeError:
        return torch.optim.Adam(groups)


class Training:
    """One training of one model; `run` is its result."""

    def __init__(
        self,
        corpus: Corpus,
        config: Config,
        *,
        folder: str | Path | None = None,
        resume: bool = False,
        base: Run | None = None,
        watch: Watch | None = None,
        save_seconds: float = 60.0,
    ) -> None:
        """With a base, training goes on from that run instead of beginning."""
        self.corpus, self.config = corpus, config
        self.watch, self.save_seconds = watch, save_seconds
        self.folder = Path(folder) if folder is not None else None
        _check_pairs(corpus)
        self.base, self.resume = base, resume
        self._check_folder()
        self.state = load_state(self.folder, corpus.digest) if self.folder and resume else None
        with noise(config.train.seed, 0, 0):
            self.run = self._first_run()
        self.model = self.run.model
        if base and isinstance(self.model.theta, Vae):
            self.model.theta.encoder.settled = True
            self.model.train()
        self.progress = Progress()
        self.best: dict[str, Tensor] | None = None
        self.shares: dict[str, float] = {}  # of what was learned on top of the base

    def _vocabularies(self, base: Run | None) -> Vocabularies:
        own = self.corpus.vocabularies
        return extended(base.vocabularies, own) if base else own

    def _check_folder(self) -> None:
        if self.folder:
            wanted = self._vocabularies(self.base)
            check_folder(self.folder, self.corpus, wanted, self.config, self.resume)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The folder of the run, which no other process may fill meanwhile."""
        if self.folder is None or not self.team.leads:
            yield
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with alone(self.folder):
                self._check_folder()  # another process may have filled it since
                yield
        except OSError as error:
            raise RunError(
                f"{told(error, self.folder)} What is saved is kept: go on with --resume when that "
                "is mended, or name another folder."
            ) from error

    def _first_run(self) -> Run:
        if self.base:
            return continued(self.base, self.corpus, self.config)
        return new_run(self.config, self._vocabularies(self.base))

    def _pairs(self, split: str) -> Encoded:
        return self.corpus.split(split).encode(self.run.vocabularies)

    def steps(self) -> Iterator[TrainingStep]:
        """Train; one record for each step, and one with `valid` after each epoch."""
        self.team = team()
        with self._held(), _threads(self.config.train.threads):
            self._begin()
            try:
                while not self._over():
                    yield from self._epoch()
            except (KeyboardInterrupt, GeneratorExit):
                self._save()
                raise
            self._finish()

    def _begin(self) -> None:
        settings, train = self.config.train, self._pairs("train")
        mixed = self.config.research.shuffled
        read = shuffled(train, settings.seed) if mixed else train
        self.batches = self._batches(read, self._taught(train))
        self.valid = self._batches(self._pairs("valid"))
        self._check_shares(len(train))
        self.model.to(self.team.device)
        self.optimiser = Optimiser(self.model, settings)
        if self.state:
            self._restore(self.state)
        elif (
            self.team.leads and not self.base
        ):  # the other processes get their weights from this one
            with noise(settings.seed, 0, 1):
                self._start()
        self.first_epoch = self.progress.epoch
        if self.folder and self.team.leads:
            self.run.save_settings(self.folder)
        self.history = History(self.folder if self.team.leads else None, self.progress.history)
        if self.base and not self.state:  # what it knew is kept, if no epoch betters it
            self._keep(perplexities(self.model, self.valid, self.team))
        self._save()

    def _check_shares(self, pairs: int) -> None:
        """Batch-norm needs two pairs in every process's share of a batch."""
        batch, ranks = pairs // len(self.batches), self.team.ranks
        if batch < 2 * ranks:
            raise ConfigError(
                f"Batches of {batch} pairs are too small for {ranks} processes, which need two "
                "pairs each. Raise train.batch, or start fewer processes."
            )

    def _taught(self, train: Encoded) -> csr_matrix | None:
        """What theta must write in place of the words, in an experiment."""
        if self.config.research.teachers == "none":
            return None
        is_near, seed = self.config.research.teachers == "near", self.config.train.seed
        return taught(train, nearest(train, self.run.tokens) if is_near else at_random(train, seed))

    def _batches(self, pairs: Encoded, taught: csr_matrix | None = None) -> Batches:
        return Batches(
            pairs,
            taught=taught,
            batch=self.config.train.batch,
            seed=self.config.train.seed,
            others=self.config.research.theta_from == "other",
            rank=self.team.rank,
            ranks=self.team.ranks,
        )

    def _start(self) -> None:
        self.model.start(self.corpus.train.encoded, self.corpus.tokens, self._given_topics())

    def _given_topics(self) -> GivenTopics | None:
        """Where topics start; where theta is LDA's, they are LDA's and stay."""
        model, seed = self.config.model, self.config.train.seed
        start = self.config.research.start if self.model.learns_topics else model.theta
        if start == "nmf":
            return nmf(self.corpus, model.topics, seed=seed)
        return lda(self.corpus, model.topics, seed=seed) if start == "lda" else None

    def _restore(self, state: dict[str, Any]) -> None:
        self.progress, self.best = state["progress"], state["best"]
        self.model.load_state_dict(state["model"])
        self.optimiser.adam.load_state_dict(state["optimiser"])

    def _topic_epochs(self) -> int:
        """Epochs of the topics alone, before the decoders join; without any, as many for topics."""
        return self.config.train.topic_epochs if self.model.learns_topics else 0

    def _epochs(self) -> int:
        learns = self.model.learns_topics or len(self.model.decoders)
        return self._topic_epochs() + self.config.train.epochs if learns else 0

    def _joint(self) -> bool:
        return len(self.model.decoders) > 0 and self.progress.epoch >= self._topic_epochs()

    def _over(self) -> bool:
        stale = self.progress.stale >= self.config.train.patience
        return stale or self.progress.epoch >= self._epochs()

    def _epoch(self) -> Iterator[TrainingStep]:
        if self.progress.epoch in (self.first_epoch, self._topic_epochs()):  # a new phase
            self.wrapped = self.team.wrap(self.model, partly=not self._joint())
        saved = time.monotonic()
        for batch, share in self.batches.epoch(self.progress.epoch, self.progress.batch):
            yield self._step(batch.to(self.team.device), share)
            if time.monotonic() - saved > self.save_seconds:
                self._save()
                saved = time.monotonic()
        yield self._validate()

    def _step(self, batch: Batch, share: float) -> TrainingStep:
        began, settings, number = time.monotonic(), self.config.train, self.progress.step + 1
        with uninterrupted(), noise(settings.seed, number, self.team.rank):
            loss, terms = self.wrapped(batch, self._weights(), joint=self._joint())
            values = {name: float(term) for name, term in terms.items()}
            # gradients are averaged over the processes, whose shares of a batch may be unequal
            if not self.optimiser.step(loss * share * self.team.ranks, self._pace()):
                self._save()
                raise RunError(_not_finite(number, values))
            items, seconds = batch.items(joint=self._joint()) / share, time.monotonic() - began
            self.progress.add(values, items, seconds)
            record = self._record(loss.item(), values, items / seconds)
            if record.step % RECORD_STEPS == 0:
                self.history.add(record)
        return record

    def _pace(self) -> float:
        """How much of the learning rates is left: all of it in the epochs of the topics alone."""
        done = self.progress.step / len(self.batches) - self._topic_epochs()
        share = max(0.0, done / max(1, self.config.train.epochs))
        return 1 - (1 - self.config.train.lr_end) * min(1.0, share)

    def _weights(self) -> dict[str, float]:
        """Of the terms of the loss: KL warm-up (ours), and lambda."""
        settings = self.config.train
        warm = min(1.0, (self.progress.step + 1) / max(1, settings.kl_warmup))
        return {"kl": warm, "diversity": -settings.diversity}

    def _record(
        self, loss: float, terms: dict[str, float], speed: float, **more: Any
    ) -> TrainingStep:
        return TrainingStep(
            step=self.progress.step,
            epoch=self.progress.epoch + 1,
            epochs=self._epochs(),
            batch=self.progress.batch,
            batches=len(self.batches),
            phase="joint" if self._joint() else "topics",
            loss=loss,
            terms=terms,
            tokens_per_second=speed,
            seconds=self.progress.seconds,
            **more,
        )

    def _validate(self) -> TrainingStep:
        """End the epoch: numbers on valid, the best weights kept, the next epoch begun."""
        found = perplexities(self.model, self.valid, self.team, decoders=self._joint())
        if self.watch and self.team.leads and self.model.has_topics:
            found |= self.watch(topics_of(self.model))
        with uninterrupted():
            best = self._best_phase() and found["loss"] < self.progress.best
            record = self._epoch_record(found, best)
            self.history.add(record)
            if best:
                self._keep(found)
            self.progress.next_epoch(counts=self._best_phase(), best=best)
            self._save()
        return record

    def _best_phase(self) -> bool:
        """What the epochs of the topics alone reach does not count, with decoders or without."""
        return self.progress.epoch >= self._topic_epochs()

    def _epoch_record(self, valid: dict[str, float], best: bool) -> TrainingStep:
        progress = self.progress
        terms = {name: value / progress.batch for name, value in progress.sums.items()}
        loss = sum(self._weights().get(name, 1.0) * value for name, value in terms.items())
        speed = progress.items / max(progress.busy, 1e-9)
        return self._record(loss, terms, speed, valid=valid, best=best)

    def _keep(self, valid: dict[str, float]) -> None:
        """These weights are the best so far."""
        self.best = cpu_copy(self.model.state_dict())
        self.progress.best, self.progress.valid = valid["loss"], valid
        self.progress.best_epoch = self.progress.epoch + (self.progress.step > 0)
        self.run.facts = self._facts()
        if self.folder and self.team.leads:
            self.run.save_weights(self.folder, self.best)

    def _facts(self) -> dict[str, Any]:
        """What the model card says of the training."""
        return {
            "corpus": self.corpus.digest,
            "pairs": {name: self.corpus.counts[name] for name in ("train", "valid", "test")},
            "epochs": self.progress.best_epoch,
            "steps": self.progress.step,
            "seconds": round(self.progress.seconds),
            "valid": self.progress.valid,
            **({"shares": self.shares} if self.shares else {}),
        }

    def _save(self) -> None:
        """Write all that is needed to go on from here."""
        if self.folder and self.team.leads:
            self.progress.history = self.history.size
            save_state(
                self.folder,
                self.progress,
                self.corpus.digest,
                model=self.model.state_dict(),
                best=self.best,
                optimiser=self.optimiser.adam.state_dict(),
            )

    def _finish(self) -> None:
        """Take the best weights, describe their topics, and write the run."""
        if self.base:
            self._blend()
        elif self.best:
            self.model.load_state_dict(self.best)
        self.model.eval()
        self.run.facts = self._facts()
        if self.team.leads:
            if self.model.has_topics:
                before, vocabularies = self.base.topics if self.base else (), self.run.vocabularies
                self.run.topics = describe(self.model, self.corpus, vocabularies, before)
                self.run.equation_encoder = self._encoder()
            self.run.record = Record.of(self.model, self.run.tokens)
            self.run.lexicon = self._lexicon()
            if self.folder:
                self.run.history = read_history(self.folder / "history.jsonl")
                self.run.save(self.folder)

    def _blend(self) -> None:
        """Keep of the last weights what is better on valid than those that they began as."""
        with noise(self.config.train.seed, 0, 0):
            began = self._first_run()
        owners = repositories(self.corpus.valid)
        self.shares = blend(self.model, began.model, self._pairs("valid"), owners)
        self.progress.best_epoch = self.progress.epoch
        self.progress.valid = perplexities(self.model, self.valid, self.team)

    def _encoder(self) -> EquationEncoder:
        base = self.base.equation_encoder if self.base else None
        if base is None:
            return taught_by(self.model, self.corpus, self.run.vocabularies)
        return taught_further(base, self.model, self.corpus, self.run.vocabularies)

    def _lexicon(self) -> Lexicon | None:
        base = self.base.lexicon if self.base else None
        if base is not None:
            return extended_lexicon(self.run, self.corpus, base)
        return build_lexicon(self.run, self.corpus) if self.corpus.defines() else None


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """So many threads for torch, for a while; 0 leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _not_finite(step: int, terms: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {value:.4g}" for name, value in terms.items())
    return (
        f"Step {step}: the loss or its gradient is not finite ({shown}). The weights of step "
        f"{step - 1} are kept. Train with a smaller train.lr, topic_lr or decoder_lr."
    )


def _check_pairs(corpus: Corpus) -> None:
    for name in ("train", "valid"):
        if len(corpus.split(name)) < 2:
            raise CorpusError(
                f"The {name} split of '{corpus.path}' has {len(corpus.split(name))} pair(s). "
                "Training needs two or more in train and in valid: build from more articles."
            )
