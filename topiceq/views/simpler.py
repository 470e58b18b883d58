r"""What math-core cannot read, in words that it can: LaTeX in, LaTeX out, drawn the same.

Commands are rewritten one after another, by tables. Text inside a formula is taken to pieces, so
that its formulas, its accents and its own fonts are drawn: `\mbox{if \it any $x$}`.
"""

import re
from collections.abc import Callable, Sequence

from topiceq.article.commands import (
    CHARACTERS,
    CITATIONS,
    KNOWN,
    LARGE,
    REFERENCES,
    SIZED,
    TEXT_ACCENTS,
    accented,
    counts,
    names,
    which,
)
from topiceq.article.tex import is_letters, join, lex

# text in a box: how many arguments stand before it
BOXES = {
    **dict.fromkeys(names("text mbox hbox vbox textrm textnormal textup textmd textsc makebox"), 0),
    **dict.fromkeys(names("textbf textit textsl texttt textsf emph fbox framebox llap rlap"), 0),
    **dict.fromkeys(names("scalebox raisebox parbox rotatebox colorbox adjustbox"), 1),
    "\\resizebox": 2, "\\fcolorbox": 2,
}  # fmt: skip
FRAMED = names("fbox framebox fcolorbox")
FONTS = {
    **dict.fromkeys(names("textbf bf bfseries"), "\\textbf"),
    **dict.fromkeys(names("textit textsl emph it itshape sl em"), "\\textit"),
    **dict.fromkeys(names("texttt tt ttfamily"), "\\texttt"),
    **dict.fromkeys(names("rm rmfamily upshape normalfont text textrm textnormal"), "\\text"),
}
# what a command holds is drawn as if it stood there: how many arguments stand before it
BARE = {
    **dict.fromkeys(names("ensuremath smash mathclap mathllap mathrlap clap mathlarger"), 0),
    **dict.fromkeys(names("mathsmaller mathnormal vcenter shoveleft shoveright"), 0),
    **dict.fromkeys(names("textcolor href hyperlink cssId class style"), 1),
}
DROPPED = {  # prints nothing, nor do so many arguments
    **counts("silent"),
    **dict.fromkeys(names("nonumber notag qedhere qed strut noindent displaybreak relax"), 0),
    **dict.fromkeys(names("allowbreak sffamily rmfamily normalfont footnotesize small"), 0),
    **dict.fromkeys(names("normalsize large Large LARGE huge Huge tiny selectfont centering"), 0),
    **dict.fromkeys(names("upshape itshape boldmath unboldmath mathstrut null protect hss"), 0),
    **dict.fromkeys(names("samepage xspace nobreak ttfamily hline* ignorespaces unskip"), 0),
    **dict.fromkeys(names("label vspace raisetag color refstepcounter index footnote"), 1),
    **dict.fromkeys(names("intertext shortintertext"), 1),
    **dict.fromkeys(names("rule setlength addtolength setcounter addtocounter"), 2),
}
DROPPED = {name: n for name, n in DROPPED.items() if name not in REFERENCES | CITATIONS}
for _drawn in names("mspace hspace phantom hphantom"):
    DROPPED.pop(_drawn, None)
