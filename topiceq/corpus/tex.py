r"""TeX source as a stack of tokens: lexing, lossless joining, reading arguments.

A token is a string: a control sequence (`\alpha`, `\,`), one special character (`{ } $ & ~ ^ _ # [ ]`),
`$$`, a run of newlines, a comment (`%` with its line end), or a run of ordinary text. Runs keep prose
cheap; where TeX would take one character, `Tokens.argument` splits it off.
"""

import re
from collections.abc import Iterable, Sequence

LEXER = re.compile(
    r"\\[a-zA-Z@]+|\\.|\\\n|\$\$|[{}$&~^_\[\]#]|%\n?[ \t]*|\n\s*|[^\\{}$&~^_\[\]#%\n]+|\\", re.S
)
HIDDEN = (
    r"verbatim\*?|Verbatim|BVerbatim|LVerbatim|lstlisting|minted|comment|alltt|filecontents\*?"
    r"|spverbatim|verbatimtab|listing|sagesilent|sageblock|pycode|code|asy|asydef|luacode\*?"
)
CLEANER = re.compile(
    rf"\\begin\{{({HIDDEN})\}}.*?\\end\{{\1\}}"  # verbatim text is no LaTeX
    r"|\\(?:verb|lstinline)\*?([^\w\s*{\[])[^\n]*?\2"
    r"|\\(?:url|path|nolinkurl|href|hyperref)\s*(?:\{[^{}\n]*\}|\{\{[^{}\n]*\}\})"  # may hold a bare %
    r"|\\[\\%]|%[^\n]*",
    re.S,
)
FILE_END = "\x00"  # stands below the tokens of every file; arguments never reach across it
PRIMITIVE = "\x01"  # before a control sequence: its original meaning, whatever it was redefined to
ARGUMENT_LIMIT = 50_000  # tokens; a longer argument is a brace that was never closed


class Runaway(Exception):
    """An argument that is not closed before its file ends, or is far too long."""


def clean(text: str) -> str:
    """The source without verbatim text, addresses and what comments say; same lines."""
    return CLEANER.sub(_cleaned, text)


