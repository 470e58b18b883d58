"""Differences of two rows: how they are answered, and how the page shows them."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from research import claims
from research.entries import Entry


def test_a_claim_is_answered_from_what_was_left_of_two_runs() -> None:
    claim = next(one for one in claims.CLAIMS if one.name.endswith("TE-LSTM against LSTM"))
    run = {"corpus": "corpus", "topics": 50, "seed": 0, "corpus_digest": "d"}
    other = run | {"articles": {"log_prob": [-200.0, -100.0], "size": [100.0, 50.0]}}
    ours = run | {"articles": {"log_prob": [-190.0, -95.0], "size": [100.0, 50.0]}}
    found = claims.answer(claim, {0: ours}, {0: other})
    assert found is not None
    assert found["gap"] == pytest.approx(np.exp(-0.1) - 1) == found["low"] == found["high"]
    assert found["paper"] == pytest.approx(5.36 / 5.81 - 1)
    assert claims.answer(claim, {0: ours}, {0: run}) is None  # nothing was left of the other


def test_a_row_without_topics_is_compared_with_any_number_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(topics: int) -> dict[int, Entry]:
        parts = {"articles": {"log_prob": [-200.0], "size": [100.0]}}
        return {0: {"corpus": "corpus", "topics": topics, "corpus_digest": "d"} | parts}

    known = {("corpus", 50): {"LSTM": run(50)}, ("corpus", 100): {"TE-LSTM": run(100)}}
    monkeypatch.setattr(claims, "entries", lambda: known)
    (found,) = claims.answers()
    assert found["row"] == "equation perplexity, TE-LSTM against LSTM"
    assert found["topics"] == 100
    assert found["paper"] == pytest.approx(5.34 / 5.81 - 1)


def test_several_seeds_answer_a_claim_together() -> None:
    run = {"corpus": "quarter", "topics": 50, "corpus_digest": "d"}

    def row(*nats: float, npmi: float, error: float) -> dict[int, Entry]:
        scores = {"syntax": {"lstm": {"error": error, "sampled": 100}}}
        return {
            seed: run | {"articles": {"log_prob": [-value], "size": [100.0]}, "npmi": [npmi, npmi],
                         "scores": scores} for seed, value in enumerate(nats)
        }  # fmt: skip

    ours, other = row(180, 190, npmi=0.2, error=0.1), row(200, 200, 200, npmi=0.1, error=0.2)
    answers = {
        claim.score: claims.answer(claim, ours, other) or {}
        for claim in claims.PAPER
        if claim.name.endswith(("TE-LSTM against LSTM", "TE-LSTM against context + BOW"))
    }
    assert {tuple(found["seeds"]) for found in answers.values()} == {(0, 1)}
    assert answers["perplexity"]["gap"] == pytest.approx(np.exp(-0.15) - 1)
    assert answers["perplexity"]["gaps"] == pytest.approx([np.exp(-0.2) - 1, np.exp(-0.1) - 1])
    assert answers["npmi"]["gap"] == pytest.approx(0.1)
    low, high = (answers["syntax"][end] for end in ("low", "high"))
    assert high - low == pytest.approx(2 * 1.96 * ((0.09 + 0.16) / 200) ** 0.5, abs=1e-5)


# -- on the page --------------------------------------------------------------------------------


def test_a_claim_shows_its_interval_and_how_far_its_seeds_are_apart(results: Path) -> None:
    name = "equation perplexity, TE-LSTM against LSTM"

    def answer(corpus: str, gap: float, *gaps: float, name: str = name) -> dict[str, object]:
        return {"row": name, "corpus": corpus, "topics": 50, "gaps": gaps,
                "score": "perplexity", "gap": gap, "low": gap - 0.01, "high": gap + 0.01,
                "paper": -0.077}  # fmt: skip

    kept = [answer("corpus", -0.05, -0.05), answer("quarter", -0.02, 0.01, -0.05)]
    (results / "claims.json").write_text(json.dumps(kept))
    assert (
        f"| {name} | -7.7% | -5.0% [-6.0%, -4.0%] |  | -2.0% [-3.0%, -1.0%] | "
        "-5.0% to +1.0% | yes; on a quarter yes, not with every seed |"
    ) in claims.claims_shown()
    longer = "equation perplexity, TE-LSTM, 16 epochs against LSTM, 16 epochs"
    kept += [answer("corpus", 0.0, 0.0, name=longer)]
    (results / "claims.json").write_text(json.dumps(kept))
    shown = claims.claims_shown()
    assert "| +0.0% [-1.0%, +1.0%] | -2.0% [-3.0%, -1.0%] | " in shown
    assert "| no difference seen; on a quarter yes, not with every seed |" in shown
    kept += [answer("quarter", 0.02, 0.02, name=longer)]
    (results / "claims.json").write_text(json.dumps(kept))
    assert "| no difference seen; on a quarter the reverse |" in claims.claims_shown()
    not_run = "TE-LSTM against LSTM |  | not run |  | not run |  |  |"
    assert f"| syntax errors, {not_run}" in claims.claims_shown()


SCRATCH = "NPMI, context + BOW, from scratch against context only, from scratch"
WIDER = "equation perplexity, LSTM widened against LSTM"


@pytest.mark.parametrize(
    "shown, entry, row",
    [
        (  # topics from scratch show how far seeds are apart
            claims.scratch_shown,
            {"row": SCRATCH, "corpus": "corpus", "score": "npmi", "paper": 0.002,
             "gap": 0.003, "low": 0.001, "high": 0.005, "gaps": [-0.002, 0.008]},
            f"| {SCRATCH} | +0.0020 | +0.0030 [+0.0010, +0.0050] | -0.0020 to +0.0080 |",
        ),
        (  # a control stands beside its question
            claims.controls_shown,
            {"row": WIDER, "corpus": "quarter", "score": "perplexity", "paper": None,
             "gap": 0.002, "low": -0.005, "high": 0.008, "gaps": [0.002]},
            f"| do as many weights gain? | {WIDER} | not run | +0.2% [-0.5%, +0.8%] | one seed |",
        ),
    ],
)  # fmt: skip
def test_a_row_of_claims(shown: Callable[[], str], entry: Entry, row: str, results: Path) -> None:
    (results / "claims.json").write_text(json.dumps([entry | {"topics": 50}]))
    assert row in shown()
