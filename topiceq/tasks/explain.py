r"""What does it mean? A symbol, or every symbol of an equation -> phrases with probabilities.

p(phrase | symbol, theta) is what the alignment decoder has learned. The paper lists phrases by it.
ours: by r p log(p / p_0). p_0 is the mean of p over all symbols under the same theta, so the second
factor is what this symbol adds: `matrix`, `order` and `value` do not answer for every letter. r is
how much likelier the topics make the phrase's words than the corpus does, within a factor e. A
compound symbol that the decoder does not know is asked for without scripts, then without marks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import csr_matrix

from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens, head, occurrences
from topiceq.article.prose import words
from topiceq.errors import QuestionError
from topiceq.model.joint import evaluating
from topiceq.model.run import Run
from topiceq.questions import Explain, Infer
from topiceq.tasks.infer import infer
from topiceq.tasks.read import Floats, read_rows, read_theta

TINY = 1e-30
KEPT = 4  # thetas whose meanings are kept, 2 MB each
CLIP = 1.0  # nats that the words of a phrase count for or against it, at most


@dataclass(frozen=True)
class Phrase:
    """One meaning of a symbol, and where it comes from."""

    phrase: str
    p: float | None  # None where the text says it
    source: str = "model"  # or "text"
    topic: int | None = None  # of the model's theta, the largest
    sentence: str = ""  # of the text


@dataclass(frozen=True)
class Explained:
    """A symbol with its meanings, the best first."""

    symbol: str
    phrases: list[Phrase]


def explain(meanings: "Meanings", question: Explain) -> list[Explained]:
    """The meanings of the symbol if there is one, else of every symbol of the equation.

    They are asked for under theta, or under what the context and the equation are about.
    """
    run, symbol, equation = meanings.run, question.symbol, question.equation
    if symbol is None and equation is None:
        raise QuestionError("There is nothing to explain. Give a symbol or an equation.")
    number = None if symbol is None else _number(meanings, symbol)
    answers = meanings.under(_theta(run, question), question.paper_order)
    if symbol is not None and number is not None:
        return [Explained(symbol, answers.phrases(number, question.count))]
    assert equation is not None
    rows = read_rows(equation, run.tokens)
    found = (one for row in rows for one in occurrences(row.tokens))
    return answers.of(symbols_of(found), question.count)


def _number(meanings: "Meanings", symbol: str) -> int:
    """The number of a symbol that a user has typed."""
    number = meanings.number(_one_symbol(symbol, meanings.run))
    if number is None:
        some = ", ".join(meanings.some())
        raise QuestionError(f"This run does not know the symbol '{symbol}'. It knows {some}, ...")
    return number


def symbols_of(found: Iterable[Occurrence]) -> list[Symbol]:
    r"""Each symbol once, without words, indices and the e of e^x.

    A lower index is part of the symbol if it is the same everywhere: T_{\mu\nu} beside x for x_1
    and x_2. What stands only in scripts is an index, and means nothing by itself.
    """
    forms: dict[Tokens, dict[Tokens, None]] = {}
    for one in found:
        symbol = one.symbol
        exponential = symbol.base == ("e",) and symbol.upper and not symbol.lower
        if not (one.in_script or symbol.is_word or exponential):
            forms.setdefault(symbol.base, {})[symbol.lower] = None
    return [Symbol(base, *lowers) if len(lowers) == 1 else Symbol(base)
            for base, lowers in forms.items()]  # fmt: skip


class Meanings:
    """The alignment decoder of a run, asked symbol by symbol."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.decoder = run.model.aligner()
        known = self.decoder.symbols.names(run.tokens)
        self.numbers = {name: number for number, name in enumerate(known)}
        self.word_means = _word_means(run)  # (M, V)
        self.beta = None if run.model.theta is None else run.beta  # (K, V)
        self.kept: dict[tuple[bytes | None, bool], Answers] = {}

    def some(self, count: int = 8) -> list[str]:
        """A few symbols that it knows, the most frequent ones."""
        return [" ".join(name) for name in list(self.numbers)[:count]]

    def number(self, symbol: Symbol | None) -> int | None:
        """The number of a symbol, or of the nearest plainer one that is known."""
        while symbol is not None and symbol.tokens not in self.numbers:
            symbol = symbol.plainer
        return None if symbol is None else self.numbers[symbol.tokens]

    def under(self, theta: Floats | None, paper_order: bool = False) -> "Answers":
        """What the symbols mean under one theta; the last few are kept."""
        key = (None if theta is None else theta.tobytes(), paper_order)
        if key not in self.kept:
            topic = None if theta is None else int(theta.argmax())
            relevance = None if paper_order else self._relevance(theta)
            answers = Answers(self, self._table(theta), relevance, topic)
            self.kept = dict([*self.kept.items()][1 - KEPT :]) | {key: answers}
        return self.kept[key]

    def _table(self, theta: Floats | None) -> Floats:
        """p(phrase | symbol, theta) of all symbols (L, M); without theta, over all topics."""
        if theta is None and self.beta is not None:
            # ours: each topic by itself; a mixture of all of them is unlike any that was trained
            share, one_hot = average_theta(self.run), np.eye(len(self.beta), dtype=np.float32)
            tables = (p * self._table(topic) for p, topic in zip(share, one_hot, strict=True))
            return sum(tables, np.zeros(1, dtype=np.float32))
        with evaluating(self.run.model) as device:
            s = torch.eye(len(self.decoder.symbols.codes), device=device)[: len(self.numbers)]
            rows = None if theta is None else torch.from_numpy(theta).to(device).expand(len(s), -1)
            found: Floats = self.decoder.phrase_log_probs(s, rows).exp().cpu().numpy()
        return found

    def _relevance(self, theta: Floats | None) -> Floats:
        """How much likelier theta makes the words of each phrase (M,)."""
        if theta is None or self.beta is None:
            return np.ones(self.word_means.shape[0], dtype=np.float32)
        usual = average_theta(self.run) @ self.beta  # (V,)
        log_ratio = np.log((theta @ self.beta + TINY) / (usual + TINY))
        ratios: Floats = np.exp(np.clip(self.word_means @ log_ratio, -CLIP, CLIP))
        return ratios


