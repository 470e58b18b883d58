r"""Equation in, normal-form tokens out: one spelling for one picture.

    x^2_1            ->  x _ { 1 } ^ { 2 }
    {a \over b}      ->  \frac { a } { b }
    \text{if}, {\rm if}  ->  \mathrm { i f }
    \left( x \right) ->  \left( x \right)        (a delimiter is one token with its command)

Scripts are braced, the lower one first; labels, tags, spacing and the punctuation at the end are
dropped; environments of one row dissolve. `normal_form` is idempotent, and `to_latex` gives LaTeX
that prints the same equation. What cannot be one equation raises `NotNormal` with the reason.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, takewhile

from topiceq.corpus.commands import (
    ARITY,
    DELIMITERS,
    DIAGRAMS,
    FONTS,
    LIMITED,
    MATRICES,
    OPTIONAL,
    RELATION,
    SIZED,
)
from topiceq.corpus.symbols import LENGTHS, SILENT, SPACES, SWITCHES, SYNONYMS, TEXTS, in_ascii
from topiceq.corpus.tex import PRIMITIVE, lex

ALIGNED = frozenset(
    "split aligned alignedat gathered align align* alignat alignat* eqnarray eqnarray* gather "
    "gather* multline multline* multlined equation equation* displaymath alignedt".split()
)
TRANSPARENT = frozenset("center small footnotesize scriptsize large subequations normalsize".split())
ROW_ENDS = frozenset(("\\\\", "\\cr", "\\tabularnewline", "\\newline"))
CELL_STOPS = ROW_ENDS | {"&", "\\end"}
INFIX = frozenset(("\\over", "\\choose", "\\atop", "\\above", "\\brack", "\\brace"))
PUNCTUATION = frozenset(".,;:")
NOT_ORDINARY = frozenset("+-=<>,;:*/()[]|!?.") | RELATION | LIMITED | DELIMITERS
DEPTH_LIMIT = 60

Unit = list[str]  # the tokens of one nucleus with its scripts


class NotNormal(Exception):
    """Why some tokens are not one equation: multiline, unbalanced or diagram."""


def normal_form(tokens: Sequence[str]) -> list[str]:
    r"""The normal form of an expanded equation.

    >>> normal_form(lex(r"x^2_1 = {a \over b},"))
    ['x', '_', '{', '1', '}', '^', '{', '2', '}', '=', '\\frac', '{', 'a', '}', '{', 'b', '}']
    """
    reader = _Normaliser(list(_characters(tokens)))
    units = reader.line()
    while units and len(units[-1]) == 1 and units[-1][0] in PUNCTUATION:
        units.pop()
    if len(units) == 1 and units[0][0] == "{" and units[0][-1] == "}":
        return normal_form(units[0][1:-1])
    return list(chain.from_iterable(units))


def to_latex(tokens: Sequence[str]) -> str:
    r"""LaTeX for normal-form tokens.

    >>> to_latex(["x", "_", "{", "1", "}"])
    'x _ { 1 }'
    """
    out: list[str] = []
    for token in tokens:
        if out and out[-1] == "\\\\" and token in ("[", "*"):
            out.append("\\relax")  # \\[ would be a row with extra space
        out.append(token)
    return " ".join(out)


def parse(latex: str) -> list[str]:
    """The normal form of LaTeX source that holds no macros of an author's own."""
    return normal_form(lex(latex))


def _characters(tokens: Sequence[str]) -> Iterator[str]:
    """Runs of text as single characters, white space as one space each."""
    for token in tokens:
        if token[0] == PRIMITIVE:
            token = token[1:]
        if token[0] == "\\":
            yield from _split_sized(token)
        elif len(token) == 1 and token.isascii():
            yield token if not token.isspace() else " "
        elif token != "$$" and token[0] != "%":
            for c in token:
                if c.isspace():
                    yield " "
                elif c.isascii():
                    yield c
                else:
                    yield from in_ascii(c)


def _split_sized(token: str) -> Iterator[str]:
    r"""A normal-form token such as `\left(` or `\begin{array}` back in its parts."""
    if token.isalpha() or token[1:].isalpha() or len(token) < 3:
        yield token
        return
    if token[:7] == "\\begin{" or token[:5] == "\\end{":
        command, _, name = token.partition("{")
        yield from (command, "{", *name[:-1], "}")
        return
    command = "\\" + "".join(takewhile(str.isalpha, token[1:]))
    if command in SIZED:
        yield from (command, token[len(command) :])
    elif token == "\\operatorname*":
        yield from ("\\operatorname", "*")
    else:
        yield token


