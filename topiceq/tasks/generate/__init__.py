"""Equations that a run writes: for a topic, a mixture, a context, or behind a prefix."""

from topiceq.tasks.generate.writing import Generated, Manner, generate

__all__ = ["Generated", "Manner", "generate"]
