"""The grammar: what it lets through, what it refuses and why, and that a compiler agrees."""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.article.commands import ARITY
from topiceq.article.equation.grammar import DEEPEST, Grammar, State
from topiceq.article.equation.rules import END, NEVER, PAD, SPECIAL, START, UNK, role
from topiceq.article.equation.spelling import SYNONYMS
from topiceq.corpus.extract import extract
from topiceq.corpus.vocab import Vocab, token_vocab
from topiceq.errors import QuestionError
from topiceq.scores.syntax import check

ARTICLES = Path(__file__).parents[3] / "examples" / "articles"
TOKENS = r"""
    x y l c r | \| 1 = , [ ] ( ) \{ \} \langle \rangle
    \lfloor \rfloor * ~ \alpha \leq \bigl( \bigr) \bigr] \dots \ldots \pounds { } _ ^ & \\ \hline
    \sum \lim \int \sin \iint \limits \nolimits \not \frac \binom \sqrt \hat \vec \overline
    \overrightarrow \mathrm \mathbb \boldsymbol \operatorname \operatorname* \mathop \boxed
    \substack \overset \underset \underbrace \xrightarrow \pmod \left( \left. \left[ \right)
    \right] \right. \middle| \begin{array} \end{array} \begin{pmatrix} \end{pmatrix} \begin{cases}
    \end{cases} \begin{smallmatrix} \end{smallmatrix} \sideset
""".split()
VOCAB = Vocab([*SPECIAL, *TOKENS])
GRAMMAR = Grammar(VOCAB)
PAIRED = Grammar(VOCAB, paired=True)
BOTH = pytest.mark.parametrize("grammar", [GRAMMAR, PAIRED], ids=["any", "paired"])


def ids(equation: str, tokens: Vocab = VOCAB) -> list[int]:
    return [tokens.index(token) for token in equation.split()]


def walk(grammar: Grammar, room: int, draw: random.Random) -> Iterator[tuple[State, int, int]]:
    """A random equation as states, the room there, and the token chosen; all roles alike."""
    state: State | None = grammar.start()
    while state and room:
        kinds: dict[str, list[int]] = {}
        for token in np.flatnonzero(grammar.allowed(state, room)).tolist():
            kinds.setdefault(role(grammar.tokens[token]), []).append(token)
        token = draw.choice(draw.choice(sorted(kinds.values())))
        yield state, room, token
        state, room = grammar.advance(state, token), room - 1
        if token == END:
            return


def written(grammar: Grammar, room: int, draw: random.Random) -> list[int]:
    return [token for _, _, token in walk(grammar, room, draw)][:-1]


# -- what it lets through ------------------------------------------------------------------------

ACCEPTED = [
    "x",
    "x _ { 1 } ^ { y }",
    "{ } ^ { 1 } x",
    "{ x y } _ { 1 } = [ x ] * y",
    r"\frac { } { 1 } \binom { x } { y } ^ { 1 }",
    r"\sqrt { x } \sqrt [ 1 ] { x } \xrightarrow [ x ] { } \xrightarrow { x }",
    r"\hat { \vec { x } } \overline { \hat { x } } \overrightarrow { x }",
    r"\mathrm { x ~ y } \mathbb { \mathrm { x } } \operatorname* { x } _ { y }",
    r"\boldsymbol { x _ { 1 } \mathrm { y } \hat { x } } ^ { 1 } \boldsymbol { x } _ { y } ^ { 1 }",
    r"{ \boldsymbol { x ^ { 1 } } } ^ { 1 }",
    r"\left( x \middle| \frac { 1 } { x } \right. _ { 1 } ^ { y }",
    r"\sum \nolimits _ { x } \int \limits ^ { 1 } \lim _ { x } \sum _ { x } ^ { y }",
    r"\sum _ { \substack { x \\ y = 1 } } x",
    r"\not \leq \not { x y } _ { 1 }",
    r"\overset { x } { = } \underset { } { x }",
    r"\begin{array} { l | c r } \hline x & y & 1 \\ \hline & x \\ \hline \end{array}",
    r"\begin{pmatrix} [ x ] & & \\ x \end{pmatrix} ^ { 1 }",
    r"\begin{cases} x & y \\ 1 \end{cases}",
    r"\begin{pmatrix} " + "& " * 9 + r"x \end{pmatrix}",
    r"\begin{smallmatrix} " + "& " * 30 + r"x \end{smallmatrix}",
    r"\dots \leq \dots { \boldsymbol { x } }",
]  # fmt: skip


