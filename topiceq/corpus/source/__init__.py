"""Folders, files and archives in, articles out: a main file each, and what it may read."""

from topiceq.corpus.source.articles import Article, Source, sources
from topiceq.corpus.source.files import Files, FolderFiles, MemoryFiles, Unreadable

__all__ = ["Article", "Files", "FolderFiles", "MemoryFiles", "Source", "Unreadable", "sources"]
