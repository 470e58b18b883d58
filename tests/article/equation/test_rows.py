"""Rows of displays as people write them, cut into equations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topiceq.article.equation import cells
from topiceq.article.equation.normal import normal_form, parse, to_latex
from topiceq.article.equation.rows import RowEquation, equations
from topiceq.article.tex import clean, lex


def cut(latex: str, environment: str = "align", longest: int | None = None) -> list[RowEquation]:
    return equations(lex(clean(latex)), environment, longest)


def told(rows: list[RowEquation]) -> list[str]:
    return [" ".join(tokens) + (f" !{reason}" if reason else "") for tokens, reason in rows]


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"a = b", ["a = b"]),
        (r"a &= b \\ c &= d", ["a = b", "c = d"]),
        (r"a &= b, \\[2pt] c &= d. \\", ["a = b", "c = d"]),
        (r"a &= b \\* c &= d \nonumber \\ \label{x} e &= f \tag{3}", ["a = b", "c = d", "e = f"]),
        (r"& a = b, \\ & c = d", ["a = b", "c = d"]),
        (r"a &= b \\ &= c \\ &\le d", [r"a = b = c \leq d"]),
        (r"a &= b \\ & + c \\ &\quad - d", ["a = b + c - d"]),
        (r"a &= b + \\ & c", ["a = b + c"]),
        (r"a &= b \times \\ &\times c", [r"a = b \times c"]),
        (r"a = b = \\ = c = \\ = d", ["a = b = c = d"]),
        (r"a = \\ b", ["a = b"]),
        (r"a &= b \\ &\quad c \\ d &= e", ["a = b c", "d = e"]),
        (r"&\lVert f \rVert \\ &\qquad \le \lVert g \rVert", [r"\| f \| \leq \| g \|"]),
        (r"-u'' &= f \\ -v &= g", [r"- u ^ { \prime \prime } = f", "- v = g"]),
        (r"& -u = f \\ & -v = g", ["- u = f", "- v = g"]),
        (r"a &= b \\ &- c = d", ["a = b - c = d"]),
        (r"a &= b \\ &\quad - c \le d", [r"a = b - c \leq d"]),
        (r"a &\stackrel{!}{=} b \\ &\overset{x}{\le} c \\ &:= d",
         [r"a \overset { ! } { = } b \overset { x } { \leq } c : = d"]),
        (r"x_n &\to 0 \\ &\xrightarrow{n} 1", [r"x _ { n } \rightarrow 0 \xrightarrow { n } 1"]),
        (r"a_1 &= b \\ &\vdots \\ a_n &= c", ["a _ { 1 } = b", "a _ { n } = c"]),
        (r"a &= b \\ &= c \qquad \checkmark", ["a = b = c"]),
    ],
)  # fmt: skip
def test_rows_are_cut_and_continued(latex: str, wanted: list[str]) -> None:
    assert told(cut(latex)) == wanted


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"f &= ( a + \\ & b ) \\ &= c", ["f = ( a + b ) = c"]),
        (r"a &= f(x, \\ & y)", ["a = f ( x , y )"]),
        (r"f &= \biggl[ a \\ & b \\ & c \biggr]", [r"f = \biggl[ a b c \biggr]"]),
        (r"f &= \left( a \right. \\ &\quad \left. + b \right)", [r"f = \left( a + b \right)"]),
        (r"f &= \left( a \right. \\ &+ \left. b \right. \\ & \left. + c \right) + d",
         [r"f = \left( a + b + c \right) + d"]),
        (r"f &= \left( a \\ & + b \right)", [r"f = \left( a + b \right)"]),
        (r"\Pr( X = 1, & Y = 2 ) = 3", [r"\Pr ( X = 1 , Y = 2 ) = 3"]),
        (r"A &= \{ x \mid \\ & x = 1 \}", [r"A = \{ x \mid x = 1 \}"]),
        (r"x &\in [0, 1) \\ y &\in (0, 1]", [r"x \in [ 0 , 1 )", r"y \in ( 0 , 1 ]"]),
    ],
)  # fmt: skip
def test_brackets_hold_rows_together(latex: str, wanted: list[str]) -> None:
    assert told(cut(latex)) == wanted


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"a &= b & c &= d", ["a = b", "c = d"]),
        (r"a &= b && c = d", ["a = b", "c = d"]),
        (r"a &= b & c &= d \\ &= e & &= f", ["a = b = e", "c = d = f"]),
        (r"a &= b & c &= d \\ e &= f & g &= h", ["a = b", "c = d", "e = f", "g = h"]),
        (r"a = b, & c = d, & e = f", ["a = b", "c = d", "e = f"]),
        (r"a = b & \qquad c = d", ["a = b", "c = d"]),
        (r"a = b \quad c = d \\ e = f \qquad g = h", ["a = b", "c = d", "e = f", "g = h"]),
        (r"&a&&=b,& \hspace{4em} &c&&=d", ["a = b", "c = d"]),
        (r"a &=& b \\ &=& c", ["a = b = c"]),
        (r"a &= b &= c", ["a = b = c"]),
        (r"2x &{}+{}& 3y &{}={}& 5 \\ x &{}-{}& y &{}={}& 7", ["2 x + 3 y = 5", "x - y = 7"]),
        (r"x &+ y & + z &= 1", ["x + y + z = 1"]),
        (r"a &= b & \forall i \in I", [r"a = b \forall i \in I"]),
        (r"a &\ne 0 &\text{and}& b = 1", [r"a \neq 0", "b = 1"]),
    ],
)
def test_equations_beside_each_other_are_two_and_aligned_terms_are_one(
    latex: str, wanted: list[str]
) -> None:
    assert told(cut(latex)) == wanted


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"a &= b && \text{(by (3))} \\ &= c && \text{Jensen's inequality}", ["a = b = c"]),
        (r"a &= b \quad \text{(Fubini)} \\ &= c \qquad (4.2a)", ["a = b = c"]),
        (r"a &= b \quad \text{by \eqref{x}} \\ &= c", ["a = b = c"]),
        (r"f &= 0 & \text{if } x < 0 \\ &= 1 & \text{otherwise}",
         [r"f = 0 \mathrm { i f } x < 0", r"f = 1 \mathrm { o t h e r w i s e }"]),
        (r"f &= 0, \quad x < 0 \\ &= 1, \quad x > 0", ["f = 0 , x < 0", "f = 1 , x > 0"]),
        (r"f &= 0 \quad x = 1 \\ &= 2", ["f = 0", "x = 1", "f = 2"]),
        (r"\mbox{(constant):} \quad a &= b \\ \text{Step 2:} c &= d", ["a = b", "c = d"]),
        (r"& a = b \\ & \qquad \text{$a$ is a point of~$b$} \\ & = c",
         ["a = b = c", r"a \mathrm { i s ~ a ~ p o i n t ~ o f } b !fragment"]),
        (r"a &= b & \text{for} & x > 0", [r"a = b \mathrm { f o r } x > 0"]),
        (r"v &= 3 \quad \text{m} \\ w &= 4", [r"v = 3 \mathrm { m }", "w = 4"]),
        (r"x &= 1 \quad \text{and} \\ \text{where } y &= 2, \text{ or}", ["x = 1", "y = 2"]),
        (r"\emph{Associativity} && a b &= c \\ && d &= e", ["a b = c", "d = e"]),
        (r"\text{speed} &= a \\ \text{If } n, & b = c",
         [r"\mathrm { s p e e d } = a", r"\mathrm { I f } n , b = c"]),
        (r"\text{subject to} \quad & a = b \\ & c = d", ["a = b", "c = d"]),
        (r"\min_x \quad & f(x) \\ \text{s.t. } & g(x) \le 0",
         [r"\min _ { x } f ( x )", r"g ( x ) \leq 0"]),
        (r"X =& \text{const} \\ \text{Var}(X) &= 0",
         [r"X = \mathrm { c o n s t }", r"\mathrm { V a r } ( X ) = 0"]),
        (r"x^2 &= 4 \\ \Rightarrow x &= 2", ["x ^ { 2 } = 4", "x = 2"]),
        (r"x^2 &= 4 \iff \\ x &= 2", ["x ^ { 2 } = 4", "x = 2"]),
        (r"A &\\ \Rightarrow & B", [r"A \Rightarrow B"]),
        (r"\beth &: \text{pure discount factor} \\ a &= b",
         [r"\beth : \mathrm { p u r e ~ d i s c o u n t ~ f a c t o r } !fragment", "a = b"]),
        (r"\text{We have} \\ a &= b", [r"\mathrm { W e ~ h a v e } !fragment", "a = b"]),
    ],
)  # fmt: skip
def test_words_and_arrows_between_equations(latex: str, wanted: list[str]) -> None:
    assert told(cut(latex)) == wanted


@pytest.mark.parametrize(
    ("environment", "latex", "wanted"),
    [
        ("eqnarray*", r"a &=& b + \\ && c \\ d &\le& e", ["a = b + c", r"d \leq e"]),
        ("IEEEeqnarray", r"a &=& b \\ c &=& d", ["a = b", "c = d"]),
        ("gather", r"a = b \\ c = d \\ + e", ["a = b", "c = d + e"]),
        ("multline", r"\int f \\ \sum g \\ = 3", [r"\int f \sum g = 3"]),
        ("$$", r"a = b \\ c = d", ["a = b", "c = d"]),
        ("equation", r"\begin{split} a &= b \\ &= c \end{split}", ["a = b = c"]),
        ("gather", r"\begin{aligned} a &= b \\ c &= d \end{aligned} \\ e = f",
         ["a = b", "c = d", "e = f"]),
        ("align", r"\begin{split} a &= b \\ & + c \end{split} \\ \begin{split} &= d \end{split}",
         ["a = b + c = d"]),
        ("equation", r"\left\{ \begin{alignedat}{2} x &= y \\ y &= x \end{alignedat} \right.",
         ["x = y", "y = x"]),
        ("equation", r"\label{a} \begin{aligned} a &= b \quad \text{(by 3)} \\ & = c \quad d = e"
         r" \end{aligned} \,.", ["a = b = c", "d = e"]),
        ("equation", r"\left. \begin{array}{l} a \\ b \end{array} \right\} \\",
         [r"\left. \begin{array} { l } a \\ b \end{array} \right\}"]),
        ("equation", r"\begin{aligned} a &= b \\ c &= d \end{aligned} \text{ and } "
         r"\begin{gathered}[t] e = f \end{gathered}.", ["a = b", "c = d", "e = f"]),
        ("equation", r"f = \begin{aligned}[t] & a \\ & + b \end{aligned}", ["f = a + b"]),
        ("equation", r"f = \begin{aligned} a &= b \\ c &= d \end{aligned}",
         ["f = a = b c = d !multiline"]),
        ("align", r"A &= \begin{pmatrix} a & b \\ c & d \end{pmatrix} \\ B &= \begin{cases} a & b "
         r"\\ c & d \end{cases}",
         [r"A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}",
          r"B = \begin{cases} a & b \\ c & d \end{cases}"]),
        ("align", r"a &= \sum_{\substack{i \\ j}} x \\ b &= c",
         [r"a = \sum _ { \substack { i \\ j } } x", "b = c"]),
    ],
)  # fmt: skip
def test_environments(environment: str, latex: str, wanted: list[str]) -> None:
    assert told(cut(latex, environment)) == wanted


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"= a \\ &= b", ["a = b"]),  # the left side stands in an earlier display
        (r"= a \\ &+ b", ["= a + b !fragment"]),
        (r"+ a &= b \\ c &= d", ["+ a = b !fragment", "c = d"]),
        (r"a &= b \\ c &= d +", ["a = b", "c = d + !fragment"]),
        (r"a &= b \\ x^2^3 &= d \\ e &= f", ["a = b", " !unbalanced", "e = f"]),
        (r"\frac{a \\ b", [" !unbalanced"]),
        (r"a &= \begin{tikzcd} b \end{tikzcd} \\ c &= d", [" !diagram", "c = d"]),
        (r"\\ \\", []),
        ("", [""]),
    ],
)
def test_what_lacks_a_side_is_told(latex: str, wanted: list[str]) -> None:
    assert told(cut(latex)) == wanted


@pytest.mark.parametrize(
    ("latex", "longest", "wanted"),
    [
        (r"a &= b \\ &= c \\ &= d", 7, ["a = b = c = d"]),
        (r"a &= b \\ &= c \\ &= d", 5, ["a = b = c", "a = d"]),
        (r"a &= b \\ &= c \\ &\le d", 3, ["a = b", "a = c", r"a \leq d"]),
        # what is not equal to the left side cannot stand for it
        (r"a &< b \\ &= c \\ &= d", 3, ["a < b", "b = c", "c = d"]),
        (r"a &= b \\ &+ c \\ &= d", 3, ["a = b + c", "a = d"]),
        (r"= a \\ &= b \\ &= c", 3, ["a = b", "a = c"]),
        # an arrow is part of a side; a left side alone is no equation
        (r"a &\le b \to c \\ &= d", 4, [r"a \leq b \rightarrow c", r"b \rightarrow c = d"]),
        (r"& a b c \\ &= d e \\ &= f", 5, ["a b c = d e", "a b c = f"]),
    ],
)
def test_a_chain_that_is_too_long_goes_on_with_what_is_equal(
    latex: str, longest: int, wanted: list[str]
) -> None:
    assert told(cut(latex, longest=longest)) == wanted


PIECES = [*"abcxy", "=", "+", "-", r"\le", r"\frac{a}{b}", "x_{1}", "&", "&=", r"\\", r"\quad",
          "(", ")", ",", r"\left(", r"\right)", r"\right.", r"\left.", r"\text{if }", r"\text{and}",
          r"\begin{aligned}", r"\end{aligned}", r"\begin{matrix}", r"\end{matrix}", "{", "}", "^",
          r"\Rightarrow", r"\vdots", r"\forall"]  # fmt: skip
ENVIRONMENTS = st.sampled_from(["align", "eqnarray", "multline", "gather", "equation", "split"])


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), ENVIRONMENTS)
def test_whatever_is_cut_is_in_normal_form(pieces: list[str], environment: str) -> None:
    for longest in (None, 4):
        for tokens, reason in cut(" ".join(pieces), environment, longest):
            if not reason:
                assert parse(to_latex(tokens)) == tokens
                assert not tokens or tokens[0] not in ("=", r"\leq", "+")
                assert not tokens or tokens[-1] not in ("=", r"\leq", "+", "-")


PLAIN = [*"abcxy", "=", "+", r"\le", r"\frac{a}{b}", "x_{1}", "&", "&=", r"\\", "(x)"]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PLAIN), max_size=25), ENVIRONMENTS)
def test_nothing_is_lost_but_marks(pieces: list[str], environment: str) -> None:
    pieces = ["a", *pieces, "b"]
    rows = " ".join(pieces)
    whole = parse(rows.replace(r"\\", " ").replace("&", " "))
    told_twice = {"=", r"\leq", "+"}  # a = \\ = b has one relation
    kept = [t for row in cut(rows, environment) for t in row.tokens]
    kept, whole = ([t for t in some if t not in told_twice] for some in (kept, whole))
    assert sorted(kept) == sorted(whole)
    if "&" not in rows:  # a column goes on below, before the next one is read
        assert kept == whole


def test_one_row_without_marks_stays_whole() -> None:
    matrix = r"A = \begin{pmatrix} a & b \\ c & d \end{pmatrix} + B"
    assert told(cut(matrix, "equation")) == [" ".join(parse(matrix))]


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (
            r"a = \frac{t}{T} \qquad b = c \qquad d = e",
            [r"a = \frac { t } { T }", "b = c", "d = e"],
        ),
        (r"f = x^2, \quad x > 0", ["f = x ^ { 2 } , x > 0"]),
        (r"v = (a \quad 0 \quad 0)", ["v = ( a 0 0 )"]),
        (r"a = b \quad \text{for } x > 0", [r"a = b \mathrm { f o r } x > 0"]),
    ],
)
def test_a_wide_space_between_equations_parts_them(latex: str, wanted: list[str]) -> None:
    assert told(cut(latex, "equation")) == wanted


def test_the_cut_of_one_row_is_its_normal_form() -> None:
    tokens = lex(r"x^2_1 = {a \over b},")
    assert equations(tokens) == [RowEquation(normal_form(tokens))]


def test_a_quantifier_in_a_column_of_its_own_stays_with_its_equation() -> None:
    rows = cut(r"& a_o = u_o & \quad \forall o \in O \\ & x \geq 0 & \forall x")
    assert told(rows) == [r"a _ { o } = u _ { o } \forall o \in O", r"x \geq 0 \forall x"]


def test_a_font_ends_with_its_cell() -> None:
    assert told(cut(r"\cal O & = & 0", "eqnarray")) == [r"\mathcal { O } = 0"]


def test_a_row_that_only_says_subject_to_is_no_equation() -> None:
    assert told(cut(r"V & = & U, \\ & s.t. & \\ A & = & C", "eqnarray")) == ["V = U", "A = C"]


def test_a_row_of_thousands_of_cells_is_not_read_thousands_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []
    whole = cells.whole_form
    monkeypatch.setattr(cells, "whole_form", lambda t: read.append(len(t)) or whole(t))
    cut("a = b " + "& , c = d " * 2_000)
    assert len(read) < 20
