r"""What symbols mean in the articles of a corpus: p(phrase | symbol, where it stands).

Articles say what their symbols are ("where $m$ is the mass"); the lexicon counts who says so, and
answers for a text that does not. Of the phrases that any article has given to the symbol's letter,

    score = a log p(phrase | symbol) + b log p(letter | phrase)
            + c log(theta_phrase . theta / prior) + d presence + e log uses + f words + g company

p(phrase | symbol) counts articles, once each: k_B backs off to any k_, that to any k. theta_phrase
is what articles are about where the phrase is given to any symbol. presence is the mean idf of the
phrase's words, those counted that stand in the context. uses is how many articles have the phrase.
words is the mean over the context's words of log p(word | phrase) / p(word); company the same of
the other letters of the equation: S and I stand beside what \beta means in an epidemic.
The weights and the step from shares to probabilities of being right are fitted on held-out articles
(lexicon_build.py), for questions with a context, with a sentence, with a theta alone, and with
neither: beside a definition stand more of its words than in what people type. An answer that is too
likely to be wrong is not given.

    lexicon.json                             facts, weights, calibration
    symbols.txt phrases.txt words.txt articles.txt
    starts.npy entries.npy counts.npy        the phrases of each symbol, and in how many articles
    defining.npy uses.npy                    articles that define each symbol, use each phrase
    affinity.npy                             topics of phrases
    word_starts.npy word_ids.npy idf.npy     words of phrases
    vocabulary.txt wording_starts.npy        words that stand around phrases
    wording_phrases.npy wording_steps.npy
    letters.txt company.npy                  letters that stand beside phrases
    sources.npy sentence_starts.npy sentences.npy
"""

import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens
from topiceq.article.nouns import COUNTING, OBJECTS, WEAK, is_noun
from topiceq.article.scope import unindexed
from topiceq.corpus.merging import merged_words
from topiceq.errors import RunError
from topiceq.files import check_plain, read_json, read_text, replacing_folder

FOLDER, VERSION = "lexicon", 2
NAMES = ("symbols", "phrases", "words", "articles", "vocabulary", "letters")
FEW, MANY = 0.2, 5.0  # articles that every letter and every phrase has beforehand
BACK_OFF = 3.0  # articles that a plainer form of the symbol counts for
LEAST_SHARE = 1e-4  # of a phrase that no article has given to the symbol in this form
LONG = 30  # different words of a context that is more than a sentence
STEP = 0.05  # of the logarithms that affinities are kept as
PRIOR = 3.0  # articles about everything that each phrase has beforehand, of words and company
LEAST_WORDS = 3  # articles that use a phrase of whose words something is told
MOST = 40  # phrases that are looked at closely
SILENT = 0.10  # where the best answer is less likely to be right, none is given
MAX_NAMES = 1 << 30  # bytes of a list of names
MAX_SENTENCE = 100_000  # characters; a lexicon of a stranger's may unpack to any number
SURE = 0.5  # from here on an answer is shown where nobody asked

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Array = npt.NDArray[Any]


EVIDENCE = ("symbol", "letter", "topic", "presence", "uses", "words", "company")
CERTAINTY = ("ceiling", "bias", "slope", "form_articles", "letter_articles")


@dataclass(frozen=True)
class Weights:
    """How much each kind of evidence counts, and how a share becomes a probability."""

    symbol: float
    letter: float
    topic: float
    presence: float
    uses: float
    # p of being right = ceiling sigmoid(bias + slope log-odds of the share + what articles add)
    ceiling: float
    bias: float
    slope: float
    form_articles: float  # log(1 + articles) that define the symbol in this form
    letter_articles: float  # log(1 + articles) that define its letter
    words: float = 0.0
    company: float = 0.0

    @property
    def evidence(self) -> Doubles:
        """The weights of what is known of a phrase."""
        return np.array([getattr(self, name) for name in EVIDENCE])


# what was fitted on the corpus of the default run; a corpus too small to fit its own takes them
USUAL = {
    "context": Weights(0.22, 0.75, 1.0, 0.9, 0.8, 0.7, -0.3, 0.9, 0.08, 0.0, 0.8, 0.25),
    "sentence": Weights(0.22, 0.75, 0.9, 0.4, 0.75, 0.7, -0.3, 0.9, 0.08, 0.0, 1.3, 0.3),
    "theta": Weights(0.23, 0.75, 1.6, 0.0, 0.95, 0.7, -0.2, 1.1, 0.07, 0.0, 0.0, 0.35),
    "alone": Weights(0.28, 0.75, 0.0, 0.0, 0.85, 0.5, -0.2, 1.0, 0.1, 0.0, 0.0, 0.65),
}


