"""What an equation may look like, token by token."""

from topiceq.tasks.grammar.automaton import Grammar, State

__all__ = ["Grammar", "State"]
