"""What defines macros, delimiters, lengths."""

import pytest
from expanding import expand


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (r"\newcommand{\a}{x}\a\a", "xx"),
        (r"\newcommand\a{x}\a", "x"),
        (r"\newcommand*{\a}[1]{<#1>}\a b\a{cd}", "<b><cd>"),
        (r"\newcommand{\a}[2][x]{#1+#2}\a{y}\a[z]{w}", "x+yz+w"),
        (r"\newcommand{\a}[2][x]{#1+#2}\a[z[1]]{w}\a[{]}]{w}", "z[1]+w{]}+w"),
        (r"\newcommand{\a}[1][]{(#1)}\a\a[b]", "()(b)"),
        (r"\renewcommand{\vec}[1]{\mathbf{#1}}\vec x", r"\mathbf{x}"),
        (r"\DeclareRobustCommand\a[1]{#1}\a b", "b"),
        (r"\newcommandx{\a}[2][2=y]{#1#2}\a x\a x[z]", "xyxz"),
        (r"\newcommandtwoopt\a[3][x][y]{#1#2#3}\a z\a[1]z\a[1][2]z", "xyz1yz12z"),
        (r"\newcommand{\a}[1]{#1#2}\a xy", "xy"),
    ],
)
def test_newcommand_and_its_relatives(source: str, result: str) -> None:
    assert expand(source) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [
        (r"\def\a{x}\a", "x"),
        (r"\def\a#1#2{#2#1}\a xy", "yx"),
        (r"\def\a#1;#2.{<#1|#2>}\a foo;bar. z", "<foo|bar> z"),
        (r"\def\a(#1,#2){#2#1}\a(x,y)\a (1,2)", "yx21"),
        (r"\def\a#1\b{[#1]}\a x{\b}y\b1", r"[x{\b}y]1"),
        (r"\def\a#1{\def\b##1{#1##1}}\a x\b y", "xy"),
        (r"\def\a{\def\b{y}}\a\b", "y"),
        (r"\def\a#1{<#1>}\a{{x}}", "<{x}>"),
        (r"\def\a#1 #2{<#1|#2>}\a xy z", "<xy|z>"),
        (r"\def\a#1#{<#1>}\a xy{z}", "<xy>{z}"),
        (r"\long\def\a#1{<#1>}\a x", "<x>"),
    ],
)
def test_def_and_its_parameters(source: str, result: str) -> None:
    assert expand(source) == result


def test_a_macro_that_does_not_find_what_it_asks_for_is_nothing() -> None:
    assert expand(r"\def\a(#1){<#1>}\a[x]") == "[x]"
    assert expand(r"\def\a#1;{<#1>}\a x") == "x"


def test_only_long_macros_reach_across_blank_lines() -> None:
    assert expand("\\def\\a#1;{<#1>}\\a x\n\ny;z") == "x y;z"
    assert expand("\\long\\def\\a#1;{<#1>}\\a x\n\ny;z") == "<x y>z"
    assert expand(r"{\protected\long\gdef\a#1{<#1>}}\a x") == "{}<x>"


def test_edef_expands_at_once_and_only_macros() -> None:
    assert expand(r"\def\b{1}\edef\a{\b}\def\b{2}\a\b") == "12"
    assert expand(r"\def\b{1}\edef\a{\noexpand\b\unexpanded{\b}}\def\b{2}\a") == "22"
    assert expand(r"\edef\a{\def\noexpand\b{x}}\a\b") == "x"
    assert expand(r"\def\n{f}\edef\a{\csname\n oo\endcsname}\def\foo{y}\a") == "y"
    assert expand(r"\edef\a{\ifmmode m\else t\fi}\a", math=False) == "t"


def test_definitions_inside_definitions() -> None:
    source = r"\newcommand{\make}[2]{\newcommand{#1}[1]{#2_{##1}}}\make{\x}{a}\x 1\x{23}"
    assert expand(source) == "a_{1}a_{23}"


def test_groups_keep_definitions_to_themselves() -> None:
    assert expand(r"\def\a{1}{\def\a{2}\a}\a") == "{2}1"
    assert expand(r"\def\a{1}{\gdef\a{2}\a}\a") == "{2}2"
    assert expand(r"\def\a{1}{\def\a{2}\gdef\a{3}}\a") == "{}3"
    assert expand(r"{\global\def\a{x}\global\let\b\a\global\long\edef\c{\b}}\a\b\c") == "{}xxx"


def test_an_environment_is_a_group() -> None:
    assert expand(r"\def\a{1}\begin{x}\def\a{2}\a\end{x}\a") == r"\begin{x}2\end{x}1"


def test_a_redefinition_holds_from_where_it_stands() -> None:
    assert expand(r"\def\a{1}\def\b{\a}\b\def\a{2}\b") == "12"


