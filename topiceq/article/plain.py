r"""Mathematics as plain text, in Unicode or as on a keyboard -> LaTeX.

    ∇·E = ρ/ε₀          ->  ∇·E = \frac{ρ}{ε_{0}}
    √(x²+1), ½mv^10     ->  \sqrt{x^{2}+1}, \frac{1}{2}mv^{10}
    sin(x) <= exp(-x)   ->  \sin (x) \leq \exp (-x)

A slash makes a fraction of what stands right beside it, brackets around a whole side dropped. Other
characters stay: the normal form spells them.
"""

import re
import unicodedata
from collections.abc import Iterator

from topiceq.article.commands import GREEK, OPERATORS

FUNCTIONS = {name[1:]: name for name in OPERATORS if name[1:].isalpha() and len(name) > 3}
FUNCTIONS["ln"] = r"\ln"
LETTERS = {name[1:]: name for name in GREEK if len(name) > 3}
SIGNS = {"<=": r"\leq", ">=": r"\geq", "!=": r"\neq", "->": r"\to", "=>": r"\Rightarrow",
         "<->": r"\leftrightarrow", "+-": r"\pm", "+/-": r"\pm", "...": r"\ldots",
         "**": "^", "~=": r"\approx"}  # fmt: skip
ROOTS = {"√": "", "∛": "[3]", "∜": "[4]"}
BRACKETS = {"(": ")", "[": "]", "{": "}"}
ENDS = frozenset("=<>+−-±∓×⋅·∙*,;:≤≥≠≈≡∼~→←↔⇒⇔∈⊂∝∧∨&^_/|)]} \t\n")
WORDS = "|".join(sorted((*FUNCTIONS, *LETTERS, "sqrt"), key=len, reverse=True))
WORD = re.compile(rf"(?<![A-Za-z\\])(?:{WORDS})(?![A-Za-z])")
SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True)))
DEEPEST = 50  # brackets and roots in one another; deeper ones are characters
NUMBER = re.compile(r"\d+(?:[.]\d+)?|\d")
PLAIN = re.compile(rf"[^\x00-\x7f]|<=|>=|=>|->|\*\*|\.\.\.| != |{WORD.pattern}")


def is_plain(text: str) -> bool:
    r"""Whether a formula is written without LaTeX, in signs that LaTeX would read otherwise.

    >>> is_plain("ρ/ε₀"), is_plain("sin(x)/x"), is_plain("E=mc^2"), is_plain(r"\frac{ρ}{2}")
    (True, True, False, False)
    """
    return "\\" not in text and PLAIN.search(text) is not None


def plain_latex(text: str) -> str:
    r"""LaTeX for plain mathematics.

    >>> plain_latex("ρ/ε₀"), plain_latex("√(x+1)")
    ('\\frac{ρ}{ε_{0}}', '\\sqrt{x+1}')
    """
    return "".join(_Plain(unicodedata.normalize("NFC", text)).read())


