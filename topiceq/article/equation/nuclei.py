r"""What each command writes into a normal form: `ACTIONS`, the table for `Line`.

An action finds its token read, and writes one nucleus without its scripts, or nothing. Matrices
stay what they are; what only aligns (split, aligned, ..) leaves its one row, and is an error with
two. A command that is in no table is an author's own that was never defined: its arguments keep
their braces.
"""

from string import printable

from topiceq.article.commands import (
    ALPHABETS,
    ARITY,
    COUNTED,
    DELIMITERS,
    FONTS,
    HYPHEN,
    KNOWN,
    LIMITED,
    MATRICES,
    OPTIONAL,
    SIZED,
    environments,
    names,
    which,
)
from topiceq.article.equation.layout import (
    LENGTHS,
    SILENT,
    SPACES,
    WORD_SPACES,
    column_letters,
    length_end,
)
from topiceq.article.equation.line import (
    GUARDED,
    LIMITS,
    PUNCTUATION,
    ROW_ENDS,
    SAME_DELIMITER,
    STOPS,
    Action,
    Line,
    NotNormal,
    carrier,
    is_nucleus,
    stop,
    with_dots,
)
from topiceq.article.equation.mathtext import SWITCHES, TEXTS, as_math, styled

ALIGNED = environments("aligned")  # of one row; some only wrap a display
SAME_ENVIRONMENT = {
    **{name + "*": name for name in MATRICES},
    **dict.fromkeys(("dcases", "dcases*"), "cases"),
}
BARE = environments("bare")  # one cell of these is its content
LAID_OUT = frozenset(("&", "\\\\", "\\hline"))
BOXES = which("box")  # may be followed by their width
LETTERED = which("named") - names(
    "bmod varinjlim varliminf varlimsup varprojlim"
)  # print their letters
UPRIGHT = frozenset(("\\mathrm", "\\operatorname", "\\operatorname*"))
UNGUARDED = {command: token for token, command in GUARDED.items()}
NEGATED = {"=": "\\neq", "\\in": "\\notin"}


# -- groups, spaces, text ----------------------------------------------------------------------


def _group(line: Line, token: str) -> None:
    line.formula()
    line.expect("}")


def _script(line: Line, token: str) -> None:
    """A script without a nucleus: `Line.nuclei` finds it again and gives it an empty one."""
    line.at -= 1


def _nothing(line: Line, token: str) -> None:
    pass


def _unguarded(line: Line, token: str) -> None:
    line.out.append(UNGUARDED[token])


def _word_space(line: Line, token: str) -> None:
    if line.in_font and line.out[-1:] != ["~"]:
        line.out.append("~")


def _length(line: Line, token: str) -> None:
    line.at = length_end(line.tokens, line.at)


def _silent(line: Line, token: str) -> None:
    if line.peek() == "*":
        line.at += 1
    line.skip_bracket()
    for _ in range(SILENT[token]):
        line.skip_bracket()
        if line.peek() == "{":
            line.raw_group()


def _number(line: Line, token: str) -> None:
    r"""The number of an equation, behind \eqno, takes all that follows."""
    start = len(line.out)
    line.formula()
    line.cut(start)


def _text(line: Line, token: str) -> None:
    if token in BOXES and line.peek() != "{" and (start := line.find("{")):
        line.at = start  # \hbox to 3cm{..}
    text = line.raw_argument()
    if text == ["-"]:
        line.out.append(HYPHEN)
        return
    line.tokens[line.at : line.at] = as_math(text, styled(token))
    line.out += line.argument()


def _unknown(line: Line, token: str) -> None:
    line.out.append(token)
    while line.tokens[line.at] == "{" and line.tokens[line.at + 1] != "}":
        if argument := line.argument():
            line.out += ["{", *argument, "}"]


# -- fonts and operators -----------------------------------------------------------------------


def _font(line: Line, token: str) -> None:
    outer, line.in_font = line.in_font, True
    inner = line.argument()
    line.in_font = outer
    _write_in_font(line, token, inner)


def _switch(line: Line, token: str) -> None:
    r"""{\rm ..}: to the end of the list; a fraction belongs to it if it began the list."""
    start = len(line.out)
    outer, line.in_font = line.in_font, True
    if start == line.first:
        line.formula()
    else:
        line.nuclei()
    line.in_font = outer
    _write_in_font(line, SWITCHES[token], line.cut(start))


def _write_in_font(line: Line, font: str, inner: list[str]) -> None:
    """Write something in a font, unless it is nothing or has an alphabet of its own."""
    if inner and inner[0] in ALPHABETS and font in ALPHABETS and is_nucleus(inner):
        line.out += inner
    elif inner:
        line.out += [font, "{", *inner, "}"]


def _operator(line: Line, token: str) -> None:
    r"""\mathop and \operatorname decide where scripts stand, so they are written with them.

    An operator in upright letters is \operatorname, with a star if its scripts stand above and
    below; any other \mathop is one only for such scripts.
    """
    centred = token == "\\mathop"
    if not centred and line.peek() == "*":
        line.at += 1
        centred = True
    outer, line.in_font = line.in_font, False
    inner = line.argument()
    line.in_font = outer
    lower, upper, limits = line.read_scripts()
    centred = (limits == "\\limits" or centred and not limits) and bool(lower or upper)
    letters = _upright(inner, always=token != "\\mathop")
    name = "\\" + "".join(letters)
    if name in LETTERED and (name in LIMITED or not centred):
        line.out.append(name)
    elif letters:
        line.out += ["\\operatorname" + "*" * centred, "{", *letters, "}"]
    elif centred and inner and inner[0] not in LIMITED:
        line.out += ["\\mathop", "{", *inner, "}"]
    else:
        line.out += carrier(inner, grouped=False) if lower or upper else inner
    line.write_scripts(lower, upper)


