"""The normal form of an equation: one spelling for what prints the same."""

from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, parse, to_latex, undefined

__all__ = ["NotNormal", "normal_form", "parse", "to_latex", "undefined"]
