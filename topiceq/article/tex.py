r"""TeX source as tokens: cleaning, lexing, lossless joining.

A token is a string: a control sequence (`\alpha`, `\,`), one special character (`{}$&~^_#[]`),
`$$`, a run of newlines, a comment (`%` with its line end), or a run of ordinary text. Runs keep
prose cheap; where TeX would take one character, `Tokens.character` splits it off.
"""

import re
from collections.abc import Iterable, Iterator

RUN = 2_000  # characters; taking one off a run copies the rest of it
LEXER = re.compile(
    rf"[^\\{{}}$&~^_\[\]#%\n\0-\2]{{1,{RUN}}}|[{{}}&~^_\[\]#]"
    r"|\\(?:(?:xymatrix|ar)(?=@)|[a-zA-Z@]+|[^\0-\2]|)"  # in \ar@{->} the @ is no letter
    r"|\$\$?|\n\s*|%(?:(?=\n[ \t]*\n)|\n?[ \t]*)",  # a blank line is one behind a comment too
    re.S,
)
HIDDEN = re.compile(
    r"\\begin\{((?:\w{0,20}[Vv]erbatim|filecontents|luacode)\w{0,9}\*?|lst\w{1,20}|minted|comment|alltt"
    r"|(?:long)?listing|sagesilent|sageblock|\w{0,6}code(?:block|box)?|\w{1,20}(?:input|output)|verb\w{0,9}"
    r"|python|bash|console|shell|xmllines|cmds|asy|asydef)\}"
)
SILENT = re.compile(r"\\begin\{(?:comment|filecontents|luacode|sage|asy)")
FOLLOWING = re.compile(r"[ \t]*\n[ \t]*([^\W\d_])")  # a letter on the next line
PRECEDING = re.compile(r"[\w,][ \t]*+(?:\n[ \t]*+)?\Z")
NEAR = 100  # characters in which that is looked for
DEFINED = re.compile(r"[^{}]{0,200}\}\s*\{[^{}]{0,200}")  # {\begin{alltt}}{\end{alltt}}
COMMENTED = re.compile(r"(?<!\\)(?:\\\\)*%")
CLEANER = re.compile(
    r"\\(?:verb|lstinline)\*?([^\w\s*{\[])[^\n]{0,1000}?\1"
    r"|\\(?:url|path|nolinkurl|(href|hyperref))\s*"  # may hold a bare %
    r"(?:\{[^{}\n]{0,1000}\}|\{\{[^{}\n]{0,1000}\}\})"
    r"|\\[\\%]|%[^\n]*"
)
FILE_END = "\x00"  # stands below the tokens of every file; arguments never reach across it
PRIMITIVE = "\x01"  # before a control sequence: its original meaning, whatever it was redefined to
COMMANDS = "\\\x01"  # what the tokens of commands begin with


class Runaway(Exception):
    """An argument that is not closed before its file ends, or is far too long."""


def clean(text: str) -> str:
    """The source without verbatim text, addresses and what comments say; same lines."""
    out: list[str] = []
    at = 0
    for start, end in _hidden(text):
        out.append(CLEANER.sub(_cleaned, text[at:start]))
        out.append(_in_place_of(text, start, end))
        at = end
    return "".join([*out, CLEANER.sub(_cleaned, text[at:])])


def _in_place_of(text: str, start: int, end: int) -> str:
    """What stands for verbatim text: its lines; no paragraph, unless a sentence begins behind."""
    lines = text.count("\n", start, end)
    following = FOLLOWING.match(text, end)
    if not following or SILENT.match(text, start):
        return "%\n" * lines + "\\relax "
    if following[1].isupper():
        return "\n" * lines + "\\relax "
    is_word = PRECEDING.search(text, max(start - NEAR, 0), start)
    return "%\n" * lines + ("… " if is_word else "\\relax ")


def _hidden(text: str) -> Iterator[tuple[int, int]]:
    """Where verbatim environments begin and end; their text is no LaTeX."""
    unclosed: set[str] = set()  # looking for an end again and again would be slow
    found = HIDDEN.search(text)
    while found:
        end = -1
        line = text[max(found.start() - RUN, 0) : found.start()].rpartition("\n")[2]
        if found[1] not in unclosed and not COMMENTED.search(line):
            closer = f"\\end{{{found[1]}}}"
            end = text.find(closer, found.end())
            if end >= 0 and DEFINED.fullmatch(text, found.end(), end):
                end = found.end()
            elif end >= 0:
                end += len(closer)
                yield found.start(), end
            else:
                unclosed.add(found[1])
        found = HIDDEN.search(text, max(end, found.end()))


# what a character of verbatim text is written as
_PLAIN = str.maketrans({c: f"\\{c}" for c in "{}$&#_%"} | {
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"
})  # fmt: skip


def _cleaned(found: re.Match[str]) -> str:
    if found[0][0] == "%":
        return "%"
    if found[0] in ("\\\\", "\\%"):
        return found[0]
    if found[2]:
        return "\\relax "
    if found[1]:  # \\verb|x|
        return f"\\texttt{{{found[0][found.end(1) - found.start() : -1].translate(_PLAIN)}}}"
    return "…"


def lex(text: str) -> list[str]:
    r"""All tokens of a source; joined they are the source again, without its control characters.

    >>> lex(r"\frac12 {a b}^2")
    ['\\frac', '12 ', '{', 'a b', '}', '^', '2']
    """
    return LEXER.findall(text)


def is_letters(token: str) -> bool:
    r"""Whether a token is a control word, which would swallow letters that follow it."""
    return len(token) > 1 and token[0] == "\\" and (token[-1].isalpha() or token[-1] == "@")


def is_blank_line(token: str) -> bool:
    return token[0] == "\n" and token.count("\n") > 1


def join(tokens: Iterable[str]) -> str:
    r"""Source text of tokens, a space put where two would otherwise run together.

    >>> join(['\\alpha', 'x', '^', '2'])
    '\\alpha x^2'
    """
    parts: list[str] = []
    after_word = False
    for token in tokens:
        first = token[0]
        if first == "\\":
            parts.append(token)
            after_word = is_letters(token)
        elif first == PRIMITIVE:
            parts.append(token[1:])
            after_word = is_letters(token[1:])
        elif first != "%" and first != FILE_END:
            if after_word:
                after_word = False
                if first.isalpha() or first == "@":
                    parts.append(" ")
            parts.append(token)
    return "".join(parts)


def split(tokens: Iterable[str], separator: str = ",") -> list[list[str]]:
    """The parts between separators that stand outside braces.

    >>> split(lex("a,{b,c},d"))
    [['a'], ['{', 'b,c', '}'], ['d']]
    """
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if depth == 0 and separator in token and token[0] not in COMMANDS:
            first, *others = token.split(separator)
            parts[-1] += [first] if first else []
            parts += [[other] if other else [] for other in others]
        else:
            parts[-1].append(token)
    return parts


def units(tokens: Iterable[str]) -> list[str]:
    r"""Control sequences and single characters.

    >>> units(lex(r"ab\c"))
    ['a', 'b', '\\c']
    """
    return [unit for token in tokens for unit in ([token] if token[0] in COMMANDS else token)]