def _upright(inner: list[str], *, always: bool) -> list[str]:
    r"""The letters of an operator, without the \mathrm that sets them; none if not upright."""
    upright = always
    while inner[:1] and inner[0] in UPRIGHT and is_nucleus(inner):
        upright, inner = True, inner[2:-1]
    letters = [token for token in inner if token != "~"]
    return letters if always or upright and all(t.isalnum() for t in letters) else []


# -- commands with arguments -------------------------------------------------------------------


def _command(line: Line, token: str) -> None:
    line.out.append(token)
    if token in OPTIONAL and line.peek() == "[":
        _optional(line)
    for _ in range(ARITY[token]):
        line.braced()


def _optional(line: Line) -> None:
    """Write an argument in brackets; the braces around it hide a bracket inside."""
    line.at += 1
    if not line.enclose("]"):
        line.at -= 1
    elif inner := line.argument():
        line.out += ["[", *(["{", *inner, "}"] if "]" in inner else inner), "]"]


def _above(line: Line, token: str) -> None:
    r"""\overset and \underset, unless with nothing."""
    if mark := line.argument():
        line.out += [token, "{", *mark, "}"]
        line.braced()
    else:
        line.out += line.argument()


def _sideset(line: Line, token: str) -> None:
    line.out.append(token)
    for _ in range(2):
        scripts = line.argument()
        line.out += ["{", *scripts[2 * (scripts[:2] == ["{", "}"]) :], "}"]


def _build_relation(line: Line, token: str) -> None:
    r"""\buildrel a \over b."""
    if line.enclose("\\over"):
        _above(line, "\\overset")


def _root(line: Line, token: str) -> None:
    r"""\root n \of x."""
    if line.enclose("\\of"):
        line.tokens[line.at] = "["
        line.tokens[line.find("}")] = "]"
        _command(line, "\\sqrt")


def _negation(line: Line, token: str) -> None:
    r"""\not= is \neq; any other relation keeps its \not."""
    if line.peek() in STOPS or line.peek() in "_^":
        return
    inner = with_dots(line.argument())
    if len(inner) == 1 and ACTIONS[inner[0]] is None and inner[0] not in PUNCTUATION:
        line.out += [NEGATED[inner[0]]] if inner[0] in NEGATED else [token, *inner]
    elif inner:
        line.out += [token, "{", *inner, "}"]


def _general_fraction(line: Line, token: str) -> None:
    r"""\genfrac{left}{right}{thickness}{style}{a}{b}."""
    left, right, thickness, _ = ("".join(line.raw_argument()).strip() for _ in range(4))
    left, right = (SAME_DELIMITER.get(d, d) for d in (left, right))
    bar = not thickness.startswith("0")
    top, bottom = line.argument(), line.argument()
    line.fraction(
        left if left in DELIMITERS else "", right if right in DELIMITERS else "", bar, top, bottom
    )


def _choice(line: Line, token: str) -> None:
    r"""\mathchoice{in a display}{in text}{in a script}{in a script of that}."""
    line.out += [line.argument() for _ in range(4)][0]


# -- delimiters --------------------------------------------------------------------------------


def _left(line: Line, token: str) -> None:
    line.out.append(token + (line.delimiter() or "."))
    line.row("")
    if line.tokens[line.at] in ROW_ENDS:
        raise NotNormal("multiline")
    line.expect("\\right")
    line.out.append("\\right" + (line.delimiter() or "."))


def _sized(line: Line, token: str) -> None:
    if delimiter := line.delimiter():
        line.out.append(token + delimiter)


# -- rows and columns --------------------------------------------------------------------------


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


class Actions(dict[str, Action | None]):
    """The table, which takes a control sequence that is not in it for an undefined command."""

    def __missing__(self, token: str) -> Action | None:
        return _unknown if token[0] == "\\" else None


ACTIONS = Actions({
    **dict.fromkeys(printable), **dict.fromkeys(KNOWN),
    **dict.fromkeys(SPACES | LIMITS, _nothing), **dict.fromkeys(WORD_SPACES, _word_space),
    **dict.fromkeys(LENGTHS, _length), **dict.fromkeys(SILENT, _silent),
    **dict.fromkeys(TEXTS, _text), **dict.fromkeys(SWITCHES, _switch),
    **dict.fromkeys(ARITY, _command), **dict.fromkeys(FONTS, _font),
    **dict.fromkeys(SIZED, _sized),
    **dict.fromkeys(STOPS, stop),
    "{": _group, "_": _script, "^": _script, "'": _script,
    "\\eqno": _number, "\\leqno": _number, "\\left": _left, "\\begin": begin,
    "\\mathop": _operator, "\\operatorname": _operator, "\\overset": _above,
    "\\underset": _above, "\\sideset": _sideset, "\\buildrel": _build_relation, "\\root": _root,
    "\\not": _negation, "\\genfrac": _general_fraction, "\\substack": substack,
    "\\mathchoice": _choice, **dict.fromkeys(UNGUARDED, _unguarded),
})  # fmt: skip