@pytest.mark.parametrize("equation", ACCEPTED)
def test_equations_in_normal_form_are_accepted(equation: str) -> None:
    assert GRAMMAR.accepts(ids(equation))
    GRAMMAR.read(ids(equation))


def test_almost_all_equations_of_real_articles_are_accepted() -> None:
    equations = [pair.tokens for pair in extract(ARTICLES)]
    tokens = token_vocab([pa.array(equations)])
    grammar = Grammar(tokens)
    refused = [e for e in equations if not grammar.accepts(tokens.encode(e).tolist())]
    assert len(equations) > 200
    assert len(refused) <= 0.005 * len(equations), refused


# -- what it refuses, and why --------------------------------------------------------------------

BROKEN = {
    "x }": "at token 2, behind 'x': a '}' closes nothing.",
    "}": "at token 1: a '}' closes nothing.",
    r"\left( { x \right)": r"a '\right)' closes nothing: a '}' must come first.",
    r"\begin{pmatrix} x \end{cases}": r"a '\end{cases}' closes nothing: a '\end{pmatrix}' must",
    r"\left( x }": r"a '}' closes nothing: a '\right' must come first.",
    "_": "a '_' stands on nothing.",
    "= { ^": "a '^' stands on nothing.",
    "x _ 1": "a '1' comes where a '{' must come.",
    "x _ { 1 } _": "a '_' comes behind a script of its kind, or behind the upper one.",
    "x ^ { 1 } _": "a '_' comes behind a script of its kind, or behind the upper one.",
    r"\boldsymbol { x ^ { 1 } } ^": "a '^' comes behind a script of its kind",
    "x ^ { }": "a '}' ends what is empty, or an empty row.",
    r"\frac { x } y": "a 'y' comes where a '{' must come.",
    r"\frac { x } [": "a '[' comes where a '{' must come.",
    r"\sqrt [ x \left[": r"a '\left[' cannot come between '[' and ']'",
    r"\sqrt [ \bigr]": r"a '\bigr]' cannot come between '[' and ']'",
    r"\sqrt [ \sqrt [": "a '[' comes where a '{' must come.",
    "x &": "a '&' is outside of an environment.",
    r"x \\": r"a '\\' is outside of an environment, or ends an empty row.",
    r"\substack { x &": "a '&' is outside of an environment.",
    r"\begin{pmatrix} \left( x &": "a '&' is outside of an environment.",
    r"\begin{cases} x & x &": "a '&' begins more columns than there are.",
    r"\begin{array} { c | c } x & x &": "a '&' begins more columns than there are.",
    r"\begin{array} x": "a 'x' comes where the columns of an array must come.",
    r"\begin{array} { x": "a 'x' is no column of an array: these are l, c, r and |.",
    r"\begin{array} { | }": "a '}' is no column of an array: these are l, c, r and |.",
    r"\begin{pmatrix} x \\ \\": r"a '\\' is outside of an environment, or ends an empty row.",
    r"\begin{pmatrix} x \\ [": r"a '[' would belong to the '\\' before it.",
    r"\begin{pmatrix} x \hline": r"a '\hline' is not at the beginning of a row.",
    r"\hline": r"a '\hline' is not at the beginning of a row.",
    r"\middle|": r"a '\middle|' is not directly inside a '\left'.",
    r"\left( { \middle|": r"a '\middle|' is not directly inside a '\left'.",
    r"x \limits": r"a '\limits' does not follow an operator that it would change.",
    r"\sum \limits": r"a '\limits' does not follow an operator that it would change.",
    r"\sum \nolimits x": "a 'x' comes where a script must come.",
    r"\not \frac": r"a '\frac' cannot be negated.",
    r"\hat { x \vec": r"a '\vec' is inside another accent, and not the first thing there.",
    r"\dots \boldsymbol": r"a '\boldsymbol' follows '\dots', which would take it apart.",
    r"\boldsymbol { \frac": r"a '\frac' is inside '\boldsymbol', which could not set it.",
    r"\boldsymbol { x \boldsymbol": r"a '\boldsymbol' is inside '\boldsymbol'",
    r"\sideset": r"a '\sideset' is in no equation that is sure to compile.",
    "x <unk>": "a '<unk>' is in no equation that is sure to compile.",
    "x <end> x": "a 'x' comes behind the end.",
    "{ x <end>": "a '<end>' closes nothing: a '}' must come first.",
}  # fmt: skip


