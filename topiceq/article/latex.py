r"""One article in, its prose, headings and display equations out, in reading order.

A `Reader` walks the tokens of an expander, so author macros, \input, conditionals and redefinitions
act where they stand, and writes to a sink: `Pieces` as a corpus wants them, or a page (page.py).
Prose keeps inline math between dollar signs; displays carry their source as written and their
tokens after expansion. The files of a book's chapters become articles of their own, which see what
was defined before them.
"""

import gc
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from posixpath import dirname, splitext
from typing import TYPE_CHECKING

from topiceq.article.actions import ACTIONS, CITED, LABEL, end_input, skip_overlays
from topiceq.article.commands import (
    COUNTED,
    DELIMITERS,
    DISPLAYS,
    KNOWN,
    NAMES,
    SKIPPED,
    STYLES,
    names,
    which,
)
from topiceq.article.files import Files, MemoryFiles
from topiceq.article.formulas import (
    CLOSERS,
    REFERENCE_ALONE,
    left_side,
    read_display,
    read_inline,
)
from topiceq.article.macros.expander import MacroLimit
from topiceq.article.macros.packages import GUESSED, latex_expander, packages
from topiceq.article.neighbours import lender
from topiceq.article.options import Options
from topiceq.article.pieces import REFERENCE, Display, Piece, Pieces, Prose
from topiceq.article.tex import FILE_END, HIDDEN, PRIMITIVE, Runaway, clean, join, lex

if TYPE_CHECKING:
    from topiceq.article.source import Article

FILE_DEPTH = 20
FILE_TIMES = 20  # how often one file may be read; more is a macro that reads it for ever
SKIP_LIMIT = 500_000  # tokens in which the end of a float is looked for; less after looking in vain
SKIP_LEAST = 2_000
GROUP_LIMIT = 2_000  # tokens of an argument that may be glued to what follows
VERBATIM = names("verbatim Verbatim alltt lstlisting minted")
SCRIPTS = frozenset("_^")
MATHS = KNOWN - which("prints") - DELIMITERS - {"\\text"}  # commands of formulas only
NONE: frozenset[str] = frozenset()
SHOWS = DISPLAYS | {"$$", "\\[", "\\(", "$"}
ASSIGNED = re.compile(  # =0pt plus .25em
    r"\s*=\s*-?[\d.]+\s*(?:true\s*)?(?:pt|in|cm|mm|em|ex|sp|bp|pc)?\b"
    r"(?:\s*(?:plus|minus)\s*[\d.]+\s*(?:pt|em|ex|fil+)?)*"
)
BODY = re.compile(r"^[^%\n]*\\begin\{document\}", re.M)
CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)", re.M)
FORMAT = re.compile(r"%&\s*([\w./-]+)")  # in the first line: a preamble that TeX has read before
INPUT = re.compile(r"\\(?:input|include)\s*(?:\{\s*)?([^\s{}\\#%]+)")
ASIDE = re.compile(r"graphic|include|input|note$|picture$|(?:dir|path|file|key)$")  # is no text
SIZE = re.compile(r"\s*(?:width|height|scale|angle|totalheight)\s*=")  # of a picture
PICTURES = re.compile(r"\w*(?:diagram|picture|chart|circuit)\*?")
ACRONYM = re.compile(r"\\[A-Z]{2,6}")
INDEX = re.compile(r"\w(?:!\w|@)")  # morphism!Frobenius
NO_FILES = MemoryFiles({})


def read_latex(article: "Article", text: str, sink: Pieces) -> None:
    """Read the text of an article's main file and all that it includes; of a book: all chapters."""
    Reader(article.id, article.root, article.files, sink).read(text)


def has_class(text: str) -> bool:
    r"""Whether a file has a \documentclass of its own, outside comments."""
    return "\\document" in text and CLASS.search(text) is not None


