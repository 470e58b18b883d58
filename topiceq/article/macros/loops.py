r"""What repeats: \foreach, \@for, \@tfor, \forcsvlist, \docsvlist.

Authors use them to define families of macros (\foreach \x in {A,...,Z} ...). The body is written
once for each value.
"""

from collections.abc import Sequence

from topiceq.article.macros.expander import EXPANSION_LIMIT, Expander, Primitive, primitive
from topiceq.article.tex import Runaway, join, lex, split, units

VALUES = 1_000  # of one loop
VALUE = "\\-value-"

Values = dict[str, list[str]]  # what the names of a loop stand for in one turn


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


LOOPS: dict[str, Primitive] = {
    "\\foreach": primitive(for_each),
    "\\@for": primitive(at_for),
    "\\@tfor": primitive(at_tfor),
    "\\forcsvlist": primitive(for_list),
    "\\docsvlist": primitive(do_list),
}
