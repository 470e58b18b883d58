"""Equations and their normal form, rule by rule; then properties of any input."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.article.commands import ARITY, KNOWN, OPTIONAL, SIZED
from topiceq.article.equation.line import DEPTH_LIMIT, NotNormal
from topiceq.article.equation.normal import normal_form, parse, to_latex
from topiceq.article.equation.nuclei import ACTIONS
from topiceq.article.tex import PRIMITIVE, lex


def normal(latex: str) -> str:
    """The normal form, after a check that it stays what it is."""
    tokens = parse(latex)
    assert normal_form(tokens) == tokens
    assert parse(to_latex(tokens)) == tokens
    return " ".join(tokens)


SCRIPTS = {
    "x_1^2": "x _ { 1 } ^ { 2 }",
    "x^2_1": "x _ { 1 } ^ { 2 }",
    "x ^ {ab} _ c": "x _ { c } ^ { a b }",
    "x'": r"x ^ { \prime }",
    "x''_i^2": r"x _ { i } ^ { \prime \prime 2 }",
    "x^{'}": r"x ^ { \prime }",
    r"x^{\prime}": r"x ^ { \prime }",
    "x^{'a}": r"x ^ { \prime a }",
    "x^{{}'}": r"x ^ { \prime }",
    r"x^\alpha y^\frac12": r"x ^ { \alpha } y ^ { \frac { 1 } { 2 } }",
    "{x_1}_2": "{ x _ { 1 } } _ { 2 }",
    "{x}_2": "x _ { 2 }",
    "{ab}^2": "{ a b } ^ { 2 }",
    "(a)^2": "( a ) ^ { 2 }",
    "^{14}C": "{ } ^ { 1 4 } C",
    "{}_1x": "{ } _ { 1 } x",
    "x_{}^{}y": "x y",
    r"x\,_1": "x _ { 1 }",
    r"x_1\,_2": "x _ { 1 } { } _ { 2 }",
    r"a \quad ^2b": "a { } ^ { 2 } b",
    r"\left(x^2\right)^3": r"\left( x ^ { 2 } \right) ^ { 3 }",
    r"{\left(x\right)}^3": r"\left( x \right) ^ { 3 }",
    r"{\bf x}_1": r"\mathbf { x } _ { 1 }",
    r"x\sp 2\sb 1": "x _ { 1 } ^ { 2 }",
    "{...}^2": r"\ldots ^ { 2 }",
}
LIMITS = {
    r"\sum\limits_i^n": r"\sum _ { i } ^ { n }",
    r"\sum\nolimits_i": r"\sum \nolimits _ { i }",
    r"\int\limits_0^1": r"\int \limits _ { 0 } ^ { 1 }",
    r"\int\nolimits_0": r"\int _ { 0 }",
    r"\int_0\limits^1": r"\int \limits _ { 0 } ^ { 1 }",
    r"\sum\limits x": r"\sum x",
    r"x\limits_1": "x _ { 1 }",
    r"{\sum}_i": r"{ \sum } _ { i }",
    r"{\int}_i": r"\int _ { i }",
    r"{\underbrace{x}}_i": r"{ \underbrace { x } } _ { i }",
    r"\operatorname{a}\limits_x": r"\operatorname* { a } _ { x }",
    r"\operatorname*{a}\nolimits_x": r"\operatorname { a } _ { x }",
    r"\operatorname*{ab} y": r"\operatorname { a b } y",
    r"\operatorname*{a}_{}": r"\operatorname { a }",
    r"\operatorname{\rm arg\,max}": r"\operatorname { a r g m a x }",
    r"\mathop{\rm lim}_x": r"\lim _ { x }",
    r"\mathop{\rm Tr} x": r"\operatorname { T r } x",
    r"\mathop{\mathrm{Tr}}\nolimits_x": r"\operatorname { T r } _ { x }",
    r"\mathop{a+b}_c": r"\mathop { a + b } _ { c }",
    r"\mathop{a+b}\nolimits_c": "{ a + b } _ { c }",
    r"\mathop{\sum}_c": r"\sum _ { c }",
    r"\mathop{a}b": "a b",
    r"\mathop{}\!\mathrm{d}x": r"\mathrm { d } x",
}
GROUPS = {
    "{a+b}c": "a + b c",
    "{{{x}}}": "x",
    "1{,}000": "1 , 0 0 0",
    "{}a{}": "a",
    r"\frac{{a}}{{{b}}}": r"\frac { a } { b }",
    r"\bgroup a\egroup": "a",
    r"\mathrel{=}\mathbin+\mathopen(": "= + (",
    r"\smash{x}\rlap{y}": "x y",
}
FRACTIONS = {
    r"{a \over b}": r"\frac { a } { b }",
    r"a+b \over c": r"\frac { a + b } { c }",
    r"x{a\over{b\over c}}": r"x \frac { a } { \frac { b } { c } }",
    r"\left(a\over b\right)": r"\left( \frac { a } { b } \right)",
    r"{a \above 1pt b}": r"\frac { a } { b }",
    r"{n \choose k}": r"\binom { n } { k }",
    r"{n \brack k}": r"\left[ \begin{matrix} n \\ k \end{matrix} \right]",
    r"{n \brace k}": r"\left\{ \begin{matrix} n \\ k \end{matrix} \right\}",
    r"{a \atop b}": r"\substack { a \\ b }",
    r"{a \overwithdelims() b}": r"\left( \frac { a } { b } \right)",
    r"{a \atopwithdelims<> b}": r"\left\langle \begin{matrix} a \\ b \end{matrix} \right\rangle",
    r"\dfrac12\tfrac{1}{2}\cfrac ab": (r"\frac { 1 } { 2 } \frac { 1 } { 2 } \frac { a } { b }"),
    r"\genfrac{(}{)}{0pt}{}{n}{k}": r"\binom { n } { k }",
    r"\genfrac{}{}{}{0}{n}{k}": r"\frac { n } { k }",
    r"\genfrac[]{0pt}{1}nk": r"\left[ \begin{matrix} n \\ k \end{matrix} \right]",
    r"\sqrt[n]{x}\sqrt x": r"\sqrt [ n ] { x } \sqrt { x }",
    r"\sqrt[{[n]}]{x}": r"\sqrt [ { [ n ] } ] { x }",
    r"\sqrt[]{x}": r"\sqrt { x }",
    r"\root n+1 \of {x}": r"\sqrt [ n + 1 ] { x }",
}
FONTS = {
    r"\text{if}": r"\mathrm { i f }",
    r"\mbox{if}": r"\mathrm { i f }",
    r"{\rm if}": r"\mathrm { i f }",
    r"\mathrm{for~all\ x}": r"\mathrm { f o r ~ a l l ~ x }",
    r"\mathrm{~a~}": r"\mathrm { a }",
    r"a~b": "a b",
    r"\mathrm{}x\mathrm{~}": "x",
    r"\mbox x+\frac ab": r"\mathrm { x } + \frac { a } { b }",
    r"\hbox to 3cm{a}": r"\mathrm { a }",
    r"x_\text{max}": r"x _ { \mathrm { m a x } }",
    r"\text{a}^2": r"\mathrm { a } ^ { 2 }",
    r"\text{a $b$}^2": r"{ \mathrm { a } b } ^ { 2 }",
    r"{\cal L} x": r"\mathcal { L } x",
    r"x\cal L": r"x \mathcal { L }",
    r"{\rm a \over b}": r"\mathrm { \frac { a } { b } }",
    r"{x\rm a \over b}": r"\frac { x \mathrm { a } } { b }",
    r"{\rm a \bf b}": r"\mathrm { a \mathbf { b } }",
    r"\mathrm{\mathbf{x}}": r"\mathbf { x }",
    r"\boldsymbol{\mathcal{X}}": r"\boldsymbol { \mathcal { X } }",
    r"\bm x": r"\boldsymbol { x }",
    r"\hat\mathbf x": r"\hat { \mathbf { x } }",
}
DELIMITERS = {
    r"\left ( x \right )": r"\left( x \right)",
    r"\left< x \right>": r"\left\langle x \right\rangle",
    r"\left\lbrace x \right.": r"\left\{ x \right.",
    r"\left\vert x \right\Vert": r"\left| x \right\|",
    r"\left\lbrack x \middle| y\right]": r"\left[ x \middle| y \right]",
    r"\big ( \Bigl\{ \bigr{)}": r"\big( \Bigl\{ \bigr)",
    r"\big x": "x",
    r"\lvert x \rvert": "| x |",
}
DROPPED = {
    r"x\label{eq:1}\tag{3}\nonumber\notag": "x",
    r"x \tag*{$\ast$}": "x",
    r"x \eqno(1)": "x",
    r"\displaystyle\textstyle a\,b\;c\!d\quad e\ f~g\hspace*{1em}h": "a b c d e f g h",
    r"a\hskip 1em plus 1fil minus 2pt b\kern-.5em c\mkern3mu d": "a b c d",
    r"a\raise1ex\hbox{b}\lower\jot\hbox{c}": r"a \mathrm { b } \mathrm { c }",
    r"\phantom{x}y\vphantom{x}": "y",
    r"x\footnote{no $y$}": "x",
    r"a\rule[1ex]{1em}{2em}b\linebreak[4]c": "a b c",
    "x,": "x",
    "x .": "x",
    r"x\,;\:.": "x",
    r"x\mbox{.}": "x",
    r"x{,}": "x",
    r"\boxed{x.}.": r"\boxed { x }",
    r"\boxed{x.}y": r"\boxed { x . } y",
    "x+...": r"x + \ldots",
    "x+....": r"x + \ldots",
    "a...b": r"a \ldots b",
    "x!": "x !",
    "x %comment\n+ y": "x + y",
}
ROWS = {
    r"a &= b": "a = b",
    r"a &= b \\": "a = b",
    r"\\ a": "a",
    r"\begin{split} a &= b, \end{split}": "a = b",
    r"\begin{aligned}[t] a &= b \end{aligned}": "a = b",
    r"\begin{alignedat}{2} a &= b \end{alignedat}": "a = b",
    r"\begin{aligned}[x] y\end{aligned}": "[ x ] y",
    r"\begin{array}[t]{@{}l|*{2}{c}} a & b & c \\[2pt] d & e & f \\ \end{array}": (
        r"\begin{array} { l | c c } a & b & c \\ d & e & f \end{array}"
    ),
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^T": (
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix} ^ { T }"
    ),
    r"\begin{pmatrix*}[r] 1 \\ 2 \end{pmatrix*}": r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
    r"\begin{dcases} 1 & x \\\\ 2 & y \end{dcases}": r"\begin{cases} 1 & x \\ 2 & y \end{cases}",
    r"\begin{array}{c} x \end{array}": "x",
    r"\begin{matrix} a & b \end{matrix}": r"\begin{matrix} a & b \end{matrix}",
    r"\begin{array}{|c|} x \end{array}": r"\begin{array} { | c | } x \end{array}",
    r"\begin{pmatrix} x \end{pmatrix}": r"\begin{pmatrix} x \end{pmatrix}",
    r"\begin{array}{c} a \\ {[b]} \end{array}": r"\begin{array} { c } a \\ \lbrack b ] \end{array}",
    r"\begin{matrix} a \\ \ast & [c] \end{matrix}": (
        r"\begin{matrix} a \\ \ast & [ c ] \end{matrix}"
    ),
    r"\begin{matrix} a \\* b \end{matrix}": r"\begin{matrix} a \\ b \end{matrix}",
    r"\begin{array}{c} a \\ \hline b \end{array}": r"\begin{array} { c } a \\ \hline b \end{array}",
    r"\substack{a \\ b}": r"\substack { a \\ b }",
    r"\substack{a}": "a",
    r"\begin{subarray}{l} a \\ b \end{subarray}": r"\substack { a \\ b }",
}
COMMANDS = {
    r"\not=\not\in\not\subset": r"\neq \notin \not \subset",
    r"\not{ab}": r"\not { a b }",
    r"a\not": "a",
    r"\stackrel{d}{=}": r"\overset { d } { = }",
    r"\overset{\eqref{a}}{=}": "=",
    r"\buildrel d \over =": r"\overset { d } { = }",
    r"\xrightarrow[a]{b}\xrightarrow c": r"\xrightarrow [ a ] { b } \xrightarrow { c }",
    r"\sideset{_a^b}{'}\sum": r"\sideset { _ { a } ^ { b } } { ^ { \prime } } \sum",
    r"\mathchoice{a}{b}{c}{d}": "a",
    r"a\le b\to c\iff d": r"a \leq b \rightarrow c \Longleftrightarrow d",
    r"\operatorname{prox}": r"\operatorname { p r o x }",
    r"\vectorx{a}{bc} d": r"\vectorx { a } { b c } d",
    r"\vectorx{} {a}": r"\vectorx a",
    r"\vectorx{a}^2": r"\vectorx { a } ^ { 2 }",
    "x≤ℝ²": r"x \leq \mathbb { R } ^ { 2 }",
}
IM2MARKUP = {  # where the tool that the paper used goes wrong
    r"50\%+x": r"5 0 \% + x",
    r"\sqrt[3]{x}": r"\sqrt [ 3 ] { x }",
    r"{\color{red} x}+\color[rgb]{1,0,0}y+\textcolor{red}{z}": "x + y + z",
    "α+é": r"\alpha + \acute { e }",
    r"\sin x+\lim_n": r"\sin x + \lim _ { n }",
}
RULES = SCRIPTS | LIMITS | GROUPS | FRACTIONS | FONTS | DELIMITERS | DROPPED | ROWS | COMMANDS


@pytest.mark.parametrize(("latex", "tokens"), (RULES | IM2MARKUP).items())
def test_a_rule(latex: str, tokens: str) -> None:
    assert normal(latex) == tokens


@pytest.mark.parametrize(
    ("latex", "reason"),
    [
        (r"a \\ b", "multiline"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "multiline"),
        (r"\begin{pmatrix} \begin{split} a \\ b \end{split} \end{pmatrix}", "multiline"),
        (r"\left( a \\ b \right)", "multiline"),
        ("{a", "unbalanced"),
        ("a}", "unbalanced"),
        (r"\left( a", "unbalanced"),
        (r"a \right)", "unbalanced"),
        (r"\begin{matrix} a", "unbalanced"),
        (r"\begin{matrix} a \end{pmatrix}", "unbalanced"),
        (r"\frac{a}", "unbalanced"),
        ("x^", "unbalanced"),
        ("x_1_2", "unbalanced"),
        ("x_1 _2", "unbalanced"),
        ("x^2^3", "unbalanced"),
        ("x^_2", "unbalanced"),
        ("{a & b}", "unbalanced"),
        ("a $ b", "unbalanced"),
        (r"\text{a", "unbalanced"),
        (r"\begin{tikzcd} a \end{tikzcd}", "diagram"),
        (r"\begin{whatever} a \end{whatever}", "diagram"),
    ],
)
def test_not_one_equation(latex: str, reason: str) -> None:
    with pytest.raises(NotNormal) as error:
        parse(latex)
    assert str(error.value) == reason


def test_a_command_in_its_original_meaning_is_that_command() -> None:
    assert normal_form([PRIMITIVE + "\\le", PRIMITIVE + "\\text", "{", "a b", "}"]) == [
        "\\leq", "\\mathrm", "{", "a", "~", "b", "}",
    ]  # fmt: skip


def test_nothing_is_nothing() -> None:
    assert parse("") == parse(r"\,{}\label{x}.") == []


def test_every_known_command_with_arguments_is_read_with_them() -> None:
    for command in ARITY.keys() - {"\\operatorname*"}:
        assert parse(command + "{a}" * ARITY[command] + "b")[-1] == "b"
    assert OPTIONAL <= ARITY.keys() <= KNOWN
    assert all(ACTIONS[size] is not None for size in SIZED)


# -- properties --------------------------------------------------------------------------------

SYMBOLS = st.sampled_from(
    [*"abxyz01+-=(),.", r"\alpha", r"\sum", r"\int", r"\leq", r"\to", r"\sin", r"\ldots", "~", "é"]
)
WRAPS = [
    "{%s}", r"\frac{%s}{%s}", r"{%s \over %s}", r"\sqrt{%s}", r"\sqrt[%s]{%s}", r"\hat{%s}",
    r"\mathrm{%s}", r"\mathbf{%s}", r"{\rm %s}", r"\text{word $%s$ word}", r"\left(%s\right)",
    r"\begin{pmatrix}%s&%s\\%s\end{pmatrix}", r"\begin{array}{c}%s\end{array}",
    r"\substack{%s\\%s}", r"\overset{%s}{%s}", r"\mathop{%s}", r"\operatorname{%s}", r"\not{%s}",
    r"\boldsymbol{%s}",
    r"\begin{aligned}%s&%s\end{aligned}", r"\unknown{%s}", r"\big(%s", r"%s\,%s", "%s%s",
]  # fmt: skip
SCRIPTED = ["{%s}_{%s}", "{%s}^{%s}", "%s'", r"\sum_{%s}^{%s}", "{%s}_{%s}^{%s}", r"{%s}\limits_%s"]


def _filled(wrap: str, inner: list[str]) -> str:
    """A template with its gaps filled in turn."""
    count = wrap.count("%s")
    return wrap % tuple((inner * count)[:count])


EXPRESSIONS = st.recursive(
    SYMBOLS,
    lambda inner: st.builds(
        _filled, st.sampled_from(WRAPS + SCRIPTED), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)
SOUP = st.lists(
    st.sampled_from(
        [*"{}{}[]()_^'&~ax12.,$#%*|", " ", r"\\", r"\cr", r"\left", r"\right", r"\big", r"\middle",
         r"\begin", r"\end", "{array}", "{cc}", "{aligned}", "{matrix}", "{tikzcd}", r"\over",
         r"\atop", r"\choose", r"\overwithdelims", r"\rm", r"\text", r"\mbox", r"\hbox", r"\mathrm",
         r"\mathop", r"\operatorname", "*", r"\frac", r"\sqrt", r"\root", r"\of", r"\buildrel",
         r"\not", r"\limits", r"\nolimits", r"\sum", r"\int", r"\,", r"\quad", r"\ ", r"\hskip",
         r"\label", r"\tag", r"\eqno", r"\genfrac", r"\substack", r"\sideset", r"\mathchoice",
         r"\unknown", r"\hat", r"\overset", r"\lbrack", r"\ast", r"\left(", r"\right)", r"\bigl[",
         r"\begin{array}", r"\end{array}", r"\operatorname*", r"\'", r"\boldmath", r"\bf", r"\(",
         r"\)", "é", "…", "²", "̂", "\x01\\text", "plus", "1em", "..."]
    ),
    max_size=25,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS)
def test_a_normal_form_is_its_own(latex: str) -> None:
    try:
        tokens = parse(latex)
    except NotNormal:
        return
    assert normal_form(tokens) == tokens
    assert parse(to_latex(tokens)) == tokens
    assert tokens.count("{") == tokens.count("}")
    assert all(not token.isspace() for token in tokens)


def test_punctuation_behind_words_inside_a_group_stays() -> None:
    tokens = normal_form(["{", r"\text", "a", r"\atop", ".", "}"])
    assert tokens[-2] == "." and normal_form(tokens) == tokens


@settings(max_examples=500, deadline=None)
@given(SOUP)
def test_any_tokens_have_a_normal_form_or_a_reason(tokens: list[str]) -> None:
    try:
        found = normal_form(tokens)
    except NotNormal as reason:
        assert str(reason) in ("multiline", "unbalanced", "diagram")
        return
    assert normal_form(found) == found
    assert found.count("{") == found.count("}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{", "}"), ("x^{", "}"), (r"\frac{", "}{b}"), (r"\text{$", "$}"), (r"\left(", r"\right)"),
        (r"\begin{matrix}a&", r"\end{matrix}"), (r"\hat", ""), (r"{a\over", "}"), (r"\not", ""),
        (r"\sqrt[", "]{x}"), ("{", ""), ("x_", ""), (r"\sqrt[", ""), (r"\mathrm{", "}"),
        (r"\mathchoice{", "}abc"), (r"\text", ""), (r"\rm", ""), (r"\begin{array}{*{2}{", "}}"),
    ],
)  # fmt: skip
def test_deep_nesting_is_read_or_refused(before: str, after: str) -> None:
    for depth in (DEPTH_LIMIT // 5, 3000):
        try:
            parse(before * depth + "x" + after * depth)
        except NotNormal as reason:
            assert str(reason) == "unbalanced"


def test_a_long_equation_takes_steps_in_proportion() -> None:
    def steps(count: int) -> int:
        """Calls of functions, on the way to the normal form."""
        tokens = lex(r"\frac{a_1}{b} + \sqrt[ x \text{word} [" * count + "]" * count)
        called: list[str] = []
        sys.setprofile(lambda frame, event, value: called.append(event))
        try:
            normal_form(tokens)
        finally:
            sys.setprofile(None)
        return len(called)

    assert steps(800) < 9 * steps(100)


def test_a_bar_through_an_integral_is_no_minus() -> None:
    assert normal(r"-\!\!\int f") == r"\int f"
    assert normal(r"- \negthickspace \negmedspace \int f") == r"\int f"
    assert normal(r"x -\! y") == "x - y"


def test_an_environment_without_a_name_is_no_crash() -> None:
    with pytest.raises(NotNormal, match="diagram"):
        parse(r"a + \begin{} b \end{}")


@pytest.mark.parametrize(
    ("latex", "tokens"),
    [
        (r"\operatorname{lim}_{x}", r"\lim _ { x }"),
        (r"\operatorname*{lim sup}_n", r"\limsup _ { n }"),
        (r"\operatorname{sin} x", r"\sin x"),
        (r"\operatorname*{sin}_x", r"\operatorname* { s i n } _ { x }"),
        (r"\operatorname{bmod}", r"\operatorname { b m o d }"),
        (r"\mathrm{\begin{pmatrix}~&~\\a\end{pmatrix}}",
         r"\mathrm { \begin{pmatrix} a \end{pmatrix} }"),
        (r"\begin{array}[]{cc} a & b \end{array}", r"\begin{array} { c c } a & b \end{array}"),
        (r"\begin{array}[t]{L|R} a & b \end{array}", r"\begin{array} { l | r } a & b \end{array}"),
        (r"\begin{array}{D{.}{.}{2}C{3cm}} a & b \end{array}",
         r"\begin{array} { c c } a & b \end{array}"),
    ],
)  # fmt: skip
def test_one_spelling_of_operators_and_columns(latex: str, tokens: str) -> None:
    assert normal(latex) == tokens


@pytest.mark.parametrize(
    ("latex", "printed"),
    [
        (r"0 \text{ if } x < 1", r"0 \; \mathrm { i f } \; x < 1"),
        (r"x \text{ such that } y", r"x \; \mathrm { s u c h ~ t h a t } \; y"),
        (r"x_{\text{in}} + \mathrm{SO}(3)", r"x _ { \mathrm { i n } } + \mathrm { S O } ( 3 )"),
        (r"\text{for } x", r"\mathrm { f o r } \; x"),
        (r"x \text{ otherwise}", r"x \; \mathrm { o t h e r w i s e }"),
    ],
)
def test_words_between_formulas_are_printed_with_space(latex: str, printed: str) -> None:
    assert to_latex(parse(latex)) == printed
    assert parse(printed) == parse(latex)


def test_words_that_are_not_closed_are_printed_as_they_are() -> None:
    assert to_latex([r"\mathrm", "{", "i", "f"]) == r"\mathrm { i f"


@pytest.mark.parametrize(
    "source",
    [
        r"\mbox{etc .}",  # the space before the full stop is at the end without it
        r"a\over" * 30,
        "x" + "\u0301" * 60,
        "\\over\\over\\over .. \\",
    ],
)
def test_what_was_not_normal_yet(source: str) -> None:
    tokens = normal_form(lex(source))
    assert normal_form(lex(to_latex(tokens))) == tokens


def test_fractions_of_fractions_have_an_end() -> None:
    with pytest.raises(NotNormal, match="unbalanced"):
        normal_form(lex(r"\over" * DEPTH_LIMIT))
