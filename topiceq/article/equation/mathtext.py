r"""Text inside an equation as mathematics.

    \text{if $x$ is odd}  ->  {\mathrm{if} {x} \mathrm{is~odd}}

Letters are one token each, in the font of the text; `~` is the space between two words. Small
capitals become capitals: only their size differs.
"""

from collections.abc import Sequence
from typing import NamedTuple

from topiceq.article.commands import ARITY, CHARACTERS, HYPHEN, TEXT_ACCENTS, values, which
from topiceq.article.equation.layout import LENGTHS, SILENT, SPACES, length_end
from topiceq.article.equation.spelling import ACCENTS, spelled
from topiceq.article.tex import is_letters


class Style(NamedTuple):
    """How text is set: its font as a command of mathematics, and what that cannot say."""

    font: str = "\\mathrm"
    capitals: bool = False
    bold: bool = False  # of formulas, by \boldmath


SWITCHES = values("switch")
TEXTS = values("text")
SMALL_CAPITALS = which("small-capitals")
ESCAPED = frozenset(("\\%", "\\&", "\\$", "\\#", "\\_", "\\{", "\\}"))
MATH_ACCENTS = frozenset(ACCENTS[mark] for mark in TEXT_ACCENTS.values() if mark in ACCENTS)
IGNORED = frozenset('`"&#')
PLAIN = Style()


def styled(command: str, style: Style = PLAIN) -> Style:
    r"""The style inside \textbf{..} or behind \bf."""
    font = TEXTS.get(command) or SWITCHES[command]
    return Style(font, command in SMALL_CAPITALS, style.bold)


def as_math(tokens: Sequence[str], style: Style) -> list[str]:
    r"""The tokens of a text, one group of mathematics.

    >>> "".join(as_math([*"if ", "$", "x", "$", *" is odd"], PLAIN))
    '{\\mathrm{if}{x}\\mathrm{is~odd}}'
    """
    reader = _Text([*tokens, ""], style)
    reader.read()
    return ["{", *reader.out, "}"]


def _hyphenated(letters: list[str]) -> list[str]:
    r"""Words with the hyphens between them: that of `non-zero` is none of `-1`."""
    return [
        HYPHEN
        if token == "-" and 0 < i < last and _joins(letters[i - 1], letters[i + 1])
        else token
        for last in [len(letters) - 1]
        for i, token in enumerate(letters)
    ]


def _joins(before: str, after: str) -> bool:
    return (before + after).isalnum() and (before.isalpha() or after.isalpha())


class _Text:
    """Text being read, and mathematics being written."""

    def __init__(self, tokens: list[str], style: Style) -> None:
        self.tokens = tokens
        self.at = 0
        self.out: list[str] = []
        self.letters: list[str] = []
        self.styles = [style]

    def read(self) -> None:
        while token := self.tokens[self.at]:
            self.at += 1
            if is_letters(token):
                self.next()  # TeX skips spaces behind a command
            if len(token) == 1 and token not in "{}$~^_":
                self.letter(token)
            elif token in SPACES and token != "\\boldmath" or token == "\\\\":
                self.letter(" ")
            elif token in ESCAPED:
                self.letters.append(token)
            elif token == "_" and self.letters and self.letters[-1].isalnum():
                self.letters.append("\\_")  # a name of code; TeX would complain, MathJax does not
            elif token in TEXT_ACCENTS:
                self.accent(token)
            elif token in CHARACTERS:
                self.letters += spelled(CHARACTERS[token])
            else:
                self.command(token)
        self.flush()

    def letter(self, c: str) -> None:
        """One character of a word, or what is between words."""
        letters = self.letters
        if c == " ":
            if letters and letters[-1] != "~":
                letters.append("~")
        elif c == "'":
            if letters and letters[-1].isalpha() and self.tokens[self.at].isalpha():
                letters += ["^", "{", "\\prime", "}"]
        elif c not in IGNORED and not (c == "-" and letters[-1:] == ["-"]):
            letters.append(c.upper() if self.styles[-1].capitals else c)

    def accent(self, command: str) -> None:
        letter = [t for t in self.argument() if t.isalpha()]
        accent = ACCENTS.get(TEXT_ACCENTS[command])
        self.letters += [accent, "{", *letter, "}"] if accent and letter else letter

    def command(self, token: str) -> None:
        """What is neither a letter nor a symbol of text."""
        if token in SILENT:
            self.silent(token)
        elif token in LENGTHS:
            self.at = length_end(self.tokens, self.at)
        elif token in SWITCHES or token == "\\boldmath":
            self.switch(token)
        elif token in TEXTS:
            if self.next() == "{":
                self.flush()
                self.at += 1
                self.styles.append(styled(token, self.styles[-1]))
        elif token == "{":
            self.styles.append(self.styles[-1])
        elif token == "}":
            if self.styles[-1] != self.styles[-2]:
                self.flush()
            self.styles.pop()
        elif token in MATH_ACCENTS:
            self.letters += [token, "{", *self.argument(), "}"]
        else:
            self.flush()
            self.mathematics(token)

    def switch(self, token: str) -> None:
        self.flush()
        style = self.styles[-1]
        bold = token == "\\boldmath"
        self.styles[-1] = style._replace(bold=True) if bold else styled(token, style)

    def mathematics(self, token: str) -> None:
        """A formula between dollar signs, or a command that \\ensuremath has left bare."""
        if token in ("$", "\\("):
            group = ["{", *self.formula(), "}"]
            self.out += ["\\boldsymbol", *group] if self.styles[-1].bold else group
        elif token == "\\underline":
            self.out += [token, "{", "\\text", "{", *self.argument(), "}", "}"]
        else:
            self.out.append(token)
            for _ in range(ARITY.get(token, 1 if token in "^_" else 0)):
                self.out += ["{", *self.argument(), "}"]

    def flush(self) -> None:
        """Write the words read so far, in their font if they are words."""
        letters = self.letters
        while letters and letters[-1] == "~":
            letters.pop()
        if any(t.isalnum() for t in letters):
            self.out += [self.styles[-1].font, "{", *_hyphenated(letters), "}"]
        else:
            self.out += [t for t in letters if t != "~"]
        self.letters = []

    # -- reading ahead -------------------------------------------------------------------------

    def next(self) -> str:
        while self.tokens[self.at] == " ":
            self.at += 1
        return self.tokens[self.at]

    def argument(self) -> list[str]:
        """The tokens of a group, or one token."""
        token = self.next()
        if token in ("", "}"):
            return []
        self.at += 1
        return self.up_to("}") if token == "{" else [token]

    def formula(self) -> list[str]:
        return self.up_to("$", "\\)")

    def up_to(self, *closers: str) -> list[str]:
        """The tokens before a closer, which goes too, or before the end of the group."""
        start, depth = self.at, 0
        while (token := self.tokens[self.at]) and (depth or token not in ("}", *closers)):
            depth += (token == "{") - (token == "}")
            self.at += 1
        self.at += token in closers
        return self.tokens[start : self.at - (token in closers)]

    def silent(self, token: str) -> None:
        for _ in range(SILENT[token]):
            if self.next() == "[":
                self.up_to("]")
            if self.next() == "{":
                self.argument()
