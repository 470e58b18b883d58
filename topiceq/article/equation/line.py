r"""An equation being read token by token, and its normal form being written.

`Cursor` looks ahead and takes tokens as they are: groups, brackets, delimiters. `Line` knows lists,
groups, rows, scripts and arguments; what one command writes is looked up in a table of actions
(nuclei.py), where `None` stands for a token that is written as it is. All goes into one flat list:
a group leaves no trace in it unless scripts follow, which it must carry. What is missing raises
`NotNormal`, with the reason for which the equation is dropped.
"""

from collections.abc import Callable, Mapping, Sequence

from topiceq.article.commands import (
    ARITY,
    DELIMITERS,
    KNOWN,
    LIMITED,
    MATRICES,
    OPERATORS,
    OPTIONAL,
    which,
)
from topiceq.article.equation.layout import SMALL_SPACES, SPACES, is_length, length_end

ROW_ENDS = which("row-end")
INFIX: dict[str, tuple[str, str] | None] = {
    "\\over": ("", ""), "\\above": ("", ""), "\\atop": ("", ""), "\\choose": ("(", ")"),
    "\\brack": ("[", "]"), "\\brace": ("\\{", "\\}"),
    "\\overwithdelims": None, "\\atopwithdelims": None,  # the delimiters follow
}  # fmt: skip
# what a list of nuclei ends at
STOPS = ROW_ENDS | frozenset(INFIX) | frozenset(r"} & # $ \right \end \( \) \[ \]".split()) | {""}
SAME_DELIMITER = {"<": "\\langle", ">": "\\rangle", "\\lbrack": "["}
POSITIONS = frozenset("tbclrm") | {""}  # of \\begin{aligned}[t]
LOOK_AHEAD = 1000  # tokens; a bracket that is not closed within is none
LIMITS = which("limits-mark")
MARKS = SMALL_SPACES | LIMITS | {"_", "^", "'"}  # what may stand between a nucleus and its scripts
DEPTH_LIMIT = 100

PUNCTUATION = frozenset(".,;:")
GUARDED = {"[": "\\lbrack", "*": "\\ast"}  # at the start of a row they would belong to \\
OPENERS = {"{"} | {"\\left" + d for d in DELIMITERS} | {f"\\begin{{{name}}}" for name in MATRICES}
CLOSERS = {"}"} | {"\\right" + d for d in DELIMITERS} | {f"\\end{{{name}}}" for name in MATRICES}


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
        if self.peek() == "[" and (end := self.find("]")):
            if "".join(self.tokens[self.at + 1 : end]).strip() in POSITIONS:
                self.at = end + 1

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


Action = Callable[["Line", str], None]


def stop(line: "Line", token: str) -> None:
    """The action of a token that ends a list; where a nucleus must stand, it is an error."""
    raise NotNormal("unbalanced")