def files_read(root: str, sources: Files) -> list[str]:
    """The files that an article reads by \\input and its relatives, whoever builds their names."""
    reader = Reader("", root, sources, Pieces())
    reader.read(sources.read(root) or "")
    return list(reader.times)


def read_prose(text: str) -> list[Piece]:
    """The pieces of prose that somebody has typed."""
    sink = Pieces()
    Reader("", "", NO_FILES, sink).read(text.replace("\r\n", "\n").replace("\r", "\n"))
    return sink.pieces


def is_verbatim(body: Sequence[str | int]) -> bool:
    r"""Whether an environment of one's own is a frame around \begin{verbatim}, or \verbatim."""
    opened = (body[at + 2] for at in range(len(body) - 2) if body[at] == "\\begin")
    named = (str(token).removeprefix("\\") for token in body if token in VERBATIM)
    return any(HIDDEN.match(f"\\begin{{{name}}}") for name in (*opened, *named))


@dataclass(slots=True)
class File:
    """A source file being read: where its tokens start on the stack, to know the place in it."""

    path: str
    tokens: list[str]
    base: int
    article: str
    preamble: bool  # whether the file that reads it was in its preamble
    options: Options  # of the style that it is, or belongs to
    scopes: int  # groups that were open where it begins
    counted: int = 0  # tokens whose line ends are counted
    line: int = 1  # where they end
    searched: int = 0  # tokens in which displays that macros hold have been looked for

    def line_of(self, place: int) -> int:
        """The line on which a token begins; places are asked for in reading order."""
        if place > self.counted:
            self.line += "".join(self.tokens[self.counted : place]).count("\n")
            self.counted = place
        return self.line

    def opening(self, environment: str, start: int, end: int) -> int:
        """Where between two places a display opens; the first of them if it does not."""
        tokens, opener = self.tokens, CLOSERS.get(environment) and environment
        for at in range(max(start, self.searched), end):
            named = tokens[at] == "\\begin" and tokens[at + 2 : at + 3] == [environment]
            if named or tokens[at] == opener:
                closer = CLOSERS.get(environment, "\\end")
                rest = tokens[at + 1 : end]
                self.searched = at + 2 + (rest.index(closer) if closer in rest else 0)
                return at
        return max(start, self.counted)


