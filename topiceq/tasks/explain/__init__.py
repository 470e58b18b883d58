"""What a symbol means: what a run has learned, and what an article says itself."""

from topiceq.tasks.explain.meanings import Explained, Glossary, Phrase, explain

__all__ = ["Explained", "Glossary", "Phrase", "explain"]