RENAMED = {
    "\\mleft": "\\left", "\\mright": "\\right", "\\centerdot": "\\cdot", "\\dotsc": "\\ldots",
    **dict.fromkeys(names("dotsb dotsm dotsi"), "\\cdots"), "\\dotso": "\\ldots",
    "\\hphantom": "\\phantom",
    "\\pmb": "\\boldsymbol", "\\mathbbm": "\\mathbb", "\\mathds": "\\mathbb",
    "\\Bbb": "\\mathbb", "\\bold": "\\mathbf", "\\frak": "\\mathfrak",
    "\\widetilde": "\\tilde", "\\hfill": "\\quad", "\\hfil": "\\quad", "\\enskip": "\\enspace",
    **dict.fromkeys(names("cr newline tabularnewline linebreak"), "\\\\"),
    "\\varinjlim": "\\underset{\\longrightarrow}{\\lim}",
    "\\varprojlim": "\\underset{\\longleftarrow}{\\lim}", "\\\n": "\\ ",
    "\\varlimsup": "\\mathop{\\overline{\\lim}}", "\\varliminf": "\\mathop{\\underline{\\lim}}",
    "\\lhd": "\\vartriangleleft", "\\rhd": "\\vartriangleright", "\\owns": "\\ni",
    "\\unlhd": "\\trianglelefteq", "\\unrhd": "\\trianglerighteq", "\\dag": "\\dagger",
    "\\ddag": "\\ddagger", "\\cdotp": "\\cdot", "\\ldotp": ".", "\\mathellipsis": "\\ldots",
    "\\lbrack": "[", "\\rbrack": "]", "\\slash": "/", "\\space": "\\ ", "\\nobreakspace": "\\ ",
    "~": "\\ ", "\\@": "",
    # of journals of astronomy
    "\\degr": "\\degree", "\\arcmin": "^{\\prime}", "\\arcsec": "^{\\prime\\prime}",
    "\\sun": "\\odot", "\\earth": "\\oplus",
}  # fmt: skip
ANGLES = {"<": "\\langle", ">": "\\rangle"}
# rows as they stand inside a formula, for environments that are displays of their own
ROWS = {
    **dict.fromkeys(
        """align alignat flalign xalignat xxalignat eqnarray subeqnarray IEEEeqnarray falign split
        alignedat""".split(), "aligned"),
    **dict.fromkeys("gather multline narrowmultline dmath multlined".split(), "gathered"),
}  # fmt: skip
COLUMNS = frozenset("alignat alignedat xalignat xxalignat IEEEeqnarray".split())  # named first
UNFRAMED = frozenset(  # environments that only change size or place
    "center small footnotesize scriptsize normalsize large minipage subequations displaymath "
    "equation math".split()
)

_LENGTH = re.compile(r"\s*+(?:-\s*+)?(?:[\d.]+\s*+)?(?:pt|em|ex|mm|cm|in|mu|\\\w+|)\s*")
_WIDTH = re.compile(r"-?\s*(?:\d+(?:\.\d*)?|\.\d+)\s*(?:pt|em|ex|mm|cm|in|mu)")
_PLAIN = re.compile(r"[A-Za-z0-9\s.,:;*'-]*")
_NUMBER = re.compile(r"[\s\d.*'′a-eA-Z]{0,9}")
_REPEATED = re.compile(r"\*\s*\{(\d{1,2})\}\s*\{([^{}]*)\}")
_BETWEEN = re.compile(r"[@!<>]\s*\{[^{}]*\}|[pmbw]\s*\{[^{}]*\}|[^lcr|]")
_QUOTES = (("``", "“"), ("''", "”"), ("---", "—"), ("--", "–"), ("`", "‘"), ("'", "’"))
_ESCAPED = str.maketrans({c: "\\" + c for c in "%&#_${}"} | {" ": "\xa0", "^": "ˆ", "\\": ""})
SPACES = which("small-space", "word-space", "space")


def simpler(latex: str) -> str:
    r"""A formula as math-core reads it.

    >>> simpler(r"\left< \scalebox{.5}{odd $x$} \right> \\[-0pt] \mbox{\it if } y \nonumber")
    '\\left\\langle  {\\text{odd\xa0}{x}} \\right\\rangle  \\\\  {\\textit{if\xa0}} y '
    """
    return join(_Formula(latex).read()).replace("\x00", "")


