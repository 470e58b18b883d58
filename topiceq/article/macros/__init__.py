"""The TeX expander: an author's macros in, plain LaTeX out, with limits."""

from topiceq.article.macros.expander import Expander, MacroLimit, Primitive, Scope, primitive

__all__ = ["Expander", "MacroLimit", "Primitive", "Scope", "primitive"]
