"""A run trained on, on small corpora that it has never seen: better there, and no worse elsewhere?

In go a run, and the corpus that it was trained on, whose test split it has never seen; out comes
results/finetune.json. `pretrained` is the run with the new items of the small corpus added by their
frequency, and not trained. On the small corpus all are judged on the same items: every token, and
of words and phrases those that it has learned itself, each as likely as a model says it is among
these. On the large one, on the items that the run had before; what it now gives to others is lost.
"""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from research.entries import Entry, keep, lines, made, read
from topiceq.api import TopicEq
from topiceq.config import load_config
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.pair import read_batches
from topiceq.corpus.split import SPLITS
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocabularies
from topiceq.model.batches import Counts, collate
from topiceq.model.decoders import Alignment
from topiceq.model.finetune import continued, finetune_config
from topiceq.model.held_out import perplexity
from topiceq.model.joint import evaluating
from topiceq.model.run import Run

SPLIT = (60, 20, 20)  # more held out than usual: a tenth of 36 articles says little
JUDGED = 4_000  # pairs of the large test split
KINDS = ("words", "equations", "phrases")
Rows = npt.NDArray[np.int64]


def finetune(
    run: Path,
    corpus: Path,
    *,
    fields: tuple[str, ...] = ("econ", "quantumcomputing", "geophysics"),
    articles: Annotated[int, "of each field, out of test"] = 36,
    new_topics: int = 0,
    out: Annotated[Path, "folder for the small corpora and runs"],
    threads: int = 1,
) -> None:
    """Perplexities of the run, of one from scratch, and of the run trained on, on small corpora."""
    torch.set_num_threads(threads)
    base, large = TopicEq.load(run), Corpus.load(corpus)
    for field in fields:
        small = _small(large, field, articles, base.run, out / field / "corpus")
        told = {"row": field, "corpus": "small", "seed": 0, "topics": new_topics}
        size = {"articles": articles, "pairs": {name: small.counts[name] for name in SPLITS}}
        keep("finetune", [told | size | _compared(base, large, small, new_topics) | made()])


def _small(large: Corpus, field: str, articles: int, run: Run, path: Path) -> Corpus:
    """The first articles of a field, in the order of their names, that have eight pairs or more.

    None of a repository that the run's lexicon has an article of: it may be of another build.
    """
    seen = _repositories(run)
    names = np.array(large.test.column("article").to_pylist())
    of_field = np.array(large.test.column("field").to_pylist()) == field
    of_field &= np.array([_repository(name) not in seen for name in names])
    found, counts = np.unique(names[of_field], return_counts=True)
    chosen = found[(counts >= 8) & (counts <= 60)][:articles].tolist()
    if len(chosen) < articles:
        chosen = found[np.argsort(-np.minimum(counts, 60), kind="stable")][:articles].tolist()
    batches = (
        batch.filter(pc.is_in(batch["article"], value_set=pa.array(chosen)))
        for batch in read_batches(large.test.path)
    )
    return Corpus.build(batches, path=path, split=SPLIT)


def _repository(article: str) -> str:
    return "/".join(article.split("/")[:2])


def _repositories(run: Run) -> set[str]:
    """Those that the run has learned from, as far as its lexicon tells."""
    return {_repository(name) for name in run.lexicon.articles} if run.lexicon else set()


def _compared(base: TopicEq, large: Corpus, small: Corpus, new_topics: int) -> Entry:
    settings = load_config("finetune", ["train.threads=1"])
    ready = continued(base.run, small, finetune_config(base.config, settings))
    ready.model.eval()
    tuned, began = TopicEq(settings), time.monotonic()
    for _ in tuned.steps(small, base=base, new_topics=new_topics):
        pass
    minutes = (time.monotonic() - began) / 60
    scratch = TopicEq(load_config("demo", ["train.threads=1"])).fit(small)
    judged = {"pretrained": ready, "scratch": scratch.run, "trained on": tuned.run}
    own = {"before": base.run, "after": tuned.run}
    return {
        "perplexity": {name: _on_small(run, small) for name, run in judged.items()},
        "unigram": _unigram(small),
        "minutes": round(minutes, 2),
        "own test": {name: _on_large(run, large, small, base.run) for name, run in own.items()},
    }