@dataclass(frozen=True)
class Source:
    """An article that says so, and its words."""

    article: str
    sentence: str


@dataclass(frozen=True)
class Meaning:
    """What a symbol may mean, and the probability of being right."""

    phrase: str
    p: float
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Tables:
    """The arrays of a lexicon, as they are on the disk."""

    starts: Array  # (symbols + 1,) of the entries of each symbol
    entries: Array  # their phrases
    counts: Array  # in how many articles
    defining: Array  # (symbols,) articles that define each symbol
    uses: Array  # (phrases,) articles that use each phrase
    affinity: Array  # (phrases, K) log of p(topic | phrase) / prior, in steps
    word_starts: Array  # (phrases + 1,) of the words of each phrase
    word_ids: Array
    idf: Array  # (words,)
    sources: Array  # (sentences, 2): the entry and the article of each, by entry
    sentence_starts: Array  # (sentences + 1,)
    sentences: Array  # bytes, each sentence compressed by itself
    wording_starts: Array  # (vocabulary + 1,) of the phrases around which each word stands
    wording_phrases: Array
    wording_steps: Array  # log(1 + articles / expected)
    company: Array  # (phrases, letters) log of p(letter | phrase) / p(letter), in steps


class Lexicon:
    """The phrases of a corpus's symbols, ready to be asked."""

    def __init__(
        self,
        names: dict[str, list[str]],  # by NAMES
        tables: Tables,
        weights: dict[str, Weights],
        facts: dict[str, Any],
    ) -> None:
        self.names, self.tables, self.weights, self.facts = names, tables, weights, facts
        self.phrases, self.articles = names["phrases"], names["articles"]
        self.symbols = {name: number for number, name in enumerate(names["symbols"])}
        self.words = {word: number for number, word in enumerate(names["words"])}
        self.vocabulary = {word: number for number, word in enumerate(names["vocabulary"])}
        self.letters = {letter: number for number, letter in enumerate(names["letters"])}

    def __len__(self) -> int:
        return len(self.phrases)

    def under(
        self, theta: Floats | None, words: Iterable[str] = (), beside: Iterable[str] = ()
    ) -> "Asked":
        """The lexicon, asked where a text is about theta, with these words and these letters."""
        words = set(words)
        heard = sorted(self.vocabulary[word] for word in words if word in self.vocabulary)
        letters = {name: self.letters[name] for name in beside if name in self.letters}
        known = {self.words[part] for word in words for part in merged_words(word)
                 if part in self.words}  # fmt: skip
        present = np.zeros(len(self.words), dtype=np.float32)
        present[sorted(known)] = 1
        return Asked(self, theta, present if known or heard else None, tuple(heard), letters)

    def sources(self, entry: int, most: int = 2) -> tuple[Source, ...]:
        """Who says so."""
        first, last = np.searchsorted(self.tables.sources[:, 0], (entry, entry + 1)).tolist()
        return tuple(map(self._source, range(first, min(last, first + most))))

    def _source(self, number: int) -> Source:
        start, end = self.tables.sentence_starts[number : number + 2].tolist()
        packed = self.tables.sentences[start:end].tobytes()
        return Source(self.articles[int(self.tables.sources[number, 1])], unpacked(packed))

    def save(self, folder: Path) -> None:
        """Write the lexicon into the folder of its run."""
        with replacing_folder(folder / FOLDER, follow=False) as home:
            for name, items in self.names.items():
                (home / f"{name}.txt").write_text("\n".join(items), encoding="utf-8")
            for name, array in vars(self.tables).items():
                np.save(home / f"{name}.npy", array)
            weights = {kind: asdict(weights) for kind, weights in self.weights.items()}
            facts = {"version": VERSION, "weights": weights, **self.facts}
            (home / "lexicon.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def load_lexicon(folder: Path, topics: int) -> Lexicon | None:
    """The lexicon of a run; None if it has none, RunError if it is damaged or of other topics."""
    home, again = folder / FOLDER, f"Make it again: topiceq lexicon {folder} CORPUS"
    if not home.is_dir():
        return None
    try:
        facts = read_json(home / "lexicon.json")
        if facts.pop("version") != VERSION:
            raise ValueError("it was made by another version")
        weights = {kind: Weights(**some) for kind, some in facts.pop("weights").items()}
        names = {name: _lines(read_text(home / f"{name}.txt", MAX_NAMES)) for name in NAMES}
        tables = Tables(**{name: _load(home / f"{name}.npy") for name in Tables.__annotations__})
        _check(names, tables, weights)
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError) as error:
        raise RunError(f"The lexicon '{home}' is damaged ({error}). {again}") from error
    if tables.affinity.shape[1] not in (0, topics):
        raise RunError(f"The lexicon '{home}' belongs to other topics. {again}")
    return Lexicon(names, tables, weights, facts)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def _load(path: Path) -> Array:
    check_plain(path)
    # a plain view: to cut a piece off a memmap takes ten times as long
    array: Array = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    if array.ndim != (2 if path.stem in ("affinity", "sources", "company") else 1):
        raise ValueError(f"{path.name} has {array.ndim} dimensions")
    if array.dtype.kind not in ("f" if path.stem == "idf" else "iu"):
        raise ValueError(f"{path.name} has numbers of another kind")
    return array


