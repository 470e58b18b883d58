"""Topics of equations against the fields of their articles.

In go one topic for each equation and the field of its article; out come the accuracy of "topic ->
the field that most of its train equations come from" and the normalised mutual information. Beside
them stands what a classifier reaches that is told the fields while it learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.pipeline import make_pipeline

Topics = npt.NDArray[np.integer]
Tokens = Sequence[Sequence[str]]


@dataclass(frozen=True)
class FieldScore:
    """How far topics tell fields apart."""

    accuracy: float  # of topic -> majority field
    majority: float  # of always saying the commonest field of train
    nmi: float  # of topics and fields on the scored equations


def majority_fields(topics: Topics, fields: Sequence[str]) -> dict[int, str]:
    """For each topic the field that most of its equations come from.

    >>> majority_fields(np.array([0, 0, 1]), ["algebra", "algebra", "optics"])
    {0: 'algebra', 1: 'optics'}
    """
    names = np.asarray(fields)
    return {int(topic): _commonest(names[topics == topic]) for topic in np.unique(topics)}


def field_score(
    train: tuple[Topics, Sequence[str]], test: tuple[Topics, Sequence[str]]
) -> FieldScore:
    """Map topics to fields on train, and score the map on test."""
    field_of, most = majority_fields(*train), _commonest(np.asarray(train[1]))
    topics, fields = test[0], np.asarray(test[1])
    told = np.array([field_of.get(int(topic), most) for topic in topics])
    nmi = normalized_mutual_info_score(fields, topics)
    return FieldScore(float(np.mean(told == fields)), float(np.mean(fields == most)), float(nmi))


def supervised(
    train: tuple[Tokens, Sequence[str]], test: tuple[Tokens, Sequence[str]]
) -> FieldScore:
    """The upper reference: logistic regression on n-grams of tokens, told the fields of train."""
    grams = TfidfVectorizer(
        analyzer=_ngrams, min_df=2 if len(train[0]) > 100 else 1, sublinear_tf=True
    )
    model = make_pipeline(grams, LogisticRegression(max_iter=300, C=10.0))
    model.fit(train[0], train[1])
    told, fields = model.predict(test[0]), np.asarray(test[1])
    most = _commonest(np.asarray(train[1]))
    nmi = normalized_mutual_info_score(fields, told)
    return FieldScore(float(np.mean(told == fields)), float(np.mean(fields == most)), float(nmi))


def _ngrams(tokens: Sequence[str]) -> list[str]:
    """One, two and three tokens in a row."""
    return [" ".join(tokens[i : i + n]) for n in (1, 2, 3) for i in range(len(tokens) - n + 1)]


def _commonest(fields: npt.NDArray[np.str_]) -> str:
    names, counts = np.unique(fields, return_counts=True)
    return str(names[counts.argmax()])
