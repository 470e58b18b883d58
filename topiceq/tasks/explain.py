r"""What does it mean? A symbol, or every symbol of an equation -> phrases, each with its source.

The context of the question is asked first: "where $F$ is the fraction of frogs" says so. Then
constants (\hbar), then the run's lexicon, under theta of the context, else of the equation. Where
that is not likely enough to be right, nothing is said; a letter that only counts is an index.
`by = "alignment"` asks the paper's decoder alone, and gives its p(phrase | symbol, theta).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch

from topiceq.article.constants import company
from topiceq.article.definitions import definitions
from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens, head, occurrences
from topiceq.article.prose import words
from topiceq.article.scope import Definitions, Entry
from topiceq.errors import QuestionError, Unsupported
from topiceq.model.joint import evaluating
from topiceq.model.lexicon import SILENT, Asked, Lexicon, Source, letters
from topiceq.model.run import Run
from topiceq.questions import Explain, Infer
from topiceq.tasks.infer import infer, reads_equations
from topiceq.tasks.read import Floats, context_sentences, read_rows, read_theta

KEPT = 4  # thetas whose alignment is kept, 2 MB each


@dataclass(frozen=True)
class Phrase:
    """One meaning of a symbol, where it comes from, and how likely it is right."""

    phrase: str
    p: float | None  # None where that was not measured: constants, indices
    source: str  # text, lexicon, constant, index, alignment
    sentence: str = ""  # of the text
    place: int | None = None  # the number of that sentence
    articles: tuple[Source, ...] = ()  # of the lexicon
    topic: int | None = None  # of the alignment's theta, the largest


@dataclass(frozen=True)
class Explained:
    """A symbol with its meanings, the best first; none: it is not known."""

    symbol: str
    phrases: list[Phrase]


def explain(run: Run, question: Explain, alignments: "Alignments | None" = None) -> list[Explained]:
    """The meanings of the symbol if there is one, else of every symbol of the equation."""
    question.check()
    symbol, equation = question.symbol, question.equation
    one = None if symbol is None else _one_symbol(symbol, run)
    rows = [] if equation is None else read_rows(equation, run.tokens)
    found = [each for row in rows for each in occurrences(row.tokens)]
    if question.by == "alignment":
        answers = (alignments or Alignments(run)).under(_theta(run, question))
        asked = symbols_of(found) if one is None else [one]
        return [Explained(each.latex, answers.phrases(each, question.count)) for each in asked]
    return _by_lexicon(run, question, one, found)


def _by_lexicon(
    run: Run, question: Explain, one: Symbol | None, found: list[Occurrence]
) -> list[Explained]:
    lexicon = require_lexicon(run)
    sentences = () if question.context is None else context_sentences(question.context)
    said, place = Definitions(definitions(sentences)), max(0, len(sentences) - 1)
    if one is None:
        entries = said.glossary(found, place)
    else:
        entries = [said.entry(one, place, company(found))]
    known = (word for sentence in sentences for word in words(sentence))
    asked = lexicon.under(_theta(run, question), known, letters(found))
    return [Explained(entry.forms[0].latex, meanings_of(entry, asked, question.count))
            for entry in entries]  # fmt: skip


def meanings_of(
    entry: Entry, asked: Asked | None, count: int, least: float = SILENT
) -> list[Phrase]:
    """What the text says of a symbol, else what it is everywhere, else what articles say."""
    if said := entry.definition:
        return [Phrase(said.phrase, said.strength, "text", said.sentence, said.place)]
    if entry.constant:
        return [Phrase(entry.constant, None, "constant")]
    if entry.is_index:
        return [Phrase("index", None, "index")]
    found = asked.meanings(entry.forms[0], count, least) if asked else []
    return [Phrase(one.phrase, one.p, "lexicon", articles=one.sources) for one in found]


def require_lexicon(run: Run) -> Lexicon:
    """The lexicon of a run; Unsupported if it has none."""
    if run.lexicon is None:
        raise Unsupported(
            "This run has no lexicon of symbols. Make one: topiceq lexicon RUN CORPUS"
        )
    return run.lexicon


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
    """The theta to ask under: that of the context, else of the equation; None without any hint."""
    if question.theta is not None:
        return read_theta(question.theta, run)
    hints = []
    if question.context is not None and run.model.has_topics:
        hints.append(Infer(context=question.context))
    if question.equation is not None and reads_equations(run):
        hints.append(Infer(equation=question.equation))
    for hint in hints:
        found = infer(run, hint)
        if found.known[0]:
            return found.theta
    return None


# -- the paper's alignment --------------------------------------------------------------------


def symbols_of(found: Iterable[Occurrence]) -> list[Symbol]:
    r"""Each symbol on the line once, without words and the e of e^x.

    A lower index is part of the symbol if it is the same everywhere: T_{\mu\nu} beside x for x_1
    and x_2.
    """
    forms: dict[Tokens, dict[Tokens, None]] = {}
    for one in found:
        symbol = one.symbol
        exponential = symbol.base == ("e",) and symbol.upper and not symbol.lower
        if not (one.in_script or symbol.is_word or exponential):
            forms.setdefault(symbol.base, {})[symbol.lower] = None
    return [Symbol(base, *lowers) if len(lowers) == 1 else Symbol(base)
            for base, lowers in forms.items()]  # fmt: skip


class Alignments:
    """The alignment decoder of a run, asked symbol by symbol."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.decoder = run.model.aligner()
        known = self.decoder.symbols.names(run.tokens)
        self.numbers = {name: number for number, name in enumerate(known)}
        self.kept: dict[bytes | None, Aligned] = {}

    def number(self, symbol: Symbol | None) -> int | None:
        """The number of a symbol, or of the nearest plainer one that is known."""
        while symbol is not None and symbol.tokens not in self.numbers:
            symbol = symbol.plainer
        return None if symbol is None else self.numbers[symbol.tokens]

    def under(self, theta: Floats | None) -> "Aligned":
        """What the symbols mean under one theta; the last few are kept."""
        key = None if theta is None else theta.tobytes()
        if key not in self.kept:
            topic = None if theta is None else int(theta.argmax())
            aligned = Aligned(self, self._table(theta), topic)
            self.kept = dict([*self.kept.items()][1 - KEPT :]) | {key: aligned}
        return self.kept[key]

    def _table(self, theta: Floats | None) -> Floats:
        """p(phrase | symbol, theta) of all symbols (L, M); without theta, over all topics."""
        if theta is None and self.run.model.has_topics:
            # ours: each topic by itself; a mixture of all of them is unlike any that was trained
            share = self.run.shares
            one_hot = np.eye(len(share), dtype=np.float32)
            tables = (p * self._table(topic) for p, topic in zip(share, one_hot, strict=True))
            return sum(tables, np.zeros(1, dtype=np.float32))
        with evaluating(self.run.model) as device:
            s = torch.eye(len(self.decoder.symbols.codes), device=device)[: len(self.numbers)]
            rows = None if theta is None else torch.from_numpy(theta).to(device).expand(len(s), -1)
            found: Floats = self.decoder.phrase_log_probs(s, rows).exp().cpu().numpy()
        return found


@dataclass(frozen=True)
class Aligned:
    """What all symbols mean under one theta."""

    alignments: Alignments
    p: Floats  # (L, M)
    topic: int | None

    def phrases(self, symbol: Symbol, count: int) -> list[Phrase]:
        """The meanings of one symbol by probability, as in the paper; none if it is not known."""
        number, names = self.alignments.number(symbol), self.alignments.run.phrases
        if number is None:
            return []
        p = self.p[number]
        best = np.argsort(-p, kind="stable")[:count].tolist()
        return [Phrase(names[m], round(float(p[m]), 4), "alignment", topic=self.topic)
                for m in best]  # fmt: skip
