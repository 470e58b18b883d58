"""What is asked of everything that reads text, whatever bytes it gets: targets of a fuzzer.

A target takes bytes and raises what it never should: an exception that is no answer, a promise that
is broken, or `Slow`.
"""

import io
import time
from collections.abc import Callable
from functools import cache

from lxml import etree

from research.fuzz import SECONDS, uncounted
from topiceq.article import bibliography, mathml, settings
from topiceq.article.archive import unpack
from topiceq.article.commands import KNOWN
from topiceq.article.definitions import definitions
from topiceq.article.equation.fault import fault
from topiceq.article.equation.grammar import Grammar
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.equation.rows import equations
from topiceq.article.equation.rules import END, SPECIAL
from topiceq.article.files import MemoryFiles, Unreadable
from topiceq.article.formulas import read_formula
from topiceq.article.jsonlines import records
from topiceq.article.source import Article
from topiceq.article.tex import clean, lex
from topiceq.article.typed import MAX_TOKENS, read_typed
from topiceq.config import CorpusConfig
from topiceq.corpus.definition import SymbolDefinition
from topiceq.corpus.extract import contents
from topiceq.errors import QuestionError

Target = Callable[[bytes], object]
ROOM = 60  # tokens of an equation that the grammar leads
CONTROL = str.maketrans("", "", "\0\1\2")
CONFIG = CorpusConfig(min_tokens=1)


class Slow(Exception):
    """A few thousand characters took longer than any file may."""


def lexer(data: bytes) -> None:
    """The tokens joined are the source again, but for control characters."""
    text = _text(data)
    assert "".join(lex(text)) == text.translate(CONTROL)
    assert clean(text).count("\n") == text.count("\n")


def expander(data: bytes) -> None:
    """Whatever LaTeX says is expanded, or there is a reason."""
    try:
        read_formula(_text(data))
    except NotNormal:
        pass


def normal(data: bytes) -> None:
    """The normal form of a normal form is itself."""
    try:
        tokens = normal_form(lex(_text(data)))
    except NotNormal:
        return
    assert normal_form(lex(to_latex(tokens))) == tokens, tokens


def rows(data: bytes) -> None:
    """Each row of a display is in normal form or has a reason, and what is wrong is told."""
    tokens = lex(clean(_text(data)))
    for row in equations(tokens, "align"):
        if not row.reason:
            assert normal_form(lex(to_latex(row.tokens))) == row.tokens, row.tokens
    if 0 < len(tokens) <= MAX_TOKENS:
        fault(tokens)


def question(data: bytes) -> None:
    """Whatever is typed is read or refused."""
    try:
        read_typed(_text(data))
    except QuestionError:
        pass


@cache
def _grammar(paired: bool) -> Grammar:
    """Over tokens of every role."""
    words = sorted(KNOWN)[::3]
    marks = r"} { [ ] ( ) _ ^ & \\ | x 1 + = \left( \right) \left. \middle| \right. \limits".split()
    ends = [f"\\{side}{{{name}}}" for side in ("begin", "end") for name in ("matrix", "array")]
    return Grammar([*SPECIAL, *marks, *ends, *words], paired=paired)


def grammar(data: bytes) -> None:
    """What the grammar allows can be written, ends in time and is a whole equation."""
    able = _grammar(len(data) % 2 == 1)
    state, ids = able.start(), list[int]()
    for n, byte in enumerate(data[:ROOM]):
        allowed = able.allowed(state, ROOM - n).nonzero()[0]
        assert len(allowed), ids
        token = int(allowed[byte * len(allowed) // 256])
        after = able.advance(state, token)
        assert after is not None, (ids, token)
        if token == END:
            break
        state = after
        ids.append(token)
        assert able.closing(state) <= ROOM - n - 1, ids
    else:
        return
    assert able.accepts(ids), ids


def math(data: bytes) -> None:
    """Whatever MathML draws is LaTeX."""
    parser = etree.HTMLParser(encoding="utf-8")
    root = etree.fromstring(b"<math>" + data + b"</math>", parser)
    for element in () if root is None else root.iter("math"):
        lex(mathml.latex(element))


def cited(data: bytes) -> None:
    """Whatever a list of references holds is read."""
    text = _text(data)
    for work in (*bibliography.of_items(text), *bibliography.of_bibtex(text)):
        bibliography.plain(work.text)


def archive(data: bytes) -> None:
    """Whatever an archive holds is a bundle or skipped with a reason."""
    found = list(unpack(io.BytesIO(data), "a.tar.gz", len(data)))
    assert all(getattr(each, "why", True) for each in found)


def lines(data: bytes) -> None:
    """Each line of JSON is an article or has a reason."""
    for record in records(io.BytesIO(data)):
        assert bool(record.id) != bool(record.why_not)
        if record.id:
            _read("a.jsonl", record.line)


def reader(name: str) -> Target:
    """All of an article of this name is in its pairs or counted with a reason."""
    return lambda data: _read(name, data)


def _read(name: str, data: bytes) -> None:
    files = MemoryFiles({name: data})
    if not isinstance(files.load(name), Unreadable):
        article = Article("a", "", name, files)
        found = [e for e in contents(article, CONFIG) if not isinstance(e, SymbolDefinition)]
        lost = uncounted(article, found)
        assert not lost, lost


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def timed(target: Target) -> Target:
    """A target that is broken, too, by what takes too long."""

    def asked(data: bytes) -> None:
        start = time.process_time()
        target(data)
        if (seconds := time.process_time() - start) > SECONDS:
            raise Slow(f"{seconds:.0f} s for {len(data):,} bytes")

    return asked


TARGETS: dict[str, Target] = {name: timed(target) for name, target in {
    "lexer": lexer,
    "expander": expander,
    "normal": normal,
    "rows": rows,
    "question": question,
    "grammar": grammar,
    "mathml": math,
    "definitions": lambda data: definitions(_text(data).split("\n")),
    "bibliography": cited,
    "settings": lambda data: settings.macros(_text(data)),
    "archive": archive,
    "jsonl": lines,
    **{suffix: reader(f"a.{suffix}") for suffix in ("tex", "md", "rst", "html", "ipynb", "dox")},
}.items()}  # fmt: skip