def _cleaned(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "%":
        return "%"
    if found in ("\\\\", "\\%"):
        return found
    if match[1]:
        return "\n" * found.count("\n") + "\\relax "
    return "…" if match[2] else "\\relax "


def lex(text: str) -> list[str]:
    r"""All tokens of a source; joined they are the source again.

    >>> lex(r"\frac12 {a b}^2")
    ['\\frac', '12 ', '{', 'a b', '}', '^', '2']
    """
    return LEXER.findall(text)


def is_letters(token: str) -> bool:
    r"""Whether a token is a control word, which would swallow letters that follow it."""
    return len(token) > 1 and token[0] == "\\" and (token[1].isalpha() or token[1] == "@")


def join(tokens: Iterable[str]) -> str:
    r"""Source text of tokens, a space put where two would otherwise run together.

    >>> join(['\\alpha', 'x', '^', '2'])
    '\\alpha x^2'
    """
    parts: list[str] = []
    after_word = False
    for token in tokens:
        if token[0] in "%\x00":
            continue
        token = token.lstrip(PRIMITIVE)
        if after_word and (token[0].isalpha() or token[0] == "@"):
            parts.append(" ")
        parts.append(token)
        after_word = is_letters(token)
    return "".join(parts)


class Tokens:
    """A stack of tokens with the next one last, and the ways TeX takes arguments from it."""

    def __init__(self, tokens: Sequence[str] = ()) -> None:
        self.stack = list(reversed(tokens))

    def push(self, tokens: Sequence[str]) -> None:
        """Put tokens in front of the rest."""
        self.stack.extend(reversed(tokens))

    def skip_space(self) -> None:
        """Drop white space, line ends and comments in front."""
        stack = self.stack
        while stack:
            token = stack[-1]
            if token[0] == "%" or token.isspace():
                stack.pop()
            elif token[0] == " " or token[0] == "\t":
                stack[-1] = token.lstrip()
                return
            else:
                return

    def peek(self) -> str:
        """The next token that is not white space, left in place; empty at the end."""
        self.skip_space()
        return self.stack[-1] if self.stack else ""

    def character(self) -> str:
        """Take one token as TeX would: a control sequence or a single character."""
        self.skip_space()
        if not self.stack:
            raise Runaway
        token = self.stack.pop()
        if token == FILE_END:
            self.stack.append(token)
            raise Runaway
        if token[0] not in "\\\x01" and len(token) > 1:
            self.stack.append(token[1:])
            return token[0]
        return token

    def take(self, text: str) -> bool:
        """Take one given character if it comes next, after white space."""
        self.skip_space()
        if self.stack and self.stack[-1][0] == text:
            token = self.stack.pop()
            if len(token) > 1:
                self.stack.append(token[1:])
            return True
        return False

    def balanced(self, opener: str = "{", closer: str = "}") -> list[str]:
        """Tokens up to the closer of an opener already taken; on failure all stay in place."""
        stack, taken, depth, braces = self.stack, [], 1, 0
        while stack and len(taken) < ARGUMENT_LIMIT:
            token = stack.pop()
            if token == closer and braces == 0:
                depth -= 1
                if depth == 0:
                    return taken
            elif token == opener and braces == 0:
                depth += 1
            elif opener != "{" and token == "{":
                braces += 1
            elif opener != "{" and token == "}":
                braces -= 1
                if braces < 0:
                    stack.append(token)
                    break
            elif token == FILE_END:
                stack.append(token)
                break
            taken.append(token)
        self.push(taken)
        raise Runaway

    def argument(self) -> list[str]:
        """One undelimited argument: a group without its braces, or one token."""
        token = self.character()
        if token == "{":
            return self.balanced()
        if token == "}":
            self.stack.append(token)
            raise Runaway
        return [token]

    def optional(self) -> list[str] | None:
        """The argument in brackets, if one comes next."""
        if self.peek() != "[":
            return None
        self.stack.pop()
        try:
            return self.balanced("[", "]")
        except Runaway:
            self.stack.append("[")
            return None

    def delimited(self, end: Sequence[str]) -> list[str]:
        r"""Tokens up to a delimiter, as `\def\a#1;{...}` asks for."""
        stack, taken, depth = self.stack, [], 0
        while stack and len(taken) < ARGUMENT_LIMIT:
            if depth == 0 and self._at(end):
                return _unbraced(taken)
            token = stack.pop()
            if token == FILE_END:
                stack.append(token)
                break
            depth += (token == "{") - (token == "}")
            taken.append(token)
        self.push(taken)
        raise Runaway

    def _at(self, end: Sequence[str]) -> bool:
        """Take a delimiter if it stands in front, splitting the run of text that holds it."""
        stack = self.stack
        if stack[-1][0] not in "\\\x01" and end[0][0] != "\\" and len(stack[-1]) > 1:
            self._split(end[0])
        if stack[-1] == end[0] and all(
            len(stack) > i and stack[-1 - i].startswith(t) for i, t in enumerate(end)
        ):
            rest = stack[-len(end)][len(end[-1]) :]
            del stack[-len(end) :]
            if rest:
                stack.append(rest)
            return True
        return False

    def _split(self, text: str) -> None:
        """Cut the run of text in front before and behind the first place of `text`."""
        run = self.stack.pop()
        before, found, behind = run.partition(text)
        self.stack.extend(part for part in (behind, found, before) if part)

    def name(self) -> str:
        """The argument as plain text: a file, an environment, a class."""
        return join(self.argument()).strip()


def _unbraced(tokens: list[str]) -> list[str]:
    """TeX drops the braces of a delimited argument that is one group."""
    if len(tokens) > 1 and tokens[0] == "{" and tokens[-1] == "}":
        inner = tokens[1:-1]
        depth = 0
        for token in inner:
            depth += (token == "{") - (token == "}")
            if depth < 0:
                return tokens
        return inner
    return tokens
