r"""What a float of LaTeX holds: caption, labels, the name of its picture, the cells of its table.

In go the tokens of `\begin{figure} .. \end{figure}`; out come tokens of the parts, which a page
reads as prose.
"""

import re
from dataclasses import dataclass, field
from posixpath import basename

from topiceq.article.tex import join

KINDS = {  # environments, by what stands before their numbers
    **dict.fromkeys("figure wrapfigure SCfigure sidewaysfigure marginfigure floatingfigure "
                    "teaserfigure".split(),
                    "Figure"),
    **dict.fromkeys("table wraptable sidewaystable margintable longtable longtabu supertabular "
                    "tabular tabularx tabu deluxetable splitdeluxetable".split(), "Table"),
    **dict.fromkeys("algorithm algorithm2e pseudocode".split(), "Algorithm"),
    **dict.fromkeys("tikzpicture pspicture picture tikzcd xy CD".split(), "Drawing"),
}  # fmt: skip
TABLES = frozenset("tabular tabular* tabularx longtable tabu supertabular".split())
RULES = frozenset(
    "hline toprule midrule bottomrule endhead endfirsthead endfoot endlastfoot centering".split()
)
DROPPED = {
    "\\cline": 1, "\\cmidrule": 1, "\\addlinespace": 0, "\\rowcolor": 1, "\\cellcolor": 1,
    "\\label": 1, "\\caption": 1, "\\arrayrulecolor": 1, "\\noalign": 1, "\\vspace": 1,
}  # fmt: skip
MOST = 4_000  # cells of a table that is shown
_NAME = re.compile(r"[\w./:+ -]+")

Tokens = list[str]


@dataclass
class Cell:
    """A cell of a table, and over how many columns it goes."""

    tokens: Tokens = field(default_factory=list)
    columns: int = 1


@dataclass
class Parts:
    """The parts of a float."""

    kind: str
    caption: Tokens
    labels: list[str]
    picture: str  # the name of its file
    rows: list[list[Cell]]


def parts(name: str, tokens: Tokens) -> Parts | None:
    """The parts of an environment; None if it is no float."""
    kind = KINDS.get(name.rstrip("*"))
    if not kind:
        return None
    caption: Tokens = []
    labels: list[str] = []
    picture = ""
    for at, token in enumerate(tokens):
        if token in ("\\caption", "\\captionof", "\\tablecaption") and not caption:
            end = _past_option(tokens, at + 1)
            if token == "\\captionof":
                _, end = group(tokens, end)
            caption, _ = group(tokens, end)
        elif token == "\\label":
            labels.append(join(group(tokens, at + 1)[0]).strip())
        elif token in ("\\includegraphics", "\\epsfig", "\\epsfbox", "\\plotone") and not picture:
            file = join(group(tokens, _past_option(tokens, at + 1))[0]).strip()
            picture = basename(file) if _NAME.fullmatch(file) else ""
    return Parts(kind, caption, labels, picture, rows(name, tokens))


def group(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """The tokens of an argument, and where it ends."""
    while at < len(tokens) and (tokens[at].isspace() or tokens[at][0] == "%"):
        at += 1
    if at >= len(tokens) or tokens[at] != "{":
        return [], at
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if depth == 0:
            return tokens[at + 1 : place], place + 1
    return tokens[at + 1 :], len(tokens)


def _past_option(tokens: Tokens, at: int) -> int:
    while at < len(tokens) and (tokens[at].isspace() or tokens[at][0] in "*%"):
        at += 1
    if at < len(tokens) and tokens[at] == "[" and "]" in tokens[at : at + 200]:
        depth = 0
        for place in range(at, len(tokens)):
            depth += (tokens[place] == "{") - (tokens[place] == "}")
            if tokens[place] == "]" and depth == 0:
                return place + 1
    return at


# -- tables --------------------------------------------------------------------------------------


def rows(name: str, tokens: Tokens) -> list[list[Cell]]:
    """The cells of the first table in an environment."""
    if "\\startdata" in tokens:
        return _cells(_of_aastex(tokens), 0)
    if name in TABLES:  # the environment is one itself
        return _cells(tokens, _past_columns(name, tokens, 0))
    for at in range(len(tokens) - 2):
        if tokens[at] == "\\begin" and tokens[at + 2] in TABLES:
            return _cells(tokens, _past_columns(tokens[at + 2], tokens, at + 4))
    return []


def _of_aastex(tokens: Tokens) -> Tokens:
    r"""The rows of a deluxetable: \tablehead{..}, and those that follow \startdata."""
    start = tokens.index("\\startdata") + 1
    end = tokens.index("\\enddata") if "\\enddata" in tokens[start:] else len(tokens)
    head = group(tokens, tokens.index("\\tablehead") + 1)[0] if "\\tablehead" in tokens else []
    return [*head, "\\\\", *tokens[start:end]]


def _past_columns(name: str, tokens: Tokens, at: int) -> int:
    at = _past_option(tokens, at)
    if name in ("tabular*", "tabularx"):
        _, at = group(tokens, at)
        at = _past_option(tokens, at)
    return group(tokens, at)[1]


def _cells(tokens: Tokens, at: int) -> list[list[Cell]]:
    table, depth, count = [[Cell()]], 0, 0
    while at < len(tokens) and count < MOST:
        token = tokens[at]
        at += 1
        if token in ("\\begin", "\\end"):
            depth += 1 if token == "\\begin" else -1
            if depth < 0:
                break
        depth += (token == "{") - (token == "}")
        if depth:
            table[-1][-1].tokens.append(token)
        elif token == "&":
            table[-1].append(Cell())
            count += 1
        elif token in ("\\\\", "\\tabularnewline", "\\cr"):
            table.append([Cell()])
            at = _past_option(tokens, at)
        elif token == "\\multicolumn":
            at = _spanning(tokens, at, table[-1][-1])
        elif token in DROPPED:
            at = _past(tokens, at, DROPPED[token])
        elif token[1:] not in RULES or token[0] != "\\":
            table[-1][-1].tokens.append(token)
    return [row for row in table if any(join(cell.tokens).strip() for cell in row)]


def _spanning(tokens: Tokens, at: int, cell: Cell) -> int:
    columns, at = group(tokens, at)
    _, at = group(tokens, at)
    held, at = group(tokens, at)
    number = join(columns).strip()
    cell.columns = min(int(number), 100) if number.isdigit() and int(number) else 1
    cell.tokens += held
    return at


def _past(tokens: Tokens, at: int, arguments: int) -> int:
    at = _past_option(tokens, at)
    if at < len(tokens) and tokens[at] == "(":  # \cmidrule(lr){2-3}
        at = tokens.index(")", at) + 1 if ")" in tokens[at:] else at
    elif at < len(tokens) and tokens[at][:1] == "(" and ")" in tokens[at]:
        at += 1
    for _ in range(arguments):
        at = group(tokens, at)[1]
    return at
