"""The rules by which written equations are judged, and how they are shown."""

import json
from pathlib import Path

import numpy as np

from research import writing


def test_chance_deals_the_found_topics_out_at_random() -> None:
    near = np.array([[0], [1]])
    meant, found = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])
    assert writing.agreement(meant, found, near) == (0.75, 0.5)


def test_a_table_of_samples_has_the_real_equations_below(results: Path) -> None:
    about = {"share": 0.5, "chance": 0.06, "equations": 5000}
    kind = {"rejected": 0.001, "unfinished": 0.0, "distinct": 1.0, "in_train": 0.02,
            "mean_tokens": 54.2, "rejected_examples": [], "consistency": about}  # fmt: skip
    entry = {"row": "TE-LSTM", "theta": "vae", "topics": 50,
             "constrained": kind, "unconstrained": kind,
             "real": {"in_train": 0.1, "consistency": about}, "examples": []}  # fmt: skip
    (results / "writing.json").write_text(json.dumps([entry]))
    page = writing.writing_shown()
    assert (
        "with the grammar | 5,000 | 0.10% | 0.00% | 100.00% | 2.00% | 54 | 50.0% | 6.0% |" in page
    )
    assert "| real (test), under TE-LSTM, K = 50 | 5,000 |  |  |  | 10.00% |  | 50.0% |" in page
