r"""What commands do while an article is read: a table of functions of the reader.

Each is given the reader and the command, takes what belongs to the command, and adds to the prose
what the command prints. Commands that are neither here nor defined are passed over.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from topiceq.corpus.macros import MacroLimit
from topiceq.corpus.pieces import Heading
from topiceq.corpus.tex import FILE_END, Runaway, join
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

if TYPE_CHECKING:
    from topiceq.corpus.latex.reader import Reader

BOOKS = frozenset(
    "book report memoir scrbook scrreprt amsbook extbook extreport tufte-book svmono octavo".split()
)
TITLE = 60  # characters; a shorter line at the beginning of a paragraph is a title
CITED = re.compile(
    r"(?i)\b(?:by|in|of|from|see|with|to|and|or|as|on|follow|that|e\.g\.,?|cf\.)[\s~]*$"
)
LABEL = re.compile(r"\s*[A-Za-z]+:[\w:.-]+(?:\s*,\s*[A-Za-z]+:[\w:.-]+)*\s*")  # eq:energy


def _group_open(r: "Reader", token: str) -> None:
    r.open_scope("{")


def _group_close(r: "Reader", token: str) -> None:
    r.close_scope("{")


def _inline(r: "Reader", token: str) -> None:
    r.text.append("$" + r.inline("\\)" if token == "\\(" else "$").replace("$", " ") + "$")


def _display(r: "Reader", token: str) -> None:
    if not r.preamble:
        r.display(token)


def _heading(r: "Reader", token: str) -> None:
    r.take("*")
    r.optional()
    title = " ".join(plain(r, r.argument()).split())
    if r.preamble:
        return
    r.flush()
    r.chapter_started = token == "\\chapter"
    r.pieces.append(Heading(r.article, title, HEADINGS[token]))


def plain(r: "Reader", tokens: list[str]) -> str:
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


def _paragraph(r: "Reader", token: str) -> None:
    r.text.append("\n\n")
    if r.ahead() == "[":
        r.optional()
    if token == "\\bibitem":
        r.argument()


def reference(r: "Reader", token: str) -> None:
    r.options()
    first = r.argument()
    if len(r.stack) > 1 and r.stack[-1] == "{" and LABEL.fullmatch(r.stack[-2]):
        r.argument()  # \textref{visible text}{key}
        r.push(first)
    else:
        r.text.append(REFERENCE)


def _dropped(r: "Reader", token: str) -> None:
    count = DROPPED[token]
    for i in range(count):
        r.options()
        following = r.ahead()
        if following == "{" or (count > 1 and i == 0 and following[:1] == "\\"):
            r.argument()
    r.options()
    if token == "\\index" and r.stack and r.stack[-1] == "{":  # \index{which}{entry}
        r.argument()


def citation(r: "Reader", token: str) -> None:
    r"""\cite{..} is no part of the sentence, except in "by \cite{..}"."""
    r.options()
    if r.ahead() == "{":
        r.argument()
    if CITED.search("".join(r.text[-3:])):
        r.text.append(REFERENCE)


def _character(r: "Reader", token: str) -> None:
    r.text.append(CHARACTERS[token])


def _line_break(r: "Reader", token: str) -> None:
    r.options()
    line = "".join(r.text[-12:]).rpartition("\n\n")
    is_title = line[1] and len(line[2].strip()) < TITLE
    r.text.append("\n\n" if is_title else " ")


def _category_code(r: "Reader", token: str) -> None:
    r"""\catcode`\_=11: drop the character and the number."""
    r.take("`")
    r.character()
    if r.stack:
        r.stack[-1] = re.sub(r"^\s*=?\s*\d+", "", r.stack[-1]) or " "


def _other_syntax(r: "Reader", token: str) -> None:
    r"""\ExplSyntaxOn: what follows is written in another alphabet."""
    while r.stack and r.stack[-1] != FILE_END:
        if r.stack.pop() == "\\ExplSyntaxOff":
            return


