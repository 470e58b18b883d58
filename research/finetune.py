"""Training on from the pretrained model, measured: small folders of one field, beside scratch.

In go a run and the corpus that it was trained on, whose test split it has never seen; out comes
results/finetune.json. All are judged on the same items: the words and phrases that the small corpus
has learned itself, and every token. `pretrained` is the run with those items added by their
frequency, and not trained.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from scipy.sparse import csr_matrix, diags_array

from research.entries import Entry, keep, made
from topiceq.api import TopicEq
from topiceq.config import load_config
from topiceq.corpus.pair import read_batches
from topiceq.corpus.store import Corpus
from topiceq.corpus.vocab import Vocab
from topiceq.model.finetune import continued, finetune_config
from topiceq.model.held_out import log_probs, perplexity
from topiceq.model.run import Run


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
        small = _small(large, field, articles, out / field / "corpus")
        told = {"row": field, "corpus": "small", "seed": 0, "topics": new_topics}
        size = {"articles": articles, "pairs": dict(small.counts)}
        keep("finetune", [told | size | _compared(base, large, small, new_topics) | made()])


def _small(large: Corpus, field: str, articles: int, path: Path) -> Corpus:
    """The first articles of a field, in the order of their names, that have eight pairs or more."""
    names = np.array(large.test.column("article").to_pylist())
    of_field = np.array(large.test.column("field").to_pylist()) == field
    found, counts = np.unique(names[of_field], return_counts=True)
    chosen = found[(counts >= 8) & (counts <= 60)][:articles].tolist()
    if len(chosen) < articles:
        chosen = found[np.argsort(-np.minimum(counts, 60), kind="stable")][:articles].tolist()
    batches = (
        batch.filter(pc.is_in(batch["article"], value_set=pa.array(chosen)))
        for batch in read_batches(large.test.path)
    )
    return Corpus.build(batches, path=path)


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
        "own test": {name: _on_large(run, large, small) for name, run in own.items()},
    }


def _on_small(run: Run, small: Corpus) -> dict[str, float]:
    pairs = small.test.encode(run.vocabularies)
    words = _only(pairs.words, run.words, small.words)
    phrases = _only(pairs.phrases, run.phrases, small.phrases)
    found = log_probs(run.model, replace(pairs, words=words, phrases=phrases))
    return {_kind(name): round(likelihood.perplexity, 3) for name, likelihood in found.items()}


def _on_large(run: Run, large: Corpus, small: Corpus) -> dict[str, float]:
    """On the articles of the large test split that the small corpus has nothing of."""
    taken = {name for split in (small.train, small.valid, small.test)
             for name in split.column("article").to_pylist()}  # fmt: skip
    others = np.array([name not in taken for name in large.test.column("article").to_pylist()])
    found = log_probs(run.model, large.test.encode(run.vocabularies))
    sums = {name: (f.log_prob[others].sum(), f.size[others].sum()) for name, f in found.items()}
    return {_kind(name): round(perplexity(*both), 3) for name, both in sums.items()}


def _kind(name: str) -> str:
    return {"words": "words", "alignment": "phrases"}.get(name, "equations")


def _only(counts: csr_matrix, theirs: Vocab, own: Vocab) -> csr_matrix:
    kept = np.array([item in own for item in theirs], dtype=np.float32)
    found = csr_matrix(counts @ diags_array(kept))
    found.eliminate_zeros()
    return found


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
