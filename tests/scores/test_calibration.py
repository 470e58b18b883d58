"""Calibration: what is said beside what is true."""

import numpy as np
import pytest

from topiceq.corpus.store import Corpus
from topiceq.model.run import Run
from topiceq.scores.calibration import calibration, reliability
from topiceq.scores.score import score

KNOWN = np.ones(1_000, dtype=bool)


def mixtures(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet([0.3] * 5, 1_000).astype(np.float32)


def test_who_says_theta_itself_is_calibrated() -> None:
    theta = mixtures(0)
    found = calibration(theta, theta, theta.mean(0), KNOWN)
    entropy = -(theta * np.log(theta.clip(1e-30))).sum(1).mean()
    assert found.cross_entropy == pytest.approx(entropy, abs=1e-5)
    assert entropy < found.prior
    assert found.error == pytest.approx(0, abs=1e-6) and found.agreement == 1
    assert found.said == pytest.approx(found.share) and found.known == 1


def test_who_says_the_same_of_all_is_calibrated_and_tells_nothing() -> None:
    theta = mixtures(1)
    prior = theta.mean(0)
    found = calibration(np.tile(prior, (1_000, 1)), theta, prior, ~KNOWN)
    assert found.cross_entropy == pytest.approx(found.prior)
    assert found.error == pytest.approx(0, abs=1e-6) and found.known == 0


def test_who_is_too_sure_is_found_out() -> None:
    theta, guess = mixtures(2), np.eye(5, dtype=np.float32)[mixtures(3).argmax(1)]
    found = calibration(guess, theta, theta.mean(0), KNOWN)
    assert found.said == 1
    assert found.error == pytest.approx(1 - found.share)
    assert found.error_first == pytest.approx(1 - found.agreement)


def test_the_bins_hold_all() -> None:
    theta = mixtures(4)
    bins = reliability(theta, mixtures(5))
    assert sum(one.count for one in bins) == 1_000
    assert [one.said for one in bins] == sorted(one.said for one in bins)


def test_it_is_among_the_scores(run: Run, corpus: Corpus) -> None:
    found = score(run, corpus.test).topics_of_equations
    assert found is not None and found.agreement > 0.9
    assert found.cross_entropy < found.prior and found.error < 0.1