def _token(r: "Reader", token: str) -> None:
    r"""\the\baselineskip: drop what follows."""
    r.character()


def _accent(r: "Reader", token: str) -> None:
    letter = join(r.argument()).replace("\\i", "i").replace("\\j", "j").strip()
    r.text.append(accented(ACCENTS[token], letter))


def _input(r: "Reader", token: str) -> None:
    if r.peek() == "{":
        name = r.file_name()
    else:
        words = r.stack.pop() if r.stack and r.stack[-1] != FILE_END else ""
        name, _, rest = words.partition(" ")
        if rest:
            r.stack.append(rest)
    r.include(name.strip('" '), chapter=token != "\\input")


def _import(r: "Reader", token: str) -> None:
    r.take("*")
    folder, name = r.file_name().rstrip("/"), r.file_name()
    beside = r.files[-1].path if token.startswith("\\sub") else ""
    if not r.include(f"{folder}/{name}" if folder else name, root=beside):
        r.include(name)


def _input_if_exists(r: "Reader", token: str) -> None:
    name, yes, no = r.file_name(), r.argument(), r.argument()
    found = r.source.files.find(name, near=r.files[-1].path, root=r.source.root)
    r.push(no if found is None else yes)
    if found is not None and token == "\\InputIfFileExists":
        r.include(name)


def _package(r: "Reader", token: str) -> None:
    r.optional()
    for name in r.file_name().split(","):
        r.load(name.strip(), ".sty")
    r.optional()


def _class(r: "Reader", token: str) -> None:
    if token != "\\LoadClass":
        r.flush()
        r.preamble = True
    r.optional()
    name = r.name()
    r.optional()
    if name in BOOKS:
        r.book = True
    r.load(name, ".cls")


def end_input(r: "Reader", token: str) -> None:
    while r.stack and r.stack[-1] != FILE_END:
        r.stack.pop()


def _skip_number(r: "Reader", token: str) -> None:
    r"""\vskip 1em, \kern-2pt: drop the length."""
    if r.peek()[:1] in "-.0123456789" and r.stack:
        r.stack[-1] = _LENGTH.sub("", r.stack[-1], count=1) or " "


def _leave(r: "Reader", token: str) -> None:
    r.leave()


def _begin(r: "Reader", token: str) -> None:
    r.begin_environment(token)


def _end(r: "Reader", token: str) -> None:
    r.end_environment(token)


_LENGTH = re.compile(r"^\s*-?[\d.]+\s*(?:true)?\s*[a-z]{2}(?:\s+plus\s*\S+)?(?:\s+minus\s*\S+)?")

Action = Callable[["Reader", str], None]
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(CHARACTERS, _character),
    **dict.fromkeys(ACCENTS, _accent),
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(PARAGRAPHS, _paragraph),
    **dict.fromkeys(DROPPED, _dropped),
    **dict.fromkeys(REFERENCES, reference),
    **dict.fromkeys(CITATIONS, citation),
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
    "\\begin": _begin,
    "\\end": _end,
    **dict.fromkeys(["\\input", "\\include", "\\subfile", "\\subfileinclude"], _input),
    **dict.fromkeys(["\\import", "\\subimport", "\\includefrom", "\\subincludefrom"], _import),
    **dict.fromkeys(["\\InputIfFileExists", "\\IfFileExists"], _input_if_exists),
    **dict.fromkeys(["\\usepackage", "\\RequirePackage"], _package),
    **dict.fromkeys(["\\documentclass", "\\LoadClass", "\\documentstyle"], _class),
    "\\endinput": end_input,
    "\\\\": _line_break,
    "\\catcode": _category_code,
    "\\the": _token,
    "\\ExplSyntaxOn": _other_syntax,
    **dict.fromkeys(["\\vskip", "\\hskip", "\\kern", "\\vglue", "\\hglue"], _skip_number),
    FILE_END: _leave,
}
