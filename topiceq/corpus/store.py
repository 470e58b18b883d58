"""Corpus: pairs in three splits and the vocabularies learned from train, in one folder.

In go pairs; out comes a folder with train.parquet, valid.parquet, test.parquet,
definitions.parquet, words.txt, tokens.txt, phrases.txt and corpus.toml, opened lazily. A split can
be read as pairs, as Arrow columns, or as arrays of ids (`Encoded`), with the corpus's own
vocabularies or a run's.
"""

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from topiceq.article.nouns import CONCEPTS, load_phrases
from topiceq.config import CorpusConfig, dump_toml
from topiceq.corpus.build import Pairs, Written, write_splits
from topiceq.corpus.definition import IN_CORPUS, read_definitions
from topiceq.corpus.encoded import Encoded, arrays_of, fit, keep, kept
from topiceq.corpus.pair import (
    SCHEMA,
    Pair,
    immediate,
    open_pairs,
    read_batches,
    read_column,
    read_pairs,
)
from topiceq.corpus.phrases import Matcher, phrase_vocab
from topiceq.corpus.split import SPLITS
from topiceq.corpus.stats import corpus_stats
from topiceq.corpus.vocab import Vocab, Vocabularies, default_min_df, token_vocab, word_vocab
from topiceq.errors import ConfigError, CorpusError
from topiceq.files import alone_with, read_toml, replacing_folder

VERSION = 2  # of the folder; raised when older ones can no longer be read
# what a corpus folder may hold; encoded/, lda/ and nmf/ are made later, from the rest
CONTENT = {"corpus.toml", "definitions.parquet", "encoded", "lda", "nmf"}
CONTENT |= {*(f"{name}.parquet" for name in SPLITS)}
CONTENT |= {f"{name}.txt" for name in Vocabularies._fields}


class Split:
    """One of train, valid and test. Nothing is read before it is asked for."""

    def __init__(self, corpus: "Corpus", name: str) -> None:
        self.corpus = corpus
        self.name = name
        self.path = corpus.path / f"{name}.parquet"

    def __len__(self) -> int:
        return self.corpus.counts[self.name]

    def __repr__(self) -> str:
        return f"Split({self.name!r}, {len(self)} pairs)"

    def pairs(self) -> Iterator[Pair]:
        """The pairs, one after the other."""
        return read_pairs(self.path)

    @property
    def table(self) -> pa.Table:
        """All columns, as an Arrow table; `.to_pandas()` makes a data frame of it."""
        return pq.read_table(self.path, memory_map=True)

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of the table; the others are not read."""
        if name not in SCHEMA.names:
            raise CorpusError(f"Pairs have no '{name}'. They have: {', '.join(SCHEMA.names)}.")
        return pq.read_table(self.path, columns=[name], memory_map=True)[name]

    def encode(self, vocabularies: Vocabularies) -> Encoded:
        """The pairs as ids of the given vocabularies (a run brings its own)."""
        if vocabularies == self.corpus.vocabularies:
            return self.encoded
        return Encoded.of(arrays_of(self.path, vocabularies), vocabularies)

    @cached_property
    def encoded(self) -> Encoded:
        """The pairs as ids of the corpus's own vocabularies, kept as .npy files in its folder."""
        if not self.corpus.tokens:
            raise CorpusError(
                f"'{self.corpus.path}' has no vocabularies: it was built for evaluation only. "
                "Use encode(run.vocabularies) with those of a run."
            )
        folder, digest = self.corpus.path / "encoded" / self.name, self.corpus.digest
        arrays = kept(folder, digest)
        if arrays is None or not fit(arrays, self.corpus.vocabularies, len(self)):
            arrays = keep(arrays_of(self.path, self.corpus.vocabularies), folder, digest)
        return Encoded.of(arrays, self.corpus.vocabularies)


