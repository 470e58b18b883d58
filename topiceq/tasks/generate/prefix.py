r"""The beginning of an equation, as a user types it -> the tokens that a decoder goes on from.

What the grammar reads as it stands is taken as it stands. Other LaTeX may be no equation, and so
have no normal form of its own: `\frac12{` is closed up with a mark at the place where it goes on,
and the normal form up to the mark is the prefix. So `x^` is read as `x ^ {`, and `{a \over` as
`\frac { a } {`. Where the normal form puts something that was typed behind the mark (`x^2_`: the
lower script comes first), the prefix is refused.
"""

from topiceq.corpus.normal import NotNormal, normal_form
from topiceq.corpus.normal.structure import CLOSERS
from topiceq.corpus.tex import clean, lex, units
from topiceq.corpus.vocab import UNK
from topiceq.errors import QuestionError
from topiceq.tasks.fault import Misplaced, complete, openers
from topiceq.tasks.grammar import Grammar
from topiceq.tasks.question import FORMULAS, Equation, expanded, without_delimiters

MARK = "\ue000"  # of the area that Unicode leaves to its users: in no equation
ARGUMENTS = "{}{}"  # what commands may still ask for; where they do not, it is nothing
ROW = f"\\\\ {MARK}"  # an environment of one row would dissolve


def read_prefix(text: str, grammar: Grammar) -> Equation:
    """The tokens of a prefix; none for an empty one."""
    typed = text.split()
    normal = typed if _reads(grammar, typed) else _normal(_undelimited(text.replace(MARK, "")))
    ids = tuple(grammar.tokens.encode(normal).tolist())
    if UNK in ids:
        raise QuestionError(
            f"This run does not know '{normal[ids.index(UNK)]}'. Give a prefix without it."
        )
    return Equation(tuple(normal), ids)


def _reads(grammar: Grammar, tokens: list[str]) -> bool:
    """Whether these are tokens of the run that an equation can begin with."""
    if not all(token in grammar.tokens for token in tokens):
        return False
    try:
        grammar.read(grammar.tokens.encode(tokens).tolist())
    except QuestionError:
        return False
    return True


def _undelimited(text: str) -> str:
    """The text without the formula signs around it: $L =$ goes on within them."""
    text = text.strip()
    for opening, closing in FORMULAS.items():
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening):
            return text[len(opening) : -len(closing)].strip()
    return text


def _normal(text: str) -> list[str]:
    if not text:
        return []
    try:
        opened = openers(units(lex(clean(text))))
    except Misplaced as why:
        raise _broken(text, str(why)) from None
    for row in (ROW, ""):
        found = _before_mark(text + MARK + ARGUMENTS + _closing(opened, row))
        if found is not None:
            return found
    raise _broken(text, "no normal form begins with it; lower scripts come before upper ones")


def _closing(opened: list[str], row: str) -> str:
    r"""What closes all, with the arguments that a command may want behind a group of its own."""
    ends = ""
    for opener in reversed(opened):
        ends += row if opener.startswith("\\begin{") else ""
        ends += complete(opener)
        ends += ARGUMENTS if opener == "{" else ""
    return ends


def _before_mark(text: str) -> list[str] | None:
    """The normal form up to the mark; None if there is none, or something is left behind it."""
    display = expanded(text)
    try:
        normal = normal_form(without_delimiters(display.tokens))
    except NotNormal:
        return None
    if display.reason or MARK not in normal:
        return None
    place = normal.index(MARK)
    return normal[:place] if all(map(_closes, normal[place:])) else None


def _closes(token: str) -> bool:
    return token in CLOSERS or token in (MARK, "{", "\\\\")


def _broken(text: str, why: str) -> QuestionError:
    return QuestionError(f"The prefix '{' '.join(text.split())}' cannot be completed: {why}.")
