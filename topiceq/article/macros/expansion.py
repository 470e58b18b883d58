r"""What expands, names or repeats the tokens behind it: \csname, \expandafter, \foreach, ...

EXPANSIONS may stand where TeX expands but does not act, so \edef runs them and keeps all other
commands. LOOPS write their body once for each value; authors use them to define families of macros
(\foreach \x in {A,...,Z} ...).
"""

import re
from collections.abc import Sequence

from topiceq.article.macros.expander import EXPANSION_LIMIT, Expander, Macro, Primitive, primitive
from topiceq.article.macros.tokens import Param
from topiceq.article.tex import Runaway, join, lex, split, units

NAME_LIMIT = 200  # tokens of a name between \csname and \endcsname
VALUES = 1_000  # of one loop
VALUE = "\\-value-"
NOT_TEXT = re.compile(r"[\\{}$&~^_\[\]#%\n]")

Values = dict[str, list[str]]  # what the names of a loop stand for in one turn


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


# -- loops ----------------------------------------------------------------------------------------


def for_each(x: Expander) -> None:
    r"""\foreach \x/\y [options] in {a/1, b/2} {body}."""
    names = [x.character()]
    while x.take("/"):
        names.append(x.character())
    x.optional()
    if not (x.take("i") and x.take("n")):
        raise Runaway
    values = enumerated(split(list_of(x, x.argument())))
    repeat(x, [assigned(names, split(value, "/")) for value in values], x.argument())


def list_of(x: Expander, tokens: list[str]) -> list[str]:
    """A list, which may be given by a macro."""
    return x.expanded(tokens) if tokens[:1] and tokens[0] in x.macros else tokens


def assigned(names: Sequence[str], values: Sequence[Sequence[str]]) -> Values:
    """The values of a loop's names; the last value serves for all names that are left."""
    last = len(values) - 1
    return {name: trimmed(values[min(i, last)]) for i, name in enumerate(names)}


def trimmed(tokens: Sequence[str]) -> list[str]:
    return lex(join(tokens).strip())


def enumerated(values: list[list[str]]) -> list[list[str]]:
    """`A,...,E` and `1,3,...,9` written out."""
    texts = [join(value).strip() for value in values]
    if "..." not in texts[1:-1]:
        return values
    at = texts.index("...", 1)
    middle = between(texts[max(at - 2, 0) : at], texts[at + 1])
    return values[:at] + [[value] for value in middle] + values[at + 2 :]


def between(before: Sequence[str], last: str) -> list[str]:
    """The values behind the first ones, up to and with the last; letters or whole numbers."""
    if len(before[-1]) == len(last) == 1 and last.isalpha() and last.isascii():
        codes = range(ord(before[-1]) + 1, ord(last) + 1)
        return [chr(code) for code in codes[:VALUES]]
    numbers = [int(each) for each in before]
    step = numbers[-1] - numbers[0] if len(numbers) > 1 else 1 if int(last) > numbers[-1] else -1
    numbers = list(range(numbers[-1] + step, int(last) + (1 if step > 0 else -1), step)[:VALUES])
    return [str(number) for number in numbers]


def at_for(x: Expander) -> None:
    r"""\@for\x:=a,b,c\do{body}."""
    name = x.character()
    values = split(x.expanded(_assigned_list(x)))
    repeat(x, [assigned([name], [value]) for value in values], x.argument())


def at_tfor(x: Expander) -> None:
    r"""\@tfor\x:=abc\do{body}: one token after another."""
    name = x.character()
    values = [unit for unit in units(_assigned_list(x)) if not unit.isspace()]
    repeat(x, [assigned([name], [[value]]) for value in values], x.argument())


def _assigned_list(x: Expander) -> list[str]:
    x.take(":")
    x.take("=")
    return x.delimited(("\\do",))


def repeat(x: Expander, turns: Sequence[Values], body: list[str]) -> None:
    """Write the body once for each turn, with the turn's values in place of the loop's names."""
    if len(turns) > VALUES:
        raise Runaway
    longest = max((len(value) for turn in turns for value in turn.values()), default=0)
    names = sum(body.count(name) for turn in turns[:1] for name in turn)
    if len(turns) * (len(body) + names * longest) > EXPANSION_LIMIT:
        x.give_up("loop")
    x.write([part for turn in turns for token in body for part in turn.get(token, (token,))])


def for_list(x: Expander) -> None:
    r"""\forcsvlist{\command}{a,b,c}: the command for each value."""
    call_each(x, x.argument())


def do_list(x: Expander) -> None:
    r"""\docsvlist{a,b,c}: \do for each value."""
    call_each(x, ["\\do"])


def call_each(x: Expander, command: list[str]) -> None:
    values = split(list_of(x, x.argument()))
    repeat(x, [{VALUE: trimmed(value)} for value in values], [*command, "{", VALUE, "}"])


def loop_commands(x: Expander) -> None:
    r"""\LoopCommands{ABC}[bb#1]{\newmathcommand#2{\mathbb#1}}: #2 is \bbA, then \bbB, \bbC."""
    letters = [unit for unit in units(x.expanded(x.argument())) if not unit.isspace()]
    names: list[Macro] = []
    while (name := x.optional()) is not None:
        names.append(Macro.of((Param(),), name))
    body = Macro.of((Param(),) * (len(names) + 1), x.argument())
    for letter in reversed(letters[:VALUES]):
        made = [join(name.replaced([[letter]])[::-1]).lstrip("\\") for name in names]
        x.write(body.replaced([[letter], *([control_sequence(each)] for each in made)])[::-1])


LOOPS: dict[str, Primitive] = {
    "\\LoopCommands": primitive(loop_commands),
    "\\foreach": primitive(for_each),
    "\\@for": primitive(at_for),
    "\\@tfor": primitive(at_tfor),
    "\\forcsvlist": primitive(for_list),
    "\\docsvlist": primitive(do_list),
}
