r"""Rows and columns inside one equation: environments, and \substack.

Matrices stay what they are; what only aligns (split, aligned, ..) leaves its one row, and is an
error with two; subarray is \substack.
"""

from topiceq.corpus.commands import MATRICES
from topiceq.corpus.normal.cursor import NotNormal
from topiceq.corpus.normal.layout import column_letters
from topiceq.corpus.normal.line import Line

# environments of one row; the last ones only wrap a display
ALIGNED = frozenset(
    "split aligned alignedat gathered multlined align align* alignat alignat* eqnarray eqnarray* "
    "gather gather* multline multline* equation equation* displaymath math center subequations "
    "small footnotesize scriptsize normalsize large".split()
)
COUNTED = frozenset(("alignedat", "alignat", "alignat*"))  # take a number of columns
SAME_ENVIRONMENT = {
    **{name + "*": name for name in MATRICES},
    **dict.fromkeys(("dcases", "dcases*"), "cases"),
}
BARE = frozenset(("array", "matrix", "smallmatrix"))  # one cell of these is its content
LAID_OUT = frozenset(("&", "\\\\", "\\hline"))


def substack(line: Line, token: str) -> None:
    r"""\substack{a \\ b}."""
    if line.peek() != "{":
        line.out += line.argument()
        return
    line.at += 1
    _stack(line)
    line.expect("}")


def _stack(line: Line) -> None:
    r"""Rows one above the other, small: \substack, unless there is only one."""
    start = len(line.out)
    line.rows(end="\\\\")
    rows = line.cut(start)
    line.out += ["\\substack", "{", *rows, "}"] if "\\\\" in rows else rows


def begin(line: Line, token: str) -> None:
    """An environment; one that is not known here is taken for a diagram."""
    name = _environment_name(line)
    if name not in MATRICES and name not in ALIGNED and name != "subarray":
        raise NotNormal("diagram")
    line.skip_position()
    if name in MATRICES:
        _matrix(line, name)
    elif name == "subarray":
        line.raw_group()
        _stack(line)
    else:
        if name in COUNTED:
            line.raw_group()
        line.rows()
    line.expect("\\end")
    if _environment_name(line) != name:
        raise NotNormal("unbalanced")


def _environment_name(line: Line) -> str:
    name = "".join(line.raw_group()).replace(" ", "")
    return SAME_ENVIRONMENT.get(name, name)


def _matrix(line: Line, name: str) -> None:
    """Rows and columns inside one line; a single cell without delimiters is its content."""
    columns = column_letters(line.raw_group()) if name == "array" else []
    start = len(line.out)
    line.rows("&", "\\\\")
    inner = line.cut(start)
    if name in BARE and "|" not in columns and LAID_OUT.isdisjoint(inner):
        line.out += inner
    else:
        spec = ["{", *columns, "}"] if columns else []
        line.out += [f"\\begin{{{name}}}", *spec, *inner, f"\\end{{{name}}}"]