def _on_small(run: Run, small: Corpus) -> dict[str, float]:
    pairs = small.test.encode(run.vocabularies)
    return _perplexities(run, pairs, np.arange(len(pairs)), small.vocabularies, among=True)


def _on_large(run: Run, large: Corpus, small: Corpus, base: Run) -> dict[str, float]:
    """On articles of the large test split that neither the small corpus nor the run has seen."""
    taken = {name for split in (small.train, small.valid, small.test)
             for name in split.column("article").to_pylist()}  # fmt: skip
    seen = _repositories(base)
    names = large.test.column("article").to_pylist()
    others = np.array([name not in taken and _repository(name) not in seen for name in names])
    rows = np.random.default_rng(0).permutation(np.flatnonzero(others))[:JUDGED]
    return _perplexities(run, large.test.encode(run.vocabularies), rows, base.vocabularies)


def _perplexities(
    run: Run, pairs: Encoded, rows: Rows, known: Vocabularies, *, among: bool = False
) -> dict[str, float]:
    """Of words, equations and phrases; `among`: as likely as each is among the known ones."""
    words, phrases = (
        torch.tensor([item in own for item in theirs])
        for own, theirs in ((known.words, run.words), (known.phrases, run.phrases))
    )
    sums = {kind: np.zeros(2) for kind in KINDS}
    by_length = rows[np.argsort(np.diff(pairs.offsets)[rows], kind="stable")]
    with evaluating(run.model):
        for part in np.array_split(by_length, -(-len(rows) // 100)):
            batch = collate(pairs, part)
            theta, beta = run.model.encode(batch.words), run.model.beta()
            assert theta is not None and beta is not None
            sums["words"] += _counted((theta @ beta).log(), batch.words, words, among)
            for _, decoder in run.model.named_decoders():
                if isinstance(decoder, Alignment):
                    log_p = decoder.phrase_log_probs(decoder.symbols.bag(batch.tokens), theta)
                    sums["phrases"] += _counted(log_p, batch.phrases, phrases, among)
                else:
                    both = decoder.log_prob(batch, theta), decoder.size(batch)
                    sums["equations"] += [float(each.sum()) for each in both]
    return {kind: round(perplexity(*both), 3) for kind, both in sums.items()}


def _counted(log_p: Tensor, counts: Counts, known: Tensor, among: bool) -> npt.NDArray[np.float64]:
    """log p of what occurs of the known items, and how much that is."""
    if among:
        log_p = log_p.masked_fill(~known, -torch.inf).log_softmax(-1)
    asked = counts.counts * known[counts.ids]
    nats = torch.where(asked > 0, log_p[counts.rows, counts.ids], torch.zeros(()))
    return np.array([float((asked * nats).sum()), float(asked.sum())])


def _unigram(small: Corpus) -> dict[str, float]:
    """What counting alone says: add-one frequencies of train."""
    found = {}
    for kind in ("words", "phrases"):
        train, test = (getattr(s.encoded, kind) for s in (small.train, small.test))
        counts = np.asarray(train.sum(0)).ravel() + 1
        seen = np.asarray(test.sum(0)).ravel()
        log_prob = (seen * np.log(counts / counts.sum())).sum()
        found[kind] = round(perplexity(log_prob, seen.sum()), 3)
    return found


# -- shown ---------------------------------------------------------------------------------------

ROWS = {"pretrained": "the default", "scratch": "from scratch", "trained on": "trained on"}


def finetune_shown() -> str:
    """A row for each model on each small corpus, and what the default's own test split says."""
    rows = []
    for entry in read("finetune"):
        for name, shown in ROWS.items():
            rows.append([entry["row"], shown, *_cells(entry["perplexity"][name])])
        rows[-1].append(f"{entry['minutes']:.1f}")
        before, after = entry["own test"]["before"], entry["own test"]["after"]
        change = [f"{after[kind] / before[kind] - 1:+.1%}" for kind in KINDS]
        rows.append(["", "on the default's own test", *change])
    return lines(["field", "model", *KINDS, "minutes"], [(row + [""])[:6] for row in rows])


def _cells(perplexities: dict[str, float]) -> list[str]:
    return [f"{perplexities[kind]:.1f}" if kind != "equations" else f"{perplexities[kind]:.2f}"
            for kind in KINDS]  # fmt: skip
