"""TopicEq in scikit-learn's pipelines."""

from pathlib import Path

import numpy as np
import pytest
from planted import WORDS
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_estimator_cloneable,
    check_estimator_repr,
    check_get_params_invariance,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

from topiceq import TopicEqVectorizer

CONTEXTS = [" ".join(words) for words in WORDS] * 3

# check_estimator leaves out what takes texts, for its checks give numbers: these need no data
CHECKS = [check_estimator_cloneable, check_estimator_repr, check_get_params_invariance,
          check_no_attributes_set_in_init, check_set_params,
          check_parameters_default_constructible]  # fmt: skip


def test_check_estimator_finds_no_fault_but_leaves_out_what_needs_numbers() -> None:
    with pytest.warns(SkipTestWarning, match="which requires input"):
        check_estimator(TopicEqVectorizer())


@pytest.mark.parametrize("check", CHECKS)
def test_what_scikit_learn_expects(check: object) -> None:
    check("TopicEqVectorizer", TopicEqVectorizer())  # type: ignore[operator]


def test_topics_are_features(trained: Path) -> None:
    fields = list(range(len(WORDS))) * 3
    vectorizer = TopicEqVectorizer(run=trained)
    model = make_pipeline(vectorizer, LogisticRegression()).fit(CONTEXTS, fields)
    assert model.predict(CONTEXTS).tolist() == fields
    names = model[:1].get_feature_names_out()
    theta = vectorizer.transform(CONTEXTS)
    assert theta.shape == (len(CONTEXTS), len(names)) and theta.dtype == np.float32
    assert names[0].startswith("0 ")


def test_equations_and_what_cannot_be_read(trained: Path) -> None:
    vectorizer = TopicEqVectorizer(run=trained, input="equation").fit(["E = a"])
    theta = vectorizer.transform(["E = a b", "x^{"])
    assert np.allclose(theta.sum(1), 1, atol=1e-4)
    assert np.allclose(clone(vectorizer).fit(["E"]).transform(["E = a b"])[0], theta[0])
    unknown = TopicEqVectorizer(run=trained).fit(["a"]).transform(["unheard-of"])
    assert np.allclose(unknown[0], theta[1])


def test_what_is_no_list_of_texts_is_refused(trained: Path) -> None:
    with pytest.raises(NotFittedError):
        TopicEqVectorizer(run=trained).transform(["a"])
    for wrong, message in (
        (("a text"), "X is one text"),
        ([1.0], "which is no text"),
        ([], "no t"),
    ):
        with pytest.raises(ValueError, match=message):
            TopicEqVectorizer(run=trained).fit(wrong)
    with pytest.raises(ValueError, match="input = 'words' is not possible"):
        TopicEqVectorizer(run=trained, input="words").fit(["a"])
