"""Planted data: topics that are known, so that what a model claims to have found can be checked.

Each topic has private words, a private little grammar of equations over tokens that all topics
share (so that only their order tells the topic), and its own meaning of two symbols.
"""

import random
import string
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from topiceq.config import Config, CorpusConfig, load_config
from topiceq.corpus.definition import SymbolDefinition, write_definitions
from topiceq.corpus.encoded import Encoded
from topiceq.corpus.pair import Pair, write_pairs
from topiceq.corpus.store import Corpus

TOPICS = 4
WORDS = [[f"{name}{letter}" for letter in "abcdefghij"] for name in ("red", "blue", "gold", "grey")]
SHARED = "thing object number value piece entry item element".split()  # words of every topic
LETTERS = ["a", "b", "c", "x", "y", "z"]
SYMBOLS = ["E", r"\hat { T }"]  # the left-hand sides
PHRASES = [  # what the two symbols mean under each topic
    ["electric field", "thermal conductivity"],
    ["expectation", "stopping time"],
    ["elliptic curve", "spectral sequence"],
    ["volatility", "test statistic"],
]


def next_letter(topic: int, letter: str) -> str:
    """The grammar: each topic walks through the letters in steps of its own."""
    step = (1, 5, 2, 4)[topic]
    return LETTERS[(LETTERS.index(letter) + step) % len(LETTERS)]


def planted_tokens(topic: int, symbol: int, draw: random.Random) -> list[str]:
    """An equation: a symbol, then letters that mostly follow the topic's grammar."""
    letters = [draw.choice(LETTERS)]
    for _ in range(draw.randint(8, 14)):
        regular = draw.random() < 0.9
        letters.append(next_letter(topic, letters[-1]) if regular else draw.choice(LETTERS))
    return [*SYMBOLS[symbol].split(), "=", *letters]


def planted_pair(number: int, article: str, topic: int, draw: random.Random) -> Pair:
    """A pair whose words, grammar and phrase all tell its topic."""
    words = [draw.choice(WORDS[topic] if draw.random() < 0.8 else SHARED) for _ in range(30)]
    symbol = draw.randrange(len(SYMBOLS))
    tokens = planted_tokens(topic, symbol, draw)
    far = [" ".join(words[at : at + 5]) + "." for at in range(0, 30, 5)]
    # words of this pair alone, or pairs with the same equation would be near duplicates
    words += [f"only{number}{letter}" for letter in string.ascii_lowercase]
    return Pair(
        id=f"{article}#{number}",
        article=article,
        file=f"{article}.tex",
        line=10 * number + 1,
        field=f"field{topic}",
        section="Planted",
        equation=" ".join(tokens),
        expanded=" ".join(tokens),
        tokens=tokens,
        before=[*far[:3], f"The {PHRASES[topic][symbol]} number {number} is"],
        after=["as before.", *far[3:]],
        words=words,
    )


def planted_pairs(count: int = 600, articles: int = 60, seed: int = 0) -> list[Pair]:
    """Pairs of articles that have one topic each, in turn."""
    draw = random.Random(seed)
    owners = sorted(number % articles for number in range(count))
    return [
        planted_pair(number, f"article{owner:03}", owner % TOPICS, draw)
        for number, owner in enumerate(owners)
    ]


def planted_corpus(path: Path, count: int = 600, articles: int = 60, seed: int = 0) -> Corpus:
    """The same as a corpus; its splits have `encoded` arrays."""
    path.mkdir(parents=True, exist_ok=True)
    phrases = path / "phrases.txt"
    phrases.write_text("\n".join(phrase for both in PHRASES for phrase in both) + "\n")
    config = CorpusConfig(min_df=2, split=(75, 13, 12), seed=seed)
    pairs = planted_pairs(count, articles, seed)
    write_pairs(path / "pairs.parquet", pairs)
    write_definitions(path / "pairs.definitions.parquet", map(planted_definition, pairs))
    return Corpus.build(
        path / "pairs.parquet", config=config, phrases=phrases, path=path / "corpus"
    )


def planted_definition(pair: Pair) -> SymbolDefinition:
    """What a pair's article says of the symbol on the left."""
    topic, tokens = int(pair.field.removeprefix("field")), pair.tokens[: pair.tokens.index("=")]
    phrase = PHRASES[topic][SYMBOLS.index(" ".join(tokens))]
    return SymbolDefinition(
        article=pair.article,
        field=pair.field,
        place=pair.line,
        symbol=" ".join(tokens),
        tokens=tokens,
        phrase=phrase,
        strength=0.94,
        sentence=f"Number {pair.line}, ${' '.join(tokens)}$ is the {phrase}.",
        words=pair.words,
    )


def planted_config(*overrides: str) -> Config:
    """Settings for planted data: the debug preset, changed.

    Topics start from LDA, so that what decoders learn in seconds does not hang on NMF's scale.
    """
    return load_config("debug", ["research.start=lda", *overrides])


def random_pairs(lengths: list[int], seed: int = 0, articles: int = 7) -> Encoded:
    """Pairs without any meaning, with equations of the given lengths: 6 words, 5 tokens."""
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *lengths]).astype(np.int64)
    n = len(lengths)
    words = csr_matrix(rng.integers(0, 3, (n, 6)).astype(np.float32))
    return Encoded(
        words=words,
        order=(np.zeros(0, np.int32), np.zeros(n + 1, np.int64)),
        tokens=rng.integers(4, 9, offsets[-1]).astype(np.int32),
        offsets=offsets,
        phrases=csr_matrix(rng.integers(0, 2, (n, 3)).astype(np.float32)),
        articles=(np.arange(n) % articles).astype(np.int32),
    )
