r"""What readers of other formats than LaTeX compose an article with: text, formulas, headings.

In goes what a page holds, in reading order; out come pieces, written to the same sink as those of
LaTeX. Formulas go through the expander, so that macros which the page or its settings define work,
and a display has the same tokens that it would have in LaTeX.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from topiceq.article.actions import CITED, SUBJECT, VERB
from topiceq.article.commands import COUNTED, DISPLAYS
from topiceq.article.formulas import BLANK_LINE, REFERENCE_ALONE, read_display, with_borrowed
from topiceq.article.macros.expander import MacroLimit
from topiceq.article.macros.packages import latex_expander
from topiceq.article.marks import without
from topiceq.article.neighbours import lender
from topiceq.article.pieces import Display, Heading, Pieces, Prose
from topiceq.article.source import Article
from topiceq.article.tex import FILE_END, clean, join, lex

PLAIN = "displaymath"  # the environment of a display that names none
PARAGRAPH = "\n\n"
_WRAPPED = re.compile(
    r"\s*\\begin\s*\{([A-Za-z]+\*?)\}((?:(?!\\begin\s*\{\1\}).)*)\\end\s*\{\1\}[\s.,;]*", re.S
)
_DOLLAR = "＄"  # what a dollar sign of the text becomes: a plain one opens a formula


MATHJAX = (  # commands that only pages have
    r"\newcommand\cssId[2]{#2}\newcommand\class[2]{#2}\newcommand\style[2]{#2}"
    r"\newcommand\require[1]{}\newcommand\bbox[2][]{#2}\newcommand\lt{<}\newcommand\gt{>}"
)


class Composer:
    """An article being composed."""

    def __init__(self, article: Article, sink: Pieces) -> None:
        self.id = article.id
        self.file = article.root
        self.sink = sink
        self.x = latex_expander()
        self.x.lend = lender(article.files, article.root)
        self._cited = ""  # what may be the subject of the words that come next
        self.define(MATHJAX)

    # -- prose ---------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Go on with the prose."""
        self._settle(bool(VERB.match(text)))
        if text:
            self.sink.text.append(text.replace("$", _DOLLAR))

    def paragraph(self) -> None:
        """End a paragraph, if one has begun since the last heading or display."""
        self._settle(False)
        breaks = any(PARAGRAPH in space for space in self._unwritten_spaces())
        self.sink.text.append(PARAGRAPH if breaks or self.sink.text else "\n")

    def _unwritten_spaces(self) -> list[str]:
        """Takes back the spaces at the end of the prose, as they were written."""
        text, spaces = self.sink.text, []
        while text and (space := text[-1][len(text[-1].rstrip()) :]):
            spaces.append(space)
            text[-1] = text[-1].rstrip()
            if text[-1]:
                break
            text.pop()
        return spaces

    def cite(self, keys: str) -> None:
        """A citation, which is no part of the sentence, except in "by [..]" and "[..] shows"."""
        self._settle(False)
        before = without("".join(self.sink.text[-3:]))
        if not CITED.search(before) and SUBJECT.search(before):
            self._cited = keys  # if a verb follows
        else:
            self.sink.cite(keys, bool(CITED.search(before)))

    def _settle(self, is_read: bool) -> None:
        """The citation that was waiting for the words behind it."""
        if self._cited:
            self.sink.cite(self._cited, is_read)
        self._cited = ""

    @contextmanager
    def styled(self, style: str) -> Iterator[None]:
        """What is written inside is set in a style: emphasis, strong or code."""
        self.open_style(style)
        yield
        self.close_style(style)

    def open_style(self, style: str) -> None:
        """What is written from here on is set in a style."""
        self.sink.open_style(style)

    def close_style(self, style: str) -> None:
        self.sink.close_style(style)

    @contextmanager
    def heading(self, level: int, label: str = "") -> Iterator[None]:
        """What is written inside is the title of a part; chapters have level 1, sections 2."""
        self.flush()
        self.sink.open_heading(level, starred=False)
        if label:
            self.sink.label(label)
        yield
        title = " ".join("".join(self.sink.text).split())
        self.sink.text.clear()
        self.sink.pieces.append(Heading(self.id, title, level))

    def flush(self) -> None:
        """Close the prose written so far; a reader calls it at the end of the article."""
        self._settle(False)
        text = "".join(self.sink.text)
        self.sink.text.clear()
        if text and not text.isspace():
            self.sink.pieces.append(Prose(self.id, text))

    # -- formulas ------------------------------------------------------------------------------

    def define(self, latex: str) -> None:
        r"""Carry out definitions that stand outside formulas: \newcommand in settings."""
        try:
            self.x.expanded(lex(clean(latex)))
        except (MacroLimit, RecursionError):
            pass  # a definition that has no end defines nothing

    def formula(self, latex: str) -> None:
        r"""An inline formula; one that only defines macros prints nothing, `$\ref{x}$` a number."""
        self._settle(False)
        if reference := REFERENCE_ALONE.fullmatch(latex):
            self.sink.refer(reference[1])
        elif text := self._expanded(latex):
            self.sink.text.append(f"${text}$")

    def display(self, latex: str, line: int, *, label: str = "", numbered: bool = False) -> None:
        r"""A display equation; `$$\begin{align} .. \end{align}$$` is an align.

        A display that only defines macros is none. One with a label, or `numbered`, has a number.
        """
        environment, body = _unwrapped(latex)
        labels = [label] if label else []
        tokens, reason = self._collected(environment or PLAIN, body, labels)
        if not reason and not any(token.strip() for token in tokens):
            return
        if not environment:
            environment = "equation" if labels or numbered else PLAIN
        if self._unwritten_spaces():  # a paragraph of its own in the source only
            self.sink.text.append("\n")
        self.flush()
        self.sink.open_display(environment)
        for key in labels:
            self.sink.label(key)
        self.sink.pieces.append(
            Display(self.id, self.file, line, environment, latex.strip(), tuple(tokens), reason)
        )
        self.sink.text.append(" ")  # a full stop that ends the display is followed by space

    def _expanded(self, latex: str) -> str:
        text = " ".join(latex.replace("$", " ").split())
        if "\\" not in text:
            return text
        self.x.math = True
        try:
            tokens = self.x.expanded(lex(clean(text)))
            return " ".join(join(with_borrowed(self.x, tokens)).split())
        except (MacroLimit, RecursionError):
            return text
        finally:
            self.x.math = False

    def _collected(self, environment: str, body: str, labels: list[str]) -> tuple[list[str], str]:
        """The expanded tokens of a display, and why it cannot be used, if so."""
        closed = BLANK_LINE.sub("\n", f"{body}\n\\end{{{environment}}}")  # it ends no display
        x = self.x
        x.stack[:] = [FILE_END, *reversed(lex(clean(closed)))]
        x.floor = x.untouched = len(x.stack)
        if environment in COUNTED:
            x.optional()
            x.argument()
        tokens, reason = read_display(x, environment, labels.append)
        x.stack.clear()
        return tokens, reason


def _unwrapped(latex: str) -> tuple[str, str]:
    r"""The environment that a display consists of, "" if it is set in none, and what is in it."""
    wrapped = _WRAPPED.fullmatch(latex)
    if wrapped and wrapped[1] in DISPLAYS:
        return wrapped[1], wrapped[2]
    return "", latex
