r"""What defines: \newcommand, \def, \let, \DeclareMathOperator, \NewDocumentCommand, \newdimen, ...

Each function takes from an expander what follows the command and records the definition. Names that
carry an article's structure (\section, \begin, \ref, ...) and the commands of the expander itself
keep their meaning whatever the author makes of them.
"""

import re
from collections.abc import Callable

from topiceq.article.commands import DISPLAYS, KNOWN, NAMES, SIZED, STRUCTURE, names, which
from topiceq.article.macros.expander import (
    Environment,
    Expander,
    Macro,
    Primitive,
    parse_body,
    primitive,
)
from topiceq.article.macros.expansion import control_sequence, frozen, pass_over
from topiceq.article.macros.tokens import (
    FALSE,
    NO_VALUE,
    TRUE,
    Param,
    counted,
    number,
    parameter_text,
    specified,
    with_defaults,
)
from topiceq.article.tex import COMMANDS, FILE_END, PRIMITIVE, Runaway, join

PREFIXES = ("\\global", "\\long", "\\protected", "\\outer")
FORMS_OF_DEF = ("\\def", "\\gdef", "\\edef", "\\xdef")
UNDEFINED = ("\\undefined", "\\@undefined")
REDEFINED = ("\\or", "\\number", "\\string")  # authors use these names for symbols of their own
PLACES = names("part chapter section")
PLACE = re.compile(r"[\w./-]+")
DRAWING = which("drawing")
CODE = re.compile(r"""\s*(?:=\s*)?(?:"([0-9A-F]+)|'([0-7]+)|(\d+))\s?""")


def command_name(x: Expander) -> str:
    r"""The name being defined: `\x` or `{\x}`."""
    name = next((token for token in x.argument() if not token.isspace()), "")
    if name.isalpha():  # which MathJax takes for \name
        name = "\\" + name
    if name[:1] != "\\" and name != "~":
        raise Runaway
    return name


def record(x: Expander, name: str, macro: Macro | None, *, everywhere: bool = False) -> None:
    """Define a name, unless it must keep its meaning."""
    if name[0] != "\\" and name != "~":
        return  # a character that was made active
    if name in STRUCTURE and not _is_place(name, macro):
        return
    if name in x.primitives and name not in REDEFINED:
        return
    if (
        macro is not None
        and not DRAWING.isdisjoint(macro.body)
        and (name in KNOWN or name in x.defaults)
    ):
        return  # a symbol drawn by hand that has a plain spelling
    x.define(name, macro, everywhere=everywhere)


def _is_place(name: str, macro: Macro | None) -> bool:
    r"""Whether a heading is made the name of a folder or a file: \def\part{first}."""
    if name not in PLACES or macro is None or macro.params or len(macro.body) != 1:
        return False
    return PLACE.fullmatch(str(macro.body[0])) is not None


def provide(x: Expander, name: str, macro: Macro) -> None:
    """Define a name that has no meaning yet."""
    if name not in KNOWN and (name not in x.macros or x.is_default(name)):
        record(x, name, macro)


def command(params: Callable[[Expander], tuple[Param, ...]], *, new: bool = True) -> Primitive:
    r"""\newcommand and its relatives, which differ in how they declare parameters."""

    def act(x: Expander) -> None:
        x.take("*")
        name = command_name(x)
        declared = params(x)
        (record if new else provide)(x, name, Macro.of(declared, x.argument()))

    return primitive(act)


def _specified(x: Expander) -> tuple[Param, ...]:
    return specified(x.argument())


def _two_optional(x: Expander) -> tuple[Param, ...]:
    r"""`[3][a][b]` of \newcommandtwoopt."""
    first, second = counted(x), x.optional() or []
    return (*first[:1], Param("o", tuple(second), ("[", "]")), *first[2:])


def define_with(*, everywhere: bool = False, now: bool = False) -> Primitive:
    r"""\def and its relatives: for good (\gdef), with the body expanded at once (\edef)."""

    def act(x: Expander) -> None:
        define(x, x.character(), everywhere=everywhere, now=now)

    return primitive(act)


def define(
    x: Expander, name: str, *, everywhere: bool = False, now: bool = False, kind: str = "u"
) -> None:
    """Read parameters and body of a definition whose name is known."""
    prefix, params = parameter_text(x, kind)
    tokens = x.argument()
    macro = Macro.of(params, frozen(x, tokens) if now else tokens, prefix)
    record(x, name, macro, everywhere=everywhere)