def _check(names: dict[str, list[str]], tables: Tables, weights: dict[str, Weights]) -> None:
    """Parts of different lexicons do not get past here, and no number leads outside its table."""
    phrases = len(names["phrases"])
    fits = (
        len(tables.starts) == len(names["symbols"]) + 1 == len(tables.defining) + 1
        and tables.starts[-1] == len(tables.entries) == len(tables.counts)
        and len(tables.word_starts) == phrases + 1 == len(tables.affinity) + 1
        and len(tables.uses) == phrases
        and len(tables.idf) == len(names["words"])
        and len(tables.sentence_starts) == len(tables.sources) + 1
        and len(tables.word_starts)
        and tables.word_starts[-1] == len(tables.word_ids)
        and tables.sources.shape[1] == 2
        and tables.sentences.dtype == np.uint8
        and tables.sentence_starts[-1] == len(tables.sentences)
        and len(tables.wording_starts) == len(names["vocabulary"]) + 1
        and tables.wording_starts[-1] == len(tables.wording_phrases) == len(tables.wording_steps)
        and tables.company.shape == (phrases, len(names["letters"]))
        and weights.keys() == USUAL.keys()
    )
    if not fits:
        raise ValueError("its parts do not belong together")
    within = {"entries": (tables.entries, phrases), "word_ids": (tables.word_ids, len(tables.idf)),
              "sources": (tables.sources[:, 0], len(tables.entries)),
              "sources of articles": (tables.sources[:, 1], len(names["articles"])),
              "wording_phrases": (tables.wording_phrases, phrases)}  # fmt: skip
    for name, (numbers, count) in within.items():
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
            raise ValueError(f"{name} lead outside their table")
    for name in ("starts", "word_starts", "sentence_starts", "wording_starts"):
        if (starts := getattr(tables, name).astype(np.int64))[0] or (np.diff(starts) < 0).any():
            raise ValueError(f"{name} are not in order")
    told = [value for each in weights.values() for value in vars(each).values()]
    if not (np.isfinite(np.array(told, float)).all() and np.isfinite(tables.idf).all()):
        raise ValueError("some of its weights are no numbers")


# -- a question -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidates:
    """The phrases that may be what a symbol means."""

    phrases: Ints
    entries: Ints  # of the symbol's letter, where the sources are
    share: Doubles  # p(phrase | symbol)
    counts: Doubles  # of articles that give the phrase to the letter
    form_articles: int  # that define the symbol in this form
    letter_articles: int  # that define its letter