class Corpus:
    """A folder of pairs in three splits, with vocabularies learned from train only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        facts = _read_facts(path)
        self.config = CorpusConfig(**({"rows": "paper"} | facts["corpus"]))  # older: no setting
        self.counts: dict[str, int] = facts["counts"]
        self.digest: str = facts["format"]["digest"]
        self.vocabularies = Vocabularies.load(path)
        self.words, self.tokens, self.phrases = self.vocabularies
        self._check(facts["format"]["pairs"])
        self.train, self.valid, self.test = (Split(self, name) for name in SPLITS)

    @classmethod
    def load(cls, path: str | Path) -> "Corpus":
        """Open a corpus; CorpusError says what is wrong if the folder does not fit together."""
        return cls(Path(path))

    @classmethod
    def build(
        cls,
        pairs: Pairs,
        *,
        split: tuple[int, int, int] | None = None,
        seed: int | None = None,
        config: CorpusConfig | None = None,
        phrases: str | Path | None = None,
        path: str | Path | None = None,
    ) -> "Corpus":
        """Split the pairs, learn the vocabularies from train, and write the corpus to `path`.

        `pairs` is a folder that `topiceq extract` wrote, or several, or Parquet files; or pairs of
        your own: any iterable of `Pair`, or of Arrow batches with the columns of `pair.SCHEMA`.
        `split` and `seed` go before those of `config`; `phrases` is a file to use in place of
        the concepts that come with TopicEq. Without a `path` the corpus lives in a temporary
        folder, as long as the object. A corpus that is already there is replaced.
        """
        config = _changed(config or CorpusConfig(), split=split, seed=seed)
        matcher = Matcher(load_phrases(Path(phrases or CONCEPTS)))
        if path is not None:
            _write(Path(path), pairs, config, matcher)
            return cls.load(path)
        folder = tempfile.mkdtemp(prefix="topiceq-")
        try:
            _write(Path(folder, "corpus"), pairs, config, matcher)
            corpus = cls.load(Path(folder, "corpus"))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(corpus, shutil.rmtree, folder, ignore_errors=True)
        return corpus

    def __repr__(self) -> str:
        return f"Corpus({str(self.path)!r}, {', '.join(f'{n} {self.counts[n]}' for n in SPLITS)})"

    def split(self, name: str) -> Split:
        """The split of that name."""
        if name not in SPLITS:
            raise CorpusError(f"There is no split '{name}'. Splits: {', '.join(SPLITS)}.")
        return {"train": self.train, "valid": self.valid, "test": self.test}[name]

    def definitions(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """What the articles say of their symbols, in Arrow batches (see definition.py)."""
        return read_definitions(self.path / "definitions.parquet", IN_CORPUS, columns)

    def defines(self) -> bool:
        """Whether train articles say anything of their symbols."""
        splits = (batch["split"] for batch in self.definitions(["split"]))
        return any(pc.any(pc.equal(split, "train")).as_py() for split in splits)

    def stats(self) -> dict[str, Any]:
        """What is in the corpus, as numbers (see stats.py)."""
        return corpus_stats(self)

    def _check(self, pairs_digest: str) -> None:
        """Vocabularies and files must be those that were built together."""
        if _digest(self.vocabularies, pairs_digest) != self.digest:
            raise CorpusError(_misfit(self.path, "its vocabularies are not its own"))
        for name in SPLITS:
            with open_pairs(self.path / f"{name}.parquet") as file:
                found, told = file.metadata.num_rows, self.counts[name]
            if found != told:
                raise CorpusError(
                    _misfit(self.path, f"{name}.parquet has {found} pairs, corpus.toml says {told}")
                )


def _misfit(path: Path, reason: str) -> str:
    return f"The corpus '{path}' does not fit together: {reason}. Build it again."


def _read_facts(path: Path) -> dict[str, Any]:
    """corpus.toml, with all that is needed in it."""
    file = path / "corpus.toml"
    if not file.is_file():
        of_it, out = (path, "CORPUS") if path.is_dir() and any(path.iterdir()) else ("PAIRS", path)
        raise CorpusError(f"'{path}' is not a corpus. Make one: topiceq build {of_it} -o {out}")
    try:
        facts = read_toml(file)
        version = facts["format"]["version"]
        if version != VERSION:
            raise CorpusError(_misfit(path, f"its format is {version}, this is for {VERSION}"))
        CorpusConfig(**facts["corpus"])
        for section, names, kind in (("format", ("digest", "pairs"), str), ("counts", SPLITS, int)):
            if wrong := [name for name in names if type(facts[section][name]) is not kind]:
                raise ValueError(f"{section}.{wrong[0]} is {facts[section][wrong[0]]!r}")
    except (OSError, ValueError, KeyError, TypeError, ConfigError) as error:
        raise CorpusError(_misfit(path, f"corpus.toml is damaged ({error})")) from error
    return facts


def _digest(vocabularies: Vocabularies, pairs_digest: str) -> str:
    parts = [*vocabularies.digests().values(), pairs_digest]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _pairs_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in SPLITS:
        digest.update(f"{name}\n".encode())
        for ids in read_column(folder / f"{name}.parquet", "id"):
            digest.update("".join(f"{pair_id}\n" for pair_id in ids.to_pylist()).encode())
    return digest.hexdigest()


def _changed(config: CorpusConfig, **changes: object) -> CorpusConfig:
    told = {name: value for name, value in changes.items() if value is not None}
    return CorpusConfig(**(config.model_dump() | told))


def _write(path: Path, pairs: Pairs, config: CorpusConfig, matcher: Matcher) -> None:
    _refuse_foreign(path.resolve(), path)
    try:
        with alone_with(path), replacing_folder(path) as folder:
            _fill(folder, pairs, config, matcher)
    except OSError as error:
        raise CorpusError(f"The corpus '{path}' cannot be written: {error}.") from error


def _fill(folder: Path, pairs: Pairs, config: CorpusConfig, matcher: Matcher) -> None:
    written = write_splits(pairs, folder, split=config.split, seed=config.seed)
    counts = written.counts
    if config.split[0] and not counts["train"]:
        raise CorpusError(
            f"None of the {counts['articles']} articles fell into train. Give more articles, "
            "another seed, or a split of 0/0/100 for evaluation only."
        )
    kept = sum(counts[name] for name in SPLITS)
    config = _changed(config, min_df=config.min_df or default_min_df(kept))
    vocabularies = _learn(folder / "train.parquet", config, matcher)
    vocabularies.save(folder)
    _write_facts(folder, config, written, vocabularies)


def _learn(train: Path, config: CorpusConfig, matcher: Matcher) -> Vocabularies:
    """The vocabularies; empty without a train split."""
    if not config.split[0]:
        return Vocabularies(Vocab([]), Vocab([]), Vocab([]))
    assert config.min_df is not None
    batches = read_batches(train, ["before", "after"])
    sentences = (sentence for batch in batches for near in immediate(batch) for sentence in near)
    return Vocabularies(
        word_vocab(read_column(train, "words"), config.min_df),
        token_vocab(read_column(train, "tokens"), config.token_vocab),
        phrase_vocab(sentences, matcher, config.phrase_vocab),
    )


def _write_facts(
    folder: Path, config: CorpusConfig, written: Written, vocabularies: Vocabularies
) -> None:
    pairs_digest = _pairs_digest(folder)
    digest = _digest(vocabularies, pairs_digest)
    facts: dict[str, dict[str, Any]] = {
        "format": {"version": VERSION, "digest": digest, "pairs": pairs_digest},
        "counts": written.counts,
        "effective_articles": written.effective,
        "corpus": config.model_dump(),
    }
    (folder / "corpus.toml").write_text(dump_toml(facts), encoding="utf-8")


def _refuse_foreign(target: Path, path: Path) -> None:
    """Only a corpus may be replaced, and only if nothing else would go with it."""
    if not target.exists():
        return
    found = {entry.name for entry in target.iterdir()} if target.is_dir() else {target.name}
    if found and "corpus.toml" not in found:
        raise CorpusError(f"'{path}' exists and is not a corpus. Give another name, or remove it.")
    if foreign := sorted(found - CONTENT):
        raise CorpusError(
            f"'{path}' also holds '{foreign[0]}'. Move it away to replace the corpus."
        )
