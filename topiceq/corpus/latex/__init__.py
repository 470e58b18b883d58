"""One article in, its prose, headings and display equations out, in reading order."""

from topiceq.corpus.latex.reader import Reader, read

__all__ = ["Reader", "read"]