@pytest.mark.parametrize(("prefix", "message"), BROKEN.items())
def test_a_broken_prefix_is_refused_with_the_reason(prefix: str, message: str) -> None:
    with pytest.raises(QuestionError) as error:
        GRAMMAR.read(ids(prefix))
    assert str(error.value).startswith("The equation breaks at token ")
    assert message in str(error.value)
    assert not GRAMMAR.accepts(ids(prefix))


def test_a_message_shows_only_the_end_of_a_long_prefix() -> None:
    with pytest.raises(QuestionError, match=r"at token 101, behind '(x ){9}x': a '}' closes"):
        GRAMMAR.read(ids("x " * 100 + "}"))


@pytest.mark.parametrize("prefix", ["", "{", r"\frac { x }", r"\left( x", r"\sum \nolimits", "x _"])
def test_what_is_not_complete_is_read_but_not_accepted(prefix: str) -> None:
    assert GRAMMAR.closing(GRAMMAR.read(ids(prefix))) > 1
    assert not GRAMMAR.accepts(ids(prefix))


def test_nesting_has_an_end() -> None:
    def opened(token: str, times: int) -> list[int]:
        return ids(f"{token} " * times)

    GRAMMAR.read(opened("{", DEEPEST))
    with pytest.raises(QuestionError, match="a '{' nests too deep"):
        GRAMMAR.read(opened("{", DEEPEST + 1))
    with pytest.raises(QuestionError, match="nests too deep"):  # TeX sets these four times each
        GRAMMAR.read(opened(r"\overrightarrow {", 6))
    state = GRAMMAR.read(opened("{", DEEPEST))
    assert not GRAMMAR.allowed(state, 99)[ids(r"{ _ \frac \left( \begin{array}")].any()


def test_what_the_vocabulary_cannot_close_is_never_opened() -> None:
    tokens = Vocab([*SPECIAL, "x", "{", "}", r"\left(", r"\begin{cases}", r"\frac", "_"])
    grammar = Grammar(tokens)
    mask = grammar.allowed(grammar.start(), 99)
    assert [tokens[i] for i in np.flatnonzero(mask)] == ["x", "{", r"\frac"]
    with pytest.raises(QuestionError, match="cannot be closed with the tokens of this vocabulary"):
        grammar.read(ids(r"x \left(", tokens))


def test_a_command_with_three_arguments() -> None:
    tokens = Vocab([*SPECIAL, "x", "{", "}", r"\overunderset"])
    grammar = Grammar(tokens)
    assert grammar.closing(grammar.read(ids(r"\overunderset", tokens))) == 7
    assert grammar.accepts(ids(r"\overunderset { x } { } { x }", tokens))
    assert not grammar.accepts(ids(r"\overunderset { x } { x }", tokens))


def test_a_vocabulary_without_equations_allows_nothing() -> None:
    grammar = Grammar(Vocab([*SPECIAL, r"\mymacro", "é", "$", "'"]))
    assert not grammar.allowed(grammar.start(), 99).any()


# -- brackets ------------------------------------------------------------------------------------

