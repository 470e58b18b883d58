r"""What defines macros: \newcommand, \def, \let, \DeclareMathOperator, \NewDocumentCommand, ...

Each function takes from an expander what follows the command and records the definition. Names that
carry an article's structure (\section, \begin, \ref, ...) keep their meaning whatever the author
makes of them.
"""

from collections.abc import Callable

from topiceq.corpus.commands import KNOWN, STRUCTURE
from topiceq.corpus.macros import (
    FALSE,
    NO_VALUE,
    TRUE,
    Environment,
    Expander,
    Macro,
    Param,
    Primitive,
    parse_body,
)
from topiceq.corpus.tex import FILE_END, PRIMITIVE, Runaway, join, lex

EXPANDABLE = {"\\csname", "\\expandafter", "\\string", "\\fi", "\\else", "\\@nameuse"}
BODY_LIMIT = 20_000  # tokens of one definition


def quietly(act: Primitive) -> Primitive:
    """A definition that breaks off is no definition."""

    def tolerant(x: Expander) -> None:
        try:
            act(x)
        except (Runaway, ValueError):
            pass

    return tolerant


def command_name(x: Expander) -> str:
    r"""The name being defined: `\x` or `{\x}`."""
    argument = [t for t in x.argument() if not t.isspace()]
    if not argument or argument[0][0] not in "\\~":
        raise Runaway
    return argument[0]


def record(x: Expander, name: str, macro: Macro, *, everywhere: bool = False) -> None:
    if name not in STRUCTURE and len(macro.body) <= BODY_LIMIT:
        x.define(name, macro, everywhere=everywhere)


def counted_params(x: Expander) -> tuple[Param, ...]:
    r"""`[2][default]` of \newcommand."""
    number = x.optional()
    default = x.optional()
    count = min(int(join(number)), 9) if number else 0
    if default is None or count == 0:
        return (Param(),) * count
    return (Param("o", tuple(default), ("[", "]")),) + (Param(),) * (count - 1)


def newcommand(x: Expander) -> None:
    x.take("*")
    name = command_name(x)
    params = counted_params(x)
    record(x, name, Macro.of(params, x.argument()))


def providecommand(x: Expander) -> None:
    x.take("*")
    name = command_name(x)
    params = counted_params(x)
    macro = Macro.of(params, x.argument())
    if name not in KNOWN and (name not in x.macros or x.is_default(name)):
        record(x, name, macro)


def def_params(x: Expander) -> tuple[tuple[str, ...], tuple[Param, ...]]:
    r"""The parameter text of \def: what must come first, then each parameter's delimiter."""
    texts: list[list[str]] = [[]]
    while x.stack and x.stack[-1] != "{":
        token = x.stack.pop()
        if token == FILE_END:
            x.stack.append(token)
            raise Runaway
        if token != "#":
            if token[0] != "%" and token[0] != "\n":
                texts[-1].append(token)
            continue
        digit = x.stack[-1] if x.stack else ""
        if digit == "{":
            texts[-1].append("{")
            break
        x.character()
        texts.append([])
    prefix, *delimiters = texts
    params = tuple(Param("u", ends=tuple(d)) if d else Param() for d in delimiters)
    return tuple(t for t in prefix if not t.isspace()), params


def define_with(*, everywhere: bool = False, now: bool = False) -> Primitive:
    r"""\def and its relatives: for good (\gdef), with the body expanded at once (\edef)."""

    def act(x: Expander) -> None:
        name = x.character()
        prefix, params = def_params(x)
        tokens = x.argument()
        if now:
            tokens = x.expanded(tokens)
        record(x, name, Macro.of(params, tokens, prefix), everywhere=everywhere)

    return act


def let(x: Expander) -> None:
    name = x.character()
    if x.stack and x.stack[-1][:1] == "=":
        x.take("=")
    target = x.character()
    record(x, name, x.meaning(target))


def operator(x: Expander) -> None:
    star = "*" if x.take("*") else ""
    name = command_name(x)
    body = [PRIMITIVE + "\\operatorname", *star, "{", *x.argument(), "}"]
    record(x, name, Macro.of((), body))


def paired(x: Expander) -> None:
    r"""\DeclarePairedDelimiter\abs{\lvert}{\rvert}: with star or size they grow."""
    name = command_name(x)
    left, right = x.argument(), x.argument()
    record(x, name, _paired_macro((Param(),), left, right, ["#", "1"]))


def paired_x(x: Expander) -> None:
    name = command_name(x)
    count = int(join(x.optional() or ["1"]))
    left, right, body = x.argument(), x.argument(), x.argument()
    body = ["\\middle" if t == "\\delimsize" else t for t in body]
    record(x, name, _paired_macro((Param(),) * count, left, right, body))


