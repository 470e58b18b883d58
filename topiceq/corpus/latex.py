r"""One article in, its prose, headings and display equations out, in reading order.

The reader walks the expander's tokens, so author macros, \input, conditionals and redefinitions act
where they stand. Prose keeps inline math between dollar signs; displays carry their source as
written and their tokens after expansion. The files of a book's chapters become articles of their
own, which see what was defined before them.
"""

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from posixpath import splitext

from topiceq.corpus.commands import DIAGRAMS, DISPLAYS, SKIPPED
from topiceq.corpus.macros import Expander, MacroLimit
from topiceq.corpus.packages import DEFAULTS, ENVIRONMENTS, PACKAGES, PRIMITIVES
from topiceq.corpus.source import Article
from topiceq.corpus.tex import FILE_END, PRIMITIVE, Runaway, clean, join, lex
from topiceq.corpus.textmode import (
    ACCENTS,
    CHARACTERS,
    DROPPED,
    HEADINGS,
    PARAGRAPHS,
    REFERENCE,
    REFERENCES,
    accented,
)

BOOKS = frozenset(
    "book report memoir scrbook scrreprt amsbook extbook extreport tufte-book svmono bookest "
    "cambridge7A ctexbook octavo".split()
)
DISPLAY_LIMIT = 20_000  # tokens; a longer display was never closed
FILE_DEPTH = 20
SKIP_LIMIT = 500_000


