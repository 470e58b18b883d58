r"""Acronyms and entries of a glossary: \newacronym, \DeclareAcronym, \newglossaryentry, \acrodef.

What they define is kept as macros with names that nobody can type. \gls, \ac and their relatives
print it: an acronym in full where it is first used, short from then on, and always short in a
formula. A key that nobody has defined is printed itself; in a formula it stays an unknown command.
"""

import re
from collections.abc import Sequence

from topiceq.article.macros.expander import Expander, Macro, Primitive, primitive
from topiceq.article.macros.tokens import unbraced
from topiceq.article.tex import COMMANDS, PRIMITIVE, split

KEY = re.compile(r"\s*([\w-]+)\s*=\s*")
FORMS: dict[str, str] = {  # what a command prints; none: the full form first, then the short one
    **dict.fromkeys(("gls", "ac", "acsu"), ""),
    **dict.fromkeys(("acs", "acrshort", "glsentryshort", "glsxtrshort", "iacs"), "short"),
    **dict.fromkeys(("acl", "acrlong", "glsentrylong", "glsxtrlong", "aclu"), "long"),
    **dict.fromkeys(("acf", "acrfull", "glsxtrfull", "glsfirst", "acfu"), "full"),
    **dict.fromkeys(("glstext", "glsname", "glsentrytext", "glsentryname"), "name"),
    **dict.fromkeys(("glssymbol", "glsentrysymbol"), "symbol"),
    **dict.fromkeys(("glsdesc", "glsentrydesc"), "description"),
}


def _keep(x: Expander, key: str, form: str, tokens: Sequence[str]) -> None:
    x.define(f"\\entry {key} {form}", Macro((), tuple(tokens)), everywhere=True)


def _kept(x: Expander, key: str, form: str) -> list[str]:
    macro = x.macros.get(f"\\entry {key} {form}")
    return [str(token) for token in macro.body] if macro else []


def _keep_values(x: Expander, key: str, tokens: Sequence[str]) -> None:
    """Keep what `name=.., short=..` says."""
    for part in split(tokens):
        while part and part[0].isspace():
            part = part[1:]
        while part and part[-1].isspace():
            part = part[:-1]
        if part and (name := KEY.match(part[0])):
            rest = part[0][name.end() :]
            _keep(x, key, name[1], unbraced([*([rest] if rest else []), *part[1:]]))


def acronym(x: Expander) -> None:
    r"""\newacronym[options]{key}{short}{long}."""
    options = x.optional() or []
    key = x.name()
    _keep(x, key, "short", x.argument())
    _keep(x, key, "long", x.argument())
    _keep_values(x, key, options)


def entry(x: Expander) -> None:
    r"""\newglossaryentry{key}{name=..} and \DeclareAcronym{key}{short=.., long=..}."""
    _keep_values(x, x.name(), x.argument())


def long_entry(x: Expander) -> None:
    r"""\longnewglossaryentry{key}{name=..}{description}."""
    entry(x)
    x.argument()


def acronym_definition(x: Expander) -> None:
    r"""\acrodef{key}[short]{long}, and \acro of a list."""
    key = x.name()
    _keep(x, key, "short", x.optional() or [key])
    _keep(x, key, "long", x.argument())


def print_entry(x: Expander) -> None:
    r"""\glossary@print{gls}, then what \gls takes: a star or plus, [..], {key}, [insertion]."""
    command = x.name()
    while x.take("*") or x.take("+"):
        pass
    x.optional()
    key = x.name()
    if command.lower().startswith("gls") and x.stack and x.stack[-1] == "[":
        x.optional()
    low = command.lower()
    plural = low not in FORMS
    form = FORMS.get(low.removesuffix("l").removesuffix("p") if plural else low, "")
    written = _printed(x, key, form)
    if not written:
        written = [PRIMITIVE + "\\" + command, "{", key or " ", "}"] if x.math else [key or " "]
    elif x.math:
        written = [token for token in written if token != "$"]
    elif plural:
        written = [*written, "s"]
    x.write(_capital(written) if command[0].isupper() else written)


def _printed(x: Expander, key: str, form: str) -> list[str]:
    short, long = _kept(x, key, "short"), _kept(x, key, "long")
    name = short or _kept(x, key, "text") or _kept(x, key, "name")
    if not form and not x.math and short and long and not _kept(x, key, "used"):
        _keep(x, key, "used", ["yes"])
        form = "full"
    if form == "full" and short and long:
        return [*long, " (", *short, ")"]
    return (_kept(x, key, form) if form else []) or name or long


def _capital(tokens: list[str]) -> list[str]:
    first = tokens[0]
    return tokens if first[0] in COMMANDS else [first[0].upper() + first[1:], *tokens[1:]]


GLOSSARY: dict[str, Primitive] = {
    **dict.fromkeys(["\\newacronym", "\\newabbreviation"], primitive(acronym)),
    **dict.fromkeys(["\\newglossaryentry", "\\DeclareAcronym"], primitive(entry)),
    "\\longnewglossaryentry": primitive(long_entry),
    **dict.fromkeys(["\\acrodef", "\\newacro", "\\acro"], primitive(acronym_definition)),
    "\\glossary@print": primitive(print_entry),
}