FINE = [
    "x ( y [ 1 , x ) ] = \\{ x | y \\}",
    "| x | = \\| y \\| _ { 1 } = | x _ { 1 } | | y |",
    "x | _ { y = 1 } = x ( y | 1 )",
    r"| x \rangle = \langle y | x \rangle = \langle x | 1 | y \rangle = | x \rangle \langle y |",
    r"( \langle x | , \langle y | ) | 1 \rangle",
    r"\left( x | y \right) \sqrt [ x ] { ( y ) } \bigl( x \bigr] _ { 1 }",
    r"\begin{array} { l | c } ( x ) & 1 \end{array}",
    r"| { x } | ^ { 1 }",
]
OPEN = ["(", "x )", "( x }", r"\{ x )", "| x", "| |", r"\| x |", r"x \rangle", r"\lfloor x",
        "( x | y", "{ ( x } )", r"\left( ( \right)", r"\bigl( x )", r"\sqrt [ ( ] { x }",
        r"\begin{cases} ( x & ) \end{cases}", r"| \frac { | } { 1 }", r"\not ( x )"]  # fmt: skip


@pytest.mark.parametrize("equation", FINE)
def test_paired_brackets_may_be_written(equation: str) -> None:
    assert PAIRED.accepts(ids(equation))


@pytest.mark.parametrize("equation", OPEN)
def test_brackets_that_are_not_paired_may_not(equation: str) -> None:
    assert not PAIRED.accepts(ids(equation))


def test_an_interval_may_mix_brackets() -> None:
    assert PAIRED.accepts(ids("x = [ 1 , y )"))


def test_the_refusal_of_a_bracket_says_so() -> None:
    with pytest.raises(QuestionError, match=r"a '\)' leaves a bracket open, or closes none\."):
        PAIRED.read(ids("x )"))


def test_an_angle_around_a_bra_needs_two_ends() -> None:
    inside = PAIRED.read(ids(r"\langle x \langle y |"))
    assert PAIRED.closing(inside) == 3  # of the bra, of the angle, and END


def test_a_bracket_that_the_vocabulary_cannot_close_is_never_opened() -> None:
    tokens = Vocab([*SPECIAL, "x", "(", "[", "]", r"\langle"])
    grammar = Grammar(tokens, paired=True)
    mask = grammar.allowed(grammar.start(), 99)
    assert [tokens[i] for i in np.flatnonzero(mask)] == ["x", "(", "["]


# -- room ----------------------------------------------------------------------------------------

CLOSING = {
    "": 2,
    "x": 1,
    "x _": 4,
    "x _ { 1": 2,
    r"\frac": 5,
    r"\frac { \left( x": 5,
    r"\sum \nolimits": 5,
    r"\begin{array}": 5,
    r"\begin{cases} x \\": 3,
    r"\overset { x }": 3,
    r"\not": 2,
    "x <end>": 0,
}


@pytest.mark.parametrize(("prefix", "tokens"), CLOSING.items())
def test_closing_counts_the_fewest_tokens_with_end(prefix: str, tokens: int) -> None:
    assert GRAMMAR.closing(GRAMMAR.read(ids(prefix))) == tokens


def test_the_last_tokens_are_forced() -> None:
    state = GRAMMAR.read(ids(r"\frac { \left( x"))
    forced = [GRAMMAR.allowed(state, 5).nonzero()[0].tolist()]
    assert forced == [ids(r"\right) \right] \right.")]
    assert not GRAMMAR.allowed(state, 4).any()
    assert np.flatnonzero(GRAMMAR.allowed(GRAMMAR.read(ids("x")), 1)).tolist() == [END]


def test_end_comes_only_where_the_equation_may_end() -> None:
    assert GRAMMAR.allowed(GRAMMAR.read(ids("x")), 9)[END]
    for prefix in ("", "{ x", "x _", r"\not", r"\left( x"):
        assert not GRAMMAR.allowed(GRAMMAR.read(ids(prefix)), 9)[END]
    assert not GRAMMAR.allowed(GRAMMAR.read([*ids("x"), END]), 9).any()


