"""TopicEq: topics and equations learned together from scientific LaTeX."""

from topiceq.corpus.extract import extract
from topiceq.corpus.store import Corpus

__all__ = ["Corpus", "extract"]
__version__ = "0.1.0"
