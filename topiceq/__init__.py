"""TopicEq: topics and equations learned together from scientific LaTeX."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topiceq.api import TopicEq
    from topiceq.article.expand import expand
    from topiceq.article.typed import normal
    from topiceq.corpus.extract import extract
    from topiceq.corpus.store import Corpus
    from topiceq.vectorizer import TopicEqVectorizer

__all__ = ["Corpus", "TopicEq", "TopicEqVectorizer", "expand", "extract", "normal"]
__version__ = "0.1.0"

_HOMES = {
    "Corpus": "topiceq.corpus.store",
    "TopicEq": "topiceq.api",
    "expand": "topiceq.article.expand",
    "extract": "topiceq.corpus.extract",
    "normal": "topiceq.article.typed",
    "TopicEqVectorizer": "topiceq.vectorizer",
}


def __getattr__(name: str) -> Any:
    """Each is imported when it is first used: torch and pyarrow take their time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'topiceq' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
