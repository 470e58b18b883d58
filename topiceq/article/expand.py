r"""An article in, the same as one file of LaTeX without its author's macros.

What stands before \begin{document} stays, definitions as well: styles may need them. Behind it the
macros of the author are replaced by what they stand for, files that are read are put in place, and
all else stays as it was written. A macro that chooses, counts or defines is replaced in mathematics
only, where the expander of `extract` knows what comes of it; elsewhere it stays as it is.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from topiceq.article.commands import DISPLAYS, counts, values, which
from topiceq.article.macros.definitions import DEFINITIONS, PAIRED_DELIMITERS
from topiceq.article.macros.expander import Expander, Macro, MacroLimit
from topiceq.article.macros.packages import PRIMITIVES, packages
from topiceq.article.source import Article, is_latex, one_article
from topiceq.article.tex import FILE_END, PRIMITIVE, Runaway, is_blank_line, is_letters, lex
from topiceq.errors import CorpusError

OPAQUE = re.compile(
    r"\\begin\{(verbatim\*?|Verbatim|BVerbatim|lstlisting|minted|comment|alltt|filecontents\*?"
    r"|tikzpicture|asy|pycode|sagesilent|code)\}.*?\\end\{\1\}"
    r"|\\(?:verb|lstinline)\*?([^\w\s*{\[])[^\n]*?\2|\\(?:url|path|href|nolinkurl)\s*\{[^{}]*\}"
    r"|(?<!\\)(?P<even>(?:\\\\)*)%[^\n]*\n?[ \t]*", re.S
)  # fmt: skip
DEFINES = frozenset(DEFINITIONS) | frozenset(PAIRED_DELIMITERS)
GENTLE = frozenset(
    r"\- \/ \ensuremath \ignorespaces \leavevmode \mathchoice \nobreak \allowbreak \unskip \xspace"
    r" \protect \nolinebreak \penalty \parindent \baselineskip \tabcolsep \parskip \hsize".split()
)
FORBIDDEN = (frozenset(PRIMITIVES) - GENTLE) | {
    "\\verb",
    "\\Verb",
    "\\lstinline",
    "\\mintinline",
    "\\catcode",
    "\\char",
    "\\afterassignment",
}
TAKES_NAME = frozenset(  # what stands behind them is a name and no use
    r"\expandafter \noexpand \string \meaning \ifx \ifdefined \show \the \undefined".split()
)
VERBATIM = frozenset("verbatim alltt lstlisting Verbatim semiverbatim listing minted".split())
LISTINGS = frozenset(r"\lstnewenvironment \DefineVerbatimEnvironment \newtcblisting".split())
NAME = re.compile(r"^\s*(?:\*\s*)?\{([^{}]*)\}")
SHOWS = re.compile(rf"\{{(?:{'|'.join(VERBATIM)})\}}|\\(?:catcode|obeylines|@?verbatim|alltt)\b")
TAKES = dict.fromkeys(  # so many arguments, which may be tokens without braces
    which("accent", "alphabet", "bold", "class", "emphasis", "strong", "code", "heading")
    | values("text").keys(), 1) | counts("takes")  # fmt: skip
MATH = DISPLAYS | {"math", "subequations"}
SHIFTS = {"\\[": "\\]", "\\(": "\\)", "$": "$", "$$": "$$"}
CONDITION = re.compile(r"\\if(?!f$|thenelse$|t?[A-Z])[a-zA-Z@]*")
READS = re.compile(r"\\(?:input|include|subfile)$")
LOADS = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass|LoadClass)\s*(?:\[[^\]]*\]\s*)?\{([^{}]*)\}"
)
DEPTH = 12  # files that read one another


@dataclass
class Expanded:
    """An article as one file, how often each macro was replaced, and which uses are left."""

    article: str
    latex: str
    replaced: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)  # in mathematics


def expand(article: str | Path, *, cache: str | Path | None = None) -> Expanded:
    """An article in LaTeX as one file, the macros of its author replaced.

    It is a file, a folder or an archive that holds one article, or `arXiv:1902.06034`, which is
    fetched once and kept in the folder `cache`.
    """
    found = one_article(str(article), None if cache is None else str(cache))
    if not is_latex(found.root):
        raise CorpusError(f"'{article}' is no LaTeX. Only LaTeX has macros to expand.")
    return expanded(found)


def expanded(article: Article) -> Expanded:
    """An article of a source with its author's macros replaced."""
    return _Expansion(article).run()


