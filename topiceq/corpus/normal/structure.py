r"""The structure of tokens in normal form: what is one nucleus, what needs braces.

All is decided on what was written, not on what was read, so that reading it again changes nothing.
"""

from collections.abc import Sequence

from topiceq.corpus.commands import ARITY, DELIMITERS, KNOWN, LIMITED, MATRICES, OPTIONAL

PUNCTUATION = frozenset(".,;:")
GUARDED = {"[": "\\lbrack", "*": "\\ast"}  # at the start of a row they would belong to \\
OPENERS = {"{"} | {"\\left" + d for d in DELIMITERS} | {f"\\begin{{{name}}}" for name in MATRICES}
CLOSERS = {"}"} | {"\\right" + d for d in DELIMITERS} | {f"\\end{{{name}}}" for name in MATRICES}


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