@dataclass(frozen=True)
class Asked:
    """The lexicon where a text is about theta and has certain words."""

    lexicon: Lexicon
    theta: Floats | None
    present: Floats | None  # (words,) 1 where the context has the word
    heard: tuple[int, ...] = ()  # words of the context
    beside: dict[str, int] = field(default_factory=dict)  # letters, with their numbers

    @property
    def kind(self) -> str:
        """What there is to go by."""
        by_topic = self.theta is not None and self.lexicon.tables.affinity.shape[1] > 0
        if not by_topic or self.present is None:
            return "theta" if by_topic else "alone"
        return "context" if len(self.heard) >= LONG else "sentence"

    def meanings(self, symbol: Symbol, count: int, least: float = SILENT) -> list[Meaning]:
        """The meanings of a symbol, the best first; none if that is not likely enough."""
        ranked = self.ranked(symbol)
        if not ranked or ranked[0][1] < least:
            return []
        return [
            Meaning(self.lexicon.phrases[phrase], round(p, 3), self.lexicon.sources(entry))
            for phrase, p, entry in ranked[:count]
        ]

    def ranked(self, symbol: Symbol) -> list[tuple[int, float, int]]:
        """Phrases with their probabilities and entries, the best first."""
        found = self.candidates(symbol)
        if found is None:
            return []
        weights = self.lexicon.weights[self.kind]
        share = softmax(self.features(found, forms(symbol)[2]) @ weights.evidence)
        best = np.argsort(-share, kind="stable")[:MOST]
        kept, shares = self._gathered(found.phrases[best], share[best])
        p = right(shares, found, weights)
        return [(int(found.phrases[best[at]]), float(q), int(found.entries[best[at]]))
                for at, q in zip(kept, p, strict=True)]  # fmt: skip

    def candidates(self, symbol: Symbol) -> Candidates | None:
        """What articles say that the symbol's letter is, in any form."""
        tables, numbers = self.lexicon.tables, map(self.lexicon.symbols.get, forms(symbol))
        exact, base, letter = numbers
        if letter is None:
            return None
        span = slice(*tables.starts[letter : letter + 2].tolist())
        phrases = tables.entries[span].astype(np.int64)
        share = np.full(len(phrases), LEAST_SHARE)
        for number in (letter, base, exact):
            if number is not None:
                share = self._backed_off(number, phrases, share)
        articles = [0 if n is None else int(tables.defining[n]) for n in (exact, letter)]
        counts = tables.counts[span].astype(np.float64)
        return Candidates(phrases, np.arange(span.start, span.stop), share, counts, *articles)

    def _backed_off(self, number: int, phrases: Ints, share: Doubles) -> Doubles:
        tables = self.lexicon.tables
        span = slice(*tables.starts[number : number + 2].tolist())
        counts = np.zeros(len(phrases))
        counts[np.searchsorted(phrases, tables.entries[span])] = tables.counts[span]
        return (counts + BACK_OFF * share) / (float(tables.defining[number]) + BACK_OFF)

    def features(self, found: Candidates, letter: str = "") -> Doubles:
        """What is known of each phrase, in the order of EVIDENCE (phrases, 7)."""
        tables, kind = self.lexicon.tables, self.kind
        uses = tables.uses[found.phrases].astype(np.float64)
        topic = presence = words = np.zeros(len(uses), dtype=np.float32)
        if kind != "alone" and self.theta is not None:
            ratio = np.exp(STEP * tables.affinity[found.phrases].astype(np.float32))
            topic = np.log(np.maximum(ratio @ self.theta, 1e-6))
        if kind in ("context", "sentence"):
            presence, words = self._presence[found.phrases], self._wording[found.phrases]
        letters = np.log((found.counts + FEW) / (uses + MANY))
        company = self._company(found.phrases, letter)
        return np.column_stack(
            (np.log(found.share), letters, topic, presence, np.log(uses), words, company)
        )

    @cached_property
    def _wording(self) -> Floats:
        """The mean over the context's words of log p(word | phrase) / p(word) (phrases,)."""
        tables, total = self.lexicon.tables, np.zeros(len(self.lexicon), dtype=np.float32)
        if not self.heard:
            return total
        for word in self.heard:
            span = slice(*tables.wording_starts[word : word + 2].tolist())
            total[tables.wording_phrases[span]] += tables.wording_steps[span]
        # a word that never stands around a phrase tells against it, the more articles use it
        unheard = np.log(PRIOR / (tables.uses.astype(np.float32) + PRIOR))
        wording = np.where(tables.uses >= LEAST_WORDS, STEP * total / len(self.heard) + unheard, 0)
        return wording.astype(np.float32)

    def _company(self, phrases: Ints, letter: str) -> Floats:
        """The same of the other letters, over the root of how many they are (phrases,)."""
        others = [number for name, number in self.beside.items() if name != letter]
        steps = self.lexicon.tables.company[phrases][:, others].astype(np.float32)
        total: Floats = STEP * steps.sum(1) / np.float32(max(1, len(others)) ** 0.5)
        return total

    @cached_property
    def _presence(self) -> Floats:
        """The mean idf of each phrase's words, 0 for those that the context has not (phrases,)."""
        assert self.present is not None
        tables = self.lexicon.tables
        there = (tables.idf * self.present)[tables.word_ids]
        starts = tables.word_starts.astype(np.int64)
        means = np.add.reduceat(there, starts[:-1]) / np.diff(starts)
        return means.astype(np.float32)

    def _gathered(self, phrases: Ints, shares: Doubles) -> tuple[list[int], Doubles]:
        """Which phrases are answers, and their shares with those of what is said more narrowly.

        If it is the electron mass it is a mass, so the mass is the answer if it comes first.
        """
        words = [merged_words(self.lexicon.phrases[phrase]) for phrase in phrases.tolist()]
        kept: list[int] = []
        total: list[float] = []
        alike: dict[tuple[str, ...], list[int]] = {}  # of those kept, by their last word
        for at, own in enumerate(words):
            same = alike.setdefault(own[-1:], [])
            near = [
                n for n in same
                if is_general(words[kept[n]], own) or is_general(own, words[kept[n]])
            ]  # fmt: skip
            if near and is_general(words[kept[near[0]]], own):
                total[near[0]] += shares[at]
            elif not near:
                same.append(len(kept))
                kept.append(at)
                total.append(shares[at])
        order = np.argsort(-np.array(total), kind="stable").tolist()
        return [kept[n] for n in order], np.array([total[n] for n in order])


