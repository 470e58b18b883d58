"""Every exception that TopicEq raises on purpose.

    TopicEqError
    ├── ConfigError    a setting that does not exist, or a value that is not allowed
    ├── CorpusError    articles, pairs or a corpus that cannot be read or written
    ├── RunError       a run folder that is missing something or does not fit together
    ├── NotFitted      a question to a model that has not been trained
    ├── Unsupported    a question that this run, or this machine, cannot answer
    └── QuestionError  a question that cannot be understood: no such topic, broken LaTeX

A message says what is wrong with which value, then what is allowed or what to type. Bad LaTeX is
no exception: it is a counted reason (see corpus/extract.py).
"""


class TopicEqError(Exception):
    """The root: `except TopicEqError` catches everything the library raises on purpose."""


class ConfigError(TopicEqError):
    """A setting that does not exist, or a value that is not allowed."""


class CorpusError(TopicEqError):
    """Articles, pairs or a corpus that cannot be read or written."""


class RunError(TopicEqError):
    """A run folder that is missing something or does not fit together."""


class NotFitted(TopicEqError):
    """A question to a model that has not been trained."""


class Unsupported(TopicEqError):
    """A question that this run, or this machine, cannot answer."""


class QuestionError(TopicEqError):
    """A question that cannot be understood: no such topic, an equation that does not parse."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position  # of the character in its LaTeX that it is about, where known