@dataclass(frozen=True, slots=True)
class Prose:
    """Text between displays; inline math stands between dollar signs, paragraphs apart."""

    article: str
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a part, chapter or section."""

    article: str
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Display:
    """One display equation."""

    article: str
    line: int
    environment: str
    source: str  # as written
    tokens: tuple[str, ...]  # macros expanded
    reason: str = ""  # why it cannot be used: unbalanced, macro_limit, diagram


Piece = Prose | Heading | Display


class NotClosed(Exception):
    """A display that the paragraph or the file ends before it does."""


@dataclass(slots=True)
class File:
    """A source file being read: where its tokens start on the stack, to know the place in it."""

    path: str
    tokens: list[str]
    base: int
    newlines: list[int]  # where a token holds line ends
    lines: list[int]  # the line on which each of those places begins
    article: str


def read(article: Article) -> list[Piece]:
    """All pieces of an article (of a book: of all its chapters), in reading order."""
    text = article.files.read(article.root)
    if text is None:
        return []
    reader = Reader(article)
    reader.preamble = "\\documentclass" in text or "\\documentstyle" in text
    reader.enter(article.root, text, article.id)
    reader.walk()
    return reader.pieces


class Reader(Expander):
    """Walks an article; what each command does is looked up in `ACTIONS`."""

    primitives = PRIMITIVES

    def __init__(self, article: Article) -> None:
        super().__init__((), DEFAULTS)
        self.environments = dict(ENVIRONMENTS)
        self.source = article
        self.pieces: list[Piece] = []
        self.text: list[str] = []
        self.files: list[File] = []
        self.preamble = False
        self.book = False
        self.chapter_started = False
        self.unclosed: set[str] = set()

    # -- the walk ------------------------------------------------------------------------------

    def walk(self) -> None:
        """Read to the end, or to \\end{document}."""
        while self.stack:
            try:
                self._walk()
            except (MacroLimit, RecursionError):
                continue  # the macro and what it left are gone; go on behind it
            except Runaway:
                continue  # an argument broke off; its command is passed over
        self.flush()

    def _walk(self) -> None:
        stack, macros, text = self.stack, self.macros, self.text
        primitives, actions = self.primitives, ACTIONS
        while stack:
            token = stack.pop()
            macro = macros.get(token)
            if macro is not None:
                self.expand(token, macro)
                continue
            action = actions.get(token)
            if action is not None:
                action(self, token)
                continue
            primitive = primitives.get(token)
            if primitive is not None:
                primitive(self)
            elif token[0] == PRIMITIVE:
                self.original(token[1:])
            elif token[0] == "\\":
                self.unknown()
            elif token[0] == "\n":
                text.append("\n\n" if token.count("\n") > 1 else "\n")
            elif token[0] != "%" and not self.preamble:
                text.append(token)

    def original(self, token: str) -> None:
        """A command in its original meaning, though the author redefined it."""
        action = ACTIONS.get(token)
        if action is not None:
            action(self, token)

    def unknown(self) -> None:
        """Pass over a command that means nothing here, with its bracket."""
        if self.stack and self.stack[-1] == "[":
            self.optional()

    def flush(self) -> None:
        """Close the prose collected so far."""
        text = "".join(self.text)
        self.text.clear()
        if not self.preamble and not text.isspace() and text:
            self.pieces.append(Prose(self.article, text))

    # -- files ---------------------------------------------------------------------------------

    @property
    def article(self) -> str:
        """The id of the article being read: that of the book's chapter, in a book."""
        return self.files[-1].article if self.files else self.source.id

    def enter(self, path: str, text: str, article: str) -> None:
        """Go on reading in another file."""
        tokens = lex(clean(text))
        self.stack.append(FILE_END)
        base = len(self.stack)
        self.stack.extend(reversed(tokens))
        self.floor = len(self.stack)
        newlines = [i for i, token in enumerate(tokens) if "\n" in token]
        lines = list(accumulate((tokens[i].count("\n") for i in newlines), initial=1))
        self.files.append(File(path, tokens, base, newlines, lines, article))

    def leave(self, token: str) -> None:
        """A file has been read to its end."""
        if len(self.files) > 1:
            done = self.files[-1]
            if done.article != self.files[-2].article:
                self.flush()
            self.files.pop()

    def include(self, name: str, *, near: str = "", chapter: bool = False) -> bool:
        """Follow \\input and its relatives, within the source only."""
        here = near or self.files[-1].path
        path = self.source.files.find(name, near=here, root=self.source.root)
        if path is None or len(self.files) > FILE_DEPTH or any(f.path == path for f in self.files):
            return False
        text = self.source.files.read(path)
        if text is None:
            return False
        article = self.article
        if self.book and article == self.source.id and not self.preamble:
            if chapter or self.chapter_started or "\\chapter" in text:
                self.flush()
                article = self.chapter_id(path)
        self.chapter_started = False
        self.enter(path, text, article)
        return True

    def chapter_id(self, path: str) -> str:
        """The book's id with the chapter's file behind it."""
        return f"{self.source.id}/{splitext(path.rsplit('/', 1)[-1])[0]}"

    def load(self, name: str, suffix: str) -> None:
        """Read a style or class file of the source for what it defines, or a known package."""
        if name in PACKAGES:
            self.macros.update(PACKAGES[name])
        here = self.files[-1].path
        path = self.source.files.find(name, near=here, root=self.source.root, suffix=suffix)
        if path is None or not path.endswith(suffix) or len(self.files) > FILE_DEPTH:
            return
        text = self.source.files.read(path)
        if text is not None and all(f.path != path for f in self.files):
            self.enter(path, text, self.article)

    def place(self) -> int:
        """Which token of the current file comes next."""
        file = self.files[-1]
        return len(file.tokens) - max(len(self.stack) - file.base, 0)

    def line(self, place: int) -> int:
        """The line, from 1, on which a token of the current file stands."""
        file = self.files[-1]
        return file.lines[bisect(file.newlines, place - 1)]

    # -- environments and displays -------------------------------------------------------------

    def begin_environment(self, token: str) -> None:
        name = self.name()
        if name == "document":
            self.preamble = False
            self.text.clear()
        elif name in DISPLAYS and not self.preamble:
            self.display(name)
        elif name in SKIPPED:
            self.skip(name)
        elif not self.begin(name):
            self.text.append("\n\n")
            self.environment_arguments()

    def environment_arguments(self) -> None:
        """Drop `[..]` and `{..}` that stand right behind \\begin{name}."""
        stack = self.stack
        while stack and stack[-1] in ("[", "{"):
            if stack[-1] == "[":
                if self.optional() is None:
                    return
            else:
                self.argument()

    def end_environment(self, token: str) -> None:
        name = self.name()
        if name == "document":
            self.stack.clear()
        elif not self.end(name):
            self.text.append("\n\n")

    def skip(self, name: str) -> None:
        """Pass over an environment that holds no prose; if it never ends, over its beginning."""
        if name in self.unclosed:
            return
        stack, depth = self.stack, 1
        for i in range(len(stack) - 1, max(1, len(stack) - SKIP_LIMIT), -1):
            token = stack[i]
            if token == FILE_END:
                break
            if token in ("\\end", "\\begin") and stack[i - 1] == "{" and stack[i - 2] == name:
                depth += 1 if token == "\\begin" else -1
                if depth == 0:
                    del stack[i - 3 :]
                    self.text.append("\n")
                    return
        self.unclosed.add(name)

    def display(self, environment: str) -> None:
        """Collect one display equation."""
        start = self.place()
        depth, line = len(self.scopes), self.line(start)
        self.math = True
        reason, tokens = "", []
        try:
            tokens = self.collect(environment)
        except (NotClosed, Runaway):
            reason = "unbalanced"
        except (MacroLimit, RecursionError):
            reason = "macro_limit"
            self.recover(environment)
        self.math = False
        self.forget_scopes(depth)
        if any(t in DIAGRAM_COMMANDS for t in tokens) or self.has_diagram(tokens):
            reason = "diagram"
        if not self.preamble:
            self.flush()
            written = self.written(start, environment)
            self.pieces.append(
                Display(self.article, line, environment, written, tuple(tokens), reason)
            )

    def written(self, start: int, environment: str) -> str:
        """The source of a display from a place on, without what closes it."""
        tokens = self.files[-1].tokens[start : self.place()]
        closing = self.macros.get(tokens[-1]) if tokens else None
        if closing is not None and "\\end" in closing.body:
            tokens = tokens[:-1]
        return join(tokens).strip().removesuffix(f"\\end{{{environment}}}").removesuffix(
            CLOSERS.get(environment, "")).strip()

    def has_diagram(self, tokens: list[str]) -> bool:
        return any(
            tokens[i] == "\\begin" and tokens[i + 2] in DIAGRAMS for i in range(len(tokens) - 2)
        )

    def recover(self, environment: str) -> None:
        """Skip to the end of a display whose expansion was given up."""
        closer = CLOSERS.get(environment)
        while self.stack and self.stack[-1] != FILE_END:
            token = self.stack.pop()
            if token == closer or token.count("\n") > 1:
                return
            if closer is None and token == "\\end" and self.stack[-2:-1] == [environment]:
                self.name()
                return

    def forget_scopes(self, depth: int) -> None:
        while len(self.scopes) > depth:
            self.close_scope(self.scopes[-1].kind)

    def collect(self, environment: str) -> list[str]:
        """The expanded tokens up to the end of the display."""
        closer = CLOSERS.get(environment)
        tokens: list[str] = []
        inside = 0
        while len(tokens) < DISPLAY_LIMIT:
            token = self.next()
            if token == closer and not inside:
                return tokens
            if token == "\\begin" or token == "\\end":
                name = self.name()
                if token == "\\begin":
                    inside += 1
                    if self.begin(name):
                        inside -= 1
                        continue
                elif name == environment and not inside:
                    return tokens
                elif self.end(name):
                    continue
                else:
                    inside -= 1
                    if inside < 0:
                        raise NotClosed
                tokens += [token, "{", name, "}"]
                continue
            if token == "{":
                self.open_scope("{")
            elif token == "}":
                self.close_scope("{")
            elif token == FILE_END:
                self.stack.append(token)
                raise NotClosed
            elif token[0] == "\n":
                if token.count("\n") > 1 and not inside:
                    raise NotClosed
                token = " "
            elif token == "\\label":
                self.argument()
                continue
            elif token[0] == "%":
                continue
            tokens.append(token)
        raise NotClosed

    def inline(self, closer: str) -> str:
        """An inline formula up to its closer, as written."""
        stack, taken, depth = self.stack, [], 0
        while stack and len(taken) < 2000:
            token = stack.pop()
            if depth <= 0 and (token == closer or (closer == "$" and token == "$$")):
                if token == "$$":
                    stack.append("$")
                return join(taken).strip()
            depth += (token == "{") - (token == "}")
            if token == FILE_END or token.count("\n") > 1:
                stack.append(token)
                return join(taken).strip()
            taken.append(token if token[0] != "\n" else " ")
        return join(taken).strip()