class _Normaliser:
    """A recursive descent over the tokens of one equation."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.in_font = False  # where a space is part of the text

    # -- reading -------------------------------------------------------------------------------

    def peek(self) -> str:
        """The next token that is not white space; empty at the end."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token != " ":
                return token
            self.at += 1
        return ""

    def take(self) -> str:
        token = self.peek()
        if not token:
            raise NotNormal("unbalanced")
        self.at += 1
        return token

    def raw_group(self) -> list[str]:
        """The tokens of a braced argument, as they are."""
        if self.take() != "{":
            self.at -= 1
            return [self.take()]
        start, depth = self.at, 1
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return self.tokens[start : self.at - 1]
        raise NotNormal("unbalanced")

    def skip_bracket(self) -> list[str]:
        """Drop `[..]` if it comes next; what was in it."""
        if self.peek() != "[":
            return []
        end = self.at + 1
        while end < len(self.tokens) and self.tokens[end] != "]":
            end += 1
        inner = self.tokens[self.at + 1 : end]
        self.at = min(end + 1, len(self.tokens))
        return inner

    def skip_length(self) -> None:
        r"""Drop what follows \hskip: `-2.5pt plus 1fil`, or a macro."""
        if self.peek().startswith("\\"):
            self.take()
            return
        while (c := self.peek()) and c in "-+.0123456789 ":
            self.at += 1
        for _ in range(2):
            if self.peek().isalpha() and len(self.peek()) == 1:
                self.at += 1

    # -- lists of units ------------------------------------------------------------------------

    def line(self) -> list[Unit]:
        """A whole display: one row of it, its alignment marks dropped."""
        rows = self.rows(frozenset())
        return list(chain.from_iterable(rows[0])) if rows else []

    def rows(self, stops: frozenset[str]) -> list[list[list[Unit]]]:
        """Rows of cells up to a stop; outside matrices more than one row is not an equation."""
        rows: list[list[list[Unit]]] = [[]]
        while True:
            rows[-1].append(self.units(stops | CELL_STOPS))
            token = self.peek()
            if token == "&":
                self.at += 1
            elif token in ROW_ENDS:
                self.at += 1
                self.row_end()
                rows.append([])
            elif token == "" or token in stops:
                break
            else:
                raise NotNormal("unbalanced")
        rows = [row for row in rows if any(row)]
        if len(rows) > 1 and "\\end" not in stops and "}" not in stops:
            raise NotNormal("multiline")
        return rows

    def row_end(self) -> None:
        if self.peek() == "*":
            self.at += 1
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":
            inner = self.skip_bracket()
            if not any(c.isdigit() for c in inner):
                self.at -= len(inner) + 2

    def units(self, stops: frozenset[str]) -> list[Unit]:
        """Units up to a stop, which stays."""
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise NotNormal("unbalanced")
        out: list[Unit] = []
        while (token := self.peek()) and token not in stops:
            self.at += 1
            if token in INFIX:
                out = [self.infix(token, out, stops)]
            elif token in SWITCHES:
                inner = list(chain.from_iterable(self.units(stops)))
                if inner:
                    out.append([SWITCHES[token], "{", *inner, "}"])
            elif token in ("\\eqno", "\\leqno"):
                self.units(stops)
            else:
                self.unit(token, out)
        self.depth -= 1
        return out

    def unit(self, token: str, out: list[Unit]) -> None:
        """One nucleus with its scripts, or nothing."""
        if token == "~" and self.in_font and out:
            out.append([token])
        elif token in SPACES:
            return
        elif token in SILENT:
            self.silent(token)
        elif token in LENGTHS:
            self.skip_length()
        elif token in TEXTS:
            out.extend(self.text(token))
            self.add_scripts(out)
        elif token in "^_'":
            self.at -= 1
            out.append(["{", "}"])
            self.add_scripts(out)
        else:
            nucleus = self.nucleus(token)
            if nucleus:
                out.append(nucleus)
                self.add_scripts(out)

    def silent(self, token: str) -> None:
        if self.peek() == "*":
            self.at += 1
        for _ in range(SILENT[token]):
            self.skip_bracket()
            if self.peek() == "{":
                self.raw_group()

    def infix(self, token: str, before: list[Unit], stops: frozenset[str]) -> Unit:
        r"""`a \over b` and its relatives take all of their group."""
        if token == "\\above":
            self.skip_length()
        top = list(chain.from_iterable(before))
        bottom = list(chain.from_iterable(self.units(stops)))
        if token in ("\\over", "\\above"):
            return ["\\frac", "{", *top, "}", "{", *bottom, "}"]
        if token == "\\atop":
            return ["\\substack", "{", *top, "\\\\", *bottom, "}"]
        return ["\\binom", "{", *top, "}", "{", *bottom, "}"]

    # -- scripts -------------------------------------------------------------------------------

    def add_scripts(self, out: list[Unit]) -> None:
        """Read the scripts of the last unit and append them, the lower one first."""
        if not out:
            return
        lower: list[str] | None = None
        upper: list[str] | None = None
        primes = 0
        while (token := self.peek()) and (token in "^_'" or token in _LIMITS or token in SPACES):
            if token == "~" and self.in_font:
                break
            self.at += 1
            if token == "'":
                primes += 1
            elif token == "_":
                if lower is not None:
                    raise NotNormal("unbalanced")
                lower = self.argument()
            elif token == "^":
                if upper is not None:
                    raise NotNormal("unbalanced")
                upper = self.argument()
            elif token in _LIMITS and out[-1][0] not in LIMITED:
                out[-1] = [*out[-1], token]
        if primes:
            upper = ["\\prime"] * primes + (upper or [])
        if lower is not None or upper is not None:
            out[-1] = [*self.base(out[-1]), *_script("_", lower), *_script("^", upper)]

    def base(self, unit: Unit) -> Unit:
        """A unit that already has scripts needs braces to carry more."""
        return ["{", *unit, "}"] if _has_scripts(unit) else unit

    def argument(self) -> list[str]:
        """One argument, flat: a group without its braces, or one nucleus."""
        while self.peek() in SPACES:
            self.at += 1
        token = self.take()
        if token == "{":
            units = self.group_units()
            if len(units) == 1:
                return _without_braces(units[0])
            return list(chain.from_iterable(units))
        if token in "}&^_" or token == "\\end":
            raise NotNormal("unbalanced")
        out: list[Unit] = []
        if token in TEXTS:
            out = self.text(token)
        elif token == "'":
            return ["\\prime"]
        else:
            out = [self.nucleus(token)]
        return list(chain.from_iterable(out))

    def braced(self) -> list[str]:
        return ["{", *self.argument(), "}"]

    # -- nuclei --------------------------------------------------------------------------------

    def nucleus(self, token: str) -> Unit:
        """What a token with its arguments stands for, without scripts."""
        token = SYNONYMS.get(token, token)
        if token == "{":
            return self.group()
        if token[0] != "\\":
            if token in "}$#":
                raise NotNormal("unbalanced")
            return [token]
        if token in SIZED:
            return self.sized(token)
        if token == "\\begin":
            return self.environment()
        if token in _SPECIAL:
            return _SPECIAL[token](self)
        if token in ARITY:
            return self.command(token)
        if token in ("\\end", "\\right") or token in ROW_ENDS:
            raise NotNormal("unbalanced")
        if token in SWITCHES:
            return []
        return [token]

    def group_units(self) -> list[Unit]:
        units = self.units(frozenset("}"))
        if self.take() != "}":
            raise NotNormal("unbalanced")
        while units and units[-1] == ["~"]:
            units.pop()
        return units

    def group(self) -> Unit:
        """A group keeps its braces only where they matter."""
        units = self.group_units()
        if not units:
            return ["{", "}"]
        if len(units) == 1 and units[0][0] not in NOT_ORDINARY:
            return units[0]
        return ["{", *chain.from_iterable(units), "}"]

    def command(self, token: str) -> Unit:
        """A command with a known number of arguments."""
        if token == "\\operatorname" and self.peek() == "*":
            self.at += 1
            token = "\\operatorname*"
        out = [token]
        if token in OPTIONAL and self.peek() == "[":
            self.at += 1
            inner = list(chain.from_iterable(self.units(frozenset("]"))))
            self.take()
            if inner:
                out += ["[", *inner, "]"]
        outer, self.in_font = self.in_font, token in FONTS
        for _ in range(ARITY[token]):
            out += self.braced()
        self.in_font = outer
        return out

    def sized(self, token: str) -> Unit:
        r"""\left( .. \right) as one unit; \big( as one token."""
        delimiter = self.delimiter()
        if token == "\\middle":
            return [token + (delimiter or ".")]
        if token == "\\right":
            raise NotNormal("unbalanced")
        if token != "\\left":
            return [token + delimiter] if delimiter else []
        cells = [self.units(frozenset(("\\right", "&")) | ROW_ENDS)]
        while self.peek() == "&":
            self.at += 1
            cells.append(self.units(frozenset(("\\right", "&")) | ROW_ENDS))
        if self.peek() in ROW_ENDS:
            raise NotNormal("multiline")
        if self.take() != "\\right":
            raise NotNormal("unbalanced")
        inner = chain.from_iterable(chain.from_iterable(cells))
        return ["\\left" + (delimiter or "."), *inner, "\\right" + (self.delimiter() or ".")]

    def delimiter(self) -> str:
        """The delimiter that follows, if one does."""
        while self.peek() in SPACES:
            self.at += 1
        token = self.peek()
        if token == "{" and len(inner := self.raw_group()) <= 3:
            token = next((t for t in inner if t != " "), "")
            self.at -= 1
        token = SYNONYMS.get(token, token)
        token = {"<": "\\langle", ">": "\\rangle"}.get(token, token)
        if token in DELIMITERS or (token and token in "()[]|/."):
            self.at += 1
            return token
        return ""

    def environment(self) -> Unit:
        name = "".join(t for t in self.raw_group() if t != " ")
        if name in MATRICES:
            return self.matrix(name)
        if name in ALIGNED or name in TRANSPARENT:
            self.skip_bracket()
            if name.startswith("aligne") and name != "aligned" or name.startswith("alignat"):
                self.raw_group()
            rows = self.rows(frozenset(("\\end",)))
            self.end(name)
            if len(rows) > 1:
                raise NotNormal("multiline")
            return list(chain.from_iterable(chain.from_iterable(rows[0]))) if rows else []
        raise NotNormal("diagram" if name in DIAGRAMS else "unbalanced")

    def end(self, name: str) -> None:
        if self.take() != "\\end" or "".join(t for t in self.raw_group() if t != " ") != name:
            raise NotNormal("unbalanced")

    def matrix(self, name: str) -> Unit:
        """Rows and columns inside one line."""
        out = [f"\\begin{{{name}}}"]
        if name == "array":
            self.skip_bracket()
            out += ["{", *column_letters(self.raw_group()), "}"]
        for i, row in enumerate(self.rows(frozenset(("\\end",)))):
            if i:
                out.append("\\\\")
            for j, cell in enumerate(row):
                out += ["&"] * (j > 0)
                out += chain.from_iterable(cell)
        self.end(name)
        return [*out, f"\\end{{{name}}}"]

    def substack(self) -> Unit:
        if self.peek() != "{":
            return self.argument()
        self.at += 1
        rows = self.rows(frozenset("}"))
        self.take()
        lines = [list(chain.from_iterable(chain.from_iterable(row))) for row in rows]
        if len(lines) == 1:
            return lines[0]
        out = ["\\substack", "{"]
        for i, line in enumerate(lines):
            out += ["\\\\"] * (i > 0) + line
        return [*out, "}"]

    def negation(self) -> Unit:
        r"""\not= is \neq; any other relation keeps its \not."""
        if not self.peek():
            return []
        inner = self.argument()
        known = {"=": "\\neq", "\\in": "\\notin", "\\equiv": "\\not \\equiv"}
        if len(inner) == 1 and inner[0] in known and " " not in known[inner[0]]:
            return [known[inner[0]]]
        return ["\\not", *(inner if len(inner) == 1 else ["{", *inner, "}"])]

    def general_fraction(self) -> Unit:
        left, right, bar, _, top, bottom = (self.argument() for _ in range(6))
        kind = "\\binom" if left and right else "\\frac"
        if kind == "\\frac" and bar[:1] == ["0"]:
            return ["\\substack", "{", *top, "\\\\", *bottom, "}"]
        return [kind, "{", *top, "}", "{", *bottom, "}"]

    def build_relation(self) -> Unit:
        r"""\buildrel a \over b."""
        top = list(chain.from_iterable(self.units(frozenset(("\\over",)))))
        self.take()
        return ["\\stackrel", "{", *top, "}", *self.braced()]

    def root(self) -> Unit:
        r"""\root n \of {x}."""
        degree = list(chain.from_iterable(self.units(frozenset(("\\of",)))))
        self.take()
        return ["\\sqrt", "[", *degree, "]", *self.braced()]

    # -- text ----------------------------------------------------------------------------------

    def text(self, command: str) -> list[Unit]:
        r"""\text{if $x$ is odd}: letters in \mathrm, formulas between them."""
        while self.peek() not in ("{", ""):  # \hbox to 3cm {..}
            if self.peek().startswith("\\") or self.at + 1 >= len(self.tokens):
                return []
            self.at += 1
            if "{" not in self.tokens[self.at : self.at + 20]:
                break
        parts: list[list[str]] = [[]]
        for token in self.raw_group():
            if token in ("$", "\\(", "\\)"):
                parts.append([])
            else:
                parts[-1].append(token)
        out: list[Unit] = []
        for i, part in enumerate(parts):
            if i % 2:
                out.extend(self.nested(part))
            else:
                out.extend(text_units(part, TEXTS[command]))
        return out

    def nested(self, tokens: list[str]) -> list[Unit]:
        inner = _Normaliser(tokens)
        inner.depth = self.depth
        return inner.line()