class Line(Cursor):
    """A recursive descent over the tokens of one equation."""

    def __init__(self, tokens: Sequence[str], actions: Mapping[str, Action | None]) -> None:
        super().__init__(tokens)
        self.actions = actions
        self.out: list[str] = []
        self.first = 0  # where in `out` the innermost list begins
        self.depth = 0
        self.in_font = False  # where a space is part of the text

    # -- lists, rows, fractions ----------------------------------------------------------------

    def nuclei(self) -> None:
        """Write nuclei with their scripts up to a stop, which stays."""
        tokens, out, actions, at = self.tokens, self.out, self.actions, self.at
        self.go_deeper()
        while (action := actions[token := tokens[at]]) is not stop:
            at += 1
            if action is None and tokens[at] not in MARKS:  # most tokens, so quickly
                out.append(token)
                continue
            start, self.at = len(out), at
            if action is None:
                out.append(token)
            else:
                action(self, token)
            if tokens[self.at] in MARKS:
                self.scripts(start, token)
            at = self.at
        self.at = at
        self.depth -= 1

    def formula(self) -> None:
        r"""Write a whole list of nuclei, or the fraction that \over and its like make of it."""
        outer, self.first = self.first, len(self.out)
        self.nuclei()
        depth = self.depth
        while self.tokens[self.at] in INFIX:
            self.depth += 1  # each is written around those before it, in braces
            self.go_deeper()
            self.infix()
        self.first, self.depth = outer, depth

    def row(self, cell: str) -> bool:
        """Write one row with a mark between its cells; whether there is anything in it."""
        start = len(self.out)
        self.formula()
        while self.tokens[self.at] == "&":
            self.at += 1
            self.out += cell
            self.formula()
        if not {cell, "~"}.issuperset(self.out[start:]):
            return True
        del self.out[start:]
        return False

    def rows(self, cell: str = "", end: str = "") -> None:
        """Write rows with a mark between them; without one, a second row is an error."""
        filled = self.row(cell)
        while self.tokens[self.at] in ROW_ENDS:
            self.at += 1
            self.skip_row_space()
            start = len(self.out)
            self.out += [end] if filled and end else []
            if not self.row(cell):
                del self.out[start:]
            elif filled and not end:
                raise NotNormal("multiline")
            else:
                self.out[start:] = guarded(self.out[start:])
                filled = True

    def infix(self) -> None:
        r"""`a \over b`: what the list holds so far, over the rest of it."""
        token = self.tokens[self.at]
        self.at += 1
        left, right = INFIX[token] or (self.delimiter(), self.delimiter())
        if token == "\\above":
            self.at = length_end(self.tokens, self.at)
        top = self.cut(self.first)
        self.nuclei()
        bar = token in ("\\over", "\\above", "\\overwithdelims")
        self.fraction(left, right, bar, top, self.cut(self.first))

    def fraction(
        self, left: str, right: str, bar: bool, top: Sequence[str], bottom: Sequence[str]
    ) -> None:
        """Write one thing above another, with or without a bar and delimiters."""
        if bar:
            body = ["\\frac", "{", *top, "}", "{", *bottom, "}"]
        elif (left, right) == ("(", ")"):
            body, left, right = ["\\binom", "{", *top, "}", "{", *bottom, "}"], "", ""
        elif not top or not bottom:
            body = [*top, *bottom]
        elif left or right:
            body = ["\\begin{matrix}", *top, *guarded(["\\\\", *bottom]), "\\end{matrix}"]
        else:
            body = ["\\substack", "{", *top, *guarded(["\\\\", *bottom]), "}"]
        if left or right:
            body = ["\\left" + (left or "."), *body, "\\right" + (right or ".")]
        self.out += body

    # -- scripts and arguments -----------------------------------------------------------------

    def scripts(self, start: int, token: str) -> None:
        """Write the scripts of the nucleus that `token` has written from `start` on."""
        lower, upper, limits = self.read_scripts()
        if not lower and not upper:
            return
        if self.actions[token] is not None:
            self.out += carrier(self.cut(start), grouped=token == "{")
        elif limits and token in OPERATORS and (limits == "\\limits") != (token in LIMITED):
            self.out.append(limits)
        self.write_scripts(lower, upper)

    def read_scripts(self) -> tuple[list[str], list[str], str]:
        r"""Lower and upper script, empty where there is none, and \limits or \nolimits."""
        found: dict[str, list[str]] = {}
        upper: list[str] = []
        limits, apart = "", False
        while (mark := self.tokens[self.at]) in MARKS:
            if mark in found:
                if apart:  # x_1\,_2: the second has no nucleus
                    break
                raise NotNormal("unbalanced")
            self.at += 1
            if mark == "_" or mark == "^":
                found[mark] = self.argument()
            elif mark == "'":
                upper.append("\\prime")
            elif mark == "\\limits" or mark == "\\nolimits":
                limits = mark
            apart = mark in SMALL_SPACES and (apart or mark != " ")
        if "^" in found:
            upper += without_base(found["^"])
        return found.get("_", []), upper, limits

    def write_scripts(self, lower: Sequence[str], upper: Sequence[str]) -> None:
        if lower:
            self.out += ["_", "{", *lower, "}"]
        if upper:
            self.out += ["^", "{", *upper, "}"]

    def argument(self) -> list[str]:
        """One argument in normal form: a group, or one nucleus without scripts."""
        return self.short_argument() or self.long_argument()

    def braced(self) -> None:
        """Write one argument in braces."""
        self.out += ["{", *self.argument(), "}"]

    def short_argument(self) -> list[str]:
        """An argument of one plain token; empty if it is not so short."""
        tokens, actions, at = self.tokens, self.actions, self.at
        token = tokens[at]
        if actions[token] is None:
            self.at += 1
            return [token]
        if token == "{" and actions[token := tokens[at + 1]] is None and tokens[at + 2] == "}":
            self.at += 3
            return [token]
        return []

    def long_argument(self) -> list[str]:
        start = len(self.out)
        self.go_deeper()
        while self.tokens[self.at] in SPACES:
            self.at += 1
        token = self.tokens[self.at]
        self.at += 1
        action = self.actions[token]
        if action is None:
            self.out.append(token)
        elif token in "_^":
            raise NotNormal("unbalanced")
        else:
            action(self, token)
        self.depth -= 1
        return self.cut(start)

    def cut(self, start: int) -> list[str]:
        """Take back what was written from a place on, without the spaces at its ends."""
        begin, end = start, len(self.out)
        while end > begin and self.out[end - 1] == "~":
            end -= 1
        while begin < end and self.out[begin] == "~":
            begin += 1
        tail = self.out[begin:end]
        del self.out[start:]
        return tail

    def go_deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise NotNormal("unbalanced")


