r"""The formulas of an article: displays and inline formulas, as tokens with macros expanded.

An expander stands behind what opens a formula; out come its tokens up to what closes it, and for a
display the reason why it cannot be used, if so.
"""

import re
from collections.abc import Callable

from topiceq.article.commands import DIAGRAMS, which
from topiceq.article.equation.line import NotNormal
from topiceq.article.equation.normal import normal_form, to_latex
from topiceq.article.macros.expander import Expander, MacroLimit
from topiceq.article.macros.packages import latex_expander
from topiceq.article.tex import FILE_END, Runaway, clean, is_blank_line, join, lex, split

DISPLAY_LIMIT = 20_000  # tokens; a longer display was never closed
INLINE_LIMIT = 2_000
SPECIAL = frozenset(("{", "}", "\\begin", "\\end", "\\label", "\\]", "$$", FILE_END))
CLOSERS = {"$$": "$$", "\\[": "\\]"}
REFERENCE_ALONE = re.compile(r"(?<!\s)\s*\\(?:eq|[cC]|auto)?ref\*?\s*\{([^{}]*)\}\s*")
BLANK_LINE = re.compile(r"\n\s*\n")
DIAGRAM_COMMANDS = which("diagram")


def read_formula(text: str) -> list[str]:
    """The tokens of a formula that somebody has typed: definitions carried out, macros expanded.

    `NotNormal` with the reason where that has no end, or is no formula.
    """
    text = BLANK_LINE.sub("\n", text.strip())  # it would end a display
    x = latex_expander([*lex(clean(text + "\n\\end{formula}")), FILE_END])
    tokens, reason = read_display(x, "formula")
    if reason:
        raise NotNormal(reason)
    return tokens


def left_side(options: list[str]) -> list[str]:
    r"""What \\begin{empheq}[left={f(x) = \empheqlbrace}]{align} sets before its rows."""
    for option in split(options):
        if option[:1] and option[0].replace(" ", "") == "left=":
            return option[1:]
    return []


class NotClosed(Exception):
    """A display that the paragraph or the file ends before it does."""


def read_display(
    x: Expander, environment: str, label: Callable[[str], None] = lambda key: None
) -> tuple[list[str], str]:
    r"""The expanded tokens of a display that has been opened, and why it cannot be used, if so.

    One that a blank line or the end of its file cuts off is given up as `unbalanced`, so that a
    forgotten \] costs one equation and not the article.
    """
    reason, tokens, depth = "", [], len(x.scopes)
    x.math = True
    try:
        tokens = _collected(x, environment, label)
        tokens = with_borrowed(x, tokens)
    except (NotClosed, Runaway):
        reason = "unbalanced"
    except (MacroLimit, RecursionError):
        reason = "macro_limit"
        _recover(x, environment)
    x.math = False
    while len(x.scopes) > depth:
        x.close_scope(x.scopes[-1].kind)
    return tokens, "diagram" if _has_diagram(tokens) else reason


def with_borrowed(x: Expander, tokens: list[str]) -> list[str]:
    """Expanded tokens, with what others define that nobody has defined here."""
    try:
        while x.borrow(tokens):
            tokens = x.expanded(tokens)
    except (MacroLimit, RecursionError):
        pass  # what has no end is as if nobody defined it
    return tokens


def _has_diagram(tokens: list[str]) -> bool:
    return not DIAGRAM_COMMANDS.isdisjoint(tokens) or any(
        tokens[i] == "\\begin" and tokens[i + 2] in DIAGRAMS for i in range(len(tokens) - 2)
    )


def _recover(x: Expander, environment: str) -> None:
    """Skip to the end of a display whose expansion was given up."""
    closer = CLOSERS.get(environment)
    while x.stack and x.stack[-1] != FILE_END:
        token = x.stack.pop()
        if token == closer or token.count("\n") > 1:
            return
        if closer is None and token == "\\end" and x.stack[-2:-1] == [environment]:
            x.name()
            return


def _collected(x: Expander, environment: str, label: Callable[[str], None]) -> list[str]:
    """The expanded tokens up to the end of the display."""
    closer = CLOSERS.get(environment)
    tokens: list[str] = []
    inside = 0  # environments open within the display; one of the author's own is expanded
    while len(tokens) < DISPLAY_LIMIT:
        token = x.next()
        if token not in SPECIAL and token[0] not in "\n%":
            tokens.append(token)
        elif token == closer and not inside:
            return tokens
        elif token == "\\begin":
            if not x.begin(name := x.name()):
                inside += 1
                tokens += ["\\begin", "{", name, "}"]
        elif token == "\\end":
            name = x.name()
            if name == environment and not inside:
                return tokens
            if not x.end(name):
                inside -= 1
                tokens += ["\\end", "{", name, "}"]
        elif token == "\\label":
            label(x.name())
        elif token[0] != "%":
            tokens.append(_special(x, token, inside))
        if inside < 0:
            break
    raise NotClosed


def _special(x: Expander, token: str, inside: int) -> str:
    """What a brace or a line end leaves in a display."""
    if token == "{":
        x.open_scope("{")
    elif token == "}":
        x.close_scope("{")
    elif token == FILE_END:
        x.stack.append(token)
        raise NotClosed
    elif token[0] == "\n":
        if token.count("\n") > 1 and not inside:
            raise NotClosed
        return " "
    return token


def read_inline(x: Expander, closer: str) -> str:
    """An inline formula up to its closer: as written, or with its macros expanded."""
    stack, depth = x.stack, 0
    as_written = x.at_source()
    taken: list[str] = []
    while stack and len(taken) < INLINE_LIMIT:
        token = stack.pop()
        if depth <= 0 and (token == closer or (token == "$$" and closer == "$")):
            if token == "$$":
                stack.append("$")
            break
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        elif token == FILE_END or is_blank_line(token):
            stack.append(token)
            break
        taken.append(token)
    x.borrow(taken)
    if not (x.macros.keys().isdisjoint(taken) and x.primitives.keys().isdisjoint(taken)):
        taken, as_written = _without_dollars(_expanded(x, taken)), False
    text = "".join(taken)
    if not as_written or "%" in text:
        text = join(taken)
    if text.isalnum():
        return text
    text = " ".join(text.split())
    return text + " " if text.endswith("\\") else text


def _without_dollars(formula: list[str]) -> list[str]:
    r"""In normal form, if it holds boxes with formulas of their own: \mbox{\boldmath$x$}."""
    if "$" not in formula:
        return formula
    try:
        return lex(to_latex(normal_form(formula)))
    except (NotNormal, RecursionError):
        return formula


def _expanded(x: Expander, formula: list[str]) -> list[str]:
    """The tokens of a formula, macros expanded; as they are if that has no end."""
    x.open_scope("$")
    x.math = True
    try:
        return with_borrowed(x, x.expanded(formula))
    except (MacroLimit, RecursionError):
        return formula
    finally:
        x.math = False
        x.close_scope("$")
