r"""Options of packages and classes: declared, handed on, and carried out where LaTeX does.

`\usepackage[fast]{mymacros}` gives the file mymacros.sty its options. What \DeclareOption says of
each is written in front of the rest at \ProcessOptions, so whatever it switches (a \newif, a
boolean, a definition) holds for what follows. Keys with values, by kvoptions or xkeyval, are
options whose code has one parameter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import basename, splitext
from typing import TYPE_CHECKING

from topiceq.article.macros.conditions import choose
from topiceq.article.macros.expander import Expander, Macro
from topiceq.article.macros.tokens import Param, unbraced
from topiceq.article.tex import join, lex, split

if TYPE_CHECKING:
    from topiceq.article.latex import Reader

KEYS = frozenset(("\\ProcessKeyvalOptions", "\\ProcessOptionsX"))  # in the order they are given


@dataclass(frozen=True, slots=True)
class Option:
    """What an option does, and the value of a key that is given without one."""

    code: Macro
    default: str = "true"


@dataclass(slots=True)
class Options:
    """The options of one style or class: those that it is given, and those that it declares."""

    style: str = ""  # its file
    given: Sequence[str] = ()
    declared: dict[str, Option] = field(default_factory=dict)
    otherwise: Option | None = None  # for options that are given but not declared
    prefix: str = ""  # of the commands that kvoptions makes

    def carried_out(self, of_class: Sequence[str], *, as_given: bool) -> list[str]:
        """What to write for the options given, in the order of the declarations unless told."""
        keys = {each.partition("=")[0].strip(): each for each in (*of_class, *self.given)}
        order = keys if as_given else self.declared
        known = [keys[key] for key in order if key in keys and key in self.declared]
        others = [each for each in self.given if each.partition("=")[0] not in self.declared]
        return [token for each in (*known, *others) for token in self.execute(each)]

    def execute(self, option: str) -> Iterator[str]:
        r"""The code of one option, \CurrentOption set."""
        key, _, value = option.partition("=")
        known = self.declared.get(key.strip(), self.otherwise)
        if known is not None:
            yield from ("\\def", "\\CurrentOption", "{", option, "}")
            argument = unbraced(lex(value.strip() or known.default))
            yield from known.code.replaced([argument])[::-1]


def listed(x: Expander, tokens: Sequence[str] | None) -> list[str]:
    """The options of a list, macros expanded."""
    parts = (join(part).strip() for part in split(x.expanded(tokens or [])))
    return [part for part in parts if part]


def _key(tokens: Sequence[str]) -> Option:
    return Option(Macro.of((Param(),), tokens))


def declare(r: "Reader", token: str) -> None:
    r"""\DeclareOption{name}{code}, or with a star for all other options."""
    starred = token == "\\DeclareDefaultOption" or r.x.take("*")
    options = r.files[-1].options
    name = "" if starred else r.x.name()
    option = Option(Macro.of((), r.x.argument()))
    if starred:
        options.otherwise = option
    else:
        options.declared[name] = option


def declare_key(r: "Reader", token: str) -> None:
    r"""\DeclareOptionX[prefix]<family>{key}[default]{code}."""
    starred = r.x.take("*")
    r.x.optional()
    if r.x.take("<"):
        r.x.between("<", ">")
    name = "" if starred else r.x.name()
    default = join(r.x.optional() or [])
    option = Option(_key(r.x.argument()).code, default)
    if starred:
        r.files[-1].options.otherwise = option
    else:
        r.files[-1].options.declared[name] = option


def declare_boolean(r: "Reader", token: str) -> None:
    r"""\DeclareBoolOption[true]{name}: \ifprefix@name."""
    initial = join(r.x.optional() or ["false"]).strip()
    name = r.x.name()
    options = r.files[-1].options
    whole = _prefix(options) + name
    options.declared[name] = _key(lex(rf"\setboolean{{{whole}}}{{#1}}"))
    r.x.write(lex(rf"\newboolean{{{whole}}}\setboolean{{{whole}}}{{{initial}}}"))


def declare_complement(r: "Reader", token: str) -> None:
    r"""\DeclareComplementaryOption{slow}{fast}."""
    name, other = r.x.name(), _prefix(r.files[-1].options) + r.x.name()
    code = rf"\ifthenelse{{\equal{{#1}}{{false}}}}{{\booltrue{{{other}}}}}{{\boolfalse{{{other}}}}}"
    r.files[-1].options.declared[name] = _key(lex(code))


def declare_string(r: "Reader", token: str) -> None:
    r"""\DeclareStringOption[initial]{name}[default]: \prefix@name."""
    initial = r.x.optional() or []
    name = r.x.name()
    options = r.files[-1].options
    code = Macro.of((Param(),), ["\\def", command := f"\\{_prefix(options)}{name}", *"{#1}"])
    options.declared[name] = Option(code, join(r.x.optional() or []))
    r.x.write(["\\def", command, "{", *initial, "}"])


def _prefix(options: Options) -> str:
    return options.prefix or splitext(basename(options.style))[0] + "@"


def set_up(r: "Reader", token: str) -> None:
    r"""\SetupKeyvalOptions{family=my,prefix=my@}."""
    for each in listed(r.x, r.x.argument()):
        key, _, value = each.partition("=")
        if key.strip() == "prefix":
            r.files[-1].options.prefix = value.strip()


def execute(r: "Reader", token: str) -> None:
    r"""\ExecuteOptions{fast}: as if it were given."""
    r.x.optional()
    options = r.files[-1].options
    names = listed(r.x, r.x.argument())
    r.x.write([each for name in names for each in options.execute(name)])


def process(r: "Reader", token: str) -> None:
    r"""\ProcessOptions carries out what is given, by the class too."""
    starred = r.x.take("*")
    if token == "\\ProcessKeyvalOptions" and not starred:
        r.x.argument()
    options = r.files[-1].options
    of_class = r.class_options if options.style.endswith(".sty") else ()
    r.x.write(options.carried_out(of_class, as_given=starred or token in KEYS))


def hand_on(r: "Reader", token: str) -> None:
    r"""\PassOptionsToPackage{options}{name}."""
    options = listed(r.x, r.x.argument())
    suffix = ".sty" if token.endswith("Package") else ".cls"
    for name in r.x.name().split(","):
        r.handed_on.setdefault(name.strip() + suffix, []).extend(options)


def is_loaded(r: "Reader", token: str) -> None:
    r"""\@ifpackageloaded{name}{yes}{no}."""
    style = r.x.name() + (".cls" if "class" in token.lower() else ".sty")
    choose(r.x, style in r.loaded)


def is_loaded_with(r: "Reader", token: str) -> None:
    r"""\@ifpackagewith{name}{options}{yes}{no}."""
    style = r.x.name() + (".cls" if "class" in token else ".sty")
    wanted = listed(r.x, r.x.argument())
    choose(r.x, set(wanted) <= set(r.loaded.get(style, ())))
