r"""One article in, its prose, headings and display equations out, in reading order.

The reader walks the expander's tokens, so author macros, \input, conditionals and redefinitions act
where they stand. Prose keeps inline math between dollar signs; displays carry their source as
written and their tokens after expansion. The files of a book's chapters become articles of their
own, which see what was defined before them.
"""

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from topiceq.corpus.commands import DISPLAYS, SKIPPED
from topiceq.corpus.displays import Displays
from topiceq.corpus.macros import MacroLimit
from topiceq.corpus.pieces import Heading, Piece, Prose
from topiceq.corpus.source import Article
from topiceq.corpus.tex import FILE_END, PRIMITIVE, Runaway, join
from topiceq.corpus.textmode import (
    ACCENTS,
    CHARACTERS,
    CITATIONS,
    DROPPED,
    HEADINGS,
    PARAGRAPHS,
    REFERENCE,
    REFERENCES,
    accented,
)

BOOKS = frozenset(
    "book report memoir scrbook scrreprt amsbook extbook extreport tufte-book svmono octavo".split()
)
SKIP_LIMIT = 500_000
TITLE = 60  # characters; a shorter line at the beginning of a paragraph is a title
SHOWS = DISPLAYS | {"$$", "\\[", "\\(", "$"}
CITED = re.compile(
    r"(?i)\b(?:by|in|of|from|see|with|to|and|or|as|on|follow|that|e\.g\.,?|cf\.)[\s~]*$"
)
ASSIGNED = re.compile(  # =0pt plus .25em
    r"\s*=\s*-?[\d.]+\s*(?:true)?\s*(?:pt|in|cm|mm|em|ex|sp|bp|pc)?\b"
    r"(?:\s*(?:plus|minus)\s*[\d.]+\s*(?:pt|em|ex|fil+)?)*"
)
ASIDE = re.compile(r"graphic|include|note$|picture$")  # names of notes and pictures
INDEX = re.compile(r"\w(?:!\w|@)")  # morphism!Frobenius
LABEL = re.compile(r"\s*[A-Za-z]+:[\w:.-]+(?:\s*,\s*[A-Za-z]+:[\w:.-]+)*\s*")  # eq:energy


def read(article: Article) -> list[Piece]:
    """All pieces of an article (of a book: of all its chapters), in reading order."""
    text = article.files.read(article.root)
    if text is None:
        return []
    reader = Reader(article)
    reader.preamble = "\\begin{document}" in text
    reader.enter(article.root, text)
    if not reader.preamble and "\\documentclass" not in text:
        reader.borrow_definitions()
    with _no_collection():
        reader.walk()
    return reader.pieces


@contextmanager
def _no_collection() -> Iterator[None]:
    """Tokens make no cycles: the collector would only walk over them, a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Reader(Displays):
    """Walks an article; what each command does is looked up in `ACTIONS`."""

    def __init__(self, article: Article) -> None:
        super().__init__(article)
        self.text: list[str] = []
        self.unclosed: set[str] = set()

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
                self.unknown(token)
            elif token[0] == "\n":
                text.append("\n\n" if token.count("\n") > 1 else " ")
            elif token[0] != "%" and not self.preamble:
                text.append(token)

    def original(self, token: str) -> None:
        """A command in its original meaning, though the author redefined it."""
        action = ACTIONS.get(token)
        if action is not None:
            action(self, token)

    def unknown(self, token: str) -> None:
        """Pass over a command that means nothing here, with its bracket or its key."""
        stack = self.stack
        if stack and ASSIGNED.match(stack[-1]):  # \\parindent=0pt
            stack[-1] = ASSIGNED.sub("", stack[-1], count=1) or " "
        if stack and stack[-1] == "[":
            self.optional()
        if token.startswith("\\the") and len(token) > 5:  # \\thesection: a number
            self.text.append(REFERENCE)
        elif len(stack) > 1 and stack[-1] == "{":
            self.unknown_argument(token)

    def unknown_argument(self, token: str) -> None:
        """The argument of an unknown command is text, unless it looks like a key."""
        if token.endswith("ref"):
            _reference(self, token)
        elif "cite" in token:
            _citation(self, token)
        elif LABEL.fullmatch(self.stack[-2]) or INDEX.search(self.stack[-2]):
            self.argument()
        elif ASIDE.search(token):
            while self.stack and self.stack[-1] == "{":
                self.argument()

    def options(self) -> None:
        """Take a star and brackets that stand right here; space behind a command is kept."""
        stack = self.stack
        if stack and stack[-1][0] == "*":
            self.take("*")
        while stack and stack[-1] == "[" and self.optional() is not None:
            pass

    def ahead(self) -> str:
        """The next token that is not white space, nothing taken."""
        for token in reversed(self.stack[-3:]):
            if not token.isspace() and token[0] != "%":
                return token
        return ""

    def flush(self) -> None:
        """Close the prose collected so far."""
        text = "".join(self.text)
        self.text.clear()
        if not self.preamble and not text.isspace() and text:
            self.pieces.append(Prose(self.article, text))

    def discard(self) -> None:
        """Forget the prose collected so far."""
        self.text.clear()

    def begin_environment(self, token: str) -> None:
        name = self.name()
        if name == "document":
            self.preamble = False
            self.text.clear()
        elif name == "math":
            self.text.append("$" + self.inline("\\end") + "$")
            self.name()
        elif name in DISPLAYS and not self.preamble:
            self.display(name)
        elif name in SKIPPED:
            self.skip(name)
        else:
            self.open_environment(name)

    def open_environment(self, name: str) -> None:
        """An environment of prose begins a paragraph; one of the author's own may be a display."""
        own = self.environments.get(name)
        if own is None or not SHOWS.intersection(own.begin.body):
            self.text.append("\n\n")
        if not self.begin(name):
            self.environment_arguments()

    def environment_arguments(self) -> None:
        """Drop `[..]` behind \\begin{name}, and `{..}` that stands right behind it."""
        if self.peek() == "[":
            self.optional()
        while self.stack and self.stack[-1] in ("[", "{"):
            if self.stack[-1] == "{":
                self.argument()
            elif self.optional() is None:
                return

    def end_environment(self, token: str) -> None:
        name = self.name()
        if name == "document":
            _end_input(self, token)
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
    if r.ahead() == "[":
        r.optional()
    if token == "\\bibitem":
        r.argument()