def _paired_macro(params: tuple[Param, ...], left: list[str], right: list[str],
                  body: list[str]) -> Macro:  # fmt: skip
    star = Param("s", ends=("*",))
    size = Param("o", (), ("[", "]"))
    shifted = tuple(i + 2 if isinstance(i, int) else i for i in parse_body(body))
    grow = ("\\left", *(left or ["."])), ("\\right", *(right or ["."]))
    return Macro((star, size, *params), (*grow[0], *shifted, *grow[1]))


def document_params(spec: list[str]) -> tuple[Param, ...]:
    """An xparse argument specification such as `s o m O{1} t+ d() g`."""
    x = Expander(spec)
    params: list[Param] = []
    while x.peek():
        kind = x.character()
        if kind in _SIMPLE_KINDS:
            params.append(_SIMPLE_KINDS[kind])
        elif kind in _KINDS:
            params.append(_KINDS[kind](x))
        elif kind == ">":
            x.argument()
    return tuple(params)


def _delimited_kind(x: Expander) -> Param:
    return Param("d", ends=(x.character(), x.character()))


def _delimited_default(x: Expander) -> Param:
    ends = (x.character(), x.character())
    return Param("d", tuple(x.argument()), ends)


_SIMPLE_KINDS = {
    "m": Param(),
    "o": Param("o", ends=("[", "]")),
    "s": Param("s", ends=("*",)),
    "g": Param("g", ends=("{", "}")),
    "b": Param(),
}
_KINDS: dict[str, Callable[[Expander], Param]] = {
    "O": lambda x: Param("o", tuple(x.argument()), ("[", "]")),
    "G": lambda x: Param("g", tuple(x.argument()), ("{", "}")),
    "t": lambda x: Param("t", ends=(x.character(),)),
    "d": _delimited_kind,
    "r": _delimited_kind,
    "D": _delimited_default,
    "R": _delimited_default,
    "u": lambda x: Param("u", ends=tuple(x.argument())),
}


def document_command(x: Expander) -> None:
    name = command_name(x)
    params = document_params(x.argument())
    record(x, name, Macro.of(params, x.argument()))


def xargs_command(x: Expander) -> None:
    r"""\newcommandx{\a}[2][1=x]{...}: parameters with named defaults are optional."""
    name = command_name(x)
    count = int(join(x.optional() or ["0"]))
    defaults = dict(
        part.split("=", 1) for part in join(x.optional() or []).split(",") if "=" in part
    )
    params = tuple(
        Param("o", tuple(lex(defaults[str(i)])), ("[", "]")) if str(i) in defaults else Param()
        for i in range(1, min(count, 9) + 1)
    )
    record(x, name, Macro.of(params, x.argument()))


def environment(x: Expander) -> None:
    x.take("*")
    name = x.name()
    params = counted_params(x)
    _record_environment(x, name, params)


def document_environment(x: Expander) -> None:
    name = x.name()
    _record_environment(x, name, document_params(x.argument()))


def _record_environment(x: Expander, name: str, params: tuple[Param, ...]) -> None:
    begin, end = Macro.of(params, x.argument()), Macro.of(params, x.argument())
    if "\\begin{" + name not in STRUCTURE:
        x.environments[name] = Environment(begin, end)


def new_if(x: Expander) -> None:
    r"""\newif\iffoo: \iffoo is false until \footrue."""
    name = x.character()
    stem = name[3:]
    record(x, name, Macro((), ("\\iffalse",)))
    for value in ("true", "false"):
        record(x, "\\" + stem + value, Macro((), ("\\let", name, "\\if" + value)))


def csname(x: Expander) -> None:
    r"""\csname foo\endcsname is the control sequence \foo."""
    name: list[str] = []
    while (token := x.next()) != "\\endcsname":
        if token[0] in "{}\\\x00" or len(name) > 100:
            x.stack.append(token)
            raise Runaway
        name.append(token)
    x.stack.append("\\" + join(name).strip())


def expandafter(x: Expander) -> None:
    first = x.character()
    second = x.character()
    macro = x.macros.get(second)
    if macro is not None:
        x.expand(second, macro)
    elif second in EXPANDABLE or second[:3] == "\\if":
        x.primitives.get(second, pass_over)(x)
    else:
        x.stack.append(second)
    x.stack.append(first)


def name_definition(x: Expander) -> None:
    r"""\@namedef{foo}#1{...}."""
    x.push(["\\def", "\\" + x.name()])


def name_use(x: Expander) -> None:
    x.stack.append("\\" + x.name())


def pass_over(x: Expander) -> None:
    """Commands that change nothing we look at."""


def string(x: Expander) -> None:
    x.stack.append(x.character().lstrip("\\") or " ")


