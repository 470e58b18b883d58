"""Vocab: item <-> id; and `Vocabularies`, the words, tokens and phrases learned from train.

In go columns of words of contexts and of tokens of equations; out come lists ordered by frequency,
ties in alphabetical order, so that the same pairs give the same ids in every process. On disk a
vocabulary is a text file with one item a line; the line number is the id.
"""

import hashlib
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from topiceq.article.equation.rules import SPECIAL, UNK
from topiceq.errors import CorpusError
from topiceq.files import read_text, replacing

# ours: the paper names no stop list. These are the words that carry an argument along whatever it
# is about: ordered by frequency, they are the ones that every field of a broad corpus uses about
# equally often. Words as frequent that mean something in one field (set, function, state, mean,
# work, order, simple) stay. The last lines are what lectures and pages say of themselves, and what
# references and contractions leave behind.
_MATHEMATICAL_PROSE = """
    able according actual actually al appendix apply applying argue arrive assert assume assumed
    assumes assuming assumption assumptions
    called calls careful case cases certain certainly chapter choose chosen claim clear clearly
    combining come comes compare compared conclude conclusion consequently consider considered
    considering consist consists contain containing contains context corollary corresponding
    corresponds course
    deduce define defined defines defining definition definitions denote denoted denotes
    denoting depend depending depends derive derived desired detailed details determine
    determined different directly discuss discussed discussion does doing
    easily easy eq eqn eqns eqs equation equations especially establish et exactly example
    examples exercise exist exists explain explicitly expressed
    fact fig figs figure figures final finally follow followed following follows furthermore
    generally getting given gives giving going good
    hand having help hold holding holds
    idea iff implies imply important include included includes including instance instead
    introduce introduced introduction
    just
    know known
    later lead leads left lemma let lets letting like likely look
    main make makes making meaning means mention mentioned
    necessary need needed needs new notation note notice noting
    obtain obtained obtaining obtains obvious obviously ones original
    page particular plugging possible precisely present presented previous previously proof proofs
    proposition prove proved proves provide provided provides proving
    quite
    really rearranging reason recall ref refer refs related relevant remark remarks replace required
    requires respect respectively result resulting results rewrite right
    said satisfied satisfies satisfy satisfying say saying says sec second section sections seen
    showed showing shown shows similar similarly simply slightly start starting stated statement
    straightforward study subsection substituting suffices suppose
    table taken takes taking th theorem theorems things think try typically
    use used useful uses using usual usually
    various verify
    want way ways works write writing written
    yielding yields
    answer answers author authors bibliography book books chapters click download encyclopedia
    github hint html jupyter latex lecture lectures licence license manuscript markdown notebook
    notebooks notes pdf plug question questions readers retrieved textbook todo tutorial tutorials
    website wiki wikipedia
    ch com doi http https org pp url vol www
    aren couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn
"""


@cache
def stop_words() -> frozenset[str]:
    """What the vocabulary of words leaves out: scikit-learn's English, ours, and single letters."""
    # imported here: it takes longer than all else that opens a corpus, and only building needs it
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset({*ENGLISH_STOP_WORDS, *_MATHEMATICAL_PROSE.split(), *string.ascii_lowercase})


class Vocab:
    """An immutable list of items, each with its id.

    >>> v = Vocab(["field", "energy"])
    >>> v[1], v.index("energy"), v.encode(["energy", "is", "energy"]).tolist()
    ('energy', 1, [1, 1])
    """

    def __init__(self, items: Iterable[str]) -> None:
        self._items = tuple(items)
        self._ids = {item: number for number, item in enumerate(self._items)}
        self._unk = UNK if self._items[: len(SPECIAL)] == SPECIAL else None
        if fault := _fault(self._items):
            raise CorpusError(f"A vocabulary cannot be made: {fault}.")

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._ids

    def __getitem__(self, number: int) -> str:
        return self._items[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocab) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"Vocab({len(self)} items, digest {self.digest[:8]})"

    def index(self, item: str) -> int:
        """The id of the item; KeyError if it has none."""
        return self._ids[item]

    def encode(self, items: Iterable[str]) -> npt.NDArray[np.int32]:
        """The ids of the items. Unknown ones become UNK (tokens) or are left out (words)."""
        if self._unk is not None:
            ids = [self._ids.get(item, self._unk) for item in items]
        else:
            ids = [self._ids[item] for item in items if item in self._ids]
        return np.array(ids, dtype=np.int32)

    def encode_lists(
        self, lists: pa.ListArray
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """`encode` for a column of lists at once: the ids one after the other, and each length."""
        ids = pc.index_in(lists.flatten(), pa.array(self._items, pa.string()))
        lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
        if self._unk is not None:
            return ids.fill_null(self._unk).to_numpy(), lengths
        known = ids.is_valid().to_numpy(zero_copy_only=False)
        rows = np.repeat(np.arange(len(lists)), lengths)[known]
        return ids.drop_null().to_numpy(), np.bincount(rows, minlength=len(lists))

    @property
    def digest(self) -> str:
        """SHA-256 of the file's content: equal digests, equal ids."""
        return hashlib.sha256(self._content()).hexdigest()

    def save(self, path: Path) -> None:
        """Write one item a line, in UTF-8."""
        with replacing(Path(path), follow=False) as partial:
            partial.write_bytes(self._content())

    @classmethod
    def load(cls, path: Path) -> "Vocab":
        """Read what `save` wrote."""
        try:
            lines = read_text(Path(path)).split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"The vocabulary '{path}' cannot be read: {error}.") from error
        # not splitlines(): it would also cut items at form feeds and Unicode line separators
        items = lines[:-1] if lines[-1] == "" else lines
        if fault := _fault(items):
            raise CorpusError(f"The vocabulary '{path}' is damaged: {fault}.")
        return cls(items)

    def _content(self) -> bytes:
        return "".join(f"{item}\n" for item in self._items).encode("utf-8")


