r"""What commands do while an article is read: a table of functions of the reader.

Each is given the reader and the command, takes what belongs to the command, and adds to the prose
what the command prints. Commands that are neither here nor defined are passed over.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from topiceq.article import options as of_styles
from topiceq.article.commands import (
    CHARACTERS,
    CITATIONS,
    DROPPED,
    HEADINGS,
    PARAGRAPHS,
    REFERENCES,
    TEXT_ACCENTS,
    accented,
    which,
)
from topiceq.article.macros.expander import Expander
from topiceq.article.pieces import APART, REFERENCE, Heading
from topiceq.article.tex import FILE_END, join

if TYPE_CHECKING:
    from topiceq.article.latex import Reader


BOOKS = frozenset(
    "book report memoir scrbook scrreprt amsbook extbook extreport tufte-book svmono octavo".split()
)
TITLE = 60  # characters; a shorter line at the beginning of a paragraph is a title
CITED = re.compile(
    r"(?i)(?:\b(?:refs?\.?|references?|equations?|eqs?\.?|sections?|chapters?|by|in|of|from|see|with|to|and|or|as|on|the"
    r"|follow|that|also|both|while|whereas|when|where|because"
    r"|since|but|although|though|if|than|like|via|after|before|e\.g\.,?|cf\.)|…\s*+[,;–-]*+)[\s~]*+$"
)
SUBJECT = re.compile(
    r"(?:^|[.!?,;:]|\n\n)[\s~]{0,99}$"
)  # behind it, what a verb follows is its subject
VERB = re.compile(r"[\s~]+[a-z]")
AND_CITED = re.compile(r"[\s~]+(?:and|or)[\s~]+\\[A-Za-z]*cite")
OVERLAYS = re.compile(r"<[\w\s,|:.+*@-]{1,40}>")  # of beamer, behind a command
WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")
KEY = re.compile(r"\([^()]*\)")
LABEL = re.compile(r"\s*[A-Za-z]+:[\w:.-]+(?:\s*,\s*[A-Za-z]+:[\w:.-]+)*\s*")  # eq:energy


def options(x: Expander) -> None:
    """Take a star and brackets that stand right here; space behind a command is kept."""
    if x.stack and x.stack[-1][0] == "*":
        x.take("*")
    while x.stack and x.stack[-1] == "[" and x.optional() is not None:
        pass


def ahead(x: Expander) -> str:
    """The next token that is not white space, nothing taken."""
    for token in reversed(x.stack[-3:]):
        if not token.isspace() and token[0] != "%":
            return token
    return ""


def skip_overlays(x: Expander) -> None:
    """Drop <2-> of beamer, which says on which slides a command acts."""
    if x.stack and x.stack[-1][0] == "<":
        x.stack[-1] = OVERLAYS.sub("", x.stack[-1], count=1) or " "


def _file_name(x: Expander) -> str:
    """An argument that names a file, macros expanded."""
    return join(x.expanded(x.argument())).strip()


def _group_open(r: "Reader", token: str) -> None:
    r.x.open_scope("{")


def _group_close(r: "Reader", token: str) -> None:
    r.close_group()


def _inline(r: "Reader", token: str) -> None:
    r.inline("\\)" if token == "\\(" else "$")


def _display(r: "Reader", token: str) -> None:
    if not r.preamble:
        r.display(token)


def _heading(r: "Reader", token: str) -> None:
    level, starred = HEADINGS[token], r.x.take("*")
    r.x.optional()
    title = r.x.argument()
    if not r.preamble:
        r.flush()
        r.chapter_started = token == "\\chapter"
        r.sink.open_heading(level, starred)
        r.sink.pieces.append(Heading(r.article, r.plain(title), level))


def _paragraph(r: "Reader", token: str) -> None:
    r.write(APART if token == "\\item" else "\n\n")
    skip_overlays(r.x)
    label = r.x.optional() if ahead(r.x) == "[" else None
    if token == "\\item" and label and _goes_on(label, r.x.peek()):
        r.write(r.plain(label) + " ")
    if token == "\\bibitem":
        r.x.argument()


def _goes_on(label: list[str], following: str) -> bool:
    r"""Whether a sentence begins with the label of an item: \\item[sigma] is the slope."""
    return following[:1].islower() and WORD.search(join(label)) is not None


def reference(r: "Reader", token: str) -> None:
    options(r.x)
    first = r.x.argument()
    if len(r.x.stack) > 1 and r.x.stack[-1] == "{" and LABEL.fullmatch(r.x.stack[-2]):
        r.x.argument()  # \textref{visible text}{key}
        r.x.push(first)
    else:
        r.write(REFERENCE)


def _dropped(r: "Reader", token: str) -> None:
    count = DROPPED[token]
    if token == "\\glossary" and r.x.stack and (key := KEY.match(r.x.stack[-1])):
        r.x.stack[-1] = r.x.stack[-1][key.end() :] or " "  # \glossary(key){symbol}{what it is}
        count = 3
    for i in range(count):
        options(r.x)
        following = ahead(r.x)
        if following == "{" or (count > 1 and i == 0 and following[:1] == "\\"):
            r.x.argument()
    options(r.x)
    if token == "\\hspace":
        r.write(" ")
    if token == "\\index" and r.x.stack and r.x.stack[-1] == "{":  # \index{which}{entry}
        r.x.argument()


def citation(r: "Reader", token: str) -> None:
    r"""\cite{..} is no part of the sentence, except in "by \cite{..}" and "\cite{..} shows"."""
    options(r.x)
    if ahead(r.x) == "{":
        r.x.argument()
    if is_read(r, "".join(r.sink.text[-3:])):
        r.write(REFERENCE)


def is_read(r: "Reader", before: str) -> bool:
    """Whether a citation that stands here is part of the sentence."""
    behind = "".join(reversed(r.x.stack[-4:]))
    if CITED.search(before) or AND_CITED.match(behind):
        return True
    return bool(SUBJECT.search(before) and VERB.match(behind))


def _character(r: "Reader", token: str) -> None:
    text, stack = CHARACTERS[token], r.x.stack
    if len(text) == 1 and text.isalpha() and stack and stack[-1].count("\n") < 2:  # \\o re is øre
        stack[-1] = stack[-1].lstrip() or "\\relax"
    r.write(text)


def _line_break(r: "Reader", token: str) -> None:
    options(r.x)
    line = "".join(r.sink.text[-12:]).rpartition("\n\n")
    is_title = line[1] and len(line[2].strip()) < TITLE
    r.write("\n\n" if is_title else " ")


def _category_code(r: "Reader", token: str) -> None:
    r"""\catcode`\_=11: drop the character and the number."""
    r.x.take("`")
    r.x.character()
    if r.x.stack:
        r.x.stack[-1] = re.sub(r"^\s*=?\s*\d+", "", r.x.stack[-1]) or " "