@dataclass(frozen=True)
class Answers:
    """What all symbols mean under one theta."""

    meanings: Meanings
    p: Floats  # (L, M)
    relevance: Floats | None  # of the phrases (M,); without it they are ordered by p
    topic: int | None

    def of(self, symbols: Sequence[Symbol], count: int) -> list[Explained]:
        """The symbols with their meanings."""
        numbers = [self.meanings.number(symbol) for symbol in symbols]
        found = [[] if n is None else self.phrases(n, count) for n in numbers]
        return [Explained(s.latex, some) for s, some in zip(symbols, found, strict=True)]

    def phrases(self, number: int, count: int) -> list[Phrase]:
        """The meanings of one symbol, by its number."""
        names, p = self.meanings.run.phrases, self.p[number]
        best = np.argsort(-self._score(p), kind="stable")[:count].tolist()
        return [Phrase(names[m], round(float(p[m]), 4), topic=self.topic) for m in best]

    def _score(self, p: Floats) -> Floats:
        """ours: what the symbol adds, times how well the phrase fits the topics."""
        if self.relevance is None:
            return p
        gain: Floats = p * np.log((p + TINY) / (self.anyway + TINY))
        return gain * self.relevance

    @cached_property
    def anyway(self) -> Floats:
        """p of the phrases whatever the symbol (M,)."""
        mean: Floats = self.p.mean(0)
        return mean


def _word_means(run: Run) -> csr_matrix:
    """A matrix (M, V) that takes the mean over the known words of each phrase."""
    ids = [run.words.encode(words(phrase)) for phrase in run.phrases]
    ends = np.cumsum([0, *map(len, ids)])
    shares = np.concatenate([np.full(len(some), 1 / max(len(some), 1)) for some in ids])
    shares = shares.astype(np.float32)
    return csr_matrix((shares, np.concatenate(ids), ends), shape=(len(ids), len(run.words)))


def _one_symbol(text: str, run: Run) -> Symbol:
    """What was typed as one symbol; an operator such as | is one too."""
    first, *others = read_rows(text, run.tokens)
    symbol, rest = head(first.tokens)
    if symbol is not None and not rest and not others:
        return symbol
    if len(first.tokens) == 1 and not others:
        return Symbol(first.tokens)
    raise QuestionError(
        f"'{text}' is not one symbol. Give one, such as 'E', '\\hat H' or 'T_{{\\mu\\nu}}', "
        "or the whole as an equation."
    )


def _theta(run: Run, question: Explain) -> Floats | None:
    """The theta to ask under; None without any hint."""
    if question.theta is not None:
        if question.context is not None:
            raise QuestionError("Give theta or a context, not both: a context tells its own theta.")
        return read_theta(question.theta, run)
    equation = question.equation if reads_equations(run) else None
    if equation is None and question.context is None:
        return None
    return infer(run, Infer(context=question.context, equation=equation)).theta


def average_theta(run: Run) -> Floats:
    """What the corpus is about; every topic alike while the training is not over."""
    shares = np.array([topic.share for topic in run.topics], dtype=np.float32)
    if not shares.any():
        shares = np.ones(run.config.model.topics, dtype=np.float32)
    average: Floats = shares / shares.sum()
    return average


def reads_equations(run: Run) -> bool:
    """Whether the run has a decoder that judges equations."""
    return run.model.theta is not None and bool(run.model.writers())