def test_providecommand_gives_way() -> None:
    assert expand(r"\newcommand\a{1}\providecommand\a{2}\a") == "1"
    assert expand(r"\providecommand\a{1}\providecommand\a{2}\a") == "1"
    assert expand(r"\providecommand\alpha{2}\alpha") == r"\alpha"
    assert expand(r"\providecommand\coloneqq{2}\coloneqq", packages=True) == "2"
    assert expand(r"\newcommand\a{1}\ProvideDocumentCommand\a{m}{2}\a") == "1"


def test_let_copies_the_meaning_of_the_moment() -> None:
    assert expand(r"\def\a{1}\let\b\a\def\a{2}\b\a") == "12"
    assert expand(r"\let\b = \alpha\b") == r"\alpha"
    assert expand(r"\let\eq==\eq") == "="
    assert expand(r"\def\a{x}\LetLtxMacro{\b}{\a}\cslet{c}\a\letcs\d{a}\b\c\d") == "xxx"


def test_let_keeps_an_original_that_is_then_redefined() -> None:
    source = r"\let\old\vec\renewcommand\vec[1]{\old{\mathbf{#1}}}\vec x"
    assert expand(source) == r"\vec{\mathbf{x}}"
    assert expand(r"\let\o\phi\let\phi\varphi\let\varphi\o\phi\varphi") == r"\varphi\phi"


def test_let_to_undefined_forgets() -> None:
    assert expand(r"\newcommand\a{1}\let\a\undefined\providecommand\a{2}\a") == "2"
    assert expand(r"\renewcommand\vec{1}\let\vec\@undefined\vec") == r"\vec"


def test_futurelet_looks_ahead() -> None:
    source = r"\def\a{\futurelet\q\b}\def\b{\ifx\q[yes\else no\fi}"
    assert expand(source + r"\a[") == "yes["
    assert expand(source + r"\a(") == "no("


def test_names_made_from_text() -> None:
    assert expand(r"\@namedef{a1}#1{<#1>}\@nameuse{a1}x") == "<x>"
    assert expand(r"\def\n{b}\csdef{\n 2}{y}\csuse{b2}\csname b2\endcsname") == "yy"
    assert expand(r"\def\v{1}\csedef{c}{\v}\def\v{2}\csuse{c}{\csgdef{d}{z}}\d") == "1{}z"


def test_operators() -> None:
    assert expand(r"\DeclareMathOperator{\tr}{tr}\tr A") == r"\operatorname{tr} A"
    assert expand(r"\DeclareMathOperator*\am{arg\,max}\am_x") == r"\operatorname*{arg\,max}_x"


def test_math_characters() -> None:
    assert expand("\\mathchardef\\lt=\"313C \\mathchardef\\mh='055 a\\lt1\\mh2") == "a<1-2"
    assert expand(r'\mathchardef\x="0271 \x') == "q"
    assert expand(r'\mathchardef\x="025C \x') == r"\x"


def test_names_of_structure_and_of_the_expander_keep_their_meaning() -> None:
    assert expand(r"\renewcommand{\frac}[2]{#1/#2}\frac ab") == r"\frac ab"
    assert expand(r"\def\def{x}\def\a{y}\a") == "y"
    assert expand(r"\def\iftrue{x}\iftrue a\fi") == "a"
    assert expand(r"\renewcommand\or{\vee}a\or b") == r"a\vee b"


def test_an_active_character_is_not_defined_but_the_tie_is() -> None:
    assert expand(r"\def_{x}a_b") == "a_b"
    assert expand(r"\def~{x}a~b") == "axb"


def test_a_symbol_drawn_by_hand_keeps_its_plain_spelling() -> None:
    drawn = r"\def\widebar#1{\setbox0=\hbox{#1}\vrule}\widebar x"
    assert expand(drawn, packages=True) == r"\overline{x}"


def test_environments_with_arguments() -> None:
    source = r"\newenvironment{foo}[2][x]{<#1|#2|}{|#1>}\begin{foo}[a]{b}c\end{foo}"
    assert expand(source) == "<a|b|c|a>"
    source = r"\NewDocumentEnvironment{foo}{o m}{\IfValueT{#1}{#1}#2:}{.}"
    assert expand(source + r"\begin{foo}{b}c\end{foo}") == "b:c."


def test_displays_hidden_in_macros_and_environments() -> None:
    source = r"\def\be{\begin{equation}}\def\ee{\end{equation}}\be x \ee"
    assert expand(source) == r"\begin{equation} x \end{equation}"
    source = r"\newenvironment{eqn}{\begin{equation}}{\end{equation}}\begin{eqn}x\end{eqn}"
    assert expand(source) == r"\begin{equation}x\end{equation}"
    source = r"\newenvironment{eqn}{\equation}{\endequation}\begin{eqn}x\end{eqn}"
    assert expand(source, packages=True) == r"\begin{equation}x\end{equation}"