class _Plain:
    """Reads a text from left to right, in atoms: a letter, a number, a group, with its scripts."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.depth = 0

    def read(self, closer: str = "") -> list[str]:
        out: list[str] = []
        start = 0  # of what a slash takes as numerator
        while self.at < len(self.text) and self.text[self.at] != closer:
            c = self.text[self.at]
            if c == "/" or c in "∕⁄":
                start = self.fraction(out, start)
            elif c in ENDS or SIGN.match(self.text, self.at):
                out.append(self.sign())
                start = start if c.isspace() else len(out)
            else:
                if out and out[-1].isspace():
                    start = len(out)
                out.append(self.atom())
        return out

    def sign(self) -> str:
        """A sign between operands, or a script that stands alone."""
        if (found := SIGN.match(self.text, self.at)) and found[0] != "**":
            self.at = found.end()
            return f" {SIGNS[found[0]]} "
        c = self.text[self.at]
        if c in "^_" or found:
            return self.script()
        self.at += 1
        return c

    def fraction(self, out: list[str], start: int) -> int:
        """A slash behind what has been written; where the next numerator begins."""
        self.at += 1
        self.spaces()
        while out and out[-1].isspace():
            out.pop()
        below = self.denominator(NUMBER.fullmatch("".join(out[start:])) is not None)
        if not out[start:] or not below:
            out += ["/", *below]
            return len(out)
        out[start:] = [rf"\frac{{{_bare(out[start:])}}}{{{_bare(below)}}}"]
        return start

    def denominator(self, after_number: bool) -> list[str]:
        """What stands right behind a slash; behind a number, a number alone: 1/2mv²."""
        parts: list[str] = []
        while self.at < len(self.text) and self.text[self.at] not in ENDS:
            if SIGN.match(self.text, self.at) or self.text[self.at] in "∕⁄":
                break
            is_number = NUMBER.match(self.text, self.at) is not None
            parts.append(self.atom())
            if after_number and is_number:
                break
        return parts

    def atom(self) -> str:
        """A letter, a number, a word, a root or a group, with its scripts."""
        self.depth += 1
        base = self.base()
        self.depth -= 1
        scripts: dict[str, str] = {}
        while found := self.script():
            scripts[found[0]] = scripts.get(found[0], "") + found[2:-1]
        return base + "".join(f"{sign}{{{scripts[sign]}}}" for sign in "_^" if sign in scripts)

    def base(self) -> str:
        text, c = self.text, self.text[self.at]
        if word := WORD.match(text, self.at):
            self.at = word.end()
            if word[0] == "sqrt" and self.depth < DEEPEST:
                return self.root("")
            return (FUNCTIONS.get(word[0]) or LETTERS[word[0]]) + " "
        if number := NUMBER.match(text, self.at):
            self.at = number.end()
            return number[0]
        if c in ROOTS and self.depth < DEEPEST:
            self.at += 1
            return self.root(ROOTS[c])
        if c in BRACKETS and self.depth < DEEPEST:
            return self.group()
        self.at += 1
        if parts := unicodedata.decomposition(c).partition("<fraction>")[2].split():
            above, _, below = "".join(chr(int(part, 16)) for part in parts).partition("⁄")
            return rf"\frac{{{above}}}{{{below}}}"
        while self.at < len(text) and (
            unicodedata.combining(text[self.at]) or text[self.at] in "'′"
        ):
            c += text[self.at]
            self.at += 1
        return c

    def group(self) -> str:
        opening = self.text[self.at]
        self.at += 1
        inner = "".join(self.read(BRACKETS[opening]))
        closing = self.text[self.at : self.at + 1]
        self.at += 1
        return opening + inner + closing

    def root(self, index: str) -> str:
        self.spaces()
        if self.at >= len(self.text):
            return r"\surd "
        return rf"\sqrt{index}{{{_bare([self.atom()])}}}"

    def script(self) -> str:
        """`_{..}` or `^{..}` that stands here, "" if none does."""
        text, sign = self.text, self.text[self.at : self.at + 1]
        if run := "".join(_level(text, self.at)):
            level = "_" if _plain_of(run[0])[0] == "_" else "^"
            self.at += len(run)
            return f"{level}{{{''.join(_plain_of(c)[1] for c in run)}}}"
        if text.startswith("**", self.at):
            sign, self.at = "^", self.at + 1
        if not sign or sign not in "^_":
            return ""
        self.at += 1
        return f"{sign}{{{self.argument()}}}"

    def argument(self) -> str:
        """What a ^ or _ raises or lowers: a group, a signed number or letter, letters behind _."""
        self.spaces()
        is_lower = self.text[self.at - 1 : self.at] == "_"
        minus = ""
        if self.text[self.at : self.at + 1] in ("-", "−", "+"):
            minus, self.at = self.text[self.at], self.at + 1
        if self.at >= len(self.text):
            return minus
        letters = re.compile("[A-Za-z]+").match(self.text, self.at) if is_lower else None
        if letters and not WORD.match(self.text, self.at):
            self.at = letters.end()
            is_word = len(letters[0]) > 2
            return minus + (rf"\mathrm{{{letters[0]}}}" if is_word else letters[0])
        return minus + _bare([self.base()])

    def spaces(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1


def _bare(parts: list[str]) -> str:
    """One side of a fraction: without the brackets that hold all of it."""
    text = "".join(parts)
    return text[1:-1] if len(parts) == 1 and text[:1] in ("(", "{") and _is_group(text) else text


def _is_group(text: str) -> bool:
    depth = 0
    for place, c in enumerate(text):
        depth += (c in "({") - (c in ")}")
        if not depth:
            return place == len(text) - 1
    return False


def _plain_of(c: str) -> tuple[str, str]:
    """`²` -> ("^", "2"); ("", "²") of what is no script."""
    kind, *codes = unicodedata.decomposition(c).split() or [""]
    if kind in ("<super>", "<sub>"):
        return "_" if kind == "<sub>" else "^", "".join(chr(int(code, 16)) for code in codes)
    return "", c


def _level(text: str, at: int) -> Iterator[str]:
    """The scripts of one level that begin at a place."""
    level = ""
    for c in text[at:]:
        sign = _plain_of(c)[0]
        if not sign or level and sign != level or c in "™℠":
            return
        level = sign
        yield c
