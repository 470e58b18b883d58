r"""The rows of a display, each in normal form, whatever environments they are set in.

A corpus leaves displays of several rows out; a reader still wants to know their symbols. In go the
expanded tokens of a display, out come the normal forms of its rows, without rows that have none.
"""

from collections.abc import Iterator, Sequence

from topiceq.article.equation.form import normal_form
from topiceq.article.equation.normal import NotNormal

EDGES = ("\\begin", "\\end")
TRANSPARENT = frozenset(  # environments that only set rows below each other
    "split aligned gathered alignedat align align* eqnarray eqnarray* multlined".split()
)


def rows(tokens: Sequence[str]) -> Iterator[list[str]]:
    r"""The rows of a display in normal form.

    >>> list(rows(["a", "&", "= b", "\\\\", "c", "&", "= d"]))
    [['a', '=', 'b'], ['c', '=', 'd']]
    """
    for row in _cut(tokens):
        try:
            yield normal_form(row)
        except (NotNormal, RecursionError):
            continue


def _cut(tokens: Sequence[str]) -> Iterator[list[str]]:
    row: list[str] = []
    depth = 0
    for token in _flat(list(tokens)):
        depth += (token in ("{", "\\begin")) - (token in ("}", "\\end"))
        if token == "\\\\" and depth == 0:
            yield row
            row = []
        elif token != "&" or depth:
            row.append(token)
    yield row


def _flat(tokens: list[str]) -> Iterator[str]:
    r"""The tokens without \begin and \end of what only sets rows below each other."""
    at = 0
    while at < len(tokens):
        name = tokens[at + 2].strip() if tokens[at] in EDGES and at + 2 < len(tokens) else ""
        if name in TRANSPARENT:
            at += 4
        else:
            yield tokens[at]
            at += 1
