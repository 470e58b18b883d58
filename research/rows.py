"""The rows of the paper's tables and our controls, as data: a name, and settings that differ.

Every row has the budget, the regularisation and the start of the preset; only the places named
here change.
"""

import re
from dataclasses import dataclass, replace

from topiceq.config import Config, ModelConfig, load_config
from topiceq.model.decoders import Sizes, widened
from topiceq.scores.paper import paper_row

PRESET = "small"
# what the paper's rows differ in, and what is a matter of tuning
TUNING = {"train.decoder_lr", "train.epochs", "train.topic_lr", "train.kl_warmup"}
START = {"research.start", "train.topic_epochs"}
OF_THE_PAPER = {"model.theta", "model.decoders", "research.shuffled", *TUNING, *START}


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    name: str
    overrides: tuple[str, ...]
    widen: bool = False  # as many weights as te-lstm has

    @property
    def slug(self) -> str:
        """The name as part of a file name."""
        return "-".join(re.findall(r"\w+", self.name.lower()))

    @property
    def recurrent(self) -> bool:
        """Whether it has an LSTM."""
        return any(setting.endswith("lstm") for setting in self.overrides)

    def config(
        self, topics: int, seed: int, sizes: Sizes, *, dropout: float | None = None
    ) -> Config:
        """The settings of this row; `dropout` of its LSTM in place of the preset's."""
        common = [f"model.topics={topics}", f"train.seed={seed}"]
        if dropout is not None and self.recurrent:
            common.append(f"model.dropout={dropout}")
        config = load_config(PRESET, [*common, *self.overrides])
        if not self.widen:
            return config
        te = ModelConfig(**(config.model.model_dump() | {"theta": "vae", "decoders": ("te-lstm",)}))
        return config.override([f"model.state={widened(te, sizes).state}"])

    def paper(self, topics: int) -> dict[str, float]:
        """The paper's figures for this row and so many topics."""
        if self.widen or {setting.partition("=")[0] for setting in self.overrides} - OF_THE_PAPER:
            return {}
        published = paper_row(load_config(PRESET, self.overrides))
        return published.figures(topics) if published else {}


LDA = Row("LDA", ("model.theta=lda", "model.decoders=[]"))
CONTEXT = Row("context only", ("model.decoders=[]",))
BOW = Row("context + BOW", ("model.decoders=bag",))
NEAR = Row("context only, near teachers", ("model.decoders=[]", "research.teachers=near"))
RANDOM = Row("context only, random teachers", ("model.decoders=[]", "research.teachers=random"))
BOTH = Row("context + BOW, q of both", ("model.decoders=bag", "research.encoder=both"))
HEAVY = Row("context + BOW, pull 20", ("model.decoders=bag", "research.pull=20"))
TE = Row("TE-LSTM", ("model.decoders=te-lstm",))
TE_BOTH = Row("TE-LSTM, q of both", ("model.decoders=te-lstm", "research.encoder=both"))
SHUFFLED = Row("TE-LSTM shuffled", ("model.decoders=te-lstm", "research.shuffled=true"))
ALIGNED = Row("alignment with topics", ("model.decoders=alignment",))
RESIDUAL = Row("alignment, residual", ("model.decoders=alignment", "model.residual=true"))
MIXTURE = Row("alignment, mixture", ("model.decoders=alignment-mixture",))
ONE_SYMBOL = Row("alignment, mixture, one symbol", (*MIXTURE.overrides, "model.symbols=1"))
ALONE = Row("alignment alone", ("model.theta=none", "model.decoders=alignment"))
LSTM = Row("LSTM", ("model.theta=none", "model.decoders=lstm"))
CAT = Row("LSTM + LDA", ("model.theta=lda", "model.decoders=cat-lstm"))
TD = Row("TD-LSTM", ("model.decoders=td-lstm",))
MOE = Row("MoE-LSTM", ("model.decoders=moe-lstm",))
OTHER = Row("another theta", ("model.decoders=te-lstm", "research.theta_from=other"))
TD_OTHER = Row("TD-LSTM, another theta", ("model.decoders=td-lstm", "research.theta_from=other"))
ALIGNED_OTHER = Row(
    "alignment, another theta", ("model.decoders=alignment", "research.theta_from=other")
)
DENSE = Row("dense context", ("model.decoders=te-lstm", "research.encoder=dense"))
SLOW, RATE = ("train.decoder_lr=0.002",), ", rate 0.002"  # the paper's
WIDE = Row("LSTM widened", ("model.theta=none", "model.decoders=lstm"), widen=True)


def slower(row: Row) -> Row:
    """The row with the paper's learning rate."""
    return replace(row, name=row.name + RATE, overrides=(*row.overrides, *SLOW))


def longer(row: Row) -> Row:
    """The row with twice the epochs of the preset: are leads those of faster learning?"""
    overrides = (*row.overrides, "train.epochs=16")
    return replace(row, name=f"{row.name}, 16 epochs", overrides=overrides)


def scratch(row: Row) -> Row:
    """The row without LDA, words and equations together from the first step, as in the paper.

    Rate and warm-up are those with which context only predicts the words of valid best.
    """
    start = ("research.start=frequency", "train.topic_epochs=0", "train.epochs=12")
    tuned = ("train.topic_lr=0.01", "train.kl_warmup=8000")
    overrides = (*row.overrides, *start, *tuned)
    return replace(row, name=f"{row.name}, from scratch", overrides=overrides)


# -- the tables ---------------------------------------------------------------------------------

STARTED = [LDA, CONTEXT, BOW, TE, SHUFFLED, ALIGNED, HEAVY, NEAR, RANDOM, BOTH]  # with given topics
FROM_SCRATCH = [scratch(row) for row in (CONTEXT, BOW, TE)]
EQUATIONS = [LSTM, CAT, TD, TE, MOE, WIDE, OTHER, TD_OTHER, DENSE, SHUFFLED, TE_BOTH]
LONGER = [longer(row) for row in (LSTM, CAT, TD, TE)]
SLOWER = [slower(row) for row in (LSTM, CAT, TD, TE)]
ALIGNMENT = [ALONE, ALIGNED, ALIGNED_OTHER, RESIDUAL, MIXTURE, ONE_SYMBOL]
FIELDS = [BOW, TE]
STABLE = [LDA, CONTEXT, BOW, BOTH, NEAR, RANDOM, TE]