def test_an_environment_made_of_two_commands() -> None:
    assert expand(r"\def\foo#1{<#1|}\def\endfoo{>}\begin{foo}xy\end{foo}") == "<x|y>"


def test_an_environment_that_collects_its_body() -> None:
    source = r"\NewEnviron{foo}[1]{#1[\BODY]}\begin{foo}{x}a b\end{foo}c"
    assert expand(source) == "x[a b]c"


def test_displays_and_matrices_are_not_redefined() -> None:
    assert expand(r"\renewenvironment{equation}{x}{y}\begin{equation}") == r"\begin{equation}"


@pytest.mark.parametrize(
    "source",
    [r"\newcommand", r"\newcommand\a", r"\newcommand{\a", r"\newcommand{a}{b}", r"\def",
     r"\def\a#1", r"\let", r"\let\a", r"\newcommand\a[x]{b}", r"\DeclareMathOperator",
     r"\newenvironment{a}{b}", r"\NewDocumentCommand\a{t}{x}", r"\mathchardef\a", r"\global",
     r"\futurelet\a"],
)  # fmt: skip
def test_a_definition_that_breaks_off_costs_nothing_behind_it(source: str) -> None:
    assert expand(source + "\n\n x y").endswith("x y")


# -- Paired delimiters: plain, with a star, with a size -------------------------------------------


def test_plain_delimiters_do_not_grow() -> None:
    source = r"\DeclarePairedDelimiter\abs{\lvert}{\rvert}"
    assert expand(source + r"\abs{x}") == r"\lvert x\rvert"
    assert expand(source + r"\abs*{x}") == r"\left\lvert x\right\rvert"
    assert expand(source + r"\abs[\big]{x}") == r"\bigl\lvert x\bigr\rvert"
    assert expand(source + r"\abs[huge]{x}") == r"\lvert x\rvert"


def test_delimiters_around_a_body() -> None:
    source = r"\DeclarePairedDelimiterX\set[2]{\{}{\}}{#1\delimsize\vert#2}"
    assert expand(source + r"\set{a}{b}") == r"\{a\vert b\}"
    assert expand(source + r"\set*{a}{b}") == r"\left\{a\middle\vert b\right\}"
    assert expand(source + r"\set[\Big]{a}{b}") == r"\Bigl\{a\Big\vert b\Bigr\}"


def test_delimiters_with_text_before_and_behind() -> None:
    source = r"\DeclarePairedDelimiterXPP\E[2]{\mathbb{E}_{#1}}{[}{]}{^{#1}}{#2}"
    assert expand(source + r"\E{p}{x}") == r"\mathbb{E}_{p}[x]^{p}"
    assert expand(source + r"\E*{p}{x}") == r"\mathbb{E}_{p}\left[x\right]^{p}"


def test_a_missing_delimiter_is_a_dot_where_it_grows() -> None:
    source = r"\DeclarePairedDelimiter\at{.}{\vert}\DeclarePairedDelimiter\to{}{)}"
    assert expand(source + r"\at*{x}") == r"\left.x\right\vert"
    assert expand(source + r"\to{x}\to*{x}\to[\big]{x}") == r"x)\left.x\right)x\bigr)"


def test_arguments_nest() -> None:
    source = r"\DeclarePairedDelimiter\n{\|}{\|}\n*{x+\n{y}}"
    assert expand(source) == r"\left\|x+\|y\|\right\|"


def test_a_declaration_that_breaks_off_declares_nothing() -> None:
    assert expand("\\DeclarePairedDelimiter\\a{(}\n\n\\a") == r"\a"


# -- Assignments are read and forgotten -----------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        r"\baselineskip=12pt plus 1pt minus .5pt x",
        r"\baselineskip 12pt x",
        r"\penalty-100 x",
        r"\penalty100x",
        r"\postdisplaypenalty=10000x",
        r"\arraycolsep=\z@ x",
        r"\arraycolsep=.5\jot x",
        r"\thinmuskip = 2mu x",
        r"\newcount\n\n=3\advance\n by 1\advance\n-2 x",
        r"\newdimen\d\d=1true in x",
        r"\advance\d by \e x",
    ],
)
def test_values_do_not_print(source: str) -> None:
    assert expand(source) == "x"


def test_a_number_does_not_swallow_the_command_behind_it() -> None:
    assert expand(r"\penalty100\alpha") == r"\alpha"


def test_a_length_that_is_not_assigned_is_nothing() -> None:
    assert expand(r"a\arraycolsep+b") == "a+b"
