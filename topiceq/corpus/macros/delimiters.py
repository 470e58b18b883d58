r"""\DeclarePairedDelimiter and its relatives: delimiters that grow with a star or have a size.

The macro reads the star and the size first, then its arguments; \-paired- then writes all of it.
"""

from topiceq.corpus.commands import SIZED
from topiceq.corpus.macros.definitions import command_name, record
from topiceq.corpus.macros.expander import Expander, Primitive, primitive
from topiceq.corpus.macros.meaning import Macro, parse_body
from topiceq.corpus.macros.parameters import FALSE, TRUE, Param, number

PAIRED = "\\-paired-"
STAR, SIZE = Param("t", ends=("*",)), Param("o", (), ("[", "]"))


def paired(x: Expander) -> None:
    r"""\DeclarePairedDelimiter\abs{\lvert}{\rvert}."""
    name = command_name(x)
    record_paired(x, name, 1, ([], x.argument(), x.argument(), [], ["#", "1"]))


def paired_with_body(x: Expander) -> None:
    r"""\DeclarePairedDelimiterX\set[2]{\{}{\}}{#1 \delimsize| #2}."""
    name, count = command_name(x), number(x.optional())
    record_paired(x, name, count, ([], x.argument(), x.argument(), [], x.argument()))


def paired_with_text(x: Expander) -> None:
    r"""\DeclarePairedDelimiterXPP\P[1]{before}{(}{)}{behind}{#1}."""
    name, count = command_name(x), number(x.optional())
    record_paired(x, name, count, tuple(x.argument() for _ in range(5)))


def record_paired(x: Expander, name: str, count: int, parts: tuple[list[str], ...]) -> None:
    """Delimiters that grow with a star and have a size with a bracket, both read first."""
    before, left, right, behind, body = parts
    params = (STAR, SIZE, *[Param()] * count)
    written = [*before, PAIRED, "{", TRUE, "}", "{", FALSE, "}"]
    for part in (left, right, body):
        written += ["{", *part, "}"]
    places: dict[str | int, str | int] = {i: i + 2 for i in range(1, count + 1)}
    places |= {TRUE: 1, FALSE: 2}
    shifted = (places.get(item, item) for item in parse_body([*written, *behind]))
    record(x, name, Macro.checked(params, shifted))


def write_paired(x: Expander) -> None:
    r"""What is left of a paired delimiter: `{star}{size}{left}{right}{body}`."""
    star, size, left, right, body = (x.argument() for _ in range(5))
    if star == [TRUE]:
        left, right = ["\\left", *(left or ["."])], ["\\right", *(right or ["."])]
        size = ["\\middle"]
    elif size and size[0] + "l" in SIZED:
        opener, closer = [size[0] + "l"], [size[0] + "r"]
        left, right = (opener if left else []) + left, (closer if right else []) + right
    inner = [part for t in body for part in (size if t == "\\delimsize" else (t,))]
    x.write([*left, *inner, *right])


PAIRED_DELIMITERS: dict[str, Primitive] = {
    "\\DeclarePairedDelimiter": primitive(paired),
    "\\DeclarePairedDelimiterX": primitive(paired_with_body),
    "\\DeclarePairedDelimiterXPP": primitive(paired_with_text),
    PAIRED: primitive(write_paired),
}