def test_masks_are_shared_and_cannot_be_written() -> None:
    mask = GRAMMAR.allowed(GRAMMAR.start(), 50)
    assert mask is GRAMMAR.allowed(GRAMMAR.read([]), 60)
    assert mask.shape == (len(VOCAB),) and mask.dtype == np.bool_
    assert not mask[[PAD, START, UNK]].any()
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = True


def test_a_state_is_what_is_open_not_how_it_came() -> None:
    one, other = GRAMMAR.read(ids("{ x _ { 1")), GRAMMAR.read(ids(r"{ x y \alpha _ { = x"))
    assert one == other and hash(one) == hash(other)


# -- random equations ----------------------------------------------------------------------------

rooms = st.integers(min_value=2, max_value=80)
randoms = st.randoms(use_true_random=False)


@BOTH
@settings(max_examples=150, deadline=None)
@given(rooms, randoms)
def test_walks_end_within_the_room_and_are_accepted(
    grammar: Grammar, room: int, draw: random.Random
) -> None:
    equation = written(grammar, room, draw)
    assert len(equation) < room
    assert grammar.accepts(equation) and GRAMMAR.accepts(equation)
    for end in range(len(equation)):
        state = grammar.read(equation[:end])
        assert grammar.closing(state) <= room - end


@BOTH
@settings(max_examples=30, deadline=None)
@given(rooms, randoms)
def test_allowed_is_what_advance_can_still_close(
    grammar: Grammar, room: int, draw: random.Random
) -> None:
    for state, left, _ in walk(grammar, room, draw):
        mask = grammar.allowed(state, left)
        for token in range(len(VOCAB)):
            after = grammar.advance(state, token)
            assert mask[token] == (after is not None and grammar.closing(after) < left)
        assert not grammar.allowed(state, grammar.closing(state) - 1).any()
        assert grammar.allowed(state, grammar.closing(state)).any()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(range(len(VOCAB))), max_size=12))
def test_any_tokens_are_read_or_refused_in_words(equation: list[int]) -> None:
    try:
        state = GRAMMAR.read(equation)
    except QuestionError as error:
        assert str(error).endswith(".")
        assert not GRAMMAR.accepts(equation)
    else:
        assert GRAMMAR.accepts(equation) == bool(GRAMMAR.allowed(state, 1)[END])


# -- the compiler --------------------------------------------------------------------------------


@pytest.fixture
def latex() -> None:
    """Skip where there is no compiler, except on the machine whose work is to run these tests."""
    if shutil.which("pdflatex") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("pdflatex is missing")


@pytest.mark.usefixtures("latex")
def test_whatever_it_lets_through_compiles() -> None:
    draw = random.Random(0)
    walks = [written(GRAMMAR, draw.randint(2, 100), draw) for _ in range(150)]
    equations = ACCEPTED + [" ".join(VOCAB[token] for token in walk) for walk in walks]
    wrong = [(e, v.message) for e, v in zip(equations, check(equations), strict=True) if not v.ok]
    assert not wrong


@pytest.mark.usefixtures("latex")
def test_what_it_refuses_on_purpose_does_not_compile() -> None:
    broken = [r"\hat { \vec { \pounds 1 } }", r"\boldsymbol { x ^ { 1 } } ^ { 1 }",
              r"\dots \boldsymbol { { x } }", r"\sqrt [ \bigr] ] { x }",
              r"\begin{pmatrix} " + "& " * 10 + r"\end{pmatrix}"]  # fmt: skip
    assert not any(GRAMMAR.accepts(ids(equation)) for equation in broken)
    assert not any(verdict.ok for verdict in check(broken))


def test_every_command_with_arguments_has_a_role_but_for_a_few() -> None:
    """The normal form rewrites the first; the others take more than arguments in braces."""
    left_out = {command for command in ARITY.keys() - SYNONYMS if role(command) == NEVER}
    assert left_out == {r"\genfrac", r"\sideset", r"\hdotsfor"}
