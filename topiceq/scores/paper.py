"""The figures of the paper, by row and number of topics.

Yasunaga & Lafferty, AAAI 2019, on 400K pairs from arXiv: another corpus gives other values, so
compare their order and the relative gains, not the numbers themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topiceq.config import Config

Figures = Mapping[int, float]  # by number of topics


@dataclass(frozen=True)
class PaperRow:
    """One row of the paper's tables; a score that the paper does not give is empty."""

    name: str
    npmi: Figures = field(default_factory=dict)
    perplexity: Figures = field(default_factory=dict)  # of equations, a token
    syntax: Figures = field(default_factory=dict)  # share of sampled equations in error
    phrases: Figures = field(default_factory=dict)  # perplexity, a phrase

    def figures(self, topics: int) -> dict[str, float]:
        """The paper's figures for so many topics."""
        scores = ("npmi", "perplexity", "syntax", "phrases")
        found = {name: getattr(self, name).get(topics) for name in scores}
        return {name: figure for name, figure in found.items() if figure is not None}


def _both(at_50: float, at_100: float) -> Figures:
    return {50: at_50, 100: at_100}


# by theta, decoder, and whether the tokens were shuffled
ROWS: dict[tuple[str, str, bool], PaperRow] = {
    ("lda", "", False): PaperRow("LDA", npmi=_both(0.085, 0.083)),
    ("vae", "", False): PaperRow("context only", npmi=_both(0.085, 0.084)),
    ("vae", "bag", False): PaperRow("context + BOW", npmi=_both(0.087, 0.086)),
    ("vae", "te-lstm", False): PaperRow(
        "TE-LSTM", _both(0.097, 0.094), _both(5.36, 5.34), {100: 0.117}
    ),
    ("vae", "te-lstm", True): PaperRow("TE-LSTM shuffled", npmi=_both(0.086, 0.085)),
    ("none", "lstm", False): PaperRow("LSTM", {}, _both(5.81, 5.81), {100: 0.153}),
    ("lda", "cat-lstm", False): PaperRow("LSTM + LDA", {}, _both(5.54, 5.52), {100: 0.134}),
    ("vae", "td-lstm", False): PaperRow("TD-LSTM", {}, _both(5.44, 5.41), {100: 0.125}),
    ("vae", "alignment", False): PaperRow(
        "alignment with topics", npmi=_both(0.088, 0.087), phrases=_both(406.0, 387.0)
    ),
    ("none", "alignment", False): PaperRow("alignment alone", phrases=_both(602.0, 602.0)),
}


def paper_row(config: Config) -> PaperRow | None:
    """The row of the paper that a run with these settings repeats, if there is one.

    >>> paper_row(Config().override(["model.decoders=lstm", "model.theta=none"])).name
    'LSTM'
    """
    model, research = config.model, config.research
    ours = research.teachers != "none" or research.pull != 1
    theirs = (research.encoder, research.theta_from, ours) == ("topics", "own", False)
    if not theirs or model.residual or len(model.decoders) > 1:
        return None
    return ROWS.get((model.theta, "".join(model.decoders), research.shuffled))