def _other_syntax(r: "Reader", token: str) -> None:
    r"""\ExplSyntaxOn: what follows is written in another alphabet."""
    while r.x.stack and r.x.stack[-1] != FILE_END:
        if r.x.stack.pop() == "\\ExplSyntaxOff":
            return


def _two_columns(r: "Reader", token: str) -> None:
    r"""\twocolumn[..]: what stands above both columns, such as the title."""
    if ahead(r.x) == "[" and (above := r.x.optional()):
        r.x.push([*above, "\n\n"])


def _token(r: "Reader", token: str) -> None:
    r"""\the\baselineskip: drop what follows."""
    r.x.character()


def _accent(r: "Reader", token: str) -> None:
    letter = join(r.x.argument()).replace("\\i", "i").replace("\\j", "j").strip()
    r.write(accented(TEXT_ACCENTS[token], letter))


def _input(r: "Reader", token: str) -> None:
    if r.x.peek() == "{":
        name = _file_name(r.x)
    else:
        r.x.stack.append(r.x.following())  # \input\name
        words = r.x.stack.pop() if r.x.stack and r.x.stack[-1] != FILE_END else ""
        name, _, rest = words.partition(" ")
        if rest:
            r.x.stack.append(rest)
    r.include(name.strip('" '), chapter=token != "\\input")


def _import(r: "Reader", token: str) -> None:
    r.x.take("*")
    folder, name = _file_name(r.x).rstrip("/"), _file_name(r.x)
    beside = r.files[-1].path if token.startswith("\\sub") else ""
    if not r.include(f"{folder}/{name}" if folder else name, root=beside):
        r.include(name)


