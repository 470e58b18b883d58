"""TopicEq in a pipeline of scikit-learn: texts or equations in, theta out.

make_pipeline(TopicEqVectorizer(), LogisticRegression()).fit(contexts, fields)
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from topiceq.api import TopicEq
from topiceq.errors import QuestionError
from topiceq.questions import Infer

INPUTS = ("context", "equation")


class TopicEqVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Probabilities of a run's topics as features; `fit` loads the run and learns nothing.

    `input` is what the texts are: contexts (prose) or equations (LaTeX). One that cannot be read
    has what the run's corpus is about on the whole.
    """

    def __init__(self, run: str | Path | None = None, input: str = "context") -> None:
        self.run = run
        self.input = input

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
        """Load the run; None is the pretrained one."""
        if self.input not in INPUTS:
            raise ValueError(f"input = {self.input!r} is not possible. It is one of {INPUTS}.")
        _texts(X)
        self.model_ = TopicEq.load(self.run)
        return self

    def transform(self, X: Iterable[str]) -> npt.NDArray[np.float32]:
        """theta of each text (n, K)."""
        check_is_fitted(self, "model_")
        texts = _texts(X)
        if self.input == "equation":
            found = np.asarray(self.model_.answer(Infer(equations=texts)))
        else:
            found = np.stack([self._context(text) for text in texts])
        found = np.array(found, dtype=np.float32)
        shares = np.array([topic.share for topic in self.model_.run.topics])
        found[np.isnan(found).any(1)] = shares / shares.sum()
        return found

    def _context(self, text: str) -> npt.NDArray[np.float32]:
        try:
            return np.asarray(self.model_.answer(Infer(context=text)))
        except QuestionError:  # no word of it is known
            return np.full(self.model_.run.config.model.topics, np.nan, dtype=np.float32)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The labels of the topics, each behind its number."""
        check_is_fitted(self, "model_")
        names = [f"{topic.id} {topic.label}" for topic in self.model_.topics()]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.requires_fit = True
        return tags


def _texts(X: Iterable[str]) -> list[str]:
    """The texts of a list, an array or a column."""
    if isinstance(X, str):
        raise ValueError("X is one text. Give a list of texts.")
    texts = list(X)
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if wrong is not None:
        raise ValueError(f"X holds {wrong!r}, which is no text. Give a list of texts.")
    if not texts:
        raise ValueError("X holds no texts. Give at least one.")
    return texts