# -- what is one nucleus, and what needs braces; decided on what was written, not on what was read,
# -- so that reading it again changes nothing


def carrier(nucleus: list[str], *, grouped: bool) -> list[str]:
    r"""A nucleus as it can carry scripts: in braces if it is more than one.

    A group keeps an operator from setting its scripts above and below: {\sum}_i.
    """
    nucleus = with_dots(nucleus)
    if nucleus and is_nucleus(nucleus) and not (grouped and nucleus[0] in LIMITED):
        return nucleus
    return ["{", *nucleus, "}"]


def guarded(row: list[str]) -> list[str]:
    """A row behind its mark, so spelled that its first token cannot be taken for part of that."""
    return [row[0], GUARDED.get(row[1], row[1]), *row[2:]] if row[:1] == ["\\\\"] else row


def without_base(upper: list[str]) -> list[str]:
    """x^{'} is x': primes that are alone in a script need no empty nucleus there."""
    if upper[:5] != ["{", "}", "^", "{", "\\prime"]:
        return upper
    end = 5
    while upper[end] == "\\prime":
        end += 1
    return upper[4:end] + upper[end + 1 :] if upper[end] == "}" else upper


def with_dots(tokens: list[str]) -> list[str]:
    r"""Three full stops as \ldots."""
    if tokens.count(".") < 3:
        return tokens
    out: list[str] = []
    for token in tokens:
        out.append(token)
        if out[-3:] == [".", ".", "."]:
            out[-3:] = ["\\ldots"]
    return out


def is_nucleus(tokens: Sequence[str]) -> bool:
    """Whether tokens in normal form are one nucleus without scripts."""
    return nucleus_end(tokens, 0) == len(tokens)


def nucleus_end(tokens: Sequence[str], at: int) -> int:
    """Where the nucleus that begins at a place ends."""
    token = tokens[at]
    if token in OPENERS:
        return _closed(tokens, at)
    if token == "\\not" and at + 1 < len(tokens):
        return nucleus_end(tokens, at + 1)
    at += 1
    if token in OPTIONAL and tokens[at : at + 1] == ["["]:
        while tokens[at] != "]":
            at = _closed(tokens, at) if tokens[at] in OPENERS else at + 1
        at += 1
    unknown = token[0] == "\\" and token not in KNOWN and token not in CLOSERS
    for _ in range(len(tokens) if unknown else ARITY.get(token, 0)):
        if tokens[at : at + 1] != ["{"]:
            break
        at = _closed(tokens, at)
    return at


def _closed(tokens: Sequence[str], at: int) -> int:
    """Behind what closes the opener at a place."""
    depth = 0
    while True:
        token = tokens[at]
        depth += (token in OPENERS) - (token in CLOSERS)
        at += 1
        if depth == 0:
            return at
