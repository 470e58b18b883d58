"""The normal form of an equation: one spelling for what prints the same."""

from topiceq.corpus.normal.cursor import NotNormal
from topiceq.corpus.normal.form import normal_form, parse, to_latex, undefined

__all__ = ["NotNormal", "normal_form", "parse", "to_latex", "undefined"]