def _reference(r: Reader, token: str) -> None:
    r.options()
    first = r.argument()
    if len(r.stack) > 1 and r.stack[-1] == "{" and LABEL.fullmatch(r.stack[-2]):
        r.argument()  # \textref{visible text}{key}
        r.push(first)
    else:
        r.text.append(REFERENCE)


def _dropped(r: Reader, token: str) -> None:
    count = DROPPED[token]
    for i in range(count):
        r.options()
        following = r.ahead()
        if following == "{" or (count > 1 and i == 0 and following[:1] == "\\"):
            r.argument()
    r.options()
    if token == "\\index" and r.stack and r.stack[-1] == "{":  # \index{which}{entry}
        r.argument()


def _citation(r: Reader, token: str) -> None:
    r"""\cite{..} is no part of the sentence, except in "by \cite{..}"."""
    r.options()
    if r.ahead() == "{":
        r.argument()
    if CITED.search("".join(r.text[-3:])):
        r.text.append(REFERENCE)


def _character(r: Reader, token: str) -> None:
    r.text.append(CHARACTERS[token])


def _line_break(r: Reader, token: str) -> None:
    r.options()
    line = "".join(r.text[-12:]).rpartition("\n\n")
    is_title = line[1] and len(line[2].strip()) < TITLE
    r.text.append("\n\n" if is_title else " ")


def _category_code(r: Reader, token: str) -> None:
    r"""\catcode`\_=11: drop the character and the number."""
    r.take("`")
    r.character()
    if r.stack:
        r.stack[-1] = re.sub(r"^\s*=?\s*\d+", "", r.stack[-1]) or " "


def _other_syntax(r: Reader, token: str) -> None:
    r"""\ExplSyntaxOn: what follows is written in another alphabet."""
    while r.stack and r.stack[-1] != FILE_END:
        if r.stack.pop() == "\\ExplSyntaxOff":
            return


def _token(r: Reader, token: str) -> None:
    r"""\the\baselineskip: drop what follows."""
    r.character()


def _accent(r: Reader, token: str) -> None:
    letter = join(r.argument()).replace("\\i", "i").replace("\\j", "j").strip()
    r.text.append(accented(ACCENTS[token], letter))


def _input(r: Reader, token: str) -> None:
    if r.peek() == "{":
        name = r.file_name()
    else:
        words = r.stack.pop() if r.stack and r.stack[-1] != FILE_END else ""
        name, _, rest = words.partition(" ")
        if rest:
            r.stack.append(rest)
    r.include(name.strip('" '), chapter=token != "\\input")


def _import(r: Reader, token: str) -> None:
    r.take("*")
    folder, name = r.file_name().rstrip("/"), r.file_name()
    beside = r.files[-1].path if token.startswith("\\sub") else ""
    if not r.include(f"{folder}/{name}" if folder else name, root=beside):
        r.include(name)


def _input_if_exists(r: Reader, token: str) -> None:
    name, yes, no = r.file_name(), r.argument(), r.argument()
    found = r.source.files.find(name, near=r.files[-1].path, root=r.source.root)
    r.push(no if found is None else yes)
    if found is not None and token == "\\InputIfFileExists":
        r.include(name)


def _package(r: Reader, token: str) -> None:
    r.optional()
    for name in r.file_name().split(","):
        r.load(name.strip(), ".sty")
    r.optional()


def _class(r: Reader, token: str) -> None:
    if token != "\\LoadClass":
        r.flush()
        r.preamble = True
    r.optional()
    name = r.name()
    r.optional()
    if name in BOOKS:
        r.book = True
    r.load(name, ".cls")


def _end_input(r: Reader, token: str) -> None:
    while r.stack and r.stack[-1] != FILE_END:
        r.stack.pop()


def _skip_number(r: Reader, token: str) -> None:
    r"""\vskip 1em, \kern-2pt: drop the length."""
    if r.peek()[:1] in "-.0123456789" and r.stack:
        r.stack[-1] = _LENGTH.sub("", r.stack[-1], count=1) or " "


def _leave(r: Reader, token: str) -> None:
    r.leave()


_LENGTH = re.compile(r"^\s*-?[\d.]+\s*(?:true)?\s*[a-z]{2}(?:\s+plus\s*\S+)?(?:\s+minus\s*\S+)?")

Action = Callable[[Reader, str], None]
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(CHARACTERS, _character),
    **dict.fromkeys(ACCENTS, _accent),
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(PARAGRAPHS, _paragraph),
    **dict.fromkeys(DROPPED, _dropped),
    **dict.fromkeys(REFERENCES, _reference),
    **dict.fromkeys(CITATIONS, _citation),
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
    "\\\\": _line_break,
    "\\catcode": _category_code,
    "\\the": _token,
    "\\ExplSyntaxOn": _other_syntax,
    **dict.fromkeys(["\\vskip", "\\hskip", "\\kern", "\\vglue", "\\hglue"], _skip_number),
    FILE_END: _leave,
}