CLOSERS = {"$$": "$$", "\\[": "\\]"}
DIAGRAM_COMMANDS = frozenset(
    "\\xymatrix \\diagram \\xygraph \\tikz \\begindc \\Tree \\infer \\inferrule \\AxiomC \\prftree "
    "\\includegraphics \\epsfbox \\epsfig \\psfig \\xy \\pspicture \\UnaryInfC \\BinaryInfC "
    "\\Diagram \\xygraph \\feyn \\Qcircuit \\young \\yng \\ytableaushort \\commdiag \\cfig "
    "\\includestandalone \\tikzfig \\put \\cxymatrix \\inferrule* \\dedu "
    "\\lstinline \\input".split()
)


# -- what commands do: each takes the reader and the command ------------------------------------


def _group_open(r: Reader, token: str) -> None:
    r.open_scope("{")


def _group_close(r: Reader, token: str) -> None:
    r.close_scope("{")


def _inline(r: Reader, token: str) -> None:
    r.text.append("$" + r.inline("\\)" if token == "\\(" else "$").replace("$", " ") + "$")


def _display(r: Reader, token: str) -> None:
    if not r.preamble:
        r.display(token)


def _heading(r: Reader, token: str) -> None:
    r.take("*")
    r.optional()
    title = " ".join(plain(r, r.argument()).split())
    if r.preamble:
        return
    r.flush()
    r.chapter_started = token == "\\chapter"
    r.pieces.append(Heading(r.article, title, HEADINGS[token]))