class Reader:
    """Walks an article; what each command does is looked up in a table of actions."""

    def __init__(self, id: str, root: str, sources: Files, sink: Pieces) -> None:
        self.id = id
        self.root = root
        self.sources = sources
        self.sink = sink
        self.x = latex_expander()
        self.x.lend = lender(sources, root)
        self.actions = {**ACTIONS, **sink.actions}
        self.files: list[File] = []  # that are open; each lies on the stack above a FILE_END
        self.times: Counter[str] = Counter()
        self.skip_limit = SKIP_LIMIT
        self.preamble = False
        self.class_options: list[str] = []
        self.handed_on: dict[str, list[str]] = {}  # options for styles, by their file
        self.loaded: dict[str, list[str]] = {}  # styles with their options
        self.book = False
        self.chapter_started = False

    def read(self, text: str) -> None:
        """Read the text of the main file, and all that it includes."""
        self.preamble = "\\begin{document}" in text
        self.enter(self.root, text)
        self.enter_preamble(text)
        with _no_collection():
            while self.x.stack:
                try:
                    self.walk()
                except (MacroLimit, RecursionError):
                    continue  # the macro and what it left are gone; go on behind it
                except Runaway:
                    continue  # an argument broke off; its command is passed over
            self.flush()

    def walk(self) -> None:
        """Read to the end of the tokens."""
        x, text, actions = self.x, self.sink.text, self.actions
        stack, macros, primitives = x.stack, x.macros, x.primitives
        while stack:
            token = stack.pop()
            macro = macros.get(token)
            if macro is not None:
                x.expand(token, macro)
                continue
            action = actions.get(token)
            if action is not None:
                action(self, token)
                continue
            primitive = primitives.get(token)
            if primitive is not None:
                primitive(x)
            elif token[0] == PRIMITIVE:  # its original meaning, though the author redefined it
                if (original := actions.get(token[1:])) is not None:
                    original(self, token[1:])
            elif token[0] == "\\":
                self.unknown(token)
            elif token[0] == "\n":
                text.append("\n\n" if token.count("\n") > 1 else " ")
            elif token[0] != "%" and not self.preamble:
                text.append(token)

    def unknown(self, token: str) -> None:
        """Pass over a command that means nothing here, with its bracket or its key."""
        stack = self.x.stack
        if not self.preamble and self.x.borrow([token, *stack[-1:], *stack[-2:-1]]):
            stack.append(token)
            return
        skip_overlays(self.x)
        if stack and (found := ASSIGNED.match(stack[-1])):  # \\parindent=0pt
            stack[-1] = stack[-1][found.end() :] or " "
        if stack and stack[-1] == "[":
            self.x.optional()
        if token.startswith("\\the") and len(token) > 5:  # \\thesection: a number
            self.write(REFERENCE)
        elif len(stack) > 1 and stack[-1] == "{":
            self.unknown_argument(token)
        elif ACRONYM.fullmatch(token) and token not in NAMES and not self.preamble:
            self.write(token[1:])
        elif token not in NAMES and not self.preamble and self.is_word_wanted():
            self.write(REFERENCE)  # "fitted with \\prog and": a word

    def is_word_wanted(self) -> bool:
        """Whether a sentence goes on here with what an unknown command prints."""
        return CITED.search("".join(self.sink.text[-3:])) is not None

    def unknown_argument(self, token: str) -> None:
        """The argument of an unknown command is text, unless it looks like a key."""
        stack = self.x.stack
        if token.endswith("ref"):
            self.actions["\\ref"](self, token)
        elif "cite" in token:
            self.actions["\\cite"](self, token)
        elif ASIDE.search(token) or any(SIZE.match(first) for first in self.firsts()):
            while stack and stack[-1] == "{":
                self.x.argument()
        elif any(formula := self.formula_ahead()):
            self.unknown_formula(token, *formula)
        elif LABEL.fullmatch(stack[-2]) or INDEX.search(stack[-2]):
            self.x.argument()
        else:
            self.keep_apart(len(stack) - 1)

    def keep_apart(self, at: int) -> None:
        r"""Space between the arguments of \unknown{One}{two}, and behind \title{A title}Text."""
        stack = self.x.stack
        while end := self.group_end(at):
            behind, last = stack[end - 1], stack[end + 1]
            is_title = behind[0].isupper() and (last[-1].islower() or last[-1] in ".:!?")
            if last[0] not in "\\{}$" and (behind == "{" or is_title):
                stack[end + 1] = last + " "
            if behind != "{":
                return
            at = end - 1

    def group_end(self, at: int) -> int:
        """Where on the stack the group that begins at a place is closed; 0 if not nearby."""
        stack, depth = self.x.stack, 0
        for i in range(at, max(at - GROUP_LIMIT, 0), -1):
            depth += (stack[i] == "{") - (stack[i] == "}")
            if depth == 0:
                return i
        return 0

    def groups(self) -> Iterator[tuple[int, int]]:
        """Where on the stack the groups begin and end that follow right here."""
        at, stack = len(self.x.stack) - 1, self.x.stack
        while at > 0 and stack[at] == "{" and (end := self.group_end(at)):
            yield at, end
            is_spaced = end > 1 and stack[end - 1].isspace() and stack[end - 2] == "{"
            at = end - 1 - is_spaced

    def firsts(self) -> list[str]:
        """The first token of each of these groups."""
        return [self.x.stack[start - 1] for start, _ in self.groups()]

    def formula_ahead(self) -> tuple[int, int]:
        """The last group that follows right here, if it can only be mathematics; else (0, 0)."""
        start, end = next(reversed([*self.groups()]), (0, 0))
        inner = self.x.stack[end:start]
        is_formula = "$" not in inner and not SCRIPTS.isdisjoint(inner)
        return (start, end) if is_formula and not MATHS.isdisjoint(inner) else (0, 0)

    def unknown_formula(self, token: str, start: int, end: int) -> None:
        r"""\numeq{key}{x = y^2}, which nobody defines: a display; \unknown{x^\alpha} is inline."""
        stack = self.x.stack
        formula = stack[end + 1 : start][::-1]
        is_display = "eq" in token or len(stack) - 1 > start
        del stack[end:]
        opens, closes = ("\\[", "\\]") if is_display else ("$", "$")
        self.x.write([opens, *formula, closes])

    # -- prose ---------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Go on with the prose."""
        self.sink.text.append(text)

    def flush(self, article: str = "") -> None:
        """Close the prose collected so far."""
        text = "".join(self.sink.text)
        self.sink.text.clear()
        if not self.preamble and not text.isspace() and text:
            self.sink.pieces.append(Prose(article or self.article, text))

    def plain(self, tokens: list[str]) -> str:
        """Short text such as a title, read in place and not written to the prose."""
        outer, self.sink.text = self.sink.text, []
        try:
            with self.x.aside(tokens):
                self.walk()
        except (MacroLimit, RecursionError, Runaway):
            pass
        finally:
            text, self.sink.text = "".join(self.sink.text), outer
        return " ".join(text.split())

    def close_group(self) -> None:
        """End the innermost group."""
        self.x.close_scope("{")
        self.sink.close_groups(len(self.x.scopes))

    # -- environments --------------------------------------------------------------------------

    def begin_environment(self) -> None:
        name = self.x.name()
        if name == "document":
            self.preamble = False
            self.x.keep_scopes(0)
            self.x.level = 0
            self.sink.text.clear()
        elif name == "math":
            self.inline("\\end")
            self.x.name()
        elif name in DISPLAYS and not self.preamble:
            self.display(name)
        elif name in SKIPPED or PICTURES.fullmatch(name) and name not in self.x.environments:
            self.skip(name)
        else:
            self.open_environment(name)

    def open_environment(self, name: str) -> None:
        """An environment of prose begins a paragraph; one of the author's own may be a display."""
        own = self.x.environments.get(name)
        if own and is_verbatim(own.begin.body):
            self.skip(name)
            return
        if name not in STYLES and (own is None or not SHOWS.intersection(own.begin.body)):
            self.write("\n\n")
        self.sink.open_environment(self, name)
        if not self.x.begin(name):
            self.environment_arguments()

    def environment_arguments(self) -> None:
        """Drop `[..]` behind \\begin{name}, and `{..}` that stands right behind it."""
        x = self.x
        skip_overlays(x)
        if x.peek() == "[":
            x.optional()
        while x.stack and x.stack[-1] in ("[", "{"):
            if x.stack[-1] == "{":
                x.argument()
            elif x.optional() is None:
                return

    def end_environment(self) -> None:
        name = self.x.name()
        self.sink.close_environment(name)
        if name == "document":
            end_input(self, "\\end")
            return
        is_own = self.x.end(name)
        self.sink.close_groups(len(self.x.scopes))
        if not is_own and name not in STYLES:
            self.write("\n\n")

    def skip(self, name: str) -> None:
        """Pass over an environment that holds no prose; if it never ends, over its beginning."""
        end = self.environment_end(name) or self.environment_end(name, self.closers(name))
        if end:
            if not self.preamble:
                self.sink.aside(self, name, lambda: self.x.stack[: end - 2 : -1])
            del self.x.stack[end - 1 :]
            self.write("\n\n" if self.is_announced() else "\n")
        else:
            self.environment_arguments()

    def is_announced(self) -> bool:
        """Whether a sentence ends before what is passed over: "as follows:"."""
        before = "".join(self.sink.text[-3:]).rstrip()
        behind = "".join(reversed(self.x.stack[-4:])).lstrip()
        return before[-1:] == ":" and behind[:1].isupper()

    def environment_end(self, name: str, closers: frozenset[str] = NONE) -> int:
        r"""Where on the stack the \end{name} ends, or a macro that is one; 0 if nowhere."""
        stack, depth = self.x.stack, 1
        i = len(stack)
        for i in range(len(stack) - 1, max(1, len(stack) - self.skip_limit), -1):
            token = stack[i]
            if token == FILE_END:
                break
            if token in closers:
                return i + 1
            if token in ("\\end", "\\begin") and stack[i - 1] == "{" and stack[i - 2] == name:
                depth += 1 if token == "\\begin" else -1
                if depth == 0:
                    return i - 2
        self.skip_limit = max(self.skip_limit - (len(stack) - i), SKIP_LEAST)
        return 0

    def closers(self, name: str) -> frozenset[str]:
        r"""The author's macros that end an environment: \def\efig{\end{figure}}."""
        end = ("\\end", "{", name, "}")
        return frozenset(
            command
            for command, macro in self.x.macros.items()
            if macro.body[-4:] == end and not macro.params
        )

    # -- formulas ------------------------------------------------------------------------------

    def display(self, environment: str) -> None:
        """One display equation, from what opens it to what closes it."""
        start, as_written, file = self.place(), self.x.at_source(), self.files[-1]
        at = start if as_written else file.opening(environment, self.called_at(), start)
        line = file.line_of(at)
        if environment in COUNTED:
            given = self.x.optional()
            self.x.argument()
            self.x.push(left_side(given or []))
        elif own := self.x.environments.get(environment):
            self.x.arguments(own.begin)  # of an author's \\renewenvironment{equation}[1]
        self.flush()
        self.sink.open_display(environment)
        tokens, reason = read_display(self.x, environment, self.sink.label)
        self.sink.close_groups(len(self.x.scopes))
        written = self.written(start, environment) if as_written else join(tokens).strip()
        self.sink.pieces.append(
            Display(self.article, file.path, line, environment, written, tuple(tokens), reason)
        )

    def inline(self, closer: str) -> None:
        """One inline formula, up to its closer."""
        text = read_inline(self.x, closer).replace("$", " ")
        reference = REFERENCE_ALONE.fullmatch(text)
        self.sink.refer(reference[1]) if reference else self.write(f"${text}$")

    def written(self, start: int, environment: str) -> str:
        """The source of a display from a place on, without what closes it."""
        tokens = self.files[-1].tokens[start : self.place()]
        closing = self.x.macros.get(tokens[-1]) if tokens else None
        if closing is not None and "\\end" in closing.body:
            tokens = tokens[:-1]
        source = join(tokens).strip().removesuffix(f"\\end{{{environment}}}")
        return source.removesuffix(CLOSERS.get(environment, "")).strip()

    # -- files ---------------------------------------------------------------------------------

    @property
    def article(self) -> str:
        """The id of the article being read: that of the book's chapter, in a book."""
        return self.files[-1].article if self.files else self.id

    def enter(
        self, path: str, text: str, *, article: str = "", style: Options | None = None
    ) -> None:
        """Go on reading in another file; of a style, only definitions count."""
        if style and self.files:
            self.flush()
        x, tokens = self.x, lex(clean(text))
        x.stack.append(FILE_END)
        base = len(x.stack)
        x.push(tokens)
        x.floor = x.untouched = len(x.stack)
        options = style or (self.files[-1].options if self.files else Options())
        self.files.append(
            File(path, tokens, base, article or self.article, self.preamble, options, len(x.scopes))
        )
        x.level = len(x.scopes)
        self.preamble = self.preamble or style is not None

    def leave(self) -> None:
        """A file has been read to its end."""
        if len(self.files) > 1:
            done = self.files.pop()
            self.x.keep_scopes(done.scopes)
            self.x.level = min(self.files[-1].scopes, len(self.x.scopes))
            self.sink.close_groups(len(self.x.scopes))
            if done.article != self.article:
                self.flush(done.article)
            if self.preamble and not done.preamble:
                self.sink.text.clear()
                self.preamble = False

    def include(self, name: str, *, root: str = "", chapter: bool = False) -> bool:
        """Follow \\input and its relatives, within the source only."""
        path = self.sources.find(name, near=self.files[-1].path, root=root or self.root)
        if path is None or len(self.files) > FILE_DEPTH or any(f.path == path for f in self.files):
            return False
        self.times[path] += 1
        text = self.sources.read(path)
        if text is None or self.times[path] > FILE_TIMES:
            return False
        article = self.article
        if self.begins_chapter(text, chapter):
            self.flush()
            below = path.removeprefix(dirname(self.root) + "/")
            article = f"{self.id}/{splitext(below)[0]}"
        self.chapter_started = False
        self.enter(path, text, article=article)
        return True

    def begins_chapter(self, text: str, included: bool) -> bool:
        """Whether a file that is about to be read is a chapter of the book."""
        if not self.book or self.preamble or self.article != self.id:
            return False
        return included or self.chapter_started or "\\chapter" in text

    def load(self, name: str, suffix: str, given: Sequence[str] = ()) -> None:
        """Read a style or class file of the source for what it defines, or a known package."""
        given = [*given, *self.handed_on.get(name + suffix, ())]
        self.loaded[name + suffix] = given
        if name != "siunitx" or "physics.sty" not in self.loaded:  # it leaves \qty to physics
            self.x.macros.update(packages().disputed.get(name, {}))
        if name in GUESSED:
            self.x.settled |= self.x.guesses
        path = self.style_file(name, suffix)
        if path is None or len(self.files) > FILE_DEPTH:
            return
        text = self.sources.read(path)
        if text is not None and all(f.path != path for f in self.files):
            self.enter(path, text, style=Options(path, given))

    def style_file(self, name: str, suffix: str) -> str | None:
        """The file of a style; for a class that is not there, the style of its name."""
        for each in dict.fromkeys((suffix, ".sty")):
            path = self.sources.find(name, near=self.files[-1].path, root=self.root, suffix=each)
            if path is not None and path.endswith(each):
                return path
        return None

    def enter_preamble(self, text: str) -> None:
        """A main file without a class: first its format, or what others beside it define."""
        head, has_body, _ = text.partition("\\begin{document}")
        if not self.root or has_class(head):
            return
        precompiled = FORMAT.match(text)
        names = [precompiled[1]] if precompiled else INPUT.findall(head) if has_body else []
        for name in names:
            path = self.sources.find(name, near=self.root, root=self.root)
            preamble = self.sources.read(path) if path else None
            if path and preamble and has_class(preamble):
                if precompiled:
                    self.enter(path, preamble, style=Options(path))
                return
        self.borrow_definitions()

    def enter_main_preamble(self, name: str) -> None:
        r"""What \documentclass[name]{subfiles} stands for in a part that is read alone."""
        path = self.sources.find(name, near=self.root, root=self.root)
        text = self.sources.read(path) if path else None
        if path and text:
            head = text.partition("\\begin{document}")[0]
            self.enter(path, head, style=Options(path))
        else:
            self.borrow_definitions()

    def borrow_definitions(self) -> None:
        """A chapter without its main file: read the styles and macros beside it first."""
        for path in reversed(self.sources.companions(self.root)):
            text = self.sources.read(path)
            if text is not None and not BODY.search(text):
                self.enter(path, text, style=Options(path))

    def called_at(self) -> int:
        """Which token of the current file comes behind the macro that is being expanded."""
        file = self.files[-1]
        return len(file.tokens) - max(self.x.floor - file.base, 0)

    def place(self) -> int:
        """Which token of the current file comes next, by how many are left on the stack."""
        file = self.files[-1]
        left = min(len(self.x.stack), max(self.x.untouched, file.base))
        return len(file.tokens) - max(left - file.base, 0)


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
