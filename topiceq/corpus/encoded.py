"""A split as arrays of ids: what training and scores read.

In: the Parquet file of a split and three vocabularies. Out: `Encoded`, whose arrays are kept as
.npy files beside the corpus and mapped into memory the next time.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_matrix

from topiceq.article.equation.rules import UNK
from topiceq.corpus.pair import immediate, read_batches
from topiceq.corpus.phrases import Matcher
from topiceq.corpus.vocab import Vocabularies
from topiceq.files import check_plain, read_text, replacing_folder

ARRAYS = ("words", "words_at", "tokens", "tokens_at", "phrases", "phrases_at", "articles")

Arrays = dict[str, npt.NDArray[Any]]  # by the names of ARRAYS
Ids = npt.NDArray[np.int32]
Rows = tuple[Ids, npt.NDArray[np.int64]]  # flat ids and offsets: row i is ids[at[i] : at[i + 1]]


@dataclass(frozen=True)
class Encoded:
    """The n pairs of a split as ids, in the order of its file."""

    words: csr_matrix  # (n, V) float32 counts
    order: Rows  # word ids in reading order
    tokens: Ids  # flat, without START and END, UNK for what the vocabulary does not know
    offsets: npt.NDArray[np.int64]  # (n + 1,) of tokens
    phrases: csr_matrix  # (n, M) float32 counts in the immediate context
    articles: Ids  # (n,) number of the pair's article within the split

    def __len__(self) -> int:
        return len(self.articles)

    @property
    def unk_rate(self) -> float:
        """The share of tokens that the vocabulary does not know."""
        return float(np.mean(self.tokens == UNK)) if len(self.tokens) else 0.0

    @classmethod
    def of(cls, arrays: Arrays, vocabularies: Vocabularies) -> "Encoded":
        """From the arrays of a file and the vocabularies that they were made with."""
        order = arrays["words"], arrays["words_at"]
        return cls(
            words=_counts(order, len(vocabularies.words)),
            order=order,
            tokens=arrays["tokens"],
            offsets=arrays["tokens_at"],
            phrases=_counts((arrays["phrases"], arrays["phrases_at"]), len(vocabularies.phrases)),
            articles=arrays["articles"],
        )


def kept(folder: Path, digest: str) -> Arrays | None:
    """The kept arrays, or None if there are none or they belong to another corpus."""
    try:
        if read_text(folder / "digest.txt") != digest:
            return None
        for name in ARRAYS:
            check_plain(folder / f"{name}.npy")
        # mapped copy-on-write: read when needed, and torch wants arrays it could write to
        return {name: np.load(folder / f"{name}.npy", mmap_mode="c") for name in ARRAYS}
    except (OSError, ValueError, EOFError):
        return None


def fit(arrays: Arrays, vocabularies: Vocabularies, rows: int) -> bool:
    """Whether arrays are ids of these vocabularies, and of so many rows: no number leads outside.

    A corpus that others have made brings its own.
    """
    if any(a.ndim != 1 or a.dtype.kind != "i" for a in arrays.values()):
        return False
    for name, size in (
        *((n, len(v)) for n, v in vocabularies._asdict().items()),
        ("articles", rows),
    ):
        ids, at = arrays[name], arrays.get(f"{name}_at")
        if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < size:
            return False
        if at is not None and not (
            len(at) == rows + 1 and at[0] == 0 and at[-1] == len(ids) and (np.diff(at) >= 0).all()
        ):
            return False
    return len(arrays["articles"]) == rows


def keep(arrays: Arrays, folder: Path, digest: str) -> Arrays:
    """Write the arrays to a folder; one that cannot be written only costs time."""
    with suppress(OSError), replacing_folder(folder, follow=False) as partial:
        for name, values in arrays.items():
            np.save(partial / f"{name}.npy", values)
        (partial / "digest.txt").write_text(digest)
    return arrays


def arrays_of(path: Path, vocabularies: Vocabularies) -> Arrays:
    """One pass over a split's file: all ids, one after the other, and where each row starts."""
    words, tokens, phrases = vocabularies
    matcher = Matcher(phrases)
    numbers: dict[str, int] = {}
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [np.zeros(0, np.int32)] for name in ARRAYS}
    for batch in read_batches(path, ["article", "tokens", "before", "after", "words"]):
        found = [[p for s in near for p in matcher.find(s)] for near in immediate(batch)]
        phrase_lists = pa.array(found, pa.list_(pa.string()))
        articles = [numbers.setdefault(a, len(numbers)) for a in batch["article"].to_pylist()]
        rows: list[npt.NDArray[Any]] = [
            *words.encode_lists(batch["words"]),
            *tokens.encode_lists(batch["tokens"]),
            *phrases.encode_lists(phrase_lists),
            np.array(articles, dtype=np.int32),
        ]
        for name, part in zip(ARRAYS, rows, strict=True):
            parts[name].append(part)
    joined = {name: np.concatenate(part) for name, part in parts.items()}
    return {name: _starts(a) if name.endswith("_at") else a for name, a in joined.items()}


def _starts(lengths: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _counts(rows: Rows, width: int) -> csr_matrix:
    ids, at = rows
    ones = np.ones(len(ids), dtype=np.float32)
    counts = csr_matrix((ones, ids, at), shape=(len(at) - 1, width), copy=True)
    counts.sum_duplicates()
    return counts
