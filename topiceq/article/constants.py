r"""The constants that no text needs to define: \pi, \hbar, k_B, and c beside E and m.

A letter that is used for much else (c, G, h, e, i) is the constant only in the company that it
usually keeps: other symbols of the same display.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from topiceq.article.equation.symbol import Occurrence, Symbol, Tokens

ROMAN = (r"\mathrm", r"\mathit", r"\mathsf")


class Constant(NamedTuple):
    """A constant, and the symbols one set of which must stand beside it; none: it needs no others.

    Symbols are written without brackets and fonts: k_B, c, e^ (an e with an exponent).
    """

    name: str
    beside: tuple[frozenset[str], ...] = ()


def _beside(*companies: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(company.split()) for company in companies)


CONSTANTS = {
    r"\pi": Constant("ratio of a circle's circumference to its diameter"),
    r"\hbar": Constant("reduced Planck constant"),
    "k_B": Constant("Boltzmann constant"),
    "N_A": Constant("Avogadro constant"),
    "e^": Constant("base of the natural logarithm"),
    r"\epsilon_0": Constant(
        "vacuum permittivity", _beside(r"\pi", r"\mu_0", "E", "q", "c", r"\rho")
    ),
    r"\varepsilon_0": Constant("vacuum permittivity", _beside(r"\pi", r"\mu_0", "E", "q", "c")),
    r"\mu_0": Constant(
        "vacuum permeability", _beside("B", "H", "J", "I", r"\epsilon_0", r"\varepsilon_0")
    ),
    "m_e": Constant("electron mass", _beside("e", r"\hbar", "c", "n_e")),
    "m_p": Constant("proton mass", _beside(r"\hbar", "c", "G", r"\rho", "k_B", "n_H")),
    "c": Constant(
        "speed of light", _beside(r"\hbar", "E m", "h", r"\epsilon_0", r"\mu_0", "G", "H_0")
    ),
    "G": Constant(
        "gravitational constant", _beside("M r", "M R", "M c", "m r", r"\pi \rho", r"\pi c")
    ),
    "h": Constant(
        "Planck constant", _beside(r"E \nu", r"\nu k_B", r"\nu c", r"\nu k T", r"c \lambda")
    ),
    "k": Constant("Boltzmann constant", _beside("h T", r"\hbar T", "e^ E T", r"T \nu c")),
    "e": Constant("elementary charge", _beside(r"\epsilon_0", r"\varepsilon_0", "m_e", r"\hbar")),
    "i": Constant("imaginary unit", _beside("e^", r"\hbar", r"\psi", r"\Psi")),
    "R": Constant("gas constant", _beside("P V T", "p V T", "p V n", r"p \rho T")),
    "g": Constant("acceleration of gravity", _beside("m h", r"\rho h", r"\rho z", r"\rho p")),
    "H_0": Constant("Hubble constant", _beside("c", "z", "a", r"\Omega", r"\Omega_m")),
    r"\nabla": Constant("gradient operator"),
    r"\mathbb{R}": Constant("real numbers"),
    r"\mathbb{C}": Constant("complex numbers"),
    r"\mathbb{Q}": Constant("rational numbers"),
    r"\mathbb{Z}": Constant("integers"),
    r"\mathbb{N}": Constant("natural numbers"),
}


def constant(symbol: Symbol, company: Collection[str]) -> str:
    r"""The name of the constant that a symbol is in the company of others; empty if it is none.

    >>> constant(Symbol(("c",)), {"E", "m"}), constant(Symbol(("c",)), {"x"})
    ('speed of light', '')
    """
    known = CONSTANTS.get(spelled(symbol))
    if known is None or symbol.base[0] == r"\mathbb" and symbol.upper:  # R^n has its own name
        return ""
    if known.beside and not any(some.issubset(company) for some in known.beside):
        return ""
    return known.name


def company(found: Iterable[Occurrence]) -> frozenset[str]:
    """The symbols of a display, as the table writes them; those in scripts are none of it."""
    return frozenset(spelled(one.symbol) for one in found if not one.in_script)


def spelled(symbol: Symbol) -> str:
    r"""A symbol as the table has it: `k _ { \mathrm { B } }` as k_B."""
    base, lower = "".join(_plain(symbol.base)), "".join(_plain(symbol.lower))
    if base == "e" and symbol.upper:
        return "e^"
    return f"{base}_{lower}" if lower else base


def _plain(tokens: Tokens) -> Tokens:
    return tokens[2:-1] if tokens[:1] and tokens[0] in ROMAN else tokens