_LIMITS = frozenset(("\\limits", "\\nolimits"))
_SPECIAL = {
    "\\substack": _Normaliser.substack,
    "\\not": _Normaliser.negation,
    "\\genfrac": _Normaliser.general_fraction,
    "\\buildrel": _Normaliser.build_relation,
    "\\root": _Normaliser.root,
}


def _script(mark: str, inner: list[str] | None) -> list[str]:
    return [] if inner is None else [mark, "{", *inner, "}"]


def _has_scripts(unit: Unit) -> bool:
    """Whether a unit ends in a script of its own."""
    depth = 0
    for token in unit:
        depth += (token == "{") - (token == "}")
        if depth == 0 and token in "_^" and len(unit) > 1:
            return True
    return False


def _without_braces(unit: Unit) -> list[str]:
    """An argument that is one group needs no second pair of braces."""
    if unit[0] == "{" and unit[-1] == "}" and len(unit) > 2:
        depth = 0
        for i, token in enumerate(unit):
            depth += (token == "{") - (token == "}")
            if depth == 0 and i < len(unit) - 1:
                return unit
        return unit[1:-1]
    return unit


def text_units(tokens: Sequence[str], font: str) -> list[Unit]:
    """Words inside an equation, one token per character, `~` for a space inside."""
    letters: list[str] = []
    for token in tokens:
        if token in (" ", "~", "\\ ") or token in ("\\quad", "\\qquad", "\\,", "\\;", "\\\\"):
            if letters and letters[-1] != "~":
                letters.append("~")
        elif token in ("\\&", "\\%", "\\$", "\\_", "\\#", "\\{", "\\}"):
            letters.append(token)
        elif len(token) == 1 and token not in "{}^_'`\"#&":
            letters.append(token)
        elif token.startswith("\\") and token in _TEXT_SYMBOLS:
            letters.append(token)
    while letters and letters[-1] == "~":
        letters.pop()
    if not any(c.isalnum() or c[0] == "\\" for c in letters):
        return [[c] for c in letters if c != "~"]
    return [[font, "{", *letters, "}"]]