def named_definition(*, everywhere: bool = False, now: bool = False) -> Primitive:
    r"""\@namedef{foo}#1{...}."""

    def act(x: Expander) -> None:
        name = control_sequence(join(x.expanded(x.argument())))
        define(x, name, everywhere=everywhere, now=now)

    return primitive(act)


def let(x: Expander, *, everywhere: bool = False) -> None:
    name = x.character()
    x.take("=")
    copy(x, name, x.character(), everywhere=everywhere)


def copy(x: Expander, name: str, target: str, *, everywhere: bool = False) -> None:
    r"""Give a name the meaning of another, or none if that is \undefined."""
    meaning = None if target in UNDEFINED else x.meaning(target)
    record(x, name, meaning, everywhere=everywhere)


def let_command(x: Expander) -> None:
    r"""\LetLtxMacro{\new}{\old}."""
    copy(x, command_name(x), command_name(x))


def let_name(x: Expander) -> None:
    r"""\cslet{new}\old."""
    copy(x, control_sequence(x.name()), command_name(x))


def let_from_name(x: Expander) -> None:
    r"""\letcs\new{old}."""
    copy(x, command_name(x), control_sequence(x.name()))


def future_let(x: Expander) -> None:
    r"""\futurelet\next\act looks at the token behind \act."""
    name, act = x.character(), x.character()
    following = x.peek()
    if following and following != FILE_END:
        copy(x, name, following if following[0] in COMMANDS else following[0])
    x.stack.append(act)


def prefix(first: str) -> Primitive:
    r"""\global, \long, \protected and \outer before a definition."""

    def act(x: Expander) -> None:
        prefixes = {first}
        while x.peek() in PREFIXES:
            prefixes.add(x.stack.pop())
        everywhere = "\\global" in prefixes
        if x.take("\\let"):
            let(x, everywhere=everywhere)
        elif x.peek() in FORMS_OF_DEF:
            form = x.stack.pop()
            everywhere |= form in ("\\gdef", "\\xdef")
            now, kind = form in ("\\edef", "\\xdef"), "U" if "\\long" in prefixes else "u"
            define(x, x.character(), everywhere=everywhere, now=now, kind=kind)

    return primitive(act)


def operator(x: Expander) -> None:
    star = "*" if x.take("*") else ""
    name = command_name(x)
    body = [PRIMITIVE + "\\operatorname", *star, "{", *x.argument(), "}"]
    record(x, name, Macro.of((), body))


def math_character(x: Expander) -> None:
    r"""\mathchardef\lt="313C: the last two digits are the character, as far as it is ASCII."""
    name = x.character()
    if character := _coded(x):
        record(x, name, Macro((), (character,)))


def write_character(x: Expander) -> None:
    r"""\mathchar`\=, \mathchar"313C."""
    character = x.character().removeprefix("\\") if x.take("`") else _coded(x)
    x.write([character] if character else [])


def _coded(x: Expander) -> str:
    """The character whose code comes next, if it is one that prints itself."""
    found = CODE.match(x.peek())
    if not found:
        return ""
    rest = x.stack.pop()[found.end() :]
    x.stack += [rest] if rest else []
    code = int(found[1] or found[2] or found[3], 16 if found[1] else 8 if found[2] else 10)
    character = chr(code % 256)
    return character if " " < character < "\x7f" and character not in "\\{}%#$&~^_" else ""


def environment(x: Expander) -> None:
    x.take("*")
    name = x.name()
    _record_environment(x, name, counted(x))


def document_environment(x: Expander) -> None:
    name = x.name()
    _record_environment(x, name, specified(x.argument(), name))


def _record_environment(x: Expander, name: str, params: tuple[Param, ...]) -> None:
    begin, end = Macro.of(params, x.argument()), Macro.of(params, x.argument())
    if "\\begin{" + name not in STRUCTURE or params and name in DISPLAYS:  # what it takes counts
        x.environments[name] = Environment(begin, end)
        command = "\\" + name  # which an author's environment is, too: \resp{x} without \begin
        if name.isalpha() and x.defaults and command not in x.macros and command not in NAMES:
            record(x, command, begin)