def right(share: Doubles, found: Candidates, weights: Weights) -> Doubles:
    """The probabilities that answers with these shares are right."""
    odds = weights.bias + weights.slope * logit(share)
    odds += weights.form_articles * np.log1p(found.form_articles)
    odds += weights.letter_articles * np.log1p(found.letter_articles)
    p: Doubles = weights.ceiling / (1 + np.exp(-odds))
    return p


def logit(share: Doubles) -> Doubles:
    share = np.clip(share, 1e-6, 1 - 1e-3)
    odds: Doubles = np.log(share / (1 - share))
    return odds


def softmax(scores: Doubles) -> Doubles:
    weights = np.exp(scores - scores.max())
    share: Doubles = weights / weights.sum()
    return share


def forms(symbol: Symbol) -> tuple[str, str, str]:
    r"""The names under which a symbol is kept: as it is, whatever its scripts, whatever its marks.

    >>> from topiceq.article.equation.symbol import head
    >>> forms(head(r"\hat { x } _ { 1 }".split())[0])
    ('\\hat { x } _ { # }', '\\hat { x } *', 'x **')
    """
    plain = unindexed(symbol)
    exact = Symbol(plain.base, _numberless(plain.lower), _numberless(plain.upper))
    letter = symbol.base
    while not symbol.is_word and len(letter) > 3:
        letter = letter[2:-1]
    return " ".join(exact.tokens), " ".join(symbol.base) + " *", " ".join(letter) + " **"


def letters(found: Iterable[Occurrence]) -> list[str]:
    """The names under which the letters of an equation are kept, each once."""
    return list(dict.fromkeys(forms(one.symbol)[2] for one in found))


def _numberless(script: Tokens) -> Tokens:
    return tuple("#" if token.isdigit() else token for token in script)


@lru_cache(maxsize=1 << 16)
def is_general(general: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    """Whether what is said is the same with less: mass, particle mass; set, finite set.

    `function` says too little to be the same as `loss function`.
    """
    if not general or not narrow or general[-1] != narrow[-1] or len(general) >= len(narrow):
        return False
    more = set(narrow) - set(general)
    is_vague = general[0] in VAGUE and len(general) == 1
    return set(general) <= set(narrow) and not (is_vague and any(map(is_noun, more)))


VAGUE = frozenset(word for words in (OBJECTS, WEAK, COUNTING) for word in words)

# -- sentences --------------------------------------------------------------------------------

# what sentences of this kind share; each is compressed by itself, so that one can be read alone
_USUAL_TEXT = (
    b" the number of the matrix of the function such that for all is defined by of the form "
    b"is given by can be written as we have that there exists a let $f: \\mathbb{R}^{n} \\to "
    b"\\mathbb{R}$ be a Suppose that $\\mathbf{x}$ is the vector of the distribution with "
    b"parameter $\\mathcal{L}$ denotes the set of all with respect to is a random variable, and "
    b"$\\alpha$ is the position $x_i$ and velocity $v$ at time $t$ of the particle with mass $m$, "
    b"$\\lambda$ is the parameter, $\\sigma^2$ is the variance, $\\rho$ is the density, "
    b"$p$ is the pressure, where $T$ is the temperature and where $k$ is the "
)


def packed(sentence: str) -> bytes:
    """A sentence in about half the space."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _USUAL_TEXT)
    return deflate.compress(sentence.encode()) + deflate.flush()


def unpacked(data: bytes) -> str:
    """The sentence again.

    >>> unpacked(packed("where $m$ is the mass"))
    'where $m$ is the mass'
    """
    inflate = zlib.decompressobj(-15, _USUAL_TEXT)
    return inflate.decompress(data, MAX_SENTENCE).decode(errors="replace")
