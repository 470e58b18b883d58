"""The sheet of scores of one run on one split: all that the run supports.

In go a run and a split; out comes `Scores`. The split is read with the run's own vocabularies, so
any corpus can be scored, also one of articles that the run never saw.
"""

from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np

from topiceq.corpus.encoded import Encoded
from topiceq.corpus.store import Split
from topiceq.errors import CorpusError
from topiceq.model.held_out import Likelihood, log_probs, thetas
from topiceq.model.run import Run
from topiceq.model.topics import ranked, relevance, topics_of
from topiceq.scores.calibration import Calibration, calibration
from topiceq.scores.coherence import Coherence, coherence
from topiceq.scores.perplexity import EquationScore, PhraseScore, equation_score, phrase_score
from topiceq.scores.syntax import SyntaxScore

TOP = 25  # words of a topic that the scores look at


@dataclass(frozen=True)
class Scores:
    """Numbers on held-out pairs; None or empty where the run has nothing to score."""

    corpus: str  # its digest
    split: str
    pairs: int
    coherence: Coherence | None  # of the most probable words of each topic
    coherence_by_relevance: Coherence | None  # of the words that are shown
    word_perplexity: float | None
    equations: dict[str, EquationScore]  # by decoder
    phrases: dict[str, PhraseScore]  # by decoder
    syntax: dict[str, SyntaxScore]  # by decoder, of sampled equations
    topics_of_equations: Calibration | None = None  # by the encoder of equations

    def json(self) -> dict[str, Any]:
        """As plain numbers, what is not there left out."""
        found: dict[str, Any] = _present(asdict(self))
        return found


def _present(value: Any) -> Any:
    """Without what has no number: nothing to score gives None, {} or not-a-number.

    >>> _present({"a": {"b": float("nan")}, "c": None, "d": {"e": 1.5, "f": float("nan")}})
    {'d': {'e': 1.5}}
    """
    if not isinstance(value, dict):
        return value
    found = {name: _present(part) for name, part in value.items()}
    return {name: part for name, part in found.items() if not _is_nothing(part)}


def _is_nothing(value: Any) -> bool:
    return value is None or value == {} or (isinstance(value, float) and isnan(value))


def score(run: Run, split: Split) -> Scores:
    """Score a run on the pairs of a split; the syntax of what it writes is not looked at."""
    pairs = split.encode(run.vocabularies)
    return of_likelihoods(run, split, pairs, log_probs(run.model, pairs))


def of_likelihoods(run: Run, split: Split, pairs: Encoded, found: dict[str, Likelihood]) -> Scores:
    """The same, where the log-probabilities are already there."""
    if not len(pairs):
        raise CorpusError(f"The {split.name} split of '{split.corpus.path}' has no pairs to score.")
    aligned = run.model.aligners()
    words = found.get("words")
    return Scores(
        corpus=split.corpus.digest,
        split=split.name,
        pairs=len(pairs),
        coherence=_coherence(run, pairs),
        coherence_by_relevance=_coherence(run, pairs, shown=True),
        word_perplexity=words.perplexity if words else None,
        equations={
            name: equation_score(likelihood, pairs)
            for name, likelihood in found.items()
            if name not in {"words", *aligned}
        },
        phrases={
            name: phrase_score(found[name], decoder.log_frequency.cpu().numpy(), pairs)
            for name, decoder in aligned.items()
        },
        syntax={},
        topics_of_equations=_calibration(run, pairs),
    )


def _calibration(run: Run, pairs: Encoded) -> Calibration | None:
    encoder = run.equation_encoder
    if encoder is None:
        return None
    log_r, known = encoder.evident(encoder.embed(pairs.tokens, pairs.offsets))
    return calibration(np.exp(log_r), thetas(run.model, pairs), encoder.prior, known)


def _coherence(run: Run, pairs: Encoded, *, shown: bool = False) -> Coherence | None:
    if not run.model.has_topics:
        return None
    beta = topics_of(run.model)
    scores = relevance(beta, run.shares) if shown else beta
    return coherence(ranked(scores)[:, :TOP], pairs.order)
