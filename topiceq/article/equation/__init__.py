"""The normal form of an equation: one spelling for what prints the same."""

from topiceq.article.equation.form import normal_form, parse, to_latex, undefined
from topiceq.article.equation.normal import NotNormal

__all__ = ["NotNormal", "normal_form", "parse", "to_latex", "undefined"]