def _input_if_exists(r: "Reader", token: str) -> None:
    name, yes, no = _file_name(r.x), r.x.argument(), r.x.argument()
    path = r.sources.find(name, near=r.files[-1].path, root=r.root)
    r.x.push(no if path is None else yes)
    if path is not None and token == "\\InputIfFileExists":
        r.include(name)


def _package(r: "Reader", token: str) -> None:
    given = of_styles.listed(r.x, r.x.optional())
    names = _file_name(r.x).split(",")
    r.x.optional()
    for name in reversed(names):  # the last one entered is read first
        r.load(name.strip(), ".sty", given)


def _class(r: "Reader", token: str) -> None:
    given = of_styles.listed(r.x, r.x.optional())
    if token != "\\LoadClass":
        r.flush()
        r.preamble = True
        r.class_options = given
    name = r.x.name()
    r.x.optional()
    r.book = r.book or name in BOOKS
    r.load(name, ".cls", given)
    if name == "subfiles" and given and len(r.files) == 1:
        r.enter_main_preamble(given[0])


def _with_options(r: "Reader", token: str) -> None:
    r"""\LoadClassWithOptions{name}: with those that this class is given itself."""
    name, suffix = r.x.name(), ".cls" if "Class" in token else ".sty"
    r.x.optional()
    r.book = r.book or name in BOOKS
    r.load(name, suffix, r.files[-1].options.given)


def end_input(r: "Reader", token: str) -> None:
    while r.x.stack and r.x.stack[-1] != FILE_END:
        r.x.stack.pop()


def _skip_number(r: "Reader", token: str) -> None:
    r"""\vskip 1em, \kern-2pt: drop the length."""
    if r.x.peek()[:1] in "-.0123456789" and r.x.stack:
        r.x.stack[-1] = _LENGTH.sub("", r.x.stack[-1], count=1) or " "


def _leave(r: "Reader", token: str) -> None:
    r.leave()


def _begin(r: "Reader", token: str) -> None:
    r.begin_environment()


def _end(r: "Reader", token: str) -> None:
    r.end_environment()


_LENGTH = re.compile(r"^\s*-?[\d.]+\s*(?:true\s*)?[a-z]{2}(?:\s+plus\s*\S+)?(?:\s+minus\s*\S+)?")

Action = Callable[["Reader", str], None]
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(CHARACTERS, _character),
    **dict.fromkeys(TEXT_ACCENTS, _accent),
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
    **dict.fromkeys(["\\LoadClassWithOptions", "\\RequirePackageWithOptions"], _with_options),
    **dict.fromkeys(["\\DeclareOption", "\\DeclareVoidOption", "\\DeclareDefaultOption"],
                    of_styles.declare),
    "\\DeclareOptionX": of_styles.declare_key,
    "\\DeclareBoolOption": of_styles.declare_boolean,
    "\\DeclareComplementaryOption": of_styles.declare_complement,
    "\\DeclareStringOption": of_styles.declare_string,
    "\\SetupKeyvalOptions": of_styles.set_up,
    **dict.fromkeys(["\\ExecuteOptions", "\\ExecuteOptionsX"], of_styles.execute),
    **dict.fromkeys(["\\ProcessOptions", "\\ProcessOptionsX", "\\ProcessKeyvalOptions"],
                    of_styles.process),
    **dict.fromkeys(["\\PassOptionsToPackage", "\\PassOptionsToClass"], of_styles.hand_on),
    **dict.fromkeys(["\\@ifpackageloaded", "\\@ifclassloaded", "\\IfPackageLoadedTF",
                     "\\IfClassLoadedTF"], of_styles.is_loaded),
    **dict.fromkeys(["\\@ifpackagewith", "\\@ifclasswith"], of_styles.is_loaded_with),
    "\\endinput": end_input,
    "\\\\": _line_break,
    "\\catcode": _category_code,
    "\\the": _token,
    "\\twocolumn": _two_columns,
    "\\ExplSyntaxOn": _other_syntax,
    **dict.fromkeys(which("skip"), _skip_number),
    FILE_END: _leave,
}  # fmt: skip
