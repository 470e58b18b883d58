r"""What expands, or names, the tokens behind it: \csname, \expandafter, \edef's body, \string, ...

These may stand where TeX expands but does not act, so \edef runs them and keeps all other commands.
"""

import re

from topiceq.article.macros.expander import Expander, Macro, Primitive, primitive
from topiceq.article.tex import Runaway, join

NAME_LIMIT = 200  # tokens of a name between \csname and \endcsname
NOT_TEXT = re.compile(r"[\\{}$&~^_\[\]#%\n]")


def is_expandable(token: str) -> bool:
    r"""Whether TeX runs a command inside \edef."""
    return token in EXPANSIONS or token[:3] in ("\\if", "\\If") or token in _REST


_REST = frozenset(("\\else", "\\or", "\\fi", "\\unless"))


def frozen(x: Expander, tokens: list[str]) -> list[str]:
    r"""The body of \edef: macros expanded, everything else as it is."""
    out: list[str] = []
    with x.aside(tokens):
        while x.stack:
            token = x.stack.pop()
            if token == "\\noexpand":
                out += x.stack[-1:]
                del x.stack[-1:]
            elif token == "\\unexpanded":
                out += x.argument()
            elif not expand_once(x, token):
                out.append(token)
    return out


def expand_once(x: Expander, token: str) -> bool:
    """Put in front what an expandable token stands for; whether it is one."""
    macro = x.macros.get(token)
    if macro is not None and not is_alias(x, macro):
        x.expand(token, macro)
        return True
    if macro is not None:
        token = str(macro.body[0])
    if token in x.primitives and is_expandable(token):
        x.primitives[token](x)
        return True
    return False


def is_alias(x: Expander, macro: Macro) -> bool:
    r"""Whether a macro is another name of a command, as after \let\ea\expandafter."""
    return len(macro.body) == 1 and not macro.params and macro.body[0] in x.primitives


def expandafter(x: Expander) -> None:
    first, second = x.character(), x.character()
    if not expand_once(x, second):
        x.stack.append(second)
    x.stack.append(first)


def csname(x: Expander) -> None:
    r"""\csname foo\endcsname is the control sequence \foo."""
    name: list[str] = []
    while (token := x.following()) != "\\endcsname":
        name.append(token)
        if len(name) > NAME_LIMIT:
            raise Runaway
    x.stack.append(control_sequence(join(name)))


def control_sequence(name: str) -> str:
    """The command of a name; spaces in it are those that TeX drops behind control words."""
    return "\\" + "".join(name.split())


def name_use(x: Expander) -> None:
    r"""\@nameuse{foo}."""
    x.stack.append(control_sequence(join(x.expanded(x.argument()))))


def string(x: Expander) -> None:
    r"""\string\foo is text; its backslash is a token of its own, which \@gobble may take."""
    token = x.character()
    x.push([token] if token[0] != "\\" else ["\\textbackslash", token[1:] or " "])


def detokenize(x: Expander) -> None:
    text = NOT_TEXT.sub("", join(x.argument()))
    x.push([text] if text else [])


def unexpanded(x: Expander) -> None:
    x.push(x.argument())


def pass_over(x: Expander) -> None:
    """Commands that change nothing we look at."""


EXPANSIONS: dict[str, Primitive] = {
    "\\csname": primitive(csname),
    "\\expandafter": primitive(expandafter),
    **dict.fromkeys(["\\@nameuse", "\\csuse"], primitive(name_use)),
    "\\string": primitive(string),
    "\\detokenize": primitive(detokenize),
    "\\unexpanded": primitive(unexpanded),
    **dict.fromkeys(["\\noexpand", "\\number", "\\xspace"], pass_over),
}