class Vocabularies(NamedTuple):
    """The three vocabularies that belong together: a corpus learns them, a run keeps them."""

    words: Vocab
    tokens: Vocab
    phrases: Vocab

    def save(self, folder: Path) -> None:
        """Write words.txt, tokens.txt and phrases.txt."""
        for name, vocab in self._asdict().items():
            vocab.save(folder / f"{name}.txt")

    @classmethod
    def load(cls, folder: Path) -> "Vocabularies":
        """Read what `save` wrote."""
        return cls(*(Vocab.load(folder / f"{name}.txt") for name in cls._fields))

    def digests(self) -> dict[str, str]:
        """The digest of each by its name."""
        return {name: vocab.digest for name, vocab in self._asdict().items()}


def _fault(items: Iterable[str]) -> str | None:
    seen: dict[str, int] = {}
    for line, item in enumerate(items, 1):
        if not item:
            return f"item {line} is empty"
        if "\n" in item:
            return f"item {line}, {item!r}, has a line break"
        if item in seen:
            return f"item {line}, {item!r}, is also item {seen[item]}"
        seen[item] = line
    return None


def most_frequent(counts: Counter[str], size: int | None = None) -> list[str]:
    """The items by frequency, ties in alphabetical order (never in the order of a set)."""
    return sorted(counts, key=lambda item: (-counts[item], item))[:size]


def default_min_df(pairs: int) -> int:
    """In how many contexts a word must occur to be kept.

    ours: the paper's 100 of 400,000 pairs, scaled to the corpus; below 5 a word has no topic.

    >>> default_min_df(400_000), default_min_df(60_000), default_min_df(100)
    (100, 15, 5)
    """
    return max(5, round(pairs / 4_000))


def word_vocab(contexts: Iterable[pa.ListArray], min_df: int) -> Vocab:
    """The words that occur in at least `min_df` contexts and are no stop words."""
    frequency: Counter[str] = Counter()
    for lists in contexts:
        words = lists.flatten().dictionary_encode()
        rows = np.repeat(np.arange(len(lists)), pc.list_value_length(lists).to_numpy())
        once = np.unique(rows * len(words.dictionary) + words.indices.to_numpy())
        counts = np.bincount(once % max(len(words.dictionary), 1))
        frequency.update(dict(zip(words.dictionary.to_pylist(), counts.tolist(), strict=True)))
    kept = {w: n for w, n in frequency.items() if n >= min_df and not _is_stop_word(w)}
    return Vocab(most_frequent(Counter(kept)))


def _is_stop_word(word: str) -> bool:
    """Also where only its beginning is one: let's, we've, doesn't."""
    return word.replace("’", "'").partition("'")[0] in stop_words()


def token_vocab(equations: Iterable[pa.ListArray], size: int = 1_000) -> Vocab:
    """PAD, START, END, UNK, then the `size` most frequent tokens (paper: 1,000)."""
    counts: Counter[str] = Counter()
    for lists in equations:
        for entry in lists.flatten().value_counts().to_pylist():
            counts[entry["values"]] += entry["counts"]
    for special in SPECIAL:
        counts.pop(special, None)
    return Vocab([*SPECIAL, *most_frequent(counts, size)])
