"""TopicEq: topics and equations learned together from scientific LaTeX."""

from typing import TYPE_CHECKING, Any

from topiceq.corpus.extract import extract
from topiceq.corpus.store import Corpus

if TYPE_CHECKING:
    from topiceq.api import TopicEq

__all__ = ["Corpus", "TopicEq", "extract"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """torch is imported only when a model is used."""
    if name == "TopicEq":
        from topiceq.api import TopicEq

        return TopicEq
    raise AttributeError(f"module 'topiceq' has no attribute '{name}'")