_TEXT_SYMBOLS = frozenset("\\" + n for n in "ldots dots S P mu Omega circ pm times".split())


def column_letters(tokens: Sequence[str]) -> list[str]:
    """The columns of an array: l, c, r and |, repetitions written out."""
    text = "".join(tokens).replace(" ", "")
    out: list[str] = []
    i = 0
    while i < len(text):
        c = text[i]
        if c in "lcr|":
            out.append(c)
        elif c in "pmbXwW":
            out.append("l")
        if c == "*":
            count, spec, i = _repeated(text, i + 1)
            out.extend(column_letters(spec) * min(count, 30))
        elif c in "@!><pmbwW" and text[i + 1 : i + 2] == "{":
            i = _closing(text, i + 1)
        i += 1
    return out or ["c"]


def _repeated(text: str, at: int) -> tuple[int, str, int]:
    """`{3}{cc}` -> 3, "cc", and where it ends."""
    if text[at : at + 1] == "{":
        middle = _closing(text, at)
        number = text[at + 1 : middle]
    else:
        middle, number = at, text[at : at + 1]
    end = _closing(text, middle + 1) if text[middle + 1 : middle + 2] == "{" else middle + 1
    return (int(number) if number.isdigit() else 1), text[middle + 2 : end], end


def _closing(text: str, at: int) -> int:
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text)