def collected_environment(x: Expander) -> None:
    r"""\NewEnviron{name}[1]{.. \BODY ..}: the body stands where the definition says."""
    name = x.name()
    params = (*counted(x), Param("b", ends=(name,)))
    place = ("#", str(len(params)))
    body = [part for token in x.argument() for part in (place if token == "\\BODY" else (token,))]
    if "\\begin{" + name not in STRUCTURE:
        x.environments[name] = Environment(Macro.of(params, body), Macro((), ()))


_newcommand = command(counted)
_provide = command(counted, new=False)
_document = command(_specified)

DEFINITIONS: dict[str, Primitive] = {
    **dict.fromkeys(
        ["\\newcommand", "\\renewcommand", "\\DeclareRobustCommand", "\\newrobustcmd",
         "\\renewrobustcmd", "\\declarecommand", "\\newmathcommand", "\\renewmathcommand",
         "\\declaremathcommand"], _newcommand),
    **dict.fromkeys(
        ["\\providecommand", "\\providerobustcmd", "\\newtextcommand", "\\declaretextcommand"],
        _provide),
    **dict.fromkeys(
        ["\\NewDocumentCommand", "\\RenewDocumentCommand", "\\DeclareDocumentCommand",
         "\\NewExpandableDocumentCommand", "\\RenewExpandableDocumentCommand",
         "\\DeclareExpandableDocumentCommand"], _document),
    **dict.fromkeys(
        ["\\ProvideDocumentCommand", "\\ProvideExpandableDocumentCommand"],
        command(_specified, new=False)),
    **dict.fromkeys(["\\newcommandx", "\\renewcommandx"], command(with_defaults)),
    "\\providecommandx": command(with_defaults, new=False),
    **dict.fromkeys(["\\newcommandtwoopt", "\\renewcommandtwoopt"], command(_two_optional)),
    **dict.fromkeys(["\\newenvironment", "\\renewenvironment"], primitive(environment)),
    **dict.fromkeys(
        ["\\NewDocumentEnvironment", "\\RenewDocumentEnvironment", "\\ProvideDocumentEnvironment",
         "\\DeclareDocumentEnvironment"], primitive(document_environment)),
    **dict.fromkeys(["\\NewEnviron", "\\RenewEnviron"], primitive(collected_environment)),
    "\\def": define_with(),
    "\\gdef": define_with(everywhere=True),
    "\\edef": define_with(now=True),
    "\\xdef": define_with(everywhere=True, now=True),
    **dict.fromkeys(["\\@namedef", "\\csdef"], named_definition()),
    "\\csgdef": named_definition(everywhere=True),
    "\\csedef": named_definition(now=True),
    "\\csxdef": named_definition(everywhere=True, now=True),
    "\\let": primitive(let),
    **dict.fromkeys(
        ["\\LetLtxMacro", "\\NewCommandCopy", "\\RenewCommandCopy", "\\DeclareCommandCopy"],
        primitive(let_command)),
    "\\cslet": primitive(let_name),
    "\\letcs": primitive(let_from_name),
    "\\futurelet": primitive(future_let),
    **{name: prefix(name) for name in PREFIXES},
    "\\DeclareMathOperator": primitive(operator),
    **dict.fromkeys(["\\mathchardef", "\\chardef"], primitive(math_character)),
    "\\mathchar": primitive(write_character),
    **dict.fromkeys(
        ["\\protect", "\\makeatletter", "\\makeatother",
         "\\ignorespaces", "\\allowbreak", "\\nobreak", "\\nolinebreak", "\\unskip",
         "\\leavevmode", "\\/", "\\-", TRUE, FALSE, NO_VALUE], pass_over),
}  # fmt: skip


# -- \DeclarePairedDelimiter: the star and the size first, then \-paired- writes all of it --------


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


# -- lengths and numbers: read, so that they do not print, and forgotten --------------------------


UNIT = r"(?:true\s*)?(?:pt|em|ex|mu|cm|mm|in|bp|sp|pc|dd|cc|fil+)"
VALUE = re.compile(
    rf"\s*+(?:=\s*+)?(?P<number>[-+]?\d*\.?\d*)\s*+(?P<unit>{UNIT})?"
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
    **dict.fromkeys((*which("register"), REGISTER), primitive(assign)),
    **dict.fromkeys(["\\advance", "\\multiply", "\\divide"], primitive(advance)),
    **dict.fromkeys(["\\newcount", "\\newdimen", "\\newskip", "\\newmuskip"], primitive(allocate)),
}  # fmt: skip