class _Formula:
    """The tokens of a formula being rewritten: what comes next is at the end of the stack."""

    def __init__(self, latex: str) -> None:
        self.stack = lex(latex)[::-1]
        self.out: list[str] = []

    def read(self) -> list[str]:
        while self.stack:
            token = self.stack.pop()
            if act := _ACTS.get(token):
                act(self, token)
            elif token[0] == "\n":
                self.out.append(" ")
            elif token in RENAMED:
                self.push(lex(RENAMED[token]))
            elif token in DROPPED:
                self.drop(DROPPED[token])
            elif token in CHARACTERS and is_letters(token) and token not in KNOWN:
                self.out.append(f"\\text{{{CHARACTERS[token]}}}")
            elif token[0] != "%":
                self.out.append(token)
        return self.out

    def push(self, tokens: Sequence[str]) -> None:
        """Read these next."""
        self.stack.extend(reversed(tokens))

    def skip_space(self) -> None:
        while self.stack and (self.stack[-1].isspace() or self.stack[-1][0] == "%"):
            self.stack.pop()
        if self.stack and self.stack[-1][0] == " ":
            self.stack[-1] = self.stack[-1].lstrip()

    def take(self, sign: str) -> bool:
        """Take a sign, if it comes next."""
        self.skip_space()
        if not self.stack or not self.stack[-1].startswith(sign):
            return False
        rest = self.stack.pop()[len(sign) :]
        if rest:
            self.stack.append(rest)
        return True

    def argument(self) -> list[str]:
        """A group without its braces, or one token."""
        self.skip_space()
        if not self.stack:
            return []
        if self.stack[-1] != "{":
            token = self.stack.pop()
            if token[0] != "\\" and len(token) > 1:
                self.stack.append(token[1:])
            return [token if token[0] == "\\" else token[0]]
        self.stack.pop()
        return self.up_to("{", "}")

    def option(self) -> list[str] | None:
        """What stands in brackets right here, without them."""
        self.skip_space()
        if not self.stack or self.stack[-1] != "[":
            return None
        at = len(self.stack) - 1
        if "]" not in self.stack[max(at - 40, 0) : at]:
            return None
        self.stack.pop()
        return self.up_to("[", "]")

    def up_to(self, opener: str, closer: str) -> list[str]:
        taken, depth, braces = [], 1, 0
        while self.stack:
            token = self.stack.pop()
            braces += (token == "{") - (token == "}") if opener != "{" else 0
            depth += (token == opener) - (token == closer) if braces == 0 else 0
            if depth == 0:
                break
            taken.append(token)
        return taken

    def drop(self, count: int) -> None:
        self.take("*")
        for _ in range(count):
            self.option()
            self.argument()

    # -- what commands become ------------------------------------------------------------------

    def box(self, token: str) -> None:
        """Text, or what is set at another size or place."""
        for _ in range(BOXES[token]):
            self.option()
            self.argument()
        while self.option() is not None:
            pass
        written = _Words(self.argument(), FONTS.get(token, "\\text")).read()
        self.out += ["\\boxed"] if token in FRAMED else []
        self.out += ["{", *written, "}"]

    def bare(self, token: str) -> None:
        for _ in range(BARE[token]):
            self.argument()
        self.option()
        self.push(["{", *self.argument(), "}"])

    def first(self, token: str) -> None:
        r"""\mathchoice{display}{text}{script}{smaller}"""
        chosen, _, _, _ = (self.argument() for _ in range(4))
        self.push(["{", *chosen, "}"])

    def operator(self, token: str) -> None:
        r"""\operatorname{..}: letters, or what is set as an operator is."""
        starred = self.take("*")
        self.name_operator(self.argument(), starred)

    def mathop(self, token: str) -> None:
        r"""\mathop{..}\limits_a^b"""
        held = self.argument()
        self.skip_space()
        side = self.stack[-1:] == ["\\nolimits"]
        if side or self.stack[-1:] in (["\\limits"], ["\\displaylimits"]):
            self.stack.pop()
        self.name_operator(held, starred=not side)

    def name_operator(self, held: list[str], starred: bool) -> None:
        plain = [t for t in held if t not in FONTS and t[:5] != "\\math" and t not in "{}"]
        kept = "".join(" " if t in SPACES else t for t in plain)
        if kept.strip() and _PLAIN.fullmatch(kept):
            spaced = ["\\," if t in SPACES else t.strip() or t for t in plain]
            self.out += ["\\operatorname*" if starred else "\\operatorname", "{", *spaced, "}"]
            return
        scripts = {"_": "\\underset", "^": "\\overset"} if starred else {}
        self.skip_space()
        while self.stack and (command := scripts.pop(self.stack[-1], "")):
            self.stack.pop()
            held = [command, "{", *self.argument(), "}", "{", *held, "}"]
            self.skip_space()
        self.push(["{", *held, "}"])

    def limits(self, token: str) -> None:
        """Where scripts stand can be said of large operators alone."""
        if next((t for t in reversed(self.out) if not t.isspace()), "") in LARGE:
            self.out.append(token)

    def tag(self, token: str) -> None:
        """The words of a tag stand behind its row; a number is set elsewhere."""
        self.take("*")
        held = self.argument()
        if not _NUMBER.fullmatch("".join(held)):
            written = _Words(["(", *held, ")"], "\\text").read()
            self.out += ["\\qquad", "{", *written, "}"]

    def row_end(self, token: str) -> None:
        r"""\\*[2pt]: rows have the same distance."""
        self.take("*")
        length = self.option()
        self.out.append("\\\\ ")
        if length is not None and not _LENGTH.fullmatch(join(length)):
            self.push(["{", "}", "[", *length, "]"])

    def space(self, token: str) -> None:
        self.take("*")
        width = join(self.argument()).strip()
        self.out.append(f"{token}{{{width}}}" if _WIDTH.fullmatch(width) else "\\quad ")

    def sized(self, token: str) -> None:
        r"""\left< and \big>"""
        sized, at = RENAMED.get(token, token), len(self.out)
        self.out.append(sized)
        self.skip_space()
        if self.stack[-1:] == ["{"] and self.stack[-3:-2] == ["}"]:  # \bigg{[}
            self.push(self.argument())
        if self.stack and self.stack[-1][0] == "." and sized[1:4].lower() == "big":
            del self.out[at]  # \bigl. has nothing to draw
            self.take(".")
        elif self.stack and (angle := ANGLES.get(self.stack[-1][0])):
            rest = self.stack.pop()[1:]
            self.push([angle, " ", rest] if rest else [angle, " "])

    def reference(self, token: str) -> None:
        self.drop(1)
        self.out.append("\\text{…}")

    def negated(self, token: str) -> None:
        """A relation alone can be negated; a group is struck out."""
        self.skip_space()
        if self.stack[-1:] == ["{"]:
            self.out.append("\\cancel")
        elif self.stack and self.stack[-1][:2] != "\\x":
            self.out.append(token)

    def stacked(self, token: str) -> None:
        r"""\substack{a\\b}, \shortstack{a\\b}"""
        self.option()
        held = self.argument()
        self.push(["\\begin", "{", "matrix", "}", *held, "\\end", "{", "matrix", "}"])

    def dots(self, token: str) -> None:
        self.option()
        self.argument()
        self.out.append("\\dots ")

    def begin(self, token: str) -> None:
        name = "".join(self.argument()).strip()
        plain = name.rstrip("*")
        if name.endswith("matrix*"):
            self.option()
        if plain in COLUMNS:
            self.option()
            self.argument()
        if plain == "minipage":
            self.option()
            self.argument()
        if plain in UNFRAMED:
            self.out.append("{")
            return
        if plain in ("array", "subarray", "tabular"):
            self.option()
            columns = _columns(join(self.argument()))
            self.out.append(f"\\begin{{array}}{{{columns}}}")
            return
        if plain in ("aligned", "gathered", "split", "multlined"):
            self.option()
        small = "{\\scriptstyle " if plain == "smallmatrix" else ""
        self.out.append(f"{small}\\begin{{{_environment(name)}}}")

    def end(self, token: str) -> None:
        name = "".join(self.argument()).strip()
        if name.rstrip("*") in UNFRAMED:
            self.out.append("}")
        else:
            closer = "}" if name == "smallmatrix" else ""
            self.out.append(f"\\end{{{_environment(name)}}}{closer}")


