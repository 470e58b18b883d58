r"""The files of an article while it is read: following \input and styles, knowing the place.

A file's tokens lie on the expander's stack above a `FILE_END`. How many are left tells which token
of the file comes next, and so the line and the source as written.
"""

from collections import Counter
from dataclasses import dataclass
from posixpath import dirname, splitext

from topiceq.corpus.macros import Expander
from topiceq.corpus.macros.packages import DEFAULTS, ENVIRONMENTS, PACKAGES, PRIMITIVES
from topiceq.corpus.source import Article
from topiceq.corpus.tex import FILE_END, clean, join, lex

FILE_DEPTH = 20
FILE_TIMES = 20  # how often one file may be read; more is a macro that reads it for ever


@dataclass(slots=True)
class File:
    """A source file being read: where its tokens start on the stack, to know the place in it."""

    path: str
    tokens: list[str]
    base: int
    article: str
    preamble: bool  # whether the file that reads it was in its preamble
    counted: int = 0  # tokens whose line ends are counted
    line: int = 1  # where they end

    def line_of(self, place: int) -> int:
        """The line on which a token begins; places are asked for in reading order."""
        if place > self.counted:
            self.line += "".join(self.tokens[self.counted : place]).count("\n")
            self.counted = place
        return self.line


class OpenFiles(Expander):
    """An expander that reads the files of one article."""

    primitives = PRIMITIVES

    def __init__(self, article: Article) -> None:
        super().__init__((), DEFAULTS)
        self.environments = dict(ENVIRONMENTS)
        self.source = article
        self.files: list[File] = []
        self.times: Counter[str] = Counter()
        self.preamble = False
        self.book = False
        self.chapter_started = False

    def flush(self) -> None:
        """Close what was collected for the article so far."""

    def discard(self) -> None:
        """Forget what was collected: it was a preamble."""

    @property
    def article(self) -> str:
        """The id of the article being read: that of the book's chapter, in a book."""
        return self.files[-1].article if self.files else self.source.id

    def enter(self, path: str, text: str, *, article: str = "", is_style: bool = False) -> None:
        """Go on reading in another file; of a style, only definitions count."""
        if is_style and self.files:
            self.flush()
        tokens = lex(clean(text))
        self.stack.append(FILE_END)
        base = len(self.stack)
        self.stack.extend(reversed(tokens))
        self.floor = self.untouched = len(self.stack)
        article = article or self.article
        self.files.append(File(path, tokens, base, article, self.preamble))
        self.preamble = self.preamble or is_style

    def leave(self) -> None:
        """A file has been read to its end."""
        if len(self.files) > 1:
            done = self.files.pop()
            if done.article != self.article:
                self.files.append(done)
                self.flush()
                self.files.pop()
            if self.preamble and not done.preamble:
                self.discard()
                self.preamble = False

    def include(self, name: str, *, root: str = "", chapter: bool = False) -> bool:
        """Follow \\input and its relatives, within the source only."""
        here = self.files[-1].path
        path = self.source.files.find(name, near=here, root=root or self.source.root)
        if path is None or len(self.files) > FILE_DEPTH or any(f.path == path for f in self.files):
            return False
        self.times[path] += 1
        text = self.source.files.read(path)
        if text is None or self.times[path] > FILE_TIMES:
            return False
        article = self.article
        if self.begins_chapter(text, chapter):
            self.flush()
            article = self.chapter_id(path)
        self.chapter_started = False
        self.enter(path, text, article=article)
        return True

    def begins_chapter(self, text: str, included: bool) -> bool:
        """Whether a file that is about to be read is a chapter of the book."""
        if not self.book or self.preamble or self.article != self.source.id:
            return False
        return included or self.chapter_started or "\\chapter" in text

    def chapter_id(self, path: str) -> str:
        """The book's id with the chapter's file behind it."""
        folder = dirname(self.source.root)
        return f"{self.source.id}/{splitext(path.removeprefix(folder + '/'))[0]}"

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
            self.enter(path, text, is_style=True)

    def file_name(self) -> str:
        """An argument that names a file, macros expanded."""
        return join(self.expanded(self.argument())).strip()

    def borrow_definitions(self) -> None:
        """A chapter without its main file: read the styles and macros beside it first."""
        for path in reversed(self.source.files.companions(self.source.root)):
            text = self.source.files.read(path)
            if text is not None and "\\begin{document}" not in text:
                self.enter(path, text, is_style=True)

    def place(self) -> int:
        """Which token of the current file comes next."""
        file = self.files[-1]
        left = min(len(self.stack), max(self.untouched, file.base))
        return len(file.tokens) - max(left - file.base, 0)

    def at_source(self) -> bool:
        """Whether the next token stands in the file, and was not left by a macro."""
        return len(self.stack) <= self.untouched