class _Expansion:
    """Goes through the source once, in the order in which TeX reads it."""

    def __init__(self, article: Article) -> None:
        self.article = article
        self.x = Expander([], primitives=PRIMITIVES)
        self.out: list[str] = []
        self.expanded = Expanded(article.id, "")
        self.file = article.root
        self.reading: list[str] = []  # files that are open
        self.loaded: set[str] = set()  # styles and classes, which LaTeX reads once
        self.is_body = False
        self.conditions = 0  # that are open: what they define may not hold
        self.unsure: set[str] = set()
        self.math: list[str] = []  # what closes the mathematics that is open
        self.verbatim: list[str] = []  # environments that show what is typed
        self.listings = set(VERBATIM)  # names of such, and those of the author's
        self.after_macro = False  # whether what was written last came out of a macro

    def run(self) -> Expanded:
        """The whole article, from its main file."""
        self.read(self.article.root, depth=0)
        self.expanded.latex = "".join(self.out)
        return self.expanded

    def read(self, path: str, depth: int, *, is_shown: bool = True) -> None:
        """Read a file to its end."""
        text = self.article.files.read(path)
        if text is None or depth > DEPTH or path in self.reading:
            return
        self.reading.append(path)
        file, self.file = self.file, path
        out, x, untouched = self.out, self.x, self.x.untouched
        if not is_shown:
            self.out = []
        with x.aside([*_tokens(text), FILE_END]):
            x.floor = x.untouched = len(x.stack)
            while x.stack and x.stack[-1] != FILE_END:
                self.step(depth)
        self.reading.pop()
        self.file, x.untouched = file, untouched
        if not is_shown:
            self.out = out

    def step(self, depth: int) -> None:
        """Read one token, and all that belongs to it."""
        x = self.x
        is_source = x.at_source()
        token = x.stack.pop()
        if token in DEFINES and token not in x.macros and is_source and not self.takes_name():
            self.definition(token)
        elif token in x.macros and self.is_body and not (self.verbatim or self.takes_name()):
            self.use(token, x.macros[token], is_source)
        elif READS.match(token) and is_source and self.include(token, depth):
            return
        elif token in ("\\begin", "\\end"):
            self.environment(token)
        elif token in SHIFTS or self.math[-1:] == [token]:
            self.shift(token)
        else:
            if token in ("{", "}"):
                x.open_scope("{") if token == "{" else x.close_scope("{")
            elif token in LISTINGS:
                self.listings.update(NAME.findall("".join(reversed(x.stack[-4:])))[:1])
            elif token in ("\\usepackage", "\\RequirePackage", "\\documentclass", "\\LoadClass"):
                self.load(token, depth)
            elif CONDITION.fullmatch(token):
                self.conditions += 1
            elif is_blank_line(token):  # which ends mathematics, whatever was forgotten
                self.math.clear()
            elif token == "\\fi":
                self.conditions = max(self.conditions - 1, 0)
            self.write(token, is_source)

    def takes_name(self) -> bool:
        return bool(self.out) and self.out[-1] in TAKES_NAME

    # -- definitions ---------------------------------------------------------------------------

    def definition(self, token: str) -> None:
        """Note what is defined, and write it as it stands."""
        x = self.x
        before = "".join(reversed(x.stack))
        known = dict(x.macros)
        try:
            PRIMITIVES[token](x)
        except (Runaway, MacroLimit):
            pass
        written = before[: len(before) - sum(map(len, x.stack))]
        self.write(token, True)
        self.out.append(written)
        if token.endswith(("environment", "Environment")) and SHOWS.search(written):
            self.listings.update(NAME.findall(written)[:1])
        for name in x.macros.keys() | known.keys():
            old, new = known.get(name), x.macros.get(name)
            if old is new:
                continue
            is_other = self.conditions and old is not None
            if is_other or token.startswith("\\provide") and name in packages().macros:
                self.unsure.add(name)

    def load(self, token: str, depth: int) -> None:
        """What a style or class beside the article defines."""
        found = LOADS.match(token + "".join(reversed(self.x.stack[-60:])))
        suffix = ".cls" if "lass" in token else ".sty"
        for name in found[1].split(",") if found else ():
            path = self.article.files.find(
                name.strip(), near=self.file, root=self.article.root, suffix=suffix
            )
            if path is not None and path.endswith(suffix) and path not in self.loaded:
                self.loaded.add(path)
                conditions, math = self.conditions, self.math
                self.conditions, self.math = 0, []
                self.read(path, depth + 1, is_shown=False)
                self.conditions, self.math = conditions, math

    def include(self, token: str, depth: int) -> bool:
        r"""Put a file in the place of its \input; False if there is none."""
        x = self.x
        kept = list(x.stack)
        try:
            name = x.name() if x.peek() == "{" else ""
        except Runaway:
            name = ""
        if not name:
            x.stack[:] = kept
            return False
        path = self.article.files.find(name, near=self.file, root=self.article.root)
        text = None if path is None else self.article.files.read(path)
        if path is None or text is None or token == "\\subfile" or "\\documentclass" in text:
            x.stack[:] = kept
            return False
        page = "\\clearpage\n" if token == "\\include" and self.is_body else ""
        self.out.append(page)
        self.read(path, depth + 1)
        if page:
            self.out.append("\n" + page)
        elif self.out and not self.out[-1].endswith("\n"):
            self.out.append("%\n" if posixpath.basename(path) and text.endswith("%") else " ")
        return True

    # -- mathematics and groups ----------------------------------------------------------------

    def environment(self, token: str) -> None:
        x = self.x
        self.write(token, True)
        name = "".join(reversed(x.stack[-4:]))
        found = re.match(r"\s*\{([^{}]*)\}", name)
        if not found:
            return
        name = found[1]
        if name == "document":
            self.is_body = token == "\\begin"
            self.conditions = 0
        if token == "\\begin":
            x.open_scope(name)
            if name in self.listings:
                self.verbatim.append(name)
            if name in MATH:
                self.math.append("\\end" + name)
        else:
            x.close_scope(name)
            if self.verbatim[-1:] == [name]:
                self.verbatim.pop()
            if self.math[-1:] == ["\\end" + name]:
                self.math.pop()

    def shift(self, token: str) -> None:
        """A sign that opens or closes a formula."""
        if token in self.math:
            del self.math[self.math.index(token) :]
        elif token in SHIFTS:
            self.math.append(SHIFTS[token])
        self.write(token, True)

    # -- uses ----------------------------------------------------------------------------------

    def use(self, name: str, macro: Macro, is_source: bool) -> None:
        """Replace a macro, or leave it."""
        x = self.x
        if name in self.unsure or not (self.math or self.is_gentle(name, set())):
            self.leave(name, is_source)
            return
        kept = list(x.stack)
        is_argument = not (macro.params or macro.prefix) and self.is_argument()
        try:
            if self.is_gentle(name, set()):
                self.replace(name, macro, is_argument)
            else:
                self.work_out(name, is_argument)
        except (Runaway, MacroLimit, RecursionError):
            x.stack[:] = kept
            self.leave(name, is_source)
            return
        self.expanded.replaced[name] += 1
        self.after_macro = True

    def is_argument(self) -> bool:
        r"""Whether what comes is all of a command's argument: what \x stands for in \hat\x."""
        place, args = len(self.out), 0
        while place and args < 4:
            place -= 1
            token = self.out[place]
            if token.isspace() and not is_blank_line(token):
                continue
            if TAKES.get(token, 0) > args:
                return True
            if token == "}":
                place = self.opening(place)
            elif len(token) > 1 or not token.isalnum():
                return False
            args += 1
        return False

    def opening(self, place: int) -> int:
        """Where the group opens that closes at a place."""
        depth = 0
        for at in range(place, -1, -1):
            depth += (self.out[at] == "}") - (self.out[at] == "{")
            if not depth:
                return at
        return 0

    def replace(self, name: str, macro: Macro, is_argument: bool) -> None:
        """Put what a macro stands for in front, to be gone through in its turn."""
        x = self.x
        if len(x.stack) < x.floor:
            x.advance()
        if macro.params or macro.prefix:
            args = x.arguments(macro)
            x.spend(macro.length(args), name)
            x.stack += macro.replaced(args)
        else:
            if is_letters(name):
                x.skip_space()
            x.stack += ["}"] * is_argument
            x.expand(name, macro)
            x.stack += ["{"] * is_argument

    def work_out(self, name: str, is_argument: bool) -> None:
        """Let the expander find out what comes of a macro in mathematics."""
        x = self.x
        x.math = True
        x.write([name])
        tokens = []
        while not x.at_source():
            tokens.append(x.next())
        x.math = False
        if any("@" in token or token in FORBIDDEN for token in tokens if token[0] == "\\"):
            raise Runaway
        for token in ["{"] * is_argument + tokens + ["}"] * is_argument:
            self.write(self.plain(token), False)

    def plain(self, token: str) -> str:
        """A command that must keep its original meaning, if its name still has it."""
        if token[:1] != PRIMITIVE:
            return token
        if token[1:] in self.x.macros:
            raise Runaway
        return token[1:]

    def leave(self, name: str, is_source: bool) -> None:
        if self.math:
            self.expanded.left[name] += 1
        self.write(name, is_source)

    def is_gentle(self, name: str, seen: set[str]) -> bool:
        """Whether a macro only writes, and nothing in it chooses, counts or defines."""
        macro = self.x.macros[name]
        if name in seen:
            return False
        for item in macro.body:
            if not isinstance(item, str) or item[0] not in ("\\", PRIMITIVE):
                continue
            inner = item.lstrip(PRIMITIVE)
            if item[0] != PRIMITIVE and inner in self.x.macros:
                if inner in self.unsure or not self.is_gentle(inner, seen | {name}):
                    return False
            elif inner in self.x.macros or "@" in inner or inner in FORBIDDEN:
                return False
            elif inner.startswith("\\if") and inner != "\\iff":
                return False
            elif "#" in inner and inner != "\\#":  # a parameter in what is kept in one piece
                return False
        return True

    def write(self, token: str, is_source: bool) -> None:
        """Write a token, apart from a command in front that would swallow it."""
        if token[:1] == PRIMITIVE:
            token = token[1:]
        last = self.out[-1] if self.out else ""
        if last and token and is_letters(last):
            if token[0].isalpha() or token[0] == "@":
                self.out.append(" ")
            elif is_source and self.after_macro and token[0].isspace() and not self.math:
                self.out.append("" if last == "\\xspace" else "{}")
        self.after_macro = self.after_macro and not is_source
        self.out.append(token)


def _tokens(text: str) -> Iterator[str]:
    """The tokens of a source, what is not read by TeX as it stands in one piece."""
    at = 0
    for found in OPAQUE.finditer(text):
        start = found.end("even") if found["even"] else found.start()
        yield from lex(text[at:start])
        yield text[start : found.end()]
        at = found.end()
    yield from lex(text[at:])
