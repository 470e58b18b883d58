r"""What an equation in normal form is made of: relations, sides, brackets that are open.

Tokens in normal form go in; out comes where a relation stands outside of all brackets, whether a
side is missing, whether a bracket is open. The rows of a display are cut and joined by this.
"""

from collections.abc import Iterable, Iterator, Sequence

from topiceq.article.commands import ARITY, ARROW, FONTS, SIZED, names, which
from topiceq.article.equation.line import CLOSERS, OPENERS, PUNCTUATION, nucleus_end

VERTICAL = names("uparrow downarrow updownarrow Uparrow Downarrow Updownarrow")
SIDEWAYS = ARROW - VERTICAL - names("nearrow searrow swarrow nwarrow")
RELATIONS = which("relation") | SIDEWAYS | {"=", "<", ">"}
# beside an equation they say that there is one; these do not
WEAK = names("mid parallel perp shortmid not therefore because smile frown bowtie")
EQUALITIES = frozenset(("=", "\\equiv"))
# what leads from one equation to the next; Leftrightarrow and its like have one spelling
STEPS = names(
    "Rightarrow Longrightarrow Leftarrow Longleftarrow Leftrightarrow Longleftrightarrow "
    "rightarrow longrightarrow rightsquigarrow therefore because"
)
SIGNS = frozenset(("-", "\\pm", "\\mp"))  # they may also begin an equation
OPERATIONS = which("binary") | SIGNS | {"+", "*", "/"}
_BRACKETS = {"(": ")", "[": "]", "\\{": "\\}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
_BIG = ("", *(size for size in SIZED if size not in ("\\left", "\\right", "\\middle")))
OPENING = OPENERS | {size + bracket for size in _BIG for bracket in _BRACKETS}
CLOSING = CLOSERS | {size + bracket for size in _BIG for bracket in _BRACKETS.values()}
SENTENCE = 20  # tokens in one font: more than the name of an operator has
END_MARKS = names("checkmark blacksquare square") | PUNCTUATION  # of a proof
NOT_AN_EQUATION = VERTICAL | STEPS | PUNCTUATION | names("vdots ddots cdots ldots dots")


def relation_end(tokens: Sequence[str], at: int) -> int:
    """Behind the relation at a place, with its scripts; 0 if there is none."""
    end = _bare_relation_end(tokens, at)
    while end and end + 1 < len(tokens) and tokens[end] in ("_", "^"):
        end = group_end(tokens, end + 1)
    return end


def _bare_relation_end(tokens: Sequence[str], at: int) -> int:
    r"""Behind a relation such as `:=` or \overset{!}{=}."""
    if tokens[at : at + 2] == [":", "="]:
        return at + 2
    if at >= len(tokens):
        return 0
    token = tokens[at]
    if token in RELATIONS:
        return nucleus_end(tokens, at) if token == "\\not" else at + 1
    if token in ("\\xrightarrow", "\\xleftarrow"):
        return nucleus_end(tokens, at)
    if token in ARITY:
        end = nucleus_end(tokens, at)
        group = tokens[group_start(tokens[:end]) + 1 : end - 1]
        return end if len(group) == 1 and group[0] in RELATIONS - WEAK else 0
    return 0


def relations(tokens: Sequence[str]) -> Iterator[int]:
    """Where relations stand outside of all brackets."""
    depth = 0
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if not depth and token not in WEAK and (end := relation_end(tokens, at)):
            yield at
            at = end
            continue
        depth = max(0, depth + (token in OPENING) - (token in CLOSING))
        at += 1


def has_relation(tokens: Sequence[str]) -> bool:
    return any(True for _ in relations(tokens))


def comparisons(tokens: Sequence[str]) -> list[int]:
    r"""Where sides are set beside each other: at arrows only if there is nothing else.

    In `a = b \\to c` the arrow is a part of the right side.
    """
    places = list(relations(tokens))
    return [at for at in places if tokens[at] not in SIDEWAYS] or places


def last_side(tokens: list[str]) -> list[str]:
    """What stands behind the last relation."""
    places = comparisons(tokens)
    return tokens[relation_end(tokens, places[-1]) :] if places else list(tokens)


def begins(tokens: Sequence[str], kind: Iterable[str]) -> bool:
    return bool(tokens) and tokens[0] in kind


def dangles(tokens: Sequence[str]) -> bool:
    """Whether the last token wants something behind it."""
    return bool(tokens) and (tokens[-1] in OPERATIONS or tokens[-1] in RELATIONS)


def is_fragment(tokens: Sequence[str]) -> bool:
    """Whether a side is missing: at the beginning, at the end, or of a bracket."""
    if not tokens:
        return False
    no_left = relation_end(tokens, 0) > 0 or begins(tokens, OPERATIONS - SIGNS)
    return no_left or dangles(tokens) or _is_words(tokens)


def _is_words(tokens: Sequence[str]) -> bool:
    """Whether there are only words, or a sentence and no relation."""
    groups = [at for at, token in enumerate(tokens[:-1]) if token in FONTS]
    sentence = any(group_end(tokens, at + 1) - at > SENTENCE for at in groups)
    if sentence and not has_relation(tokens):
        return True
    at = 0
    while at < len(tokens) and (tokens[at] in FONTS or tokens[at] in PUNCTUATION):
        at = nucleus_end(tokens, at)
    return at == len(tokens)


def is_open(tokens: Sequence[str]) -> bool:
    """Whether a bracket is open at the end."""
    return _depth(tokens, 0) > 0


def _depth(tokens: Iterable[str], depth: int) -> int:
    for token in tokens:
        depth = max(0, depth + (token in OPENING) - (token in CLOSING))
    return depth


def closes(before: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether a row closes a bracket that is open before it."""
    depth = _depth(before, 0)
    lowest = depth
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        lowest = min(lowest, depth)
    return lowest < _depth(before, 0)


def drop_punctuation(tokens: list[str]) -> None:
    while tokens and tokens[-1] in END_MARKS:
        tokens.pop()


def mended(before: list[str], tokens: list[str]) -> list[str]:
    r"""Two rows as one; `\right.` at the end of the first and `\left.` in the second are one."""
    if before[-1:] == ["\\right."] and "\\left." in tokens:
        place = tokens.index("\\left.")
        if _depth(tokens[:place], 0) == 0:
            return [*before[:-1], *tokens[:place], *tokens[place + 1 :]]
    return [*before, *tokens]


def without_steps(tokens: list[str]) -> list[str]:
    r"""An equation without the arrow that leads to it, or from it to the next."""
    start = 0
    while start < len(tokens) and tokens[start] in STEPS | PUNCTUATION:
        start += 1
    rest = without_last_steps(tokens[start:])
    return rest if has_relation(rest) else tokens


def without_last_steps(tokens: list[str]) -> list[str]:
    end = len(tokens)
    while end and tokens[end - 1] in STEPS:
        end -= 1
    return tokens[:end]


def begins_equation(tokens: Sequence[str]) -> bool:
    """Whether the tokens can be an equation of their own."""
    if not tokens or relation_end(tokens, 0) or tokens[0] in OPERATIONS or tokens[0] in "([,":
        return False
    return has_relation(tokens)


def group_end(tokens: Sequence[str], at: int) -> int:
    """Behind the group that begins at a place."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] == "{") - (tokens[end] == "}")
        if depth == 0:
            return end + 1
    return len(tokens)


def group_start(tokens: Sequence[str]) -> int:
    """Where the group begins that the tokens end in."""
    depth = 0
    for start in range(len(tokens) - 1, -1, -1):
        depth += (tokens[start] == "}") - (tokens[start] == "{")
        if depth == 0:
            return start
    return 0