def plain(r: Reader, tokens: list[str]) -> str:
    """Short text such as a title, read in place and taken out of the prose again."""
    outer_stack, outer_text, floor = r.stack, r.text, r.floor
    r.stack, r.text, r.floor = list(reversed(tokens)), [], 0
    try:
        r._walk()
    except (MacroLimit, RecursionError, Runaway):
        pass
    finally:
        text = "".join(r.text)
        r.stack, r.text, r.floor = outer_stack, outer_text, floor
    return text


def _paragraph(r: Reader, token: str) -> None:
    r.text.append("\n\n")
    if token == "\\item":
        r.optional()
    elif token == "\\bibitem":
        r.optional()
        r.argument()


def _reference(r: Reader, token: str) -> None:
    r.take("*")
    while r.optional() is not None:
        pass
    r.argument()
    r.text.append(REFERENCE)


def _dropped(r: Reader, token: str) -> None:
    r.take("*")
    for _ in range(DROPPED[token]):
        while r.optional() is not None:
            pass
        if r.peek() == "{" or token == "\\write":
            r.argument()
    r.optional()


def _character(r: Reader, token: str) -> None:
    r.text.append(CHARACTERS[token])


def _accent(r: Reader, token: str) -> None:
    letter = join(r.argument()).replace("\\i", "i").replace("\\j", "j").strip()
    r.text.append(accented(ACCENTS[token], letter))


def _input(r: Reader, token: str) -> None:
    if r.peek() == "{":
        name = r.name()
    else:
        words = r.stack.pop() if r.stack and r.stack[-1] != FILE_END else ""
        name, _, rest = words.partition(" ")
        if rest:
            r.stack.append(rest)
    r.include(name.strip('" '), chapter=token != "\\input")


def _import(r: Reader, token: str) -> None:
    r.take("*")
    folder, name = r.name().rstrip("/"), r.name()
    if not r.include(f"{folder}/{name}" if folder else name):
        r.include(name)


def _input_if_exists(r: Reader, token: str) -> None:
    name, yes, no = r.name(), r.argument(), r.argument()
    found = r.source.files.find(name, near=r.files[-1].path, root=r.source.root)
    r.push(no if found is None else yes)
    if found is not None and token == "\\InputIfFileExists":
        r.include(name)


def _package(r: Reader, token: str) -> None:
    r.optional()
    for name in r.name().split(","):
        r.load(name.strip(), ".sty")
    r.optional()


def _class(r: Reader, token: str) -> None:
    r.optional()
    name = r.name()
    r.optional()
    if name in BOOKS:
        r.book = True
    r.load(name, ".cls")


def _end_input(r: Reader, token: str) -> None:
    while r.stack and r.stack[-1] != FILE_END:
        r.stack.pop()


def _footnote_like(r: Reader, token: str) -> None:
    r.optional()
    r.argument()


def _skip_number(r: Reader, token: str) -> None:
    r"""\vskip 1em, \kern-2pt: drop the length."""
    if r.peek()[:1] in "-.0123456789" and r.stack:
        r.stack[-1] = _LENGTH.sub("", r.stack[-1], count=1) or " "


def _leave(r: Reader, token: str) -> None:
    r.leave(token)


def _nothing(r: Reader, token: str) -> None:
    pass


import re  # noqa: E402

_LENGTH = re.compile(r"^\s*-?[\d.]+\s*(?:true)?\s*[a-z]{2}(?:\s+plus\s*\S+)?(?:\s+minus\s*\S+)?")

Action = Callable[[Reader, str], None]
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(CHARACTERS, _character),
    **dict.fromkeys(ACCENTS, _accent),
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(PARAGRAPHS, _paragraph),
    **dict.fromkeys(DROPPED, _dropped),
    **dict.fromkeys(REFERENCES, _reference),
    "{": _group_open,
    "}": _group_close,
    "\\bgroup": _group_open,
    "\\egroup": _group_close,
    "\\begingroup": _group_open,
    "\\endgroup": _group_close,
    "$": _inline,
    "\\(": _inline,
    "$$": _display,
    "\\[": _display,
    "\\begin": Reader.begin_environment,
    "\\end": Reader.end_environment,
    **dict.fromkeys(["\\input", "\\include", "\\subfile", "\\subfileinclude"], _input),
    **dict.fromkeys(["\\import", "\\subimport", "\\includefrom", "\\subincludefrom"], _import),
    **dict.fromkeys(["\\InputIfFileExists", "\\IfFileExists"], _input_if_exists),
    **dict.fromkeys(["\\usepackage", "\\RequirePackage"], _package),
    **dict.fromkeys(["\\documentclass", "\\LoadClass", "\\documentstyle"], _class),
    "\\endinput": _end_input,
    **dict.fromkeys(["\\vskip", "\\hskip", "\\kern", "\\mskip", "\\vglue", "\\hglue"], _skip_number),
    FILE_END: _leave,
}
