r"""What repeats: \foreach, \@for, \@tfor, \forcsvlist, \docsvlist.

Authors use them to define families of macros (\foreach \x in {A,...,Z} ...). The body is written
once for each value.
"""

from collections.abc import Sequence

from topiceq.corpus.macros import Expander, Primitive, primitive
from topiceq.corpus.tex import Runaway, join, lex, split, units

VALUES = 1_000  # of one loop


def for_each(x: Expander) -> None:
    r"""\foreach \x/\y [options] in {a/1, b/2} {body}."""
    names = [x.character()]
    while x.take("/"):
        names.append(x.character())
    x.optional()
    if not (x.take("i") and x.take("n")):
        raise Runaway
    values = enumerated(split(list_of(x, x.argument())))
    body = x.argument()
    repeat(x, [assigned(names, split(value, "/")) for value in values], body)


def list_of(x: Expander, tokens: list[str]) -> list[str]:
    """A list, which may be given by a macro."""
    return x.expanded(tokens) if tokens[:1] and tokens[0] in x.macros else tokens


def assigned(names: Sequence[str], values: Sequence[Sequence[str]]) -> list[str]:
    """The definitions that give the names of a loop their values; the last value serves for all."""
    out: list[str] = []
    for i, name in enumerate(names):
        value = values[min(i, len(values) - 1)]
        out += ["\\def", name, "{", *trimmed(value), "}"]
    return out


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
    if len(before[-1]) == len(last) == 1 and last.isalpha():
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


def repeat(x: Expander, starts: Sequence[list[str]], body: list[str]) -> None:
    """Write the body once behind each of some starts."""
    if len(starts) > VALUES:
        raise Runaway
    x.spend(len(starts) * len(body))
    x.write([token for start in starts for token in (*start, *body)])


def for_list(x: Expander) -> None:
    r"""\forcsvlist{\command}{a,b,c}: the command for each value."""
    command, values = x.argument(), split(list_of(x, x.argument()))
    repeat(x, [[*command, "{", *trimmed(value), "}"] for value in values], [])


def do_list(x: Expander) -> None:
    r"""\docsvlist{a,b,c}: \do for each value."""
    values = split(list_of(x, x.argument()))
    repeat(x, [["\\do", "{", *trimmed(value), "}"] for value in values], [])


LOOPS: dict[str, Primitive] = {
    "\\foreach": primitive(for_each),
    "\\@for": primitive(at_for),
    "\\@tfor": primitive(at_tfor),
    "\\forcsvlist": primitive(for_list),
    "\\docsvlist": primitive(do_list),
}
