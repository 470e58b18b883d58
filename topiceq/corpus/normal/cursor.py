r"""The tokens of an equation, and a place in them.

`Cursor` looks ahead and takes tokens as they are: groups, brackets, delimiters. What is missing
raises `NotNormal`, with the reason for which the equation is dropped.
"""

from collections.abc import Sequence

from topiceq.corpus.commands import DELIMITERS
from topiceq.corpus.normal.layout import SMALL_SPACES, is_length

ROW_ENDS = frozenset(("\\\\", "\\cr", "\\tabularnewline", "\\newline"))
INFIX: dict[str, tuple[str, str] | None] = {
    "\\over": ("", ""), "\\above": ("", ""), "\\atop": ("", ""), "\\choose": ("(", ")"),
    "\\brack": ("[", "]"), "\\brace": ("\\{", "\\}"),
    "\\overwithdelims": None, "\\atopwithdelims": None,  # the delimiters follow
}  # fmt: skip
# what a list of nuclei ends at
STOPS = ROW_ENDS | frozenset(INFIX) | frozenset(r"} & # $ \right \end \( \) \[ \]".split()) | {""}
SAME_DELIMITER = {"<": "\\langle", ">": "\\rangle", "\\lbrack": "["}
LOOK_AHEAD = 1000  # tokens; a bracket that is not closed within is none


class NotNormal(Exception):
    """Why some tokens are not one equation: multiline, unbalanced or diagram."""


class Cursor:
    """A place in a list of tokens that ends in an empty one."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = [*tokens, ""]
        self.at = 0

    def expect(self, token: str) -> None:
        """Pass over a token that must come next."""
        if self.tokens[self.at] != token:
            raise NotNormal("unbalanced")
        self.at += 1

    def peek(self) -> str:
        """The next token that is no space."""
        while self.tokens[self.at] in SMALL_SPACES:
            self.at += 1
        return self.tokens[self.at]

    def raw_group(self) -> list[str]:
        """The tokens of the group that must come next."""
        if self.peek() != "{":
            raise NotNormal("unbalanced")
        start, depth = self.at, 0
        for at in range(start, len(self.tokens)):
            token = self.tokens[at]
            depth += (token == "{") - (token == "}")
            if depth == 0:
                self.at = at + 1
                return self.tokens[start + 1 : at]
        raise NotNormal("unbalanced")

    def raw_argument(self) -> list[str]:
        """The tokens of a group, or one token."""
        if self.peek() == "{":
            return self.raw_group()
        if self.tokens[self.at] in STOPS:
            raise NotNormal("unbalanced")
        self.at += 1
        return [self.tokens[self.at - 1]]

    def find(self, closer: str) -> int:
        """Where the next such token outside of braces stands; 0 if there is none."""
        depth = 0
        for at in range(self.at, min(self.at + LOOK_AHEAD, len(self.tokens))):
            token = self.tokens[at]
            if token == closer and depth == 0:
                return at
            depth += (token == "{") - (token == "}")
            if depth < 0:
                break
        return 0

    def enclose(self, closer: str) -> bool:
        """Make what comes before a closer a group; whether there is such a closer."""
        end = self.find(closer)
        if end:
            self.tokens[end] = "}"
            self.tokens.insert(self.at, "{")
        return end > 0

    def skip_bracket(self) -> None:
        """Drop `[..]` if it comes next."""
        if self.peek() == "[" and (end := self.find("]")):
            self.at = end + 1

    def skip_position(self) -> None:
        r"""Drop the [t] of \begin{aligned}[t]."""
        if self.peek() == "[" and self.tokens[self.at + 2 : self.at + 3] == ["]"]:
            self.at += 3 if self.tokens[self.at + 1] in "tbclrm" else 0

    def skip_row_space(self) -> None:
        r"""Drop what belongs to \\: a star, a length in brackets."""
        if self.peek() == "*":
            self.at += 1
        if self.peek() == "[" and (end := self.find("]")):
            if is_length(self.tokens[self.at + 1 : end]):
                self.at = end + 1

    def delimiter(self) -> str:
        """The delimiter that comes next, if one does."""
        token = self.peek()
        braced = token == "{" and self.tokens[self.at + 2 : self.at + 3] == ["}"]
        if braced:
            token = self.tokens[self.at + 1]
        token = SAME_DELIMITER.get(token, token)
        if token not in DELIMITERS:
            return ""
        self.at += 3 if braced else 1
        return token
