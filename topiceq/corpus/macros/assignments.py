r"""Assignments to TeX's lengths and numbers: read, so that they do not print, and forgotten.

\baselineskip=12pt plus 1pt, \penalty-100, \advance\count0 by 1, \newdimen\x.
"""

import re

from topiceq.corpus.macros.definitions import record
from topiceq.corpus.macros.expander import Expander, Primitive, primitive
from topiceq.corpus.macros.meaning import Macro

UNIT = r"(?:true\s*)?(?:pt|em|ex|mu|cm|mm|in|bp|sp|pc|dd|cc|fil+)"
VALUE = re.compile(
    rf"\s*=?\s*(?P<number>[-+]?\d*\.?\d*)\s*(?P<unit>{UNIT})?"
    rf"(?:\s*(?:plus|minus)\s*[-+]?[\d.]+\s*{UNIT})* ?"
)
REGISTER = "\\-register-"


def assign(x: Expander) -> None:
    r"""Drop the value behind a length or a number: `= 12pt`, `-100`, `=\x` or `.5\x`."""
    found = VALUE.match(x.peek())
    if found is None or not any(each in found[0] for each in "=0123456789"):
        return
    rest = x.stack.pop()[found.end() :]
    x.stack += [rest] if rest else []
    is_factor = "." in found["number"] or not found["number"].strip("+-")
    if not rest and is_factor and not found["unit"] and x.peek()[:1] == "\\":
        x.stack.pop()


def advance(x: Expander) -> None:
    r"""\advance\x by 1."""
    x.character()
    if x.take("b"):
        x.take("y")
    if x.peek()[:1] == "\\":
        x.stack.append("=")
    assign(x)


def allocate(x: Expander) -> None:
    r"""\newcount\x: from now on \x is a register."""
    record(x, x.character(), Macro((), (REGISTER,)))


ASSIGNMENTS: dict[str, Primitive] = {
    **dict.fromkeys(
        ["\\baselineskip", "\\lineskip", "\\lineskiplimit", "\\penalty", "\\postdisplaypenalty",
         "\\predisplaypenalty", "\\interdisplaylinepenalty", "\\abovedisplayskip",
         "\\belowdisplayskip", "\\arraycolsep", "\\tabcolsep", "\\thinmuskip", "\\medmuskip",
         "\\thickmuskip", "\\nulldelimiterspace", "\\delimitershortfall", "\\delimiterfactor",
         "\\mathsurround", "\\jot", "\\fboxsep", "\\fboxrule", "\\hsize", "\\parskip",
         "\\parindent", REGISTER], primitive(assign)),
    **dict.fromkeys(["\\advance", "\\multiply", "\\divide"], primitive(advance)),
    **dict.fromkeys(["\\newcount", "\\newdimen", "\\newskip", "\\newmuskip"], primitive(allocate)),
}  # fmt: skip
