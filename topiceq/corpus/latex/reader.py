r"""One article in, its prose, headings and display equations out, in reading order.

The reader walks the expander's tokens, so author macros, \input, conditionals and redefinitions act
where they stand. Prose keeps inline math between dollar signs; displays carry their source as
written and their tokens after expansion. The files of a book's chapters become articles of their
own, which see what was defined before them.
"""

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager

from topiceq.corpus.commands import DISPLAYS, SKIPPED
from topiceq.corpus.latex.actions import ACTIONS, LABEL, citation, end_input, reference
from topiceq.corpus.latex.displays import Displays
from topiceq.corpus.macros import MacroLimit
from topiceq.corpus.pieces import Piece, Prose
from topiceq.corpus.source import Article
from topiceq.corpus.tex import FILE_END, PRIMITIVE, Runaway
from topiceq.corpus.textmode import REFERENCE

SKIP_LIMIT = 500_000
SHOWS = DISPLAYS | {"$$", "\\[", "\\(", "$"}
ASSIGNED = re.compile(  # =0pt plus .25em
    r"\s*=\s*-?[\d.]+\s*(?:true)?\s*(?:pt|in|cm|mm|em|ex|sp|bp|pc)?\b"
    r"(?:\s*(?:plus|minus)\s*[\d.]+\s*(?:pt|em|ex|fil+)?)*"
)
ASIDE = re.compile(r"graphic|include|note$|picture$")  # names of notes and pictures
INDEX = re.compile(r"\w(?:!\w|@)")  # morphism!Frobenius


def read(article: Article) -> list[Piece]:
    """All pieces of an article (of a book: of all its chapters), in reading order."""
    reader = Reader(article)
    reader.read()
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

    def read(self) -> None:
        """Read the whole article into `pieces`."""
        text = self.source.files.read(self.source.root)
        if text is None:
            return
        self.preamble = "\\begin{document}" in text
        self.enter(self.source.root, text)
        if not self.preamble and "\\documentclass" not in text:
            self.borrow_definitions()
        with _no_collection():
            self.walk()

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
            reference(self, token)
        elif "cite" in token:
            citation(self, token)
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
            end_input(self, token)
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