def _environment(name: str) -> str:
    """The environment that is drawn the same inside a formula."""
    plain = name.rstrip("*")
    if plain in ROWS:
        return ROWS[plain]
    if plain in ("subarray", "tabular"):
        return "array"
    return "matrix" if plain == "smallmatrix" else plain if plain.endswith("matrix") else name


def _columns(given: str) -> str:
    """The columns of an array as letters and rules.

    >>> _columns("*{2}{c|}@{}p{3cm}r")
    'c|c|lr'
    """
    while found := _REPEATED.search(given):
        repeated = int(found[1]) * found[2]
        given = given[: found.start()] + repeated + given[found.end() :]
    shown = _BETWEEN.sub(lambda each: "l" if each[0][0] in "pmbX" else "", given)
    return shown or "c"


class _Words(_Formula):
    """Text inside a formula, being taken to runs of one font, and formulas between them."""

    def __init__(self, tokens: list[str], font: str) -> None:
        super().__init__("")
        self.push(tokens)
        self.fonts = [font]
        self.run = ""

    def read(self) -> list[str]:
        while self.stack:
            self.step(self.stack.pop())
        self.close()
        return self.out or [" "]

    def close(self) -> None:
        """End a run of one font."""
        if self.run:
            for written, printed in _QUOTES:
                self.run = self.run.replace(written, printed)
            self.out.append(f"{self.fonts[-1]}{{{self.run.translate(_ESCAPED)}}}")
            self.run = ""

    def step(self, token: str) -> None:
        if token in ("$", "\\(", "$$"):
            self.formula("\\)" if token == "\\(" else token)
        elif token == "{":
            self.close()
            self.fonts.append(self.fonts[-1])
        elif token == "}":
            self.close()
            if len(self.fonts) > 1:
                self.fonts.pop()
        elif token in BOXES:
            self.open_box(token)
        elif token in FONTS:
            self.close()
            self.fonts[-1] = FONTS[token]
            self.skip_space()
        elif token in TEXT_ACCENTS:
            letter = join(self.argument()).replace("\\i", "i").replace("\\j", "j").strip()
            self.run += accented(TEXT_ACCENTS[token], letter)
        elif token in CHARACTERS:
            self.run += CHARACTERS[token]
        elif token[0] == "\\":
            self.command(token)
        elif token[0] == "\n":
            self.run += " "
        elif token[0] != "%":
            self.run += token

    def formula(self, closer: str) -> None:
        self.close()
        taken, depth = [], 0
        while self.stack:
            token = self.stack.pop()
            depth += (token == "{") - (token == "}")
            if token == closer and depth <= 0:  # $ x \mbox{ if $y$} $ is one formula
                break
            taken.append(token)
        self.maths(taken)

    def maths(self, tokens: list[str]) -> None:
        inner = _Formula("")
        inner.push(tokens)
        self.out += ["{", *inner.read(), "}"]

    def open_box(self, token: str) -> None:
        for _ in range(BOXES[token]):
            self.argument()
        while self.option() is not None:
            pass
        held = self.argument()
        self.close()
        self.fonts.append(FONTS.get(token, self.fonts[-1]))
        self.push([*held, "}"])

    def command(self, token: str) -> None:
        """A command among words."""
        if token in REFERENCES | CITATIONS:
            self.drop(1)
            self.run += "…"
        elif token in SPACES or token in ("\\\\", "\\newline", "\\hspace", "\\hskip"):
            if token == "\\hspace":
                self.argument()
            self.run += " "
        elif token in DROPPED:
            self.drop(DROPPED[token])
        elif token in KNOWN or token in BARE:
            self.close()
            held = [token]
            while self.stack and self.stack[-1] == "{":
                held += ["{", *self.argument(), "}"]
            self.maths(held)
        elif is_letters(token):
            self.skip_space()


_ACTS: dict[str, Callable[[_Formula, str], None]] = {
    **dict.fromkeys(BOXES, _Formula.box),
    **dict.fromkeys(BARE, _Formula.bare),
    **dict.fromkeys(SIZED | {"\\mleft", "\\mright"}, _Formula.sized),
    **dict.fromkeys(REFERENCES | CITATIONS, _Formula.reference),
    "\\mathchoice": _Formula.first, "\\operatorname": _Formula.operator,
    "\\mathop": _Formula.mathop,
    **dict.fromkeys(("\\limits", "\\nolimits", "\\displaylimits"), _Formula.limits),
    "\\tag": _Formula.tag,
    **dict.fromkeys(("\\hspace", "\\mspace"), _Formula.space),
    "\\\\": _Formula.row_end, "\\substack": _Formula.stacked, "\\shortstack": _Formula.stacked,
    "\\hdotsfor": _Formula.dots, "\\not": _Formula.negated,
    "\\begin": _Formula.begin, "\\end": _Formula.end,
}  # fmt: skip
