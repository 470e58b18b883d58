"""Macros, groups, environments, limits."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

import pytest
from expanding import expand, expander, walk
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.article.files import MemoryFiles
from topiceq.article.formats import read
from topiceq.article.macros.expander import (
    BODY_LIMIT,
    EARNED,
    EXPANSION_LIMIT,
    SCOPE_LIMIT,
    Expander,
    Macro,
    MacroLimit,
    parse_body,
)
from topiceq.article.macros.packages import PRIMITIVES
from topiceq.article.macros.tokens import PATIENCE, Param
from topiceq.article.pieces import Display
from topiceq.article.source import Article
from topiceq.article.tex import FILE_END, Runaway, lex


def test_next_gives_what_cannot_be_expanded() -> None:
    x = expander(r"\def\a{\b}\def\b{x y}\a\alpha")
    assert [x.next(), x.next(), x.next()] == ["x y", "\\alpha", FILE_END]
    with pytest.raises(Runaway):
        x.next()


def test_expanded_works_aside_from_what_follows() -> None:
    x = expander(r"\def\a#1{<#1>}rest")
    x.define("\\a", Macro.of((), lex("<x>")))
    assert x.expanded(lex(r"\a\a")) == ["<x>", "<x>"]
    assert x.expanded(["{", "\\a"]) == ["{", "<x>"]
    assert "".join(reversed(x.stack)).startswith("\\def")


def test_following_stays_within_the_file() -> None:
    x = Expander([FILE_END])
    with pytest.raises(Runaway):
        x.following()
    assert x.stack == [FILE_END]


def test_closing_a_group_closes_what_stayed_open_in_it() -> None:
    x = expander("")
    x.define("\\a", Macro((), ("0",)))
    x.open_scope("outer")
    x.define("\\a", Macro((), ("1",)))
    x.open_scope("{")
    x.define("\\a", Macro((), ("2",)))
    x.define("\\a", Macro((), ("3",)))
    assert x.close_scope("nobody") is None and len(x.scopes) == 2
    assert x.close_scope("outer") is not None
    assert x.scopes == [] and x.macros["\\a"].body == ("0",)


def test_a_name_that_had_no_meaning_has_none_again() -> None:
    x = expander("")
    x.open_scope("{")
    x.define("\\a", Macro((), ("1",)))
    x.close_scope("{")
    assert "\\a" not in x.macros


def test_nesting_of_groups_is_limited() -> None:
    x = expander("{" * 100_000 + r"\def\a{x}\a")
    tokens, _ = walk(x)
    assert tokens[-1] == "x" and len(x.scopes) == SCOPE_LIMIT


def test_default_meanings_are_known_as_such() -> None:
    x = Expander([], {"\\a": Macro((), ("x",))})
    assert x.is_default("\\a")
    x.define("\\a", Macro((), ("x",)))
    assert not x.is_default("\\a") and not x.is_default("\\b")


def test_what_macros_leave_is_told_from_the_source() -> None:
    x = expander(r"\def\a#1{#1x}\edef\b{\a y}\a{z}end")
    assert x.next() == "z"
    assert (len(x.stack), x.untouched) == (3, 2)
    assert x.next() == "x" and len(x.stack) == x.untouched
    x.expanded(lex(r"\a\a\a"))
    assert x.untouched == 2


def test_places_in_the_source_survive_what_is_read_aside() -> None:
    source = (
        "\\newcommand\\R{R}\n\\section{On \\R}\n\\edef\\a{\\R}\n\\[ x \\in \\R \\]\n\\[ y \\]\n"
    )
    article = Article("a", "", "main.tex", MemoryFiles({"main.tex": source.encode()}))
    displays = [piece for piece in read(article) if isinstance(piece, Display)]
    assert [(d.line, d.source) for d in displays] == [(4, r"x \in \R"), (5, "y")]


# -- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        r"\def\a{\a}\a",
        r"\def\a{x\a}\a",
        r"\def\a{\a x}\a",
        r"\def\a{\b}\def\b{\a}\a",
        r"\def\a{\a\a}\a",
        r"\def\a#1{\a{#1#1}}\a x",
        r"\newenvironment{a}{\begin{a}}{}\begin{a}",
        r"\newenvironment{a}{}{\end{a}\begin{a}\end{a}}\begin{a}\end{a}",
        r"\def\a{\csname\a\endcsname}\a",
        r"\def\a{\if\a\a\fi}\a",
        r"\def\a{\ifnum\a<1 \fi}\a",
        r"\def\a{\edef\b{\a}}\a",
        r"\def\a{\expandafter\a\a}\a",
        r"\def\a{\ifthenelse{\equal{\a}{x}}{}{}}\a",
        r"\def\a{\def\a{\a\a}\a}\a",
        r"\def\a{\let\b\a\b}\a",
        r"\def\a{\@ifnextchar x\a\a}\a",
        r"\def\a{\foreach\x in{1,...,100}{\a}}\a",
        r"\def\a#1#2#3{#1#1#1#1#1#1#1#1#1}" + r"\a{" * 6 + "x" * 50 + r"}{}{}" * 6,
    ],
)
def test_endless_macros_are_given_up_and_the_rest_is_read(source: str) -> None:
    tokens, given_up = walk(expander(source + " end"))
    assert given_up >= 1
    assert tokens[-1].strip() == "end"


def test_a_macro_that_was_given_up_costs_nothing_again_until_it_is_redefined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = expander(r"\def\a{\a\a}" + r"\a " * 1_000 + r"\def\a{fine}\a")
    expanded: list[str] = []
    spend = x.spend
    monkeypatch.setattr(x, "spend", lambda n, name="": (expanded.append(name), spend(n, name)))
    tokens, given_up = walk(x)
    assert given_up == 1_000 and tokens[-1] == "fine"
    once = -(-EXPANSION_LIMIT // 3)  # each time two tokens are written, and it counts itself
    assert expanded == ["\\a"] * (once + 1)


def test_a_body_may_grow_only_so_far() -> None:
    x = expander(r"\def\a{x}" + r"\edef\a{\a\a}" * 40)
    walk(x)
    assert len(x.macros["\\a"].body) <= BODY_LIMIT


def test_an_argument_written_very_often_is_given_up() -> None:
    body = "#1" * 1_000
    tokens, given_up = walk(expander(rf"\def\a#1{{{body}}}\a{{" + "x^" * 500 + "} end"))
    assert given_up == 1 and tokens[-1] == " end"
    source = rf"\newenvironment{{a}}[1]{{{body}}}{{}}\begin{{a}}{{" + "x^" * 500 + "} end"
    assert walk(expander(source))[1] == 1


def test_a_source_that_wears_out_patience_earns_it_again() -> None:
    x = expander(r"\def\b{y}" + r"\relax" * 100 + r"\b" + r"\relax" * 100 + r"\b")
    x.patience = -50 * EARNED
    tokens, given_up = walk(x)
    assert given_up == 0 and tokens.count("y") == 2
    x = expander(r"\def\b{y}\b")
    x.patience = -1_000
    assert walk(x)[1] == 1


def test_patience_has_an_upper_limit() -> None:
    x = expander(r"\def\a{y}" + r"\relax" * 1_000 + r"\a")
    walk(x)
    assert x.patience <= PATIENCE


HOSTILE = {
    "nested braces": r"\def\a#1{#1}" + r"\a{" * 30_000 + "}" * 30_000,
    "unclosed braces": r"\def\a#1{#1}" + r"\a{" * 30_000,
    "unclosed brackets": r"\newcommand\a[1][]{#1}" + r"\a[" * 30_000,
    "missing delimiters": r"\def\a#1;{#1}" + r"\a x" * 20_000,
    "growing definitions": r"\def\a{x}" + r"\edef\a{\a\a}\a" * 5_000,
    "open environments": r"\begin{x}" * 30_000 + "}" * 30_000 + r"\end{y}" * 30_000,
    "a long line": r"\def\a#1{\a}\a " + "x" * 1_000_000,
    "conditionals": r"\if" * 30_000 + r"\iffalse" * 30_000,
    "expandafter": r"\expandafter" * 30_000 + r"\csname" * 30_000,
    "global definitions": "{" * 300 + r"\gdef\a{x}\def\a{y}" * 5_000,
}


class Counted(list[str]):
    """A stack that counts how many of its tokens are looked at."""

    steps = 0

    def pop(self, at: SupportsIndex = -1) -> str:
        self.steps += 1
        return super().pop(at)

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.steps += len(found) if isinstance(at, slice) else 1
        return found

    def __reversed__(self) -> Iterator[str]:
        for token in super().__reversed__():
            self.steps += 1
            yield token


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_take_steps_in_proportion(name: str) -> None:
    x = expander(HOSTILE[name])
    patience = PATIENCE + EARNED * len(x.stack)
    x.stack = stack = Counted(x.stack)
    walk(x)
    assert stack.steps < 10 * patience


def test_an_endless_macro_costs_its_equations_and_nothing_else() -> None:
    source = r"""Before. \def\a{\a\a} \[ x = \a \] Between. \begin{equation} \a + 1 \end{equation}
        Behind \a it. \[ y = 2 \] \def\a{3} \[ z = \a \]"""
    article = Article("a", "", "main.tex", MemoryFiles({"main.tex": source.encode()}))
    displays = [piece for piece in read(article) if isinstance(piece, Display)]
    assert [d.reason for d in displays] == ["macro_limit", "macro_limit", "", ""]
    assert "".join(displays[3].tokens).split() == ["z", "=", "3"]


# -- any source at all ---------------------------------------------------------------------------

PIECES = st.sampled_from(
    [*PRIMITIVES, "\\a", "\\b", "\\c", "{", "}", "[", "]", "#1", "#2", "##1", "#", "x", "abc",
     "12 ", "=", " ", "\n", "\n\n", "$", "\\begin{a}", "\\end{a}", "*", ",", "...", "/", "in", "(",
     ")", "\\do", "\\endcsname", "\\relax", "\\(", "\\)", "%", "^", "~", "\\iffoo", "\\BODY",
     "smote"]
)  # fmt: skip
SOUP = st.lists(PIECES, max_size=40).map("".join)
GROUPS = st.recursive(
    SOUP, lambda inner: st.lists(inner | inner.map("{{{}}}".format), max_size=4).map("".join)
)
DEFINED = st.tuples(
    st.sampled_from([r"\def\a{%s}", r"\def\b#1{%s}", r"\newcommand\c[2][x]{%s}", r"\edef\a{%s}",
                     r"\gdef\b#1;{%s}", r"\newenvironment{a}{%s}{x}", r"\newif\iffoo%s"]),
    GROUPS,
).map(lambda pair: pair[0].replace("%s", pair[1]))  # fmt: skip


class Counting(Expander):
    """Counts what it writes, so that a bound on the work can be checked."""

    written = 0

    def spend(self, count: int, name: str = "") -> None:
        self.written += count + 1
        super().spend(count, name)


@settings(max_examples=150, deadline=None)
@given(st.lists(DEFINED, max_size=4), GROUPS, st.booleans())
def test_any_source_is_read_to_its_end(defined: list[str], soup: str, math: bool) -> None:
    tokens = lex("".join(defined) + soup)
    x = Counting([*tokens, FILE_END], primitives=PRIMITIVES)
    x.math = math
    out, _ = walk(x)
    assert x.written <= PATIENCE + EXPANSION_LIMIT + EARNED * len(tokens)
    assert all(out)


def test_macro_limit_names_the_macro() -> None:
    with pytest.raises(MacroLimit, match=r"\\a"):
        expander(r"\def\a{\a}\a").next()


def test_a_combination_of_everything() -> None:
    source = r"""
        \newcommand{\mk}[2][\mathbf]{%
            \expandafter\newcommand\csname v#2\endcsname[1][]{#1{#2}_{##1}}}
        \foreach \x in {a,...,c}{\mk{\x}} \mk[\vec]{d} \newif\ifhat
        \def\h#1{\ifhat\hat{#1}\else#1\fi}
        \DeclarePairedDelimiter\n{\|}{\|}
        \n*{\h{\va[1]}+\vd} {\hattrue\n{\h{\vb}}} \h x"""
    assert expand(source).replace(" ", "") == (
        r"\left\|\mathbf{a}_{1}+\vec{d}_{}\right\|{\|\hat{\mathbf{b}_{}}\|}x"
    )


# -- Macros as data: bodies with places for arguments ---------------------------------------------


def test_a_body_knows_its_parameters() -> None:
    assert parse_body(lex("a#1b#2")) == ("a", 1, "b", 2)
    assert parse_body(lex("#12")) == (1, "2")


def test_doubled_marks_are_for_definitions_inside() -> None:
    assert parse_body(lex(r"\def\b##1{##1#1}")) == (
        "\\def", "\\b", "#", "1", "{", "#", "1", 1, "}",
    )  # fmt: skip


def test_marks_that_mean_nothing_stay() -> None:
    assert parse_body(lex("#x")) == ("#", "x")
    assert parse_body(lex("#0")) == ("#", "0")
    assert parse_body(["a", "#"]) == ("a",)


def test_a_parameter_that_was_not_declared_is_nothing() -> None:
    assert Macro.of((Param(),), lex("#1#2")).body == (1,)
    embellished = Macro.of((Param("e", ends=("^", "_")),), lex("#1#2#3"))
    assert embellished.body == (1, 2)


def test_replaced_is_the_body_backwards_with_its_arguments() -> None:
    macro = Macro.of((Param(), Param()), lex(r"\x#2+#1y#2"))
    args = [["a"], ["b", "c"]]
    assert macro.replaced(args)[::-1] == ["\\x", "b", "c", "+", "a", "y", "b", "c"]
    assert macro.length(args) == 8


def test_macros_are_equal_by_what_they_mean() -> None:
    assert Macro.of((), lex("ab")) == Macro((), ("ab",))
    assert Macro.of((Param(),), lex("#1")) != Macro.of((), lex("#1"))