def global_prefix(x: Expander) -> None:
    relatives = {"\\def": "\\gdef", "\\edef": "\\xdef"}
    if x.peek() in relatives:
        x.stack.append(relatives[x.stack.pop()])


def for_each(x: Expander) -> None:
    r"""\foreach \x in {A,...,Z}{body}, as far as it defines macros."""
    name = x.character()
    while x.peek() and x.stack[-1] != "{":
        x.character()
    values, body = join(x.argument()), x.argument()
    repeat(x, name, _enumerated([v.strip() for v in values.split(",")]), body)


def _enumerated(values: list[str]) -> list[str]:
    """`A,...,E` written out."""
    if "..." not in values[1:-1]:
        return values
    at = values.index("...")
    first, last = values[at - 1], values[at + 1]
    if len(first) == len(last) == 1:
        middle = [chr(code) for code in range(ord(first) + 1, ord(last))]
    else:
        middle = [str(n) for n in range(int(first) + 1, min(int(last), int(first) + 1000))]
    return values[:at] + middle + values[at + 1 :]


def at_for(x: Expander) -> None:
    r"""\@for\x:=a,b,c\do{body}."""
    name = x.character()
    values = join(x.expanded(x.delimited(("\\do",)))).lstrip(":= ")
    repeat(x, name, values.split(","), x.argument())


def at_tfor(x: Expander) -> None:
    name = x.character()
    values = join(x.delimited(("\\do",))).lstrip(":= ")
    repeat(x, name, [v for v in lex(values) if not v.isspace()], x.argument())


def repeat(x: Expander, name: str, values: list[str], body: list[str]) -> None:
    """Put the body in front once for each value of the loop's name."""
    for value in reversed(values):
        x.push(["\\def", name, "{", *lex(value.strip()), "}", *body])


def for_list(x: Expander) -> None:
    r"""\forcsvlist{\cmd}{a,b,c}."""
    command, values = x.argument(), join(x.argument()).split(",")
    for value in reversed(values):
        x.push([*command, "{", *lex(value.strip()), "}"])




_newcommand, _document = quietly(newcommand), quietly(document_command)
_environment, _document_environment = quietly(environment), quietly(document_environment)

DEFINITIONS: dict[str, Primitive] = {
    **dict.fromkeys(
        ["\\newcommand", "\\renewcommand", "\\DeclareRobustCommand", "\\newrobustcmd",
         "\\renewrobustcmd"], _newcommand),
    **dict.fromkeys(["\\providecommand", "\\providerobustcmd"], quietly(providecommand)),
    **dict.fromkeys(
        ["\\NewDocumentCommand", "\\RenewDocumentCommand", "\\ProvideDocumentCommand",
         "\\DeclareDocumentCommand", "\\NewExpandableDocumentCommand",
         "\\DeclareExpandableDocumentCommand"], _document),
    **dict.fromkeys(["\\newcommandx", "\\renewcommandx"], quietly(xargs_command)),
    **dict.fromkeys(["\\newenvironment", "\\renewenvironment"], _environment),
    **dict.fromkeys(
        ["\\NewDocumentEnvironment", "\\RenewDocumentEnvironment", "\\ProvideDocumentEnvironment",
         "\\DeclareDocumentEnvironment"], _document_environment),
    "\\def": quietly(define_with()),
    "\\gdef": quietly(define_with(everywhere=True)),
    "\\edef": quietly(define_with(now=True)),
    "\\xdef": quietly(define_with(everywhere=True, now=True)),
    "\\let": quietly(let),
    **dict.fromkeys(["\\DeclareMathOperator"], quietly(operator)),
    "\\DeclarePairedDelimiter": quietly(paired),
    "\\DeclarePairedDelimiterX": quietly(paired_x),
    "\\newif": quietly(new_if),
    "\\csname": quietly(csname),
    "\\expandafter": quietly(expandafter),
    "\\@namedef": quietly(name_definition),
    "\\@nameuse": quietly(name_use),
    "\\string": quietly(string),
    "\\global": quietly(global_prefix),
    "\\foreach": quietly(for_each),
    "\\@for": quietly(at_for),
    "\\@tfor": quietly(at_tfor),
    "\\forcsvlist": quietly(for_list),
    **dict.fromkeys(
        ["\\long", "\\outer", "\\protected", "\\protect", "\\relax", "\\noexpand", "\\unexpanded",
         "\\makeatletter", "\\makeatother", "\\ignorespaces", "\\allowbreak", "\\nobreak",
         "\\nolinebreak", "\\unskip", "\\leavevmode", "\\/", "\\-", TRUE, FALSE,
         NO_VALUE], pass_over),
}  # fmt: skip
